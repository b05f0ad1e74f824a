# SPDX-License-Identifier: GPL-3.0-or-later
#
# Metrics along one axis of a sweep, a curve a policy: means over the seeds, with 95 % intervals.
#   gnuplot -c scripts/plot-sweep.gp OUT SWEEP          sizes, titles, options: plot-common.gp

kind = "sweep"
script = ARG0; operands = ""
do for [i = 1:ARGC] { operands = operands . ARGV[i] . "\n" }
load system("dirname '" . ARG0 . "'") . "/plot-common.gp"

metrics = ""
do for [i = 1:|$data|] {
    name = word($data[i], 1)
    if (name[1:1] ne "#" && name ne "metric" && name ne "" && word(metrics, words(metrics)) ne name) {
        metrics = metrics . " " . name
    }
}
panels = words(metrics)
axis = text("axis", 1)
of_jobs = " wait jct pending time_to_progress isolated "
base(metric) = strstrt(" mean p50 p90 p95 p99 max ", " " . before(metric . "_", "_") . " ") ? after(metric, "_") : metric
is_time(metric) = strstrt(of_jobs . "makespan ", " " . base(metric) . " ") > 0
is_share(metric) = strstrt(" gpu_allocation gpu_utilization gpu_utilization_sum loaded_share gpu_allocation_loaded \
    gpu_utilization_loaded gpu_sharing goodput fragmentation colocated_share ", " " . metric . " ") > 0
statistic(metric) = metric[1:5] eq "mean_" ? "mean " : metric[1:4] eq "max_" ? "largest " : \
    base(metric) ne metric ? metric[2:3] . " % quantile, " : ""
spaced(s) = strstrt(s, "_") ? before(s, "_") . " " . spaced(after(s, "_")) : s
name_of(metric) = base(metric) eq "jct" ? statistic(metric) . "JCT" : metric eq "gpu_utilization" ? "GPU utilization" : \
    metric eq "gpu_allocation" ? "GPUs held" : statistic(metric) . spaced(base(metric))

eval open_picture(panels == 1 ? 560 : 400)
rows = legend_rows(count)
set multiplot layout 1,panels margins 0.075,0.985,high_part(60),1 - high_part(8 + 26 * rows + titled) \
    spacing 0.075,0 title title font title_font
of(metric, i) = strcol(1) eq metric && $2 == i
only(value) = of(metric, i) ? value : NaN
beside(x, i) = only(x) + (i - (count + 1) / 2.) * 0.005 * (right - left) # intervals would cover each other
set bars 0
# Tics where there are points, but for many of them.
places = ""
do for [k = 1:|$data|] {
    if (words($data[k]) == 7 && $data[k][1:1] ne "#" && word($data[k], 1) ne "metric" \
        && !strstrt(" " . places . " ", " " . word($data[k], 3) . " ")) { places = places . " " . word($data[k], 3) }
}
if (words(places) <= (panels == 1 ? 12 : 6)) {
    set xtics ()
    do for [k = 1:words(places)] { set xtics add (word(places, k) word(places, k) + 0) }
}
do for [p = 1:panels] {
    metric = word(metrics, p)
    set xrange [*:*]; set yrange [*:*] # stats looks at them
    unset logscale y
    stats $data using (strcol(1) eq metric ? $3 : NaN) nooutput
    left = STATS_min
    right = STATS_max
    stats $data using (strcol(1) eq metric ? $5 : NaN) nooutput
    unit = is_time(metric) ? unit_of(STATS_max) : is_share(metric) ? 0.01 : 1
    far = STATS_min > 0 && STATS_max / STATS_min > 30
    if (left == right) { right = left + 1 }
    set xrange [left - 0.04 * (right - left):right + 0.04 * (right - left)]
    if (far) {
        set logscale y
        set yrange [STATS_min / unit / 1.5:STATS_max / unit * 1.5]
    } else {
        if (STATS_max == 0) { set yrange [0:1] } else { if (STATS_min >= 0) { set yrange [0:*] } }
    }
    set ylabel name_of(metric) . (is_time(metric) ? ", " . unit_name(unit) : is_share(metric) ? ", %" : "") offset 1,0
    set xlabel spaced(axis) offset 0,0.3
    if (p == 1) {
        set key at screen 0.5,(1 - high_part(4 + titled)) center top vertical maxrows rows Left reverse samplen 2 width 2
    } else {
        set key off
    }
    plot for [i = 1:count] $data using (beside($3, i)):(only($5) / unit):(only($6) / unit):(only($7) / unit) \
            with yerrorbars lw 1.4 lc rgb colours[i] pt 7 ps 0.1 notitle, \
        for [i = 1:count] $data using (beside($3, i)):(only($5) / unit) with linespoints ls i title label(i)
}
unset multiplot
set output
