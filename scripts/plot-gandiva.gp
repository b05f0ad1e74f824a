# SPDX-License-Identifier: GPL-3.0-or-later
#
# What packing copies of a job on one GPU gains, by their number: our models of slowdowns and the
# published best, one panel a model of Gandiva's Table 1.
#   gnuplot -c scripts/plot-gandiva.gp POINTS NAMES OUT.png
# POINTS: series (general, few, eight), model, copies, gain in %; a tab between. NAMES: model,
# utilization, published gain; a blank between. Colours as in plot-compare.gp.

if (ARGC != 3) exit error "usage: gnuplot -c scripts/plot-gandiva.gp POINTS NAMES OUT.png"
set encoding utf8
points = ARG1
names = ARG2
field(row, column) = system("sed -n " . row . "p '" . names . "' | cut -d' ' -f" . column)
of(name, model) = "< awk -F'\t' -v OFS='\t' '$1 == \"" . name . "\" && $2 == \"" . model . "\"' '" . points . "'"

grey = "#555555"
array colours[3] = ["#0072B2", "#E69F00", "#009E73"]
array series[3] = ["general", "few", "eight"]
array titles[3] = ["general form, RTX 3090", "fitted, few copies", "fitted, eight copies"]
set datafile separator "\t"
set terminal pngcairo noenhanced size 1300,640 font "DejaVu Sans,10" background rgb "white"
set output ARG3
set border 3 linewidth 1 linecolor rgb grey
set tics nomirror out textcolor rgb "black"
set grid linecolor rgb "#DDDDDD" linetype 1 linewidth 0.5 back
set multiplot layout 2,4 margins 0.055,0.985,0.17,0.86 spacing 0.055,0.13 \
    title "Packing a model with itself: gain by copies on one GPU" font ",16" offset 0,-0.3
set xrange [1:8]
set xtics 1
set key off
do for [row = 1:8] {
    model = field(row, 1)
    published = real(field(row, 3))
    set title model . ", " . field(row, 2) . " % of a P40" font ",12"
    if (published > 100) { set yrange [-50:720]; set ytics 100 } else { set yrange [-50:270]; set ytics 50 }
    if (row > 4) { set xlabel "copies" offset 0,0.4 } else { unset xlabel }
    if (row % 4 == 1) { set ylabel "gain, %" offset 1,0 } else { unset ylabel }
    if (row == 8) {
        set key at screen 0.5,0.015 center bottom Left reverse vertical maxrows 1 samplen 2 width 1 font ",12"
    }
    plot published with lines lw 2 dt 2 lc rgb "#D55E00" title "published best", \
        for [s = 1:3] of(series[s], model) using 3:4 with linespoints lw 2 pt 7 ps 0.8 lc rgb colours[s] title titles[s]
}
unset multiplot
set output
