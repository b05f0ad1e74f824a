# SPDX-License-Identifier: GPL-3.0-or-later
#
# A comparison in four panels: how the completion times and the waits of the jobs are distributed,
# how busy the GPUs are over time, and what sharing costs a job while it runs.
#   gnuplot -c scripts/plot-compare.gp DIR OUT.png [TITLE]
# DIR is what `horus compare --outputs all -o DIR` wrote, of at most 8 policies. Jobs of all seeds
# and assignments count alike; the utilization over time is that of the first run of each policy.
# Colours: Okabe and Ito, which colour-blind readers can tell apart; dashes for grey print.

if (ARGC < 2 || ARGC > 3) exit error "usage: gnuplot -c scripts/plot-compare.gp DIR OUT.png [TITLE]"
set encoding utf8
dir = ARG1

if (dir eq "") exit error "which comparison? e.g. make plot-compare DIR=results/mine"
ask(what) = system("jq -r '" . what . "' '" . dir . "/manifest.json' 2>/dev/null")
policies = ask("[.policies[].policy] | join(\" \")")
count = words(policies)
if (count < 1 || count > 8) exit error dir . ": not what 'horus compare' wrote of 1 to 8 policies"
policy(i) = word(policies, i)
# The files of the runs of a policy, or of its first, quoted for the shell.
files(i, name, of) = ask(sprintf("\"%s\" as $dir | [.policies[%d].policy as $p | .cells[] | select(.policy == $p)] \
    | .[%s] | map($dir + \"/runs/\" + .run + \"/%s\") | @sh", dir, i - 1, of, name))

if (system("test -f " . files(1, "jobs.csv", "0:1") . " -a -f " . files(1, "series.csv", "0:1") . " && echo yes") ne "yes") \
    exit error dir . ": its runs are not there: compare again with --outputs all"

# What a panel draws comes from the shell: columns of jobs.csv by name, sorted.
of_jobs(i, value) = "awk -F, 'FNR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next } \
    $at[\"success\"] == 1 && $at[\"" . value . "\"] != \"\" { print $at[\"" . value . "\"] }' " \
    . files(i, "jobs.csv", "0:") . " | LC_ALL=C sort -g"
# A value and the share of the jobs at or below it, in 500 steps.
cdf_of(i, value) = "< " . of_jobs(i, value) . " | awk '{ v[NR] = $1 } END { for (k = 0; k <= 500; k++) { \
    n = int(k * (NR - 1) / 500) + 1; print v[n], 100 * n / NR } }'"
# p5 p25 p50 p75 p99 mean, a quantile as in summary.csv: the smallest value with q n values at or below.
slowdown_of(i) = "< " . of_jobs(i, "run_slowdown") . " | awk 'function q(part,    k) { k = part * NR; \
    return v[k > int(k) ? int(k) + 1 : int(k)] } { v[NR] = $1; sum += $1 } \
    END { print q(.05), q(.25), q(.5), q(.75), q(.99), sum / NR }'"
# Means over 60 equal parts of the longest run; an interval of series.csv counts where it begins.
busy_of(i) = "< awk -F, -v part=" . sprintf("%.6f", span / 60) . " '$2 == \"util_model\" { \
    k = int($1 / part); sum[k] += 100 * $4; n[k]++; if (k > last) last = k } \
    END { for (k = 0; k <= last; k++) if (n[k]) print (k + 0.5) * part, sum[k] / n[k] }' " \
    . files(i, "series.csv", "0:1")
span = 0; shortest = 1e30
do for [i = 1:count] {
    ended = system("tail -n 1 " . files(i, "series.csv", "0:1") . " | cut -d, -f1") + 0
    span = ended > span ? ended : span
    quick = system(of_jobs(i, "turnaround_time") . " | awk '{ v[NR] = $1 } END { print v[int(NR / 100) + 1] }'") + 0
    shortest = quick < shortest ? quick : shortest
}

grey = "#555555"
array colours[8] = ["#000000", "#E69F00", "#0072B2", "#009E73", "#56B4E9", "#D55E00", "#CC79A7", "#8C8C8C"]
array dashes[8] = [1, 2, 4, 1, 1, 2, 1, 2]
set terminal pngcairo noenhanced size 1300,980 font "DejaVu Sans,11" background rgb "white"
set output ARG2
set border 3 linewidth 1 linecolor rgb grey
set tics nomirror out textcolor rgb "black"
set grid linecolor rgb "#DDDDDD" linetype 1 linewidth 0.5 back
do for [i = 1:8] { set style line i lw 2.2 lc rgb colours[i] dt dashes[i] }
set multiplot layout 2,2 margins 0.06,0.985,0.15,0.905 spacing 0.145,0.13 \
    title (ARGC == 3 ? ARG3 : dir) font ",16" offset 0,-0.3

unit = span > 4 * 86400 ? 86400. : 3600.
unit_name = unit == 86400 ? "days" : "hours"
set yrange [0:100]; set ytics 25
set ylabel "jobs at or below, %" offset 1,0

set title "Job completion time, from submission to end" font ",13"
set xlabel "job completion time, logarithmic" offset 0,0.3
set logscale x
set xrange [shortest > 1 ? shortest : 1:*]
set xtics ("1 s" 1, "10 s" 10, "1 min" 60, "10 min" 600, "1 h" 3600, "4 h" 14400, \
    "1 d" 86400, "4 d" 345600, "16 d" 1382400)
set key at screen 0.5,0.005 center bottom Left reverse vertical samplen 3 spacing 1.15 width 2 maxrows 2 font ",12"
plot for [i = 1:count] cdf_of(i, "turnaround_time") using 1:2 with lines ls i title policy(i)

set key off
unset logscale x
set xrange [0:*]
set xtics autofreq
set title "Wait, from submission to first start" font ",13"
set xlabel "wait, " . unit_name
plot for [i = 1:count] cdf_of(i, "waiting_time") using ($1 / unit):2 with lines ls i

set title "GPU utilization, modelled, of all GPUs (first run)" font ",13"
set xlabel unit_name . " since the first submission"
set ylabel "utilization, %"
plot for [i = 1:count] busy_of(i) using ($1 / unit):2 with lines ls i

set title "Slowdown while running: time on GPUs / time alone" font ",13"
set xlabel "slowdown; box: quartiles, line: 5 % to 99 %, dot: mean"
unset ylabel
set yrange [count + 0.6:0.4]
set ytics () scale 0
do for [i = 1:count] { set ytics add (policy(i) i) }
set xrange [1:*]
set style fill solid 0.35 border
plot for [i = 1:count] slowdown_of(i) using 1:(i):($5 - $1):(0) with vectors nohead lw 2 lc rgb colours[i], \
    for [i = 1:count] slowdown_of(i) using 3:(i):2:4:(i - 0.3):(i + 0.3) with boxxyerror lc rgb colours[i], \
    for [i = 1:count] slowdown_of(i) using 3:(i - 0.3):(0):(0.6) with vectors nohead lw 3 lc rgb colours[i], \
    for [i = 1:count] slowdown_of(i) using 6:(i) with points pt 7 ps 1.1 lc rgb "black"
unset multiplot
set output
