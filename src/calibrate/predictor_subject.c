/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate predictor`: solo utilization from the counts of a graph (model/utilmodel.h),
 * fitted to the rows of a catalogue that were measured on one GPU type; its hold-out errors; what
 * policies are told of measured rows without having seen them; the errors of the memory formula;
 * and, from pairs in the data, the slowdown of a pair as policies estimate it.
 */
#include <math.h>
#include <string.h>

#include "base/builtin.h"
#include "calibrate/measure_private.h"
#include "calibrate/predictor_study.h"

#define BYTES_PER_MIB 1048576.0

/* ---- data ---- */

/* A catalogue is told by a column that measurements of pairs do not have. */
static bool is_catalogue(const char *path)
{
    char head[HS_MEASURE_HEAD];
    hs_measure_head(path, head);
    head[strcspn(head, "\r\n")] = '\0';
    return strstr(head, "macs") != NULL || strstr(head, "family") != NULL;
}

static const char *without_prefix(const char *path)
{
    size_t len = strlen(HS_BUILTIN);
    return strncmp(path, HS_BUILTIN, len) == 0 ? path + len : path;
}

/* The catalogue as the last of the data: its file is told like the others. */
static enum hs_status read_catalogue(struct hs_utilstudy *s, const char *path, struct hs_diag *diag)
{
    if (path == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "give it as --data or --profiles",
                       "calibrate predictor: no catalogue of profiles");
    HS_TRY(hs_catalogue_load(&s->catalogue, path, diag));
    struct hs_measurements *last = &s->set[s->options.data_count++];
    last->format = "catalogue";
    if (hs_measure_file_add(last, without_prefix(path), s->catalogue.input_hash,
                            s->catalogue.input_bytes, s->catalogue.count) != HS_OK)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory to calibrate the predictor");
    return HS_OK;
}

static enum hs_status read_data(struct hs_utilstudy *s, const struct hs_calibrate_options *given,
                                struct hs_diag *diag)
{
    const char *catalogue = NULL;
    s->options = *given;
    s->options.data_count = 0;
    for (uint32_t i = 0; i < given->data_count; i++) {
        uint32_t at = s->options.data_count;
        if (is_catalogue(given->data[i])) {
            if (catalogue != NULL)
                return hs_fail(diag, HS_E_USAGE, NULL, "put their rows into one file",
                               "calibrate predictor: two catalogues, %s and %s", catalogue,
                               given->data[i]);
            catalogue = given->data[i];
            continue;
        }
        s->options.data_count++;
        HS_TRY(hs_measure_read(&s->set[at], given->data[i], diag));
        HS_TRY(hs_clean_within(&s->set[at], given->clean, given->overlap, &s->counts[at]));
    }
    return read_catalogue(s, catalogue != NULL ? catalogue : given->profiles, diag);
}

/* ---- memory ---- */

static double memory_formula_mib(const struct hs_utilrow *row)
{
    double outputs = row->profile->features[HS_FEATURE_OUTPUTS];
    double params = row->profile->features[HS_FEATURE_PARAMS], batch = row->work.batch;
    return 4 * (outputs * batch + params + batch * params) / BYTES_PER_MIB;
}

static void study_memory(struct hs_utilstudy *s)
{
    struct hs_utilmemory *m = &s->memory;
    double squares = 0, sum = 0, ln_squares = 0;
    for (uint32_t i = 0; i < s->rows.count; i++) {
        double measured = s->rows.rows[i].profile->mem_mib;
        double estimate = memory_formula_mib(&s->rows.rows[i]);
        if (!(measured > 0) || !(estimate > 0))
            continue;
        double ratio = log(estimate / measured);
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
}

/* ---- all of it ---- */

static enum hs_status fit_all(struct hs_utilstudy *s, struct hs_diag *diag)
{
    bool *is_used = hs_alloc_zeroed(s->rows.count, sizeof *is_used);
    if (is_used == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < s->rows.count; i++)
        is_used[i] = true;
    enum hs_status status = hs_utilfit(&s->rows, is_used, s->options.ridge, &s->fit, diag);
    if (status == HS_OK)
        status = hs_utilshift_fit(&s->rows, is_used, HS_UTILLINK_LOAD, &s->load, diag);
    if (status == HS_OK)
        status = hs_utilshift_fit(&s->rows, is_used, HS_UTILLINK_LOGIT, &s->logit, diag);
    hs_free(is_used);
    return status;
}

static enum hs_status study(struct hs_utilstudy *s, struct hs_diag *diag)
{
    uint32_t pairs = s->options.data_count - 1;
    HS_TRY(hs_utilrows_collect(&s->rows, &s->catalogue, NULL, diag));
    HS_TRY(fit_all(s, diag));
    HS_TRY(hs_utilholdout_run(&s->holdout, &s->rows, s->options.ridge, diag));
    HS_TRY(hs_utilholdout_elsewhere(&s->holdout, &s->catalogue, &s->rows, &s->fit, diag));
    study_memory(s);
    s->has_general = pairs > 0;
    return pairs > 0 ? hs_general_study(s->set, pairs, &s->general, diag) : HS_OK;
}

static enum hs_status run_study(struct hs_utilstudy *s, const struct hs_calibrate_options *given,
                                struct hs_output *out, struct hs_jsonw *model, struct hs_diag *diag)
{
    HS_TRY(read_data(s, given, diag));
    if (model != NULL && s->options.data_count == 1)
        return hs_fail(diag, HS_E_USAGE, NULL, "add measurements of pairs, too, as --data",
                       "calibrate predictor: the file also holds how policies estimate slowdown, "
                       "and there are no pairs to fit that to");
    enum hs_status status = study(s, diag);
    if (status == HS_E_MEMORY)
        return hs_fail(diag, status, NULL, NULL, "no memory to calibrate the predictor");
    HS_TRY(status);
    hs_utilstudy_say(s, out);
    if (model != NULL)
        HS_TRY(hs_utilstudy_write(s, model, diag));
    return given->rows != NULL ? hs_utilstudy_write_rows(s, given->rows, diag) : HS_OK;
}

static enum hs_status run(const struct hs_calibrate_options *options, struct hs_output *out,
                          struct hs_jsonw *model, struct hs_diag *diag)
{
    struct hs_utilstudy *s = hs_alloc_zeroed(1, sizeof *s);
    if (s == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory to calibrate the predictor");
    enum hs_status status = run_study(s, options, out, model, diag);
    for (uint32_t i = 0; i < s->options.data_count; i++)
        hs_measure_free(&s->set[i]);
    hs_utilholdout_free(&s->holdout);
    hs_utilrows_free(&s->rows);
    hs_catalogue_free(&s->catalogue);
    hs_free(s);
    return status;
}

const struct hs_calibration hs_calibration_predictor = {
    .name = "predictor",
    .summary = "solo utilization of configurations never measured, from their graphs",
    .data = "a catalogue like configs/profiles.csv; for a file also pairs: a folder of Lucid's, or "
            "your CSV",
    .run = run,
};
