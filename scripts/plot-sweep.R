# SPDX-License-Identifier: GPL-3.0-or-later
#
# Metrics along one axis of a sweep, a curve a policy: means over the seeds, with 95 % intervals.
#   Rscript scripts/plot-sweep.R OUT SWEEP              options: plot-common.R

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "plot-common.R"))
data <- read_data("sweep")
labels <- texts("label")
key <- gsub("_", " ", texts("axis"))
metrics <- unique(data$metric)
is_time <- function(m) m == "makespan" || grepl("^(mean|p50|p90|p95|p99|max)_(wait|jct|pending|time_to_progress|isolated)$", m)
is_share <- function(m) grepl("^(gpu_allocation|gpu_utilization|gpu_utilization_sum|loaded_share)(_loaded)?$", m) ||
    m %in% c("gpu_sharing", "goodput", "fragmentation", "colocated_share")
xat <- sort(unique(data$x))
if (length(xat) > (if (length(metrics) == 1) 12 else 6)) xat <- pretty(xat, 5)

open_picture(if (length(metrics) == 1) 560 else 400)
lay_out(labels, 1, length(metrics))
strip(labels, col = colours, lty = dashes, lwd = 1.6, pch = 19, seg.len = 1.8)
for (m in metrics) {
    of <- data[data$metric == m, ]
    unit <- if (is_time(m)) unit_of(max(of$mean)) else if (is_share(m)) 0.01 else 1
    is_log <- min(of$mean) > 0 && max(of$mean) / min(of$mean) > 30
    values <- c(of$mean, of$low, of$high) / unit
    ylim <- if (is_log) range(of$mean) / unit * c(1 / 1.5, 1.5) else range(0, values, na.rm = TRUE)
    if (!is_log && min(of$mean) >= 0) ylim[1] <- 0
    if (!is_log) ylim[2] <- ylim[2] * 1.04
    yat <- if (is_log) 10^(-6:9) else pretty(ylim, 6)
    yat <- yat[yat >= ylim[1] & yat <= ylim[2]]
    xlim <- range(data$x) + c(-0.04, 0.04) * max(diff(range(data$x)), 1e-9)
    par(mar = c(3, 4, 0.5, 0.6))
    panel(xlim, ylim, xat, key, yat,
        paste0(name_of(m), if (is_time(m)) paste0(", ", unit_name(unit)) else if (is_share(m)) ", %"),
        if (is_log) "y" else "", ylabels = format(yat, trim = TRUE, drop0trailing = TRUE, scientific = FALSE), at_left = 2.6)
    for (i in seq_along(labels)) {
        curve <- of[of$curve == i, ]
        # Intervals would cover each other.
        at <- curve$x + (i - (length(labels) + 1) / 2) * 0.005 * diff(range(data$x))
        low <- pmax(curve$low / unit, ylim[1])
        segments(at, low, at, curve$high / unit, col = colours[i], lwd = 1.2)
        lines(at, curve$mean / unit, col = colours[i], lty = dashes[i], lwd = 1.6, type = "o", pch = 19, cex = 0.7)
    }
}
close_picture()
