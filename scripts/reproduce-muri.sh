#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Muri (SIGCOMM'22) compared with runs of its released simulator and the figures stored by its authors:
# results/muri.md. --quick takes the first 60 jobs of a trace.
#   scripts/reproduce-muri.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
oracles=$data/oracles/muri
needs "$data/traces/trace1.csv" "$data/traces/trace4.csv" "$oracles"
most=
[ $quick = no ] || most=60

srtf=srtf:compat=muri,placement=yarn
srsf=srsf:compat=muri,placement=yarn
tiresias=tiresias:compat=muri,placement=count
antman=antman:compat=muri
released=muri:compat=muri,placement=yarn
# The stored figures are of a state (a448d42) that never splits a group: autopack is False.
muri_s=$released,unpack=no
muri_l=$muri_s,know=nothing
# Four jobs without a matching: 1.3 in place of 1.37.
sed 's/1\.37\]/1.3]/' configs/models/stages.json >"$work/stages.json"

# Figures stored by the authors (simulator/draw_fig9-10.py, draw_fig11-13.py, as of 6662647 and 0ee096a), s:
# scheduler, trace, mean JCT, makespan, 99th percentile of JCT (- if absent).
cat >"$work/stored" <<'STORED'
srtf 1 1370603.198 26045465.533 16647148.091
srtf 1p 2303543.816 24513543.938 19871388.291
srtf 4 581982.900 14787990.592 7768533.005
srtf 4p 1430856.446 14272665.008 9443500.203
srsf 1 980140.570 26065759.045 15529913.228
srsf 1p 1801859.995 24272529.593 18267307.811
srsf 4 487167.169 14887908.866 7372568.184
srsf 4p 1218501.968 14426755.371 9227908.326
muri_s 1 867705.794 18446535.223 10618148.303
muri_s 1p 1467191.905 16596420.785 13395942.723
muri_s 4 365467.891 11029124.280 3734840.823
muri_s 4p 954225.287 9990192.513 6575927.929
tiresias 1 3330371.307 23556410.217 14739851.505
tiresias 1p 6921682.793 21990477.824 21765400.784
tiresias 4 1319382.936 13073838.618 8663311.856
tiresias 4p 2674022.636 12584603.564 11219877.952
antman 1 5476391.317 21788668.549 13690482.492
antman 1p 9808250.677 20285085.620 20130532.648
antman 4 2212462.719 12292270.736 6438230.798
antman 4p 4676092.801 11793469.428 9940651.791
muri_l 1 1072009.710 18593245.706 11322989.635
muri_l 1p 2141936.535 16639500.393 13214336.412
muri_l 4 429174.868 10918239.072 4719318.299
muri_l 4p 1488033.596 10104721.763 6383955.683
worst 1 1482465.078 21797275.497 -
neighbours 1 1192784.955 19653377.905 -
cap2 1p 2624732.580 18845825.639 -
cap3 1p 2738962.215 17773101.828 -
STORED

catalogue=
jobs_of() { workload first="$most" "${@:2}" "$data/traces/trace$1.csv"; } # TRACE NAME=VALUE...

# Eight nodes of 8 GPUs; a spread gang is as fast as another, as in the simulator.
play() { # TRACE POLICY [ARGUMENT...]
    run_one "$1" -c 8x8:V100 -p "$2" --assign=off --locality=none --outputs=jobs "${@:3}"
}

# Of the last run: job, JCT, end, in seconds, in order of arrival.
ends() { columns job_id,turnaround_time,finish_time "$work/one/jobs.csv" | sort -n; }

# Of the last run: mean JCT, makespan, 99th percentile of JCT, kept as NAME TRACE.
keep() { # NAME TRACE
    ends | sort -k2,2g | awk -v name="$1" -v trace="$2" '{ x[NR] = $2; sum += $2; last = $3 > last ? $3 : last }
        END { n = int(.99 * NR); n += n < .99 * NR
            print name, trace, sum / NR, last, x[n] }' >>"$work/ours"
}

# ---- the released simulator's runs, job by job --------------------------------------------------

exactly() {
    local of schedule jobs name policy options
    title "jobs | schedule | published: mean JCT, s | ours | | makespan, s | ours | | jobs with a different end"
    while IFS='|' read -r of schedule name policy; do
        jobs=$(($(wc -l <"$oracles/${of}_$schedule/job.csv") - 1))
        workload first="$jobs" "$data/traces/${of%-*}.csv" >"$work/exact.csv"
        options=()
        [ "$name" != "Muri-L, neighbours" ] || options=(--models "$work/stages.json")
        play "$work/exact.csv" "$policy" "${options[@]}"
        columns job_id,JCT,end_time "$oracles/${of}_$schedule/job.csv" | sort -n |
            paste -d ' ' - <(ends) | awk -v name="$name" -v of="trace ${of#trace}" '
                BEGIN { sub(/-first/, ", first ", of) }
                { told += $2; ours += $5; differ += ($3 - $6) ^ 2 > (1e-3 + 1e-6 * $3) ^ 2
                    last = $3 > last ? $3 : last; own = $6 > own ? $6 : own }
                END { printf "| %s | %s | %.0f | %.0f | %+.2f %% | %.0f | %.0f | %+.2f %% | %d of %d |\n", of, name, told / NR,
                    ours / NR, 100 * (ours / told - 1), last, own, 100 * (own / last - 1), differ, NR }'
    done <<RUNS
trace4-first200|shortest|SRTF|$srtf
trace4-first200|shortest-gpu|SRSF|$srsf
trace4-first200|dlas-gpu|Tiresias|$tiresias
trace4-first200|antman|AntMan|$antman
trace4-first200|multi-resource-blossom-same-gpu|Muri-S|$released
trace4-first200|multi-resource-blossom-same-gpu-unaware|Muri-L|$released,know=nothing
trace4-first200|multi-resource-blossom-same-gpu-unaware-worstordering|Muri-L, worst order|$released,know=nothing,order=worst
trace4-first200|multi-resource-gpu-unaware|Muri-L, neighbours|$released,know=nothing,matching=neighbours
trace1-first150|shortest|SRTF|$srtf
trace1-first150|shortest-gpu|SRSF|$srsf
trace1-first150|antman|AntMan|$antman
trace1-first150|multi-resource-blossom-same-gpu|Muri-S|$released
RUNS
}

# ---- Figures 9 to 12 ----------------------------------------------------------------------------

figures() {
    local trace name
    for trace in 1 1p 4 4p; do
        say "trace $trace"
        jobs_of "${trace%p}" at_once="${trace#[14]}" >"$work/jobs-$trace.csv"
        for name in srtf srsf tiresias antman muri_s muri_l; do
            play "$work/jobs-$trace.csv" "${!name}"
            keep $name $trace
        done
    done
    say variants
    play "$work/jobs-1.csv" "$muri_l,order=worst"
    keep worst 1
    play "$work/jobs-1.csv" "$muri_l,matching=neighbours" --models "$work/stages.json"
    keep neighbours 1
    for name in 2 3; do
        play "$work/jobs-1p.csv" "$muri_l,cap=$name"
        keep cap$name 1p
    done
}

# Figures of schedulers beside those stored, and as ratios to REFERENCE.
beside() { # COLUMN REFERENCE TRACES NAME=TITLE...; COLUMN 3 mean JCT, 4 makespan, 5 p99
    local IFS=';'
    awk -v column="$1" -v reference="$2" -v traces="$3" -v names="${*:4}" '
        FNR == NR { stored[$1, $2] = $column; next }
        { ours[$1, $2] = $column }
        function share(a, b) { return b > 0 ? sprintf("%.2f", a / b) : "-" }
        END {
            n = split(traces, t, " ")
            title = "| to " (reference == "muri_s" ? "Muri-S" : "Muri-L") " on trace |"
            for (i = 1; i <= n; i++) {
                mark = t[i]
                sub(/p/, "\x27", mark)
                title = title " " mark ": stored | ours | off by |"
                line = line " --- | --- | --- |"
            }
            print title
            print "| --- |" line
            for (k = split(names, name, ";"); k > 0; k--)
                text[k] = name[k]
            for (k = 1; k in text; k++) {
                split(text[k], one, "=")
                row = "| " one[2] " |"
                for (i = 1; i <= n; i++)
                    row = row sprintf(" %s | %s | %+.2f %% |", share(stored[one[1], t[i]], stored[reference, t[i]]),
                        share(ours[one[1], t[i]], ours[reference, t[i]]),
                        100 * (ours[one[1], t[i]] / stored[one[1], t[i]] - 1))
                print row
            }
        }' "$work/stored" "$work/ours"
}

# shellcheck disable=SC2034 # of commands in the page
{
    shortest=("srtf=SRTF" "srsf=SRSF" "muri_s=Muri-S")
    unaware=("tiresias=Tiresias" "antman=AntMan" "muri_l=Muri-L")
}

# ---- without its quirks -------------------------------------------------------------------------

# Without quirks: each restart of a job costs the restart time, nothing else has a cost.
rows() { # TRACE NAME=POLICY...
    local trace=$1 pair
    for pair in "${@:2}"; do
        play "$trace" "${pair#*=}"
        keep "${pair%%=*}" honest
        tail -n 1 "$work/ours" | awk '{ printf " %.0f |", $3 }'
    done
    echo
}

honestly() {
    local cost=preempt_cost=restart trace
    title "mean JCT, s | SRTF | SRSF | Muri-S | Tiresias | Muri-L"
    for trace in 1 4; do
        printf '| trace %s |' $trace
        rows "$work/jobs-$trace.csv" a=srtf:form=replace,$cost b=srsf:form=replace,$cost c=muri:$cost \
            d=tiresias:$cost e=muri:know=nothing,$cost
    done
}

# Figure 13: kinds of bottleneck. Only the case of one kind can be built from the published data.
one_kind() {
    local cost=preempt_cost=restart kind
    title "trace 4, all jobs with the stages of | SRTF / Muri-S | SRSF / Muri-S | Tiresias / Muri-L"
    for kind in '' gpt2 a2c; do
        jobs_of 4 kind="$kind" >"$work/kind.csv"
        printf '| %s |' "${kind:-their own model}"
        rows "$work/kind.csv" a=srtf:form=replace,$cost b=srsf:form=replace,$cost c=muri:$cost d=tiresias:$cost \
            e=muri:know=nothing,$cost | awk -F'|' '{ printf " %.2f | %.2f | %.2f |\n", $1 / $3, $2 / $3, $4 / $5 }'
    done
}

quick_is() { echo "the first 60 jobs of each trace"; }

figures
put_page
