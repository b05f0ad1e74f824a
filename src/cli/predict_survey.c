/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which GPU types there are measurements of: those of the catalogue and of every model file that is
 * loaded, and those that the general forms and the regression were fitted on. Whoever loads a file
 * checks it; here what is not well-formed is passed over.
 */
#include <string.h>

#include "cli/predict_private.h"
#include "data/json.h"

#define TYPES_MAX 256u

static bool is_among(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (hs_model_same_name(names[i], name))
            return true;
    return false;
}

static void add_measured(struct hs_prediction *p, const char *name)
{
    if (name == NULL || name[0] == '\0' || p->measured_count == TYPES_MAX ||
        is_among(p->measured, p->measured_count, name))
        return;
    p->measured[p->measured_count++] = hs_predict_text(p, "", name);
}

/* "gpu" of a part of a model file, kept; NULL = it does not tell. */
static const char *gpu_of(struct hs_prediction *p, const struct hs_json *part)
{
    const char *gpu = hs_json_text(hs_json_get(part, "gpu"));
    if (gpu == NULL)
        return NULL;
    add_measured(p, gpu);
    return hs_predict_text(p, "", gpu);
}

static void survey_interference(struct hs_predict_models *m, struct hs_prediction *p,
                                const struct hs_json *root)
{
    m->general_gpu = gpu_of(p, hs_json_get(root, "general"));
    const struct hs_json *table = hs_json_first(hs_json_get(root, "tables"));
    for (; table != NULL; table = hs_json_next(table))
        (void)gpu_of(p, table);
}

static void survey_speed(struct hs_predict_models *m, struct hs_prediction *p,
                         const struct hs_json *root)
{
    (void)m;
    const struct hs_json *type = hs_json_first(hs_json_get(root, "types"));
    for (; type != NULL; type = hs_json_next(type)) {
        if (hs_json_text(type) == NULL || p->speed_type_count == TYPES_MAX)
            continue;
        add_measured(p, hs_json_text(type));
        p->speed_types[p->speed_type_count++] = hs_predict_text(p, "", hs_json_text(type));
    }
}

static void survey_predictor(struct hs_predict_models *m, struct hs_prediction *p,
                             const struct hs_json *root)
{
    m->told_gpu = gpu_of(p, hs_json_get(root, "general"));
    m->regress_gpu = gpu_of(p, hs_json_get(root, "fit"));
}

static enum hs_status survey_file(struct hs_predict_models *m, struct hs_prediction *p,
                                  enum hs_model_kind kind, struct hs_diag *diag)
{
    static void (*const surveys[HS_MODEL_COUNT])(struct hs_predict_models *, struct hs_prediction *,
                                                 const struct hs_json *) = {
        [HS_MODEL_INTERFERENCE] = survey_interference,
        [HS_MODEL_SPEED] = survey_speed,
        [HS_MODEL_PREDICTOR] = survey_predictor,
    };
    struct hs_jsoncheck check;
    enum hs_status status = hs_modelfile_open(&check, m->files.path[kind], kind, diag);
    if (status == HS_OK)
        surveys[kind](m, p, hs_json_root(check.doc));
    hs_json_close(check.doc);
    return status;
}

enum hs_status hs_predict_survey(struct hs_predict_models *m, struct hs_prediction *p,
                                 const struct hs_predict_options *options, struct hs_diag *diag)
{
    struct hs_interference_options how;
    HS_TRY(hs_interference_parse(options->interference, &how, diag));
    p->measured = hs_arena_alloc(&p->arena, TYPES_MAX * sizeof *p->measured);
    p->speed_types = hs_arena_alloc(&p->arena, TYPES_MAX * sizeof *p->speed_types);
    if (p->measured == NULL || p->speed_types == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (uint32_t i = 0; i < p->catalogue.count; i++)
        add_measured(p, p->catalogue.profiles[i].gpu);
    if (how.mode == HS_INTERFERENCE_MEASURED || how.mode == HS_INTERFERENCE_FIT)
        HS_TRY(survey_file(m, p, HS_MODEL_INTERFERENCE, diag));
    HS_TRY(survey_file(m, p, HS_MODEL_SPEED, diag));
    return survey_file(m, p, HS_MODEL_PREDICTOR, diag);
}
