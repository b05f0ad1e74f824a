/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refparts.h.
 */
#include "refparts.h"

#include <limits.h>
#include <string.h>

#define WHOLE 1000

/* Allocated parts of the cluster. */
struct use {
    int milli[PARTS_GPUS_MAX]; /* 0 = idle */
    int64_t cpus_milli[PARTS_NODES_MAX], mem_mib[PARTS_NODES_MAX];
    int64_t vc_milli[PARTS_VCS_MAX];
};

static void number_gpus(struct parts *s)
{
    int gpu = 0;
    for (int n = 0; n < s->nodes; n++) {
        s->first_gpu[n] = gpu;
        for (int k = 0; k < s->node[n].gpus; k++)
            s->node_of[gpu++] = n;
    }
}

int parts_gpus(const struct parts *s)
{
    int gpus = 0;
    for (int n = 0; n < s->nodes; n++)
        gpus += s->node[n].gpus;
    return gpus;
}

/* ---- what a job may use ---- */

static bool may_use(const struct parts *s, const struct parts_job *j, int node)
{
    const struct parts_node *n = &s->node[node];
    int64_t mem_mib = s->type_mem_mib[n->type];
    if (s->vcs == PARTS_PARTITION && n->vc != j->vc)
        return false;
    if (j->types != 0 && (j->types >> n->type & 1) == 0)
        return false;
    return mem_mib == 0 || mem_mib * j->milli / WHOLE >= j->gpu_mem_mib;
}

/* Number of workers for which the node has CPU and host memory. */
static int64_t workers(const struct parts *s, const struct use *u, const struct parts_job *j,
                       int node)
{
    const struct parts_node *n = &s->node[node];
    int64_t cpus_milli = j->cpus_milli / j->gpus, mem_mib = j->mem_mib / j->gpus;
    int64_t count = INT_MAX, more;
    if (n->cpus_milli > 0 && cpus_milli > 0) {
        more = (n->cpus_milli - u->cpus_milli[node]) / cpus_milli;
        count = more < count ? more : count;
    }
    if (n->mem_mib > 0 && mem_mib > 0) {
        more = (n->mem_mib - u->mem_mib[node]) / mem_mib;
        count = more < count ? more : count;
    }
    return count;
}

static int idle_gpus(const struct parts *s, const struct use *u, int node)
{
    int count = 0, first = s->first_gpu[node];
    for (int g = first; g < first + s->node[node].gpus; g++)
        count += u->milli[g] == 0;
    return count;
}

/* Idle GPUs of a node that the job could get now. */
static int usable(const struct parts *s, const struct use *u, const struct parts_job *j, int node)
{
    if (!may_use(s, j, node))
        return 0;
    int idle = idle_gpus(s, u, node);
    int64_t most = workers(s, u, j, node);
    return most < idle ? (int)most : idle;
}

/* The same if the node were empty. */
static int size_of(const struct parts *s, const struct parts_job *j, int node)
{
    static const struct use nobody;
    return usable(s, &nobody, j, node);
}

static int largest_node(const struct parts *s, const struct parts_job *j)
{
    int largest = 0;
    for (int n = 0; n < s->nodes; n++)
        largest = size_of(s, j, n) > largest ? size_of(s, j, n) : largest;
    return largest;
}

int parts_largest_node(struct parts *s, const struct parts_job *j)
{
    number_gpus(s);
    return largest_node(s, j);
}

/* ---- allocating and releasing ---- */

/* sign 1: allocates a worker's share; -1: releases it. */
static void book(const struct parts *s, struct use *u, const struct parts_job *j, int gpu, int sign)
{
    int node = s->node_of[gpu];
    u->milli[gpu] += sign * j->milli;
    u->cpus_milli[node] += sign * (j->cpus_milli / j->gpus);
    u->mem_mib[node] += sign * (j->mem_mib / j->gpus);
    u->vc_milli[j->vc] += sign * j->milli;
}

static void sort_ascending(int *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
            int other = values[k];
            values[k] = values[k - 1];
            values[k - 1] = other;
        }
}

/* ---- the placement of a gang of shares ---- */

/* The node with at least `need` usable GPUs that are not taken yet: the first, that with the
 * fewest idle GPUs or that with the most; the lowest id wins a tie. -1 if there is none. */
enum pick { FIRST, FULLEST, EMPTIEST };
static int pick_node(const struct parts *s, const struct use *u, const struct parts_job *j,
                     const int *taken, int need, enum pick pick)
{
    int best = -1, best_idle = 0;
    for (int n = 0; n < s->nodes; n++) {
        int idle = idle_gpus(s, u, n);
        if (taken[n] > 0 || usable(s, u, j, n) < need)
            continue;
        if (best < 0 || (pick == FULLEST && idle < best_idle) ||
            (pick == EMPTIEST && idle > best_idle)) {
            best = n;
            best_idle = idle;
        }
    }
    return best;
}

static enum pick pick_of_one(enum ref_placer placer)
{
    if (placer == REF_CONSOLIDATE || placer == REF_BEST_FIT)
        return FULLEST;
    return placer == REF_SPREAD ? EMPTIEST : FIRST;
}

static int lowest_idle_gpu(const struct parts *s, const struct use *u, int node)
{
    int gpu = s->first_gpu[node];
    while (u->milli[gpu] != 0)
        gpu++;
    return gpu;
}

static bool is_held(const int *held, int count, int gpu)
{
    for (int i = 0; i < count; i++)
        if (held[i] == gpu)
            return true;
    return false;
}

/* The GPU of the next worker, `held` being the GPUs of those before it; -1: none. */
static int gpu_for_worker(const struct parts *s, const struct use *u, const struct parts_job *j,
                          int placed)
{
    static const int none_taken[PARTS_NODES_MAX];
    int best = -1, total = parts_gpus(s);
    for (int g = 0; g < total; g++) {
        int node = s->node_of[g];
        if (u->milli[g] > 0 && u->milli[g] + j->milli <= WHOLE && !is_held(j->held, placed, g) &&
            may_use(s, j, node) && workers(s, u, j, node) >= 1 &&
            (best < 0 || u->milli[g] > u->milli[best]))
            best = g;
    }
    if (best >= 0)
        return best;
    int node = pick_node(s, u, j, none_taken, 1, pick_of_one(s->placer));
    return node < 0 ? -1 : lowest_idle_gpu(s, u, node);
}

static bool place_shares(const struct parts *s, struct use *u, struct parts_job *j)
{
    for (int placed = 0; placed < j->gpus; placed++) {
        int gpu = gpu_for_worker(s, u, j, placed);
        if (gpu < 0) {
            while (placed-- > 0)
                book(s, u, j, j->held[placed], -1);
            return false;
        }
        j->held[placed] = gpu;
        book(s, u, j, gpu, 1);
    }
    return true;
}

/* ---- the placement of a gang of whole GPUs: taken[node] of them ---- */

/* Chooses one node for the gang if it can, else whole idle nodes and the rest on one other node. */
static bool choose_whole(const struct parts *s, const struct use *u, const struct parts_job *j,
                         enum pick one_node, enum pick rest_node, int *taken)
{
    int largest = largest_node(s, j), left = j->gpus;
    if (largest == 0)
        return false;
    if (left > largest) {
        for (int n = 0; n < s->nodes && left >= largest; n++)
            if (size_of(s, j, n) == largest && idle_gpus(s, u, n) == s->node[n].gpus &&
                usable(s, u, j, n) == largest) {
                taken[n] = largest;
                left -= largest;
            }
        if (left >= largest)
            return false;
        one_node = rest_node;
    }
    if (left == 0)
        return true;
    int n = pick_node(s, u, j, taken, left, one_node);
    if (n < 0)
        return false;
    taken[n] = left;
    return true;
}

static bool choose_greedily(const struct parts *s, const struct use *u, const struct parts_job *j,
                            int *taken)
{
    int left = j->gpus;
    for (int n = 0; n < s->nodes; n++) {
        taken[n] = usable(s, u, j, n) < left ? usable(s, u, j, n) : left;
        left -= taken[n];
    }
    return left == 0;
}

static bool choose_first_fit(const struct parts *s, const struct use *u, const struct parts_job *j,
                             int *taken)
{
    int n = pick_node(s, u, j, taken, j->gpus, FIRST);
    if (n < 0)
        return choose_greedily(s, u, j, taken);
    taken[n] = j->gpus;
    return true;
}

static bool choose_best_fit(const struct parts *s, const struct use *u, const struct parts_job *j,
                            int *taken)
{
    for (int left = j->gpus; left > 0;) {
        int n = pick_node(s, u, j, taken, left, FULLEST);
        if (n < 0)
            n = pick_node(s, u, j, taken, 1, EMPTIEST);
        if (n < 0)
            return false;
        taken[n] = usable(s, u, j, n) < left ? usable(s, u, j, n) : left;
        left -= taken[n];
    }
    return true;
}

static bool choose_spread(const struct parts *s, const struct use *u, const struct parts_job *j,
                          int *taken)
{
    for (int left = j->gpus; left > 0; left--) {
        int best = -1;
        for (int n = 0; n < s->nodes; n++)
            if (usable(s, u, j, n) > taken[n] &&
                (best < 0 || idle_gpus(s, u, n) - taken[n] > idle_gpus(s, u, best) - taken[best]))
                best = n;
        if (best < 0)
            return false;
        taken[best]++;
    }
    return true;
}

static bool choose(const struct parts *s, const struct use *u, const struct parts_job *j,
                   int *taken)
{
    switch (s->placer) {
    case REF_YARN:
        return choose_whole(s, u, j, FIRST, FIRST, taken);
    case REF_CONSOLIDATE:
        return choose_whole(s, u, j, FULLEST, EMPTIEST, taken);
    case REF_BEST_FIT:
        return choose_best_fit(s, u, j, taken);
    case REF_FIRST_FIT:
        return choose_first_fit(s, u, j, taken);
    case REF_SPREAD:
        return choose_spread(s, u, j, taken);
    case REF_COUNT:
        break;
    }
    return choose_greedily(s, u, j, taken);
}

static bool place_whole(const struct parts *s, struct use *u, struct parts_job *j)
{
    int taken[PARTS_NODES_MAX] = {0}, count = 0;
    if (!choose(s, u, j, taken))
        return false;
    for (int n = 0; n < s->nodes; n++)
        for (; taken[n] > 0; taken[n]--) {
            j->held[count] = lowest_idle_gpu(s, u, n);
            book(s, u, j, j->held[count++], 1);
        }
    return true;
}

/* Places the job and returns true, or changes nothing. */
static bool place(const struct parts *s, struct use *u, struct parts_job *j)
{
    int64_t milli = (int64_t)j->gpus * j->milli;
    if (s->vcs == PARTS_QUOTA && u->vc_milli[j->vc] + milli > (int64_t)s->quota[j->vc] * WHOLE)
        return false;
    if (!(j->milli < WHOLE ? place_shares(s, u, j) : place_whole(s, u, j)))
        return false;
    sort_ascending(j->held, j->gpus);
    return true;
}

/* ---- time ---- */

static bool would_fit_alone(const struct parts *s, struct parts_job *j)
{
    struct use nobody;
    memset(&nobody, 0, sizeof nobody);
    return place(s, &nobody, j);
}

static void submit(const struct parts *s, int64_t now_us)
{
    for (int i = 0; i < s->count; i++) {
        struct parts_job *j = &s->jobs[i];
        if (j->submit_us != now_us)
            continue;
        j->is_rejected = !would_fit_alone(s, j);
        j->is_waiting = !j->is_rejected;
    }
}

static int64_t end_of(const struct parts *s, const struct parts_job *j)
{
    return j->start_us + s->startup_us + j->duration_us;
}

static bool finish(const struct parts *s, struct use *u, int64_t now_us)
{
    bool any = false;
    for (int i = 0; i < s->count; i++) {
        struct parts_job *j = &s->jobs[i];
        if (!j->is_running || end_of(s, j) != now_us)
            continue;
        for (int k = 0; k < j->gpus; k++)
            book(s, u, j, j->held[k], -1);
        j->is_running = false;
        j->finish_us = now_us;
        j->milli_us = (int64_t)j->gpus * j->milli * (now_us - j->start_us);
        any = true;
    }
    return any;
}

static bool goes_before(const struct parts *s, const struct parts_job *a, const struct parts_job *b)
{
    if (s->is_sjf && a->duration_us != b->duration_us)
        return a->duration_us < b->duration_us;
    return a < b; /* submit ascending */
}

/* The first waiting job in the order of its queue after `last`; NULL: none. */
static struct parts_job *next_waiting(const struct parts *s, int queue,
                                      const struct parts_job *last)
{
    struct parts_job *first = NULL;
    for (int i = 0; i < s->count; i++) {
        struct parts_job *j = &s->jobs[i];
        if (j->is_waiting && (s->vcs == PARTS_ONE || j->vc == queue) &&
            (last == NULL || goes_before(s, last, j)) &&
            (first == NULL || goes_before(s, j, first)))
            first = j;
    }
    return first;
}

static void pass(const struct parts *s, struct use *u, int64_t now_us)
{
    int queues = s->vcs == PARTS_ONE ? 1 : s->vc_count;
    for (int queue = 0; queue < queues; queue++)
        for (struct parts_job *j = NULL; (j = next_waiting(s, queue, j)) != NULL;) {
            if (place(s, u, j)) {
                j->is_waiting = false;
                j->is_running = true;
                j->start_us = now_us;
            } else if (!s->is_fit) {
                break;
            }
        }
}

/* The next submission or end after now; INT64_MAX: none. */
static int64_t next_us(const struct parts *s, int64_t now_us)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < s->count; i++) {
        const struct parts_job *j = &s->jobs[i];
        int64_t at_us = j->is_running ? end_of(s, j) : j->submit_us;
        if (at_us > now_us && at_us < next)
            next = at_us;
    }
    return next;
}

static void integrate(struct parts *s, const struct use *u, int64_t length_us)
{
    int total = parts_gpus(s);
    for (int g = 0; g < total; g++) {
        s->held_us += (u->milli[g] > 0) * length_us;
        s->milli_us += u->milli[g] * length_us;
    }
}

void parts_simulate(struct parts *s)
{
    struct use u;
    memset(&u, 0, sizeof u);
    number_gpus(s);
    s->held_us = s->milli_us = 0;
    for (int i = 0; i < s->count; i++) {
        struct parts_job *j = &s->jobs[i];
        j->start_us = j->finish_us = -1;
        j->milli_us = 0;
        j->is_rejected = j->is_waiting = j->is_running = false;
    }
    for (int64_t now_us = -1, then_us; (then_us = next_us(s, now_us)) < INT64_MAX;
         now_us = then_us) {
        if (now_us >= 0)
            integrate(s, &u, then_us - now_us);
        (void)finish(s, &u, then_us);
        submit(s, then_us);
        do
            pass(s, &u, then_us);
        while (finish(s, &u, then_us)); /* jobs that run for no time */
    }
}
