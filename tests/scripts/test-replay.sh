#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Windows, samples and time scales of a trace, compared with awk on random traces:
#   - a sample is unchanged rows of the trace, of the size that its probability implies, and the same
#     jobs for every order of the file, compression and format; another seed has others
#   - a window is the rows submitted in it; a window and a sample are the rows in both
#   - with --scale-time 0.125 every time of the trace is an eighth, steps and costs stay, and the
#     schedule of a run is the same in an eighth of the time, GPU by GPU
# 6 traces of each, 60 with HORUS_LONG=1. One alone: tests/scripts/test-replay.sh SEED
subject=replay
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

cd "$work" || exit 1

first=${1:-1}
last=${1:-$([ -n "${HORUS_LONG:-}" ] && echo 60 || echo 6)}
jobs=500

convert() { # FILE OPTION...: as native rows, sorted
    "$HORUS" trace convert "$@" -q --to csv -o - 2>err | tail -n +2 | sort
}
ids() { cut -d, -f1 | sort; }
differ() { # WHAT FILE FILE
    cmp -s "$2" "$3" || { echo "seed $seed: $1:" && diff "$2" "$3" | head -n 5; }
}

sample_faults() {
    convert t.csv --retries=attempts >all
    convert t.csv --retries=attempts --sample-jobs=0.3 --seed="$seed" >sample
    [ "$(comm -13 all sample | wc -l)" -eq 0 ] || echo "seed $seed: rows of the sample are changed"
    # mean 150, standard deviation 10.2: five of them
    awk -v n="$(wc -l <sample)" -v seed="$seed" \
        'n < 99 || n > 201 { print "seed " seed ": " n " of 500 jobs at 0.3" }'
    # The file in reverse, and in random order.
    { head -n 1 t.csv && tail -n +2 t.csv | tac; } >back.csv
    { head -n 1 t.csv && tail -n +2 t.csv | sort -t, -k 8,8 -k 3,3 -k 1,1n; } >mixed.csv
    gzip -c t.csv >t.csv.gz
    for file in back.csv mixed.csv t.csv.gz; do
        convert "$file" --retries=attempts --sort=all --sample-jobs=0.3 --seed="$seed" >other
        differ "$file" sample other
    done
    ids <sample >kept
    for format in helios philly; do
        "$HORUS" trace convert t.csv -q --to "$format" -o "t.$format" 2>/dev/null
        convert "t.$format" --format="$format" --sample-jobs=0.3 --seed="$seed" | ids >other
        differ "$format" kept other
    done
    convert t.csv --retries=attempts --sample-jobs=0.3 --seed=$((seed + 1000)) >other
    cmp -s sample other && echo "seed $seed: another seed draws the same jobs"
}

# The first submission is the origin, even if it is not kept.
window_faults() {
    local from=$((seed * 96 % 4000)) to=$((seed * 96 % 4000 + 1600))
    convert t.csv >all
    awk -F, -v from="$from" -v to="$to" 'NR == FNR { if (first == "" || $2 < first) first = $2; next }
        $2 - first >= from && $2 - first < to' all all >expected
    convert t.csv --window="$from..$to" >window
    differ "window $from..$to" expected window
    [ -s window ] || echo "seed $seed: no job is in the window"
    convert t.csv --sample-jobs=0.5 --seed="$seed" | comm -12 - window >expected
    convert t.csv --window="${from}s..${to}s" --sample-jobs=0.5 --seed="$seed" >other
    differ "window and sample" expected other
}

# Column by column of the same rows: times of trace and schedule are an eighth, the others the same.
eighth() { # WHOLE EIGHTH COLUMN...
    awk -F, -v seed="$seed" -v names="$(printf '%s,' "${@:3}")" '
        function eighth(a, b,    x, y, n, i) {
            n = split(a, x, "/")
            if (n != split(b, y, "/")) return 0
            for (i = 1; i <= n; i++) if (x[i] / 8 != y[i]) return 0
            return 1
        }
        BEGIN { while ((getline line <ARGV[1]) > 0) whole[++rows] = line }
        FILENAME == ARGV[1] { nextfile }
        { n = split(whole[FNR], a, ","); if (n != NF) { print "seed " seed ": row " FNR; exit } }
        FNR == 1 { for (i = 1; i <= NF; i++) is_time[i] = index("," names, "," $i ",") > 0; next }
        { for (i = 1; i <= NF; i++) if (is_time[i] && a[i] != "" ? !eighth(a[i], $i) : a[i] != $i) {
            print "seed " seed ": " FILENAME ": " whole[FNR] " -> " $0; exit } }
        END { if (FNR != rows) print "seed " seed ": " FILENAME ": " FNR " rows, not " rows }' "$1" "$2"
}
replay() { # FILE DIR OPTION...
    "$HORUS" run "$1" -c 2x4:V100,1x2:P100 -p "$policy" --assign=off --name=w -o "$2" -q "${@:3}" \
        >/dev/null 2>err || cat err
}
scale_faults() {
    # Submissions move from the first row: to compare the rows it is put at 0.
    awk -F, -v OFS=, 'NR > 1 { if (NR == 2) first = $2; $2 -= first; if ($11 != "") $11 -= first } 1' \
        t.csv >zero.csv
    "$HORUS" trace convert zero.csv -q --retries=attempts -o whole.csv 2>/dev/null
    "$HORUS" trace convert zero.csv -q --retries=attempts --scale-time=0.125 -o eighth.csv 2>/dev/null
    eighth whole.csv eighth.csv submit_time duration deadline attempts gpu_mem_later_after
    # Costs of preemption do not change, so they are scaled here by hand.
    awk -F, -v OFS=, 'NR > 1 && $12 != "" { $12 /= 8 } 1' t.csv >cheap.csv
    for policy in fifo sjf:scan=fit qssf:pred=oracle srtf:preempt_cost=job,cost_table=0/0/0; do
        rm -rf whole eighth
        replay t.csv whole
        replay cheap.csv eighth --scale-time=0.125
        eighth whole/jobs.csv eighth/jobs.csv submission_time starting_time execution_time finish_time \
            waiting_time turnaround_time isolated run queueing_delay overhead gpu_seconds estimate first_progress deadline lateness
        eighth whole/segments.csv eighth/segments.csv start end
    done
}

samples=() windows=() scales=()
for ((seed = first; seed <= last; seed++)); do
    awk -v seed="$seed" -v jobs=$jobs -f "$top/tests/scripts/test-replay.awk" >t.csv
    samples+=("$(sample_faults)")
    windows+=("$(window_faults)")
    scales+=("$(scale_faults)")
done
verdict "samples hang on ids and seed alone" "$(printf '%s' "${samples[@]}")"
verdict "windows keep what is submitted in them" "$(printf '%s' "${windows[@]}")"
verdict "an eighth of the time is the same schedule" "$(printf '%s' "${scales[@]}")"
exit "$failed"
