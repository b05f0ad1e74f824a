# SPDX-License-Identifier: GPL-3.0-or-later
#
# Figures of the interference calibration, from the rows and the model file of one fit.
#   gnuplot -c scripts/plot-calibration.gp FOLDER OUT
# FOLDER holds interference.json and rows/interference.csv (scripts/calibrate.sh); OUT gets
# calibration-observed.png, calibration-utilization.png and calibration-residual.png.
# Colours: Okabe and Ito, which colour-blind readers can tell apart.

if (ARGC != 2) exit error "usage: gnuplot -c scripts/plot-calibration.gp FOLDER OUT"
rows = ARG1 . "/rows/interference.csv"
model = ARG1 . "/interference.json"
set encoding utf8
set datafile separator comma

blue = "#0072B2"; orange = "#E69F00"; green = "#009E73"; red = "#D55E00"; grey = "#555555"
pale(colour, alpha) = "#" . alpha . colour[2:] # alpha: 00 opaque .. FF invisible

# gpu,form,own,other,own_util,other_util,observed,held_out,in_sample,fold; speeds relative to alone
is_of(gpu, form) = strcol(1) eq gpu && strcol(2) eq form
model_of(key) = key[1:strstrt(key, "/") - 1]
ask(what) = system("jq -r '" . what . "' '" . model . "'")
table(gpu, protocol) = sprintf("(.tables[] | select(.gpu == \"%s\") | .holdout[] | select(.protocol == \"%s\"))", gpu, protocol)
errors(at) = sprintf("%d rows, RMSE %.3f, R² %.2f", ask(at . ".n") + 0, ask(at . ".rmse") + 0, ask(at . ".r2") + 0)

set border 3 linewidth 1 linecolor rgb grey
set tics nomirror out textcolor rgb "black"
set grid linecolor rgb "#DDDDDD" linetype 1 linewidth 0.5 back

# ---- observed against predicted ------------------------------------------------------------------

set terminal pngcairo size 1200,800 font "DejaVu Sans,11" background rgb "white"
set output ARG2 . "/calibration-observed.png"
set multiplot layout 2,3 margins 0.06,0.985,0.075,0.855 spacing 0.055,0.185 \
    title "Slowdown beside another job: measured against predicted without these rows in the fit" \
    font ",15" offset 0,-0.4
set key off
set size square
set xlabel "predicted slowdown (1 = alone)" offset 0,0.4
set ylabel "measured slowdown" offset 1,0

heading(name, at) = name . "\n{/*0.88 " . errors(at) . "}"
# A run lets no job be faster beside another: its error is that of S cut to 1.
cut(gpu) = sprintf("RMSE before S is cut to 1; %.3f after", ask(table(gpu, "unseen pair of jobs, S cut to 1") . ".rmse") + 0)
known(name, gpu) = name . "\n{/*0.88 " . errors(table(gpu, "unseen pair of jobs")) . "}\n{/*0.88 " . cut(gpu) . "}"
panel = "plot rows using (is_of(gpu, form) ? 1 / $8 : NaN):(1 / $7) with points pt 7 ps 0.5 \
    lc rgb pale(colour, alpha), x with lines lw 1.5 dt 2 lc rgb 'black'"

gpu = "RTX3090"; form = "general"; colour = blue; alpha = "B0"
set xrange [0.7:2.4]; set yrange [0.7:2.4]
set xtics nomirror 0.5; set ytics nomirror 0.5
set title heading("RTX 3090, from utilizations; unseen model", ".general.holdout[0]")
set label 1 "A point: one job of a pair.\nDashed: measured as predicted.\n\nAbove the line a job ran\nslower than predicted,\nbelow it faster.\n\nRMSE and R² are those of\nthe speed, 1 / slowdown.\n\nRTX 3090: Lucid, cleaned.\nOthers: Gavel." \
    at screen 0.73,0.83 left font ",12"
eval panel
unset label 1
form = "two-way"
set title known("RTX 3090, known jobs; unseen pair", gpu)
eval panel
set multiplot next

form = "rank-1"; colour = red; alpha = "90"
set xtics nomirror 1; set ytics nomirror 1
do for [gpu in "V100 P100 K80"] {
    top = gpu eq "V100" ? 6 : 4.8
    set xrange [0.8:top]; set yrange [0.8:top]
    set title known(gpu . ", known jobs; unseen pair", gpu)
    eval panel
}
unset multiplot
set size nosquare

# ---- slowdown by combined utilization ------------------------------------------------------------

# Bins of a quarter, closed above.
bin_of(u, v) = ceil((u + v) * 4 - 1e-9) - 1
array observed[8]; array predicted[8]; array count[8]
set xrange [*:*]; set yrange [*:*] # stats looks at them
do for [b = 0:7] {
    stats rows using (is_of("RTX3090", "general") && bin_of($5, $6) == b ? 1 / $7 : NaN):(1 / $8) nooutput
    count[b + 1] = STATS_records
    observed[b + 1] = STATS_mean_x
    predicted[b + 1] = STATS_mean_y
}
k = ask(".general.k") + 0; alpha = ask(".general.alpha") + 0; beta = ask(".general.beta") + 0
slowdown(u, v) = 1 + k * u ** alpha * v ** beta

set terminal pngcairo size 1100,720 font "DejaVu Sans,13" background rgb "white"
set output ARG2 . "/calibration-utilization.png"
set title sprintf("Slowdown by combined solo utilization, RTX 3090 (Lucid, cleaned): S = 1 + %.3f u^{%.2f} v^{%.2f}", k, alpha, beta) font ",15"
set xlabel "sum of the GPU utilizations of both jobs alone, u + v"
set ylabel "slowdown of a job (1 = alone)" offset 0.5,0
set xrange [0:2]; set yrange [0.7:2.3]; set xtics nomirror 0.25; set ytics nomirror 0.25
set key top left reverse Left samplen 2 spacing 1.25 box lc rgb "#DDDDDD" opaque
set style boxplot fraction 0.9 nooutliers
set style fill solid 0.25 border
set boxwidth 0.13
set label 2 "rows" at graph 0.005,0.028 font ",11" tc rgb grey
do for [b = 0:7] { set label (10 + b) sprintf("%d", count[b + 1]) at (b + 0.5) / 4, graph 0.028 center font ",11" tc rgb grey }
plot for [b = 0:7] rows using ((b + 0.5) / 4):(is_of("RTX3090", "general") && bin_of($5, $6) == b ? 1 / $7 : NaN) \
        with boxplot lc rgb blue lw 1.2 title (b == 0 ? "measured: quartiles, 5 % to 95 %" : ""), \
    count using ((column(1) - 0.5) / 4):(observed[column(1)]) with points pt 7 ps 1.5 lc rgb blue title "measured: mean", \
    count using ((column(1) - 0.5) / 4):(predicted[column(1)]) with linespoints pt 4 ps 1.6 lw 2 lc rgb red title "model: mean over the same pairs, own model unseen", \
    slowdown(x / 2, x / 2) with lines lw 2 dt 2 lc rgb "black" title "model: both jobs alike, u = v"
do for [b = 0:7] { unset label (10 + b) }
unset label 2

# ---- residual by model ---------------------------------------------------------------------------

set terminal pngcairo size 1200,780 font "DejaVu Sans,12" background rgb "white"
set output ARG2 . "/calibration-residual.png"
set multiplot layout 2,1 margins 0.07,0.985,0.075,0.9 spacing 0,0.125 \
    title "Error of the speed by model of the job: quartiles, and 5 % to 95 % of the rows, none of them in the fit" \
    font ",14" offset 0,-0.3
unset title
set ylabel "predicted - measured speed (1 = alone)" offset 0.5,0
unset xlabel
set key inside top center horizontal samplen 2 nobox noopaque maxrows 1
set xzeroaxis lt 1 lw 1 lc rgb "black"

# Names of the models of a form, sorted; below each the rows of the figure.
models(form) = system("awk -F'[,/]' '$2 == \"" . form . "\" && !seen[$3]++ { print $3 }' '" . rows . "' | sort | tr '\\n' ' '")
name_models = "set xtics () nomirror scale 0; set xrange [*:*]; set yrange [*:*]; \
    do for [i = 1:words(names)] { \
        stats rows using (strcol(2) eq form && model_of(strcol(3)) eq word(names, i) ? $7 : NaN) nooutput; \
        set xtics add (sprintf(\"%s\\n%d rows\", word(names, i), STATS_records) i) \
    }; \
    set xrange [0.4:words(names) + 0.6]; set yrange [-0.25:0.3]; set ytics nomirror 0.1"
error_of(gpu, form, name) = is_of(gpu, form) && model_of(strcol(3)) eq name ? $8 - $7 : NaN

form = "general"
names = models(form)
eval name_models
set boxwidth 0.3
plot for [i = 1:words(names)] rows using (i - 0.18):(error_of("RTX3090", "general", word(names, i))) \
        with boxplot lc rgb blue lw 1.2 title (i == 1 ? "RTX 3090, from utilizations; this model unseen" : ""), \
    for [i = 1:words(names)] rows using (i + 0.18):(error_of("RTX3090", "two-way", word(names, i))) \
        with boxplot lc rgb orange lw 1.2 title (i == 1 ? "RTX 3090, known jobs; this pair unseen" : "")

form = "rank-1"
names = models(form)
eval name_models
set boxwidth 0.2
types = "V100 P100 K80"
array colours[3] = [red, green, grey]
set label 1 "known jobs; this pair unseen:" at graph 0.13,0.93 left
plot for [t = 1:3] for [i = 1:words(names)] \
        rows using (i + (t - 2) * 0.25):(error_of(word(types, t), form, word(names, i))) \
        with boxplot lc rgb colours[t] lw 1.2 title (i == 1 ? word(types, t) : "")
unset multiplot

set output
set print "-"
do for [name in "observed utilization residual"] { print ARG2 . "/calibration-" . name . ".png" }
