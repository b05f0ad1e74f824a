#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Chronus (SoCC'21) beside other policies on the trace of its authors: results/chronus.md. --quick takes
# 2,000 jobs.
#   scripts/reproduce-chronus.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
trace=$data/traces/trace_job_Philly_MIX1.csv
needs "$trace"
most=1000000 # jobs
[ $quick = no ] || most=2000

# The cost of Chronus' restarts on 1, 4 and 16 GPUs, for policies that otherwise have free preemptions. The
# page names both.
# shellcheck disable=SC2034
{
    costs=preempt_cost=table,cost_table=30/90/150
    free=checkpoint=0,resume=0
}

one() { # POLICY: its row
    run_one "$trace" --sort=all --max-jobs=$most -c 120x8 -p "$1" --outputs summary
    jq -r --arg policy "$1" '
        def hours: . / 3600 * 100 | round / 100;
        .metrics as $m | .classes.class as $c
        | "| `\($policy)` | \($m.deadline_misses) | \(1e4 * $m.deadline_misses / $m.deadlines | round / 100) " +
          "| \($c.guaranteed.mean_jct | hours) | \($c.opportunistic.mean_jct | hours) " +
          "| \($m.preemptions) | \($m.migrations) |"' "$work/one/summary.json"
}

rows() { # POLICY...
    title "policy | missed deadlines | of all, % | mean JCT with deadlines, h | of the best effort, h | preemptions | moves"
    for policy; do
        say "$policy"
        one "$policy"
    done
}

quick_is() { echo "2,000 jobs"; }

put_page
