/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fairness among accounts, which are users or, by=vc, virtual clusters as the trace names them
 * (whether or not they have nodes or quotas of their own). No job is preempted; each starts when
 * its turn comes and it fits.
 *
 *     fairshare  Slurm's multifactor priority (doc/html/priority_multifactor.shtml) with three of
 *                its factors, in millionths:
 *
 *                    w_fairshare F + w_age A + w_size GPUs / GPUs of the cluster
 *
 *                A is the wait as a part of max_age, at most 1. F = 2^(-U / S) is the classic
 *                factor (classic_fair_share.shtml), rounded to millionths: U the part of the
 *                account in the GPU time of all, decayed by half_life, S = 1 / accounts that have
 *                submitted so far. Slurm charges CPUs unless configured otherwise, decays every
 *                5 min and orders by its priorities of that time; here GPUs are charged, and decay
 *                and priorities are those of the moment. Accounts have no hierarchy, and equal
 *                shares.
 *     drf        dominant-resource fairness (Ghodsi et al., NSDI 2011, algorithm 1): the next job
 *                is of the account whose dominant share is least: the largest of its parts in the
 *                GPUs, CPUs and host memory of the cluster, held now by its jobs. In an account
 *                first come, first served. What no node states does not count.
 *
 * The jobs of an account in a virtual cluster wait in a line of two queues: those younger than
 * max_age, among which time does not change the order, and those that are older. A pass looks at
 * the first job of each line that waits, so it costs O(lines that wait + starts x log lines),
 * whatever the number of jobs. An account is charged when the number of GPUs that it holds changes:
 * O(1).
 */
#include "policies/lib/vc_queues.h"

#define ACCOUNTS    (1u << 16) /* the last is that of all others, and so is the last line of a VC */
#define LINES       (1u << 16) /* a power of two */
#define MICRO       1000000u
#define RESOURCES   3      /* GPUs in thousandths, CPUs in thousandths, host memory in MiB */
#define WEIGHT_MOST 100000 /* with max_age >= 1 min no priority overflows within 30 years */

/* ---- decay ----
 *
 * Exponential decay in fixed point, the same on every machine: powers of one half, and a mean of
 * the past that forgets by half-lives. With a level r(s) that is constant between changes, the
 * decayed integral of it up to t is
 *
 *     U(t) = integral of r(s) 2^(-(t - s) / h) ds = h / ln 2 x m(t),
 *     m(t + dt) = m(t) 2^(-dt / h) + r (1 - 2^(-dt / h)),
 *
 * which is what Slurm sums period by period (PriorityDecayHalfLife), in the limit of short periods.
 * Kept is m, whose range is that of r; quotients of two are quotients of usages. O(1) a change.
 */

#define ONE_Q62  (UINT64_C(1) << 62)
#define LN_2_Q62 UINT64_C(0x2c5c85fdf473de6b)

/* 2^(-2^-k) for k = 1, 2, ..., in Q62: factors of a power of 2, one for each binary digit of the
 * fraction of its exponent. */
static const uint64_t root_q62[] = {
    UINT64_C(0x2d413cccfe779921), UINT64_C(0x35d13f32b5a75abd), UINT64_C(0x3ab031b9f7490e4c),
    UINT64_C(0x3d495f454921b30b), UINT64_C(0x3ea0ecb6dc8a80cf), UINT64_C(0x3f4f83033d21b05d),
    UINT64_C(0x3fa784571ee3e213), UINT64_C(0x3fd3b2d65447b229), UINT64_C(0x3fe9d59487236bb4),
    UINT64_C(0x3ff4e9d4703df843), UINT64_C(0x3ffa74acbdf6c9d5), UINT64_C(0x3ffd3a46ffc6e30f),
    UINT64_C(0x3ffe9d1fa8010199), UINT64_C(0x3fff4e8ede053ad5), UINT64_C(0x3fffa747318376ac),
    UINT64_C(0x3fffd3a38961e6ff), UINT64_C(0x3fffe9d1c0d8fd14), UINT64_C(0x3ffff4e8df7680c5),
    UINT64_C(0x3ffffa746f7dc0ec), UINT64_C(0x3ffffd3a37af8098), UINT64_C(0x3ffffe9d1bd3e854),
    UINT64_C(0x3fffff4e8de8fe2c), UINT64_C(0x3fffffa746f44197), UINT64_C(0x3fffffd3a37a116b),
    UINT64_C(0x3fffffe9d1bd04de), UINT64_C(0x3ffffff4e8de8179), UINT64_C(0x3ffffffa746f407f),
    UINT64_C(0x3ffffffd3a37a030), UINT64_C(0x3ffffffe9d1bd014), UINT64_C(0x3fffffff4e8de809),
    UINT64_C(0x3fffffffa746f404), UINT64_C(0x3fffffffd3a37a02),
};
#define ROOTS (sizeof root_q62 / sizeof *root_q62)

static uint64_t times_q62(uint64_t a, uint64_t b)
{
    return (uint64_t)(((hs_u128)a * b + ONE_Q62 / 2) >> 62);
}

/* 2^(-num / den), Q62; den > 0. Within 2^-55 of it; exact for whole num / den. */
static uint64_t half_power_q62(hs_u128 num, uint64_t den)
{
    const hs_u128 whole = num / den;
    const uint64_t part_q62 = (uint64_t)((num % den << 62) / den);
    uint64_t power = ONE_Q62;
    if (whole > 62)
        return 0;
    for (uint32_t k = 0; k < ROOTS; k++)
        if ((part_q62 >> (61 - k) & 1) != 0)
            power = times_q62(power, root_q62[k]);
    /* the rest of the exponent is below 2^-32: 2^-x = 1 - x ln 2 up to 2^-65 */
    const uint64_t rest = part_q62 & ((ONE_Q62 >> ROOTS) - 1);
    power -= times_q62(power, times_q62(rest, LN_2_Q62));
    return power >> (uint32_t)whole;
}

struct decayed {
    int64_t since_us;  /* of the last change */
    uint64_t mean_q32; /* at that time, Q32 */
    uint64_t level;    /* since then, below 1 << 31 */
};
/* The mean at a time that is no earlier than the last change, Q32. */
static uint64_t decayed_at(const struct decayed *d, int64_t at_us, int64_t half_life_us)
{
    const uint64_t kept = half_power_q62((hs_u128)(at_us - d->since_us), (uint64_t)half_life_us);
    return times_q62(d->mean_q32, kept) + times_q62(d->level << 32, ONE_Q62 - kept);
}

static void decayed_change(struct decayed *d, int64_t at_us, int64_t by, int64_t half_life_us)
{
    d->mean_q32 = decayed_at(d, at_us, half_life_us);
    d->since_us = at_us;
    d->level += (uint64_t)by;
}

/* ---- the state ---- */

enum { BY_USER, BY_VC };
static const char *const by_names[] = {"user", "vc", NULL};

struct fair_account {
    struct decayed held; /* fairshare: thousandths of GPUs */
    uint64_t has[RESOURCES];
    bool is_known;
};

struct fair_line {
    struct hs_job_queue young, old;
    uint32_t account, vc;
    uint32_t before, after;     /* neighbours among the lines of the VC that wait; line + 1 */
    hs_job_id at_young, at_old; /* of a pass: the last jobs that were refused */
    bool is_used;
};

/* A job's queue is that of its line; while it is young it is also among those of its VC by
 * submission. */
struct fair_job {
    struct hs_job_queue_link link, by_age;
    uint32_t line;
    bool is_old, is_charged;
};

struct fair {
    int32_t scan, by;
    struct hs_place_rule placement;
    int64_t w_fairshare, w_age, w_size;
    int64_t half_life_us, max_age_us; /* the parameters end here */
    int32_t is_drf;                   /* 1: drf; of the policy */
    struct fair_account *accounts;
    uint32_t account_count; /* that have submitted a job */
    struct decayed held;    /* by all accounts */
    uint64_t all_q32;       /* of a decision: the mean of it */
    uint64_t total[RESOURCES];
    /* A hash table, and behind it one line of the other accounts for each VC. */
    struct fair_line *lines;
    uint32_t line_count;
    uint32_t *waiting;         /* per VC: the first line that waits, + 1 */
    struct hs_job_queue *ages; /* per VC: young jobs by submission */
    struct hs_job_place *heap; /* memory of a pass */
    bool *is_awake;
    uint32_t vcs;
};

static struct fair_job *job_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* ---- accounts ---- */

static struct fair_account *account_of(const struct fair *f, const struct hs_view *v, hs_job_id job)
{
    return &f->accounts[f->lines[job_of(v, job)->line].account];
}

/* The job takes its resources, or gives them back. */
static void charge(struct fair *f, const struct hs_view *v, hs_job_id job, bool takes)
{
    struct fair_account *a = account_of(f, v, job);
    const uint64_t demand[RESOURCES] = {
        (uint64_t)hs_view_gpus(v, job) * hs_view_gpu_milli(v, job),
        hs_view_cpus_milli(v, job),
        hs_view_mem_mib(v, job),
    };
    for (int i = 0; i < RESOURCES; i++)
        a->has[i] += takes ? demand[i] : -demand[i];
    job_of(v, job)->is_charged = takes;
    if (f->is_drf)
        return;
    const int64_t by = takes ? (int64_t)demand[0] : -(int64_t)demand[0];
    decayed_change(&a->held, hs_view_now_us(v), by, f->half_life_us);
    decayed_change(&f->held, hs_view_now_us(v), by, f->half_life_us);
}

/* F, in millionths. */
static int64_t factor_micro(const struct fair *f, const struct fair_account *a, int64_t now_us)
{
    const uint64_t own = decayed_at(&a->held, now_us, f->half_life_us);
    if (own == 0 || f->all_q32 == 0)
        return MICRO;
    const uint64_t power = half_power_q62((hs_u128)own * f->account_count, f->all_q32);
    return (int64_t)(((hs_u128)power * MICRO + (UINT64_C(1) << 61)) >> 62);
}

/* ---- priorities ---- */

/* What age adds by a time, if it is not limited; differences of it are what counts. */
static int64_t age_micro(const struct fair *f, int64_t at_us)
{
    return (int64_t)((hs_u128)(uint64_t)at_us * (uint64_t)f->w_age * MICRO /
                     (uint64_t)f->max_age_us);
}

/* In an account the smaller goes first. */
static int64_t key_of(const struct fair *f, const struct hs_view *v, hs_job_id job, bool is_old)
{
    if (f->is_drf)
        return hs_view_submit_us(v, job);
    const hs_u128 milli = (hs_u128)hs_view_gpus(v, job) * hs_view_gpu_milli(v, job);
    const int64_t size_micro = (int64_t)(milli * (uint64_t)f->w_size * MICRO / f->total[0]);
    return (is_old ? 0 : age_micro(f, hs_view_submit_us(v, job))) - size_micro;
}

/* ---- lines ---- */

/* Numbers of names are spread by a hash, and searched from there on. */
static uint32_t line_of(struct fair *f, const struct hs_view *v, hs_job_id job)
{
    const uint32_t name = hs_view_account(v, job, f->by == BY_VC);
    const uint32_t account = name < ACCOUNTS - 1 ? name : ACCOUNTS - 1, vc = hs_view_vc(v, job);
    uint32_t at = hs_job_queue_mix((uint64_t)vc << 32 | account) % LINES;
    while (f->lines[at].is_used && (f->lines[at].account != account || f->lines[at].vc != vc))
        at = (at + 1) % LINES;
    if (f->lines[at].is_used)
        return at;
    if (account == ACCOUNTS - 1 || f->line_count == LINES / 4 * 3)
        return LINES + vc;
    f->line_count++;
    f->lines[at].is_used = true;
    f->lines[at].account = account;
    f->lines[at].vc = vc;
    f->lines[at].young.size_of = f->lines[at].old.size_of = hs_vc_queues_size;
    return at;
}

static bool waits(const struct fair_line *line)
{
    return line->young.count + line->old.count > 0;
}

static void add(struct fair *f, const struct hs_view *v, hs_job_id job)
{
    struct fair_job *j = job_of(v, job);
    struct fair_line *line = &f->lines[j->line = line_of(f, v, job)];
    struct fair_account *a = &f->accounts[line->account];
    f->account_count += !a->is_known;
    a->is_known = true;
    if (!waits(line)) {
        uint32_t *first = &f->waiting[line->vc];
        line->before = 0;
        line->after = *first;
        if (*first != 0)
            f->lines[*first - 1].before = j->line + 1;
        *first = j->line + 1;
    }
    hs_job_queue_add(&line->young, v, job, key_of(f, v, job, false));
    if (!f->is_drf)
        hs_job_queue_add(&f->ages[line->vc], v, job, hs_view_submit_us(v, job));
}

static void take_out(struct fair *f, const struct hs_view *v, hs_job_id job)
{
    struct fair_job *j = job_of(v, job);
    struct fair_line *line = &f->lines[j->line];
    hs_job_queue_remove(j->is_old ? &line->old : &line->young, v, job);
    if (j->by_age.is_linked)
        hs_job_queue_remove(&f->ages[line->vc], v, job);
    if (waits(line))
        return;
    *(line->before != 0 ? &f->lines[line->before - 1].after : &f->waiting[line->vc]) = line->after;
    if (line->after != 0)
        f->lines[line->after - 1].before = line->before;
}

/* Moves the jobs that have waited for max_age. */
static void grow_old(struct fair *f, const struct hs_view *v, uint32_t vc)
{
    struct hs_job_queue *ages = &f->ages[vc];
    for (hs_job_id job; (job = hs_job_queue_first(ages)) != HS_NO_JOB;) {
        struct fair_job *j = job_of(v, job);
        struct fair_line *line = &f->lines[j->line];
        if (hs_view_now_us(v) - hs_view_submit_us(v, job) < f->max_age_us)
            return;
        hs_job_queue_remove(ages, v, job);
        hs_job_queue_remove(&line->young, v, job);
        j->is_old = true;
        hs_job_queue_add(&line->old, v, job, key_of(f, v, job, true));
    }
}

static void fair_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct fair *f = state;
    const hs_job_id job = event->job;
    if (event->kind == HS_EVENT_SUBMIT)
        add(f, v, job);
    else if (event->kind == HS_EVENT_FINISH && job_of(v, job)->is_charged)
        charge(f, v, job, false);
    else if (event->kind == HS_EVENT_FINISH && hs_job_queue_has(v, job))
        take_out(f, v, job);
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_FINISH)
        hs_wake(f->is_awake, f->vcs, v, job);
    else if (event->kind == HS_EVENT_NODE)
        hs_wake(f->is_awake, f->vcs, v, HS_NO_JOB);
}

/* ---- a pass ---- */

struct fair_pass {
    struct fair *f;
    const struct hs_view *v;
    struct hs_plan *p;
    uint32_t vc, count; /* of the entries of the heap, the best one first */
    struct hs_gang_limits bounds;
};

/* The priority of the job; larger entries of a heap come first in the order, so all else is
 * negated. */
static struct hs_job_place entry_of(const struct fair_pass *x, hs_job_id job)
{
    const struct fair *f = x->f;
    const struct fair_account *a = account_of(f, x->v, job);
    const int64_t now_us = hs_view_now_us(x->v);
    struct hs_job_place entry = {.submit_us = -hs_view_submit_us(x->v, job),
                                 .rank = UINT64_MAX - hs_view_rank(x->v, job),
                                 .job = job};
    for (int i = 0; i < RESOURCES && f->is_drf; i++) {
        const hs_u128 share_q40 = f->total[i] > 0 ? ((hs_u128)a->has[i] << 40) / f->total[i] : 0;
        entry.key = hs_earlier(entry.key, -(int64_t)share_q40);
    }
    if (!f->is_drf)
        entry.key = f->w_fairshare * factor_micro(f, a, now_us) +
                    (job_of(x->v, job)->is_old ? f->w_age * MICRO : age_micro(f, now_us)) -
                    hs_job_queue_key(x->v, job);
    return entry;
}

/* The next job of the line, behind those that were refused in this pass; false: there is none. */
static bool find_next(const struct fair_pass *x, struct fair_line *line, struct hs_job_place *next)
{
    const hs_job_id young = hs_job_queue_next_within(&line->young, x->v, line->at_young, x->bounds);
    const hs_job_id old = hs_job_queue_next_within(&line->old, x->v, line->at_old, x->bounds);
    if (young == HS_NO_JOB && old == HS_NO_JOB)
        return false;
    *next = entry_of(x, young != HS_NO_JOB ? young : old);
    if (young != HS_NO_JOB && old != HS_NO_JOB) {
        const struct hs_job_place other = entry_of(x, old);
        if (hs_job_place_is_before(next, &other))
            *next = other;
    }
    return true;
}

/* Tries the first job in order. Returns false if the pass ends with it. */
static bool try_first(struct fair_pass *x)
{
    struct fair *f = x->f;
    const struct hs_view *v = x->v;
    const hs_job_id job = f->heap[0].job;
    struct fair_job *j = job_of(v, job);
    struct fair_line *line = &f->lines[j->line];
    if (hs_place(v, x->p, job, f->placement)) {
        charge(f, v, job, true);
        take_out(f, v, job);
        if (f->scan == HS_SCAN_FIT)
            hs_vc_queues_narrow_by_room(&x->bounds, v, x->vc);
    } else if (hs_reject_hopeless(v, x->p, job)) {
        take_out(f, v, job);
    } else {
        if (f->scan == HS_SCAN_STRICT)
            return false;
        *(j->is_old ? &line->at_old : &line->at_young) = job;
        hs_vc_queues_narrow_by_failure(&x->bounds, v, job, f->placement);
    }
    if (!find_next(x, line, &f->heap[0]))
        f->heap[0] = f->heap[--x->count];
    hs_sort_down(f->heap, 0, x->count);
    return true;
}

static enum hs_status fair_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct fair *f = state;
    f->all_q32 = decayed_at(&f->held, hs_view_now_us(v), f->is_drf ? 1 : f->half_life_us);
    for (uint32_t vc = 0; vc < f->vcs; vc++) {
        struct fair_pass x = {.f = f, .v = v, .p = p, .vc = vc, .bounds = {UINT64_MAX, UINT64_MAX}};
        if (!f->is_awake[vc])
            continue;
        f->is_awake[vc] = false;
        grow_old(f, v, vc);
        if (f->scan == HS_SCAN_FIT)
            hs_vc_queues_narrow_by_room(&x.bounds, v, vc);
        for (uint32_t at = f->waiting[vc]; at != 0; at = f->lines[at - 1].after) {
            struct fair_line *line = &f->lines[at - 1];
            struct hs_job_place first;
            line->at_young = line->at_old = HS_NO_JOB;
            if (!find_next(&x, line, &first))
                continue;
            uint32_t i = x.count++;
            for (; i > 0 && hs_job_place_is_before(&f->heap[(i - 1) / 2], &first); i = (i - 1) / 2)
                f->heap[i] = f->heap[(i - 1) / 2];
            f->heap[i] = first;
        }
        while (x.count > 0 && try_first(&x))
            ;
    }
    return HS_OK;
}

/* ---- the policies ---- */

static void fair_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    (void)can;
    hs_place_needs(((const struct fair *)state)->placement, knows);
}

static enum hs_status fair_init(void *state, const struct hs_view *v)
{
    struct fair *f = state;
    f->vcs = v->vcs;
    f->accounts = hs_view_alloc(v, ACCOUNTS * sizeof *f->accounts);
    f->lines = hs_view_alloc(v, ((uint64_t)LINES + f->vcs) * sizeof *f->lines);
    f->heap = hs_view_alloc(v, ((uint64_t)LINES + f->vcs) * sizeof *f->heap);
    f->waiting = hs_view_alloc(v, (uint64_t)f->vcs * sizeof *f->waiting);
    f->ages = hs_view_alloc(v, (uint64_t)f->vcs * sizeof *f->ages);
    f->is_awake = hs_view_alloc(v, (uint64_t)f->vcs * sizeof *f->is_awake);
    for (uint32_t vc = 0; vc < f->vcs; vc++) {
        struct fair_line *others = &f->lines[LINES + vc];
        *others = (struct fair_line){.account = ACCOUNTS - 1, .vc = vc};
        others->young.size_of = others->old.size_of = hs_vc_queues_size;
        f->ages[vc].link_offset = offsetof(struct fair_job, by_age);
    }
    for (uint32_t n = 0; n < v->nodes; n++) {
        const struct hs_node *node = hs_view_node(v, n);
        f->total[0] += (uint64_t)node->gpus * HS_GPU_MILLI;
        f->total[1] += (uint64_t)node->cpus * 1000;
        f->total[2] += node->mem_mib;
    }
    return HS_OK;
}

static void fair_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const orders[2][2] = {
        {"fair share of the user, age and size", "fair share of the virtual cluster, age and size"},
        {"dominant share of the user, then submit",
         "dominant share of the virtual cluster, then submit"}};
    const struct fair *f = state;
    *out = (struct hs_semantics){.order = orders[f->is_drf][f->by == BY_VC],
                                 .scan = hs_scan_names[f->scan],
                                 .placement = hs_place_text(f->placement),
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *fair_check(const void *state, const struct hs_view *v)
{
    const struct fair *f = state;
    for (uint32_t vc = 0; vc < f->vcs; vc++) {
        if (!hs_job_queue_is_valid(&f->ages[vc], v))
            return "the young jobs are out of order";
        for (uint32_t at = f->waiting[vc]; at != 0; at = f->lines[at - 1].after) {
            const struct fair_line *line = &f->lines[at - 1];
            const char *fault = hs_waiting_check(&line->young, v);
            fault = fault != NULL ? fault : hs_waiting_check(&line->old, v);
            if (fault != NULL || !waits(line))
                return fault != NULL ? fault : "a line waits that has no job";
        }
    }
    return NULL;
}

#define FAIR_ROWS                                                                                  \
    HS_PARAM_CHOICE(struct fair, scan, "scan", "strict", hs_scan_two_names,                        \
                    "when a job does not fit: stop (strict), or skip it (fit)"),                   \
        HS_PARAM_CHOICE(struct fair, by, "by", "user", by_names,                                   \
                        "accounts: users, or virtual clusters as the trace names them")

#define SLURM_EXAMPLE "Slurm, priority_multifactor.html, configuration example"

static const struct hs_param fairshare_params[] = {
    FAIR_ROWS,
    HS_PLACEMENT_PARAM(struct fair, placement),
    HS_PARAM_INT(struct fair, w_fairshare, "w_fairshare", "10000", 0, WEIGHT_MOST,
                 "weight of the fair-share factor", .source = SLURM_EXAMPLE),
    HS_PARAM_INT(struct fair, w_age, "w_age", "1000", 0, WEIGHT_MOST,
                 "weight of the age factor (the wait)", .source = SLURM_EXAMPLE),
    HS_PARAM_INT(struct fair, w_size, "w_size", "1000", 0, WEIGHT_MOST,
                 "weight of the size factor: jobs of more GPUs first", .source = SLURM_EXAMPLE),
    HS_PARAM_DURATION(struct fair, half_life_us, "half_life", "14d", 1, 1e9,
                      "time after which past usage of an account counts half",
                      .source = SLURM_EXAMPLE),
    HS_PARAM_DURATION(struct fair, max_age_us, "max_age", "14d", 60, 1e9,
                      "wait at which the age factor is 1", .source = SLURM_EXAMPLE),
    {0}};

static const struct hs_param drf_params[] = {FAIR_ROWS, HS_PLACEMENT_PARAM(struct fair, placement),
                                             HS_PARAM_END(struct fair, is_drf, 1)};

#define FAIR_POLICY(id, text, source)                                                              \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .can = HS_CAN_DIVIDE,                                                                      \
        .knows = HS_KNOWS_SPEED,                                                                   \
        .params = id##_params,                                                                     \
        HS_POLICY_HOOKS(fair, struct fair, struct fair_job),                                       \
    }

FAIR_POLICY(fairshare, "weighted sum of decayed usage of users, wait and size, as in Slurm",
            "Slurm, priority/multifactor with the classic fair-share factor");
FAIR_POLICY(drf, "user with the least dominant share of GPUs, CPUs and memory first",
            "Ghodsi et al. NSDI'11");
