#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A sweep by GNU parallel and by make writes the bytes of -j 2, also after runs were deleted, failed or
# killed. Several hosts are this one, through a stand-in for ssh.
subject=sweep-parallel
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

cd "$work" || exit 1

ln -s "$top/traces" traces
cat >small.json <<'END'
{
    "config": {"trace": "traces/sample.csv", "cluster": "4x8:V100", "max-jobs": 100},
    "grid": {"policy": ["fifo", "srtf", "horus"], "seed": [1, 2]}
}
END
"$HORUS" sweep small.json -o local -j 2 -q >table 2>said || cat said

"$HORUS" sweep small.json -o made --make | make -s -k -j 2 -f - >table.made 2>said || cat said
verdict "make: the same bytes" "$(cmp local/sweep.csv made/sweep.csv 2>&1)"

if ! parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    verdict "without GNU parallel it says which package" "$(
        "$top/scripts/sweep-parallel.sh" small.json 2>&1 | grep -v 'needs GNU parallel: package parallel'
    )"
    skip "the rest: no GNU parallel"
    exit $failed
fi

launch() { "$top/scripts/sweep-parallel.sh" "$@"; }
ran() { awk -F '\t' 'NR > 1 { sub(/.*--index /, "", $9); print $9 }' "$1/parallel.log" | sort -n | paste -sd ' '; }

verdict "the same bytes, table and status" "$(
    launch small.json -o spread -j 2 >table.spread 2>said || echo "status $?"
    cat said
    cmp local/sweep.csv spread/sweep.csv 2>&1
    diff <(sed 's/local/spread/g' table) table.spread
    diff <(echo 1 2 3 4 5 6) <(ran spread)
)"

# The log still lists point 4 as successful: a resume by the log would leave a hole.
verdict "a deleted run comes back, alone" "$(
    rm -r "spread/runs/$(awk -F, '$1 == 4 { print $2 }' spread/sweep.csv)"
    launch small.json -o spread >/dev/null 2>said || cat said
    cmp local/sweep.csv spread/sweep.csv 2>&1
    diff <(echo 4) <(ran spread)
)"

verdict "on a terminal: a bar" "$(
    rm -r spread/runs
    HOME=$work script -qec "$(printf '%q ' "$top/scripts/sweep-parallel.sh" small.json -o spread)" said >/dev/null ||
        echo "status $?"
    grep -qF '100%' said || echo "no bar"
    cmp local/sweep.csv spread/sweep.csv 2>&1
)"

# A run that must fail: the trace ends in the middle of a row.
verdict "a failing point: status 1, its number, and the others are done" "$(
    head -n 3 traces/sample.csv >good.csv
    { cat good.csv && echo 'x,u,v,12'; } >bad.csv
    echo '{"grid": {"trace": ["good.csv", "bad.csv", "traces/sample.csv"]}, "config": {"max-jobs": 9}}' >odd.json
    launch odd.json -o odd >/dev/null 2>said
    diff <(echo 1) <(echo $?)
    grep -q 'sweep-parallel.sh: not done: 2 ' said || cat said
    diff <(printf '%s\n' 1,done,0 2,failed,3 3,done,0) <(awk -F, 'NR > 1 { print $1 "," $3 "," $4 }' odd/sweep.csv)
    "$HORUS" sweep odd.json -o odd --list | grep -c . | grep -vx 3
)"

# Called like ssh: host, then a command for a shell in another folder, with an empty environment.
cat >far <<END
#!/bin/bash
while case \$1 in -*) true ;; *) false ;; esac; do shift; done
echo "\$1" >>'$work/hosts'
shift
[ "\$1" != -- ] || shift
cd / && exec env -i HOME='$work' SHELL=/bin/bash PATH=/usr/bin:/bin bash -c "\$*"
END
chmod +x far
verdict "two hosts, a folder with a blank and a quote, --set" "$(
    mkdir "it's far"
    cd "it's far" || exit
    ln -s "$top/traces" traces
    "$HORUS" sweep ../small.json -o 'here %d' --set max-jobs=50 -q >/dev/null 2>&1
    PARALLEL_SSH=$work/far launch ../small.json -o 'there %d' --set max-jobs=50 -j 1 --sshlogin one,two \
        >/dev/null 2>../said || cat ../said
    cmp 'here %d/sweep.csv' 'there %d/sweep.csv' 2>&1
    ! cmp -s ../local/sweep.csv 'there %d/sweep.csv' || echo "--set makes no difference"
    diff <(printf '%s\n' one two) <(sort -u ../hosts)
    diff <(echo 6) <(wc -l <../hosts)
)"

verdict "what it does not understand" "$(
    for words in "" "small.json again.json" "small.json --resume-failed" "small.json -j"; do
        # shellcheck disable=SC2086 # words are words
        launch $words >/dev/null 2>said
        [ $? -eq 2 ] || echo "status of: $words"
        grep -q '^usage: scripts/sweep-parallel.sh' said || cat said
    done
    HORUS=$work/none launch small.json 2>&1 | grep -v "no program $work/none"
)"
exit $failed
