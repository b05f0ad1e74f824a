#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# README.md shows the output of the program: every line of the demo's table and of the run below it, every
# policy; every path in it exists. (Commands: test-docs.sh.)
# --bless writes the present output into README.md: read the diff before you commit it.
subject=readme
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

shown() { # prints the lines of standard input that README.md does not show
    while IFS= read -r line; do
        [ -z "$line" ] || grep -qxF -- "    $line" README.md || printf '%s\n' "$line"
    done
}

HORUS_DEMO_RUNS=$work scripts/demo.sh "$HORUS" | grep -v '^Every job' | sed '/^$/d' >"$work/demo"
"$HORUS" run traces/sample.csv -c 8x8:V100 -p srtf -o "$work/run" |
    sed 's#^files .*#files       results/sample-srtf-.../#' >"$work/one"
if [ "${1-}" = --bless ]; then
    awk -v work="$work" '
        function show(file, line) {
            while ((getline line < file) > 0) print line == "" ? "" : "    " line
            close(file)
        }
        /^    traces\/sample.csv on / { show(work "/demo"); until = "^$" }
        /^    traces\/sample.csv \(csv\)/ { show(work "/one"); until = "^    files " }
        until == "" { print; next }
        $0 ~ until { if (until == "^$") print; until = "" }' README.md >"$work/README.md"
    cp "$work/README.md" README.md
fi
verdict "the demo's table" "$(shown <"$work/demo")"
verdict "one run" "$(shown <"$work/one")"
verdict "every policy has a row" "$("$HORUS" policies --json | jq -r '.[].name' |
    while read -r name; do
        grep -q "^| \`$name\` " src/policies/README.md && grep -q "\`$name\`" README.md || echo "$name"
    done)"
verdict "paths exist" "$(
    grep -oP '(?<![\w/])(src|include|traces|configs|tests|scripts|results/R)[\w.-]*/[\w./-]*\w' README.md |
        sort -u | while read -r path; do [ -e "$path" ] || echo "$path"; done
)"
verdict "make check takes as long as make help says" "$(
    sed -nE 's/^check:.*(\([^)]*\))$/\1/p' Makefile | while read -r time; do
        grep -qF "every test $time" README.md || echo "$time"
    done
)"
exit $failed
