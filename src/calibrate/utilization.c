/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate utilization`: what two jobs use together of one GPU, from what each uses alone.
 * GPU utilization has a form without parameters that no fitted one beats on unseen models,
 * 1 - prod(1 - u); bandwidth is the work of all, each slowed by the others; memory is the sum plus
 * a reserve for what sums fall short of. All alternatives are scored beside them.
 */
#include <math.h>

#include "base/fmt.h"
#include "calibrate/calibration.h"
#include "calibrate/joint.h"

#define RIDGE    10.0  /* strength of the effects of jobs; 1 to 10 differ by .001 of R2 */
#define NEAR_MIB 256.0 /* bands of memory errors */
#define FAR_MIB  1024.0

static const struct {
    const char *name, *key, *alternatives;
} targets[HS_JOINT_TARGETS] = {
    [HS_JOINT_GPU] = {"joint GPU utilization", "joint", "joint_alternatives"},
    [HS_JOINT_BANDWIDTH] = {"joint memory-bandwidth utilization", "joint_bandwidth",
                            "joint_bandwidth_alternatives"},
};

/* Joint memory against the sum of what the jobs take alone; positive = the sum falls short. */
struct memory_errors {
    double *mib; /* ascending */
    uint32_t count;
    double mae, near_share, far_share, short_share;
};

struct fitted_form {
    struct hs_joint_model model;
    bool is_fitted;
    struct hs_score scores[HS_JOINT_PROTOCOLS];
};

struct utilization_study {
    struct hs_joint_data data;
    struct fitted_form forms[HS_JOINT_TARGETS][HS_JOINT_FORMS];
    struct hs_joint_model known; /* what could be gained where both jobs are known: for study, a
                                    run has the form without parameters */
    struct hs_score known_scores[HS_JOINT_PROTOCOLS];
    struct memory_errors memory;
    double *predicted[HS_JOINT_TARGETS]; /* by the chosen form, model unseen; if rows are wanted */
};

/* Bandwidth without enough pairs to fit the slowdown on falls back to the form without
 * parameters. */
static uint32_t chosen(const struct utilization_study *s, int target)
{
    return target == HS_JOINT_BANDWIDTH && s->forms[target][HS_JOINT_SLOWED].is_fitted
               ? HS_JOINT_SLOWED
               : HS_JOINT_INDEPENDENT;
}

/* ---- fits ---- */

static enum hs_status fit_form(const struct hs_joint_data *data, struct fitted_form *f,
                               struct hs_diag *diag)
{
    enum hs_status status = hs_joint_fit(data, &f->model, HS_JOINT_NOTHING_HELD, 0, diag);
    f->is_fitted = status == HS_OK;
    if (status != HS_OK && status != HS_E_INPUT)
        return status;
    struct hs_joint_model model = f->model;
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++)
        HS_TRY(
            hs_joint_holdout(data, &model, (enum hs_joint_protocol)p, NULL, &f->scores[p], diag));
    return HS_OK;
}

static void study_memory(const struct hs_joint_data *data, struct hs_arena *arena,
                         struct memory_errors *e)
{
    e->mib = hs_arena_alloc(arena, data->count * sizeof *e->mib);
    for (uint32_t i = 0; i < data->count; i++) {
        const struct hs_joint_row *row = &data->rows[i];
        double error = row->joint_mem_mib - row->mem_mib[0] - row->mem_mib[1];
        if (!isfinite(error))
            continue;
        e->mib[e->count++] = error;
        e->mae += fabs(error);
        e->near_share += fabs(error) < NEAR_MIB;
        e->far_share += fabs(error) < FAR_MIB;
        e->short_share += error > FAR_MIB;
    }
    hs_sort_numbers(e->mib, e->count);
    e->mae /= e->count;
    e->near_share /= e->count;
    e->far_share /= e->count;
    e->short_share /= e->count;
}

static enum hs_status fit(struct hs_calibrate_run *run, void *study)
{
    struct utilization_study *s = study;
    hs_calibrate_clean(run);
    hs_joint_collect(&s->data, run->set, run->sets);
    if (s->data.count == 0)
        return hs_fail(run->diag, HS_E_INPUT, NULL,
                       "pairs need util_joint, and util of both jobs alone",
                       "no pair with measured utilizations is left to fit on");
    for (int t = 0; t < HS_JOINT_TARGETS; t++) {
        for (uint32_t f = 0; f < HS_JOINT_FORMS; f++) {
            s->forms[t][f].model.form = &hs_joint_forms[f];
            s->forms[t][f].model.target = (enum hs_joint_target)t;
            HS_TRY(fit_form(&s->data, &s->forms[t][f], run->diag));
        }
        if (run->options.rows == NULL)
            continue;
        struct hs_joint_model model = s->forms[t][chosen(s, t)].model;
        struct hs_score unused;
        s->predicted[t] = hs_arena_alloc(&run->arena, s->data.count * sizeof(double));
        HS_TRY(hs_joint_holdout(&s->data, &model, HS_JOINT_UNSEEN_MODEL, s->predicted[t], &unused,
                                run->diag));
    }
    s->known.ridge = run->options.ridge > 0 ? run->options.ridge : RIDGE;
    s->known.effects = hs_arena_alloc(&run->arena, s->data.jobs.count * sizeof(double));
    for (int p = HS_JOINT_UNSEEN_MODELS; p < HS_JOINT_PROTOCOLS; p++)
        HS_TRY(hs_joint_holdout(&s->data, &s->known, (enum hs_joint_protocol)p, NULL,
                                &s->known_scores[p], run->diag));
    study_memory(&s->data, &run->arena, &s->memory);
    return HS_OK;
}

static void free_study(void *study)
{
    struct utilization_study *s = study;
    hs_joint_free(&s->data);
}

static double reserve(const struct memory_errors *e, uint32_t percent)
{
    return ceil(fmax(0, hs_percentile(e->mib, e->count, percent)));
}

/* ---- the table ---- */

static void say_target(const struct utilization_study *s, struct hs_output *out, int target)
{
    uint32_t measured = 0;
    for (uint32_t i = 0; i < s->data.count; i++)
        measured += isfinite(s->data.rows[i].joint[target]) ? 1 : 0;
    if (measured == 0) {
        hs_say(out, "\n%s: not in the data\n", targets[target].name);
        return;
    }
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++) {
        hs_say(out, "\n%s, %s", targets[target].name, hs_joint_protocol_texts[p]);
        hs_say_score_head(out, "form");
        for (uint32_t f = 0; f < HS_JOINT_FORMS; f++)
            hs_say_score(out, hs_joint_forms[f].text, &s->forms[target][f].scores[p]);
        if (target == HS_JOINT_GPU && p != HS_JOINT_UNSEEN_MODEL)
            hs_say_score(out, "1 - prod(1 - u) + effects of both jobs", &s->known_scores[p]);
    }
}

static void say_memory(const struct memory_errors *e, struct hs_output *out)
{
    if (e->count == 0) {
        hs_say(out, "\nmemory: not in the data\n");
        return;
    }
    hs_say(out, "\njoint memory less the sum of what the jobs take alone, %u pairs\n", e->count);
    const struct {
        const char *text;
        double value;
        unsigned decimals;
    } lines[] = {
        {"median, MiB", hs_percentile(e->mib, e->count, 50), 0},
        {"mean absolute error, MiB", e->mae, 0},
        {"within 256 MiB, %", 100 * e->near_share, 1},
        {"within 1024 MiB, %", 100 * e->far_share, 1},
        {"more than 1024 MiB above the sum, %", 100 * e->short_share, 1},
        {"largest above the sum, MiB", hs_percentile(e->mib, e->count, 100), 0},
        {"reserve for 95 % of the pairs, MiB", reserve(e, 95), 0},
        {"reserve for 99 % of the pairs, MiB", reserve(e, 99), 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        hs_say(out, "  %-42s", lines[i].text);
        hs_say_number(out, lines[i].value, lines[i].decimals, 7);
        hs_say(out, "\n");
    }
}

static void say(const struct hs_calibrate_run *run, const void *study)
{
    const struct utilization_study *s = study;
    hs_calibrate_say_counts(run, run->sets);
    for (int t = 0; t < HS_JOINT_TARGETS; t++)
        say_target(s, run->out, t);
    say_memory(&s->memory, run->out);
}

/* ---- the model file ---- */

static void write_form(struct hs_jsonw *w, const struct fitted_form *f)
{
    const struct hs_joint_form *form = f->model.form;
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "form", form->text);
    for (uint32_t k = 0; k < HS_JOINT_PARAMETERS_MAX && form->parameters[k] != NULL; k++)
        hs_score_write_number(w, form->parameters[k], f->model.theta[k]);
    hs_jsonw_member_array(w, "holdout");
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++)
        hs_score_write(w, hs_joint_protocol_texts[p], &f->scores[p]);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

static void write_memory(const struct memory_errors *e, struct hs_jsonw *w)
{
    if (e->count == 0)
        return;
    hs_jsonw_member_object(w, "memory");
    hs_jsonw_member_text(w, "form", "sum");
    hs_jsonw_member_u64(w, "n", e->count);
    HS_WRITE_NUMBERS(w, {"reserve_p95_mib", reserve(e, 95)}, {"reserve_p99_mib", reserve(e, 99)},
                     {"mae_mib", e->mae}, {"median_mib", hs_percentile(e->mib, e->count, 50)},
                     {"max_mib", hs_percentile(e->mib, e->count, 100)},
                     {"within_256_mib", e->near_share}, {"within_1024_mib", e->far_share},
                     {"short_by_1024_mib", e->short_share});
    hs_jsonw_end_object(w);
}

static void write(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w)
{
    const struct utilization_study *s = study;
    (void)run;
    for (int t = 0; t < HS_JOINT_TARGETS; t++) {
        hs_jsonw_key(w, targets[t].key);
        write_form(w, &s->forms[t][chosen(s, t)]);
    }
    write_memory(&s->memory, w);
    hs_jsonw_member_object(w, "known_jobs");
    hs_jsonw_member_text(w, "form", "J + 4 J (1 - J) sum(effect), J = 1 - prod(1 - u)");
    hs_score_write_number(w, "lambda", s->known.ridge);
    hs_jsonw_member_array(w, "holdout");
    for (int p = HS_JOINT_UNSEEN_MODELS; p < HS_JOINT_PROTOCOLS; p++)
        hs_score_write(w, hs_joint_protocol_texts[p], &s->known_scores[p]);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
    for (int t = 0; t < HS_JOINT_TARGETS; t++) {
        hs_jsonw_member_array(w, targets[t].alternatives);
        for (uint32_t f = 0; f < HS_JOINT_FORMS; f++)
            if (f != chosen(s, t) && s->forms[t][f].is_fitted)
                write_form(w, &s->forms[t][f]);
        hs_jsonw_end_array(w);
    }
}

/* ---- rows for plots ---- */

static void write_rows(const struct hs_calibrate_run *run, const void *study, struct hs_csvw *w)
{
    const struct utilization_study *s = study;
    (void)run;
    for (int t = 0; t < HS_JOINT_TARGETS; t++)
        for (uint32_t i = 0; i < s->data.count; i++) {
            const struct hs_joint_row *row = &s->data.rows[i];
            const double numbers[] = {row->alone[t][0], row->alone[t][1], row->joint[t],
                                      s->predicted[t][i]};
            if (!isfinite(s->predicted[t][i]))
                continue;
            hs_csvw_text(w, targets[t].key);
            hs_csvw_text(w, row->gpu);
            hs_csvw_text(w, hs_intern_text(&s->data.jobs, row->job[0]));
            hs_csvw_text(w, hs_intern_text(&s->data.jobs, row->job[1]));
            for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
                hs_csvw_double(w, hs_fmt_round6(numbers[k]));
            hs_csvw_end(w);
        }
}

const struct hs_calibration hs_calibration_utilization = {
    .name = "utilization",
    .summary = "what jobs use together of a GPU, and of its memory",
    .data = "pairs with joint utilization, and both jobs alone: a folder of Lucid's, or your CSV",
    .steps = HS_CLEAN_OVERLAP, /* the others are about speeds */
    .rows = "target,gpu,job_a,job_b,alone_a,alone_b,observed,predicted",
    .study_size = sizeof(struct utilization_study),
    .fit = fit,
    .free = free_study,
    .say = say,
    .write = write,
    .write_rows = write_rows,
};
