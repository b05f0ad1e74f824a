# SPDX-License-Identifier: GPL-3.0-or-later
#
# The schedules of small runs, of at most 500 segments: a row a GPU, a colour a job (the same in all runs),
# lanes where jobs share GPUs; a panel a run.
#   gnuplot -c scripts/plot-gantt.gp OUT RUN...         sizes, titles, options: plot-common.gp

kind = "gantt"
script = ARG0; operands = ""
do for [i = 1:ARGC] { operands = operands . ARGV[i] . "\n" }
load system("dirname '" . ARG0 . "'") . "/plot-common.gp"

most = 1
total = 0
do for [run = 1:count] {
    total = total + (text("gpus", run) + 0)
    most = text("gpus", run) + 0 > most ? text("gpus", run) + 0 : most
}
stats $data using 5 nooutput
unit = unit_of(STATS_max)
span = STATS_max / unit
has_off = 0
has_lost = 0
do for [i = 1:|$data|] {
    has_off = has_off || strstrt($data[i], "\toff\t")
    has_lost = has_lost || strstrt($data[i], "\tlost\t")
}

# Rows of 18, fewer where there are many.
row = 18. * most * count > 900 ? 900. / most / count : 18.
row = row * most < 90 ? 90. / most : row
panel = row * most + 34
eval open_picture(80 + titled + panel * count)
set multiplot layout count,1 margins 0.075,0.985,high_part(66),1 - high_part(30 + titled) \
    spacing 0,high_part(34) title title font title_font
array soft[8] = ["#7FB8D8", "#F2CF80", "#7FCEB9", "#EAAE80", "#ABD9F4", "#E5BCD3", "#B5B5B5", "#D9D38A"]
array code[8]
do for [i = 1:8] { code[i] = int("0x" . soft[i][2:*]) }
unset grid
set grid xtics linecolor rgb pale linetype 1 linewidth 0.6 back
set xrange [0:span]
set style fill solid 1 border rgb "white"
set format x ""
set ytics () scale 0
wide_enough(characters, time, rows) = characters > 0 && time / span * 900 > 8.5 * characters + 6 && rows * row >= 14
do for [run = 1:count] {
    gpus = text("gpus", run) + 0
    set yrange [gpus:0]
    unset arrow
    set ytics ()
    nodes = 0
    do for [i = 1:|$data|] {
        if ($data[i][1:7 + strlen(sprintf("%d", run))] eq sprintf("#node\t%d\t", run)) {
            nodes = nodes + 1
            first = word($data[i], 3) + 0
            if (first > 0) { set arrow nohead from graph 0, first first to graph 1, first first lw 1 lc rgb grey back }
        }
    }
    step = round_step(gpus / 8.)
    do for [g = 0:gpus - 1:step] { set ytics add (sprintf("%d", g) g + 0.5) }
    set ylabel "GPU" offset 1,0
    set label 1 label(run) at graph 0,1 offset 0,0.6 left
    if (run == 1) {
        set key at screen 0.985,(1 - high_part(4 + titled)) right top vertical maxrows 1 Left reverse samplen 1 width 1
    } else {
        set key off
    }
    if (run == count) {
        set format x "%g"
        set xlabel unit_name(unit) . " since the first submission" offset 0,0.3
    }
    plot $data using ($1 == run ? ($4 + $5) / 2 / unit : NaN):(($2 + $3) / 2):($4 / unit):($5 / unit):2:3:(code[$6]) \
            with boxxyerror lc rgb variable lw 0.5 notitle, \
        $data using ($1 == run && wide_enough(strlen(strcol(8)), ($5 - $4) / unit, $3 - $2) ? ($4 + $5) / 2 / unit : NaN):(($2 + $3) / 2):8 \
            with labels font (suffix eq ".pdf" ? ",4.5" : ",9") notitle, \
        $data using ($1 == run && strcol(7) eq "off" ? $5 / unit : NaN):2:(0):($3 - $2) \
            with vectors nohead lw 1.6 lc rgb "black" title (has_off ? "taken off its GPUs" : ""), \
        $data using ($1 == run && strcol(7) eq "lost" ? $5 / unit : NaN):(($2 + $3) / 2) \
            with points pt 2 ps 0.7 lw 2 lc rgb "#B2182B" title (has_lost ? "failed, work lost" : "")
}
unset multiplot
set output
