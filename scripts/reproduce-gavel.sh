#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the published experiments of Gavel's objectives (OSDI'20) on 36 V100, 36 P100 and 36 K80, on jobs by
# its generator with the speeds of its table: results/gavel.md. --quick takes one seed and few jobs. About
# ten minutes on 2 cores.
#   scripts/reproduce-gavel.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
throughputs=$data/calibration/gavel/simulation_throughputs.json
needs "$throughputs"
seeds=3 jobs=6000 first=4000 last=5000 static=700
if [ $quick = yes ]; then seeds=1 jobs=300 first=100 last=200 static=60; fi

# ---- Gavel's table -------------------------------------------------------------------------------

# A profile for each job type and gang: its speed alone on each type, relative to V100s.
# name, GPUs, steps a second on each type; 0: not measured
jq -r '. as $all | .v100 | keys_unsorted[] | . as $key | ($key | .[2:-1] | split("\u0027, ")) +
    [("v100", "p100", "k80") as $type | $all[$type][$key].null // 0] | @tsv' "$throughputs" >"$work/table"
awk -F'\t' '$3 > 0 { printf "%s\t%d\tV100%s%s\n", $1, $2, ($4 > 0 ? "|P100" : ""), ($5 > 0 ? "|K80" : "") }' \
    "$work/table" >"$work/kinds"
awk -F'\t' 'BEGIN { print "model,dataset,batch,precision,family,util,mem_mib" }
    $3 > 0 { printf "%s,gang,%d,fp32,F,100,1\n", $1, $2 }' "$work/table" >"$work/profiles.csv"
awk -F'\t' 'BEGIN {
        print "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\", \"P100\", \"K80\"], \"reference\": \"V100\","
        print "\"families\": [{\"family\": \"F\", \"jobs\": 1, \"speed\": {\"V100\": 1}}], \"jobs\": ["
    }
    function speed(type, of) { return of > 0 ? sprintf(", \"%s\": %.9g", type, of / $3) : "" }
    $3 > 0 {
        printf "%s{\"profile\": \"%s/gang/%d/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1%s%s}}", \
            (n++ ? ",\n" : ""), $1, $2, speed("P100", $4), speed("K80", $5)
    }
    END { print "]}" }' "$work/table" >"$work/speed.json"

# Slowdowns of pairs of one-GPU jobs, as measured; 1000 for pairs without enough memory. Gangs, for which no
# pair was measured, have those of time slicing, without a gain. Memory is not modelled otherwise.
jq -r '. as $all | ["v100", "p100", "k80"][] as $type | [$all[$type] | keys_unsorted[] | select(endswith(", 1)"))] as $own |
    range($own | length) as $i | range($own | length) as $j | $all[$type][$own[$i]] |
    [$type, $i, $j, ($own[$i] | .[2:-5]), .null, .[$own[$j]][0]] | @tsv' "$throughputs" >"$work/pairs"
awk -F'\t' '
    function close_table() { if (type != "") printf "%s], \"pairs\": [%s]}", jobs, pairs }
    BEGIN {
        print "{\"kind\": \"interference\", \"format\": 2,"
        print "\"forms\": [{\"gpu\": \"V100\", \"mode\": \"timeslice\", \"k\": 1, \"alpha\": 1, \"beta\": 1}],"
        print "\"tables\": ["
    }
    $1 != type {
        close_table()
        printf "%s{\"gpu\": \"%s\", \"mode\": \"timeslice\", \"form\": \"rank-1\", \"jobs\": [", type != "" ? ",\n" : "", toupper($1)
        type = $1
        jobs = pairs = ""
    }
    $3 == 0 { jobs = jobs (jobs != "" ? ", " : "") "{\"profile\": \"" $4 "/gang/1/fp32\", \"a\": 1, \"b\": 1}" }
    { pairs = pairs (pairs != "" ? ", " : "") sprintf("[%d, %d, %.6g]", $2, $3, $6 > 0 ? $5 / $6 : 1000) }
    END { close_table(); print "]}" }' "$work/pairs" >"$work/interference.json"

# ---- runs ----------------------------------------------------------------------------------------

# shellcheck disable=SC2034 # arrays that versus takes by name
{
    one=("gavel:objective=fifo" "gavel:objective=fifo,share=pairs" "gavel:objective=las,aware=no"
        "gavel:objective=las" "gavel:objective=las,share=pairs" allox)
    many=("gavel:objective=fifo" "gavel:objective=las,aware=no" "gavel:objective=las" "gavel:objective=las,share=pairs")
    fair=("ftf:aware=no,reset=1920s" "ftf:reset=1920s")
    at_once=("gavel:objective=fifo" "gavel:objective=makespan" "gavel:objective=makespan,share=pairs")
    rounds=("gavel:round=60s" "gavel:round=360s" "gavel:round=1440s")
}
metrics="mean_jct makespan mean_rho n_done"
catalogue=$work/kinds

# Only jobs 4,000 to 4,999 count, with others submitted before and after them.
experiment() { # NAME POLICIES RATE JOBS [NAME=VALUE...]
    local seed
    for ((seed = 1; seed <= seeds; seed++)); do
        workload rate="$3" jobs="$4" seed=$seed "${@:5}" >"$work/trace.csv"
        local window=()
        [ "$3" = 0 ] || read -ra window <<<"$(awk -F, -v first=$first -v last=$last '
            NR == first + 2 { warmup = $2 } NR == last + 1 { end = $2 }
            END { printf "--warmup=%s --cooldown=%s", warmup, $2 - end }' "$work/trace.csv")"
        quietly versus "$2" "$work/trace.csv" -c 9x4:V100,9x4:P100,9x4:K80 --profiles="$work/profiles.csv" \
            --models="$work/speed.json,$work/interference.json" --sharing-capacity=none --assign=columns --reference-type=V100 --speed-predictor=oracle \
            --locality=none --fairness "${window[@]}"
        cells "$1" $seed 1
        say "$1, seed $seed"
    done
}

experiments() {
    local rate
    for rate in 0.4 3.2 4.8 5.6; do experiment "one, $rate" one $rate $jobs; done
    for rate in 2.6 2.8; do experiment "many, $rate" many $rate $jobs gangs=yes; done
    experiment "ftf, 2.6" fair 2.6 $jobs gangs=yes
    experiment "at once" at_once 0 $static gangs=yes
    experiment "rounds" rounds 4.8 $jobs
}

# ---- page ----------------------------------------------------------------------------------------

quick_is() { echo "one seed, $jobs jobs"; }

experiments
put_page
