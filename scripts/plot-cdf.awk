# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sorted numbers, one a line, to their distribution: value, tab, share of the numbers at or below it.
# Every distinct value where there are at most POINTS; else those at POINTS ranks at equal distances,
# the least and the largest among them, each with its exact share.
#   sort -n NUMBERS | awk [-v points=512] -f plot-cdf.awk

{ value[NR] = $1 + 0; distinct += NR == 1 || value[NR] != value[NR - 1] }

END {
    if (!points) points = 512
    step = distinct > points ? (NR - 1) / (points - 1) : 1
    upto = 0
    for (k = 0; (rank = 1 + int(k * step + 1e-9)) <= NR; k++) {
        if (rank <= upto) continue # of a value that was told
        for (upto = rank; upto < NR && value[upto + 1] == value[rank]; upto++);
        printf "%.6f\t%.9f\n", value[rank], upto / NR
    }
}
