/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of `horus calibrate predictor`: what the fit saw, its errors under each protocol beside
 * those of simpler rules, and model by model where it is wrong.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "calibrate/figures.h"
#include "calibrate/predictor_study.h"

#define NAME_WIDTH 58

static void say_line(struct hs_output *out, const char *name, const struct hs_utilscore *s)
{
    const double values[] = {s->score.mae, s->score.rmse, s->score.r2, s->rmsle, s->rmsle_percent};
    hs_say(out, "  %-*s%6" PRIu32, NAME_WIDTH - 2, name, s->score.n);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        hs_say_number(out, values[i], 3, 8);
    hs_say(out, "\n");
}

static void say_head(struct hs_output *out, const char *title, const char *gpu)
{
    char name[NAME_WIDTH + 1];
    (void)snprintf(name, sizeof name, "%s, %s", title, gpu);
    hs_say(out, "\n%-*s%6s%8s%8s%8s%8s%8s\n", NAME_WIDTH, name, "n", "MAE", "RMSE", "R2", "RMSLE",
           "of %");
}

static void say_rows(const struct hs_utilstudy *s, struct hs_output *out)
{
    const struct hs_utilrows *rows = &s->rows;
    hs_say(out, "catalogue: %" PRIu32 " rows; %" PRIu32 " used, %" PRIu32 " models on %s\n",
           s->catalogue.count, rows->count, rows->models, rows->gpu);
    for (int why = 0; why < HS_UTILROW_REASONS; why++)
        if (rows->dropped[why] > 0)
            hs_say(out, "  %" PRIu32 " left out: %s\n", rows->dropped[why], hs_utilrow_texts[why]);
    if (rows->no_time > 0)
        hs_say(out,
               "  %" PRIu32 " step times not used: they fall while the batch grows, so they are "
               "times of something else\n",
               rows->no_time);
}

static uint32_t count_without_loader(const struct hs_utilrows *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        count += !(rows->rows[i].profile->host_ms > 0);
    return count;
}

static void say_rules(const struct hs_utilstudy *s, struct hs_output *out)
{
    const struct hs_utilholdout *h = &s->holdout;
    say_head(out, "solo GPU utilization", s->rows.gpu);
    for (int rule = 0; rule < HS_UTILRULE_COUNT; rule++)
        say_line(out, hs_utilrule_protocols[rule], &h->rules[rule]);
    hs_say(out, "  %-*s%6s%8s%8s%8s%8s%8s\n", NAME_WIDTH - 2,
           "published (HotCloud'20; scale and split not known)", "", "", "", "", "0.154", "");
    hs_say(out,
           "R2 against the mean of the rows predicted. RMSLE: of log1p(fraction); of %%: of "
           "log1p(per cent).\n"
           "Divisor: layers were best for %" PRIu32 " of %" PRIu32 " models by the others alone.\n"
           "Host time known: the loader's time for a batch, which needs no GPU. In %" PRIu32
           " of %" PRIu32
           " rows the\ncatalogue has none, and the highest rate of the other rows of "
           "the model, on the GPU, stands in\nfor it. Step time known: its own.\n",
           h->divisors_kept, s->rows.models, count_without_loader(&s->rows), s->rows.count);
    for (uint32_t e = 0; e < h->elsewhere_count; e++) {
        say_head(out, "carried over, nothing fitted", h->elsewhere[e].gpu);
        for (int rule = 0; rule < HS_UTILRULE_COUNT; rule++)
            if (h->elsewhere[e].rules[rule].score.n > 0)
                say_line(out, hs_utilrule_protocols[rule], &h->elsewhere[e].rules[rule]);
    }
}

static void say_model(const struct hs_utilstudy *s, struct hs_output *out, uint32_t model)
{
    const struct hs_utilrows *rows = &s->rows;
    const struct hs_utilholdout *h = &s->holdout;
    uint32_t first = rows->start[model], end = rows->start[model + 1], known = 0;
    double observed = 0, predicted = 0, errors[3] = {0};
    for (uint32_t at = first; at < end; at++) {
        uint32_t i = rows->members[at];
        double util = rows->rows[i].util;
        observed += util;
        predicted += h->model[i];
        if (!isnan(h->config[i])) {
            errors[0] += fabs(h->config[i] - util);
            known++;
        }
        errors[1] += fabs(h->model[i] - util);
        errors[2] += fabs(h->host[i] - util);
    }
    double n = end - first;
    const struct hs_profile *profile = rows->rows[rows->members[first]].profile;
    hs_say(out, "  %-16s%-16s%6" PRIu32, profile->model, profile->dataset, end - first);
    hs_say_number(out, observed / n, 3, 10);
    hs_say_number(out, predicted / n, 3, 10);
    hs_say_number(out, known > 0 ? errors[0] / known : NAN, 3, 10);
    hs_say_number(out, errors[1] / n, 3, 10);
    hs_say_number(out, errors[2] / n, 3, 10);
    hs_say(out, "\n");
}

static void say_models(const struct hs_utilstudy *s, struct hs_output *out)
{
    hs_say(out, "\n  %-16s%-16s%6s%10s%10s%30s\n", "", "", "", "mean", "unseen",
           "mean absolute error");
    hs_say(out, "  %-16s%-16s%6s%10s%10s%10s%10s%10s\n", "model", "dataset", "n", "measured",
           "predicted", "config", "model", "and host");
    for (uint32_t m = 0; m < s->rows.models; m++)
        say_model(s, out, m);
}

static void say_named(struct hs_output *out, const char *name, double value)
{
    hs_say(out, "  %s ", name);
    hs_say_number(out, value, 4, 0);
}

static void say_fit(const struct hs_utilstudy *s, struct hs_output *out)
{
    const struct hs_utilform *form = &s->fit.form;
    hs_say(out, "\nfit to all rows: u = 1 - exp(-load)\n ");
    say_named(out, "launch", form->launch);
    say_named(out, "per_gmac", form->per_gmac);
    say_named(out, "per_moutput", form->per_moutput);
    say_named(out, "amp", form->amp);
    say_named(out, "ridge", s->fit.ridge);
    hs_say(out, "\nGPU time of a step, ms\n ");
    say_named(out, "layer", form->busy_layer_ms);
    say_named(out, "gmac", form->busy_gmac_ms);
    say_named(out, "moutput", form->busy_moutput_ms);
    say_named(out, "amp", form->busy_amp);
    say_named(out, "margin", form->busy_margin);
    hs_say(out, "\nshift of ln load without features\n ");
    say_named(out, "per ln batch", s->load.per_ln_batch);
    say_named(out, "amp", s->load.amp);
    hs_say(out, "\nshift of the logit\n ");
    say_named(out, "per ln batch", s->logit.per_ln_batch);
    say_named(out, "amp", s->logit.amp);
    hs_say(out, "\n");
}

static void say_others(const struct hs_utilstudy *s, struct hs_output *out)
{
    const struct hs_utilmemory *m = &s->memory;
    const struct hs_general_fit *g = &s->general;
    if (m->rows > 0) {
        hs_say(out,
               "\nmemory by 4 (outputs B + params + B params), %" PRIu32 " rows, %" PRIu32
               " too low\n ",
               m->rows, m->short_rows);
        hs_say(out, "  RMSE, MiB");
        hs_say_number(out, m->rmse_mib, 0, 8);
        say_named(out, "ln(estimate / measured): mean", m->ln_mean);
        say_named(out, "sd", m->ln_sd);
        hs_say(out, "\n");
    }
    if (!s->has_general)
        return;
    hs_say(out, "\npolicies' slowdown of a pair: 1 + k u^alpha v^beta, %" PRIu32 " rows\n ",
           g->rows);
    say_named(out, "k", g->k);
    say_named(out, "alpha", g->alpha);
    say_named(out, "beta", g->beta);
    say_named(out, "RMSE of the speed, unseen model", g->own_unseen.speed.rmse);
    hs_say(out, "\n");
}

void hs_utilstudy_say(const struct hs_utilstudy *s, struct hs_output *out)
{
    if (s->options.data_count > 1)
        hs_calibrate_say_counts(out, s->set, s->counts, s->options.data_count - 1);
    say_rows(s, out);
    say_rules(s, out);
    say_models(s, out);
    say_fit(s, out);
    say_others(s, out);
}
