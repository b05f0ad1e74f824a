# SPDX-License-Identifier: GPL-3.0-or-later
#
# What waiting jobs wait for, over time: the GPUs that they want by cause, stacked; a panel a run.
#   gnuplot -c scripts/plot-waits.gp OUT RUN...         sizes, titles, options: plot-common.gp

kind = "waits"
script = ARG0; operands = ""
do for [i = 1:ARGC] { operands = operands . ARGV[i] . "\n" }
load system("dirname '" . ARG0 . "'") . "/plot-common.gp"

cause(i) = text("cause", i)
causes = 0
while (cause(causes + 1) ne "") { causes = causes + 1 }
colour_of(name) = name eq "capacity" ? "#9A9A9A" : name eq "order" ? "#D55E00" : name eq "quota" ? "#56B4E9" : \
    name eq "locality" ? "#CC79A7" : "#E69F00"

stats $data using 8 nooutput
most = STATS_max > 0 ? STATS_max : 1
stats $data using 5 nooutput
unit = unit_of(STATS_max)
span = STATS_max / unit

eval open_picture(120 + 190 * count)
head = 32 + titled
set multiplot layout count,1 margins 0.09,0.985,high_part(70),1 - high_part(head) spacing 0,high_part(18) title title font title_font
set xrange [0:span]
set yrange [0:most * 1.05]
set ytics round_step(most / 3)
set ylabel "GPUs wanted" offset 1,0
set format x ""
set style fill solid 0.85 noborder
do for [run = 1:count] {
    set label 1 label(run) at graph 0.008,0.9 left
    if (run == 1) {
        set key at screen 0.5,(1 - high_part(3 + titled)) center top vertical maxrows 1 Left reverse samplen 1.5 width 2
    } else {
        set key off
    }
    if (run == count) {
        set format x "%g"
        set xlabel unit_name(unit) . " since the first submission" offset 0,0.3
    }
    plot for [c = 1:causes] $data using (strcol(2) eq cause(c) && $3 == run ? ($4 + $5) / 2 / unit : NaN):7:8 \
        with filledcurves lc rgb colour_of(cause(c)) title cause(c)
}
unset multiplot
set output
