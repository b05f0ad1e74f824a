# SPDX-License-Identifier: GPL-3.0-or-later
#
# Some runs over time: GPUs held, modelled utilization of all GPUs, jobs waiting.
#   Rscript scripts/plot-time.R OUT RUN...              options: plot-common.R
# A point is the mean over 1/120 of its run (--parts); jobs waiting are those pending and suspended.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "plot-common.R"))
data <- read_data("time")
labels <- texts("label")
gpus <- as.numeric(texts("gpus"))
unit <- unit_of(max(data$end))
span <- max(data$end) / unit

open_picture(620)
lay_out(labels, 3, 1, heights = c(1, 1, 1.22))
strip(labels, col = colours, lty = dashes, lwd = 1.6, seg.len = 1.6)
draw <- function(metric, most, yat, ylab, scale = 1, is_last = FALSE) {
    par(mar = c(if (is_last) 3 else 0.9, 4.2, 0.3, 0.8))
    xat <- pretty(c(0, span), 7)
    xat <- xat[xat <= span]
    panel(c(0, span), c(0, most * 1.03), xat, if (is_last) since_first(unit) else "", yat, ylab,
        xlabels = if (is_last) xat, at_left = 2.8)
    for (i in seq_along(labels)) {
        of <- data[data$metric == metric & data$run == i, ]
        lines((of$begin + of$end) / 2 / unit, scale * of$mean, col = colours[i], lty = dashes[i], lwd = 1.5)
    }
}
held <- if (length(gpus)) gpus else max(data$mean[data$metric == "gpus_held"])
draw("gpus_held", held, seq(0, held, length.out = 5), if (length(gpus)) paste("GPUs held of", gpus) else "GPUs held")
draw("util_model", 100, seq(0, 100, 25), "utilization, %", 100)
waiting <- max(data$mean[data$metric == "waiting"], 1)
draw("waiting", waiting, pretty(c(0, waiting), 4), "jobs waiting", is_last = TRUE)
close_picture()
