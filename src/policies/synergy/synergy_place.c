/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the jobs of a round go, and with how many CPUs and how much host memory a GPU. The policy
 * has its own account of the nodes, because a job that has its place may still be cut.
 *
 *     whole     the node with fewest free GPUs, lowest id, that has room for the whole demand
 *     in parts  GPU by GPU, always from the node with fewest GPUs left
 *     tune      the demand, else at most the fair share, else jobs on the nodes that have GPUs are
 *               cut to it: those on fewest nodes first, then those with most CPUs and memory a GPU
 *
 * O(log nodes) a node searched, and for a job that cuts others O(nodes + jobs on a node squared).
 */
#include "policies/synergy/synergy.h"

#include <string.h>

/* ---- nodes by free GPUs: a set of them for each number, as bits ---- */

static uint64_t *nodes_with(const struct hs_synergy *s, uint32_t gpus)
{
    return s->by_free + (uint64_t)gpus * s->words;
}

void hs_synergy_clear(struct hs_synergy *s, const struct hs_view *v)
{
    memset(s->by_free, 0, (v->max_node_gpus + UINT64_C(1)) * s->words * sizeof *s->by_free);
    s->free = s->refused_count = 0;
    for (uint32_t i = 0; i < v->nodes; i++) {
        const struct hs_node *node = hs_view_node(v, i);
        const uint32_t gpus = hs_view_in_service(v, i) ? node->gpus : 0;
        s->nodes[i] = (struct hs_synergy_node){.gpus = gpus, .last = HS_SYNERGY_NONE};
        if (s->fair.cpus_milli > 0)
            s->nodes[i].left =
                (struct hs_synergy_share){UINT64_C(1000) * node->cpus, node->mem_mib};
        nodes_with(s, gpus)[i / 64] |= UINT64_C(1) << i % 64;
        s->free += gpus;
    }
    for (uint32_t i = 0; i < v->vcs; i++)
        s->room[i] = hs_smaller(hs_view_total_gpus(v, i), hs_view_quota(v, i));
}

static bool has_room(const struct hs_synergy_node *n, uint32_t gpus, struct hs_synergy_share share)
{
    return n->left.cpus_milli >= gpus * share.cpus_milli && n->left.mem_mib >= gpus * share.mem_mib;
}

/* The next node with `gpus` free GPUs or more, fewest first, then by number, that the job may use
 * and that has so many shares; from the one with `gpus` and number `from` on. HS_NO_NODE. */
static uint32_t next_node(const struct hs_synergy *s, const struct hs_view *v, hs_job_id job,
                          uint32_t gpus, uint32_t from, uint32_t shares,
                          struct hs_synergy_share share)
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

/* ---- places ---- */

/* GPUs of a node that change hands: 1 to the job, -1 back. */
static void book(struct hs_synergy *s, const struct hs_view *v,
                 const struct hs_synergy_place *place, int64_t sign)
{
    const struct hs_synergy_share share = hs_synergy_of(v, place->job)->gets;
    struct hs_synergy_node *n = &s->nodes[place->node];
    const uint64_t gpus = (uint64_t)(sign * place->gpus);
    nodes_with(s, n->gpus)[place->node / 64] &= ~(UINT64_C(1) << place->node % 64);
    n->gpus -= (uint32_t)gpus;
    nodes_with(s, n->gpus)[place->node / 64] |= UINT64_C(1) << place->node % 64;
    n->left.cpus_milli -= gpus * share.cpus_milli;
    n->left.mem_mib -= gpus * share.mem_mib;
    s->free -= gpus;
}

static void add_place(struct hs_synergy *s, const struct hs_view *v, hs_job_id job, uint32_t node,
                      uint32_t gpus)
{
    struct hs_synergy_place *place = &s->now.places[s->now.count];
    *place = (struct hs_synergy_place){job, node, gpus, s->nodes[node].last};
    s->nodes[node].last = s->now.count++;
    hs_synergy_of(v, job)->places++;
    book(s, v, place, 1);
}

static void drop_places(struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    for (struct hs_synergy_scratch *j = hs_synergy_of(v, job); j->places > 0; j->places--) {
        const struct hs_synergy_place *place = &s->now.places[--s->now.count];
        s->nodes[place->node].last = place->before;
        book(s, v, place, -1);
    }
}

static bool place(struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_synergy_scratch *j = hs_synergy_of(v, job);
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
        const struct hs_synergy_node *n = &s->nodes[node];
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
static bool is_cut_before(const struct hs_synergy_scratch *a, const struct hs_synergy_scratch *b)
{
    if (a->places != b->places)
        return a->places < b->places;
    if (a->gets.cpus_milli != b->gets.cpus_milli)
        return a->gets.cpus_milli > b->gets.cpus_milli;
    return a->gets.mem_mib != b->gets.mem_mib ? a->gets.mem_mib > b->gets.mem_mib
                                              : a->first < b->first;
}

/* To at most the fair share, wherever it has GPUs. */
static void cut(struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    const struct hs_synergy_share fair = hs_synergy_at_most(j->gets, s->fair), had = j->gets;
    for (uint32_t i = j->first; i < j->first + j->places; i++) {
        const struct hs_synergy_place *at = &s->now.places[i];
        s->nodes[at->node].left.cpus_milli += at->gpus * (had.cpus_milli - fair.cpus_milli);
        s->nodes[at->node].left.mem_mib += at->gpus * (had.mem_mib - fair.mem_mib);
    }
    j->gets = fair;
}

/* Cuts jobs of the node until it has so many shares. */
static bool make_room(struct hs_synergy *s, const struct hs_view *v, uint32_t node, uint32_t gpus,
                      struct hs_synergy_share share)
{
    while (!has_room(&s->nodes[node], gpus, share)) {
        hs_job_id best = HS_NO_JOB;
        for (uint32_t i = s->nodes[node].last; i != HS_SYNERGY_NONE; i = s->now.places[i].before) {
            const struct hs_synergy_scratch *j = hs_synergy_of(v, s->now.places[i].job);
            if (hs_synergy_is_same(j->gets, hs_synergy_at_most(j->gets, s->fair)))
                continue; /* it has nothing to give */
            if (best == HS_NO_JOB || is_cut_before(j, hs_synergy_of(v, best)))
                best = s->now.places[i].job;
        }
        if (best == HS_NO_JOB)
            return false;
        cut(s, v, best);
    }
    return true;
}

/* The first node with free GPUs for the whole gang; else those with fewest free GPUs first. */
static bool place_by_cuts(struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    const uint32_t gang = hs_view_gpus(v, job);
    const struct hs_synergy_share nothing = {0, 0};
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

struct hs_synergy_share hs_synergy_demand(const struct hs_synergy *s, const struct hs_view *v,
                                          hs_job_id job)
{
    const struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    const uint32_t gang = hs_view_gpus(v, job);
    if (s->mechanism == HS_SYNERGY_FAIR || gang > v->max_node_gpus)
        return s->fair;
    const struct hs_synergy_share most = {s->server.cpus_milli / gang, s->server.mem_mib / gang};
    return hs_synergy_at_most(s->mechanism == HS_SYNERGY_OPT ? j->wants : j->best, most);
}

/* ---- greedy: a round only takes, so what found no room leaves none to jobs that need more ---- */

static bool is_refused(const struct hs_synergy *s, const struct hs_synergy_refused *want)
{
    for (uint32_t i = 0; i < s->refused_count; i++) {
        const struct hs_synergy_refused *r = &s->refused[i];
        if (r->vc == want->vc && r->gang <= want->gang &&
            hs_synergy_is_same(hs_synergy_at_most(r->share, want->share), r->share))
            return true;
    }
    return false;
}

static bool give_greedily(struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    const struct hs_synergy_refused want = {hs_view_gpus(v, job), hs_view_vc(v, job), j->gets};
    if (!j->is_picky && is_refused(s, &want))
        return false;
    if (place(s, v, job))
        return true;
    if (!j->is_picky && s->refused_count < HS_SYNERGY_REFUSED)
        s->refused[s->refused_count++] = want;
    return false;
}

bool hs_synergy_give(struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    j->gets = hs_synergy_demand(s, v, job);
    if (s->mechanism < HS_SYNERGY_TUNE)
        return give_greedily(s, v, job);
    if (place(s, v, job))
        return true;
    const struct hs_synergy_share fair = hs_synergy_at_most(j->gets, s->fair);
    if (!hs_synergy_is_same(j->gets, fair)) {
        j->gets = fair;
        if (place(s, v, job))
            return true;
    }
    return place_by_cuts(s, v, job);
}
