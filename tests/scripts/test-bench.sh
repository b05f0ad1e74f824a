#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The measuring scripts: figures of bench.sh from made-up samples, by hand; a real measurement of a few
# jobs; verdicts of bench-instr.sh with a stand-in for valgrind, whose counts each case sets.
subject=bench
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

if ! command -v jq >/dev/null; then
    skip "jq is not installed"
    exit 0
fi

# ---- figures ----
# Start-up takes 1000 us. At load 95 cost is start-up + n^1.25: 10^4 jobs 100,000 us, 10^8 jobs
# 10^10 us, so the exponent is 1.25. Over GPUs 1,024 to 16,384, 16 times, cost doubles: 2^(1/4), so
# 0.25; that of 64 GPUs must not count. Ratios to the parses beside: 3, 2, 5 -> 3, while the
# medians of cost and parse, 300 and 150, would give 2.
cat >"$work/samples" <<'END'
{"part": "start", "round": 1, "cpu_us": 900, "events": 2, "decisions": 2, "live": 1}
{"part": "start", "round": 2, "cpu_us": 1000, "events": 2, "decisions": 2, "live": 1}
{"part": "start", "round": 3, "cpu_us": 5000, "events": 2, "decisions": 2, "live": 1}
{"part": "grid", "policy": "p", "outputs": "summary", "jobs": 10000, "gpus": 1024, "load": 95, "round": 1, "cpu_us": 101000, "peak_kib": 1, "events": 20200, "decisions": 10100, "live": 7}
{"part": "grid", "policy": "p", "outputs": "summary", "jobs": 100000000, "gpus": 1024, "load": 95, "round": 1, "cpu_us": 10000001000, "peak_kib": 1, "events": 2, "decisions": 1, "live": 9}
{"part": "grid", "policy": "p", "outputs": "summary", "jobs": 5, "gpus": 64, "load": 70, "round": 1, "parse_us": 100, "cpu_us": 300, "events": 10, "decisions": 5, "live": 1, "colocated": 0.25}
{"part": "grid", "policy": "p", "outputs": "summary", "jobs": 5, "gpus": 64, "load": 70, "round": 2, "parse_us": 150, "cpu_us": 300, "events": 10, "decisions": 5, "live": 1}
{"part": "grid", "policy": "p", "outputs": "summary", "jobs": 5, "gpus": 64, "load": 70, "round": 3, "parse_us": 200, "cpu_us": 1000, "events": 10, "decisions": 5, "live": 1}
{"part": "grid", "policy": "p", "outputs": "summary", "jobs": 5, "gpus": 1024, "load": 70, "round": 1, "cpu_us": 500, "events": 10, "decisions": 5, "live": 1}
{"part": "grid", "policy": "p", "outputs": "summary", "jobs": 5, "gpus": 16384, "load": 70, "round": 1, "cpu_us": 1000, "events": 10, "decisions": 5, "live": 1}
{"part": "grid", "policy": "q", "outputs": "summary", "jobs": 5, "gpus": 16384, "load": 70, "capped": true}
{"part": "backlog", "policy": "p", "jobs": 10000, "round": 1, "cpu_us": 2000, "peak_kib": 10000, "events": 1000, "decisions": 1000, "live": 10000}
{"part": "backlog", "policy": "p", "jobs": 1000000, "round": 1, "cpu_us": 11000, "peak_kib": 257500, "events": 1000, "decisions": 1000, "live": 1000000}
{"part": "backlog", "policy": "p", "jobs": 1000000, "capped": true}
{"part": "idle", "policy": "p", "gpus": 1024, "round": 1, "cpu_us": 1, "peak_kib": 1000, "events": 2, "decisions": 2, "live": 1}
{"part": "idle", "policy": "p", "gpus": 131072, "round": 1, "cpu_us": 1, "peak_kib": 9128, "events": 2, "decisions": 2, "live": 1}
END
jq -s -L "$top/tests/bench" 'include "bench"; figures' "$work/samples" >"$work/figures"
is() { # EXPRESSION WANTED
    local seen
    seen=$(jq -c "$1" "$work/figures" 2>&1)
    [ "$seen" = "$2" ] || echo "$1: $seen, not $2"
}
# 1 us an event at 10^4 waiting, 10 us at 10^6: 10 over 100 times as many is an exponent of 0.5.
# 247,500 KiB for 990,000 jobs are 256 bytes, 8,128 KiB for 130,048 GPUs are 64.
verdict "figures of made-up samples" "$(
    is .start_us 1000
    is '.growth.jobs[] | select(.load == 95) | .exponent * 1e6 | round / 1e6' 1.25
    is '.growth.gpus[] | select(.load == 70) | .exponent * 1e6 | round / 1e6' 0.25
    is '.grid[] | select(.gpus == 64) | [.ratio, .cpu_us, .rounds]' '[3,300,3]'
    is '.grid[] | select(.gpus == 64) | [.ns_per_event, .ns_per_decision]' '[30000,60000]'
    is '.grid[] | select(.gpus == 64) | .colocated' 0.25
    is '.grid[] | select(.policy == "q") | [.capped, .cpu_us]' '[true,null]'
    is '.growth.waiting[0].exponent * 1e6 | round / 1e6' 0.5
    is '[.memory.per_waiting_job[0].bytes, .memory.per_gpu[0].bytes]' '[256,64]'
)"

# fifo takes 1 s: muri 61 times that, above its 60, synergy 20 times, lucid was stopped; the others have no target.
for of in fifo:1 muri:61 synergy:20 horus:70; do
    echo "{\"part\": \"grid\", \"policy\": \"${of%:*}\", \"outputs\": \"summary\", \"jobs\": 100000, \"gpus\": 1024, \"load\": 95, \"round\": 1, \"cpu_us\": ${of#*:}000000}"
done >"$work/of-fifo"
echo '{"part": "grid", "policy": "lucid", "outputs": "summary", "jobs": 100000, "gpus": 1024, "load": 95, "capped": true}' >>"$work/of-fifo"
verdict "costs beside fifo" "$(
    diff - <(jq -s -c -L "$top/tests/bench" 'include "bench";
        {policies: ["fifo", "muri", "synergy", "lucid"]} + figures | fifo_tables.rows[]' "$work/of-fifo") <<'END'
["muri","61.00","61.0 !","60"]
["synergy","20.00","20.0  ","20"]
["lucid","> cap","","25"]
END
)"

# The 10,000th number of the generator from 1 on: Park and Miller, CACM 31(10), 1988. A seed gives its
# combinations again, and only values that the tables name or bound.
combinations() { # SEED
    jq -nr -L "$top/tests/bench" --argjson seed "$1" 'include "bench";
        [{name: "a", parameters: [{key: "n", type: "integer", values: "5..20"},
            {key: "c", type: "choice", values: "x|y"}, {key: "f", type: "file", values: "file"}]},
         {name: "b", parameters: []}] as $policies |
        combinations(40; $seed; $policies; ["1x8"]; ["venus 95 %"])'
}
verdict "random combinations" "$(
    jq -n -L "$top/tests/bench" 'include "bench"; reduce range(10000) as $i (1; next_state) |
        select(. != 1043618065)'
    [ "$(combinations 1)" = "$(combinations 1)" ] || echo "the same seed differs"
    [ "$(combinations 1)" != "$(combinations 2)" ] || echo "another seed is the same"
    combinations 1 | grep -Evx $'(b|a:(n=(5|10|20)|c=[xy]|n=(5|10|20),c=[xy]|c=[xy],n=(5|10|20)))\t1x8\tvenus 95 %'
    [ "$(combinations 1 | cut -f 1 | sort -u | wc -l)" -gt 5 ] || echo "few differ"
)"

# ---- a real measurement, joined with another, shown, written as a page ----
tools=$(dirname "$HORUS")/tests/bench
if [ -x "$tools/bench_cost" ] && [ -x "$tools/bench_parse" ]; then
    cd "$top" || exit 1
    mkdir -p "$work/build/tests/bench" && ln -s "$HORUS" "$work/build/horus"
    ln -s "$tools"/bench_{cost,parse} "$work/build/tests/bench/"
    faults=$(
        for policy in fifo horus; do
            tests/bench/bench.sh "$work/build" --policies $policy --jobs 300,600 --gpus 64 --load 95 \
                --rounds 1 -o "$work/$policy.json" >/dev/null 2>"$work/stderr" || cat "$work/stderr"
        done
        tests/bench/bench.sh --join "$work/fifo.json" "$work/horus.json" >"$work/both.json"
        tests/bench/bench.sh --show "$work/both.json" >"$work/shown"
        for policy in fifo horus; do
            # 300 jobs have 600 events, but for those that no cluster of 64 GPUs can hold.
            jq -e --arg p $policy '.grid[] | select(.policy == $p and .jobs == 300) |
                .events > 500 and .events <= 600 and .ratio > 0 and .peak_kib > 1000' \
                "$work/both.json" >/dev/null || echo "figures of $policy"
            grep -Eq "^  $policy +300 " "$work/shown" || echo "no row of $policy"
        done
    )
    verdict "a small measurement in two parts" "$faults"
    verdict "the page of a measurement" "$(
        tests/bench/bench.sh --page "$work/both.json" >"$work/page" 2>&1
        for policy in fifo horus; do # at the point, by the number of jobs and by load
            [ "$(grep -c "^| $policy |" "$work/page")" -ge 1 ] || cat "$work/page"
        done
    )"
    # One file twice: two rounds, the ratio of either.
    verdict "parts of the same point are its rounds" "$(
        tests/bench/bench.sh --join "$work/fifo.json" "$work/fifo.json" |
            jq -c --slurpfile one "$work/fifo.json" '(.grid[0] | [.rounds, .ratio]),
                ($one[0].grid[0] | [2, .ratio])' | uniq -u
    )"
else
    skip "a small measurement: $tools is not built (make bench)"
fi

# ---- instructions ----
mkdir "$work/bin"
printf '%s\n' '#!/bin/sh' "echo \"==1== Collected : \$(cat '$work/count')\" >&2" >"$work/bin/valgrind"
chmod +x "$work/bin/valgrind"
compiler=$("$HORUS" version --verbose | sed -n 's/^compiler *//p')
libc=$(getconf GNU_LIBC_VERSION)
mkdir -p "$work/program" && ln -s "$HORUS" "$work/program/horus"
instr() { # COUNT STATUS PATTERN [COMPILER]: against 1,000,000
    printf 'name,instructions,compiler,libc\nstart,1000000,%s,%s\n' "${4:-$compiler}" "$libc" >"$work/list"
    echo "$1" >"$work/count"
    local status=0
    PATH=$work/bin:$PATH HORUS_BENCH_LIST=$work/list "$top/tests/bench/bench-instr.sh" \
        "$work/program" start >"$work/said" 2>&1 || status=$?
    [ $status -eq "$2" ] || echo "$1 instructions: status $status, not $2"
    grep -Eq -- "$3" "$work/said" || {
        echo "$1 instructions: no '$3' in"
        cat "$work/said"
    }
}
verdict "instructions: 3 % more are a failure, another compiler's list is held loosely" "$(
    instr 1029000 0 '^start +1000000 +1029000 +\+2\.9 %$'
    instr 1031000 1 '\+3\.1 %  FAIL$'
    instr 960000 0 '-4\.0 %  fewer$'
    instr 1200000 0 '25 % are allowed' 'gcc 0.1'
    instr 1260000 1 '\+26\.0 %  FAIL$' 'gcc 0.1'
)"
verdict "instructions: a blessed list holds what it was made of" "$(
    echo 1234567 >"$work/count"
    PATH=$work/bin:$PATH HORUS_BENCH_LIST=$work/list "$top/tests/bench/bench-instr.sh" --bless \
        "$work/program" start >/dev/null || echo "--bless fails"
    grep -qx "start,1234567,$compiler,$libc" "$work/list" || cat "$work/list"
)"
exit "$failed"
