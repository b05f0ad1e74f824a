# SPDX-License-Identifier: GPL-3.0-or-later
#
# Time in equal parts: a value that holds from one time to another adds value x seconds to sum[s, k] of
# each part k that it meets; the last part takes what is beyond. Loaded before a script that uses it.

function add_to_parts(sum, s, value, from, to, part, parts,    k, upto) {
    for (k = int(from / part) < parts ? int(from / part) : parts - 1; from < to; k++) {
        upto = k == parts - 1 || (k + 1) * part > to ? to : (k + 1) * part
        if (upto > from) {
            sum[s, k] += value * (upto - from)
            from = upto
        }
    }
}
