# SPDX-License-Identifier: GPL-3.0-or-later
#
# The rows of plot-series.awk, of gpus_waiting, with the causes on top of each other: two columns more,
# low and high. Lines '#cause I NAME' tell which kept anybody waiting, in the order of the stack. Shape is
# left out where its parts, fragmentation and locality, are told.
#   plot-data.sh's table | awk -f plot-waits.awk

BEGIN {
    FS = OFS = "\t"
    named = split("capacity shape fragmentation locality quota order", name, " ")
}

/^#/ { print; next }

!header { header = $0; next }

{
    row[++rows] = $0
    has[$2] = 1
    if ($6 + 0 > most[$2]) most[$2] = $6 + 0
}

END {
    if (has["fragmentation"]) delete has["shape"]
    for (c = 1; c <= named; c++)
        if (has[name[c]] && most[name[c]] > 0) print "#cause", ++causes, name[c]
    if (!causes) print "#cause", 1, "capacity"
    print header, "low", "high"
    for (c = 1; c <= named; c++)
        for (r = 1; has[name[c]] && r <= rows; r++) {
            split(row[r], f, FS)
            if (f[2] != name[c]) continue
            low = top[f[3], f[4]] + 0
            top[f[3], f[4]] = low + f[6]
            printf "%s\t%.9g\t%.9g\n", row[r], low, low + f[6]
        }
}
