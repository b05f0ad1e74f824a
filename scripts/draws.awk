# SPDX-License-Identifier: GPL-3.0-or-later
#
# Random draws for the generators of workloads; goes before the generator:
#     awk -v kind=mix -v seed=1 -f scripts/draws.awk -f scripts/gandiva-workloads.awk
# A seed makes the same jobs everywhere: MINSTD (Park and Miller, CACM 1988) is exact in doubles, and
# callers round, which hides how a library computes a logarithm.

function random() {
    state = (state * 16807) % 2147483647
    return state
}

function uniform() { return random() / 2147483647 } # 0 < u < 1

# Adjacent seeds begin alike: the first numbers are discarded.
function begin_stream(number,    i) {
    state = number
    for (i = 0; i < 20; i++)
        random()
}

# Box and Muller; a statement a draw, since awk may evaluate operands in any order.
function normal(    u, v) {
    u = uniform()
    v = uniform()
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v)
}

# A random order of 1 to n in order[].
function shuffle(order, n,    i, j, held) {
    for (i = 1; i <= n; i++)
        order[i] = i
    for (i = n; i > 1; i--) {
        j = 1 + random() % i
        held = order[i]
        order[i] = order[j]
        order[j] = held
    }
}

# Ascending, list[1] to list[n], by insertion: a few thousand numbers at most.
function sort_numbers(list, n,    i, j, held) {
    for (i = 2; i <= n; i++) {
        held = list[i]
        for (j = i - 1; j > 0 && list[j] > held; j--)
            list[j + 1] = list[j]
        list[j + 1] = held
    }
}
