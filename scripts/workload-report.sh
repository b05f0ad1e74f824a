#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Holds generated workloads, and workloads fitted to traces, against what is published and against
# real traces, and writes results/workloads.md: every figure is computed here, the text around them
# stands below.
#   scripts/workload-report.sh [BUILD [FOLDER]]        defaults: build/release results
# Tables of real traces need $HORUS_DATA, else ../shared/data; without it they stay as they are in
# FOLDER/workloads.md, and this is said. Same program, same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
build=${1:-build/release}
folder=${2:-results}
page=$folder/workloads.md
tables=$build/tests/report/report_workloads
data=${HORUS_DATA:-../shared/data}/traces
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-workloads.XXXXXX")
trap 'rm -rf "$work"' EXIT
jobs=100000
draws=8

"$tables" goals "$jobs" "$draws" >"$work/goals"
"$tables" fits "$work" >"$work/fits"
has_data=yes
for file in venus_gpu_jobs_mar-jul2020.csv philly_sep-oct2017.csv philly_vc_7f04ca_0e4a51.csv; do
    [ -r "$data/$file" ] || has_data=no
done

real() { # NAME COMMAND...: that table, or what the page has of it
    local name=$1
    shift
    if [ $has_data = yes ]; then
        "$tables" "$@" >"$work/$name"
    else
        echo "skip: no traces in $data: table \"$name\" of $page is left as it is" >&2
        awk -v begin="<!-- $name: begin -->" -v end="<!-- $name: end -->" '
            $0 == end { inside = 0 }
            inside { print }
            $0 == begin { inside = 1 }' "$page" >"$work/$name" 2>/dev/null || : >"$work/$name"
    fi
}
real venus venus
real real-fits real-fits "$work"

marked() { # NAME
    printf '<!-- %s: begin -->\n' "$1"
    cat "$work/$1"
    printf '<!-- %s: end -->\n' "$1"
}

summary() {
    awk -F ' [|] ' '
        /^### / { workload = substr($0, 5); order[++n] = workload }
        / [|] met [|]$/ { met[workload]++ }
        / [|] met by the mean [|]$/ { mean[workload]++ }
        / [|] [*][*]missed[*][*] [|]$/ {
            missed[workload]++
            split($1, goal, " ")
            list[workload] = list[workload] (list[workload] == "" ? "" : ", ") substr($1, 3) ": " $2
        }
        END {
            print "| workload | met under every seed | by the mean of the seeds | missed | which |"
            print "| --- | --- | --- | --- | --- |"
            for (i = 1; i <= n; i++)
                printf "| `%s` | %d | %d | %d | %s |\n", order[i], met[order[i]], mean[order[i]],
                    missed[order[i]], list[order[i]]
        }' "$work/goals"
}

mkdir -p "$folder"
{
    cat <<END
# Generated workloads beside what is published

\`horus generate --like NAME\` makes traces like Philly, the four Helios clusters and PAI. Here is how
like: $jobs jobs under the seeds 1 to $draws, measured and compared with figures of the publications.
\`make workload-report\` makes this page again, to the byte; \`tests/oracle/test_workloads.c\` holds the
goals under three of the seeds.

What is measured of a trace is measured from its jobs alone (\`tests/support/workstat.c\`); what is
published stands in \`tests/support/workloads/published.csv\` with its sources. Neither reads
\`configs/workloads/\`, of which the traces are made. The measuring itself is held against six jobs by
hand and the real Venus and Philly (\`tests/unit/test_workstat.c\`).

## In short

END
    summary
    cat <<END

A goal about a distribution or a profile is about the point that is furthest off. "Met by the mean":
the means over the seeds meet it, a single seed may not. What these figures leave open stands at the end.

## What the figures mean

| figure | definition |
| --- | --- |
| share of the jobs by duration, by GPUs | of all jobs, those with a value at or below the point: the distance at the points of the published curve (Kolmogorov-Smirnov on its grid) |
| share of the GPU time by GPUs, by outcome | GPU time is GPUs x duration; of all of it, what jobs of at most so many GPUs, or of that outcome, take |
| mean, median | of the durations; the median is the smallest duration with half of the jobs at or below it |
| the same within a size | outcomes among the jobs of that size; of the four Helios clusters together, each with its published number of jobs |
| hour of the day | share of all jobs submitted at that hour of the trace's own clock |
| weekday | mean jobs per calendar day of that weekday, as a share of the sum of the seven |
| shares at quantiles | at the duration that the source gives for a quantile, the share of the jobs at or below it; where many jobs take just as long, the nearest share that these allow |
| CV of the gaps | standard deviation / mean of the times between consecutive submissions |
| jobs an hour: variance / mean | of the jobs submitted per clock hour, hours without a job among them |
| top 5 % of users | share of all GPU time of the users with the most of it: where the curve through ((k - 1) / (users - 1), share of the first k) is at .05 |

"Off" is the distance of the mean over the seeds, "draws" are the least and the largest distance of a
single seed. A figure without "allowed" is told, nothing is asked of it.

## Workload by workload
END
    cat "$work/goals"
    cat <<END

## The workload venus and the real Venus

100,000 generated jobs, seed 1, and the 77,574 GPU jobs of the real cluster from March to July 2020, whose
file cuts durations at 48 hours; so are the generated ones here. The workload was made to be like April
to September. "Single months": the least and the largest distance of a month of the real file from the
whole file, which is how far the cluster is from itself. "Wanted at once": what runs if no job waits, of as
many generated jobs as real ones.

END
    marked venus
    cat <<END

## Workloads fitted to traces

\`horus generate --fit\` derived a workload from each trace, \`--workload\` made as many jobs of it under
another seed, and both are compared. "Noise" is the distance that two samples of that size from one
distribution stay below 19 times out of 20, 1.36 sqrt((n + m) / (n m)). Sizes and durations are nearer
than that, because a generated trace has the quantiles of its workload and not a sample of them. Pairs
of figures are the trace's and the generated one's.

Of generated traces (seed 1, then seed 2):

END
    cat "$work/fits"
    cat <<END

Of real traces:

END
    marked real-fits
    cat scripts/workload-report.md
} >"$work/page"
mv "$work/page" "$page"
! grep -q '[*][*]missed[*][*]' "$work/goals" || echo "goals are missed: see $page" >&2
