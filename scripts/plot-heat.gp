# SPDX-License-Identifier: GPL-3.0-or-later
#
# Where and when GPUs are held: a row a node (or some, where they are many), time from left to right,
# dark where jobs hold all GPUs; a panel a run.
#   gnuplot -c scripts/plot-heat.gp OUT RUN...          sizes, titles, options: plot-common.gp

kind = "heat"
script = ARG0; operands = ""
do for [i = 1:ARGC] { operands = operands . ARGV[i] . "\n" }
load system("dirname '" . ARG0 . "'") . "/plot-common.gp"

stats $data using 5 nooutput
unit = unit_of(STATS_max)
span = STATS_max / unit
stats $data using 3 nooutput
nodes = STATS_max + 1
stats $data using ($2 == 0 ? $3 + 1 : NaN) nooutput
group = STATS_max # nodes of a row

panel = count == 1 ? 360 : 200
eval open_picture(90 + titled + panel * count)
set multiplot layout count,1 margins 0.075,0.895,high_part(70),1 - high_part(30 + titled) \
    spacing 0,high_part(34) title title font title_font
tall = (1 - high_part(100 + titled + 34 * (count - 1))) / count # a panel
unset grid
set border 3 front
set palette defined (0 "#F4F6F8", 0.25 "#BFD5E8", 0.5 "#73A9CF", 0.75 "#2171B5", 1 "#08306B")
set cbrange [0:100]
set cbtics 25 scale 0
set cblabel "GPUs held, %" offset -0.3,0
unset colorbox
set xrange [0:span]
set yrange [nodes - 0.5:-0.5]
set ytics round_step(nodes / 5.)
set ylabel (group > 1 ? sprintf("node (%d a row)", group) : "node") offset 1,0
set format x ""
do for [run = 1:count] {
    set label 1 label(run) at graph 0,1 offset 0,0.6 left
    if (run == count) {
        set format x "%g"
        set xlabel unit_name(unit) . " since the first submission" offset 0,0.3
        set colorbox user origin 0.92,high_part(70) size 0.014,tall
        set colorbox noborder
    }
    plot $data index run using (($4 + $5) / 2 / unit):(($2 + $3) / 2.):(100 * $6) with image
}
unset multiplot
set output
