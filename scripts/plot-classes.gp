# SPDX-License-Identifier: GPL-3.0-or-later
#
# Means of classes of jobs, side by side for some runs: by gang size, or --by=vc, user_quintile, outcome,
# class.
#   gnuplot -c scripts/plot-classes.gp OUT RUN...       sizes, titles, options: plot-common.gp

kind = "classes"
script = ARG0; operands = ""
do for [i = 1:ARGC] { operands = operands . ARGV[i] . "\n" }
load system("dirname '" . ARG0 . "'") . "/plot-common.gp"

class(i) = text("class", i)
classes = 0
longest = 0
while (class(classes + 1) ne "") {
    classes = classes + 1
    longest = strlen(class(classes)) > longest ? strlen(class(classes)) : longest
}
metrics = ""
do for [i = 1:|$data|] {
    name = word($data[i], 1)
    if (name[1:1] ne "#" && name ne "metric" && name ne "" && word(metrics, words(metrics)) ne name) {
        metrics = metrics . " " . name
    }
}
panels = words(metrics)
is_time(metric) = strstrt(metric, "slowdown") == 0
by = strstrt(options, "--by=") ? word(after(options, "--by="), 1) : "gpus"
by_name = by eq "gpus" ? "GPUs of the job" : by eq "vc" ? "virtual cluster" : by eq "user_quintile" ? \
    "users, fifths by GPU time" : by eq "outcome" ? "recorded outcome" : "class"
name_of(metric) = (metric[1:5] eq "mean_" ? "mean " : metric[1:4] eq "max_" ? "largest " : \
        metric[2:strstrt(metric, "_") - 1] . " % quantile, ") . \
    (after(metric, "_") eq "jct" ? "JCT" : after(metric, "_") eq "time_to_progress" ? "time to progress" : \
     after(metric, "_") eq "run_slowdown" ? "slowdown while running" : \
     after(metric, "_") eq "bounded_slowdown" ? "bounded slowdown" : after(metric, "_"))

eval open_picture(panels == 1 ? 520 : 380)
rows = legend_rows(count)
tilted = classes * longest > (panels == 1 ? 100 : 30)
set multiplot layout 1,panels margins 0.075,0.985,high_part(tilted ? 106 : 61),1 - high_part(11 + 25 * rows + titled) \
    spacing 0.075,0 title title font title_font
set xrange [0.4:classes + 0.6]
set xtics () scale 0 rotate by (tilted ? -45 : 0)
do for [i = 1:classes] { set xtics add (class(i) i) }
unset grid
set grid ytics linecolor rgb pale linetype 1 linewidth 0.6 back
set style fill solid 0.9 noborder
width = 0.8 / count
set boxwidth width * 0.92
do for [p = 1:panels] {
    metric = word(metrics, p)
    set xrange [*:*]; set yrange [*:*] # stats looks at them
    unset logscale y
    stats $data using (strcol(1) eq metric ? $5 : NaN) nooutput
    set xrange [0.4:classes + 0.6]
    unit = is_time(metric) ? unit_of(STATS_max) : 1
    if (!is_time(metric) && STATS_max > 20) {
        set logscale y
        set yrange [1:STATS_max * 1.3]
        set ytics ("1" 1, "10" 10, "100" 100, "10³" 1000, "10⁴" 1e4, "10⁵" 1e5, "10⁶" 1e6)
    } else {
        if (STATS_max > 0) { set yrange [0:*] } else { set yrange [0:1] }
        set ytics autofreq
    }
    set ylabel name_of(metric) . (is_time(metric) ? ", " . unit_name(unit) : "") offset (is_time(metric) ? 1 : 0.3),0
    set xlabel by_name offset 0,(tilted ? -0.5 : 0.3)
    if (p == 1) {
        set key at screen 0.5,(1 - high_part(4 + titled)) center top vertical maxrows rows Left reverse samplen 1 width 2
    } else {
        set key off
    }
    plot for [i = 1:count] $data using (strcol(1) eq metric && $3 == i ? $2 + (i - (count + 1) / 2.) * width : NaN):(strcol(1) eq metric ? $5 / unit : NaN) \
        with boxes lc rgb colours[i] title label(i)
}
unset multiplot
set output
