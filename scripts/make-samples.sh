#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes the sample traces, byte for byte as they are committed: `scripts/make-samples.sh [FOLDER]`
# (default: traces/).
set -eu
here=$(dirname "$0")
out=${1:-$here/../traces}
for sample in native:sample.csv classes:sample-classes.csv helios:sample-helios.csv philly:sample-philly.json; do
    LC_ALL=C awk -v kind="${sample%%:*}" -f "$here/make-samples.awk" >"$out/${sample#*:}"
done
