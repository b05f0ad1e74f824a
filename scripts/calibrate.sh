#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Fits the shipped models again from the public measurements.
#   scripts/calibrate.sh PROGRAM FOLDER [ROWS]
# Writes FOLDER/{interference,utilization,predictor,speed,speed-mig,speed-lambda}.json, FOLDER/*.txt (the tables that the
# program prints) and, into the folder ROWS, a CSV of every row with its held-out prediction.
# Data: $HORUS_DATA/calibration, otherwise ../shared/data/calibration. Exit 3 if they are absent.
set -eu
cd "$(dirname "$0")/.."
horus=$1
to=$2
rows=${3-}
data=${HORUS_DATA:-../shared/data}/calibration
if [ ! -r "$data/lucid/colocate_info.csv" ]; then
    echo "calibrate.sh: no measurements in $data" >&2
    exit 3
fi
mkdir -p "$to" ${rows:+"$rows"}

fit() { # SUBJECT ARGUMENT...
    local subject=$1
    shift
    "$horus" calibrate "$subject" "$@" ${rows:+--rows "$rows/$subject.csv"} \
        -f -o "$to/$subject.json" >"$to/$subject.txt"
}

fit interference --data "$data/lucid" --data "$data/gavel/oracle_throughputs.json" \
    --data configs/measurements/h200.csv --data configs/measurements/h100.csv --data "$data/tally" \
    --data "$data/nos/sharing_modes_1_3.csv" --data "$data/blox-pal/pairs_1-2-4gpu.csv" --keep-pairs
fit utilization --data "$data/lucid"
fit predictor --data configs/profiles.csv --data "$data/lucid"
fit speed --data "$data/gavel/oracle_throughputs.json" \
    --data "$data/gavel/simulation_throughputs.json" --data "$data/sia/step_times.csv"
awk -f scripts/mig-speeds.awk "$data/derived/miso_a100_summary.csv" >"$to/mig-speeds.csv"
"$horus" calibrate speed --data "$to/mig-speeds.csv" -f -o "$to/speed-mig.json" >"$to/speed-mig.txt"
awk -f scripts/lambda-speeds.awk "$to/speed.json" "$data/gpu-speed/lambda_train_throughput.csv" >"$to/lambda-speeds.csv"
"$horus" calibrate speed --data "$to/lambda-speeds.csv" --data "$data/gavel/simulation_throughputs.json" \
    --data "$data/sia/step_times.csv" --reference V100 -f -o "$to/speed-lambda.json" >"$to/speed-lambda.txt"
