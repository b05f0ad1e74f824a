# SPDX-License-Identifier: GPL-3.0-or-later
#
# How many times better SJF is than FIFO, by how much of FIFO's completion time is queue: our months
# at several loads, and what is published of five clusters.
#   gnuplot -c scripts/plot-tiresias.gp POINTS OUT.png
# POINTS: series, label, share of the queue, ratio of the JCT, ratio of the queue; a tab between.
# Colours as in plot-compare.gp.

if (ARGC != 2) exit error "usage: gnuplot -c scripts/plot-tiresias.gp POINTS OUT.png"
set encoding utf8
points = ARG1
series = system("cut -f1 '" . points . "' | awk '!seen[$0]++'")
of(name) = "< awk -F'\t' -v OFS='\t' '$1 == \"" . name . "\"' '" . points . "'"

grey = "#555555"
array colours[8] = ["#E69F00", "#0072B2", "#009E73", "#56B4E9", "#CC79A7", "#000000", "#D55E00", "#8C8C8C"]
array shapes[8] = [7, 9, 5, 13, 11, 2, 7, 9]
set datafile separator "\t"
set terminal pngcairo noenhanced size 1300,560 font "DejaVu Sans,11" background rgb "white"
set output ARG2
set border 3 linewidth 1 linecolor rgb grey
set tics nomirror out textcolor rgb "black"
set grid linecolor rgb "#DDDDDD" linetype 1 linewidth 0.5 back
set multiplot layout 1,2 margins 0.06,0.985,0.235,0.84 spacing 0.1,0 \
    title "What SJF gains over FIFO is a matter of how much FIFO queues" font ",16" offset 0,-0.3
set xlabel "queue, share of FIFO's mean completion time" offset 0,0.3
set xrange [0:1]
set xtics 0.2
set format x "%.1f"
set logscale y
set ylabel "times better, logarithmic" offset 1,0

set title "Mean completion time, FIFO / SJF" font ",13"
set yrange [1:24]
set ytics (1, 2, 3, 5, 10, 20)
set key at screen 0.5,0.005 center bottom Left reverse vertical samplen 2 spacing 1.15 width 3 maxrows 2 font ",12"
plot 1 / (1 - x) with lines lw 1.5 dt 2 lc rgb grey title "no queue at all", \
    for [i = 1:words(series)] of(word(series, i)) using 3:4 with points pt shapes[i] ps 1.4 lw 2 \
        lc rgb colours[i] title word(series, i), \
    of("published") using 3:4:2 with labels left offset 0.6,-0.6 font ",10" notitle

set key off
set title "Mean time in the queue, FIFO / SJF" font ",13"
plot for [i = 1:words(series)] of(word(series, i)) using 3:5 with points pt shapes[i] ps 1.4 lw 2 \
        lc rgb colours[i] notitle, \
    of("published") using 3:5:2 with labels left offset 0.6,-0.6 font ",10" notitle
unset multiplot
set output
