# SPDX-License-Identifier: GPL-3.0-or-later
#
# The segments of some small runs as boxes: a row a GPU, from 0 on; jobs that share a GPU have equal parts
# of its row for as long as they do; a job has the same colour in all runs.
#   awk -v runs=DIR1'\n'DIR2... [-v most=500] -f plot-csv.awk -f plot-gantt.awk
# Prints run, upper and lower edge, start, end, colour 1 to 8, what ends there (finish; off: preempted,
# suspended, migrated or cut by the horizon; lost; shared: only its part of the row changes), and the job
# on one box a segment. Also '#gpus I N', and '#node I FIRST NAME' for the nodes of run I.

# Colours as far apart in time as can be: the next one to whoever comes next.
function colour_of(job) {
    if (!(job in colours)) colours[job] = seen_jobs++ % 8 + 1
    return colours[job]
}

function read_segments(file,    n) {
    csv_open(file, "job_id start end allocated_resources ended_by")
    for (n = 0; csv_next(file); ) {
        if (of("allocated_resources") == "") continue # a CPU job
        if (++n > most) continue
        job[n] = of("job_id")
        start[n] = of("start") + 0
        end[n] = of("end") + 0
        where[n] = of("allocated_resources")
        ended[n] = of("ended_by")
        order[n] = n
    }
    close(file)
    if (n > most)
        csv_fail(file ": " n " segments; a Gantt chart has room for " most \
            "\n  = hint: draw it as 'heat', or run a part: --max-jobs=, --until=")
    return n
}

function by_start(n,    i, j, s) {
    for (i = 2; i <= n; i++) {
        s = order[i]
        for (j = i - 1; j > 0 && (start[order[j]] > start[s] || (start[order[j]] == start[s] && order[j] > s)); j--)
            order[j + 1] = order[j]
        order[j + 1] = s
    }
}

# GPUs of a segment into gpu[1..n]; n.
function gpus_of(s,    n, i, g, parts, range, bound) {
    parts = split(where[s], range, " ")
    for (i = 1; i <= parts; i++) {
        if (split(range[i], bound, "-") == 1) bound[2] = bound[1]
        for (g = bound[1] + 0; g <= bound[2] + 0; g++) gpu[++n] = g
    }
    return n
}

# Into list[g, 1..members[g]] the segments of each GPU, by start.
function deal_out(n,    i, k, g) {
    split("", members)
    for (i = 1; i <= n; i++) {
        k = gpus_of(order[i])
        for (g = 1; g <= k; g++) {
            list[gpu[g], ++members[gpu[g]]] = order[i]
            if (gpu[g] + 1 > gpus) gpus = gpu[g] + 1
        }
    }
}

# How many of a GPU's segments hold it from a time on, and the place among them of segment s.
function sharers_at(g, t, s,    i, other, count) {
    for (i = 1; i <= members[g]; i++) {
        other = list[g, i]
        if (start[other] > t) break
        if (other == s) place = count
        if (end[other] > t) count++
    }
    return count
}

# The next time after t at which somebody comes to a GPU or leaves it, or the end.
function next_change(g, t, last,    i, other) {
    for (i = 1; i <= members[g]; i++) {
        other = list[g, i]
        if (start[other] > t && start[other] < last) last = start[other]
        if (end[other] > t && end[other] < last) last = end[other]
    }
    return last
}

# A piece of segment s on a GPU: the part of the row that is its own from one time to another. It grows
# down into the next GPU of the node where s has all of both, else it is a box of its own.
function add_piece(s, g, upper, lower, from, to,    p) {
    if (lower - upper == 1 && !(g in begins) && ((s, from, to, g) in ends_at)) {
        p = ends_at[s, from, to, g]
        piece_lower[p] = lower
    } else {
        p = ++pieces
        piece_of[p] = s
        piece_upper[p] = upper
        piece_lower[p] = lower
        piece_from[p] = from
        piece_to[p] = to
    }
    if (lower - upper == 1) ends_at[s, from, to, g + 1] = p
}

function cut_segment(s, g,    t, upto, k, from, sharers, at_place) {
    from = t = start[s]
    if (end[s] == t) return # it had no length
    k = sharers_at(g, t, s)
    at_place = place
    while ((upto = next_change(g, t, end[s])) < end[s]) {
        t = upto
        sharers = sharers_at(g, t, s)
        if (sharers != k || place != at_place) {
            add_piece(s, g, g + at_place / k, g + (at_place + 1) / k, from, t)
            from = t
            k = sharers
            at_place = place
        }
    }
    add_piece(s, g, g + at_place / k, g + (at_place + 1) / k, from, end[s])
}

function kind_of(how) {
    if (how == "finish") return how
    return how ~ /^(preempt|suspend|migrate|horizon)$/ ? "off" : "lost"
}

# The largest piece of a segment has its label, the last ones tell how it ended.
function print_pieces(run,    p, s, area, best, largest) {
    for (p = 1; p <= pieces; p++) {
        s = piece_of[p]
        area = (piece_lower[p] - piece_upper[p]) * (piece_to[p] - piece_from[p])
        if (!(s in best) || area > largest[s]) {
            best[s] = p
            largest[s] = area
        }
    }
    for (p = 1; p <= pieces; p++) {
        s = piece_of[p]
        printf "%d\t%.4f\t%.4f\t%.6f\t%.6f\t%d\t%s\t%s\n", run, piece_upper[p], piece_lower[p], \
            piece_from[p], piece_to[p], colour_of(job[s]), \
            piece_to[p] == end[s] ? kind_of(ended[s]) : "shared", best[s] == p ? plain(job[s]) : ""
    }
}

function read_nodes(run, file,    first, line) {
    split("", begins)
    if ((getline line < file) <= 0) return
    close(file)
    csv_open(file, "name gpus")
    while (csv_next(file)) {
        begins[first + 0] = 1
        print "#node\t" run "\t" first + 0 "\t" plain(of("name"))
        first += of("gpus")
    }
    close(file)
    gpus = first
}

BEGIN {
    if (!most) most = 500
    count = split(runs, dir, "\n")
    for (run = 1; run <= count; run++) {
        gpus = pieces = 0
        split("", ends_at)
        n = read_segments(dir[run] "/segments.csv")
        by_start(n)
        read_nodes(run, dir[run] "/nodes.csv")
        deal_out(n)
        for (i = 1; i <= n; i++) {
            colour_of(job[order[i]])
            k = gpus_of(order[i])
            for (g = 1; g <= k; g++) cut_segment(order[i], gpu[g])
        }
        print "#gpus\t" run "\t" gpus
        print_pieces(run)
    }
}
