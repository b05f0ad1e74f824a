# SPDX-License-Identifier: GPL-3.0-or-later
#
# Where and when GPUs are held: a row a node (or some, where they are many), time from left to right,
# dark where jobs hold all GPUs; a panel a run.
#   Rscript scripts/plot-heat.R OUT RUN...              options: plot-common.R

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "plot-common.R"))
data <- read_data("heat")
labels <- texts("label")
unit <- unit_of(max(data$end))
span <- max(data$end) / unit
shades <- grDevices::colorRampPalette(c("#F4F6F8", "#BFD5E8", "#73A9CF", "#2171B5", "#08306B"))(101)
xat <- pretty(c(0, span), 7)
xat <- xat[xat <= span]

open_picture(90 + (if (length(labels) == 1) 360 else 200) * length(labels))
lay_out(NULL, length(labels), 1, heights = c(rep(1, length(labels) - 1), 1.15))
strip(NULL)
for (i in seq_along(labels)) {
    is_last <- i == length(labels)
    of <- data[data$run == i, ]
    nodes <- max(of$last) + 1
    group <- of$last[1] + 1
    parts <- sum(of$first == 0)
    par(mar = c(if (is_last) 3 else 0.6, 3.6, 1.3, 6))
    plot(NA, xlim = c(0, span), ylim = c(nodes - 0.5, -0.5), axes = FALSE, xlab = "", ylab = "")
    cells <- matrix(shades[round(100 * pmin(of$held, 1)) + 1], ncol = parts, byrow = TRUE)
    rasterImage(cells, 0, nodes - 0.5, max(of$end) / unit, -0.5, interpolate = FALSE)
    box(lwd = 0.8)
    axis(1, xat, if (is_last) xat else FALSE, lwd = 0, lwd.ticks = 0.8)
    yat <- pretty(c(0, nodes - 1), 5)
    axis(2, unique(floor(yat[yat < nodes])), lwd = 0, lwd.ticks = 0.8)
    title(xlab = if (is_last) since_first(unit) else "", line = 1.7)
    title(ylab = if (group > 1) sprintf("node (%d a row)", group) else "node", line = 2.2)
    mtext(labels[i], 3, 0.2, adj = 0, col = "black")
    if (is_last) {
        rasterImage(rev(shades), span * 1.03, nodes - 0.5, span * 1.05, -0.5, xpd = NA)
        text(span * 1.06, (nodes - 0.5) - nodes * seq(0, 1, 0.25), seq(0, 100, 25), adj = 0, xpd = NA, col = "black")
        text(span * 1.125, (nodes - 1) / 2, "GPUs held, %", srt = 90, xpd = NA, col = "black")
    }
}
close_picture()
