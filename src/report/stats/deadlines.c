/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Deadlines of a run: metrics after all others of the summary, and deadlines.csv, by virtual
 * cluster and by user. A run without deadlines has neither, and pays one comparison per job. Memory
 * grows with the names; 32 bytes per completed job with a deadline are stored in temporary files
 * for exact quantiles.
 *
 * A job with a deadline is of class SLO, any other best effort (Gao et al., Chronus, SoCC 2021).
 */
#include "report/run/observers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "report/stats/exact.h"

#define PPM UINT64_C(1000000)

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
    /* a job that the horizon or the policy ended before has missed it, too */
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
        hs_grow(d->of[kind], d->cap[kind], (uint64_t)name + 1, HS_INTERN_MAX);
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
