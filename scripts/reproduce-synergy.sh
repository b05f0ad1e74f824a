#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Synergy (OSDI'22) compared with runs of its released simulator and the figures in its artifact's readme:
# results/synergy.md. --quick draws 300 jobs instead of 3,000.
#   scripts/reproduce-synergy.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
oracles=$data/oracles/synergy
needs "$oracles/syn_multi.trace"
jobs=3000
seeds=(1 2 3)
[ $quick = no ] || jobs=300

# Step times: msr-fiddle/synergy 1bb2bed (MIT), simulator models/*_1.py.
cat >"$work/models" <<'MODELS'
alexnet AlexNet .6 image
shufflenet ShuffleNetV2 .615 image
res18 ResNet18 .64 image
mobilenet MobileNetV2 .71 image
res50 ResNet50 .78 image
gnmt GNMT .12 language
lstm LSTM .011 language
transformer Transformer .67 language
m5 M5 .6 speech
deepspeech DeepSpeech2 .757 speech
MODELS
awk 'BEGIN { print "model,dataset,batch,precision,family" } { print $2 ",D,1,fp32,F" }' "$work/models" \
    >"$work/profiles.csv"

catalogue=$work/models

# Servers of 8 GPUs, 24 CPUs, 500 GB; a gang in parts is as fast as in one, as in the simulator.
play() { # TRACE SERVERS POLICY [ARGUMENT...]
    printf '{"gpu_types": {"V100": {}}, "nodes": [{"count": %d, "gpus": 8, "type": "V100", "cpus": 24, "mem_mib": 512000}]}' \
        "$2" >"$work/servers.json"
    run_one "$1" -c "$work/servers.json" --profiles "$work/profiles.csv" --locality=none -p "$3" --outputs=jobs "${@:4}"
}

# Of the last run: job, JCT in seconds, in order of arrival.
jcts() { columns job_id,turnaround_time "$work/one/jobs.csv" | sort -n; }

mean_h() { jcts | awk '{ sum += $2 } END { printf "%.4f", sum / NR / 3600 }'; }

# ---- the released simulator's runs, job by job --------------------------------------------------

ends() { # TRACE ORDER MECHANISM
    local published=$oracles/out_$1_$2_$3.csv phase
    [ -e "$published" ] || return 0
    phase=$(awk -F, 'NR == 1 { print 300 - $3 % 300 }' "$oracles/$1.trace")
    play "$work/$1.csv" 4 "synergy:order=${2,,},mechanism=$3,compat=synergy,round_phase=${phase}s" \
        --models builtin:models/host-binary.json
    awk -F, -v OFS=' ' 'NR > 1 { print $1, $4 - $3 }' "$published" |
        paste -d ' ' - <(jcts) | awk -v name="$1, $2, $3" '
            { differ += $1 != $3 || ($2 - $4) ^ 2 > 1e-6; told += $2; ours += $4 }
            END { printf "| %s | %.4f | %.4f | %d of %d |\n", name, told / NR / 3600, ours / NR / 3600, differ, NR }'
}

exactly() {
    local of order mechanism
    title "trace, order, mechanism | published: mean JCT, h | ours | jobs with a different end"
    for of in syn_20_70_10 syn_multi; do
        for order in FIFO SRTF LAS; do
            for mechanism in fair greedy tune; do ends "$of" "$order" "$mechanism"; done
        done
    done
}

# ---- without its quirks -------------------------------------------------------------------------

row_of() { # TRACE SERVERS ORDER [NAME]: mean JCT of each mechanism
    local mechanism text="| ${4-$3} |" fair=
    for mechanism in fair greedy tune opt; do
        play "$1" "$2" "synergy:order=$3,mechanism=$mechanism"
        text+=" $(mean_h) |"
        case $mechanism in
        fair) fair=$(mean_h) ;;
        tune) text+=" $(awk -v a="$fair" -v b="$(mean_h)" 'BEGIN { printf "%.2f", a / b }') |" ;;
        esac
    done
    echo "$text"
}

honestly() { # TRACE
    local order
    title "mean JCT, h | fair | greedy | tune | fair / tune | opt"
    for order in fifo las srtf ftf; do row_of "$work/$1.csv" 4 $order; done
}

# ---- figure 8: 9 jobs an hour on 128 GPUs -------------------------------------------------------

tail_of() { # NAME POLICY [ARGUMENT...]: means over the seeds of mean, p99, p99.9
    local seed
    for seed in "${seeds[@]}"; do
        play "$work/drawn-$seed.csv" 16 "$2" "${@:3}"
        jcts | sort -k2,2g | awk '{ x[NR] = $2 / 3600; sum += x[NR] }
            function at(q, n) { n = int(q * NR); return x[n < q * NR ? n + 1 : n] }
            END { print sum / NR, at(.99), at(.999) }'
    done | awk -v name="$1" '{ for (i = 1; i <= 3; i++) sum[i] += $i }
        END { printf "| %s | %.1f | %.1f | %.1f |\n", name, sum[1] / NR, sum[2] / NR, sum[3] / NR }'
}

figure_8() {
    local seed
    for seed in "${seeds[@]}"; do workload jobs=$jobs rate=9 seed="$seed" >"$work/drawn-$seed.csv"; done
    title "JCT, h | mean | p99 | p99.9"
    echo "| published: fifo, tune | 21.88 | 156.9 | 170.6 |"
    tail_of "fifo, tune, \`compat=synergy\`" synergy:compat=synergy --models builtin:models/host-binary.json
    tail_of "fifo, tune" synergy
    tail_of "fifo, fair" synergy:mechanism=fair
    tail_of "fifo, greedy" synergy:mechanism=greedy
    tail_of "srtf, tune" synergy:order=srtf
    tail_of "las, tune" synergy:order=las
}

# ---- demand for CPUs -----------------------------------------------------------------------------

mixes() {
    local share
    title "image jobs: mean JCT, h | fair | greedy | tune | fair / tune | opt"
    for share in .2 .4 .6 .9; do
        workload jobs=$((jobs / 3)) rate=9 seed=1 image=$share >"$work/mix.csv"
        row_of "$work/mix.csv" 16 fifo "${share#.}0 %"
    done
}

quick_is() { echo "300 drawn jobs"; }

for of in syn_20_70_10 syn_multi; do workload trace=yes "$oracles/$of.trace" >"$work/$of.csv"; done
put_page
