# SPDX-License-Identifier: GPL-3.0-or-later
#
# Means of classes of jobs, side by side for some runs: by gang size, or --by=vc, user_quintile, outcome,
# class.
#   Rscript scripts/plot-classes.R OUT RUN...           options: plot-common.R

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "plot-common.R"))
data <- read_data("classes")
labels <- texts("label")
classes <- texts("class")
metrics <- unique(data$metric)
by <- c(gpus = "GPUs of the job", vc = "virtual cluster", user_quintile = "users, fifths by GPU time",
    outcome = "recorded outcome", class = "class")[[option("by", "gpus")]]
is_tilted <- sum(nchar(classes)) > (if (length(metrics) == 1) 100 else 30)

open_picture(if (length(metrics) == 1) 520 else 380)
lay_out(labels, 1, length(metrics))
strip(labels, fill = colours, border = NA)
for (m in metrics) {
    of <- data[data$metric == m, ]
    is_time <- !grepl("slowdown", m)
    unit <- if (is_time) unit_of(max(of$value)) else 1
    is_log <- !is_time && max(of$value) > 20
    most <- max(of$value) / unit * (if (is_log) 1.3 else 1.04)
    foot <- if (is_log) 1 else 0
    if (most <= foot) most <- foot + 1
    yat <- if (is_log) 10^(0:6) else pretty(c(foot, most), 6)
    yat <- yat[yat >= foot & yat <= most]
    par(mar = c(if (is_tilted) 6 else 3, 4, 0.5, 0.6))
    panel(c(0.4, length(classes) + 0.6), c(foot, most), seq_along(classes), if (is_tilted) "" else by, yat,
        paste0(name_of(m), if (is_time) paste0(", ", unit_name(unit))), if (is_log) "y" else "",
        xlabels = FALSE, xgrid = NULL, at_left = 2.6)
    if (is_tilted) {
        text(seq_along(classes), grconvertY(-0.03, "npc"), classes, srt = 45, adj = c(1, 1), xpd = NA, col = "black")
        title(xlab = by, line = 4.9)
    } else {
        axis(1, seq_along(classes), classes, lwd = 0, gap.axis = 0.1)
    }
    width <- 0.8 / length(labels)
    left <- of$class + (of$run - (length(labels) + 1) / 2) * width - width * 0.46
    rect(left, foot, left + width * 0.92, pmax(of$value / unit, foot), col = colours[of$run], border = NA)
}
close_picture()
