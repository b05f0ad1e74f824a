/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A backtest as tables for a reader, as JSON, and as the files of its directory.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/backtest/backtest.h"
#include "report/run/run_table.h"

static const char *const metric_names[HS_BACKTEST_METRICS] = {"wait", "jct"};
static const char *const side_names[HS_SIDES] = {"recorded", "simulated"};

/* ---- for a reader ---- */

/* "+3.2 %", "-" for a ratio that is not finite; returns text. */
static const char *percent(char text[HS_COLUMN_TEXT_SIZE], bool has_sign, double share)
{
    (void)snprintf(text, HS_COLUMN_TEXT_SIZE, has_sign ? "%+.1f %%" : "%.1f %%", 100 * share);
    return isfinite(share) ? text : "-";
}
#define ERROR(share) percent((char[HS_COLUMN_TEXT_SIZE]){0}, true, share)
#define SHARE(share) percent((char[HS_COLUMN_TEXT_SIZE]){0}, false, share)

static void put_calibration(const struct hs_backtest *b, struct hs_output *out)
{
    if (b->first == 0) {
        hs_say(out, "calibrated  nothing: all jobs are compared\n");
        return;
    }
    hs_say(out, "calibrated  on the first %u of %u jobs\n", b->first, b->count);
    hs_say(out, "start-up    --startup=%ss%s\n", HS_SECONDS(b->startup_us),
           b->fits_startup ? ", the least trimmed squares of start to end less run time"
                           : " (not calibrated)");
    if (b->fits_overcommit)
        hs_say(out, "overcommit  --overcommit=%g, the least squares of JCT, of %u simulations\n",
               b->overcommit, b->runs);
    else
        hs_say(out, "overcommit  --overcommit=%g (not calibrated)\n", b->overcommit);
    hs_say(out,
           "error       root mean square of JCT: %s as given, %s calibrated; on the rest %s, "
           "%s%s\n",
           HS_TIME(b->rms[0][0]), HS_TIME(b->rms[0][1]), HS_TIME(b->rms[1][0]),
           HS_TIME(b->rms[1][1]),
           b->rms[1][1] > b->rms[1][0] ? ": what fits the first part is no better there" : "");
}

static void put_figures(struct hs_output *out, const char *title, bool is_time,
                        const struct hs_backtest_figures sides[HS_SIDES])
{
    for (int s = 0; s < HS_SIDES; s++) {
        const struct hs_backtest_figures *f = &sides[s];
        const double values[] = {f->mean, f->p50, f->p90, f->p95};
        hs_say(out, "  %-11s %-10s", s == 0 ? title : "", side_names[s]);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            if (is_time || isnan(values[i]))
                hs_say(out, "%12s", isnan(values[i]) ? "-" : HS_TIME(values[i]));
            else
                hs_say(out, "%12.1f", values[i]);
        hs_say(out, "\n");
    }
}

static void put_groups(const struct hs_backtest *b, struct hs_output *out)
{
    const char *kind = "";
    for (uint32_t i = 1; i < b->group_count; i++) {
        const struct hs_backtest_group *g = &b->groups[i];
        const struct hs_backtest_figures *wait = g->figures[HS_BACKTEST_WAIT],
                                         *jct = g->figures[HS_BACKTEST_JCT];
        if (g->jobs == b->groups[0].jobs)
            continue; /* all are of one kind */
        if (strcmp(kind, g->kind) != 0)
            hs_say(out, "\n%-22s%9s%12s%12s%12s%12s%10s%11s\n", g->kind, "jobs", "p95 wait",
                   "simulated", "mean JCT", "simulated", "", "JCT +-");
        kind = g->kind;
        hs_say(out, "  %-20.20s%9" PRIu64 "%12s%12s%12s%12s%10s%11s\n", g->name, g->jobs,
               HS_TIME(wait[HS_RECORDED].p95), HS_TIME(wait[HS_SIMULATED].p95),
               HS_TIME(jct[HS_RECORDED].mean), HS_TIME(jct[HS_SIMULATED].mean),
               ERROR(g->mean_error[HS_BACKTEST_JCT]), SHARE(g->p50_error));
    }
}

void hs_backtest_print(const struct hs_backtest *b, struct hs_output *out)
{
    const struct hs_backtest_group *all = &b->groups[0];
    put_calibration(b, out);
    hs_say(out, "compared    %" PRIu64 " of %u jobs\n\n", b->group_count > 0 ? all->jobs : 0,
           b->count - b->first);
    if (b->group_count > 0) {
        hs_say(out, "%24s%12s%12s%12s%12s\n", "", "mean", "p50", "p90", "p95");
        put_figures(out, "wait", true, all->figures[HS_BACKTEST_WAIT]);
        put_figures(out, "JCT", true, all->figures[HS_BACKTEST_JCT]);
        put_figures(out, "GPUs held", false, b->held);
        hs_say(
            out,
            "\nmean JCT    %s; job by job the error is %s in the median, %s at the 90th per cent\n",
            ERROR(all->mean_error[HS_BACKTEST_JCT]), SHARE(all->p50_error), SHARE(all->p90_error));
        put_groups(b, out);
        hs_say(out, "\n");
    }
    for (uint32_t i = 0; i < b->untold_count; i++)
        hs_say(out, "%-11s %s\n", i == 0 ? "not told" : "", b->untold[i]);
}

/* ---- JSON ---- */

static void json_figures(struct hs_jsonw *w, const char *name,
                         const struct hs_backtest_figures sides[HS_SIDES])
{
    hs_jsonw_put(w, "%s={", name);
    for (int s = 0; s < HS_SIDES; s++)
        hs_jsonw_put(w, "%s=!{ mean=%g p50=%g p90=%g p95=%g }", side_names[s], sides[s].mean,
                     sides[s].p50, sides[s].p90, sides[s].p95);
    hs_jsonw_put(w, "}");
}

void hs_backtest_json(const struct hs_backtest *b, struct hs_jsonw *w)
{
    hs_jsonw_put(w, "calibration={ jobs=%u of=%u simulations=%u", b->first, b->count, b->runs);
    hs_jsonw_key(w, "startup");
    hs_jsonw_seconds(w, b->startup_us);
    hs_jsonw_put(w,
                 "overcommit=%g rms_jct=!{ first=%g first_calibrated=%g rest=%g "
                 "rest_calibrated=%g } }",
                 b->overcommit, b->rms[0][0], b->rms[0][1], b->rms[1][0], b->rms[1][1]);
    json_figures(w, "gpus_held", b->held);
    hs_jsonw_put(w, "groups=[");
    for (uint32_t i = 0; i < b->group_count; i++) {
        const struct hs_backtest_group *g = &b->groups[i];
        hs_jsonw_put(w, "={ group=%s key=%s jobs=%" PRIu64, g->kind, g->name, g->jobs);
        for (int m = 0; m < HS_BACKTEST_METRICS; m++)
            json_figures(w, metric_names[m], g->figures[m]);
        hs_jsonw_put(w, "mean_wait_error=%g mean_jct_error=%g p50_jct_error=%g p90_jct_error=%g }",
                     g->mean_error[HS_BACKTEST_WAIT], g->mean_error[HS_BACKTEST_JCT], g->p50_error,
                     g->p90_error);
    }
    hs_jsonw_put(w, "] not_told=[");
    for (uint32_t i = 0; i < b->untold_count; i++)
        hs_jsonw_put(w, "=%s", b->untold[i]);
    hs_jsonw_put(w, "]");
}

/* ---- files ---- */

static void put_row(struct hs_csvw *w, const struct hs_backtest_group *g, const char *metric,
                    const struct hs_backtest_figures sides[HS_SIDES], double error, bool is_jct)
{
    hs_csvw_text(w, g->kind);
    hs_csvw_text(w, g->name);
    hs_csvw_text(w, metric);
    hs_csvw_u64(w, g->jobs);
    for (int s = 0; s < HS_SIDES; s++) {
        hs_csvw_double(w, sides[s].mean);
        hs_csvw_double(w, sides[s].p50);
        hs_csvw_double(w, sides[s].p90);
        hs_csvw_double(w, sides[s].p95);
    }
    hs_csvw_double(w, error);
    hs_csvw_double(w, is_jct ? g->p50_error : (double)NAN);
    hs_csvw_double(w, is_jct ? g->p90_error : (double)NAN);
    hs_csvw_end(w);
}

static void put_table(struct hs_csvw *w, const struct hs_backtest *b)
{
    for (uint32_t i = 0; i < b->group_count; i++) {
        const struct hs_backtest_group *g = &b->groups[i];
        for (int m = 0; m < HS_BACKTEST_METRICS; m++)
            put_row(w, g, metric_names[m], g->figures[m], g->mean_error[m], m == HS_BACKTEST_JCT);
        if (i == 0)
            put_row(w, g, "gpus_held", b->held,
                    b->held[HS_SIMULATED].mean / b->held[HS_RECORDED].mean - 1, false);
    }
}

static void put_jobs(struct hs_csvw *w, const struct hs_backtest *b)
{
    for (uint32_t i = 0; i < b->count && w->out.error == 0; i++) {
        const struct hs_backtest_job *job = &b->jobs[i];
        hs_csvw_text(w, job->id);
        hs_csvw_seconds(w, job->submit_us);
        hs_csvw_u64(w, job->gpus);
        hs_csvw_text(w, hs_intern_text(&b->vcs, job->vc));
        hs_csvw_text(w, hs_intern_text(&b->users, job->user));
        hs_csvw_text(w, hs_outcome_text(job->outcome));
        for (int k = 0; k < HS_BACKTEST_METRICS * HS_SIDES; k++) {
            const int64_t us = job->us[k % HS_SIDES][k / HS_SIDES];
            if (us >= 0)
                hs_csvw_seconds(w, us);
            else
                hs_csvw_empty(w);
        }
        hs_csvw_text(w, i < b->first ? "first" : "rest");
        hs_csvw_end(w);
    }
}

enum hs_status hs_backtest_write(const struct hs_backtest *b, const struct hs_rundir *dir,
                                 struct hs_output_file files[HS_BACKTEST_FILES],
                                 struct hs_diag *diag)
{
    static const struct {
        const char *name, *header;
        void (*put)(struct hs_csvw *w, const struct hs_backtest *b);
    } written[HS_BACKTEST_FILES] = {
        {HS_BACKTEST_CSV,
         "group,key,metric,jobs,recorded_mean,recorded_p50,recorded_p90,recorded_p95,"
         "simulated_mean,simulated_p50,simulated_p90,simulated_p95,mean_error,p50_error,p90_error",
         put_table},
        {HS_BACKTEST_JOBS,
         "job_id,submission_time,gpus,vc,user,outcome,recorded_wait,simulated_wait,recorded_jct,"
         "simulated_jct,part",
         put_jobs}};
    for (int i = 0; i < HS_BACKTEST_FILES; i++) {
        char path[HS_PATH_SIZE];
        struct hs_csvw w;
        hs_rundir_file(dir, written[i].name, path, sizeof path);
        HS_TRY(hs_csvw_open(&w, path, written[i].header, diag));
        written[i].put(&w, b);
        HS_TRY(hs_close_listed(&w, written[i].name, &files[i], diag));
    }
    return HS_OK;
}
