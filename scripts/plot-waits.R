# SPDX-License-Identifier: GPL-3.0-or-later
#
# What waiting jobs wait for, over time: the GPUs that they want by cause, stacked; a panel a run.
#   Rscript scripts/plot-waits.R OUT RUN...             options: plot-common.R

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "plot-common.R"))
data <- read_data("waits")
labels <- texts("label")
causes <- texts("cause")
fills <- c(capacity = "#9A9A9A", order = "#D55E00", quota = "#56B4E9", locality = "#CC79A7")[causes]
fills[is.na(fills)] <- "#E69F00"
unit <- unit_of(max(data$end))
span <- max(data$end) / unit
most <- max(data$high, 1)
yat <- pretty(c(0, most), 3)
xat <- pretty(c(0, span), 7)
xat <- xat[xat <= span]

open_picture(120 + 190 * length(labels))
lay_out(causes, length(labels), 1, heights = c(rep(1, length(labels) - 1), 1.25))
strip(causes, fill = fills, border = NA)
for (i in seq_along(labels)) {
    is_last <- i == length(labels)
    par(mar = c(if (is_last) 3 else 0.9, 4.6, 0.3, 0.8))
    panel(c(0, span), c(0, most * 1.05), xat, if (is_last) since_first(unit) else "", yat, "GPUs wanted",
        xlabels = if (is_last) xat, at_left = 3.2)
    for (k in seq_along(causes)) {
        of <- data[data$run == i & data$key == causes[k], ]
        middle <- (of$begin + of$end) / 2 / unit
        polygon(c(middle, rev(middle)), c(of$low, rev(of$high)), col = fills[k], border = NA)
    }
    text(span * 0.008, most * 0.95, labels[i], adj = 0, col = "black")
}
close_picture()
