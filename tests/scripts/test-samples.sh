#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The committed sample traces are the output of scripts/make-samples.sh, by every awk installed.
subject=samples
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

for awk in awk mawk gawk original-awk busybox; do
    path=$(command -v "$awk") || continue
    mkdir "$work/$awk"
    ln -s "$path" "$work/$awk/awk"
    rm -f "$work"/sample*
    PATH=$work/$awk:$PATH scripts/make-samples.sh "$work"
    for sample in sample.csv sample-classes.csv sample-helios.csv sample-philly.json; do
        verdict "$sample by $awk" "$(cmp "$work/$sample" "traces/$sample" 2>&1)"
    done
done
exit $failed
