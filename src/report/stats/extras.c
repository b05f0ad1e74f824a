/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures that only some runs have: fairness and energy, deadlines, and what machines did to jobs.
 */
#include "report/run/observers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "data/names.h"
#include "report/stats/exact.h"

#define PPM UINT64_C(1000000)

/* ---- fairness and energy ----
 *
 * Optional figures: finish-time fairness (--fairness) and energy (--power), per job and for the
 * run, defined in MODEL.md 10. Computed in integers: a reference in microseconds, ratios in parts
 * per million, energy in nanojoules until the job ends, then in microjoules. O(types) per job,
 * O(GPUs of the job) per placement; memory grows with the jobs in the system.
 */

#define FULL_PM    1000u
#define NJ_PER_UJ  1000u
#define UJ_PER_J   UINT64_C(1000000)
#define RATIO_Q    40u              /* fractional bits: 1e-12 of a day is below a microsecond */
#define RATIO_BITS (127u - RATIO_Q) /* bits of a numerator that is shifted by RATIO_Q */

/* A job in the system, by its slot. */
struct live_job {
    hs_u128 jobs_us; /* the integral at its arrival */
    hs_u128 energy_nj;
    bool has_unknown; /* it ran on a GPU with unknown energy */
};

struct gpu_watts {
    uint64_t gpus;
    uint32_t idle, active;
    bool is_known;
};

struct hs_extras {
    const struct hs_report_options *options;
    struct hs_stats *stats;
    struct live_job *live;
    uint32_t live_cap;
    struct gpu_watts types[HS_GPU_TYPES_MAX];
    uint8_t *type_of; /* of each GPU */
    /* fairness */
    uint64_t jobs; /* jobs in the system that request GPUs, and their integral up to time_us */
    int64_t time_us;
    hs_u128 jobs_us;
    struct hs_temp_records ratios;
    /* energy */
    hs_u128 energy_uj; /* of all ended jobs */
    bool has_unknown;
    /* of the job that ended last */
    uint64_t fair_us, ratio_ppm; /* 0: none */
    uint64_t job_uj;
    bool is_job_known;
};

static uint64_t speed_on(const struct hs_extras *x, uint32_t profile, uint32_t type)
{
    const struct hs_report_options *o = x->options;
    return o->speed != NULL ? hs_speed_q32(o->speed, profile, type, NULL)
                            : o->cluster->types[type].speed_q32;
}

static void advance(struct hs_extras *x, int64_t now_us)
{
    x->jobs_us += (hs_u128)x->jobs * (uint64_t)(now_us - x->time_us);
    x->time_us = now_us;
}

static enum hs_status on_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct hs_extras *x = ctx;
    advance(x, now_us);
    x->jobs += job->gpus > 0;
    hs_grow((void **)&x->live, &x->live_cap, (uint64_t)job->slot + 1, sizeof *x->live, UINT32_MAX);
    x->live[job->slot] = (struct live_job){.jobs_us = x->jobs_us};
    return HS_OK;
}

/* ---- finish-time fairness ---- */

/* Factor by which a 1/N share of the cluster slows a gang, Q40, at least 1: jobs x its GPUs / GPUs
 * of the cluster, with the mean number of jobs in the system during its stay. */
static hs_u128 contention_q40(const struct hs_extras *x, const struct hs_job_record *job,
                              hs_u128 jobs_us, uint64_t stay_us)
{
    hs_u128 wanted = jobs_us * hs_record_milli(job),
            there = (hs_u128)stay_us * x->options->cluster->gpu_count * HS_GPU_MILLI;
    if (wanted <= there)
        return (hs_u128)1 << RATIO_Q;
    for (; wanted >> RATIO_BITS != 0; wanted >>= 1) /* keeps the most significant bits */
        there >>= 1;
    return (wanted << RATIO_Q) / there;
}

static enum hs_status rate_fairness(struct hs_extras *x, const struct hs_job_record *job)
{
    const int64_t jct_us = job->finish_us - job->submit_us;
    x->fair_us = x->ratio_ppm = 0;
    if (job->state != HS_JOB_DONE || job->gpus == 0 || job->work_us == 0)
        return HS_OK;
    const hs_u128 jobs_us = x->jobs_us - x->live[job->slot].jobs_us;
    const hs_u128 slower_q40 = contention_q40(x, job, jobs_us, (uint64_t)jct_us);
    /* Mean over the GPUs of the cluster, Q32. */
    hs_u128 sum = 0;
    for (uint32_t t = 0; t < x->options->cluster->type_count; t++)
        sum += (hs_u128)speed_on(x, job->profile, t) * x->types[t].gpus;
    const uint64_t mean = (uint64_t)(sum / x->options->cluster->gpu_count);
    const uint64_t fair_us = hs_exact_scaled((uint64_t)job->work_us * slower_q40 >> (RATIO_Q - 32),
                                             (mean > 0 ? mean : 1), 1);
    x->fair_us = fair_us > 0 ? fair_us : 1;
    x->ratio_ppm = hs_exact_scaled((uint64_t)jct_us, x->fair_us, PPM);
    if (job->submit_us < x->stats->first_submit_us + x->options->warmup_us)
        return HS_OK;
    void *at;
    HS_TRY(hs_temp_records_add(&x->ratios, &at, x->stats->diag));
    const struct hs_timed_value value = {job->submit_us, x->ratio_ppm};
    memcpy(at, &value, sizeof value);
    return HS_OK;
}

/* ---- energy ---- */

/* Nanoseconds that each GPU of a type is busy with the job's own duty in a placement: the work done
 * there at the speed of the type; per GPU in a resized gang, but at most the length of the
 * placement. */
static hs_u128 busy_ns(const struct hs_extras *x, const struct hs_segment *segment, uint32_t type)
{
    const struct hs_job_record *job = segment->job;
    const hs_u128 ns =
        ((hs_u128)(uint64_t)segment->done_ns << 32) / speed_on(x, job->profile, type);
    const hs_u128 most = (hs_u128)(uint64_t)(segment->end_us - segment->start_us) * HS_NS_PER_US;
    if (segment->gpu_count == job->gpus)
        return ns;
    const hs_u128 of_each = ns * job->gpus / segment->gpu_count;
    return of_each < most ? of_each : most;
}

static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_extras *x = ctx;
    const struct hs_job_record *job = segment->job;
    struct live_job *live = &x->live[job->slot];
    uint32_t count[HS_GPU_TYPES_MAX] = {0};
    for (uint32_t i = 0; i < segment->gpu_count; i++)
        count[x->type_of[segment->gpus[i]]]++;
    for (uint32_t t = 0; t < x->options->cluster->type_count; t++) {
        const struct gpu_watts *w = &x->types[t];
        if (count[t] == 0)
            continue;
        if (!w->is_known || job->gpu_util_pm < 0) {
            live->has_unknown = true;
            continue;
        }
        uint32_t pm = (uint32_t)job->gpu_util_pm; /* excess over its share is not its own */
        pm = pm < job->gpu_milli ? pm : job->gpu_milli;
        live->energy_nj +=
            busy_ns(x, segment, t) * ((uint64_t)count[t] * (w->active - w->idle) * pm) / FULL_PM;
    }
    return HS_OK;
}

static enum hs_status on_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_extras *x = ctx;
    advance(x, now_us);
    x->jobs -= job->gpus > 0;
    const struct live_job *live = &x->live[job->slot];
    const hs_u128 uj = live->energy_nj / NJ_PER_UJ;
    x->is_job_known = !live->has_unknown;
    x->has_unknown |= live->has_unknown;
    x->job_uj = uj < UINT64_MAX ? (uint64_t)uj : UINT64_MAX; /* above: a cluster of a century */
    x->energy_uj += x->job_uj;
    return x->options->has_fairness ? rate_fairness(x, job) : HS_OK;
}

/* ---- output ---- */

const char *hs_extras_columns(const struct hs_report_options *options)
{
    static const char *const columns[2][2] = {{"", ",energy"},
                                              {",fair_jct,rho", ",fair_jct,rho,energy"}};
    return columns[options->has_fairness][options->has_power];
}

void hs_extras_put(const struct hs_extras *x, struct hs_csvw *w)
{
    if (x == NULL)
        return;
    if (x->options->has_fairness) {
        hs_csvw_ratio(w, x->fair_us, x->fair_us > 0 ? PPM : 0, 6);
        hs_csvw_ratio(w, x->ratio_ppm, x->fair_us > 0 ? PPM : 0, 6);
    }
    if (x->options->has_power)
        hs_csvw_ratio(w, x->job_uj, x->is_job_known ? UJ_PER_J : 0, 6);
}

enum hs_status hs_extras_fill(struct hs_extras *x, struct hs_summary *summary, int64_t span_us)
{
    static const char *const names[HS_FIGURES] = {HS_FIGURE_NAMES("rho")};
    static const char none[] = "no job with work was completed inside the window";
    struct hs_figures rho;
    if (x == NULL)
        return HS_OK;
    if (x->options->has_fairness) {
        HS_TRY(hs_stats_figures(x->stats, &x->ratios, 0, &rho));
        for (int f = 0; f < HS_FIGURES; f++)
            hs_summary_add(summary, names[f], "1", rho.value[f], none);
        hs_summary_add(summary, "rho_above_1_share", "1", rho.above_1, none);
    }
    if (x->options->has_power) {
        hs_u128 idle_uj = 0; /* watts x us */
        const char *absent = NULL, *jobs_absent = NULL;
        for (uint32_t t = 0; t < x->options->cluster->type_count; t++) {
            idle_uj += (hs_u128)x->types[t].gpus * x->types[t].idle * (uint64_t)span_us;
            if (!x->types[t].is_known && x->types[t].gpus > 0)
                absent = "the power of a GPU type of the cluster is not known";
        }
        jobs_absent = absent;
        if (absent == NULL && x->has_unknown)
            jobs_absent = "the GPU utilization of some job is not known";
        const uint64_t known = absent == NULL ? UJ_PER_J : 0,
                       jobs_known = jobs_absent == NULL ? UJ_PER_J : 0;
        hs_summary_add(summary, "energy", "J", hs_exact_double(idle_uj + x->energy_uj, jobs_known),
                       jobs_absent);
        hs_summary_add(summary, "idle_energy", "J", hs_exact_double(idle_uj, known), absent);
        hs_summary_add(summary, "jobs_energy", "J", hs_exact_double(x->energy_uj, jobs_known),
                       jobs_absent);
    }
    return HS_OK;
}

/* ---- opening and closing ---- */

struct hs_extras *hs_extras_open(const struct hs_report_options *options, struct hs_stats *stats,
                                 struct hs_observer *observer)
{
    if (!options->has_fairness && !options->has_power)
        return NULL;
    const struct hs_cluster *c = options->cluster;
    struct hs_extras *x = hs_alloc_zeroed(1, sizeof *x);
    x->options = options;
    x->stats = stats;
    *observer = (struct hs_observer){.ctx = x,
                                     .on_submit = on_submit,
                                     .on_segment = options->has_power ? on_segment : NULL,
                                     .on_finish = on_finish,
                                     .is_counts_only = true};
    x->type_of = hs_alloc_zeroed((uint64_t)c->gpu_count + 1, sizeof *x->type_of);
    for (uint32_t n = 0; n < c->node_count; n++) {
        x->types[c->nodes[n].type].gpus += c->nodes[n].gpus;
        memset(x->type_of + c->nodes[n].first_gpu, (int)c->nodes[n].type, c->nodes[n].gpus);
    }
    for (uint32_t t = 0; t < c->type_count; t++)
        x->types[t].is_known =
            hs_gpu_type_watts(c->types[t].name, &x->types[t].idle, &x->types[t].active);
    hs_temp_records_open(&x->ratios, sizeof(struct hs_timed_value),
                         options->dir != NULL ? options->dir->beside.tmp : NULL);
    return x;
}

void hs_extras_close(struct hs_extras *x)
{
    if (x == NULL)
        return;
    hs_temp_records_close(&x->ratios);
    hs_free(x->live);
    hs_free(x->type_of);
    hs_free(x);
}

/* ---- deadlines ----
 *
 * Deadlines of a run: metrics after all others of the summary, and deadlines.csv, by virtual
 * cluster and by user. A run without deadlines has neither, and pays one comparison per job. Memory
 * grows with the names; 32 bytes per completed job with a deadline are stored in temporary files
 * for exact quantiles.
 *
 * A job with a deadline is of class SLO, any other best effort (Gao et al., Chronus, SoCC 2021).
 */

/* Jobs of a VC, of a user, or all. */
struct account {
    uint64_t jobs, misses, rejected, done;
    hs_u128 met_milli_us; /* GPU time of jobs that met theirs, in thousandths of GPUs */
    hs_i128 late_us;      /* sum of the lateness of completed jobs */
    int64_t latest_us;
    hs_u128 value_milli, most_milli; /* of jobs with options: kept, and what there was to have */
};

enum { BY_VC, BY_USER, KINDS };

struct hs_deadline_stats {
    struct account all, *of[KINDS]; /* of[k]: by name */
    struct hs_intern names[KINDS];
    uint32_t cap[KINDS];
    struct hs_temp_records lateness, jct; /* hs_timed_value, of jobs completed after the warm-up */
    int64_t least_us;                     /* least lateness */
};

static void book(struct account *a, int64_t now_us, const struct hs_job_record *job)
{
    /* a horizon or the policy that ended the job first missed the deadline, too */
    const bool is_ended = job->state == HS_JOB_REJECTED || job->state == HS_JOB_FAILED;
    const bool is_late = job->state == HS_JOB_DONE ? job->finish_us > job->deadline_us
                                                   : is_ended || now_us > job->deadline_us;
    a->jobs++;
    a->misses += is_late;
    a->rejected += job->state == HS_JOB_REJECTED;
    if (job->value_most_milli >= 0) {
        a->value_milli += (uint64_t)job->value_milli;
        a->most_milli += (uint64_t)job->value_most_milli;
    }
    if (job->state != HS_JOB_DONE)
        return;
    const int64_t late_us = job->finish_us - job->deadline_us;
    a->latest_us = a->done++ == 0 || late_us > a->latest_us ? late_us : a->latest_us;
    a->late_us += late_us;
    if (!is_late)
        a->met_milli_us += (hs_u128)(uint64_t)job->gpu_us * job->gpu_milli;
}

static enum hs_status keep(struct hs_temp_records *records, int64_t submit_us, int64_t value_us,
                           struct hs_diag *diag)
{
    const struct hs_timed_value value = {submit_us, (uint64_t)value_us};
    void *at;
    HS_TRY(hs_temp_records_add(records, &at, diag));
    memcpy(at, &value, sizeof value);
    return HS_OK;
}

enum hs_status hs_deadlines_end(struct hs_stats *s, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_deadline_stats *d = s->deadlines;
    if (d == NULL) {
        d = s->deadlines = hs_alloc_zeroed(1, sizeof *d);
        for (int kind = 0; kind < KINDS; kind++)
            hs_intern_init(&d->names[kind]);
        hs_temp_records_open(&d->lateness, sizeof(struct hs_timed_value), s->samples.dir);
        hs_temp_records_open(&d->jct, sizeof(struct hs_timed_value), s->samples.dir);
        d->least_us = INT64_MAX;
    }
    const char *const names[KINDS] = {[BY_VC] = job->vc, [BY_USER] = job->user};
    book(&d->all, now_us, job);
    for (int kind = 0; kind < KINDS; kind++) {
        const uint32_t name = hs_intern_get(&d->names[kind], names[kind]);
        hs_grow((void **)&d->of[kind], &d->cap[kind], (uint64_t)name + 1, sizeof **d->of,
                HS_INTERN_MAX);
        book(&d->of[kind][name], now_us, job);
    }
    if (job->state != HS_JOB_DONE || job->submit_us < s->first_submit_us + s->warmup_us)
        return HS_OK;
    const int64_t late_us = job->finish_us - job->deadline_us;
    d->least_us = late_us < d->least_us ? late_us : d->least_us;
    HS_TRY(keep(&d->lateness, job->submit_us, late_us, s->diag));
    return keep(&d->jct, job->submit_us, job->finish_us - job->submit_us, s->diag);
}

void hs_deadlines_close(struct hs_deadline_stats *d)
{
    if (d == NULL)
        return;
    hs_temp_records_close(&d->lateness);
    hs_temp_records_close(&d->jct);
    for (int kind = 0; kind < KINDS; kind++) {
        hs_intern_free(&d->names[kind]);
        hs_free(d->of[kind]);
    }
    hs_free(d);
}

uint64_t hs_deadlines_count(const struct hs_deadline_stats *d, uint64_t *misses)
{
    *misses = d != NULL ? d->all.misses : 0;
    return d != NULL ? d->all.jobs : 0;
}

enum hs_status hs_deadlines_fill(const struct hs_stats *s, struct hs_summary *summary)
{
    static const char *const names[HS_FIGURES] = {HS_FIGURE_NAMES("lateness")};
    static const char none[] = "no job with a deadline was completed inside the window";
    static const struct account nothing;
    struct hs_deadline_stats *d = s != NULL ? s->deadlines : NULL;
    const struct account *all = d != NULL ? &d->all : &nothing;
    struct hs_figures lateness = {0}, jct = {0};
    double best_effort_jct = (double)NAN;
    if (s != NULL && d == NULL)
        return HS_OK;
    if (d != NULL) {
        HS_TRY(hs_stats_figures(s, &d->lateness, d->least_us, &lateness));
        HS_TRY(hs_stats_figures(s, &d->jct, 0, &jct));
        best_effort_jct =
            hs_exact_double(s->jct_us - (hs_u128)jct.sum, (hs_u128)(s->counted - jct.count) * PPM);
    }
    hs_summary_add(summary, HS_FIRST_OF_DEADLINES, "1", (double)all->rejected, NULL);
    hs_summary_add(summary, "deadline_miss_share", "1", hs_exact_double(all->misses, all->jobs),
                   "no job has a deadline");
    for (int i = 0; i < HS_FIGURES; i++)
        hs_summary_add(summary, names[i], "s", lateness.value[i], none);
    hs_summary_add(summary, "deadline_met_gpu_seconds", "GPU s",
                   hs_exact_double(all->met_milli_us, (hs_u128)HS_US_PER_S * HS_GPU_MILLI), NULL);
    hs_summary_add(summary, "value_kept", "1", hs_exact_double(all->value_milli, 1000), NULL);
    hs_summary_add(summary, "value_most", "1", hs_exact_double(all->most_milli, 1000), NULL);
    hs_summary_add(summary, "value_kept_share", "1",
                   hs_exact_double(all->value_milli, all->most_milli),
                   "no job has deadlines with values");
    hs_summary_add(summary, "slo_mean_jct", "s", jct.value[HS_F_MEAN], none);
    hs_summary_add(summary, "best_effort_mean_jct", "s", best_effort_jct,
                   "no job without a deadline was completed inside the window");
    return HS_OK;
}

static void put_account(struct hs_csvw *w, const char *kind, const char *name,
                        const struct account *a)
{
    hs_csvw_row(w, "%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %g %s %g %g %g", kind, name,
                a->jobs, a->misses, a->rejected,
                HS_RATIO(hs_exact_scaled(a->misses, a->jobs, PPM), PPM, 6),
                hs_exact_signed(a->late_us, (hs_i128)(a->done * HS_US_PER_S)),
                a->done > 0 ? HS_SECONDS(a->latest_us) : "",
                hs_exact_double(a->met_milli_us, (hs_u128)HS_US_PER_S * HS_GPU_MILLI),
                hs_exact_double(a->value_milli, 1000), hs_exact_double(a->most_milli, 1000));
}

enum hs_status hs_deadlines_write(const struct hs_deadline_stats *d, const struct hs_rundir *dir,
                                  struct hs_output_file *file, struct hs_diag *diag)
{
    static const char *const kinds[KINDS] = {[BY_VC] = "vc", [BY_USER] = "user"};
    struct hs_csvw csv;
    HS_TRY(hs_open_listed(&csv, dir, "deadlines.csv", HS_DEADLINES_HEADER, diag));
    put_account(&csv, "all", "", &d->all);
    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t name = 0; name < d->names[kind].count; name++)
            if (name < d->cap[kind] && d->of[kind][name].jobs > 0)
                put_account(&csv, kinds[kind], hs_intern_text(&d->names[kind], name),
                            &d->of[kind][name]);
    return hs_close_listed(&csv, "deadlines.csv", file, diag);
}

/* ---- failures and drains ----
 *
 * What machines did to jobs (--events): stops by failures and drains, lost work, and the part of
 * the time on GPUs that was productive (ETTR), of the run and by size of the gang. In integers;
 * O(1) per placement and job.
 */

#define CLASSES 17 /* of gangs: up to 1, 2, 4, ... GPUs, as HS_JOB_GPUS_MAX is below 2^16 */
#define FULL_NS ((hs_u128)1000000000 * HS_GPU_MILLI) /* a second, in ns x thousandths */

struct gang_class {
    uint64_t jobs, hit, faults, drains;
    hs_u128 run_us, run_milli_us, done_milli_ns, lost_milli_ns; /* x thousandths of GPUs */
};

struct hs_outages {
    const struct hs_report_options *options;
    struct gang_class of[CLASSES];
    bool *is_hit; /* by slot, of jobs in the system */
    uint32_t is_hit_cap;
};

static struct gang_class *class_of(struct hs_outages *o, const struct hs_job_record *job)
{
    uint32_t c = 0;
    while (c + 1 < CLASSES && (1u << c) < job->gpus)
        c++;
    return &o->of[c];
}

static enum hs_status on_outage_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_outages *o = ctx;
    const struct hs_job_record *job = segment->job;
    struct gang_class *c = class_of(o, job);
    if (segment->ended_by != HS_SEGMENT_FAULT && segment->ended_by != HS_SEGMENT_DRAIN)
        return HS_OK;
    hs_grow((void **)&o->is_hit, &o->is_hit_cap, (uint64_t)job->slot + 1, sizeof *o->is_hit,
            UINT32_MAX);
    o->is_hit[job->slot] = true;
    c->drains += segment->ended_by == HS_SEGMENT_DRAIN;
    if (segment->ended_by != HS_SEGMENT_FAULT)
        return HS_OK;
    c->faults++;
    c->lost_milli_ns += (hs_u128)(uint64_t)segment->lost_ns * hs_record_milli(job);
    return HS_OK;
}

static enum hs_status on_outage_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_outages *o = ctx;
    struct gang_class *c = class_of(o, job);
    (void)now_us;
    if (job->gpus == 0)
        return HS_OK;
    c->jobs++;
    c->run_us += (uint64_t)job->run_us;
    c->run_milli_us += (hs_u128)(uint64_t)job->gpu_us * job->gpu_milli;
    c->done_milli_ns += (hs_u128)(uint64_t)job->done_ns * hs_record_milli(job);
    if (job->slot < o->is_hit_cap && o->is_hit[job->slot]) {
        c->hit++;
        o->is_hit[job->slot] = false;
    }
    return HS_OK;
}

struct hs_outages *hs_outages_open(const struct hs_report_options *options,
                                   struct hs_observer *observer)
{
    if (!options->has_events)
        return NULL;
    struct hs_outages *o = hs_alloc_zeroed(1, sizeof *o);
    o->options = options;
    *observer = (struct hs_observer){.ctx = o,
                                     .on_segment = on_outage_segment,
                                     .on_finish = on_outage_finish,
                                     .is_counts_only = true};
    return o;
}

static double ettr_of(const struct gang_class *c)
{
    return hs_exact_double(c->done_milli_ns, c->run_milli_us * HS_NS_PER_US);
}

enum hs_status hs_outages_write(const struct hs_outages *o, const struct hs_rundir *dir,
                                struct hs_output_file *file, struct hs_diag *diag)
{
    struct hs_csvw csv;
    HS_TRY(hs_open_listed(&csv, dir, "outages.csv",
                          "gpus,jobs,jobs_hit,faults,drains,run_time,mean_time_to_fault,"
                          "lost_gpu_seconds,ettr",
                          diag));
    for (uint32_t i = 0; i < CLASSES; i++) {
        const struct gang_class *c = &o->of[i];
        if (c->jobs == 0)
            continue;
        hs_csvw_row(&csv, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %g %g %g %g", 1u << i,
                    c->jobs, c->hit, c->faults, c->drains, hs_exact_double(c->run_us, HS_US_PER_S),
                    hs_exact_double(c->run_us, (hs_u128)c->faults * HS_US_PER_S),
                    hs_exact_double(c->lost_milli_ns, FULL_NS), ettr_of(c));
    }
    return hs_close_listed(&csv, "outages.csv", file, diag);
}

void hs_outages_fill(const struct hs_outages *o, struct hs_summary *summary, hs_u128 out_us,
                     int64_t span_us)
{
    struct gang_class all = {0};
    if (o == NULL)
        return;
    for (uint32_t i = 0; i < CLASSES; i++) {
        all.hit += o->of[i].hit;
        all.faults += o->of[i].faults;
        all.drains += o->of[i].drains;
        all.run_milli_us += o->of[i].run_milli_us;
        all.done_milli_ns += o->of[i].done_milli_ns;
        all.lost_milli_ns += o->of[i].lost_milli_ns;
    }
    const hs_u128 there = (hs_u128)(uint64_t)span_us * o->options->cluster->gpu_count;
    hs_summary_add(summary, "jobs_hit", "1", (double)all.hit, NULL);
    hs_summary_add(summary, "faults", "1", (double)all.faults, NULL);
    hs_summary_add(summary, "drains", "1", (double)all.drains, NULL);
    hs_summary_add(summary, "fault_lost_gpu_seconds", "GPU s",
                   hs_exact_double(all.lost_milli_ns, FULL_NS), NULL);
    hs_summary_add(summary, "ettr", "1", ettr_of(&all), "no job held a GPU");
    hs_summary_add(summary, "availability", "1", hs_exact_double(there - out_us, there),
                   "the run has no length");
}

void hs_outages_close(struct hs_outages *o)
{
    if (o != NULL)
        hs_free(o->is_hit);
    hs_free(o);
}
