#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Chronus (SoCC'21) beside other policies on the trace of its authors, and writes results/chronus.md:
# every figure of its tables is computed here, the text around them stands in the page itself.
#   scripts/reproduce-chronus.sh [--quick] [BUILD [FOLDER]]        defaults: build/release results
# --quick takes 2,000 jobs. Says so and stops where the data is absent; same program, same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/reproduce-common.sh
. scripts/reproduce-common.sh
begin chronus "$@"
trace=$data/traces/trace_job_Philly_MIX1.csv
if [ ! -e "$trace" ]; then
    say "skip: no $trace: $folder/chronus.md is left as it is"
    exit 0
fi
most=1000000 # jobs
[ $quick = no ] || most=2000

# What Chronus' restarts cost 1, 4 and 16 GPUs, for policies whose preemptions are free else. The page
# names both.
# shellcheck disable=SC2034
{
    costs=preempt_cost=table,cost_table=30/90/150
    free=checkpoint=0,resume=0
}

one() { # POLICY: its row
    quietly "$horus" run "$trace" --sort=all --max-jobs=$most -c 120x8 -p "$1" -o "$work/run" -f -q \
        --no-progress --outputs summary >/dev/null
    jq -r --arg policy "$1" '
        def hours: . / 3600 * 100 | round / 100;
        .metrics as $m | .classes.class as $c
        | "| `\($policy)` | \($m.deadline_misses) | \(1e4 * $m.deadline_misses / $m.deadlines | round / 100) " +
          "| \($c.guaranteed.mean_jct | hours) | \($c.opportunistic.mean_jct | hours) " +
          "| \($m.preemptions) | \($m.migrations) |"' "$work/run/summary.json"
}

rows() { # POLICY...
    echo "| policy | missed deadlines | of all, % | mean JCT with deadlines, h | of the best effort, h | preemptions | moves |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    for policy; do
        say "$policy"
        one "$policy"
    done
}

quick_is() { echo "2,000 jobs"; }

put_page
