# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the plots by R share, in base graphics alone: palette, sizes, units, and the numbers, which are
# those of plot-data.sh as in the plots by gnuplot. Called as
#   Rscript scripts/plot-KIND.R [--size=WxH] [--title=TEXT] [--KEY=VALUE...] OUT.png|OUT.pdf RUN...

# Okabe and Ito: colour-blind readers can tell these apart; dashes help where it is printed grey.
colours <- c("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#8C8C8C")
dashes <- c(1, 1, 1, 1, 2, 2, 2, 2)
grey <- "#555555"
pale <- "#E4E4E4"

# ---- command line and numbers --------------------------------------------------------------------

words <- commandArgs(trailingOnly = TRUE)
is_option <- startsWith(words, "--")
operands <- words[!is_option]
option <- function(key, otherwise) {
    found <- words[is_option & startsWith(words, paste0("--", key, "="))]
    text <- sub("^[^=]*=", "", found[length(found)])
    if (length(text) && nzchar(text)) text else otherwise
}
leave <- function(status, ...) {
    message(...)
    quit(status = status)
}
if (length(operands) < 2) leave(2, "usage: Rscript plot-KIND.R OUT.png|OUT.pdf RUN...")
out <- operands[1]
is_pdf <- endsWith(out, ".pdf")
if (!is_pdf && !endsWith(out, ".png")) leave(2, "plot: ", out, ": the picture's name must end in .png or .pdf")
title_text <- option("title", "")

# The table of a kind: notes (lines '#KEY I TEXT') aside, in `notes`.
read_data <- function(kind) {
    others <- words[is_option & !grepl("^--(size|title)=", words)]
    file <- tempfile()
    status <- system2(file.path(here, "plot-data.sh"), shQuote(c(kind, others, operands[-1])), stdout = file)
    if (status != 0) quit(status = status)
    lines <- readLines(file, encoding = "UTF-8")
    unlink(file)
    is_note <- startsWith(lines, "#")
    notes <<- sub("^#", "", lines[is_note])
    rows <- lines[!is_note & nzchar(lines)]
    utils::read.delim(text = rows, quote = "", comment.char = "", encoding = "UTF-8",
        na.strings = "NaN", colClasses = columns[strsplit(rows[1], "\t")[[1]]])
}
columns <- c(metric = "character", key = "character", run = "integer", value = "numeric", share = "numeric",
    begin = "numeric", end = "numeric", mean = "numeric", low = "numeric", high = "numeric",
    class = "integer", jobs = "integer", upper = "numeric", lower = "numeric", start = "numeric",
    colour = "integer", ended = "character", job = "character", first = "integer", last = "integer",
    held = "numeric", curve = "integer", x = "numeric", points = "integer")
# The texts of all notes of a key, in order.
texts <- function(key) sub("^[^\t]*\t[^\t]*\t", "", notes[startsWith(notes, paste0(key, "\t"))])

# ---- the picture ---------------------------------------------------------------------------------

# Opens it, laid out for a height where the width is 1000; these are 7 inches of a PDF.
open_picture <- function(height) {
    size <- as.integer(strsplit(option("size", paste0("1000x", height)), "x")[[1]])
    scale <- size[1] / 1000
    if (is_pdf) {
        grDevices::cairo_pdf(out, size[1] * 7 / 1000, size[2] * 7 / 1000, pointsize = 8 * scale,
            family = "DejaVu Sans")
    } else {
        grDevices::png(out, size[1], size[2], type = "cairo", res = 1000 / 7 * scale, pointsize = 8,
            family = "DejaVu Sans")
    }
    par(las = 1, mgp = c(2.1, 0.5, 0), tcl = -0.25, bty = "l", fg = grey, col.axis = "black",
        col.lab = "black", cex = 1, lend = "butt", xaxs = "i", yaxs = "i")
}

# An empty panel with a light grid; where the ticks are comes from the caller.
panel <- function(xlim, ylim, xat, xlab = "", yat = NULL, ylab = "", log = "", xlabels = xat, ylabels = yat,
                  xgrid = xat, at_left = 2.4) {
    plot(NA, xlim = xlim, ylim = ylim, log = log, axes = FALSE, xlab = "", ylab = "")
    if (length(xgrid)) abline(v = xgrid, col = pale, lwd = 0.6)
    if (length(yat)) abline(h = yat, col = pale, lwd = 0.6)
    box(lwd = 0.8)
    if (!is.null(xlabels)) axis(1, xat, xlabels, lwd = 0, lwd.ticks = 0.8, gap.axis = 0.3) else
        axis(1, xat, FALSE, lwd = 0, lwd.ticks = 0.8)
    if (length(yat)) axis(2, yat, ylabels, lwd = 0, lwd.ticks = 0.8)
    title(xlab = xlab, line = 1.7)
    title(ylab = ylab, line = at_left)
}

# Legend and title in a strip of their own, above the panels.
strip <- function(labels, ...) {
    par(mar = c(0, 0, 0, 0))
    plot.new()
    if (nzchar(title_text)) title(title_text, line = -1.6, cex.main = 1.2, font.main = 1, col.main = "black")
    if (length(labels)) legend("bottom", labels, bty = "n", text.col = "black", ncol = legend_columns(labels), ...)
}
# Of a legend as wide as the picture.
legend_columns <- function(labels) {
    longest <- max(nchar(labels), 0)
    min(max(length(labels), 1), if (longest > 48) 1 else if (longest > 28) 2 else if (longest > 20) 3 else 4)
}
# A strip for these labels, below it rows x columns panels.
lay_out <- function(labels, rows, columns, widths = rep(1, columns), heights = rep(1, rows)) {
    lines <- 0.6 + 1.3 * ceiling(length(labels) / legend_columns(labels)) + (if (nzchar(title_text)) 2 else 0)
    layout(rbind(1, matrix(seq_len(rows * columns) + 1, rows, columns, byrow = TRUE)), widths = widths,
        heights = c(lcm(lines * par("csi") * 2.54), heights))
    par(cex = 1)
}

close_picture <- function() invisible(dev.off())

# ---- units of time -------------------------------------------------------------------------------

unit_of <- function(span) if (span > 4 * 86400) 86400 else if (span > 4 * 3600) 3600 else if (span > 600) 60 else 1
unit_name <- function(unit) c("86400" = "days", "3600" = "hours", "60" = "minutes", "1" = "seconds")[[as.character(unit)]]
since_first <- function(unit) paste(unit_name(unit), "since the first submission")
# Ticks of a logarithmic axis of seconds: few where it spans much.
time_ticks <- function(decades) {
    if (decades > 3.5) {
        c("1 s" = 1, "1 min" = 60, "1 h" = 3600, "1 d" = 86400, "30 d" = 2592000, "3 y" = 94608000)
    } else {
        c("1 s" = 1, "5 s" = 5, "30 s" = 30, "2 min" = 120, "10 min" = 600, "1 h" = 3600, "4 h" = 14400,
            "1 d" = 86400, "4 d" = 345600, "15 d" = 1296000, "60 d" = 5184000, "1 y" = 31536000)
    }
}

# ---- names of metrics ----------------------------------------------------------------------------

name_of <- function(metric) {
    known <- c(gpu_utilization = "GPU utilization", gpu_allocation = "GPUs held")
    if (metric %in% names(known)) return(known[[metric]])
    text <- sub("_jct$", "_JCT", metric)
    text <- sub("^max_", "largest_", sub("^p([0-9]+)_", "\\1 % quantile, ", text))
    gsub("_", " ", sub("run_slowdown", "slowdown while running", text))
}
ratio_ticks <- function(decades) {
    if (decades > 1.5) {
        c("1" = 1, "10" = 10, "100" = 100, "10³" = 1e3, "10⁴" = 1e4, "10⁵" = 1e5, "10⁶" = 1e6)
    } else {
        c("1" = 1, "1.2" = 1.2, "1.5" = 1.5, "2" = 2, "3" = 3, "5" = 5, "10" = 10, "20" = 20, "50" = 50)
    }
}
