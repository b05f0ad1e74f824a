# SPDX-License-Identifier: GPL-3.0-or-later
#
# The requests of openb's pods over time if none ever waits: a line an event, time and thousandths of
# GPUs of the running pods. Reads openb_pod_list_default.csv; a pod that was never scheduled runs from its
# creation to its deletion.
#   awk -v order=SCRATCH-FILE -f openb-alive.awk openb_pod_list_default.csv
BEGIN { FS = "," }
FNR == 1 { next }
{
    run = $10 - ($11 == "" ? $9 : $11)
    milli = $4 * $5
    if (!($9 in change)) time[++events] = $9
    change[$9] += milli
    if (!($9 + run in change)) time[++events] = $9 + run
    change[$9 + run] -= milli
}
END {
    for (i = 1; i <= events; i++) print time[i], change[time[i]] | "sort -n >" order
    close("sort -n >" order)
    while ((getline line <order) > 0) {
        split(line, part, " ")
        alive += part[2]
        print part[1], alive
    }
}
