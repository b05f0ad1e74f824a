/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Synergy: rounds that give jobs the CPUs and the host memory that make them fastest.
 *
 *     at a multiple of `round`, if anything can have changed
 *         an empty cluster; jobs in order (fifo: arrival; las: attained time x GPUs; srtf: time
 *             left; ftf: finish time relative to run time, the largest first)
 *         fair:   each with the share of a GPU in its node
 *         greedy: each with the least that makes it fastest, or not at all
 *         tune:   each with the least that makes it fastest, else with at most the fair share,
 *                 for which others are cut to theirs
 *         opt:    as tune, with what an integer program finds for them
 *         a job that keeps nodes and allotment goes on; others are taken off, then placed
 *
 * A job that has no room is passed over. Under las, and with opt, only those are tried whose gangs
 * have GPUs, with tune and opt the largest first. Between boundaries freed GPUs stay idle and
 * arrivals wait. Under all orders but fifo a job that has not run for 1,000 hours is first. Where a
 * node states no CPUs or no memory, nothing is allotted and all jobs run as they are.
 *
 * Cost of a round: O(jobs tried x log nodes), and under las, srtf and ftf O(jobs log jobs); a round
 * of fifo without arrival or end is skipped.
 */
#include <math.h>
#include <string.h>

#include "policies/lib/vc_queues.h"

static const char *const mechanism_names[] = {"fair", "greedy", "tune", "opt", NULL};
static const char *const compat_names[] = {"off", "synergy", NULL};
static const char *const order_names[] = {"fifo", "las", "srtf", "ftf", NULL};

#define ROUNDED_OFF 1e-9 /* of a product in Q32 */
#define LATE_US     1000 /* compat: the most that these add up to in a run of a job */
#define STARVED_US  (INT64_C(1000) * 3600 * 1000000) /* msr-fiddle/synergy 1bb2bed, simulator */

enum synergy_mechanism { FAIR, GREEDY, TUNE, OPT };
enum synergy_order { FIFO, LAS, SRTF, FTF };

/* CPUs, in thousandths, and host memory: of a GPU of a job, unless stated. */
struct synergy_share {
    uint64_t cpus_milli, mem_mib;
};

/* A job on a node in one round. */
struct synergy_place {
    hs_job_id job; /* HS_NO_JOB: it has finished */
    uint32_t node, gpus;
    uint32_t before; /* the place on the node that was given before it; NO_PLACE */
};
#define NO_PLACE UINT32_MAX

/* What this round leaves of a node. */
struct synergy_node {
    uint32_t gpus, last; /* place */
    struct synergy_share left;
};

/* The places of one round, of each job one behind the other. */
struct synergy_round {
    struct synergy_place *places;
    uint32_t count;
};

struct synergy {
    int32_t mechanism, order, compat; /* the last: 0 = off */
    int64_t round_us, phase_us;
    struct hs_preempt_cost cost; /* parameters up to here */
    struct synergy_share fair;   /* 0: the nodes do not state what they have: nothing is allotted */
    struct synergy_share server; /* the largest node */
    struct synergy_node *nodes;
    uint64_t *by_free; /* bits of the nodes with 0, 1, 2, .. free GPUs, each so many words */
    uint32_t words;
    struct synergy_round now, last;
    struct hs_job_place *kept; /* jobs that this round tries */
    uint64_t *room;            /* GPUs that each VC may still have in this round */
    uint64_t free;             /* GPUs of all nodes */
    struct hs_job_chain jobs;  /* in order */
    uint64_t count;
    int64_t boundary_us, next_us; /* that is due; INT64_MAX: none */
    uint32_t ending;              /* compat: jobs that end at the next boundary */
    bool is_woken;                /* a job came or went since the last round */
    struct hs_vc_queues cpu_jobs;
};

struct synergy_scratch {
    union {
        struct hs_job_queue_link queue; /* of a CPU job */
        struct hs_job_chain_link chain;
    };
    int64_t key;
    int64_t ran_us;                       /* when it last held GPUs, or came */
    struct synergy_share best;            /* the least that makes it fastest */
    struct synergy_share wants;           /* opt: of this round */
    struct synergy_share gets, had;       /* in this round, and in the last one */
    uint32_t first, places;               /* in this round */
    uint32_t last_first, last_places;     /* in the last one */
    bool holds;                           /* GPUs */
    int64_t steps_left, step_us, used_us; /* compat */
};

static struct synergy_scratch *job_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static struct synergy_share at_most(struct synergy_share a, struct synergy_share b)
{
    return (struct synergy_share){hs_smaller(a.cpus_milli, b.cpus_milli),
                                  hs_smaller(a.mem_mib, b.mem_mib)};
}

static bool are_same(struct synergy_share a, struct synergy_share b)
{
    return a.cpus_milli == b.cpus_milli && a.mem_mib == b.mem_mib;
}

static uint64_t speed_q32(const struct hs_view *v, hs_job_id job, struct synergy_share share)
{
    return hs_view_host_q32(v, job, (uint32_t)share.cpus_milli, (uint32_t)share.mem_mib);
}

/* ---- places of a round ----
 *
 * The policy has its own account of the nodes, because a job that has its place may still be cut.
 *
 *     whole     the node with fewest free GPUs, lowest id, that has room for the whole demand
 *     in parts  GPU by GPU, always from the node with fewest GPUs left
 *     tune      the demand, else at most the fair share, else jobs on the nodes that have GPUs are
 *               cut to it: those on fewest nodes first, then those with most CPUs and memory a GPU
 *
 * O(log nodes) a node searched, and for a job that cuts others O(nodes + jobs on a node squared).
 * Nodes by free GPUs are a set of them for each number, as bits. */

static uint64_t *nodes_with(const struct synergy *s, uint32_t gpus)
{
    return s->by_free + (uint64_t)gpus * s->words;
}

static void clear_nodes(struct synergy *s, const struct hs_view *v)
{
    memset(s->by_free, 0, (v->max_node_gpus + UINT64_C(1)) * s->words * sizeof *s->by_free);
    s->free = 0;
    for (uint32_t i = 0; i < v->nodes; i++) {
        const struct hs_node *node = hs_view_node(v, i);
        const uint32_t gpus = hs_view_in_service(v, i) ? node->gpus : 0;
        s->nodes[i] = (struct synergy_node){.gpus = gpus, .last = NO_PLACE};
        if (s->fair.cpus_milli > 0)
            s->nodes[i].left = (struct synergy_share){UINT64_C(1000) * node->cpus, node->mem_mib};
        nodes_with(s, gpus)[i / 64] |= UINT64_C(1) << i % 64;
        s->free += gpus;
    }
    for (uint32_t i = 0; i < v->vcs; i++)
        s->room[i] = hs_smaller(hs_view_total_gpus(v, i), hs_view_quota(v, i));
}

static bool has_room(const struct synergy_node *n, uint32_t gpus, struct synergy_share share)
{
    return n->left.cpus_milli >= gpus * share.cpus_milli && n->left.mem_mib >= gpus * share.mem_mib;
}

/* The next node with `gpus` free GPUs or more, fewest first, then by number, that the job may use
 * and that has so many shares; from the one with `gpus` and number `from` on. HS_NO_NODE. */
static uint32_t next_node(const struct synergy *s, const struct hs_view *v, hs_job_id job,
                          uint32_t gpus, uint32_t from, uint32_t shares, struct synergy_share share)
{
    for (; gpus <= v->max_node_gpus; gpus++, from = 0) {
        const uint64_t *set = nodes_with(s, gpus);
        uint64_t mask = UINT64_MAX << from % 64;
        for (uint32_t w = from / 64; w < s->words; w++, mask = UINT64_MAX)
            for (uint64_t bits = set[w] & mask; bits != 0; bits &= bits - 1) {
                const uint32_t node = w * 64 + HS_CTZ64(bits);
                if (has_room(&s->nodes[node], shares, share) && hs_view_may_use(v, job, node))
                    return node;
            }
    }
    return HS_NO_NODE;
}

/* GPUs of a node that change hands: 1 to the job, -1 back. */
static void book(struct synergy *s, const struct hs_view *v, const struct synergy_place *place,
                 int64_t sign)
{
    const struct synergy_share share = job_of(v, place->job)->gets;
    struct synergy_node *n = &s->nodes[place->node];
    const uint64_t gpus = (uint64_t)(sign * place->gpus);
    nodes_with(s, n->gpus)[place->node / 64] &= ~(UINT64_C(1) << place->node % 64);
    n->gpus -= (uint32_t)gpus;
    nodes_with(s, n->gpus)[place->node / 64] |= UINT64_C(1) << place->node % 64;
    n->left.cpus_milli -= gpus * share.cpus_milli;
    n->left.mem_mib -= gpus * share.mem_mib;
    s->free -= gpus;
}

static void add_place(struct synergy *s, const struct hs_view *v, hs_job_id job, uint32_t node,
                      uint32_t gpus)
{
    struct synergy_place *place = &s->now.places[s->now.count];
    *place = (struct synergy_place){job, node, gpus, s->nodes[node].last};
    s->nodes[node].last = s->now.count++;
    job_of(v, job)->places++;
    book(s, v, place, 1);
}

static void drop_places(struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    for (struct synergy_scratch *j = job_of(v, job); j->places > 0; j->places--) {
        const struct synergy_place *place = &s->now.places[--s->now.count];
        s->nodes[place->node].last = place->before;
        book(s, v, place, -1);
    }
}

static bool place(struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct synergy_scratch *j = job_of(v, job);
    const uint32_t gang = hs_view_gpus(v, job);
    uint32_t node = next_node(s, v, job, gang, 0, gang, j->gets);
    j->first = s->now.count;
    if (node != HS_NO_NODE) {
        add_place(s, v, job, node, gang);
        return true;
    }
    for (uint32_t left = gang; left > 0;) {
        node = gang > 1 ? next_node(s, v, job, 1, 0, 1, j->gets) : HS_NO_NODE;
        if (node == HS_NO_NODE) {
            drop_places(s, v, job);
            return false;
        }
        const struct synergy_node *n = &s->nodes[node];
        uint64_t gpus = hs_smaller(n->gpus, left);
        if (j->gets.cpus_milli > 0)
            gpus = hs_smaller(gpus, n->left.cpus_milli / j->gets.cpus_milli);
        if (j->gets.mem_mib > 0)
            gpus = hs_smaller(gpus, n->left.mem_mib / j->gets.mem_mib);
        add_place(s, v, job, node, (uint32_t)gpus);
        left -= (uint32_t)gpus;
    }
    return true;
}

/* ---- tune ---- */

/* Whether a job is cut before another on the same node: the earlier of equal ones. */
static bool is_cut_before(const struct synergy_scratch *a, const struct synergy_scratch *b)
{
    if (a->places != b->places)
        return a->places < b->places;
    if (a->gets.cpus_milli != b->gets.cpus_milli)
        return a->gets.cpus_milli > b->gets.cpus_milli;
    return a->gets.mem_mib != b->gets.mem_mib ? a->gets.mem_mib > b->gets.mem_mib
                                              : a->first < b->first;
}

/* Cuts jobs of the node to at most their fair share, wherever they have GPUs, until it has so many
 * shares. */
static bool make_room(struct synergy *s, const struct hs_view *v, uint32_t node, uint32_t gpus,
                      struct synergy_share share)
{
    while (!has_room(&s->nodes[node], gpus, share)) {
        hs_job_id best = HS_NO_JOB;
        for (uint32_t i = s->nodes[node].last; i != NO_PLACE; i = s->now.places[i].before) {
            const struct synergy_scratch *j = job_of(v, s->now.places[i].job);
            if (are_same(j->gets, at_most(j->gets, s->fair)))
                continue; /* it has nothing to give */
            if (best == HS_NO_JOB || is_cut_before(j, job_of(v, best)))
                best = s->now.places[i].job;
        }
        if (best == HS_NO_JOB)
            return false;
        struct synergy_scratch *j = job_of(v, best);
        const struct synergy_share fair = at_most(j->gets, s->fair), had = j->gets;
        for (uint32_t i = j->first; i < j->first + j->places; i++) {
            const struct synergy_place *at = &s->now.places[i];
            s->nodes[at->node].left.cpus_milli += at->gpus * (had.cpus_milli - fair.cpus_milli);
            s->nodes[at->node].left.mem_mib += at->gpus * (had.mem_mib - fair.mem_mib);
        }
        j->gets = fair;
    }
    return true;
}

/* The first node with free GPUs for the whole gang; else those with fewest free GPUs first. */
static bool place_by_cuts(struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct synergy_scratch *j = job_of(v, job);
    const uint32_t gang = hs_view_gpus(v, job);
    const struct synergy_share nothing = {0, 0};
    uint32_t node = 0;
    while (gang > 1 && node < v->nodes &&
           (s->nodes[node].gpus < gang || !hs_view_may_use(v, job, node)))
        node++;
    if (gang == 1 || node == v->nodes)
        node = next_node(s, v, job, 1, 0, 0, nothing);
    j->first = s->now.count;
    for (uint32_t left = gang; left > 0;) {
        if (node == HS_NO_NODE) {
            drop_places(s, v, job);
            return false;
        }
        const uint32_t free = s->nodes[node].gpus, gpus = (uint32_t)hs_smaller(free, left);
        const uint32_t next = next_node(s, v, job, free, node + 1, 0, nothing);
        if (make_room(s, v, node, gpus, j->gets)) {
            add_place(s, v, job, node, gpus);
            left -= gpus;
        }
        node = next;
    }
    return true;
}

static struct synergy_share demand_of(const struct synergy *s, const struct hs_view *v,
                                      hs_job_id job)
{
    const struct synergy_scratch *j = job_of(v, job);
    const uint32_t gang = hs_view_gpus(v, job);
    if (s->mechanism == FAIR || gang > v->max_node_gpus)
        return s->fair;
    const struct synergy_share most = {s->server.cpus_milli / gang, s->server.mem_mib / gang};
    return at_most(s->mechanism == OPT ? j->wants : j->best, most);
}

static bool give(struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct synergy_scratch *j = job_of(v, job);
    j->gets = demand_of(s, v, job);
    if (place(s, v, job))
        return true;
    if (s->mechanism < TUNE)
        return false;
    const struct synergy_share fair = at_most(j->gets, s->fair);
    if (!are_same(j->gets, fair)) {
        j->gets = fair;
        if (place(s, v, job))
            return true;
    }
    return place_by_cuts(s, v, job);
}

/* ---- mechanism=opt: what each job of a round wants, by an integer program ----
 *
 *     x[j][c] in {0, 1}: job j has cell c, a point of its measurement no slower than its fair part
 *     most      sum of speed[j][c] x[j][c]
 *     so that   each job has one cell, and all have at most the CPUs and memory of all nodes
 *
 * Nodes do not matter to it: what does not fit on one is placed as under tune. Where the solver
 * comes to its limit jobs want what they do under tune. */

/* ours: with many like jobs the proof of an optimum takes half a minute, this milliseconds */
#define GAP         1e-3
#define SUBPROBLEMS 10000
#define CELLS_MAX   (HS_HOST_POINTS * HS_HOST_POINTS + 1)

struct host_cells {
    struct synergy_share at[CELLS_MAX];
    uint64_t speed_q32[CELLS_MAX];
    uint32_t count;
};

/* Unless a cell of no more is as fast. */
static void add_cell(struct host_cells *cells, struct synergy_share share, uint64_t speed_q32)
{
    for (uint32_t i = 0; i < cells->count; i++)
        if (cells->speed_q32[i] >= speed_q32 &&
            are_same(at_most(cells->at[i], share), cells->at[i]))
            return;
    cells->at[cells->count] = share;
    cells->speed_q32[cells->count++] = speed_q32;
}

static void find_cells(const struct synergy *s, const struct hs_view *v, hs_job_id job,
                       struct host_cells *cells)
{
    const uint32_t gang = hs_view_gpus(v, job);
    const struct synergy_share most = {s->server.cpus_milli / gang, s->server.mem_mib / gang};
    const uint64_t fair_q32 = speed_q32(v, job, s->fair);
    struct hs_host_axes axes = {.cpu_count = 0};
    cells->count = 0;
    if (gang <= v->max_node_gpus)
        (void)hs_view_host_axes(v, job, &axes);
    for (uint32_t m = 0; m < axes.mem_count; m++)
        for (uint32_t c = 0; c < axes.cpu_count; c++) {
            const struct synergy_share share = {axes.cpus_milli[c], axes.mem_mib[m]};
            const uint64_t q32 = speed_q32(v, job, share);
            if (q32 >= fair_q32 && are_same(at_most(share, most), share))
                add_cell(cells, share, q32);
        }
    add_cell(cells, s->fair, fair_q32);
}

/* One row a job, and its columns; the rows 0 and 1 are those of CPUs and memory. */
static void add_job(const struct hs_view *v, hs_job_id job, const struct host_cells *cells)
{
    const double gang = hs_view_gpus(v, job);
    const uint32_t row = hs_lp_row(v->lp, 1, 1);
    for (uint32_t i = 0; i < cells->count; i++) {
        const uint32_t column = hs_lp_column(v->lp, (double)cells->speed_q32[i] / 0x1p32);
        hs_lp_binary(v->lp, column);
        hs_lp_set(v->lp, row, column, 1);
        hs_lp_set(v->lp, 0, column, gang * (double)cells->at[i].cpus_milli / 1e3);
        hs_lp_set(v->lp, 1, column, gang * (double)cells->at[i].mem_mib / 1e3);
    }
}

static void optimise(struct synergy *s, const struct hs_view *v, uint32_t count)
{
    struct host_cells cells;
    double cpus = 0, mem = 0;
    uint32_t column = 0;
    for (uint32_t i = 0; i < v->nodes; i++) {
        cpus += (double)s->nodes[i].left.cpus_milli / 1e3;
        mem += (double)s->nodes[i].left.mem_mib / 1e3;
    }
    hs_lp_begin(v->lp, true);
    hs_lp_gap(v->lp, GAP);
    (void)hs_lp_row(v->lp, -INFINITY, cpus);
    (void)hs_lp_row(v->lp, -INFINITY, mem);
    for (uint32_t i = 0; i < count; i++) {
        find_cells(s, v, s->kept[i].job, &cells);
        add_job(v, s->kept[i].job, &cells);
    }
    const bool is_solved = hs_lp_solve(v->lp, SUBPROBLEMS) == HS_LP_OPTIMAL;
    if (!is_solved)
        hs_view_warn(v, "a program of CPUs and host memory is not solved: its jobs, and those of "
                        "others that are not, get what serves each best");
    for (uint32_t i = 0; i < count; i++) {
        struct synergy_scratch *j = job_of(v, s->kept[i].job);
        j->wants = j->best;
        find_cells(s, v, s->kept[i].job, &cells);
        for (uint32_t c = 0; is_solved && c < cells.count; c++, column++)
            if (hs_lp_value(v->lp, column) > .5)
                j->wants = cells.at[c];
    }
}

/* ---- order ---- */

/* Predicted, with what it had in the last round; of a job that did not run in it, the highest. */
static double speed_of(const struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    const struct synergy_scratch *j = job_of(v, job);
    const struct synergy_share share = j->places > 0 ? j->gets : demand_of(s, v, job);
    return (double)speed_q32(v, job, share) / 0x1p32;
}

static int64_t key_of(const struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    const struct synergy_scratch *j = job_of(v, job);
    if (hs_view_now_us(v) - j->ran_us >= STARVED_US)
        return INT64_MIN;
    if (s->order == LAS)
        return (s->compat ? j->used_us : hs_view_attained_us(v, job)) * hs_view_gpus(v, job);
    const double left_us =
        (double)(s->compat ? j->steps_left * j->step_us : hs_view_remaining_us(v, job));
    if (s->order == SRTF)
        return llround(left_us / speed_of(s, v, job));
    const double age_us = (double)(hs_view_now_us(v) - hs_view_submit_us(v, job));
    const double alone_us = fmax(1, (double)hs_view_duration_us(v, job));
    return -llround(fmin((age_us + left_us) / alone_us, 1e9) * 1e6);
}

static bool by_key(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    (void)nothing;
    const int64_t x = job_of(v, a)->key, y = job_of(v, b)->key;
    return x != y ? x < y : hs_job_queue_tie_is_before(v, a, b);
}

/* Returns whether the order may have changed. */
static bool put_in_order(struct synergy *s, const struct hs_view *v)
{
    bool is_in_order = true;
    if (s->order == FIFO)
        return false;
    hs_job_id before = HS_NO_JOB;
    HS_EACH_CHAINED(job, &s->jobs, v) {
        job_of(v, job)->key = key_of(s, v, job);
        is_in_order = is_in_order && (before == HS_NO_JOB || by_key(v, before, job, NULL));
        before = job;
    }
    if (!is_in_order)
        hs_job_chain_sort(&s->jobs, v, by_key, NULL);
    return !is_in_order;
}

/* ---- a round ---- */

/* The jobs that are tried, in this order: all, or those whose gangs have GPUs. */
static void try_jobs(struct synergy *s, const struct hs_view *v)
{
    const bool keeps = s->order == LAS || s->mechanism == OPT;
    uint32_t count = 0;
    uint64_t left = s->free;
    HS_EACH_CHAINED(job, &s->jobs, v) {
        const uint32_t gang = hs_view_gpus(v, job);
        uint64_t *room = &s->room[hs_view_vc(v, job)];
        if ((keeps ? left : s->free) == 0)
            break;
        if (gang > (keeps ? left : s->free) || gang > *room)
            continue;
        if (keeps) {
            s->kept[count] =
                (struct hs_job_place){s->mechanism >= TUNE ? -(int64_t)gang : 0, count, 0, job};
            count++;
            left -= gang;
        }
        if (keeps || give(s, v, job))
            *room -= gang;
    }
    hs_sort(s->kept, count);
    if (s->mechanism == OPT && s->fair.cpus_milli > 0)
        optimise(s, v, count);
    for (uint32_t i = 0; i < count; i++)
        (void)give(s, v, s->kept[i].job);
}

static bool keeps_its_place(const struct synergy *s, const struct synergy_scratch *j)
{
    bool is_same = j->places == j->last_places && are_same(j->gets, j->had);
    for (uint32_t i = 0; is_same && i < j->places; i++) {
        const struct synergy_place *now = &s->now.places[j->first + i];
        const struct synergy_place *last = &s->last.places[j->last_first + i];
        is_same = now->node == last->node && now->gpus == last->gpus;
    }
    return is_same;
}

/* The places of the last round become those before this one. */
static void turn_over(struct synergy *s, const struct hs_view *v)
{
    const struct synergy_round last = s->now;
    s->now = (struct synergy_round){s->last.places, 0};
    s->last = last;
    for (uint32_t i = 0; i < last.count; i += 1) {
        if (last.places[i].job == HS_NO_JOB)
            continue;
        struct synergy_scratch *j = job_of(v, last.places[i].job);
        if (j->places == 0) /* not the first of its places */
            continue;
        j->last_first = j->first;
        j->last_places = j->places;
        j->had = j->gets;
        j->ran_us = hs_view_now_us(v);
        j->places = 0;
    }
}

static void apply(struct synergy *s, const struct hs_view *v, struct hs_plan *p)
{
    hs_plan_reason(p, "other jobs are before it in this round");
    for (uint32_t i = 0; i < s->last.count; i++) {
        const hs_job_id job = s->last.places[i].job;
        struct synergy_scratch *j = job != HS_NO_JOB ? job_of(v, job) : NULL;
        if (j == NULL || i != j->last_first || keeps_its_place(s, j))
            continue;
        hs_plan_preempt(p, job, hs_cost_us(&s->cost, v, job));
        j->holds = false;
    }
    hs_plan_reason(p, NULL);
    for (uint32_t i = 0; i < s->now.count; i++) {
        const hs_job_id job = s->now.places[i].job;
        struct synergy_scratch *j = job_of(v, job);
        if (i != j->first || j->holds)
            continue;
        hs_plan_host(p, job, (uint32_t)j->gets.cpus_milli, (uint32_t)j->gets.mem_mib);
        hs_plan_reason(p, hs_job_waits(v, job) ? NULL : "all are placed anew in this round");
        hs_plan_start(p, job);
        for (uint32_t k = i; k < i + j->places; k++)
            hs_plan_on_node(p, s->now.places[k].node, s->now.places[k].gpus);
        j->holds = true;
    }
    hs_plan_reason(p, NULL);
}

/* compat: a job that the engine runs continuously does whole steps alone if it rests first; the end
 * of its last one is at the boundary, give or take what microseconds round off. */
static void book_steps(struct synergy *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    struct synergy_scratch *j = job_of(v, job);
    const double speed = speed_of(s, v, job);
    const double steps = (double)s->round_us / ((double)j->step_us / speed);
    j->steps_left -= (int64_t)fmin(floor(steps * (1 + ROUNDED_OFF)), (double)j->steps_left);
    j->used_us += s->round_us;
    s->ending += j->steps_left == 0;
    const int64_t work_us = hs_view_remaining_us(v, job) - j->steps_left * j->step_us;
    const int64_t end_us = s->boundary_us + s->round_us;
    const int64_t rest_us = end_us - hs_view_now_us(v) - (int64_t)ceil((double)work_us / speed);
    if (rest_us > 0)
        hs_plan_add_overhead(p, job, rest_us);
}

static void begin_round(struct synergy *s, const struct hs_view *v, struct hs_plan *p)
{
    if (put_in_order(s, v) || s->is_woken) {
        turn_over(s, v);
        clear_nodes(s, v);
        try_jobs(s, v);
        apply(s, v, p);
    }
    for (uint32_t i = 0; s->compat && i < s->now.count; i++)
        if (i == job_of(v, s->now.places[i].job)->first)
            book_steps(s, v, p, s->now.places[i].job);
}

static void decide_round(struct synergy *s, const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v), next_us = s->next_us;
    const bool is_each = s->order != FIFO || s->compat;
    /* the next one, perhaps now; under compat still now as long as a job that ends there has not */
    const int64_t late_us = s->compat ? LATE_US : 0;
    s->boundary_us = hs_round_from(s->phase_us, s->round_us, now_us - late_us);
    if (s->count == 0) {
        s->next_us = INT64_MAX;
        s->is_woken = false;
    } else if (now_us >= s->boundary_us && (s->is_woken || now_us == next_us)) {
        if (s->ending > 0)
            return;
        begin_round(s, v, p);
        s->is_woken = false;
        s->next_us = is_each ? s->boundary_us + s->round_us : INT64_MAX;
    } else if (s->is_woken) {
        s->next_us = s->boundary_us;
    }
    if (s->next_us != next_us && s->next_us != INT64_MAX)
        hs_plan_timer(p, s->next_us, 0);
}

static enum hs_status synergy_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct synergy *s = state;
    hs_vc_queues_scan(&s->cpu_jobs, v, p, (struct hs_place_rule){.placer = HS_PLACE_FIRST_FIT});
    decide_round(s, v, p);
    return HS_OK;
}

/* ---- jobs ---- */

/* The first point of the measurement with the highest speed, memory before CPUs. */
static struct synergy_share best_of(const struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_host_axes axes;
    struct synergy_share best = s->fair;
    uint64_t most_q32 = 0;
    if (s->fair.cpus_milli == 0 || !hs_view_host_axes(v, job, &axes))
        return best;
    for (uint32_t m = 0; m < axes.mem_count; m++)
        for (uint32_t c = 0; c < axes.cpu_count; c++) {
            const uint64_t q32 = hs_view_host_q32(v, job, axes.cpus_milli[c], axes.mem_mib[m]);
            if (q32 <= most_q32)
                continue;
            most_q32 = q32;
            best = (struct synergy_share){axes.cpus_milli[c], axes.mem_mib[m]};
        }
    return best;
}

static void come(struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct synergy_scratch *j = job_of(v, job);
    j->ran_us = hs_view_now_us(v);
    j->best = j->wants = s->mechanism != FAIR ? best_of(s, v, job) : s->fair;
    j->step_us = 1;
    if (s->compat) {
        j->step_us = hs_later(1, hs_view_step_us(v, job));
        j->steps_left = (hs_view_duration_us(v, job) + j->step_us - 1) / j->step_us;
    }
    hs_job_id behind = s->jobs.last; /* of those that come at the same time, by their ties */
    while (s->order == FIFO && behind != HS_NO_JOB && hs_job_queue_tie_is_before(v, job, behind))
        behind = job_of(v, behind)->chain.before;
    hs_job_chain_insert(&s->jobs, v, job, behind);
    s->count++;
    s->is_woken = true;
}

static void go(struct synergy *s, const struct hs_view *v, hs_job_id job)
{
    const struct synergy_scratch *j = job_of(v, job);
    for (uint32_t i = j->first; i < j->first + j->places; i++)
        s->now.places[i].job = HS_NO_JOB;
    s->ending -= j->places > 0 && j->steps_left == 0 && s->compat;
    hs_job_chain_remove(&s->jobs, v, job);
    s->count--;
    s->is_woken = true;
}

static void synergy_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct synergy *s = state;
    if (event->kind == HS_EVENT_TIMER)
        return;
    s->is_woken |= event->kind == HS_EVENT_NODE;
    if (event->kind == HS_EVENT_NODE || hs_view_gpus(v, event->job) == 0)
        hs_vc_queues_event(&s->cpu_jobs, v, event, 0);
    else if (event->kind == HS_EVENT_SUBMIT)
        come(s, v, event->job);
    else if (event->kind == HS_EVENT_FINISH)
        go(s, v, event->job);
}

static enum hs_status synergy_init(void *state, const struct hs_view *v)
{
    struct synergy *s = state;
    uint64_t gpus = 0;
    if (v->has_cohorts)
        return hs_view_fail(v, HS_E_USAGE, "rounds are of fixed quotas: not with cohorts");
    s->fair = (struct synergy_share){UINT64_MAX, UINT64_MAX};
    for (uint32_t i = 0; i < v->nodes; i++) {
        const struct hs_node *node = hs_view_node(v, i);
        const struct synergy_share all = {UINT64_C(1000) * node->cpus, node->mem_mib};
        s->fair = at_most(
            s->fair, (struct synergy_share){all.cpus_milli / node->gpus, all.mem_mib / node->gpus});
        s->server.cpus_milli +=
            all.cpus_milli > s->server.cpus_milli ? all.cpus_milli - s->server.cpus_milli : 0;
        s->server.mem_mib += all.mem_mib > s->server.mem_mib ? all.mem_mib - s->server.mem_mib : 0;
        gpus += node->gpus;
    }
    if (s->fair.cpus_milli == 0 || s->fair.mem_mib == 0)
        s->fair = (struct synergy_share){0, 0};
    s->nodes = hs_view_alloc(v, v->nodes * sizeof *s->nodes);
    s->now.places = hs_view_alloc(v, gpus * sizeof *s->now.places);
    s->last.places = hs_view_alloc(v, gpus * sizeof *s->last.places);
    s->kept = hs_view_alloc(v, gpus * sizeof *s->kept);
    s->room = hs_view_alloc(v, v->vcs * sizeof *s->room);
    s->words = v->nodes / 64 + 1; /* the number behind the last is a bit, too */
    s->by_free = hs_view_alloc(v, (v->max_node_gpus + UINT64_C(1)) * s->words * sizeof *s->by_free);
    hs_vc_queues_init(&s->cpu_jobs, v, HS_SCAN_FIT);
    s->jobs = hs_job_chain_empty(offsetof(struct synergy_scratch, chain));
    s->next_us = INT64_MAX;
    return HS_OK;
}

static void synergy_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct synergy *s = state;
    (void)can;
    if ((s->order == FIFO || s->order == LAS) && !s->compat)
        *knows &= ~(uint32_t)HS_KNOWS_DURATION;
}

static void synergy_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const orders[] = {
        [FIFO] = "submit, rounds",
        [LAS] = "attained GPU time, rounds",
        [SRTF] = "remaining, rounds",
        [FTF] = "finish time relative to run time, rounds",
    };
    const struct synergy *s = state;
    *out = (struct hs_semantics){.order = orders[s->order],
                                 .scan = "fit",
                                 .placement = "best_fit",
                                 .preemption = "evict",
                                 .cost = hs_cost_text(&s->cost, false)};
}

static const char *synergy_check(const void *state, const struct hs_view *v)
{
    const struct synergy *s = state;
    uint64_t count = 0, places = 0;
    HS_EACH_CHAINED(job, &s->jobs, v) {
        const struct synergy_scratch *j = job_of(v, job);
        if (j->holds == hs_job_waits(v, job) || j->holds != (j->places > 0))
            return "a job holds GPUs without a place in this round";
        places += j->places;
        count++;
    }
    if (count != s->count || places > s->now.count)
        return "the chain of live jobs is broken";
    return hs_vc_queues_check(&s->cpu_jobs, v);
}

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(
        struct synergy, mechanism, "mechanism", "tune", mechanism_names,
        "CPUs and host memory of a job. fair: its GPUs' part of the node; greedy: the least that "
        "makes it fastest, else it waits; tune: that if there is enough, else at most its part; "
        "opt: by an integer program that maximises the total speed",
        .source = "Mohan et al. OSDI'22"),
    HS_PARAM_CHOICE(
        struct synergy, order, "order", "fifo", order_names,
        "which job is first: by arrival, least attained service, shortest remaining time, "
        "largest finish time relative to its run time",
        .source = "Mohan et al. OSDI'22"),
    HS_PARAM_DURATION(struct synergy, round_us, "round", "300s", 1, 1e6, "time between boundaries",
                      .source = "msr-fiddle/synergy 1bb2bed, simulator: 5 minutes"),
    HS_PARAM_DURATION(struct synergy, phase_us, "round_phase", "0s", 0, 86400,
                      "time of the first round, after the first submission"),
    HS_COST_PARAMS(struct synergy, cost),
    HS_PARAM_CHOICE(struct synergy, compat, "compat", "off", compat_names,
                    "whole steps and ends at boundaries, as in the published simulator",
                    .source = "msr-fiddle/synergy 1bb2bed; with --models "
                              "builtin:models/host-binary.json"),
    {0}};

const struct hs_policy_ops hs_policy_synergy = {
    .name = "synergy",
    .summary = "CPUs and host memory for the jobs that gain most from them, allocated in rounds",
    .cite = "Mohan et al., Looking Beyond GPUs for DNN Scheduling on Multi-Tenant Clusters, "
            "OSDI'22",
    .can = HS_CAN_PREEMPT | HS_CAN_TIME | HS_CAN_HOST,
    .knows = HS_KNOWS_DURATION | HS_KNOWS_HOST,
    .params = params,
    HS_POLICY_HOOKS(synergy, struct synergy, struct synergy_scratch),
};
