# SPDX-License-Identifier: GPL-3.0-or-later
#
# How the completion times, waits and slowdowns of the jobs of some runs are distributed: the share of
# the jobs, done and inside the window of --warmup and --cooldown, at or below a value.
#   gnuplot -c scripts/plot-cdf.gp OUT RUN...          sizes, titles, options: plot-common.gp
# The axes are logarithmic; jobs that did not wait stand left of them, at 0.

kind = "cdf"
script = ARG0; operands = ""
do for [i = 1:ARGC] { operands = operands . ARGV[i] . "\n" }
load system("dirname '" . ARG0 . "'") . "/plot-common.gp"

name_of(metric) = metric eq "jct" ? "job completion time, JCT" : metric eq "wait" ? "wait to first start" : \
    metric eq "pending" ? "time without GPUs" : metric eq "slowdown" ? "slowdown, JCT / run time alone" : \
    "slowdown while running"
is_time(metric) = metric eq "jct" || metric eq "wait" || metric eq "pending"

metrics = ""
do for [i = 1:|$data|] {
    name = word($data[i], 1)
    if (strstrt("jct wait pending slowdown run_slowdown", name) && word(metrics, words(metrics)) ne name) {
        metrics = metrics . " " . name
    }
}
panels = words(metrics)

eval open_picture(panels == 1 ? 560 : 400)
rows = legend_rows(count)
top = 1 - high_part(8 + 26 * rows + titled)
set multiplot layout 1,panels margins (panels == 1 ? 0.08 : 0.065),0.985,high_part(60),top spacing 0.035,0 title title font title_font
set ytics 25
set logscale x
of(metric, run) = strcol(1) eq metric && $2 == run
do for [p = 1:panels] {
    metric = word(metrics, p)
    set xrange [*:*]; set yrange [*:*] # stats looks at them
    stats $data using (strcol(1) eq metric ? $3 : NaN) nooutput
    has_zero = STATS_min <= 0
    most = STATS_max
    if (most > 0) {
        stats $data using (strcol(1) eq metric && $3 > 0 && $4 > 0.002 ? $3 : NaN) nooutput
    } else { STATS_min = 1 } # nobody waited
    least = is_time(metric) ? (STATS_min < 1 ? 1 : STATS_min) : 1
    if (most < 1.5 * least) { most = 1.5 * least }
    span = log10(most / least)
    zero_at = least / 10 ** (0.12 * span)
    at(value) = value <= 0 ? zero_at : value < least ? least : value
    set xrange [(has_zero ? zero_at : least) / 10 ** (0.02 * span) : most * 10 ** (0.03 * span)]
    set yrange [0:102]
    set xlabel name_of(metric) offset 0,0.3
    if (is_time(metric)) { eval time_tics(span) } else { eval ratio_tics(span) }
    if (has_zero) { set xtics add ("0" zero_at) }
    if (p == 1) {
        set ylabel "jobs at or below, %" offset 1.2,0
        set format y "%g"
        set key at screen 0.5,(1 - high_part(4 + titled)) center top vertical maxrows rows \
            Left reverse samplen 2 width 2
    } else {
        unset ylabel
        set format y ""
        set key off
    }
    plot for [i = 1:count] $data using (of(metric, i) ? at($3) : NaN):(100 * $4) with steps ls i title label(i), \
        for [i = 1:count] $data using (of(metric, i) && $3 == (is_time(metric) ? 0 : 1) ? at($3) : NaN):(100 * $4) with points ls i notitle
}
unset multiplot
set output
