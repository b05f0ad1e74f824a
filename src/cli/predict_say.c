/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predictions for people, every number with its source and its error, and the same as JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibrate/figures.h"
#include "cli/predict.h"
#include "data/json.h"

#define NAME_WIDTH   20
#define FIGURE_WIDTH 10

/* ---- for people ---- */

/* "      58.7 %", or "         -" and as many blanks. */
static void say_value(struct hs_output *out, double value, unsigned decimals, const char *unit)
{
    hs_say_number(out, value, decimals, FIGURE_WIDTH);
    hs_say(out, " %-3s", isnan(value) ? "" : unit);
}

static void say_line(struct hs_output *out, const char *name, const struct hs_figure *f,
                     double scale, unsigned decimals, const char *unit)
{
    hs_say(out, "  %-*s", NAME_WIDTH, name);
    say_value(out, scale * f->value, decimals, unit);
    say_value(out, scale * f->error, decimals, unit);
    hs_say(out, "  %s\n", f->source);
}

static void say_alone(struct hs_output *out, const struct hs_prediction *p,
                      const struct hs_predicted_job *job)
{
    char name[64];
    hs_say(out, "%s alone on %s\n", job->key, p->types[0]);
    if (job->taken != NULL)
        hs_say(out, "  not in the catalogue; a run takes %s for it\n", job->taken);
    hs_say(out, "  %-*s%*s    %*s      source\n", NAME_WIDTH, "", FIGURE_WIDTH, "value",
           FIGURE_WIDTH, "error");
    say_line(out, "utilization", &job->util, 100, 1, "%");
    say_line(out, "  a policy is told", &job->util_told, 100, 1, "%");
    say_line(out, "GPU memory", &job->memory_mib, 1, 0, "MiB");
    say_line(out, "  a policy is told", &job->memory_told_mib, 1, 0, "MiB");
    say_line(out, "time of a step", &job->step_ms, 1, 2, "ms");
    for (uint32_t t = 1; t < p->type_count; t++) {
        (void)snprintf(name, sizeof name, "speed on %.40s", p->types[t]);
        say_line(out, name, &job->speeds[t], 1, 3, "x");
    }
}

static void say_slowdowns(struct hs_output *out, const struct hs_prediction *p)
{
    int width = NAME_WIDTH;
    for (uint32_t i = 0; i < p->count; i++)
        if ((int)strlen(p->jobs[i].key) > width)
            width = (int)strlen(p->jobs[i].key);
    hs_say(out, "  %-*s%10s%8s%8s  %-10s%10s%8s  %s\n", width, "", "slowdown", "speed", "error",
           "source", "told", "error", "source");
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_predicted_job *job = &p->jobs[i];
        hs_say(out, "  %-*s", width, job->key);
        hs_say_number(out, job->slowdown.value, 3, 10);
        hs_say_number(out, 1 / job->slowdown.value, 3, 8);
        hs_say_number(out, job->slowdown.error, 3, 8);
        hs_say(out, "  %-10s", job->slowdown.source);
        hs_say_number(out, job->slowdown_told.value, 3, 10);
        hs_say_number(out, job->slowdown_told.error, 3, 8);
        hs_say(out, "  %s\n", job->slowdown_told.source);
    }
}

static void say_fit(struct hs_output *out, const struct hs_prediction *p)
{
    hs_say(out, "  fits one %s", p->types[0]);
    if (p->capacity_mib > 0)
        hs_say(out, " of %" PRIu32 " MiB", p->capacity_mib);
    hs_say(out, ": %s\n",
           !hs_prediction_knows_fit(p) ? "not known"
           : hs_prediction_fits(p)     ? "yes"
                                       : "no");
}

static void say_together(struct hs_output *out, const struct hs_prediction *p)
{
    hs_say(out, "\n%" PRIu32 " jobs on one %s\n", p->count, p->types[0]);
    say_slowdowns(out, p);
    say_line(out, "utilization", &p->util, 100, 1, "%");
    say_line(out, "GPU memory", &p->memory_mib, 1, 0, "MiB");
    hs_say(out, "  %-*s", NAME_WIDTH, "with the reserve");
    hs_say_number(out, p->memory_mib.value + p->reserve_mib, 0, FIGURE_WIDTH);
    hs_say(out, "%s\n", isnan(p->memory_mib.value) ? "" : " MiB");
}

void hs_predict_say(struct hs_output *out, const struct hs_prediction *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (i > 0)
            hs_say(out, "\n");
        say_alone(out, p, &p->jobs[i]);
    }
    if (p->count > 1)
        say_together(out, p);
    say_fit(out, p);
    hs_say(out,
           "\nerror: root mean square on held-out rows (of the speed, beside a slowdown); mean "
           "absolute for\nspeeds, times and sums of memory. '-': measured, exact or not known.\n");
}

/* ---- JSON ---- */

static void number(struct hs_jsonw *w, const char *key, double value)
{
    hs_jsonw_key(w, key);
    hs_jsonw_double(w, isnan(value) ? value : hs_score_round(value));
}

static void text(struct hs_jsonw *w, const char *key, const char *value)
{
    hs_jsonw_key(w, key);
    hs_jsonw_text(w, value);
}

static void figure(struct hs_jsonw *w, const char *key, const char *error_key,
                   const struct hs_figure *f)
{
    hs_jsonw_key(w, key);
    hs_jsonw_object(w);
    number(w, "value", f->value);
    number(w, error_key, f->error);
    text(w, "source", f->source);
    hs_jsonw_end_object(w);
}

static void job_json(struct hs_jsonw *w, const struct hs_prediction *p,
                     const struct hs_predicted_job *job)
{
    hs_jsonw_object(w);
    text(w, "asked", job->asked);
    text(w, "profile", job->key);
    text(w, "run_profile", job->taken != NULL ? job->taken : job->key);
    figure(w, "util", "rmse", &job->util);
    figure(w, "util_told", "rmse", &job->util_told);
    figure(w, "memory_mib", "rmse", &job->memory_mib);
    figure(w, "memory_told_mib", "rmse", &job->memory_told_mib);
    figure(w, "step_ms", "mean_absolute_error", &job->step_ms);
    hs_jsonw_key(w, "speed");
    hs_jsonw_object(w);
    for (uint32_t t = 0; t < p->type_count; t++)
        figure(w, p->types[t], "mean_absolute_error", &job->speeds[t]);
    hs_jsonw_end_object(w);
    if (p->count > 1) {
        figure(w, "slowdown", "speed_rmse", &job->slowdown);
        figure(w, "slowdown_told", "speed_rmse", &job->slowdown_told);
    }
    hs_jsonw_end_object(w);
}

void hs_predict_json(struct hs_output *out, const struct hs_prediction *p)
{
    struct hs_jsonw w;
    hs_jsonw_begin(&w, out);
    hs_jsonw_object(&w);
    text(&w, "gpu", p->types[0]);
    hs_jsonw_key(&w, "jobs");
    hs_jsonw_array(&w);
    for (uint32_t i = 0; i < p->count; i++)
        job_json(&w, p, &p->jobs[i]);
    hs_jsonw_end_array(&w);
    hs_jsonw_key(&w, "together");
    hs_jsonw_object(&w);
    figure(&w, "util", "rmse", &p->util);
    figure(&w, "memory_mib", "mean_absolute_error", &p->memory_mib);
    hs_jsonw_member_u64(&w, "reserve_mib", p->reserve_mib);
    number(&w, "capacity_mib", p->capacity_mib > 0 ? (double)p->capacity_mib : NAN);
    hs_jsonw_key(&w, "fits");
    if (hs_prediction_knows_fit(p))
        hs_jsonw_bool(&w, hs_prediction_fits(p));
    else
        hs_jsonw_null(&w);
    hs_jsonw_end_object(&w);
    hs_jsonw_end_object(&w);
    hs_jsonw_finish(&w);
}
