/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Optimus: at each slot every job gets a number of GPUs by what one more would save.
 *
 *     at the boundary of a slot
 *         each job in order of arrival gets one GPU (the least of its range), while there are some
 *         repeat: the job with the largest T(n) - T(n + 1) gets one more, while that is above 0,
 *             n is below its most, and GPUs are left; T(n) = work left / speed with n GPUs
 *         a job that keeps its number keeps its GPUs; the others, fewest GPUs first, get those of
 *             the nodes with most free; one that finds no place waits
 *         a job that changed pays the restart; while it does, it keeps its number
 *
 * Between boundaries freed GPUs stay idle, and arrivals wait. The first job on an idle pool begins
 * a slot. A pool is a virtual cluster: with its own nodes, or its quota of those of all. All GPUs
 * of a pool count as of the type of which it has most for the job.
 *
 * What it learns of a job is its speed with n GPUs,
 *
 *     1 / speed(n) = t0 / n + t1 + t2 n,    t >= 0
 *
 * from speeds that were observed: compute is divided, synchronisation has a constant part and one
 * that grows with n. This is the form of Peng et al., EuroSys'18 3.2 (synchronous training), where
 * parameter servers are as many as workers. And the epochs that it trains, from its losses so far,
 * of the form of 3.1 (horus/loss.h).
 *
 * Cost of a slot: O((jobs with GPUs + GPUs) log GPUs): a job that waits behind others without GPUs
 * is not looked at.
 */
#include <math.h>
#include <string.h>

#include "policies/lib/vc_queues.h"

#define TRIALS 5u /* EuroSys'18 3.2, 6.1: 5 samples are enough */

enum { FILL, EVEN };
static const char *const placement_names[] = {"fill", "even", NULL};
enum { KNOWS_ALL, KNOWS_WORK, KNOWS_NOTHING };
static const char *const oracle_names[] = {"yes", "work", "no", NULL};
enum { COMPAT_OFF, COMPAT_ADAPTDL };
static const char *const compat_names[] = {"off", "adaptdl", NULL};

/* Sizes at which the speed of a job was observed: those of its trials, and then the last ones that
 * it had. */
#define SAMPLES 8u
#define TERMS   3u

struct speed_fit {
    double term[TERMS];     /* of 1 / speed(n): 1 / n, 1, n */
    double speed[SAMPLES];  /* relative to that in isolation */
    uint16_t gpus[SAMPLES]; /* of each */
    uint16_t trials, count;
    bool is_stale; /* a sample is newer than the fit */
};

struct optimus {
    int32_t placement, compat, oracle;
    bool is_sticky;
    int64_t slot_us, restart_us, max_gpus, phase_us, trial_us;
    double young, error;        /* parameters up to here */
    struct optimus_pool *pools; /* by VC */
    uint32_t pool_count;
    struct hs_job_place *heap;    /* of jobs that may get one GPU more, the largest gain first */
    struct hs_job_place *started; /* of jobs to place, fewest GPUs first */
    struct optimus_room *rooms;
    struct hs_vc_queues cpu_jobs;
};

/* Nodes of most free GPUs first. */
struct optimus_room {
    uint32_t node, gpus;
};

struct optimus_pool {
    struct hs_job_chain jobs; /* by arrival */
    uint64_t count, holding;  /* jobs: all, and with GPUs */
    hs_job_id end;            /* the first that this slot need not look at: behind all with GPUs */
    int64_t boundary_us;      /* the next; -1: none, the pool is idle */
};

struct optimus_job {
    union {
        struct hs_job_queue_link queue; /* of a CPU job */
        struct hs_job_chain_link chain;
    };
    struct speed_fit fit;
    double epochs; /* that it trains in all, fitted to the losses of those seen */
    uint32_t seen;
    int64_t since_us;     /* when it got the GPUs that it holds */
    double left_us;       /* predicted at this slot: work left, as run time on what it asks for */
    double time_us;       /* of that with the GPUs granted so far, */
    double next_us;       /* and with one more */
    uint32_t held;        /* GPUs */
    uint32_t granted;     /* of this slot */
    uint32_t least, most; /* that it can use */
    uint32_t type;        /* GPU type of most GPUs that it may use: its speeds count */
};

static struct optimus_job *job_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* ---- speeds ---- */

/* In place of the sample of the same size, or, once there is no room, of the oldest but trials. */
static void note_speed(struct speed_fit *f, uint32_t gpus, double speed)
{
    uint32_t at = 0;
    while (at < f->count && f->gpus[at] != gpus)
        at++;
    if (at == SAMPLES) { /* the oldest leaves */
        for (at = f->trials; at + 1 < SAMPLES; at++) {
            f->gpus[at] = f->gpus[at + 1];
            f->speed[at] = f->speed[at + 1];
        }
    } else if (at == f->count) {
        f->count++;
    } else if (f->speed[at] == speed) {
        return;
    }
    f->gpus[at] = (uint16_t)gpus;
    f->speed[at] = speed;
    f->is_stale = true;
}

/* With n GPUs, fitted; > 0. Relative errors count, so the rows are multiplied by the speeds. */
static double fitted_speed(struct speed_fit *f, uint32_t n)
{
    double a[SAMPLES * TERMS], b[SAMPLES];
    for (uint32_t i = 0; f->is_stale && i < f->count; i++) {
        const double speed = f->speed[i], gpus = f->gpus[i];
        a[i * TERMS] = speed / gpus;
        a[i * TERMS + 1] = speed;
        a[i * TERMS + 2] = speed * gpus;
        b[i] = 1;
    }
    if (f->is_stale)
        (void)hs_nnls(a, b, f->count, TERMS, f->term);
    f->is_stale = false;
    return 1 / (f->term[0] / n + f->term[1] + f->term[2] * n);
}

/* ---- losses ---- */

#define GRID        2000u /* of b2, as fine as the fits of the design's micro-scenario O2 */
#define POINTS_MIN  3u    /* pengyanghua/optimus 8c43920, as the next two */
#define EPOCHS_MORE 20u   /* with fewer points */
#define EPOCHS_MOST 100u

/* The curve, but its threshold, by 3 to HS_NNLS_ROWS_MAX losses > 0 and when they were seen. For a
 * given b2 the rest is linear: 1 / (l - b2) = b0 k + b1. Rows are multiplied by (l - b2)^2, so that
 * errors count as those of l. b2 is the best of GRID values below the least loss, found in steps of
 * 100, 10 and 1. */
static void fit_loss(const double *at, const double *loss, uint32_t count,
                     struct hs_loss_curve *curve)
{
    double a[HS_NNLS_ROWS_MAX * 2], b[HS_NNLS_ROWS_MAX], x[2], least = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        least = fmin(least, loss[i]);
    uint32_t from = 0, to = GRID;
    for (uint32_t step = GRID / 20; step > 0; step /= 10) {
        uint32_t middle = from;
        double best = INFINITY;
        for (uint32_t g = from; g < to; g += step) {
            const double b2 = least * g / GRID;
            for (uint32_t i = 0; i < count; i++) {
                b[i] = loss[i] - b2;
                a[2 * i + 1] = b[i] * b[i];
                a[2 * i] = a[2 * i + 1] * at[i];
            }
            const double sum = hs_nnls(a, b, count, 2, x);
            if (sum >= best)
                continue;
            best = sum;
            middle = g;
            *curve = (struct hs_loss_curve){x[0], x[1], b2, curve->threshold};
        }
        from = middle > step ? middle - step : 0;
        to = middle + step < GRID ? middle + step : GRID;
    }
}

/* Predicted run time left on the requested GPUs, > 0: from the predicted work, or, under oracle=no,
 * from the epochs left that the losses of the finished ones suggest. */
static double work_left_us(const struct optimus *o, const struct hs_view *v, hs_job_id job)
{
    struct optimus_job *j = job_of(v, job);
    if (o->oracle != KNOWS_NOTHING) {
        const double left_us = (double)hs_view_remaining_us(v, job);
        if (o->error == 0 || left_us == 0)
            return left_us;
        return left_us * (double)hs_view_estimate_us(v, job) / (double)hs_view_duration_us(v, job);
    }
    const struct hs_training training = hs_view_training(v, job);
    const uint32_t done = (uint32_t)training.done;
    double at[HS_NNLS_ROWS_MAX], loss[HS_NNLS_ROWS_MAX];
    struct hs_loss_curve curve = {.threshold = training.threshold};
    if (done + 1 < POINTS_MIN) {
        j->epochs = done + EPOCHS_MORE;
    } else if (done > j->seen) {
        const uint32_t count = done < HS_NNLS_ROWS_MAX ? done + 1 : HS_NNLS_ROWS_MAX;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t epoch = (uint32_t)((uint64_t)done * i / (count - 1));
            at[i] = epoch;
            loss[i] = hs_view_loss(v, job, epoch);
        }
        fit_loss(at, loss, count, &curve);
        j->epochs = fmin(hs_loss_epochs(&curve), done + EPOCHS_MOST);
    }
    j->seen = done;
    const double left = fmax(j->epochs, done + 1) - training.done; /* it trains on: this epoch */
    return left * (double)training.epoch_us;
}

/* ---- gains ---- */

/* Run time of the work left with n GPUs. */
static double time_us(const struct hs_view *v, hs_job_id job, uint32_t n)
{
    struct optimus_job *j = job_of(v, job);
    if (j->fit.count > 0)
        return j->left_us / fitted_speed(&j->fit, n);
    return j->left_us / ((double)hs_view_scaling_q32(v, job, j->type, n) / 0x1p32);
}

/* The entry of a job for one GPU more than it was granted. The key is the gain; the order is
 * reversed as a whole, so that the last entry is the largest gain, and at a tie the earlier job. */
static struct hs_job_place gain_entry(const struct optimus *o, const struct hs_view *v,
                                      hs_job_id job)
{
    struct optimus_job *j = job_of(v, job);
    j->next_us = time_us(v, job, j->granted + 1);
    const bool is_young = o->young < 1 && hs_view_attained_us(v, job) < o->slot_us;
    return (struct hs_job_place){.key =
                                     llround((j->time_us - j->next_us) * (is_young ? o->young : 1)),
                                 .submit_us = -hs_view_submit_us(v, job),
                                 .rank = UINT64_MAX - hs_view_rank(v, job),
                                 .job = job};
}

/* One GPU after the other to the largest gain. */
static void grant_gains(const struct optimus *o, const struct hs_view *v, uint32_t count,
                        uint64_t room)
{
    struct hs_job_place *heap = o->heap;
    for (uint32_t i = count / 2; i-- > 0;)
        hs_sort_down(heap, i, count);
    while (count > 0 && room > 0 && heap[0].key > 0) {
        const hs_job_id job = heap[0].job;
        struct optimus_job *j = job_of(v, job);
        j->granted++;
        j->time_us = j->next_us;
        room--;
        if (j->granted < j->most)
            heap[0] = gain_entry(o, v, job);
        else
            heap[0] = heap[--count];
        hs_sort_down(heap, 0, count);
    }
}

/* A job that has done nothing since its last start keeps its number, or one that changes at each of
 * many short slots would only pay restarts. */
static bool is_fixed(const struct optimus *o, const struct hs_view *v, hs_job_id job)
{
    const struct optimus_job *j = job_of(v, job);
    return j->held > 0 && hs_view_now_us(v) - j->since_us <= o->restart_us;
}

/* GPUs of the pool that fixed jobs leave; these may hold more, as some may be on cordoned nodes. */
static uint64_t room_of(const struct optimus *o, const struct optimus_pool *pool,
                        const struct hs_view *v)
{
    const uint32_t number = (uint32_t)(pool - o->pools);
    uint64_t gpus = 0; /* of its nodes in service, or its quota */
    for (uint32_t t = 0; t < v->gpu_types; t++)
        gpus += hs_view_type_gpus(v, number, t);
    gpus = hs_smaller(gpus, hs_view_quota(v, number));
    hs_job_id job = pool->jobs.first;
    uint64_t fixed = 0;
    for (uint64_t left = pool->holding; left > 0; job = job_of(v, job)->chain.after) {
        fixed += is_fixed(o, v, job) ? job_of(v, job)->held : 0;
        left -= job_of(v, job)->held > 0;
    }
    return gpus > fixed ? gpus - fixed : 0;
}

/* The speed that a job has on the GPUs that it holds, wherever they are; before its first slot it
 * runs a few steps on 1, 2, 4, .. GPUs of those that it may have. */
static void observe(const struct hs_view *v, hs_job_id job)
{
    struct optimus_job *j = job_of(v, job);
    const uint32_t trials = j->fit.count == 0 ? TRIALS : 0;
    for (uint32_t n = j->least; j->fit.trials < trials && n <= j->most; n *= 2) {
        note_speed(&j->fit, n, (double)hs_view_trial_q32(v, job, j->type, n) / 0x1p32);
        j->fit.trials++;
    }
    const uint64_t rate_q32 = j->held > 0 ? hs_view_rate_q32(v, job) : 0;
    if (rate_q32 > 0)
        note_speed(&j->fit, j->held, (double)rate_q32 / 0x1p32);
}

/* How many GPUs the jobs of a pool have in this slot. */
static void grant(const struct optimus *o, struct optimus_pool *pool, const struct hs_view *v)
{
    uint64_t room = room_of(o, pool, v);
    uint64_t holding = pool->holding;
    uint32_t count = 0;
    hs_job_id job = pool->jobs.first;
    for (; job != HS_NO_JOB && (room > 0 || holding > 0); job = job_of(v, job)->chain.after) {
        struct optimus_job *j = job_of(v, job);
        holding -= j->held > 0;
        if (is_fixed(o, v, job)) {
            j->granted = j->held;
            continue;
        }
        j->granted = room >= j->least ? j->least : 0;
        room -= j->granted;
        if (j->granted == 0)
            continue;
        if (o->oracle != KNOWS_ALL)
            observe(v, job);
        j->left_us = work_left_us(o, v, job);
        j->time_us = time_us(v, job, j->granted);
        if (j->granted < j->most)
            o->heap[count++] = gain_entry(o, v, job);
    }
    pool->end = job;
    grant_gains(o, v, count, room);
}

/* ---- placement ---- */

static uint32_t room_on(const struct hs_view *v, hs_job_id job, uint32_t node)
{
    const uint32_t free = hs_view_node_free(v, node), workers = hs_view_node_workers(v, job, node);
    return free < workers ? free : workers;
}

/* On the fewest nodes on which it fits evenly, of those with most free GPUs, which are found by
 * taking all that is free. */
static bool place_evenly(const struct optimus *o, const struct hs_view *v, struct hs_plan *p,
                         hs_job_id job, uint32_t gpus)
{
    const uint32_t mark = hs_plan_mark(p);
    uint32_t m = 0;
    bool is_fit = false;
    hs_plan_start(p, job);
    while (!is_fit && m < gpus) {
        const uint32_t node = hs_view_worst_fit(v, job, 1);
        const uint64_t quota = hs_view_quota_room(v, hs_view_vc(v, job));
        if (node == HS_NO_NODE || quota == 0)
            break;
        const struct optimus_room room = {node, room_on(v, job, node)};
        uint32_t at = m++; /* by room, which CPUs and host memory may limit */
        for (; at > 0 && o->rooms[at - 1].gpus < room.gpus; at--)
            o->rooms[at] = o->rooms[at - 1];
        o->rooms[at] = room;
        hs_plan_on_node(p, node, (uint32_t)hs_smaller(room.gpus, quota));
        const uint32_t more = gpus % m; /* nodes with one GPU more than the others */
        is_fit =
            o->rooms[m - 1].gpus >= gpus / m && (more == 0 || o->rooms[more - 1].gpus > gpus / m);
    }
    hs_plan_rollback(p, mark);
    if (!is_fit)
        return false;
    hs_plan_start(p, job);
    for (uint32_t i = 0; i < m; i++)
        hs_plan_on_node(p, o->rooms[i].node, gpus / m + (i < gpus % m));
    return true;
}

/* All free GPUs of the node with most, then of the next. */
static bool place_by_filling(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                             uint32_t gpus)
{
    const uint32_t mark = hs_plan_mark(p);
    hs_plan_start(p, job);
    for (uint32_t left = gpus; left > 0;) {
        const uint32_t node = hs_view_worst_fit(v, job, 1);
        if (node == HS_NO_NODE) {
            hs_plan_rollback(p, mark);
            return false;
        }
        const uint32_t room = room_on(v, job, node), count = room < left ? room : left;
        hs_plan_on_node(p, node, count);
        left -= count;
    }
    return true;
}

static void place_all(const struct optimus *o, struct optimus_pool *pool, const struct hs_view *v,
                      struct hs_plan *p)
{
    uint32_t count = 0;
    hs_plan_reason(p, "another number of GPUs in this slot");
    for (hs_job_id job = pool->jobs.first; job != pool->end; job = job_of(v, job)->chain.after) {
        struct optimus_job *j = job_of(v, job);
        if (o->is_sticky && j->held > 0 && j->granted > j->held &&
            time_us(v, job, j->held) - j->time_us <= (double)o->restart_us)
            j->granted = j->held;
        if (j->granted == j->held)
            continue;
        if (j->held > 0) {
            hs_plan_preempt(p, job, o->restart_us);
            pool->holding--;
        }
        j->held = 0;
        if (j->granted > 0)
            o->started[count++] = hs_job_place(v, job, j->granted);
    }
    hs_sort(o->started, count);
    hs_plan_reason(p, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = o->started[i].job;
        struct optimus_job *j = job_of(v, job);
        if (hs_view_quota_room(v, hs_view_vc(v, job)) < j->granted ||
            (!(o->placement == EVEN && place_evenly(o, v, p, job, j->granted)) &&
             !place_by_filling(v, p, job, j->granted)))
            continue;
        if (hs_view_first_start_us(v, job) < 0)
            hs_plan_add_overhead(p, job, o->restart_us + j->fit.trials * o->trial_us);
        j->held = j->granted;
        j->since_us = hs_view_now_us(v);
        pool->holding++;
    }
}

static enum hs_status optimus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct optimus *o = state;
    const int64_t now_us = hs_view_now_us(v);
    hs_vc_queues_scan(&o->cpu_jobs, v, p, (struct hs_place_rule){.placer = HS_PLACE_FIRST_FIT});
    for (uint32_t i = 0; i < o->pool_count; i++) {
        struct optimus_pool *pool = &o->pools[i];
        const bool is_new = pool->boundary_us < 0;
        if (pool->count == 0) {
            pool->boundary_us = -1;
            continue;
        }
        if (is_new)
            pool->boundary_us = o->compat == COMPAT_ADAPTDL
                                    ? hs_round_from(o->phase_us, o->slot_us, now_us)
                                    : now_us;
        const bool is_due = now_us == pool->boundary_us;
        if (is_due) {
            grant(o, pool, v);
            place_all(o, pool, v, p);
            pool->boundary_us += o->slot_us;
        }
        if (is_new || is_due)
            hs_plan_timer(p, pool->boundary_us, 0);
    }
    return HS_OK;
}

/* ---- jobs ---- */

static void come(const struct optimus *o, const struct hs_view *v, hs_job_id job)
{
    struct optimus_pool *pool = &o->pools[hs_view_vc(v, job)];
    struct optimus_job *j = job_of(v, job);
    uint64_t usable = 0, most = 0;
    for (uint32_t t = 0; t < v->gpu_types; t++) {
        hs_view_search_type(v, t, true);
        const uint64_t gpus = hs_view_capacity(v, job);
        const bool is_tie = gpus == most && gpus > 0; /* by name: their numbers do not matter */
        if (gpus > most || (is_tie && strcmp(hs_view_gpu_type(v, t)->name,
                                             hs_view_gpu_type(v, j->type)->name) < 0)) {
            j->type = t;
            most = gpus;
        }
        usable += gpus;
    }
    hs_view_search_type(v, HS_ANY_TYPE, true);
    j->least = hs_view_gpus_min(v, job);
    usable = hs_smaller(usable, hs_view_quota(v, hs_view_vc(v, job)));
    j->most =
        (uint32_t)hs_smaller(hs_smaller(usable, (uint64_t)o->max_gpus), hs_view_gpus_max(v, job));
    j->most = j->most > j->least ? j->most : j->least;
    hs_job_chain_insert(&pool->jobs, v, job, pool->jobs.last);
    pool->count++;
}

static void optimus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct optimus *o = state;
    if (event->kind == HS_EVENT_TIMER)
        return;
    if (event->kind == HS_EVENT_NODE || hs_view_gpus(v, event->job) == 0) {
        hs_vc_queues_event(&o->cpu_jobs, v, event, 0);
    } else if (event->kind == HS_EVENT_SUBMIT) {
        come(o, v, event->job);
    } else if (event->kind == HS_EVENT_FINISH) {
        struct optimus_pool *pool = &o->pools[hs_view_vc(v, event->job)];
        pool->count--;
        pool->holding -= job_of(v, event->job)->held > 0;
        hs_job_chain_remove(&pool->jobs, v, event->job);
    }
}

static enum hs_status optimus_init(void *state, const struct hs_view *v)
{
    struct optimus *o = state;
    uint64_t gpus = 0;
    o->pool_count = v->vcs;
    o->pools = hs_view_alloc(v, o->pool_count * sizeof *o->pools);
    for (uint32_t i = 0; i < o->pool_count; i++) {
        o->pools[i] = (struct optimus_pool){
            .jobs = hs_job_chain_empty(offsetof(struct optimus_job, chain)), .boundary_us = -1};
        const uint64_t most = hs_smaller(hs_view_total_gpus(v, i), hs_view_quota(v, i));
        gpus = most > gpus ? most : gpus;
    }
    o->heap = hs_view_alloc(v, gpus * sizeof *o->heap);
    o->started = hs_view_alloc(v, gpus * sizeof *o->started);
    o->rooms = hs_view_alloc(v, gpus * sizeof *o->rooms);
    hs_vc_queues_init(&o->cpu_jobs, v, HS_SCAN_FIT);
    if (o->error > 0 && o->oracle != KNOWS_NOTHING)
        return hs_view_estimate_by(
            v, &(struct hs_estimator){.from = HS_ESTIMATE_NOISY, .sigma = o->error});
    return HS_OK;
}

static void optimus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct optimus *o = state;
    (void)can;
    *knows = o->oracle == KNOWS_ALL ? HS_KNOWS_SCALING : HS_KNOWS_RATE;
    *knows |= o->oracle == KNOWS_NOTHING ? HS_KNOWS_LOSS : HS_KNOWS_DURATION;
    if (o->error > 0 && o->oracle != KNOWS_NOTHING)
        *knows |= HS_KNOWS_ESTIMATE;
}

static void optimus_semantics(const void *state, struct hs_semantics *out)
{
    const struct optimus *o = state;
    *out = (struct hs_semantics){.order = "largest gain of one GPU more, in slots",
                                 .scan = "fit",
                                 .placement = placement_names[o->placement],
                                 .preemption = "replace",
                                 .cost = "the same for all, at each start"};
}

static const char *optimus_check(const void *state, const struct hs_view *v)
{
    const struct optimus *o = state;
    for (uint32_t i = 0; i < o->pool_count; i++) {
        const struct optimus_pool *pool = &o->pools[i];
        uint64_t count = 0, holding = 0;
        HS_EACH_CHAINED(job, &pool->jobs, v) {
            if (job_of(v, job)->held != hs_view_gpus_held(v, job))
                return "a job holds other GPUs than it was given";
            count++;
            holding += job_of(v, job)->held > 0;
        }
        if (count != pool->count || holding != pool->holding)
            return "the chain of live jobs is broken";
    }
    return hs_vc_queues_check(&o->cpu_jobs, v);
}

static const struct hs_param params[] = {
    HS_PARAM_DURATION(struct optimus, slot_us, "slot", "600s", 60, 1e6,
                      "time between boundaries, at which GPUs are reallocated",
                      .source = "Peng et al. EuroSys'18 6.1: 10 minutes"),
    HS_PARAM_DURATION(struct optimus, restart_us, "restart", "30s", 0, 3600,
                      "overhead of a job at its start and at each change of its GPUs",
                      .source = "Qiao et al. OSDI'21, artifact"),
    HS_PARAM_REAL(struct optimus, young, "young", "1", 0, 1,
                  "factor on the gain of a job that has run for less than one slot",
                  .source = "EuroSys'18 4.1: .95, 1 in the main runs"),
    HS_PARAM_FLAG(struct optimus, is_sticky, "sticky", "no",
                  "a job grows only if that saves more time than the restart takes"),
    HS_PARAM_INT(struct optimus, max_gpus, "max_gpus", "64", 1, HS_JOB_GPUS_MAX,
                 "most GPUs of a job whose range does not begin above this",
                 .source = "all of the testbed of Qiao et al. OSDI'21"),
    HS_PARAM_CHOICE(struct optimus, placement, "placement", "fill", placement_names,
                    "use the nodes with most free GPUs: fill one after the other, or spread evenly "
                    "over the fewest where that is possible",
                    .source = "fill: Qiao et al. OSDI'21, artifact; even: EuroSys'18 4.2"),
    HS_PARAM_CHOICE(struct optimus, oracle, "oracle", "yes", oracle_names,
                    "yes: remaining work and predicted speeds are known; work: speeds are fitted "
                    "to observed ones; no: remaining work is also fitted, to losses (--losses)",
                    .source = "EuroSys'18 3.1, 3.2"),
    HS_PARAM_REAL(
        struct optimus, error, "error", "0", 0, 10,
        "standard deviation of ln(predicted / true) of the remaining work, drawn for each job",
        .source = "EuroSys'18 Fig. 15", .only_with = "oracle=yes|work"),
    HS_PARAM_DURATION(
        struct optimus, trial_us, "trial", "30s", 0, 3600,
        "time of each of up to 5 trials on other numbers of GPUs before a job's first start",
        .source = "EuroSys'18 6.1: 5 samples; the time is ours", .only_with = "oracle=work|no"),
    HS_PARAM_CHOICE(struct optimus, compat, "compat", "off", compat_names,
                    "adaptdl: the first job also waits for the boundary (with slot=60s)",
                    .source = "Qiao et al. OSDI'21, artifact"),
    HS_PARAM_DURATION(struct optimus, phase_us, "slot_phase", "0s", 0, 86400,
                      "time of the first boundary, after the first submission",
                      .only_with = "compat=adaptdl"),
    {0}};

const struct hs_policy_ops hs_policy_optimus = {
    .name = "optimus",
    .summary = "numbers of GPUs by the marginal gain of one more, reallocated in slots",
    .cite = "Peng et al., Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning "
            "Clusters, EuroSys'18",
    .can = HS_CAN_PREEMPT | HS_CAN_TIME | HS_CAN_RESIZE | HS_CAN_RESIZE_ANY,
    .knows =
        HS_KNOWS_DURATION | HS_KNOWS_SCALING | HS_KNOWS_RATE | HS_KNOWS_LOSS | HS_KNOWS_ESTIMATE,
    .params = params,
    HS_POLICY_HOOKS(optimus, struct optimus, struct optimus_job),
};
