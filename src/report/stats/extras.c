/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures that only some runs have: fairness and energy.
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
    hs_grow(x->live, x->live_cap, (uint64_t)job->slot + 1, UINT32_MAX);
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
