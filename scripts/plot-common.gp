# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the plots of run directories share: palette, fonts, sizes, units, and where the numbers come
# from. A script that loads it has set kind, script (ARG0) and operands (OUT, then runs, a line each), and on
# the command line may be
#   gnuplot -e "size='1400x560'; title='...'; options='--metric=wait'" -c scripts/plot-KIND.gp OUT RUN...
# OUT ends in .png or .pdf. A picture is laid out 1000 wide and scaled to size; 1000 are 7 inches of
# a PDF, the width of a page's text, in which the letters have 8 points.

here = system("dirname '" . script . "'")
set encoding utf8
set datafile separator tab
if (!exists("size")) size = ""
if (!exists("title")) title = ""
if (!exists("options")) options = ""

# ---- looks ---------------------------------------------------------------------------------------

# Okabe and Ito: colour-blind readers can tell these apart; dashes help where it is printed grey.
array colours[8] = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#8C8C8C"]
array dashes[8] = [1, 1, 1, 1, 2, 2, 2, 2]
grey = "#555555"
pale = "#E4E4E4"
do for [i = 1:8] { set style line i lw 2 lc rgb colours[i] dt dashes[i] pt 7 ps 0.8 }
set style line 9 lw 1 lc rgb grey
set border 3 linewidth 1 linecolor rgb grey
set tics nomirror out scale 0.5 textcolor rgb "black"
set grid linecolor rgb pale linetype 1 linewidth 0.6 back
set key off

# ---- the picture ---------------------------------------------------------------------------------

out = operands[1:strstrt(operands, "\n") - 1]
runs = operands[strlen(out) + 2:*]
suffix = strlen(out) > 4 ? out[strlen(out) - 3:*] : ""
if (runs eq "") {
    print "usage: gnuplot -c " . script . " OUT.png|OUT.pdf RUN..."
    exit status 2
}
if (suffix ne ".png" && suffix ne ".pdf") {
    print "plot: " . out . ": the picture's name must end in .png or .pdf"
    exit status 2
}
title_font = suffix eq ".pdf" ? ",7" : ",14"
# Opens it, laid out for a height where the width is 1000.
open_picture(height) = sprintf("wide = %d; high = %d; times = wide / 1000.; ", \
        size eq "" ? 1000 : int(size[1:strstrt(size, "x") - 1]), \
        size eq "" ? height : int(size[strstrt(size, "x") + 1:*])) \
    . (suffix eq ".pdf" \
        ? "set terminal pdfcairo noenhanced size wide * 7 / 1000. in, high * 7 / 1000. in \
            font 'DejaVu Sans,6' fontscale times linewidth 1.5 * times pointscale 0.6 * times" \
        : "set terminal pngcairo noenhanced size wide, high font 'DejaVu Sans,12' fontscale times \
            linewidth times pointscale times background rgb 'white'") \
    . "; set output out"

# Parts of its height, for margins that hold text: as much for every shape of the picture.
high_part(length) = length * times / high
titled = title eq "" ? 0 : 32

# ---- numbers -------------------------------------------------------------------------------------

quoted(s) = "'" . bare(s) . "'"
bare(s) = strstrt(s, "'") ? s[1:strstrt(s, "'") - 1] . "'\\''" . bare(s[strstrt(s, "'") + 1:*]) : s
command = quoted(here . "/plot-data.sh") . " " . kind . " " . options
while (runs ne "") {
    command = command . " " . quoted(runs[1:strstrt(runs, "\n") - 1])
    runs = runs[strstrt(runs, "\n") + 1:*]
}
# As a heredoc that a shell writes: what system() returns has a largest length.
load "< echo '$data << end_of_data'; " . command . "; status=$?; echo end_of_data; echo status = $status"
if (status) exit status status

# Lines '#KEY I TEXT' of the table: text(KEY, I), empty where there is none.
notes = "\n"
do for [i = 1:|$data|] {
    line = $data[i]
    if (line[1:1] eq "#") { notes = notes . line[2:*] . "\n" }
}
after(s, mark) = strstrt(s, mark) ? s[strstrt(s, mark) + strlen(mark):*] : ""
before(s, mark) = strstrt(s, mark) > 1 ? s[1:strstrt(s, mark) - 1] : ""
text(key, i) = before(after(notes, sprintf("\n%s\t%d\t", key, i)), "\n")
label(i) = text("label", i)
longest_label = 0
count = 0
while (label(count + 1) ne "") { count = count + 1; longest_label = strlen(label(count)) > longest_label ? strlen(label(count)) : longest_label }
# Of a legend as wide as the picture; at most four beside each other.
legend_rows(n) = ceil(n / (longest_label > 48 ? 1. : longest_label > 28 ? 2. : longest_label > 20 ? 3. : 4.))

# ---- units of time -------------------------------------------------------------------------------

unit_of(span) = span > 4 * 86400 ? 86400. : span > 4 * 3600 ? 3600. : span > 600 ? 60. : 1.
unit_name(unit) = unit == 86400 ? "days" : unit == 3600 ? "hours" : unit == 60 ? "minutes" : "seconds"
# Tics of a logarithmic axis of seconds: few words where it spans much, small tics between.
time_tics(decades) = decades > 3.5 \
    ? "set xtics ('1 s' 1, '' 10 1, '1 min' 60, '' 600 1, '1 h' 3600, '' 36000 1, '1 d' 86400, '' 864000 1, \
        '30 d' 2592000, '' 25920000 1, '3 y' 94608000)" \
    : "set xtics ('1 s' 1, '5 s' 5, '30 s' 30, '2 min' 120, '10 min' 600, '1 h' 3600, '4 h' 14400, \
        '1 d' 86400, '4 d' 345600, '15 d' 1296000, '60 d' 5184000, '1 y' 31536000)"

ratio_tics(decades) = decades > 1.5 \
    ? "set xtics (1, 10, 100, '10³' 1e3, '10⁴' 1e4, '10⁵' 1e5, '10⁶' 1e6)" \
    : "set xtics (1, 1.2, 1.5, 2, 3, 5, 10, 20, 50)"

# The round number (1, 2 or 5 times a power of ten, at least 1) next to a step: whole numbers on an axis.
round_step(step) = step <= 1 ? 1 : power_of(step) * (step / power_of(step) < 1.5 ? 1 : \
    step / power_of(step) < 3.5 ? 2 : step / power_of(step) < 7.5 ? 5 : 10)
power_of(step) = 10 ** floor(log10(step))
