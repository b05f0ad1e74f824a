#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds the manual pages from the output of the program: horus.1, horus-VERB.1 for every verb,
# horus-formats.5, horus-files.5, horus-policies.7, horus-metrics.7. Needs scdoc. Their date is that of the
# commit.
#   scripts/man.sh PROGRAM FOLDER
set -eu
if [ $# -ne 2 ]; then
    echo "usage: scripts/man.sh PROGRAM FOLDER" >&2
    exit 2
fi
horus=$1
folder=$2
if [ -z "${SOURCE_DATE_EPOCH-}" ] && date=$(git log -1 --format=%ct 2>/dev/null); then
    export SOURCE_DATE_EPOCH=$date
fi

page() { # NAME.SECTION COMMAND...: a file that is complete or absent
    local name=$1 source
    shift
    source=$("$horus" "$@")
    printf '%s\n' "$source" | scdoc >"$folder/$name.tmp"
    mv "$folder/$name.tmp" "$folder/$name"
}

mkdir -p "$folder"
rm -f "$folder"/horus*.[157]
page horus.1 help --form=man
# The rows of the table are "| `horus VERB OPERANDS` | ...".
"$horus" help --form=markdown | sed -n 's/^| `horus \([a-z]*\).*/\1/p' | while read -r verb; do
    page "horus-$verb.1" help "$verb" --form=man
done
page horus-formats.5 help formats --form=man
page horus-files.5 help files --form=man
page horus-metrics.7 help metrics --form=man
page horus-policies.7 policies --man
