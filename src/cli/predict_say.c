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

#define LABEL_SIZE 160

/* What a run takes from another type as it is was measured; anything else is a form. */
void hs_figure_label(const struct hs_prediction *p, const struct hs_figure *f, char *text,
                     size_t size)
{
    char power[32] = "";
    const char *caveat = "";
    if (f->is_raised)
        (void)snprintf(power, sizeof power, "^%g", p->gamma);
    if (f->is_extrapolated)
        caveat = strncmp(f->source, "measured", 8) == 0 ? ", taken as such" : ", extrapolated";
    (void)snprintf(text, size, "%.96s%s%s", f->source, power, caveat);
}

/* ---- for people ---- */

/* "      58.7 %", or "         -" and as many blanks. */
static void say_value(struct hs_output *out, double value, unsigned decimals, const char *unit)
{
    hs_say_number(out, value, decimals, FIGURE_WIDTH);
    hs_say(out, " %-3s", isnan(value) ? "" : unit);
}

static void say_line(struct hs_output *out, const struct hs_prediction *p, const char *name,
                     const struct hs_figure *f, double scale, unsigned decimals, const char *unit)
{
    char label[LABEL_SIZE];
    hs_figure_label(p, f, label, sizeof label);
    hs_say(out, "  %-*s", NAME_WIDTH, name);
    say_value(out, scale * f->value, decimals, unit);
    say_value(out, scale * f->error, decimals, unit);
    hs_say(out, "  %s\n", label);
}

/* Of the row that the figures are of. */
static const char *run_key(const struct hs_predicted_job *job)
{
    return job->taken != NULL ? job->taken : job->key;
}

static const char *estimate_name(const struct hs_predicted_job *job)
{
    return job->taken != NULL ? "  estimated as asked" : "  estimated";
}

static void say_alone(struct hs_output *out, const struct hs_prediction *p,
                      const struct hs_predicted_job *job)
{
    char name[64];
    hs_say(out, "%s alone on %s\n", job->key, p->types[0]);
    if (job->taken != NULL)
        hs_say(out, "  not in the catalogue; a run takes %s, whose figures these are\n",
               job->taken);
    hs_say(out, "  %-*s%*s    %*s      source\n", NAME_WIDTH, "", FIGURE_WIDTH, "value",
           FIGURE_WIDTH, "error");
    say_line(out, p, "utilization", &job->util, 100, 1, "%");
    say_line(out, p, "  a policy is told", &job->util_told, 100, 1, "%");
    if (job->has_estimate)
        say_line(out, p, estimate_name(job), &job->util_estimated, 100, 1, "%");
    say_line(out, p, "GPU memory", &job->memory_mib, 1, 0, "MiB");
    say_line(out, p, "  a policy is told", &job->memory_told_mib, 1, 0, "MiB");
    say_line(out, p, "time of a step", &job->step_ms, 1, 2, "ms");
    for (uint32_t t = 1; t < p->type_count; t++) {
        (void)snprintf(name, sizeof name, "speed on %.40s", p->types[t]);
        say_line(out, p, name, &job->speeds[t], 1, 3, "x");
    }
}

static int widest_label(const struct hs_prediction *p)
{
    char label[LABEL_SIZE];
    int width = 10;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_figure *figures[] = {&p->jobs[i].slowdown, &p->jobs[i].slowdown_estimated};
        for (int k = 0; k < (hs_prediction_has_estimate(p) ? 2 : 1); k++) {
            hs_figure_label(p, figures[k], label, sizeof label);
            if ((int)strlen(label) > width)
                width = (int)strlen(label);
        }
    }
    return width;
}

static void say_slowdown(struct hs_output *out, const struct hs_prediction *p,
                         const struct hs_figure *f, int width)
{
    char label[LABEL_SIZE];
    hs_figure_label(p, f, label, sizeof label);
    hs_say_number(out, f->value, 3, 10);
    hs_say_number(out, 1 / f->value, 3, 8);
    hs_say_number(out, f->error, 3, 8);
    hs_say(out, "  %-*s", width, label);
}

static void say_slowdowns(struct hs_output *out, const struct hs_prediction *p)
{
    char label[LABEL_SIZE];
    int width = NAME_WIDTH, label_width = widest_label(p);
    for (uint32_t i = 0; i < p->count; i++)
        if ((int)strlen(run_key(&p->jobs[i])) > width)
            width = (int)strlen(run_key(&p->jobs[i]));
    hs_say(out, "  %-*s%10s%8s%8s  %-*s%10s%8s  %s\n", width, "", "slowdown", "speed", "error",
           label_width, "source", "told", "error", "source");
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_predicted_job *job = &p->jobs[i];
        hs_say(out, "  %-*s", width, run_key(job));
        say_slowdown(out, p, &job->slowdown, label_width);
        hs_figure_label(p, &job->slowdown_told, label, sizeof label);
        hs_say_number(out, job->slowdown_told.value, 3, 10);
        hs_say_number(out, job->slowdown_told.error, 3, 8);
        hs_say(out, "  %s\n", label);
        if (!hs_prediction_has_estimate(p))
            continue;
        hs_say(out, "  %-*s", width, "  estimated as asked");
        say_slowdown(out, p, &job->slowdown_estimated, 0);
        hs_say(out, "\n");
    }
}

static void say_fit(struct hs_output *out, const struct hs_prediction *p)
{
    const char *unknown = NULL;
    for (uint32_t i = 0; i < p->count && unknown == NULL; i++)
        if (isnan(p->jobs[i].memory_mib.value))
            unknown = run_key(&p->jobs[i]);
    hs_say(out, "  fits one %s", p->types[0]);
    if (p->capacity_mib > 0)
        hs_say(out, " of %" PRIu32 " MiB", p->capacity_mib);
    if (hs_prediction_knows_fit(p))
        hs_say(out, ": %s\n", hs_prediction_fits(p) ? "yes" : "no");
    else if (p->capacity_mib == 0)
        hs_say(out, ": the memory of this GPU type is not known\n");
    else
        hs_say(out, ": the memory that %s needs is not known\n", unknown);
}

static void say_together(struct hs_output *out, const struct hs_prediction *p)
{
    hs_say(out, "\n%" PRIu32 " jobs on one %s\n", p->count, p->types[0]);
    say_slowdowns(out, p);
    say_line(out, p, "utilization", &p->util, 100, 1, "%");
    say_line(out, p, "GPU memory", &p->memory_mib, 1, 0, "MiB");
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
    hs_say(out, "\ntold: by %s; a run's preset: %s.\n", p->predictor, p->run_predictor);
    hs_say(out,
           "error: root mean square on held-out rows (of the speed, beside a slowdown); mean "
           "absolute for\nspeeds, times and sums of memory. '-': measured, exact, extrapolated or "
           "not known.\n");
    if (p->gamma != 1)
        hs_say(
            out,
            "^%g: slowdowns of pairs to this power (--gamma), which nobody measured: no error.\n",
            p->gamma);
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

static void figure(struct hs_jsonw *w, const struct hs_prediction *p, const char *key,
                   const char *error_key, const struct hs_figure *f)
{
    hs_jsonw_key(w, key);
    hs_jsonw_object(w);
    number(w, "value", f->value);
    number(w, error_key, f->error);
    text(w, "source", f->source);
    if (f->is_raised)
        number(w, "gamma", p->gamma);
    if (f->is_extrapolated) {
        hs_jsonw_key(w, "extrapolated");
        hs_jsonw_bool(w, true);
    }
    hs_jsonw_end_object(w);
}

static void job_json(struct hs_jsonw *w, const struct hs_prediction *p,
                     const struct hs_predicted_job *job)
{
    hs_jsonw_object(w);
    text(w, "asked", job->asked);
    text(w, "profile", job->key);
    text(w, "run_profile", run_key(job));
    figure(w, p, "util", "rmse", &job->util);
    if (job->has_estimate)
        figure(w, p, "util_estimated", "rmse", &job->util_estimated);
    figure(w, p, "util_told", "rmse", &job->util_told);
    figure(w, p, "memory_mib", "rmse", &job->memory_mib);
    figure(w, p, "memory_told_mib", "rmse", &job->memory_told_mib);
    figure(w, p, "step_ms", "mean_absolute_error", &job->step_ms);
    hs_jsonw_key(w, "speed");
    hs_jsonw_object(w);
    for (uint32_t t = 0; t < p->type_count; t++)
        figure(w, p, p->types[t], "mean_absolute_error", &job->speeds[t]);
    hs_jsonw_end_object(w);
    if (p->count > 1) {
        figure(w, p, "slowdown", "speed_rmse", &job->slowdown);
        if (hs_prediction_has_estimate(p))
            figure(w, p, "slowdown_estimated", "speed_rmse", &job->slowdown_estimated);
        figure(w, p, "slowdown_told", "speed_rmse", &job->slowdown_told);
    }
    hs_jsonw_end_object(w);
}

void hs_predict_json(struct hs_output *out, const struct hs_prediction *p)
{
    struct hs_jsonw w;
    hs_jsonw_begin(&w, out);
    hs_jsonw_object(&w);
    text(&w, "gpu", p->types[0]);
    text(&w, "predictor", p->predictor);
    text(&w, "run_predictor", p->run_predictor);
    hs_jsonw_key(&w, "jobs");
    hs_jsonw_array(&w);
    for (uint32_t i = 0; i < p->count; i++)
        job_json(&w, p, &p->jobs[i]);
    hs_jsonw_end_array(&w);
    hs_jsonw_key(&w, "together");
    hs_jsonw_object(&w);
    figure(&w, p, "util", "rmse", &p->util);
    figure(&w, p, "memory_mib", "mean_absolute_error", &p->memory_mib);
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
