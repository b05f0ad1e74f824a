#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The committed sample traces are what scripts/make-samples.sh makes, under every awk at hand.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-samples.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

for awk in awk mawk gawk original-awk busybox; do
    path=$(command -v "$awk") || continue
    mkdir "$work/$awk"
    ln -s "$path" "$work/$awk/awk"
    if ! PATH=$work/$awk:$PATH "$top/scripts/make-samples.sh" "$work"; then
        echo "FAIL - samples: $awk does not make them"
        failed=1
        continue
    fi
    for sample in sample.csv sample-classes.csv sample-helios.csv sample-philly.json; do
        if cmp -s "$work/$sample" "$top/traces/$sample"; then
            echo "ok - samples: $sample by $awk"
        else
            echo "FAIL - samples: $sample by $awk differs"
            failed=1
        fi
    done
done
exit $failed
