/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate utilization`: what two jobs use together of one GPU, from what each uses alone
 * (calibration.md 5.1). GPU utilization has a form without parameters that no fitted one beats on
 * unseen models, 1 - prod(1 - u); bandwidth is the work of all, each slowed by the others; memory
 * is the sum plus a reserve for what sums fall short of. All alternatives are scored beside them.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate/calibration.h"
#include "calibrate/figures.h"
#include "calibrate/joint.h"
#include "data/csvwrite.h"

#define RIDGE 10.0 /* strength of the effects of jobs; 1 to 10 differ by .001 of R2 */

#define NEAR_MIB 256.0 /* bands of memory errors, calibration.md 5.1 */
#define FAR_MIB  1024.0

static const struct {
    const char *name, *key;
} targets[HS_JOINT_TARGETS] = {
    [HS_JOINT_GPU] = {"joint GPU utilization", "joint"},
    [HS_JOINT_BANDWIDTH] = {"joint memory-bandwidth utilization", "joint_bandwidth"},
};

/* Joint memory against the sum of what the jobs take alone; positive = the sum falls short. */
struct memory_errors {
    double *mib; /* ascending */
    uint32_t count;
    double mae, median, near_share, far_share, short_share;
};

struct study {
    const struct hs_calibrate_options *options;
    struct hs_joint_data data;
    struct hs_score scores[HS_JOINT_TARGETS][HS_JOINT_FORMS][HS_JOINT_PROTOCOLS];
    double theta[HS_JOINT_TARGETS][HS_JOINT_FORMS][HS_JOINT_PARAMETERS_MAX];
    bool is_fitted[HS_JOINT_TARGETS][HS_JOINT_FORMS];
    double ridge;
    struct hs_score effect_scores[HS_JOINT_PROTOCOLS];
    struct memory_errors memory;
};

/* ---- fits ---- */

static enum hs_status study_form(struct study *s, enum hs_joint_target target, uint32_t form)
{
    const struct hs_joint_form *f = &hs_joint_forms[form];
    bool *is_used = hs_alloc_zeroed((uint64_t)s->data.count + 1, sizeof *is_used);
    if (is_used == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < s->data.count; i++)
        is_used[i] = isfinite(s->data.rows[i].joint[target]) &&
                     isfinite(f->value(f->start, &s->data.rows[i], target));
    enum hs_status status = hs_joint_fit(&s->data, is_used, f, target, s->theta[target][form]);
    hs_free(is_used);
    s->is_fitted[target][form] = status == HS_OK;
    if (status != HS_OK && status != HS_E_INPUT)
        return status;
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++)
        HS_TRY(hs_joint_holdout(&s->data, f, target, (enum hs_joint_protocol)p, NULL,
                                &s->scores[target][form][p]));
    return HS_OK;
}

/* What could be gained where both jobs are known; for study: a run has the form without parameters.
 */
static enum hs_status study_effects(struct study *s, struct hs_diag *diag)
{
    s->ridge = s->options->ridge > 0 ? s->options->ridge : RIDGE;
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++)
        HS_TRY(hs_joint_holdout_effects(&s->data, s->ridge, (enum hs_joint_protocol)p,
                                        &s->effect_scores[p], diag));
    return HS_OK;
}

/* ---- memory ---- */

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smallest error with that share of all at or below it. */
static double percentile(const struct memory_errors *e, uint32_t percent)
{
    return e->count > 0 ? e->mib[((uint64_t)e->count * percent + 99) / 100 - 1] : NAN;
}

static enum hs_status study_memory(struct study *s)
{
    struct memory_errors *e = &s->memory;
    e->mib = hs_alloc_zeroed((uint64_t)s->data.count + 1, sizeof *e->mib);
    if (e->mib == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < s->data.count; i++) {
        const struct hs_joint_row *row = &s->data.rows[i];
        double error = row->joint_mem_mib - row->mem_mib[0] - row->mem_mib[1];
        if (!isfinite(error))
            continue;
        e->mib[e->count++] = error;
        e->mae += fabs(error);
        e->near_share += fabs(error) < NEAR_MIB;
        e->far_share += fabs(error) < FAR_MIB;
        e->short_share += error > FAR_MIB;
    }
    qsort(e->mib, e->count, sizeof *e->mib, by_number);
    e->mae /= e->count;
    e->near_share /= e->count;
    e->far_share /= e->count;
    e->short_share /= e->count;
    e->median = percentile(e, 50);
    return HS_OK;
}

static double reserve(const struct memory_errors *e, uint32_t percent)
{
    return ceil(fmax(0, percentile(e, percent)));
}

/* ---- for people ---- */

static bool is_measured(const struct study *s, enum hs_joint_target target)
{
    for (uint32_t i = 0; i < s->data.count; i++)
        if (isfinite(s->data.rows[i].joint[target]))
            return true;
    return false;
}

static void say_target(const struct study *s, struct hs_output *out, enum hs_joint_target target)
{
    if (!is_measured(s, target)) {
        hs_say(out, "\n%s: not in the data\n", targets[target].name);
        return;
    }
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++) {
        hs_say(out, "\n%s, %s", targets[target].name, hs_joint_protocol_texts[p]);
        hs_say_score_head(out, "form");
        for (uint32_t f = 0; f < HS_JOINT_FORMS; f++)
            hs_say_score(out, hs_joint_forms[f].text, &s->scores[target][f][p]);
        if (target == HS_JOINT_GPU && p != HS_JOINT_UNSEEN_MODEL)
            hs_say_score(out, "1 - prod(1 - u) + effects of both jobs", &s->effect_scores[p]);
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
        {"median, MiB", e->median, 0},
        {"mean absolute error, MiB", e->mae, 0},
        {"within 256 MiB, %", 100 * e->near_share, 1},
        {"within 1024 MiB, %", 100 * e->far_share, 1},
        {"more than 1024 MiB above the sum, %", 100 * e->short_share, 1},
        {"largest above the sum, MiB", percentile(e, 100), 0},
        {"reserve for 95 % of the pairs, MiB", reserve(e, 95), 0},
        {"reserve for 99 % of the pairs, MiB", reserve(e, 99), 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        hs_say(out, "  %-42s", lines[i].text);
        hs_say_number(out, lines[i].value, lines[i].decimals, 7);
        hs_say(out, "\n");
    }
}

/* ---- the model file ---- */

static void write_form(const struct study *s, struct hs_jsonw *w, enum hs_joint_target target,
                       uint32_t form)
{
    static const char *const names[HS_JOINT_FORMS][HS_JOINT_PARAMETERS_MAX] = {
        [HS_JOINT_SLOWED] = {"c", "b"},
        [HS_JOINT_STRETCHED] = {"a", "b"},
        [HS_JOINT_SCALED] = {"a"},
        [HS_JOINT_NORM] = {"p"},
    };
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "form", hs_joint_forms[form].text);
    for (uint32_t k = 0; k < hs_joint_forms[form].parameters; k++)
        hs_score_write_number(w, names[form][k], s->theta[target][form][k]);
    hs_jsonw_key(w, "holdout");
    hs_jsonw_array(w);
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++)
        hs_score_write(w, hs_joint_protocol_texts[p], &s->scores[target][form][p]);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

static void write_memory(const struct memory_errors *e, struct hs_jsonw *w)
{
    if (e->count == 0)
        return;
    hs_jsonw_key(w, "memory");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "form", "sum");
    hs_jsonw_member_u64(w, "n", e->count);
    hs_score_write_number(w, "reserve_p95_mib", reserve(e, 95));
    hs_score_write_number(w, "reserve_p99_mib", reserve(e, 99));
    hs_score_write_number(w, "mae_mib", e->mae);
    hs_score_write_number(w, "median_mib", e->median);
    hs_score_write_number(w, "max_mib", percentile(e, 100));
    hs_score_write_number(w, "within_256_mib", e->near_share);
    hs_score_write_number(w, "within_1024_mib", e->far_share);
    hs_score_write_number(w, "short_by_1024_mib", e->short_share);
    hs_jsonw_end_object(w);
}

static void write_effects(const struct study *s, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "known_jobs");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "form", "J + 4 J (1 - J) sum(effect), J = 1 - prod(1 - u)");
    hs_score_write_number(w, "lambda", s->ridge);
    hs_jsonw_key(w, "holdout");
    hs_jsonw_array(w);
    hs_score_write(w, hs_joint_protocol_texts[HS_JOINT_UNSEEN_MODELS],
                   &s->effect_scores[HS_JOINT_UNSEEN_MODELS]);
    hs_score_write(w, hs_joint_protocol_texts[HS_JOINT_UNSEEN_PAIR],
                   &s->effect_scores[HS_JOINT_UNSEEN_PAIR]);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

/* Bandwidth without enough pairs to fit the slowdown on falls back to the form without
 * parameters. */
static uint32_t chosen(const struct study *s, enum hs_joint_target target)
{
    return target == HS_JOINT_BANDWIDTH && s->is_fitted[target][HS_JOINT_SLOWED]
               ? HS_JOINT_SLOWED
               : HS_JOINT_INDEPENDENT;
}

static void write_model(const struct study *s, const struct hs_measurements *set,
                        const struct hs_clean_counts *counts, struct hs_jsonw *w)
{
    hs_jsonw_object(w);
    hs_calibrate_write_head(w, "utilization", s->options, set, counts);
    for (int t = 0; t < HS_JOINT_TARGETS; t++) {
        hs_jsonw_key(w, targets[t].key);
        write_form(s, w, (enum hs_joint_target)t, chosen(s, (enum hs_joint_target)t));
    }
    write_memory(&s->memory, w);
    write_effects(s, w);
    for (int t = 0; t < HS_JOINT_TARGETS; t++) {
        hs_jsonw_key(w, t == HS_JOINT_GPU ? "joint_alternatives" : "joint_bandwidth_alternatives");
        hs_jsonw_array(w);
        for (uint32_t f = 0; f < HS_JOINT_FORMS; f++)
            if (f != chosen(s, (enum hs_joint_target)t) && s->is_fitted[t][f])
                write_form(s, w, (enum hs_joint_target)t, f);
        hs_jsonw_end_array(w);
    }
    hs_jsonw_end_object(w);
}

/* ---- rows for plots ---- */

static void write_row(struct hs_csvw *w, const struct study *s, const struct hs_joint_row *row,
                      int target, double predicted)
{
    hs_csvw_text(w, targets[target].key);
    hs_csvw_text(w, row->gpu);
    hs_csvw_text(w, hs_intern_text(&s->data.jobs, row->job[0]));
    hs_csvw_text(w, hs_intern_text(&s->data.jobs, row->job[1]));
    hs_csvw_double(w, hs_score_round(row->alone[target][0]));
    hs_csvw_double(w, hs_score_round(row->alone[target][1]));
    hs_csvw_double(w, hs_score_round(row->joint[target]));
    hs_csvw_double(w, hs_score_round(predicted));
    hs_csvw_end(w);
}

static enum hs_status write_rows(const struct study *s, const char *path, struct hs_diag *diag)
{
    struct hs_csvw w;
    double *predicted = hs_alloc_zeroed((uint64_t)s->data.count + 1, sizeof *predicted);
    if (predicted == NULL)
        return HS_E_MEMORY;
    enum hs_status status =
        hs_csvw_open(&w, path, "target,gpu,job_a,job_b,alone_a,alone_b,observed,predicted", diag);
    if (status != HS_OK) {
        hs_free(predicted);
        return status;
    }
    for (int t = 0; status == HS_OK && t < HS_JOINT_TARGETS; t++) {
        struct hs_score score;
        status =
            hs_joint_holdout(&s->data, &hs_joint_forms[chosen(s, (enum hs_joint_target)t)],
                             (enum hs_joint_target)t, HS_JOINT_UNSEEN_MODEL, predicted, &score);
        for (uint32_t i = 0; status == HS_OK && i < s->data.count; i++)
            if (isfinite(predicted[i]))
                write_row(&w, s, &s->data.rows[i], t, predicted[i]);
    }
    hs_free(predicted);
    enum hs_status closed = hs_csvw_close(&w, diag);
    return status != HS_OK ? status : closed;
}

/* ---- all of it ---- */

static enum hs_status study_all(struct study *s, const struct hs_measurements *set,
                                struct hs_diag *diag)
{
    HS_TRY(hs_joint_collect(&s->data, set, s->options->data_count));
    if (s->data.count == 0)
        return hs_fail(diag, HS_E_INPUT, NULL, "pairs need util_joint, and util of both jobs alone",
                       "no pair with measured utilizations is left to fit on");
    for (int t = 0; t < HS_JOINT_TARGETS; t++)
        for (uint32_t f = 0; f < HS_JOINT_FORMS; f++)
            HS_TRY(study_form(s, (enum hs_joint_target)t, f));
    HS_TRY(study_effects(s, diag));
    return study_memory(s);
}

static enum hs_status study_sets(const struct hs_calibrate_options *options,
                                 struct hs_measurements *set, struct hs_output *out,
                                 struct hs_jsonw *model, struct study *s, struct hs_diag *diag)
{
    struct hs_clean_counts counts[HS_CALIBRATE_DATA_MAX];
    s->options = options;
    for (uint32_t i = 0; i < options->data_count; i++)
        HS_TRY(hs_clean_within(&set[i], options->clean, options->overlap, &counts[i]));
    HS_TRY(study_all(s, set, diag));
    hs_calibrate_say_counts(out, set, counts, options->data_count);
    for (int t = 0; t < HS_JOINT_TARGETS; t++)
        say_target(s, out, (enum hs_joint_target)t);
    say_memory(&s->memory, out);
    if (model != NULL)
        write_model(s, set, counts, model);
    return options->rows != NULL ? write_rows(s, options->rows, diag) : HS_OK;
}

static enum hs_status run(const struct hs_calibrate_options *given, struct hs_output *out,
                          struct hs_jsonw *model, struct hs_diag *diag)
{
    struct hs_measurements set[HS_CALIBRATE_DATA_MAX];
    struct hs_calibrate_options options = *given;
    uint64_t errors = diag->errors;
    struct study *s = hs_alloc_zeroed(1, sizeof *s);
    if (s == NULL)
        return hs_calibrate_told(HS_E_MEMORY, "utilization", errors, diag);
    options.clean &= HS_CLEAN_OVERLAP; /* the other steps are about speeds */
    enum hs_status status = hs_calibrate_read(&options, set, diag);
    if (status == HS_OK) {
        status = study_sets(&options, set, out, model, s, diag);
        for (uint32_t i = 0; i < options.data_count; i++)
            hs_measure_free(&set[i]);
    }
    hs_joint_free(&s->data);
    hs_free(s->memory.mib);
    hs_free(s);
    return hs_calibrate_told(status, "utilization", errors, diag);
}

const struct hs_calibration hs_calibration_utilization = {
    .name = "utilization",
    .summary = "what jobs use together of a GPU, and of its memory",
    .data = "pairs with joint utilization, and both jobs alone: a folder of Lucid's, or your CSV",
    .run = run,
};
