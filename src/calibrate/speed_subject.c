/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate speed`: speeds of jobs and families on each GPU type, how gangs scale and what
 * being spread costs them, from throughputs (calibration.md 6). One set of measurements tells the
 * speeds of single GPUs and one tells of gangs, which may be the same: quotients of two campaigns
 * mean nothing (calibration.md 2, trap 8).
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "calibrate/calibration.h"
#include "calibrate/speed_report.h"

/* A share above 1 is noise: measured, told, and not believed. */
#define SHARE_MAX 1.0

struct study {
    const struct hs_calibrate_options *options;
    struct hs_measurements *single, *gangs; /* may be the same; gangs NULL = there are none */
    struct hs_catalogue catalogue;
    struct hs_speed_result result;
};

/* ---- which data tells what ---- */

static bool has_gangs(const struct hs_measurements *m)
{
    for (uint32_t i = 0; i < m->solo_count; i++)
        if (m->solos[i].gpus > 1)
            return true;
    return false;
}

static enum hs_status choose_sets(struct study *s, struct hs_measurements *set,
                                  struct hs_diag *diag)
{
    struct hs_measurements **slot;
    for (uint32_t i = 0; i < s->options->data_count; i++) {
        slot = has_gangs(&set[i]) ? &s->gangs : &s->single;
        if (*slot != NULL)
            return hs_fail(diag, HS_E_USAGE, NULL,
                           "calibrate them one by one, or put them into one CSV if they are of one "
                           "campaign",
                           "speed: two sets of %s: %s and %s",
                           slot == &s->gangs ? "gangs" : "single-GPU speeds",
                           (*slot)->files[0].name, set[i].files[0].name);
        *slot = &set[i];
    }
    if (s->single == NULL)
        s->single = s->gangs;
    return HS_OK;
}

/* ---- cleaning ---- */

HS_PRINTF(2, 3)
static void note(struct study *s, const char *fmt, ...)
{
    struct hs_speed_result *r = &s->result;
    va_list args;
    if (r->note_count == HS_SPEED_NOTES)
        return;
    va_start(args, fmt);
    (void)vsnprintf(r->notes[r->note_count++], sizeof r->notes[0], fmt, args);
    va_end(args);
}

/* Trap 7: a baseline that was raised to the best pair makes its type look faster. The pairs show
 * it, but not how far. */
static void note_raised(struct study *s)
{
    const struct hs_measurements *m = s->single;
    for (uint32_t g = 0; g < m->gpu_count; g++) {
        uint32_t raised = 0, jobs = 0;
        for (uint32_t i = 0; i < m->solo_count; i++) {
            bool is_raised = false;
            if (m->solos[i].gpu != g || m->solos[i].gpus > 1 || m->solos[i].is_spread)
                continue;
            for (uint32_t p = 0; p < m->pair_count && !is_raised; p++)
                is_raised =
                    m->pairs[p].own == i && (m->pairs[p].dropped & HS_DROPPED(CLIPPED)) != 0;
            raised += is_raised;
            jobs++;
        }
        if (raised > 0)
            note(s,
                 "%s: the speed alone of %" PRIu32 " of %" PRIu32
                 " jobs equals that of their best pair: raised to it, and perhaps too high",
                 m->gpus[g], raised, jobs);
    }
}

static enum hs_status clean(struct study *s, struct hs_measurements *m)
{
    struct hs_clean_counts unused;
    HS_TRY(hs_clean(m, s->options->clean | HS_CLEAN_CLIPPED, &unused));
    for (uint32_t i = 0; i < m->solo_count; i++)
        if (m->solos[i].is_spread && m->solos[i].gpus == 1)
            m->solos[i].dropped |= HS_DROPPED(REPEATED);
    return HS_OK;
}

/* Rows are jobs alone here. */
static struct hs_clean_counts count_solos(const struct hs_measurements *m)
{
    struct hs_clean_counts counts = {.read = m->solo_count};
    for (uint32_t i = 0; i < m->solo_count; i++) {
        uint32_t why = 0;
        counts.kept += m->solos[i].dropped == 0;
        while (why < HS_DROPPED_COUNT && (m->solos[i].dropped >> why & 1) == 0)
            why++;
        if (why < HS_DROPPED_COUNT)
            counts.dropped[why]++;
    }
    return counts;
}

/* ---- fits ---- */

static void note_gangs(struct study *s)
{
    const struct hs_measurements *m = s->gangs;
    for (uint32_t g = 0; m != NULL && g < m->gpu_count; g++) {
        bool is_dropped = false;
        for (uint32_t i = 0; i < m->solo_count && !is_dropped; i++)
            is_dropped =
                m->solos[i].gpu == g && (m->solos[i].dropped & HS_DROPPED(SUPERLINEAR)) != 0;
        if (is_dropped)
            note(s,
                 "%s: gangs are faster than as many single GPUs: other hosts, neither scaling nor "
                 "spread is used",
                 m->gpus[g]);
    }
}

static void clip_curves(struct study *s, struct hs_gang_curve *curves, uint32_t count,
                        const char *what)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t clipped = 0;
        for (uint32_t k = 0; k < curves[i].count; k++) {
            clipped += curves[i].value[k] > SHARE_MAX;
            curves[i].value[k] = fmin(curves[i].value[k], SHARE_MAX);
        }
        if (clipped > 0)
            note(s, "%s, %s: %s above 1 is noise or other hosts, taken as 1", curves[i].gpu,
                 curves[i].family, what);
    }
}

/* One job is not a thousand times as fast on one GPU type as on another: its rates are of different
 * things, and model files hold no such factor. */
static enum hs_status check_factors(const struct hs_speeds *table, struct hs_diag *diag)
{
    for (uint32_t j = 0; j < table->job_count; j++)
        for (uint32_t t = 0; t < table->type_count; t++) {
            double speed = table->jobs[j].speed[t];
            if (speed > 0 && (speed > HS_SPEEDS_FACTOR_MAX || speed * HS_SPEEDS_FACTOR_MAX < 1))
                return hs_fail(diag, HS_E_INPUT, NULL,
                               "a job needs the same unit, steps or samples a second, everywhere",
                               "%s: its rate on %s is %.3g times that on %s",
                               table->jobs[j].profile, table->types[t], speed, table->types[0]);
        }
    return HS_OK;
}

static enum hs_status study_all(struct study *s, struct hs_diag *diag)
{
    const struct hs_catalogue *catalogue = s->options->profiles != NULL ? &s->catalogue : NULL;
    struct hs_speeds *table = &s->result.table;
    struct hs_gangs *gangs = &s->result.gangs;
    HS_TRY(clean(s, s->single));
    if (s->gangs != NULL && s->gangs != s->single)
        HS_TRY(clean(s, s->gangs));
    HS_TRY(hs_speeds_build(table, s->single, catalogue));
    if (table->job_count == 0)
        return hs_fail(diag, HS_E_INPUT, NULL, "rates of jobs alone on one GPU are needed",
                       "no speed of a single-GPU job is left to compare");
    HS_TRY(check_factors(table, diag));
    if (s->gangs != NULL)
        HS_TRY(hs_gangs_build(gangs, s->gangs, catalogue));
    if (table->left_out > 0)
        note(s, "jobs left out because they were not measured on %s: %" PRIu32, table->types[0],
             table->left_out);
    note_raised(s);
    note_gangs(s);
    clip_curves(s, gangs->scaling, gangs->scaling_count, "scaling efficiency");
    clip_curves(s, gangs->spread, gangs->spread_count, "throughput when spread");
    return HS_OK;
}

/* ---- all of it ---- */

static enum hs_status study_sets(struct study *s, struct hs_measurements *set,
                                 struct hs_output *out, struct hs_jsonw *model,
                                 struct hs_diag *diag)
{
    struct hs_clean_counts counts[HS_CALIBRATE_DATA_MAX];
    HS_TRY(choose_sets(s, set, diag));
    HS_TRY(study_all(s, diag));
    for (uint32_t i = 0; i < s->options->data_count; i++)
        counts[i] = count_solos(&set[i]);
    hs_calibrate_say_counts(out, set, counts, s->options->data_count);
    HS_TRY(hs_speed_say(&s->result, out));
    if (model != NULL) {
        hs_jsonw_object(model);
        hs_calibrate_write_head(model, "speed", s->options, set, counts);
        HS_TRY(hs_speed_write(&s->result, model));
        hs_jsonw_end_object(model);
    }
    return s->options->rows != NULL ? hs_speed_write_rows(&s->result.table, s->options->rows, diag)
                                    : HS_OK;
}

static enum hs_status read_and_study(struct study *s, struct hs_output *out, struct hs_jsonw *model,
                                     struct hs_diag *diag)
{
    struct hs_measurements set[HS_CALIBRATE_DATA_MAX];
    if (s->options->profiles != NULL)
        HS_TRY(hs_catalogue_load(&s->catalogue, s->options->profiles, diag));
    HS_TRY(hs_calibrate_read(s->options, set, diag));
    enum hs_status status = study_sets(s, set, out, model, diag);
    hs_gangs_free(&s->result.gangs); /* their texts belong to the sets */
    hs_speeds_free(&s->result.table);
    for (uint32_t i = 0; i < s->options->data_count; i++)
        hs_measure_free(&set[i]);
    return status;
}

static enum hs_status run(const struct hs_calibrate_options *given, struct hs_output *out,
                          struct hs_jsonw *model, struct hs_diag *diag)
{
    struct hs_calibrate_options options = *given;
    uint64_t errors = diag->errors;
    struct study *s = hs_alloc_zeroed(1, sizeof *s);
    if (s == NULL)
        return hs_calibrate_told(HS_E_MEMORY, "speed", errors, diag);
    options.clean &= HS_CLEAN_COPIED; /* the other steps are about pairs */
    s->options = &options;
    enum hs_status status = read_and_study(s, out, model, diag);
    hs_catalogue_free(&s->catalogue);
    hs_free(s);
    return hs_calibrate_told(status, "speed", errors, diag);
}

const struct hs_calibration hs_calibration_speed = {
    .name = "speed",
    .summary = "how fast jobs run on each GPU type, alone, in gangs and spread",
    .data = "throughputs of jobs alone: a JSON of Gavel's, or your CSV; one with single GPUs, one "
            "with gangs, or one with both",
    .run = run,
};
