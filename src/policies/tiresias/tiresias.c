/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tiresias' discretized two-dimensional scheduling (Gu et al., NSDI'19): K queues by the service
 * that jobs attained, GPUs times seconds (tiresias) or seconds alone (las, `dlas` of its
 * simulator), with preemption and without knowledge of run times. A job that has attained the limit
 * of its queue goes to the tail of the next one; one that has waited promote_knob times what it
 * attained goes back to the first and starts counting anew. At each decision queue by queue, and in
 * each in its order, jobs that fit by number are chosen (preempt_select.h).
 *
 * Order inside a queue:
 *     running_first  by arrival in the queue, but at each decision those that hold GPUs come before
 *                    the others: an older gang never evicts a younger one (published simulator)
 *     submit         by submission (Lucid's variant); on a tie by row, under compat=helios as its
 *                    artifact by entry in its queue or, when they run, its list of running jobs
 *     index=gittins  by Gittins index, larger first, then submission; gittins=repo: then its
 *                    second, then as in the queue before, where after each decision running jobs
 *                    come first
 *
 * Service is the time that a job made progress; a queue's limit is reached at the very microsecond,
 * or noticed at the next round. It is accounted when the state of a job changes, and the moment at
 * which a job will change its queue is kept in order: jobs that stay where they are cost nothing.
 * One timer is set, for the first such moment. Cost of a decision: preempt_select.h, and O(log
 * jobs) for each job that changes its queue; gittins besides O(holders of the queues that lose
 * GPUs), because service changes the order.
 */
#include <math.h>
#include <string.h>

#include "policies/lib/preempt_select.h"
#include "policies/lib/vc_queues.h"

#define SECOND_US INT64_C(1000000)
#define NEVER_DUE INT64_MAX

enum { INDEX_LAS, INDEX_GITTINS };
enum { GITTINS_EXACT, GITTINS_REPO };
enum { INQUEUE_RUNNING_FIRST, INQUEUE_SUBMIT };
static const char *const index_names[] = {"las", "gittins", NULL};
static const char *const gittins_names[] = {"exact", "repo", NULL};
static const char *const inqueue_names[] = {"running_first", "submit", NULL};
static const char *const compat_names[] = {"off", "tiresias", "helios", "muri", NULL};

/* ---- Gittins indices ----
 *
 * Of a job of which only the distribution of service S is known (Tiresias, NSDI'19): having
 * attained a, the chance that it ends within the next D over the service that this takes,
 *
 *     G(a) = P(S - a <= D | S > a) / E[min(S - a, D) | S > a]
 *
 *     exact  that, at the very a
 *     repo   as in the published simulator: tabulated at a = S_m - 1 for each S_m of the sample,
 *            looked up for the first S_m > a in whole seconds, and with whole services where the
 *            residual ones should be summed (gittins.e: sum of S in place of S - a); both terms
 *            are rounded to 5 decimals before they are divided
 *
 * A sample comes from a file, or is learnt. Sorted, with prefix sums, it makes an index two
 * searches and a division. A learnt sample is that of the last jobs to finish, taken anew whenever
 * their number has doubled, then every SAMPLE_KEPT jobs: what was computed from it holds for as
 * long, and the work is O(log) a job. Service in GPU-us or us.
 */

#define SAMPLE_KEPT  1024u /* about the size of the published sample, 1,001 */
#define SAMPLE_FIRST 16u

struct gittins {
    int32_t form;
    int64_t repo_delta_us; /* parameters up to here */
    int64_t *sizes;        /* the sample, ascending */
    double *sums;          /* prefix sums of the sample, s */
    double *scale;         /* gittins=repo: index of each entry of the sample */
    uint32_t count;
    struct hs_job_place *entries; /* memory for sorting */
    int64_t *recent; /* ring of the last jobs to finish; NULL with a sample from a file */
    uint64_t finished;
};

/* Number of entries of the sample that are at most `size`. */
static uint32_t count_until(const struct gittins *g, int64_t size)
{
    uint32_t low = 0, high = g->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->sizes[middle] <= size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double seconds(int64_t us)
{
    return (double)us / (double)SECOND_US;
}

/* To the nearest of 5 decimals. */
static double rounded(double value)
{
    return rint(value * 1e5) / 1e5;
}

/* The published form, at a = S_m - 1. */
static double repo_index(const struct gittins *g, int64_t attained_us)
{
    uint32_t n = g->count, i = count_until(g, attained_us), k = n;
    if (i == n)
        return 0;
    if (attained_us < INT64_MAX - g->repo_delta_us)
        k = count_until(g, attained_us + g->repo_delta_us);
    double p = (double)(k - i) / (double)(n - i);
    double e =
        (g->sums[k] - g->sums[i] + seconds(g->repo_delta_us) * (double)(n - k)) / (double)(n - i);
    return 1e6 * rounded(p) / fmax(rounded(e), 1e-5); /* nothing is divided by 0 */
}

static void tabulate(struct gittins *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        g->entries[i] = (struct hs_job_place){.key = g->sizes[i], .rank = i};
    hs_sort(g->entries, g->count);
    g->sums[0] = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->sizes[i] = g->entries[i].key;
        g->sums[i + 1] = g->sums[i] + seconds(g->sizes[i]);
    }
    for (uint32_t i = 0; g->form == GITTINS_REPO && i < g->count; i++)
        g->scale[i] = repo_index(g, g->sizes[i] - SECOND_US);
}

/* Reads the sample, or allocates one to be learnt. */
static enum hs_status gittins_open(struct gittins *g, const struct hs_view *v, const char *path)
{
    const int64_t *values = NULL;
    uint32_t most = SAMPLE_KEPT;
    if (path != NULL)
        HS_TRY(hs_view_numbers(v, path, &values, &most));
    else
        g->recent = hs_view_alloc(v, most * sizeof *g->recent);
    g->sizes = hs_view_alloc(v, most * sizeof *g->sizes);
    g->sums = hs_view_alloc(v, (most + UINT64_C(1)) * sizeof *g->sums);
    g->scale = hs_view_alloc(v, most * sizeof *g->scale);
    g->entries = hs_view_alloc(v, most * sizeof *g->entries);
    if (path == NULL)
        return HS_OK;
    g->count = most;
    memcpy(g->sizes, values, most * sizeof *values);
    tabulate(g);
    return HS_OK;
}

/* Records the total service of a finished job. Returns true when the sample was taken anew. */
static bool gittins_learn(struct gittins *g, int64_t service_us)
{
    if (g->recent == NULL)
        return false;
    g->recent[g->finished++ % SAMPLE_KEPT] = service_us;
    bool is_due = g->finished >= SAMPLE_KEPT
                      ? g->finished % SAMPLE_KEPT == 0
                      : g->finished >= SAMPLE_FIRST && (g->finished & (g->finished - 1)) == 0;
    if (!is_due)
        return false;
    g->count = g->finished < SAMPLE_KEPT ? (uint32_t)g->finished : SAMPLE_KEPT;
    memcpy(g->sizes, g->recent, g->count * sizeof *g->sizes);
    tabulate(g);
    return true;
}

/* In units of 1e-12 (exact) or 1e-10 (repo) per second, larger first; 0 beyond the largest entry of
 * the sample. delta_us is the horizon, INT64_MAX: none; repo uses repo_delta_us. O(log sample). */
static int64_t gittins_index(const struct gittins *g, int64_t attained_us, int64_t delta_us)
{
    const uint32_t n = g->count;
    if (g->form == GITTINS_REPO) {
        const uint32_t m = count_until(g, attained_us / SECOND_US * SECOND_US);
        return m < n ? llrint(1e4 * g->scale[m]) : 0;
    }
    uint32_t i = count_until(g, attained_us), k = n;
    double beyond = 0; /* service of the entries beyond the horizon */
    if (i == n)
        return 0;
    if (delta_us < INT64_MAX - attained_us) {
        k = count_until(g, attained_us + delta_us);
        if (k == i) /* also if the horizon is 0: e would be 0 */
            return 0;
        beyond = seconds(delta_us) * (double)(n - k);
    }
    double p = (double)(k - i) / (double)(n - i);
    double e = (g->sums[k] - g->sums[i] - seconds(attained_us) * (double)(k - i) + beyond) /
               (double)(n - i);
    /* each entry takes at least 1 us, whatever rounding left */
    return llrint(1e12 * (p / fmax(e, p * seconds(1))));
}

/* ---- the state ---- */

/* The queues of one virtual cluster. */
struct tiresias_queues {
    struct hs_running_class *holding; /* jobs with GPUs: a class for each queue */
    struct hs_job_queue *waiting;     /* waiting jobs of each queue */
    struct hs_job_queue due;          /* jobs by the time at which they change their queue */
    uint64_t held;                    /* GPUs that are held */
    int64_t lead, starting;           /* running_first: next keys of running jobs, far below 0, */
    int64_t front, tail;              /* and of waiting jobs, counting down and up from 0 */
    int64_t stopped;    /* running_first: key of the next job that the last plan evicted */
    int64_t decided_us; /* time of the last decision */
    uint64_t entries;   /* jobs that began to wait or to run */
    int64_t listed;     /* gittins=repo: the tail at the last decision */
    bool is_stale;      /* gittins: the sample has changed, so all indices are out of date */
};

struct tiresias {
    int32_t index, inqueue, compat;
    struct gittins gittins;
    struct hs_place_rule placement;
    struct hs_durations limits;
    double promote_knob;
    int64_t round_us, phase_us;
    const char *samples;
    struct hs_preempt_cost cost;
    int32_t weighs_gpus; /* tiresias: service is GPUs times seconds; las: seconds */
    uint32_t levels;
    struct tiresias_queues *by_vc;
    bool *is_awake; /* per VC: an event since its last decision may change the choice */
    uint32_t vcs;
    int64_t armed_us; /* time of the timer that is set; 0 = none */
};

/* The scratch of a job, with an account of its service and of the time that it waited. */
struct tiresias_job {
    struct hs_choice_link choice;
    struct hs_job_queue_link due;
    int64_t service_us; /* since its last promotion, up to since_us */
    int64_t since_us;
    int64_t waited_us; /* likewise, where jobs are promoted */
    uint64_t entry;    /* number of the last time that it began to wait or to run */
};

/* gittins=repo: `entry` is the second of the submission, then the place in the queue. */
#define PLACE_BITS 34
#define PLACE_ZERO (INT64_C(1) << (PLACE_BITS - 1))

static struct tiresias_job *job_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static struct tiresias_queues *queues_of(const struct tiresias *t, const struct hs_view *v,
                                         hs_job_id job)
{
    return &t->by_vc[hs_view_vc(v, job)];
}

/* ---- the account of a job, and the moments that follow from it ---- */

/* Weight of a second of service: the GPUs of the job, or 1. */
static int64_t weight_of(const struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    return t->weighs_gpus ? (int64_t)hs_view_gpus(v, job) : 1;
}

/* Whether paid costs count as service: under compat=helios and muri. No job is promoted there: a
 * job could be promoted each time before it has paid for its last eviction. */
static bool counts_costs(const struct tiresias *t)
{
    return t->compat == HS_COMPAT_HELIOS || t->compat == HS_COMPAT_MURI;
}

/* Brings the account of a job up to now; to be called before its state changes. */
static void account(const struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct tiresias_job *j = job_of(v, job);
    int64_t passed_us = hs_view_now_us(v) - j->since_us;
    j->since_us += passed_us;
    if (j->choice.is_served)
        j->service_us += passed_us;
    else if (t->promote_knob > 0 && !j->choice.is_holding && j->service_us > 0)
        j->waited_us += passed_us;
}

/* Division of nonnegative numbers, rounded up. */
static int64_t divided(int64_t service, int64_t weight)
{
    return (service - 1) / weight + 1;
}

static int64_t whole_seconds(int64_t us)
{
    return (us + SECOND_US - 1) / SECOND_US * SECOND_US;
}

/* Time at which a job whose account is up to date attains the limit of its queue, if its service
 * continues; NEVER_DUE if it is not in service or its queue has no limit. */
static int64_t demotion_us(const struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    const struct tiresias_job *j = job_of(v, job);
    int64_t weight = weight_of(t, v, job);
    if (j->choice.level + 1u >= t->levels || weight == 0)
        return NEVER_DUE;
    int64_t limit = t->limits.us[j->choice.level];
    if (t->compat == HS_COMPAT_MURI) /* its timer rounds limit / GPUs up to seconds */
        return j->since_us + hs_later(0, whole_seconds(divided(limit, weight)) - j->service_us);
    limit += t->compat == HS_COMPAT_HELIOS; /* its test is > and not >= */
    const int64_t left = limit - hs_choice_weigh(j->service_us, weight);
    const int64_t at_us = j->since_us + (left > 0 ? divided(left, weight) : 0);
    return t->compat == HS_COMPAT_TIRESIAS ? whole_seconds(at_us) : at_us;
}

/* Time at which a waiting job is promoted; NEVER_DUE if it does not wait. */
static int64_t promotion_us(const struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    const struct tiresias_job *j = job_of(v, job);
    int64_t unit_us = t->compat == HS_COMPAT_TIRESIAS ? SECOND_US : 1;
    double units = t->promote_knob * (double)(j->service_us / unit_us);
    if (j->choice.level == 0 || j->service_us == 0 || t->promote_knob <= 0 ||
        units > (double)(NEVER_DUE / 4 / unit_us) || counts_costs(t))
        return NEVER_DUE;
    int64_t wait_us = (int64_t)units * unit_us;
    return j->since_us + hs_later(0, wait_us - j->waited_us);
}

/* Updates the place of a job among those that change their queue; its account is up to date. */
static void watch(const struct tiresias *t, struct tiresias_queues *q, const struct hs_view *v,
                  hs_job_id job)
{
    const struct tiresias_job *j = job_of(v, job);
    int64_t at_us = j->choice.is_served     ? demotion_us(t, v, job)
                    : !j->choice.is_holding ? promotion_us(t, v, job)
                                            : NEVER_DUE;
    if (at_us != NEVER_DUE)
        hs_job_queue_add(&q->due, v, job, at_us);
}

static void forget(struct tiresias_queues *q, const struct hs_view *v, hs_job_id job)
{
    if (job_of(v, job)->due.is_linked)
        hs_job_queue_remove(&q->due, v, job);
}

/* Weighted service up to now. */
static int64_t attained(const struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    const struct tiresias_job *j = job_of(v, job);
    int64_t served_us = j->choice.is_served ? hs_view_now_us(v) - j->since_us : 0;
    return hs_choice_weigh(j->service_us + served_us, weight_of(t, v, job));
}

/* ---- the queues ---- */

static int64_t gittins_key(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const struct tiresias *t = ctx;
    uint32_t level = job_of(v, job)->choice.level;
    int64_t delta_us = level + 1 < t->levels ? t->limits.us[level] : INT64_MAX;
    return -gittins_index(&t->gittins, attained(t, v, job), delta_us);
}

/* The key of a job in its queue; for the orders by arrival, its position there. */
static int64_t key_of(const struct tiresias *t, const struct hs_view *v, hs_job_id job,
                      int64_t place)
{
    if (t->index == INDEX_GITTINS)
        return gittins_key(v, job, t);
    return t->inqueue == INQUEUE_SUBMIT ? hs_view_submit_us(v, job) : place;
}

static bool is_repo(const struct tiresias *t)
{
    return t->index == INDEX_GITTINS && t->gittins.form == GITTINS_REPO;
}

static void set_place(const struct hs_view *v, hs_job_id job, int64_t place)
{
    const uint64_t second = (uint64_t)(hs_view_submit_us(v, job) / SECOND_US);
    job_of(v, job)->entry = second << PLACE_BITS | (uint64_t)(PLACE_ZERO + place);
}

/* The place of a job in its queue, if that is in its key or its entry. */
static int64_t place_of(const struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    const struct tiresias_job *j = job_of(v, job);
    const uint64_t below = (UINT64_C(1) << PLACE_BITS) - 1;
    return is_repo(t) ? (int64_t)(j->entry & below) - PLACE_ZERO : j->choice.link.key;
}

static void waiting_add(const struct tiresias *t, struct tiresias_queues *q,
                        const struct hs_view *v, hs_job_id job, int64_t place)
{
    struct hs_job_queue *queue = &q->waiting[job_of(v, job)->choice.level];
    if (is_repo(t))
        set_place(v, job, place);
    hs_job_queue_add(queue, v, job, key_of(t, v, job, place));
}

static void holding_add(const struct tiresias *t, struct tiresias_queues *q,
                        const struct hs_view *v, hs_job_id job, int64_t place)
{
    if (hs_view_gpus(v, job) == 0) /* a job without GPUs is never evicted */
        return;
    if (is_repo(t))
        set_place(v, job, place);
    hs_job_queue_add(&q->holding[job_of(v, job)->choice.level].set, v, job,
                     key_of(t, v, job, place));
}

static void queue_remove(struct tiresias_queues *q, const struct hs_view *v, hs_job_id job)
{
    const struct tiresias_job *j = job_of(v, job);
    if (!j->choice.link.is_linked)
        return;
    if (j->choice.is_holding)
        hs_job_queue_remove(&q->holding[j->choice.level].set, v, job);
    else
        hs_job_queue_remove(&q->waiting[j->choice.level], v, job);
}

/* ---- events ---- */

static void started(struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct tiresias_queues *q = queues_of(t, v, job);
    struct tiresias_job *j = job_of(v, job);
    account(t, v, job);
    forget(q, v, job);
    queue_remove(q, v, job);
    j->choice.is_holding = true;
    j->entry = ++q->entries;
    j->choice.is_served = counts_costs(t) || hs_view_state(v, job) == HS_JOB_RUNNING;
    holding_add(t, q, v, job, ++q->starting);
    q->held += hs_view_gpus(v, job);
    watch(t, q, v, job);
}

/* An eviction: under this policy no job shares a GPU, so none is stopped by an out-of-memory error.
 */
static void stopped(struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct tiresias_queues *q = queues_of(t, v, job);
    struct tiresias_job *j = job_of(v, job);
    const int64_t place = place_of(t, v, job);
    account(t, v, job);
    forget(q, v, job);
    queue_remove(q, v, job);
    q->held -= hs_view_gpus(v, job);
    j->choice.is_holding = j->choice.is_served = j->choice.is_evicted = false;
    j->entry = ++q->entries;
    waiting_add(t, q, v, job, place > 0 ? place : q->stopped++);
    watch(t, q, v, job);
}

static void finished(struct tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct tiresias_queues *q = queues_of(t, v, job);
    const struct tiresias_job *j = job_of(v, job);
    forget(q, v, job);
    queue_remove(q, v, job);
    q->held -= j->choice.is_holding ? hs_view_gpus(v, job) : 0;
    if (t->index == INDEX_GITTINS && j->choice.is_holding) {
        account(t, v, job);
        /* its whole service, also from before its promotions */
        int64_t had_us = counts_costs(t) ? j->service_us : hs_view_attained_us(v, job);
        int64_t service = hs_choice_weigh(had_us, weight_of(t, v, job));
        bool is_news = gittins_learn(&t->gittins, service);
        for (uint32_t vc = 0; is_news && vc < t->vcs; vc++)
            t->by_vc[vc].is_stale = true;
    }
    hs_wake(t->is_awake, t->vcs, v, job);
}

static void tiresias_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct tiresias *t = state;
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        job_of(v, job)->since_us = hs_view_now_us(v);
        job_of(v, job)->entry = ++queues_of(t, v, job)->entries;
        waiting_add(t, queues_of(t, v, job), v, job, ++queues_of(t, v, job)->tail);
        hs_wake(t->is_awake, t->vcs, v, job);
        break;
    case HS_EVENT_STARTED:
        started(t, v, job);
        break;
    case HS_EVENT_PROGRESS:
        account(t, v, job);
        forget(queues_of(t, v, job), v, job);
        job_of(v, job)->choice.is_served = true;
        watch(t, queues_of(t, v, job), v, job);
        break;
    case HS_EVENT_STOPPED:
        stopped(t, v, job);
        break;
    case HS_EVENT_FINISH:
        finished(t, v, job);
        break;
    case HS_EVENT_TIMER:
        if (t->armed_us <= hs_view_now_us(v))
            t->armed_us = 0;
        break;
    case HS_EVENT_NODE:
        hs_wake(t->is_awake, t->vcs, v, job);
        break;
    default:
        break;
    }
}

/* ---- decisions ---- */

/* compat=muri: a job that holds GPUs loses its restart time at every event: a submission, an end,
 * or a timer of the queues at which service is compared with the limit, whatever the rounding of
 * the timer. */
static HS_COLD void lose_restarts(struct tiresias *t, const struct hs_view *v, struct hs_plan *p,
                                  struct tiresias_queues *q)
{
    int64_t now_us = hs_view_now_us(v), since_us = now_us - q->decided_us;
    q->decided_us = now_us;
    hs_plan_reason(p, hs_compat_lost_text);
    for (uint32_t level = 0; level < t->levels; level++) {
        struct hs_job_queue *set = &q->holding[level].set;
        HS_EACH_QUEUED(j, set, v) {
            if (since_us > 0)
                hs_plan_add_overhead(p, j, hs_compat_lost_us(v, j, since_us));
            if (level + 1 < t->levels && attained(t, v, j) >= t->limits.us[level]) {
                forget(q, v, j);
                hs_job_queue_add(&q->due, v, j, now_us);
            }
        }
    }
}

/* Time of the first change of a queue; NEVER_DUE = none. */
static int64_t first_due_us(struct tiresias_queues *q, const struct hs_view *v)
{
    hs_job_id first = hs_job_queue_first(&q->due);
    return first != HS_NO_JOB ? job_of(v, first)->due.key : NEVER_DUE;
}

/* Moves jobs that are due to their new queue, in order of row; those that hold GPUs are also put
 * into `moved`. They stay behind the waiting jobs of the new queue until the choice is made. */
static HS_COLD void change_queues(struct tiresias *t, const struct hs_view *v,
                                  struct tiresias_queues *q, struct hs_job_queue *moved)
{
    hs_job_id job;
    do {
        job = hs_job_queue_first(&q->due);
        hs_job_queue_remove(&q->due, v, job);
        hs_job_queue_add(moved, v, job, 0);
    } while (first_due_us(q, v) <= hs_view_now_us(v));
    for (hs_job_id next = hs_job_queue_first(moved); (job = next) != HS_NO_JOB;) {
        struct tiresias_job *j = job_of(v, job);
        next = hs_job_queue_next(moved, v, job);
        account(t, v, job);
        queue_remove(q, v, job);
        if (j->choice.is_holding) {
            j->choice.level++;
            holding_add(t, q, v, job, ++q->tail);
        } else {
            hs_job_queue_remove(moved, v, job);
            j->choice.level = 0;
            j->service_us = j->waited_us = 0;
            waiting_add(t, q, v, job, ++q->tail);
        }
    }
}

/* gittins=repo: numbers jobs anew in the order of a queue before its keys change; those that came
 * since the last decision stay behind. Returns the number of the last. */
static int64_t number_anew(const struct tiresias *t, const struct hs_view *v,
                           const struct hs_job_queue *queue, int64_t listed, int64_t place)
{
    HS_EACH_QUEUED(j, queue, v)
        if (place_of(t, v, j) <= listed)
            set_place(v, j, ++place);
    return place;
}

/* Updates the indices: of waiting jobs when the sample has changed, of running jobs because their
 * service grows. Without waiting jobs these matter for the order that gittins=repo keeps alone. */
static HS_COLD void look_indices_up(const struct tiresias *t, const struct hs_view *v,
                                    struct tiresias_queues *q)
{
    const int64_t lead = -PLACE_ZERO / 2;
    uint32_t waiting = is_repo(t);
    for (uint32_t level = 0; level < t->levels; level++)
        waiting += q->waiting[level].count;
    q->lead = is_repo(t) ? lead : q->lead;
    for (uint32_t level = 0; waiting > 0 && level < t->levels; level++) {
        struct hs_job_queue *holding = &q->holding[level].set;
        if (is_repo(t)) {
            q->lead = hs_later(q->lead, number_anew(t, v, holding, 0, lead));
            if (q->is_stale) {
                q->front -= q->waiting[level].count;
                (void)number_anew(t, v, &q->waiting[level], q->listed, q->front - 1);
            }
        }
        hs_job_queue_rekey_all(holding, v, gittins_key, t);
        if (q->is_stale)
            hs_job_queue_rekey_all(&q->waiting[level], v, gittins_key, t);
    }
    q->is_stale = q->is_stale && waiting == 0;
    q->listed = q->tail;
}

/* Reasons "in queue 1: ..."; the last text serves all further queues. */
#define OF_QUEUES(before, after)                                                                   \
    {                                                                                              \
        before "1" after, before "2" after, before "3" after, before "4" after, before "5" after,  \
            before "6" after, before "7" after, before "8" after, before "9" after                 \
    }

static const char *plan_reason(const struct hs_view *v, hs_job_id job, bool is_evicted)
{
    static const char *const of_turn[] = OF_QUEUES("its turn in queue ", "");
    static const char *const of_eviction[] =
        OF_QUEUES("in queue ", ": jobs before it get its GPUs");
    static const char *const of_demotion[] =
        OF_QUEUES("served beyond the limit, now in queue ", ": jobs before it get its GPUs");
    _Static_assert(HS_DURATIONS_MAX < sizeof of_turn / sizeof *of_turn, "a text a queue");
    const struct tiresias_job *j = job_of(v, job);
    if (!is_evicted)
        return of_turn[j->choice.level];
    bool is_just_demoted = j->choice.link.key > 0;
    return is_just_demoted ? of_demotion[j->choice.level] : of_eviction[j->choice.level];
}

/* The first time at which a job that this plan starts or evicts changes its queue; no later call
 * could set a timer for it. Also counts the jobs that are started. */
static int64_t due_of_plan(const struct tiresias *t, const struct hs_view *v,
                           struct tiresias_queues *q, const struct hs_choice *choice)
{
    int64_t at_us = NEVER_DUE;
    q->starting = q->lead;
    for (hs_job_id j = choice->chosen.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        q->lead++;
        account(t, v, j);
        at_us = hs_earlier(at_us, demotion_us(t, v, j));
    }
    for (hs_job_id j = choice->evicted.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        account(t, v, j);
        at_us = hs_earlier(at_us, promotion_us(t, v, j));
    }
    return at_us;
}

/* A job that changed its queue and keeps its GPUs goes behind the other running jobs of that queue,
 * those started by this decision included. */
static void settle_moved(const struct tiresias *t, const struct hs_view *v,
                         struct tiresias_queues *q, struct hs_job_queue *moved)
{
    for (hs_job_id job; (job = hs_job_queue_first(moved)) != HS_NO_JOB;) {
        hs_job_queue_remove(moved, v, job);
        if (job_of(v, job)->choice.is_evicted)
            continue;
        bool is_by_arrival =
            is_repo(t) || (t->index == INDEX_LAS && t->inqueue == INQUEUE_RUNNING_FIRST);
        if (is_by_arrival && hs_job_queue_has(v, job)) {
            queue_remove(q, v, job);
            holding_add(t, q, v, job, ++q->lead);
        }
        watch(t, q, v, job);
    }
}

/* Decides for one virtual cluster. Returns the first time at which one of the jobs started or
 * evicted changes its queue. */
static int64_t decide_queues(struct tiresias *t, const struct hs_view *v, struct hs_plan *p,
                             uint32_t vc)
{
    struct tiresias_queues *q = &t->by_vc[vc];
    struct hs_job_queue moved = {.link_offset = offsetof(struct tiresias_job, due)};
    struct hs_choice choice;
    const int64_t now_us = hs_view_now_us(v);
    int64_t due_us = first_due_us(q, v);
    if (!t->is_awake[vc] && due_us > now_us)
        return NEVER_DUE;
    if (t->compat == HS_COMPAT_MURI) {
        lose_restarts(t, v, p, q);
        due_us = first_due_us(q, v);
    }
    if (due_us <= now_us)
        change_queues(t, v, q, &moved);
    t->is_awake[vc] = false;
    if (t->index == INDEX_GITTINS)
        look_indices_up(t, v, q);
    choice.classes = q->holding;
    choice.class_count = choice.levels = t->levels;
    choice.waiting = q->waiting;
    choice.by_submit = t->index == INDEX_GITTINS;
    choice.waiting_first = choice.holders_first = choice.is_strict = false;
    choice.room = hs_vc_queues_room(v, vc);
    choice.held = q->held;
    choice.plan_reason = plan_reason;
    choice.evictions = NULL;
    hs_preempt_select(&choice, v);
    /* Evicted jobs go before all waiting jobs of their queue and keep their order, which is the
     * order of their stop events; but one that has just moved to the queue stays at its tail. */
    for (hs_job_id j = choice.evicted.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        job_of(v, j)->choice.is_evicted = true;
        q->front--;
    }
    q->stopped = q->front;
    hs_choice_apply(&choice, v, p, t->placement, &t->cost, (enum hs_compat)t->compat);
    due_us = due_of_plan(t, v, q, &choice);
    settle_moved(t, v, q, &moved);
    return due_us;
}

/* The first round at or after that time; without rounds the time itself. */
static int64_t round_from(const struct tiresias *t, int64_t at_us)
{
    return t->round_us > 0 ? hs_round_from(t->phase_us, t->round_us, at_us) : at_us;
}

static enum hs_status tiresias_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct tiresias *t = state;
    int64_t now_us = hs_view_now_us(v), due_us = NEVER_DUE;
    bool is_round = round_from(t, now_us) == now_us;
    for (uint32_t vc = 0; vc < t->vcs; vc++) {
        struct tiresias_queues *q = &t->by_vc[vc];
        if (is_round)
            due_us = hs_earlier(due_us, decide_queues(t, v, p, vc));
        else if (t->is_awake[vc])
            due_us = now_us;
        due_us = hs_earlier(due_us, first_due_us(q, v));
    }
    if (due_us == NEVER_DUE)
        return HS_OK;
    int64_t first_us = t->round_us > 0 && is_round ? now_us + 1 : now_us;
    int64_t at_us = round_from(t, due_us > first_us ? due_us : first_us);
    if (t->armed_us > now_us && t->armed_us <= at_us)
        return HS_OK;
    t->armed_us = at_us;
    hs_plan_timer(p, at_us, 0);
    return HS_OK;
}

static const char *tiresias_check(const void *state, const struct hs_view *v)
{
    const struct tiresias *t = state;
    uint64_t held = 0;
    for (uint32_t i = 0; i < t->vcs * t->levels; i++) {
        uint32_t level = i % t->levels;
        const struct tiresias_queues *q = &t->by_vc[i / t->levels];
        const struct hs_job_queue *holding = &q->holding[level].set, *waiting = &q->waiting[level];
        const char *fault = hs_waiting_check(waiting, v);
        if (fault != NULL || !hs_job_queue_is_valid(holding, v))
            return fault != NULL ? fault : "a queue is out of order";
        HS_EACH_QUEUED(j, holding, v) {
            if (hs_job_waits(v, j) || job_of(v, j)->choice.level != level)
                return "a queue counts a waiting job, or one of another, among those with GPUs";
            held += hs_view_gpus(v, j);
        }
        HS_EACH_QUEUED(j, waiting, v)
            if (job_of(v, j)->choice.level != level)
                return "a queue counts a job of another among those that wait";
        if (level + 1 < t->levels)
            continue;
        if (held != q->held)
            return "the GPUs that the jobs of a queue hold are miscounted";
        held = 0;
    }
    return NULL;
}

/* ---- the policies ---- */

static void tiresias_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct tiresias *t = state;
    *can = HS_CAN_PREEMPT | HS_CAN_TIME;
    *knows = (t->index == INDEX_GITTINS ? HS_KNOWS_HISTORY : 0) |
             (t->compat == HS_COMPAT_MURI ? HS_KNOWS_DURATION : 0) |
             (t->placement.placer == HS_PLACE_SKEW ? HS_KNOWS_MODEL : 0) | HS_KNOWS_SPEED;
    hs_place_needs(t->placement, knows);
}

static bool is_by_entry(const struct tiresias *t)
{
    return is_repo(t) || (t->compat == HS_COMPAT_HELIOS && t->index == INDEX_LAS);
}

static enum hs_status tiresias_init(void *state, const struct hs_view *v)
{
    struct tiresias *t = state;
    t->levels = t->limits.count + 1;
    t->vcs = v->vcs;
    t->by_vc = hs_view_alloc(v, t->vcs * sizeof *t->by_vc);
    t->is_awake = hs_view_alloc(v, t->vcs * sizeof *t->is_awake);
    for (uint32_t vc = 0; vc < t->vcs; vc++) {
        struct tiresias_queues *q = &t->by_vc[vc];
        q->due.link_offset = offsetof(struct tiresias_job, due);
        q->lead = q->starting = INT64_MIN / 2;
        q->holding = hs_view_alloc(v, t->levels * sizeof *q->holding);
        q->waiting = hs_view_alloc(v, t->levels * sizeof *q->waiting);
        uint32_t tie_offset = is_by_entry(t) ? offsetof(struct tiresias_job, entry) : 0;
        for (uint32_t level = 0; level < t->levels; level++) {
            q->holding[level] =
                (struct hs_running_class){.level = level, .set.tie_offset = tie_offset};
            q->waiting[level].tie_offset = tie_offset;
        }
    }
    return t->index == INDEX_LAS ? HS_OK : gittins_open(&t->gittins, v, t->samples);
}

/* The text of the order in the assumptions. */
#define ORDER_OF(t, service)                                                                       \
    ((t)->index == INDEX_GITTINS      ? "queue by attained " service ", Gittins index"             \
     : (t)->inqueue == INQUEUE_SUBMIT ? "queue by attained " service ", submit"                    \
                                      : "queue by attained " service ", arrival there")

static void tiresias_semantics(const void *state, struct hs_semantics *out)
{
    const struct tiresias *t = state;
    *out = (struct hs_semantics){
        .order = t->weighs_gpus ? ORDER_OF(t, "GPU time") : ORDER_OF(t, "time"),
        .scan = "fit",
        .placement = hs_place_text(t->placement),
        .preemption = "evict",
        .cost = hs_cost_text(&t->cost, t->compat == HS_COMPAT_MURI),
        .ties = is_by_entry(t) ? "jobs that hold GPUs, then entry in the list"
                               : "jobs that hold GPUs, then submission, then trace row"};
}

/* service_unit: the unit of attained service. */
#define ROWS(service_unit)                                                                         \
    HS_PARAM_CHOICE(struct tiresias, index, "index", "las", index_names,                           \
                    "order in a queue: by arrival (see inqueue), or by Gittins index",             \
                    .source = "Gu et al. NSDI'19"),                                                \
        HS_PARAM_CHOICE(struct tiresias, gittins.form, "gittins", "exact", gittins_names,          \
                        "exact: the index as defined, up to the limit of the queue; repo: that "   \
                        "of the published simulator",                                              \
                        .only_with = "index=gittins"),                                             \
        HS_PARAM_DURATION(struct tiresias, gittins.repo_delta_us, "gittins_delta", "3250s", 1,     \
                          1e9, "gittins=repo: service that the index looks ahead, in every queue", \
                          .unit = service_unit, .only_with = "gittins=repo",                       \
                          .source = "gittins_delta of the Tiresias simulator"),                    \
        HS_PARAM_FILE(struct tiresias, samples, "samples", NULL, NULL,                             \
                      "file of samples of the service distribution, one per line; absent: learnt " \
                      "from finished jobs",                                                        \
                      .only_with = "index=gittins"),                                               \
        HS_PARAM_DURATIONS(                                                                        \
            struct tiresias, limits, "queue_limits", "3250/7200", 0, 1e9,                          \
            "service at which a job leaves each queue; there is one queue more than limits",       \
            .is_rising = true, .unit = service_unit,                                               \
            .source = "Tiresias simulator: 3 queues, so that its third limit, 18000, is unused"),  \
        HS_PARAM_REAL(struct tiresias, promote_knob, "promote_knob", "0", 0, 1e6,                  \
                      "a job returns to the first queue after waiting this many times its "        \
                      "service; 0: never",                                                         \
                      .only_with = "compat=off|tiresias",                                          \
                      .source = "PROMOTEKNOB, Gu et al. NSDI'19; off in its simulator"),           \
        HS_PARAM_CHOICE(struct tiresias, inqueue, "inqueue", "running_first", inqueue_names,       \
                        "order in a queue under index=las", .only_with = "index=las",              \
                        .source = "running_first: Tiresias simulator; submit: Lucid artifact"),    \
        HS_PARAM_DURATION(struct tiresias, round_us, "round_s", "0s", 0, 86400,                    \
                          "time between decisions; 0: decide at every event",                      \
                          .source = "60 s: Lucid artifact"),                                       \
        HS_PARAM_DURATION(struct tiresias, phase_us, "round_phase", "0s", 0, 86400,                \
                          "time of the first round, after the first submission"),                  \
        HS_PLACEMENT_SKEW_PARAM(struct tiresias, placement),                                       \
        HS_COST_PARAMS(struct tiresias, cost),                                                     \
        HS_PARAM_CHOICE(                                                                           \
            struct tiresias, compat, "compat", "off", compat_names,                                \
            "deviations of a published simulator. tiresias: queues change at whole seconds (use "  \
            "with placement=count). helios: a job leaves a queue beyond its limit and runs 1 s "   \
            "longer, restoring counts as service, ties by entry in the queue (use with "           \
            "queue_limits=18000 inqueue=submit round_s=60 preempt_cost=table "                     \
            "cost_table=40/40/60). muri: each job runs 1.5 % longer and loses a restart at every " \
            "event, which counts as service (use with placement=count)",                           \
            .source = "Tiresias simulator; Lucid artifact; Muri simulator")

static const struct hs_param tiresias_params[] = {ROWS("GPU s"),
                                                  HS_PARAM_END(struct tiresias, weighs_gpus, 1)};
static const struct hs_param las_params[] = {ROWS("s"), {0}};

#define TIRESIAS_POLICY(id, label, text)                                                           \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = label,                                                                             \
        .summary = text,                                                                           \
        .cite = "Gu et al. NSDI'19",                                                               \
        .can = HS_CAN_PREEMPT | HS_CAN_TIME,                                                       \
        .knows = HS_KNOWS_HISTORY | HS_KNOWS_MODEL | HS_KNOWS_DURATION | HS_KNOWS_SPEED,           \
        .params = id##_params,                                                                     \
        HS_POLICY_HOOKS(tiresias, struct tiresias, struct tiresias_job),                           \
    }

TIRESIAS_POLICY(
    tiresias, "tiresias",
    "least attained service (GPUs times seconds) in discretized queues, or Gittins index");
TIRESIAS_POLICY(las, "las", "least attained service (seconds) in discretized queues");
