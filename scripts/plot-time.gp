# SPDX-License-Identifier: GPL-3.0-or-later
#
# Some runs over time: GPUs held, modelled utilization of all GPUs, jobs waiting.
#   gnuplot -c scripts/plot-time.gp OUT RUN...          sizes, titles, options: plot-common.gp
# A point is the mean over 1/120 of its run (--parts); jobs waiting are those pending and suspended.

kind = "time"
script = ARG0; operands = ""
do for [i = 1:ARGC] { operands = operands . ARGV[i] . "\n" }
load system("dirname '" . ARG0 . "'") . "/plot-common.gp"

stats $data using 5 nooutput
unit = unit_of(STATS_max)
span = STATS_max / unit
stats $data using (strcol(1) eq "waiting" ? $6 : NaN) nooutput
most_waiting = STATS_max
gpus = text("gpus", 1) + 0

eval open_picture(620)
rows = legend_rows(count)
set multiplot layout 3,1 margins 0.09,0.985,high_part(60),1 - high_part(12 + 28 * rows + titled) \
    spacing 0,high_part(22) title title font title_font
set xrange [0:span]
set format x ""
of(metric, run) = strcol(1) eq metric && $3 == run
middle(scale) = ($4 + $5) / 2 / scale
set key at screen 0.5,(1 - high_part(3 + titled)) center top vertical maxrows rows Left reverse samplen 2 width 2

set ylabel "GPUs held" . (gpus > 0 ? sprintf(" of %g", gpus) : "") offset 1,0
set yrange [0:*]
if (gpus > 0) { set yrange [0:gpus * 1.02]; set ytics gpus / 4 }
plot for [i = 1:count] $data using (of("gpus_held", i) ? middle(unit) : NaN):6 with lines ls i title label(i)
set key off

set ylabel "utilization, %"
set yrange [0:102]
set ytics 25
plot for [i = 1:count] $data using (of("util_model", i) ? middle(unit) : NaN):(100 * $6) with lines ls i

set ylabel "jobs waiting"
set yrange [0:(most_waiting > 0 ? most_waiting * 1.05 : 1)]
set ytics round_step(most_waiting / 4)
set format x "%g"
set xlabel unit_name(unit) . " since the first submission" offset 0,0.3
plot for [i = 1:count] $data using (of("waiting", i) ? middle(unit) : NaN):6 with lines ls i
unset multiplot
set output
