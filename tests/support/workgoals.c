/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See workgoals.h. The goals are the table `measures`, a row of the file of facts is one published
 * figure, facts of one measure that follow each other are one row of the report.
 */
#include "support/workgoals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/sheet.h"

#define FACTS_FILE   "tests/support/workloads/published.csv"
#define FACTS_MOST   10000
#define SHORT_S      INT64_C(172800) /* 48 h */
#define OF_ALL       "helios"
#define EVERY(array) (sizeof(array) / sizeof(array)[0])

/* The value is NAN where the range of demands has no job. */
typedef struct work_share measure_function(struct workstat *w, const struct workfact *f);

static struct work_share value(double v)
{
    return (struct work_share){v, 1};
}

static struct work_share duration_cdf(struct workstat *w, const struct workfact *f)
{
    return value(workstat_duration_cdf(w, f->gpus, 0, f->place));
}

/* The share at the published quantile, as far as durations at and below it determine it: many jobs
 * may take exactly that long. */
static struct work_share quantile_below(struct workstat *w, const struct workfact *f,
                                        int64_t below_s)
{
    double before = workstat_duration_before(w, f->gpus, below_s, f->value);
    double with = workstat_duration_cdf(w, f->gpus, below_s, f->value);
    return value(before > f->expected ? before : with < f->expected ? with : f->expected);
}

static struct work_share duration_quantile(struct workstat *w, const struct workfact *f)
{
    return quantile_below(w, f, 0);
}

static struct work_share duration_quantile_48h(struct workstat *w, const struct workfact *f)
{
    return quantile_below(w, f, SHORT_S);
}

static struct work_share mean_s(struct workstat *w, const struct workfact *f)
{
    (void)f;
    return value(workstat_mean_s(w));
}

static struct work_share median_s(struct workstat *w, const struct workfact *f)
{
    return value(workstat_duration_quantile(w, f->gpus, 0.5));
}

static struct work_share mean_gpus(struct workstat *w, const struct workfact *f)
{
    (void)f;
    return value(workstat_mean_gpus(w));
}

static struct work_share gpus_cdf(struct workstat *w, const struct workfact *f)
{
    return value(workstat_gpus_cdf(w, f->place));
}

static struct work_share gputime_cdf(struct workstat *w, const struct workfact *f)
{
    return value(workstat_gputime_cdf(w, f->place));
}

static struct work_share outcome(struct workstat *w, const struct workfact *f)
{
    return workstat_outcome(w, f->gpus, (enum hs_outcome)f->place);
}

static struct work_share outcome_gputime(struct workstat *w, const struct workfact *f)
{
    return value(workstat_outcome_gputime(w, (enum hs_outcome)f->place));
}

static struct work_share hour_share(struct workstat *w, const struct workfact *f)
{
    return value(workstat_hour(w, (uint32_t)f->place));
}

static struct work_share weekday_share(struct workstat *w, const struct workfact *f)
{
    return value(workstat_weekday(w, (uint32_t)f->place));
}

static struct work_share interarrival_cv(struct workstat *w, const struct workfact *f)
{
    (void)f;
    return value(workstat_gap_cv(w));
}

static struct work_share interarrival_cdf(struct workstat *w, const struct workfact *f)
{
    return value(workstat_gap_cdf(w, f->place));
}

static struct work_share hourly_dispersion(struct workstat *w, const struct workfact *f)
{
    (void)f;
    return value(workstat_dispersion(w));
}

static struct work_share users_gputime(struct workstat *w, const struct workfact *f)
{
    return value(workstat_users_gputime(w, f->place));
}

static struct work_share users_jobs(struct workstat *w, const struct workfact *f)
{
    return value(workstat_users_jobs(w, f->place));
}

/* The measures, and the allowed deviation of each. */
static const struct measure {
    const char *name, *goal, *text;
    double allowed; /* 0: listed only */
    bool is_relative, is_quantile;
    measure_function *measure;
} measures[] = {
    {"duration_cdf", "G1", "share of the jobs by duration, s", .010, false, false, duration_cdf},
    {"gpus_cdf", "G2", "share of the jobs by GPUs", .003, false, false, gpus_cdf},
    {"mean_gpus", "-", "mean GPUs", 0, true, false, mean_gpus},
    {"gputime_cdf", "G3", "share of the GPU time by GPUs", .03, false, false, gputime_cdf},
    {"mean_s", "G4", "mean duration, s", .05, true, false, mean_s},
    {"median_s", "G4", "median duration, s", .05, true, false, median_s},
    {"median_between_s", "-", "median duration between two points, s", 0, true, false, median_s},
    {"outcome", "G5", "share of the jobs by outcome", .005, false, false, outcome},
    {"outcome_by_gpus", "G5", "the same within a size", .02, false, false, outcome},
    {"outcome_gputime", "G5", "share of the GPU time by outcome", .03, false, false,
     outcome_gputime},
    {"hour_share", "G6", "share of the jobs by hour of the day", .003, false, false, hour_share},
    {"weekday_share", "G6", "share of the jobs by weekday", .01, false, false, weekday_share},
    {"duration_quantile_48h", "G7", "shares at quantiles of durations below 48 h", .02, false, true,
     duration_quantile_48h},
    {"duration_quantile", "G7", "shares at quantiles of duration", .03, false, true,
     duration_quantile},
    {"interarrival_cv", "G8", "CV of the gaps between jobs", .25, true, false, interarrival_cv},
    {"hourly_dispersion", "G8", "jobs an hour: variance / mean", .25, true, false,
     hourly_dispersion},
    {"interarrival_cdf", "-", "share of the gaps by length, s", 0, false, false, interarrival_cdf},
    {"users_gputime", "G9", "share of the GPU time of the top 5 % of users", .05, false, false,
     users_gputime},
    {"users_jobs", "G9", "share of the jobs of the top 5 % of users", .05, false, false,
     users_jobs},
    {"gpu_jobs", NULL, "jobs, the weight of a cluster in all four", 0, false, false, NULL},
};

/* ---- the facts ---- */

static void copy(char *to, size_t size, const char *from)
{
    assert_true(strlen(from) < size);
    strcpy(to, from);
}

static uint32_t measure_kind(const char *name)
{
    uint32_t kind = 0;
    while (kind < EVERY(measures) && strcmp(measures[kind].name, name) != 0)
        kind++;
    assert_true(kind < EVERY(measures));
    return kind;
}

static double place_of(const char *at)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    for (uint32_t i = 0; i < HS_OUTCOME_COUNT; i++)
        if (strcmp(at, hs_outcome_text((enum hs_outcome)i)) == 0)
            return i;
    for (uint32_t i = 0; i < EVERY(days); i++)
        if (strcmp(at, days[i]) == 0)
            return i;
    return strtod(at, NULL);
}

void workgoals_load(struct workgoals *g)
{
    static const char *const columns[] = {"workload", "measure", "gpus", "at",
                                          "value",    "source",  NULL};
    static struct sheet t;
    *g = (struct workgoals){0};
    for (sheet_open(&t, FACTS_FILE, columns); sheet_next(&t);) {
        struct workfact *f = hs_push(g->facts, g->count, g->cap, FACTS_MOST);
        copy(f->workload, sizeof f->workload, sheet_cell(&t, 0));
        copy(f->measure, sizeof f->measure, sheet_cell(&t, 1));
        copy(f->gpus, sizeof f->gpus, sheet_cell(&t, 2));
        copy(f->at, sizeof f->at, sheet_cell(&t, 3));
        copy(f->source, sizeof f->source, sheet_cell(&t, 5));
        f->kind = measure_kind(f->measure);
        f->place = place_of(f->at);
        f->value = (double)sheet_millionths(&t, 4) / 1e6;
        f->expected = measures[f->kind].is_quantile ? f->place : f->value;
    }
    sheet_close(&t);
    assert_true(g->count > 0);
}

void workgoals_free(struct workgoals *g)
{
    hs_free(g->facts);
    *g = (struct workgoals){0};
}

/* ---- measuring ---- */

void workgoals_measure(struct workgoals *g, const char *workload, uint32_t draw,
                       struct workstat *stat)
{
    double jobs = 0;
    assert_true(draw < WORKGOALS_DRAWS_MAX);
    if (g->draws < draw + 1)
        g->draws = draw + 1;
    for (uint32_t i = 0; i < g->count; i++) {
        struct workfact *f = &g->facts[i];
        const struct measure *m = &measures[f->kind];
        bool is_own = strcmp(f->workload, workload) == 0;
        if (is_own && m->measure == NULL)
            jobs = f->value; /* comes before the others of its workload */
        if (m->measure == NULL || (!is_own && strcmp(f->workload, OF_ALL) != 0))
            continue;
        if (!is_own && (strcmp(workload, "philly") == 0 || strcmp(workload, "pai") == 0))
            continue;
        struct work_share share = m->measure(stat, f);
        f->part[draw] += share.part * (is_own ? 1 : jobs);
        f->whole[draw] += share.whole * (is_own ? 1 : jobs);
    }
}

/* ---- rows ---- */

static double off(const struct workfact *f, double seen, bool is_relative)
{
    double d = fabs(seen - f->expected);
    return is_relative ? d / f->expected : d;
}

static bool same_row(const struct workfact *a, const struct workfact *b)
{
    return strcmp(a->workload, b->workload) == 0 && a->kind == b->kind &&
           (!measures[a->kind].is_quantile || strcmp(a->gpus, b->gpus) == 0);
}

static void worst_point(const struct workfact *facts, struct workrow *row)
{
    row->off = -1;
    for (const struct workfact *f = facts; f < facts + row->points; f++) {
        double seen = 0;
        for (uint32_t d = 0; d < row->draws; d++)
            seen += f->part[d] / f->whole[d] / row->draws;
        if (off(f, seen, row->is_relative) > row->off) {
            row->off = off(f, seen, row->is_relative);
            row->worst = f;
            row->seen = seen;
        }
    }
}

static void single_draws(const struct workfact *facts, struct workrow *row)
{
    row->off_min = INFINITY;
    row->off_max = 0;
    for (uint32_t d = 0; d < row->draws; d++) {
        double most = 0;
        for (const struct workfact *f = facts; f < facts + row->points; f++)
            most = fmax(most, off(f, f->part[d] / f->whole[d], row->is_relative));
        row->off_min = fmin(row->off_min, most);
        row->off_max = fmax(row->off_max, most);
        row->draws_met += most <= row->allowed;
    }
}

bool workgoals_next(const struct workgoals *g, uint32_t *at, struct workrow *row)
{
    while (*at < g->count &&
           (measures[g->facts[*at].kind].measure == NULL || g->facts[*at].whole[0] <= 0))
        ++*at;
    if (*at >= g->count)
        return false;
    const struct workfact *first = &g->facts[*at];
    const struct measure *m = &measures[first->kind];
    *row = (struct workrow){.goal = m->goal,
                            .text = m->text,
                            .draws = g->draws,
                            .allowed = m->allowed,
                            .is_relative = m->is_relative};
    for (; *at < g->count && same_row(first, &g->facts[*at]); ++*at)
        row->points++;
    worst_point(first, row);
    single_draws(first, row);
    return true;
}

bool workrow_is_met(const struct workrow *row)
{
    return row->allowed <= 0 || row->off <= row->allowed;
}
