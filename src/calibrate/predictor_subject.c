/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate predictor`: solo utilization from the counts of a graph (model/predictor.h),
 * fitted to the rows of a catalogue that were measured on one GPU type; its hold-out errors; the
 * predictions of measured rows that policies get, by fits without these rows; the errors of the
 * memory formula; and, from pairs in the data, the slowdown of a pair as policies estimate it.
 */
#include "calibrate/predictor_fit.h"

#include <inttypes.h>
#include <math.h>

#include "calibrate/calibration.h"
#include "calibrate/pairs.h"

#define BYTES_PER_MIB   1048576.0
#define PUBLISHED_RMSLE 0.154 /* Yeung et al., HotCloud'20, abstract: scale and split not known */

static const struct {
    const char *protocol, *knows;
} rules[HS_UTILRULE_COUNT] = {
#define RULE(name, protocol, knows) [HS_UTILRULE_##name] = {protocol, knows},
    HS_UTILRULE_LIST(RULE)
#undef RULE
};

/* What the measured configurations of a model add. */
struct fitted_model {
    struct hs_utilmate mate;
    uint32_t configs;
};

/* Estimates of memory by 4 (A B + P + B P) bytes, A outputs of a sample, P parameters, B batch,
 * against what was measured. */
struct memory_estimates {
    uint32_t rows, short_rows;       /* estimated, estimated too low */
    double rmse_mib, ln_mean, ln_sd; /* ln of estimate / measured */
};

struct predictor_study {
    struct hs_utilrows rows;
    struct hs_utilfit fit;
    struct fitted_model *models; /* by model of the rows */
    struct hs_utilshift shifts[HS_UTILLINKS];
    struct hs_utilholdout holdout;
    struct memory_estimates memory;
    struct hs_general_fit general; /* policies' own copy of the pair form, if the data has pairs */
};

/* ---- data ---- */

/* The catalogue, which has columns that measurements of pairs do not have, is the last of the sets:
 * its file is listed like the others. */
static enum hs_status read(struct hs_calibrate_run *run)
{
    const struct hs_calibrate_options *o = &run->options;
    const char *path = NULL;
    char head[HS_MEASURE_HEAD];
    struct hs_diag quiet = {0};
    for (uint32_t i = 0; i < o->data_count; i++) {
        (void)hs_measure_head(o->data[i], head, &quiet); /* what is wrong is said below */
        head[strcspn(head, "\r\n")] = '\0';
        if (strstr(head, "macs") != NULL || strstr(head, "family") != NULL) {
            if (path != NULL)
                return hs_fail(run->diag, HS_E_USAGE, NULL, "put their rows into one file",
                               "calibrate predictor: two catalogues, %s and %s", path, o->data[i]);
            path = o->data[i];
            continue;
        }
        HS_TRY(hs_measure_read(&run->set[run->sets++], o->data[i], run->diag));
    }
    path = path != NULL ? path : o->profiles;
    if (path == NULL)
        return hs_fail(run->diag, HS_E_USAGE, NULL, "give it as --data or --profiles",
                       "calibrate predictor: no catalogue of profiles");
    HS_TRY(hs_catalogue_load(&run->catalogue, path, run->diag));
    struct hs_measurements *last = &run->set[run->sets++];
    last->format = "catalogue";
    if (strncmp(path, HS_BUILTIN, strlen(HS_BUILTIN)) == 0)
        path += strlen(HS_BUILTIN);
    hs_measure_file_add(last, path, run->catalogue.input_hash, run->catalogue.input_bytes,
                        run->catalogue.count);
    if (run->has_model && run->sets == 1)
        return hs_fail(run->diag, HS_E_USAGE, NULL, "add measurements of pairs, too, as --data",
                       "calibrate predictor: the file also holds how policies estimate slowdown, "
                       "and there are no pairs to fit that to");
    return HS_OK;
}

/* ---- fits ---- */

static enum hs_status fit(struct hs_calibrate_run *run, void *study)
{
    struct predictor_study *s = study;
    struct hs_utilrows *rows = &s->rows;
    struct memory_estimates *m = &s->memory;
    HS_TRY(hs_utilrows_collect(rows, &run->catalogue, NULL, &run->arena, run->diag));
    HS_TRY(hs_utilfit(rows, NULL, run->options.ridge, &s->fit, run->diag));
    s->models = hs_arena_alloc(&run->arena, rows->models * sizeof *s->models);
    for (uint32_t i = 0; i < rows->models; i++)
        HS_TRY(hs_utilfit_mate(rows, NULL, i, &s->fit, &s->models[i].mate, &s->models[i].configs,
                               run->diag));
    HS_TRY(hs_utilshifts_fit(rows, NULL, s->shifts, run->diag));
    HS_TRY(hs_utilholdout_run(&s->holdout, rows, run->options.ridge, run->diag));
    hs_utilholdout_elsewhere(&s->holdout, rows, &run->catalogue, &s->fit, s->shifts);
    double squares = 0, sum = 0, ln_squares = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct hs_profile *profile = rows->rows[i].profile;
        double outputs = profile->features[HS_FEATURE_OUTPUTS];
        double params = profile->features[HS_FEATURE_PARAMS], batch = rows->rows[i].work.batch;
        double estimate = 4 * (outputs * batch + params + batch * params) / BYTES_PER_MIB;
        double measured = profile->mem_mib, ratio = log(estimate / measured);
        if (!(measured > 0) || !(estimate > 0))
            continue;
        squares += (estimate - measured) * (estimate - measured);
        sum += ratio;
        ln_squares += ratio * ratio;
        m->short_rows += estimate < measured;
        m->rows++;
    }
    m->rmse_mib = m->rows > 0 ? sqrt(squares / m->rows) : NAN;
    m->ln_mean = m->rows > 0 ? sum / m->rows : NAN;
    m->ln_sd = m->rows > 1
                   ? sqrt(fmax(ln_squares - m->rows * m->ln_mean * m->ln_mean, 0) / (m->rows - 1))
                   : NAN;
    if (run->sets == 1)
        return HS_OK;
    /* The form that a run applies is fitted to pairs of one model: these rows differ. */
    const bool is_disjoint = (run->options.clean & HS_CLEAN(WINDOW)) != 0 &&
                             run->set[0].windows == HS_WINDOWS_PARTLY_ALONE;
    return hs_general_study(run->set, run->sets - 1,
                            is_disjoint ? HS_PAIRS_OF_TWO_MODELS : HS_PAIRS_ALL, &s->general,
                            &run->arena, run->diag);
}

/* ---- the table ---- */

static void say_rules(struct hs_output *out, const char *title, const char *gpu,
                      const struct hs_utilscore *scores, uint32_t least)
{
    hs_say(out, "\n%s, %-*s%6s%8s%8s%8s%8s%8s\n", title, 56 - (int)strlen(title), gpu, "n", "MAE",
           "RMSE", "R2", "RMSLE", "of %");
    for (int rule = 0; rule < HS_UTILRULE_COUNT; rule++) {
        const struct hs_utilscore *s = &scores[rule];
        if (s->score.n >= least)
            hs_say_row(out, "  %-56s%6u%8.3f%8.3f%8.3f%8.3f%8.3f\n", rules[rule].protocol,
                       s->score.n, s->score.mae, s->score.rmse, s->score.r2, s->rmsle,
                       s->rmsle_percent);
    }
}

static void say_holdout(const struct predictor_study *s, struct hs_output *out)
{
    const struct hs_utilholdout *h = &s->holdout;
    uint32_t without_loader = 0;
    for (uint32_t i = 0; i < s->rows.count; i++)
        without_loader += !(s->rows.rows[i].profile->host_ms > 0);
    say_rules(out, "solo GPU utilization", s->rows.gpu, h->rules, 0);
    hs_say(out, "  %-56s%38s%8s\n", "published (HotCloud'20; scale and split not known)", "0.154",
           "");
    hs_say(out,
           "R2 against the mean of the rows predicted. RMSLE: of log1p(fraction); of %%: of "
           "log1p(per cent).\n"
           "Divisor: layers were best for %" PRIu32 " of %" PRIu32 " models by the others alone.\n"
           "Host time known: the loader's time for a batch, which needs no GPU. In %" PRIu32
           " of %" PRIu32
           " rows the\ncatalogue has none, and the highest rate of the other rows of "
           "the model, on the GPU, stands in\nfor it. Step time known: its own.\n",
           h->divisors_kept, s->rows.models, without_loader, s->rows.count);
    for (uint32_t e = 0; e < h->elsewhere_count; e++)
        say_rules(out, "carried over, nothing fitted", h->elsewhere[e].gpu, h->elsewhere[e].rules,
                  1);
}

static void say_models(const struct predictor_study *s, struct hs_output *out)
{
    const struct hs_utilrows *rows = &s->rows;
    const struct hs_utilholdout *h = &s->holdout;
    hs_say(out, "\n  %-16s%-16s%6s%10s%10s%30s\n", "", "", "", "mean", "unseen",
           "mean absolute error");
    hs_say(out, "  %-16s%-16s%6s%10s%10s%10s%10s%10s\n", "model", "dataset", "n", "measured",
           "predicted", "config", "model", "and host");
    for (uint32_t m = 0; m < rows->models; m++) {
        uint32_t first = rows->start[m], n = rows->start[m + 1] - first;
        double observed = 0, predicted = 0, known = 0, errors[3] = {0};
        for (uint32_t i = first; i < first + n; i++) {
            double util = rows->rows[i].util;
            observed += util;
            predicted += h->model[i];
            if (!isnan(h->config[i])) {
                errors[0] += fabs(h->config[i] - util);
                known += 1;
            }
            errors[1] += fabs(h->model[i] - util);
            errors[2] += fabs(h->host[i] - util);
        }
        const struct hs_profile *profile = rows->rows[first].profile;
        hs_say_row(out, "  %-16s%-16s%6u%10.3f%10.3f%10.3f%10.3f%10.3f\n", profile->model,
                   profile->dataset, n, observed / n, predicted / n, errors[0] / known,
                   errors[1] / n, errors[2] / n);
    }
}

static void say(const struct hs_calibrate_run *run, const void *study)
{
    const struct predictor_study *s = study;
    const struct hs_utilrows *rows = &s->rows;
    const struct hs_utilform *form = &s->fit.form;
    const struct memory_estimates *m = &s->memory;
    const struct hs_general_fit *g = &s->general;
    const struct hs_utilshift *load = &s->shifts[HS_UTILLINK_LOAD];
    const struct hs_utilshift *logit = &s->shifts[HS_UTILLINK_LOGIT];
    struct hs_output *out = run->out;
    hs_calibrate_say_counts(run, run->sets - 1);
    hs_say(out, "catalogue: %" PRIu32 " rows; %" PRIu32 " used, %" PRIu32 " models on %s\n",
           run->catalogue.count, rows->count, rows->models, rows->gpu);
    for (int why = 0; why < HS_UTILROW_REASONS; why++)
        if (rows->dropped[why] > 0)
            hs_say(out, "  %" PRIu32 " left out: %s\n", rows->dropped[why], hs_utilrow_texts[why]);
    if (rows->no_time > 0)
        hs_say(out,
               "  %" PRIu32 " step times not used: they fall while the batch grows, so they are "
               "times of something else\n",
               rows->no_time);
    say_holdout(s, out);
    say_models(s, out);
    hs_say_row(out,
               "\nfit to all rows: u = 1 - exp(-load)\n   launch %.4f  per_gmac %.4f  "
               "per_moutput %.4f  amp %.4f  ridge %.4f",
               form->launch, form->per_gmac, form->per_moutput, form->amp, s->fit.ridge);
    hs_say_row(out,
               "\nGPU time of a step, ms\n   layer %.4f  gmac %.4f  moutput %.4f  amp %.4f  "
               "margin %.4f",
               form->busy_layer_ms, form->busy_gmac_ms, form->busy_moutput_ms, form->busy_amp,
               form->busy_margin);
    hs_say_row(out, "\nshift of ln load without features\n   per ln batch %.4f  amp %.4f",
               load->per_ln_batch, load->amp);
    hs_say_row(out, "\nshift of the logit\n   per ln batch %.4f  amp %.4f\n", logit->per_ln_batch,
               logit->amp);
    if (m->rows > 0)
        hs_say_row(out,
                   "\nmemory by 4 (outputs B + params + B params), %u rows, %u too low\n"
                   "   RMSE, MiB%8.0f  ln(estimate / measured): mean %.4f  sd %.4f\n",
                   m->rows, m->short_rows, m->rmse_mib, m->ln_mean, m->ln_sd);
    if (run->sets > 1)
        hs_say_row(out,
                   "\npolicies' slowdown of a pair: 1 + k u^alpha v^beta, %u rows\n   k %.4f  "
                   "alpha %.4f  beta %.4f  RMSE of the speed, unseen model %.4f\n",
                   g->rows, g->k, g->alpha, g->beta, g->scores[HS_UNSEEN_OWN_MODEL].speed.rmse);
}

/* ---- the model file ---- */

static void write_score(const struct hs_utilscore *score, int rule, struct hs_jsonw *w)
{
    hs_jsonw_put(w, "={");
    hs_score_write_members(w, rules[rule].protocol, &score->score);
    hs_jsonw_put(w, "rmsle=%.6g rmsle_percent=%.6g knows=%s }", score->rmsle, score->rmsle_percent,
                 rules[rule].knows);
}

static void write_scores(const struct hs_utilscore *scores, struct hs_jsonw *w)
{
    hs_jsonw_put(w, "holdout=[");
    for (int rule = 0; rule < HS_UTILRULE_COUNT; rule++)
        if (scores[rule].score.n > 0)
            write_score(&scores[rule], rule, w);
    hs_jsonw_put(w, "]");
}

static void write_fit(const struct predictor_study *s, struct hs_jsonw *w)
{
    const struct hs_general_fit *g = &s->general;
    const struct hs_utilform *form = &s->fit.form;
    hs_jsonw_put(w, "general={ gpu=%s form=%s k=%.6g alpha=%.6g beta=%.6g error=%.6g holdout=[",
                 g->gpu, "1 + k u^alpha v^beta", g->k, g->alpha, g->beta,
                 g->scores[HS_UNSEEN_OWN_MODEL].speed.rmse);
    hs_pairscore_write(w, "unseen model, own", &g->scores[HS_UNSEEN_OWN_MODEL]);
    hs_jsonw_put(w, "] } fit={ gpu=%s form=%s", s->rows.gpu,
                 "u = 1 - exp(-load), load = (launch + (per_gmac MACs/1e9 + per_moutput "
                 "outputs/1e6) batch / layers) exp(-amp)");
    hs_jsonw_put(w, "load={ launch=%.6g per_gmac=%.6g per_moutput=%.6g amp=%.6g }", form->launch,
                 form->per_gmac, form->per_moutput, form->amp);
    hs_jsonw_put(w, "busy={ layer_ms=%.6g gmac_ms=%.6g moutput_ms=%.6g amp=%.6g margin=%.6g }",
                 form->busy_layer_ms, form->busy_gmac_ms, form->busy_moutput_ms, form->busy_amp,
                 form->busy_margin);
    hs_jsonw_put(w, "ridge=%.6g models=[", s->fit.ridge);
    for (uint32_t m = 0; m < s->rows.models; m++) {
        const struct hs_utilmate *mate = &s->models[m].mate;
        const struct hs_profile *profile = s->rows.rows[s->rows.start[m]].profile;
        hs_jsonw_put(w,
                     "=!{ model=%s dataset=%s configs=%u more_work=%.6g host=%.6g slope=%.6g "
                     "amp=%.6g slope_amp=%.6g }",
                     profile->model, profile->dataset, s->models[m].configs, mate->more_work,
                     mate->host, mate->slope, mate->amp, mate->slope_amp);
    }
    hs_jsonw_put(w, "] }");
}

static void write(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w)
{
    static const char *const links[HS_UTILLINKS][2] = {{"shift", "ln load"},
                                                       {"logit_shift", "logit"}};
    const struct predictor_study *s = study;
    const struct hs_utilholdout *h = &s->holdout;
    const struct memory_estimates *m = &s->memory;
    hs_jsonw_put(w, "profiles={ read=%u kept=%u", run->catalogue.count, s->rows.count);
    hs_calibrate_write_dropped(w, hs_utilrow_texts, s->rows.dropped, HS_UTILROW_REASONS);
    hs_jsonw_put(w, "step_times_refused=%u }", s->rows.no_time);
    write_fit(s, w);
    for (int l = 0; l < HS_UTILLINKS; l++)
        hs_jsonw_put(w, "%s={ form=%s per_ln_batch=%.6g amp=%.6g }", links[l][0], links[l][1],
                     s->shifts[l].per_ln_batch, s->shifts[l].amp);
    hs_jsonw_put(w, "predictions=[");
    for (uint32_t place = 0; place < s->rows.count; place++) {
        uint32_t i = s->rows.by_place[place];
        hs_jsonw_put(w, "=!{ profile=%s config=%.6g model=%.6g }", s->rows.rows[i].profile->key,
                     h->config[i], h->model[i]);
    }
    hs_jsonw_put(w, "]");
    write_scores(h->rules, w);
    hs_jsonw_put(w, "divisors_kept=%u published_rmsle=%.6g elsewhere=[", h->divisors_kept,
                 PUBLISHED_RMSLE);
    for (uint32_t e = 0; e < h->elsewhere_count; e++) {
        const struct hs_utilelsewhere *there = &h->elsewhere[e];
        hs_jsonw_put(w, "=!{ gpu=%s rows=%u models=%u", there->gpu, there->rows, there->models);
        write_scores(there->rules, w);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "]");
    hs_jsonw_key(w, "table");
    write_score(&h->rules[HS_UTILRULE_CONFIG_TABLE], HS_UTILRULE_CONFIG_TABLE, w);
    hs_jsonw_put(w, "memory={ form=%s n=%u too_low=%u rmse_mib=%.6g ln_mean=%.6g ln_sd=%.6g }",
                 "4 (outputs batch + params + batch params) bytes", m->rows, m->short_rows,
                 m->rmse_mib, m->ln_mean, m->ln_sd);
}

/* ---- rows for plots ---- */

static void write_rows(const void *study, struct hs_csvw *w)
{
    const struct predictor_study *s = study;
    const struct hs_utilholdout *h = &s->holdout;
    for (uint32_t place = 0; place < s->rows.count; place++) {
        uint32_t i = s->rows.by_place[place];
        const struct hs_utilrow *row = &s->rows.rows[i];
        hs_csvw_row(w, "%s %s %s %.6g %.6g %.6g %.6g", row->profile->key, s->rows.gpu,
                    row->profile->model, row->util, h->config[i], h->model[i], h->host[i]);
    }
}

const struct hs_calibration hs_calibration_predictor = {
    .name = "predictor",
    .summary = "solo utilization of configurations never measured, from their graphs",
    .data = "a catalogue like configs/profiles.csv; for a file also pairs: a folder of Lucid's, or "
            "your CSV",
    .steps = HS_CLEAN_ALL,
    .rows = "profile,gpu,model,observed,unseen_config,unseen_model,unseen_model_host",
    .study_size = sizeof(struct predictor_study),
    .read = read,
    .fit = fit,
    .say = say,
    .write = write,
    .write_rows = write_rows,
};
