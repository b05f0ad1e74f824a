# SPDX-License-Identifier: GPL-3.0-or-later
#
# How the completion times, waits and slowdowns of the jobs of some runs are distributed: the share of
# the jobs, done and inside the window of --warmup and --cooldown, at or below a value.
#   Rscript scripts/plot-cdf.R OUT RUN...               options: plot-common.R
# The axes are logarithmic; jobs that did not wait stand left of them, at 0.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "plot-common.R"))
data <- read_data("cdf")
labels <- texts("label")
metrics <- unique(data$metric)
names_of <- c(jct = "job completion time, JCT", wait = "wait to first start", pending = "time without GPUs",
    slowdown = "slowdown, JCT / run time alone", run_slowdown = "slowdown while running")

open_picture(if (length(metrics) == 1) 560 else 400)
lay_out(labels, 1, length(metrics), c(1 + 0.1 * (length(metrics) > 1), rep(1, length(metrics) - 1)))
strip(labels, col = colours, lty = dashes, lwd = 1.6, seg.len = 1.6)
for (m in metrics) {
    is_time <- m %in% c("jct", "wait", "pending")
    of <- data[data$metric == m, ]
    positive <- of$value[of$value > 0 & of$share > 0.002]
    least <- if (is_time && length(positive)) max(1, min(positive)) else 1
    most <- max(of$value, least * 1.5)
    span <- log10(most / least)
    zero_at <- least / 10^(0.12 * span)
    has_zero <- any(of$value <= 0)
    ticks <- if (is_time) time_ticks(span) else ratio_ticks(span)
    ticks <- ticks[ticks >= least * 0.99 & ticks <= most]
    if (has_zero) ticks <- c("0" = zero_at, ticks)
    is_first <- m == metrics[1]
    par(mar = c(3, if (is_first) 3.6 else 1, 0.5, 0.8))
    panel(c((if (has_zero) zero_at else least) / 10^(0.02 * span), most * 10^(0.03 * span)), c(0, 102),
        xat = ticks, xlabels = names(ticks), xlab = names_of[[m]], yat = seq(0, 100, 25),
        ylabels = if (is_first) seq(0, 100, 25) else FALSE, ylab = if (is_first) "jobs at or below, %" else "", log = "x")
    for (i in seq_along(labels)) {
        curve <- of[of$run == i, ]
        at <- ifelse(curve$value <= 0, zero_at, pmax(curve$value, least))
        lines(at, 100 * curve$share, type = "s", col = colours[i], lty = dashes[i], lwd = 1.6)
        zero <- curve$value == (if (is_time) 0 else 1)
        points(at[zero], 100 * curve$share[zero], pch = 19, cex = 0.7, col = colours[i])
    }
}
close_picture()
