/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The groups of a decision of muri: which jobs come to the GPUs, and who interleaves with whom.
 */
#include "policies/muri/muri.h"

#include <math.h>

#define STAGES     3u
#define GAMMA_BITS 34 /* of the score of a group, which is at most 4 x iterations / period */

/* ---- the jobs that come to the GPUs ---- */

static struct hs_muri_bucket *bucket_of(struct hs_muri *m, uint32_t gang)
{
    uint32_t b = 0;
    while (b < m->bucket_count && m->buckets[b].gang != gang)
        b++;
    if (b == m->bucket_count)
        m->buckets[m->bucket_count++] = (struct hs_muri_bucket){.gang = gang};
    return &m->buckets[b];
}

static void take(struct hs_muri *m, const struct hs_view *v, hs_job_id job)
{
    struct hs_muri_bucket *bucket = bucket_of(m, hs_view_gpus(v, job));
    bucket->opened++;
    for (int32_t i = 0; i < m->cap && job != HS_NO_JOB; i++) {
        hs_muri_of(v, job)->is_taken = true;
        m->groups[m->count++] = (struct hs_muri_group){.members = {job},
                                                       .count = 1,
                                                       .gang = bucket->gang,
                                                       .bucket = (uint32_t)(bucket - m->buckets),
                                                       .anchor = HS_NO_JOB};
        job = hs_muri_of(v, job)->next;
    }
}

/* Each job that fits alone on what the ones before it leave takes those with it that may share its
 * GPUs. Under compat=muri on an empty cluster, by placing; else by number. */
static void take_all(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, uint32_t vc,
                     uint64_t room)
{
    const struct hs_job_chain *list = &m->lists[vc];
    const uint32_t mark = hs_plan_mark(p);
    uint32_t place = 0;
    m->misfit = HS_NO_JOB;
    for (hs_job_id job = list->last; job != HS_NO_JOB; job = hs_muri_of(v, job)->chain.before) {
        struct hs_muri_scratch *j = hs_muri_of(v, job);
        hs_job_id *next = &m->last_of_gang[hs_view_gpus(v, job)];
        j->next = *next;
        *next = job;
        j->is_taken = j->is_staying = j->is_claimed = false;
    }
    for (hs_job_id job = list->first; job != HS_NO_JOB; job = hs_muri_of(v, job)->chain.after) {
        const uint32_t gang = hs_view_gpus(v, job);
        hs_muri_of(v, job)->place = place++;
        m->last_of_gang[gang] = HS_NO_JOB;
        if (hs_muri_of(v, job)->is_taken)
            continue;
        if (gang > room || (m->compat && !hs_place(v, p, job, m->placement))) {
            m->misfit = m->count == 0 && m->misfit == HS_NO_JOB ? job : m->misfit;
            continue;
        }
        room -= gang;
        take(m, v, job);
    }
    hs_plan_rollback(p, mark);
}

/* ---- who interleaves with whom ---- */

static uint32_t kinds_of(const struct hs_view *v, const struct hs_muri_group *g, uint32_t *kinds)
{
    for (uint32_t i = 0; i < g->count; i++)
        kinds[i] = hs_muri_of(v, g->members[i])->iteration.kind;
    return g->count;
}

/* A job whose memory was too much beside others stays alone. */
static bool may_share(const struct hs_view *v, const struct hs_muri_group *a,
                      const struct hs_muri_group *b)
{
    return hs_muri_of(v, a->members[0])->ask == hs_muri_of(v, b->members[0])->ask &&
           hs_view_ooms(v, a->members[0]) == 0 && hs_view_ooms(v, b->members[0]) == 0;
}

/* Score of two groups as one: the mean share of the period in which each of four resources is in
 * use; 0 where they may not be one. */
static int64_t weight_of(const struct hs_muri *m, const struct hs_view *v,
                         const struct hs_muri_group *a, const struct hs_muri_group *b)
{
    uint32_t kinds[2 * HS_INTERLEAVED_MOST];
    const uint32_t count = a->count + b->count;
    int64_t sum = 0;
    if (count > (uint32_t)m->cap || !may_share(v, a, b))
        return 0;
    (void)kinds_of(v, b, kinds + kinds_of(v, a, kinds));
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = i < a->count ? a->members[i] : b->members[i - a->count];
        for (uint32_t s = 0; s < STAGES; s++)
            sum += hs_muri_of(v, job)->iteration.stage_ns[s];
    }
    const double period = (double)hs_view_period_ns(v, kinds, count, m->order != 0) *
                          (double)hs_muri_of(v, a->members[0])->iteration.overhead_pm / 1000,
                 gamma = (double)sum / (4 * period);
    return gamma > m->lambda * count / 4 ? (int64_t)(gamma * (INT64_C(1) << GAMMA_BITS)) : 0;
}

static void merge(struct hs_muri_group *into, const struct hs_muri_group *other)
{
    for (uint32_t i = 0; i < other->count; i++)
        into->members[into->count++] = other->members[i];
}

/* Whether two groups have the same edges. */
static bool is_same_class(const struct hs_view *v, const struct hs_muri_group *a,
                          const struct hs_muri_group *b)
{
    uint32_t kinds[2][HS_INTERLEAVED_MOST];
    bool is_used[HS_INTERLEAVED_MOST] = {false};
    if (a->count != b->count || !may_share(v, a, b))
        return false;
    (void)kinds_of(v, a, kinds[0]);
    (void)kinds_of(v, b, kinds[1]);
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t k = 0;
        while (k < b->count && (is_used[k] || kinds[1][k] != kinds[0][i]))
            k++;
        if (k == b->count)
            return false;
        is_used[k] = true;
    }
    return true;
}

/* Sorts groups from `from` of the bucket into classes, as many as there is room for; returns the
 * first that is left. The class of each stands in m->sorted[].key. */
static uint32_t find_classes(struct hs_muri *m, const struct hs_view *v, uint32_t from,
                             uint32_t count)
{
    const struct hs_muri_group *first[HS_MATCH_CLASSES];
    struct hs_match_classes *c = m->classes;
    uint32_t i = from;
    for (c->count = 0; i < count; i++) {
        const struct hs_muri_group *g = &m->groups[m->of_bucket[i]];
        uint32_t class = 0;
        while (class < c->count && !is_same_class(v, first[class], g))
            class ++;
        if (class == HS_MATCH_CLASSES)
            break;
        if (class == c->count) {
            c->size[c->count++] = 0;
            first[class] = g;
        }
        c->size[class]++;
        m->sorted[i] = (struct hs_job_place){.key = class, .job = HS_NO_JOB};
    }
    for (uint32_t x = 0; x < c->count; x++)
        for (uint32_t y = 0; y <= x; y++)
            c->weight[x][y] = c->weight[y][x] = weight_of(m, v, first[x], first[y]);
    return i;
}

/* The greatest weight below `below` of two classes that have pairs; 0: none. */
static int64_t heaviest_below(const struct hs_match_classes *c, int64_t below)
{
    int64_t weight = 0;
    for (uint32_t x = 0; x < c->count; x++)
        for (uint32_t y = x; y < c->count; y++)
            if (c->pairs[x][y] > 0 && c->weight[x][y] < below && c->weight[x][y] > weight)
                weight = c->weight[x][y];
    return weight;
}

/* The first single group of a class with which that of `own` has pairs of this weight left;
 * UINT32_MAX: none. at[class]: none of the class before is single. */
static uint32_t find_mate(const struct hs_muri *m, uint32_t own, int64_t weight, uint32_t *at)
{
    const struct hs_match_classes *c = m->classes;
    const uint32_t x = (uint32_t)m->sorted[own].key;
    uint32_t mate = UINT32_MAX;
    for (uint32_t y = 0; y < c->count; y++) {
        if (c->pairs[x < y ? x : y][x < y ? y : x] == 0 || c->weight[x][y] != weight)
            continue;
        while (at[y] == own || m->sorted[at[y]].key != y || m->sorted[at[y]].job != HS_NO_JOB)
            at[y]++;
        mate = at[y] < mate ? at[y] : mate;
    }
    return mate;
}

/* Which groups of the classes: the heaviest pairs first, from the last group on the first that may
 * be its mate; our choice among equal ones. */
static void pair_classes(struct hs_muri *m, uint32_t from, uint32_t end)
{
    struct hs_match_classes *c = m->classes;
    uint32_t at[HS_MATCH_CLASSES];
    for (int64_t weight = heaviest_below(c, INT64_MAX); weight > 0;
         weight = heaviest_below(c, weight)) {
        for (uint32_t x = 0; x < c->count; x++)
            at[x] = from;
        for (uint32_t i = end; i-- > from;) {
            const uint32_t mate =
                m->sorted[i].job == HS_NO_JOB ? find_mate(m, i, weight, at) : UINT32_MAX;
            if (mate == UINT32_MAX)
                continue;
            const uint32_t x = (uint32_t)m->sorted[i].key, y = (uint32_t)m->sorted[mate].key;
            c->pairs[x < y ? x : y][x < y ? y : x]--;
            m->sorted[i].job = mate;
            m->sorted[mate].job = i;
        }
    }
}

/* ---- compat=muri: the matching of the released program (matching.py) ----
 *
 * Many pairs weigh the same. Its weights are sums of doubles, and their last bits decide. */

struct stage_times {
    double s[STAGES]; /* storage and CPU, GPU, network */
};

/* Period of one order, s, as in model/stages.h. */
static double order_period(const struct stage_times *const *order, uint32_t count)
{
    double f[2 * HS_INTERLEAVED_MOST + 1] = {0};
    for (uint32_t i = 0; i < 2 * HS_INTERLEAVED_MOST; i++) {
        if ((i + 1) % HS_INTERLEAVED_MOST < count)
            f[i + 1] = fmax(f[i + 1], f[i] + order[(i + 1) % HS_INTERLEAVED_MOST]->s[2]);
        if ((i + 2) % HS_INTERLEAVED_MOST < count)
            f[i + 1] = fmax(f[i + 1], f[i] + order[(i + 2) % HS_INTERLEAVED_MOST]->s[1]);
        if (i > 0 && (i + 3) % HS_INTERLEAVED_MOST < count)
            f[i + 1] = fmax(f[i + 1], f[i - 1] + order[(i + 3) % HS_INTERLEAVED_MOST]->s[0]);
        if (i < HS_INTERLEAVED_MOST)
            continue;
        const double now = f[i + 1] - f[i - 3], before = f[i] - f[i - 4];
        if (fabs(now - before) <= 1e-3 * fmax(now, before))
            return now;
    }
    return f[2 * HS_INTERLEAVED_MOST] - f[HS_INTERLEAVED_MOST];
}

/* The least or greatest over the orders of those from `from` on. */
static double extreme_period(const struct stage_times **order, uint32_t count, uint32_t from,
                             bool is_worst)
{
    if (from + 1 >= count)
        return order_period(order, count);
    double extreme = is_worst ? 0 : HUGE_VAL;
    for (uint32_t i = from; i < count; i++) {
        const struct stage_times *first = order[i];
        order[i] = order[from];
        order[from] = first;
        const double period = extreme_period(order, count, from + 1, is_worst);
        extreme = is_worst ? fmax(extreme, period) : fmin(extreme, period);
        order[from] = order[i];
        order[i] = first;
    }
    return extreme;
}

/* Score of two groups, as seen from the first. */
static double released_weight(const struct hs_muri *m, const struct hs_view *v,
                              const struct hs_muri_group *a, const struct hs_muri_group *b)
{
    static const double overhead[] = {1.015, 1.33 / 1.015, 1.5 / 1.015, 1.37 / 1.015}; /* jobs.py */
    struct stage_times times[2 * HS_INTERLEAVED_MOST];
    const struct stage_times *order[2 * HS_INTERLEAVED_MOST];
    double sum = 0;
    const uint32_t count = a->count + b->count;
    if (count > (uint32_t)m->cap || !may_share(v, a, b))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = i < a->count ? a->members[i] : b->members[i - a->count];
        for (uint32_t s = 0; s < STAGES; s++)
            times[i].s[s] = (double)hs_muri_of(v, job)->iteration.stage_ns[s] / 1e6 / 1000;
        sum += times[i].s[0] + times[i].s[1] + times[i].s[2];
        order[i] = &times[i];
    }
    double period = extreme_period(order, count, 0, m->order != 0);
    if (count == 2) {
        const double halves = fmax(times[0].s[0], times[1].s[1] + times[1].s[2]) +
                              fmax(times[1].s[0], times[0].s[1] + times[0].s[2]);
        period = m->order != 0 ? fmax(period, halves) : fmin(period, halves);
    }
    period *= overhead[count - 1];
    const double gamma = sum / (period * 4);
    return gamma > m->lambda * count / 4 ? gamma : 0;
}

/* Group by group. Returns the first that is left. */
static uint32_t match_each(struct hs_muri *m, const struct hs_view *v, uint32_t from,
                           uint32_t count)
{
    count = count - from < m->match.most ? count - from : m->match.most;
    hs_match_begin(&m->match, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (i != k)
                hs_match_arc(&m->match, i, k,
                             released_weight(m, v, &m->groups[m->of_bucket[from + i]],
                                             &m->groups[m->of_bucket[from + k]]));
    hs_match_solve(&m->match);
    for (uint32_t i = 0; i < count; i++) { /* rounding may spoil it: then a group stays single */
        const uint32_t mate = hs_match_mate(&m->match, i);
        const bool is_pair = mate != HS_NO_MATE && hs_match_mate(&m->match, mate) == i;
        m->sorted[from + i].job = is_pair ? from + mate : HS_NO_JOB;
    }
    return from + count;
}

/* ---- the groups of a bucket ---- */

/* Matches groups from `from` of the bucket, as far as their classes go; their mates stand in
 * m->sorted[].job. Returns the first group that is left. */
static uint32_t match_part(struct hs_muri *m, const struct hs_view *v, uint32_t from,
                           uint32_t count)
{
    if (m->compat)
        return match_each(m, v, from, count);
    const uint32_t end = find_classes(m, v, from, count);
    (void)hs_match_classes_solve(&m->match, m->classes);
    pair_classes(m, from, end);
    return end;
}

/* The merged groups of a bucket behind those of the buckets before it. */
static void pair_bucket(struct hs_muri *m, const struct hs_view *v, uint32_t b, uint32_t *merged,
                        uint64_t *need, uint64_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->groups[i].bucket == b)
            m->of_bucket[count++] = i;
    for (uint32_t i = 0; i<count && * need> room;)
        i = match_part(m, v, i, count);
    const bool is_matched = *need > room;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_muri_group *own = &m->groups[m->of_bucket[i]];
        const uint32_t mate = is_matched ? m->sorted[i].job : HS_NO_JOB;
        if (mate != HS_NO_JOB && mate > i)
            continue;
        if (mate == HS_NO_JOB || *need <= room) {
            if (mate != HS_NO_JOB)
                m->merged[(*merged)++] = m->groups[m->of_bucket[mate]];
            m->merged[(*merged)++] = *own;
            continue;
        }
        struct hs_muri_group *pair = &m->merged[(*merged)++];
        *pair = m->groups[m->of_bucket[mate]];
        merge(pair, own);
        *need -= own->gang;
    }
}

/* The groups are those in m->merged from now on. */
static void turn(struct hs_muri *m, uint32_t count)
{
    struct hs_muri_group *const kept = m->groups;
    m->groups = m->merged;
    m->merged = kept;
    m->count = count;
}

static void pair_all(struct hs_muri *m, const struct hs_view *v, uint64_t need, uint64_t room)
{
    for (uint32_t round = 0; round < HS_INTERLEAVED_MOST && need > room; round++) {
        uint32_t merged = 0;
        for (uint32_t b = 0; b < m->bucket_count; b++)
            pair_bucket(m, v, b, &merged, &need, room);
        turn(m, merged);
    }
}

/* Without a matching: each that fitted alone, with those that it took. */
static void pair_neighbours(struct hs_muri *m, const struct hs_view *v, uint64_t need,
                            uint64_t room)
{
    uint32_t merged = 0;
    for (uint32_t i = 0; i < m->count;) {
        struct hs_muri_group group = m->groups[i];
        const uint32_t first = i++;
        for (; i < m->count && i < first + (uint32_t)m->cap && m->groups[i].bucket == group.bucket;
             i++) {
            if (need > room && may_share(v, &group, &m->groups[i])) {
                merge(&group, &m->groups[i]);
                need -= group.gang;
            } else {
                m->merged[merged++] = m->groups[i];
            }
        }
        m->merged[merged++] = group;
    }
    turn(m, merged);
}

/* A group that is slower than its members one after the other is none. */
static void unpack(struct hs_muri *m, const struct hs_view *v)
{
    uint32_t kinds[HS_INTERLEAVED_MOST], count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct hs_muri_group *g = &m->groups[i];
        int64_t alone = 0;
        for (uint32_t k = 0; k < g->count; k++)
            alone += hs_muri_of(v, g->members[k])->iteration.alone_ns;
        if (g->count < 2 || hs_view_period_ns(v, kinds, kinds_of(v, g, kinds), false) <= alone) {
            m->merged[count++] = *g;
            continue;
        }
        for (uint32_t k = 0; k < g->count; k++) {
            m->merged[count] = *g;
            m->merged[count].count = 1;
            m->merged[count++].members[0] = g->members[k];
        }
    }
    turn(m, count);
}

static void sort_members(const struct hs_view *v, struct hs_muri_group *g)
{
    for (uint32_t i = 1; i < g->count; i++) {
        const hs_job_id job = g->members[i];
        uint32_t at = i;
        for (; at > 0 && hs_muri_of(v, g->members[at - 1])->place > hs_muri_of(v, job)->place; at--)
            g->members[at] = g->members[at - 1];
        g->members[at] = job;
    }
}

/* By their first member; under compat=muri by its key, equal ones as they are. */
static void sort(struct hs_muri *m, const struct hs_view *v)
{
    for (uint32_t i = 0; i < m->count; i++) {
        sort_members(v, &m->groups[i]);
        const struct hs_muri_scratch *first = hs_muri_of(v, m->groups[i].members[0]);
        m->sorted[i] = (struct hs_job_place){
            .key = m->compat ? first->key : first->place, .rank = i, .job = i};
    }
    hs_sort(m->sorted, m->count);
    for (uint32_t i = 0; i < m->count; i++)
        m->merged[i] = m->groups[m->sorted[i].job];
    turn(m, m->count);
}

void hs_muri_group(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, uint32_t vc,
                   uint64_t room)
{
    uint64_t need = 0;
    m->count = m->bucket_count = 0;
    take_all(m, v, p, vc, room);
    for (uint32_t i = 0; i < m->count; i++)
        need += m->groups[i].gang;
    if (m->matching == HS_MURI_NEIGHBOURS)
        pair_neighbours(m, v, need, room);
    else
        pair_all(m, v, need, room);
    if (m->is_unpacking)
        unpack(m, v);
    sort(m, v);
}
