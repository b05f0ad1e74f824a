# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tables of results/gavel.md from the cells of all experiments (scripts/reproduce-gavel.sh): the table
# NAME is function NAME(of), which reproduce-common.sh calls. Published told are those of the
# notebooks of stanford-futuredata/gavel c4fa400, ratios those of the paper's text (OSDI'20, 7.3).

function jct(place, p, published) {
    if (!stat(place, p, "", "mean_jct"))
        return " - |"
    return sprintf(" %.1f", mean / 3600) bracket(sprintf("%.1f", low / 3600), sprintf("%.1f", high / 3600)) \
        (published != "" ? ", " published : "") " |"
}

# A row a policy: mean JCT in hours, ours and published, a column each rate.
function row(name, p, experiment, rates, published,    r, told, n, i, text) {
    n = split(rates, r, " ")
    split(published, told, " ")
    text = "| " name " |"
    for (i = 1; i <= n; i++)
        text = text jct(experiment ", " r[i], p, told[i] == "-" ? "" : told[i])
    print text
}

BEGIN {
    fifo = "gavel:objective=fifo"
    blind = "gavel:objective=las,aware=no"
    aware = "gavel:objective=las"
    pairs = "gavel:objective=las,share=pairs"
}

function single(_,    rates) {
    rates = "0.4 3.2 4.8 5.6"
    head("| mean JCT, h: ours, published | 0.4 jobs/h | 3.2 | 4.8 | 5.6 |")
    row("fifo, aware", fifo, "one", rates, "15.31 15.95 22.24 104.12")
    row("fifo, aware, in pairs", fifo ",share=pairs", "one", rates, "- - - -")
    row("las, not aware", blind, "one", rates, "23.26 23.59 35.79 95.99")
    row("las, aware", aware, "one", rates, "17.58 16.08 18.97 28.96")
    row("las, aware, in pairs", pairs, "one", rates, "18.42 16.18 18.67 19.64")
    row("allox", "allox", "one", rates, "17.58 16.43 20.92 25.32")
}

function gangs(_) {
    head("| mean JCT, h: ours, published | 2.6 jobs/h | 2.8 |")
    row("fifo, aware", fifo, "many", "2.6 2.8", "- -")
    row("las, not aware", blind, "many", "2.6 2.8", "70.5 169.9")
    row("las, aware", aware, "many", "2.6 2.8", "36.4 55.8")
    row("las, aware, in pairs", pairs, "many", "2.6 2.8", "30.5 -")
    row("ftf, not aware", "ftf:aware=no,reset=1920s", "ftf", "2.6", "64.4")
    row("ftf, aware", "ftf:reset=1920s", "ftf", "2.6", "33.9")
}

function ratios(_) {
    head("| | published | ours | off | |")
    published_ratio("las, not aware / aware, 0.4 jobs/h, mean JCT", 23.26 / 17.58, "one, 0.4", blind, aware, "mean_jct")
    published_ratio("the same, 3.2", 23.59 / 16.08, "one, 3.2", blind, aware, "mean_jct")
    published_ratio("the same, 4.8", 35.79 / 18.97, "one, 4.8", blind, aware, "mean_jct")
    published_ratio("the same, 5.6", 95.99 / 28.96, "one, 5.6", blind, aware, "mean_jct")
    published_ratio("las, aware, alone / in pairs, 3.2", 16.08 / 16.18, "one, 3.2", aware, pairs, "mean_jct")
    published_ratio("the same, 4.8", 18.97 / 18.67, "one, 4.8", aware, pairs, "mean_jct")
    published_ratio("the same, 5.6", 28.96 / 19.64, "one, 5.6", aware, pairs, "mean_jct")
    published_ratio("allox / las, aware, 5.6", 25.32 / 28.96, "one, 5.6", "allox", aware, "mean_jct")
    published_ratio("fifo / las, both aware, 5.6", 104.12 / 28.96, "one, 5.6", fifo, aware, "mean_jct")
    published_ratio("gangs: las, not aware / aware, 2.6 jobs/h", 70.5 / 36.4, "many, 2.6", blind, aware, "mean_jct")
    published_ratio("the same, 2.8", 169.9 / 55.8, "many, 2.8", blind, aware, "mean_jct")
    published_ratio("gangs: las, aware, alone / in pairs, 2.6", 36.4 / 30.5, "many, 2.6", aware, pairs, "mean_jct")
    published_ratio("gangs: ftf, not aware / aware, 2.6, mean JCT", 64.4 / 33.9, "ftf, 2.6", \
        "ftf:aware=no,reset=1920s", "ftf:reset=1920s", "mean_jct")
    published_ratio("the same, mean rho", 2.8, "ftf, 2.6", "ftf:aware=no,reset=1920s", "ftf:reset=1920s", "mean_rho")
    published_ratio("700 jobs at once, makespan: fifo (ours aware, published not) / makespan, aware", 619.5 / 244.2, "at once", fifo, \
        "gavel:objective=makespan", "makespan")
    published_ratio("the same, makespan, aware: alone / in pairs", 244.2 / 226.2, "at once", "gavel:objective=makespan", \
        "gavel:objective=makespan,share=pairs", "makespan")
}

function rounds(_,    r, i, text) {
    head("| round | mean JCT, h | to 360 s |")
    split("60 360 1440", r, " ")
    for (i = 1; i <= 3; i++)
        print "| " r[i] " s |" jct("rounds", "gavel:round=" r[i] "s", "") " " \
            ratio("rounds", "gavel:round=" r[i] "s", "gavel:round=360s", "mean_jct") " |"
}
