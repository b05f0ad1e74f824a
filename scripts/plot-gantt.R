# SPDX-License-Identifier: GPL-3.0-or-later
#
# The schedules of small runs, of at most 500 segments: a row a GPU, a colour a job (the same in all runs),
# parts of a row where jobs share a GPU; a panel a run.
#   Rscript scripts/plot-gantt.R OUT RUN...             options: plot-common.R

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "plot-common.R"))
data <- read_data("gantt")
labels <- texts("label")
gpus <- as.integer(texts("gpus"))
unit <- unit_of(max(data$end, 1))
span <- max(data$end, 1) / unit
soft <- c("#7FB8D8", "#F2CF80", "#7FCEB9", "#EAAE80", "#ABD9F4", "#E5BCD3", "#B5B5B5", "#D9D38A")
marks <- c(off = "taken off its GPUs", lost = "failed, work lost")
marks <- marks[names(marks) %in% data$ended]
xat <- pretty(c(0, span), 7)
xat <- xat[xat <= span]

row <- max(min(18, 900 / max(gpus) / length(labels)), 90 / max(gpus))
open_picture(ceiling(80 + (row * max(gpus) + 34) * length(labels)))
lay_out(marks, length(labels), 1, heights = c(rep(1, length(labels) - 1), 1.1))
strip(marks, lty = c(off = 1, lost = NA)[names(marks)], pch = c(off = NA, lost = 4)[names(marks)], lwd = 1.6,
    seg.len = 1.4, col = c(off = "black", lost = "#B2182B")[names(marks)])
for (i in seq_along(labels)) {
    is_last <- i == length(labels)
    of <- data[data$run == i, ]
    par(mar = c(if (is_last) 3 else 0.6, 3.6, 1.3, 0.8))
    yat <- pretty(c(0, gpus[i]), 8)
    yat <- unique(floor(yat[yat < gpus[i]]))
    plot(NA, xlim = c(0, span), ylim = c(gpus[i], 0), axes = FALSE, xlab = "", ylab = "")
    abline(v = xat, col = pale, lwd = 0.6)
    rect(of$start / unit, of$lower, of$end / unit, of$upper, col = soft[of$colour], border = "white", lwd = 0.4)
    nodes <- strsplit(notes[startsWith(notes, paste0("node\t", i, "\t"))], "\t")
    abline(h = setdiff(as.integer(vapply(nodes, `[`, "", 3)), 0), col = grey, lwd = 0.8)
    off <- of[of$ended == "off", ]
    segments(off$end / unit, off$upper, off$end / unit, off$lower, col = "black", lwd = 1.2)
    lost <- of[of$ended == "lost", ]
    points(lost$end / unit, (lost$upper + lost$lower) / 2, pch = 4, cex = 0.6, lwd = 1.5, col = "#B2182B")
    named <- of[nzchar(of$job), ]
    fits <- strwidth(named$job, cex = 0.75) * 1.2 < (named$end - named$start) / unit &
        abs(strheight("X", cex = 0.75)) * 1.3 < named$lower - named$upper
    named <- named[fits, ]
    if (nrow(named)) text((named$start + named$end) / 2 / unit, (named$upper + named$lower) / 2, named$job, cex = 0.75, col = "black")
    box(lwd = 0.8)
    axis(1, xat, if (is_last) xat else FALSE, lwd = 0, lwd.ticks = 0.8)
    axis(2, yat + 0.5, yat, lwd = 0, lwd.ticks = 0)
    title(xlab = if (is_last) since_first(unit) else "", line = 1.7)
    title(ylab = "GPU", line = 2.2)
    mtext(labels[i], 3, 0.2, adj = 0, col = "black")
}
close_picture()
