/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * predictor.json and the CSV for plots.
 */
#include <math.h>

#include "calibrate/predictor_study.h"
#include "data/csvwrite.h"

#define PUBLISHED_RMSLE 0.154 /* Yeung et al., HotCloud'20, abstract: scale and split not known */

/* ---- data ---- */

static void write_profiles(const struct hs_utilstudy *s, struct hs_jsonw *w)
{
    const struct hs_utilrows *rows = &s->rows;
    hs_jsonw_key(w, "profiles");
    hs_jsonw_object(w);
    hs_jsonw_member_u64(w, "read", s->catalogue.count);
    hs_jsonw_member_u64(w, "kept", rows->count);
    hs_jsonw_key(w, "dropped");
    hs_jsonw_array(w);
    for (int why = 0; why < HS_UTILROW_REASONS; why++) {
        if (rows->dropped[why] == 0)
            continue;
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "why", hs_utilrow_texts[why]);
        hs_jsonw_member_u64(w, "rows", rows->dropped[why]);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
    hs_jsonw_member_u64(w, "step_times_refused", rows->no_time);
    hs_jsonw_end_object(w);
}

/* ---- what is used at run time ---- */

static void write_general(const struct hs_general_fit *g, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "general");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "gpu", g->gpu);
    hs_jsonw_member_text(w, "form", "1 + k u^alpha v^beta");
    hs_score_write_number(w, "k", g->k);
    hs_score_write_number(w, "alpha", g->alpha);
    hs_score_write_number(w, "beta", g->beta);
    hs_score_write_number(w, "error", g->own_unseen.speed.rmse);
    hs_jsonw_key(w, "holdout");
    hs_jsonw_array(w);
    hs_pairscore_write(w, "unseen model, own", &g->own_unseen);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

static void write_form(const struct hs_utilform *form, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "load");
    hs_jsonw_object(w);
    hs_score_write_number(w, "launch", form->launch);
    hs_score_write_number(w, "per_gmac", form->per_gmac);
    hs_score_write_number(w, "per_moutput", form->per_moutput);
    hs_score_write_number(w, "amp", form->amp);
    hs_jsonw_end_object(w);
    hs_jsonw_key(w, "busy");
    hs_jsonw_object(w);
    hs_score_write_number(w, "layer_ms", form->busy_layer_ms);
    hs_score_write_number(w, "gmac_ms", form->busy_gmac_ms);
    hs_score_write_number(w, "moutput_ms", form->busy_moutput_ms);
    hs_score_write_number(w, "amp", form->busy_amp);
    hs_score_write_number(w, "margin", form->busy_margin);
    hs_jsonw_end_object(w);
}

static enum hs_status write_mate(const struct hs_utilstudy *s, const bool *is_used, uint32_t model,
                                 struct hs_jsonw *w, struct hs_diag *diag)
{
    struct hs_utilmate mate;
    uint32_t configs;
    HS_TRY(hs_utilfit_mate(&s->rows, is_used, model, &s->fit, &mate, &configs, diag));
    const struct hs_profile *profile = s->rows.rows[s->rows.members[s->rows.start[model]]].profile;
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "model", profile->model);
    hs_jsonw_member_text(w, "dataset", profile->dataset);
    hs_jsonw_member_u64(w, "configs", configs);
    hs_score_write_number(w, "more_work", mate.more_work);
    hs_score_write_number(w, "host", mate.host);
    hs_score_write_number(w, "slope", mate.slope);
    hs_score_write_number(w, "amp", mate.amp);
    hs_score_write_number(w, "slope_amp", mate.slope_amp);
    hs_jsonw_end_object(w);
    return HS_OK;
}

static enum hs_status write_fit(const struct hs_utilstudy *s, struct hs_jsonw *w,
                                struct hs_diag *diag)
{
    enum hs_status status = HS_OK;
    bool *is_used = hs_alloc_zeroed(s->rows.count, sizeof *is_used);
    if (is_used == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < s->rows.count; i++)
        is_used[i] = true;
    hs_jsonw_key(w, "fit");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "gpu", s->rows.gpu);
    hs_jsonw_member_text(
        w, "form",
        "u = 1 - exp(-load), load = (launch + (per_gmac MACs/1e9 + per_moutput outputs/1e6) "
        "batch / layers) exp(-amp)");
    write_form(&s->fit.form, w);
    hs_score_write_number(w, "ridge", s->fit.ridge);
    hs_jsonw_key(w, "models");
    hs_jsonw_array(w);
    for (uint32_t m = 0; m < s->rows.models && status == HS_OK; m++)
        status = write_mate(s, is_used, m, w, diag);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
    hs_free(is_used);
    return status;
}

static void write_shift(const struct hs_utilshift *shift, const char *key, const char *form,
                        struct hs_jsonw *w)
{
    hs_jsonw_key(w, key);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "form", form);
    hs_score_write_number(w, "per_ln_batch", shift->per_ln_batch);
    hs_score_write_number(w, "amp", shift->amp);
    hs_jsonw_end_object(w);
}

static void write_predictions(const struct hs_utilstudy *s, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "predictions");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < s->rows.count; i++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "profile", s->rows.rows[i].profile->key);
        hs_score_write_number(w, "config", s->holdout.config[i]);
        hs_score_write_number(w, "model", s->holdout.model[i]);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

/* ---- errors ---- */

static void write_score(const struct hs_utilscore *score, int rule, struct hs_jsonw *w)
{
    hs_jsonw_object(w);
    hs_score_write_members(w, hs_utilrule_protocols[rule], &score->score);
    hs_score_write_number(w, "rmsle", score->rmsle);
    hs_score_write_number(w, "rmsle_percent", score->rmsle_percent);
    hs_jsonw_member_text(w, "knows", hs_utilrule_knows[rule]);
    hs_jsonw_end_object(w);
}

static void write_scores(const struct hs_utilscore *scores, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "holdout");
    hs_jsonw_array(w);
    for (int rule = 0; rule < HS_UTILRULE_COUNT; rule++)
        if (scores[rule].score.n > 0)
            write_score(&scores[rule], rule, w);
    hs_jsonw_end_array(w);
}

static void write_elsewhere(const struct hs_utilholdout *h, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "elsewhere");
    hs_jsonw_array(w);
    for (uint32_t e = 0; e < h->elsewhere_count; e++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "gpu", h->elsewhere[e].gpu);
        hs_jsonw_member_u64(w, "rows", h->elsewhere[e].rows);
        hs_jsonw_member_u64(w, "models", h->elsewhere[e].models);
        write_scores(h->elsewhere[e].rules, w);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void write_memory(const struct hs_utilmemory *m, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "memory");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "form", "4 (outputs batch + params + batch params) bytes");
    hs_jsonw_member_u64(w, "n", m->rows);
    hs_jsonw_member_u64(w, "too_low", m->short_rows);
    hs_score_write_number(w, "rmse_mib", m->rmse_mib);
    hs_score_write_number(w, "ln_mean", m->ln_mean);
    hs_score_write_number(w, "ln_sd", m->ln_sd);
    hs_jsonw_end_object(w);
}

enum hs_status hs_utilstudy_write(const struct hs_utilstudy *s, struct hs_jsonw *w,
                                  struct hs_diag *diag)
{
    hs_jsonw_object(w);
    hs_calibrate_write_head(w, "predictor", &s->options, s->set, s->counts);
    write_profiles(s, w);
    write_general(&s->general, w);
    HS_TRY(write_fit(s, w, diag));
    write_shift(&s->load, "shift", "ln load", w);
    write_shift(&s->logit, "logit_shift", "logit", w);
    write_predictions(s, w);
    write_scores(s->holdout.rules, w);
    hs_jsonw_member_u64(w, "divisors_kept", s->holdout.divisors_kept);
    hs_score_write_number(w, "published_rmsle", PUBLISHED_RMSLE);
    write_elsewhere(&s->holdout, w);
    hs_jsonw_key(w, "table");
    write_score(&s->holdout.rules[HS_UTILRULE_CONFIG_TABLE], HS_UTILRULE_CONFIG_TABLE, w);
    write_memory(&s->memory, w);
    hs_jsonw_end_object(w);
    return HS_OK;
}

enum hs_status hs_utilstudy_write_rows(const struct hs_utilstudy *s, const char *path,
                                       struct hs_diag *diag)
{
    struct hs_csvw w;
    HS_TRY(hs_csvw_open(
        &w, path, "profile,gpu,model,observed,unseen_config,unseen_model,unseen_model_host", diag));
    for (uint32_t i = 0; i < s->rows.count; i++) {
        const struct hs_utilrow *row = &s->rows.rows[i];
        hs_csvw_text(&w, row->profile->key);
        hs_csvw_text(&w, s->rows.gpu);
        hs_csvw_text(&w, row->profile->model);
        hs_csvw_double(&w, hs_score_round(row->util));
        hs_csvw_double(&w, hs_score_round(s->holdout.config[i]));
        hs_csvw_double(&w, hs_score_round(s->holdout.model[i]));
        hs_csvw_double(&w, hs_score_round(s->holdout.host[i]));
        hs_csvw_end(&w);
    }
    return hs_csvw_close(&w, diag);
}
