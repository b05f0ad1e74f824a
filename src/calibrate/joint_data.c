/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects the pairs that joint utilization is fitted on, one row a pair whatever the number of
 * its directions, and tells which are held out together.
 */
#include "calibrate/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAIR_FOLDS 20u /* calibration.md 4, known jobs */

const char *const hs_joint_protocol_texts[HS_JOINT_PROTOCOLS] = {
    [HS_JOINT_UNSEEN_MODEL] = "unseen model",
    [HS_JOINT_UNSEEN_MODELS] = "unseen pair of models",
    [HS_JOINT_UNSEEN_PAIR] = "unseen pair",
};

/* Both orders are one pair of models. */
static enum hs_status name_models(struct hs_joint_data *data, const struct hs_solo *a,
                                  const struct hs_solo *b, struct hs_joint_row *row)
{
    char text[1024];
    bool is_ordered = strcmp(a->model, b->model) <= 0;
    int len = snprintf(text, sizeof text, "%s/%s", is_ordered ? a->model : b->model,
                       is_ordered ? b->model : a->model);
    if (len < 0 || (size_t)len >= sizeof text)
        return HS_E_LIMIT;
    HS_TRY(hs_intern_get(&data->models, a->model, &row->model[0]));
    HS_TRY(hs_intern_get(&data->models, b->model, &row->model[1]));
    HS_TRY(hs_intern_get(&data->jobs, a->key, &row->job[0]));
    HS_TRY(hs_intern_get(&data->jobs, b->key, &row->job[1]));
    return hs_intern_get(&data->model_pairs, text, &row->models);
}

static enum hs_status add_row(struct hs_joint_data *data, const struct hs_measurements *m,
                              const struct hs_pair *pair)
{
    const struct hs_solo *a = &m->solos[pair->own], *b = &m->solos[pair->other];
    struct hs_joint_row row = {
        .alone = {{a->util, b->util}, {a->bw_util, b->bw_util}},
        .joint = {pair->joint_util, pair->joint_bw_util},
        .mem_mib = {a->mem_mib, b->mem_mib},
        .joint_mem_mib = pair->joint_mem_mib,
        .gpu = m->gpus[pair->gpu],
    };
    if (!isfinite(a->util) || !isfinite(b->util) || !isfinite(pair->joint_util))
        return HS_OK;
    HS_TRY(name_models(data, a, b, &row));
    HS_TRY(hs_grow((void **)&data->rows, &data->cap, (uint64_t)data->count + 1, sizeof *data->rows,
                   HS_MEASURE_MAX));
    data->rows[data->count++] = row;
    return HS_OK;
}

/* The directions of a pair follow each other. */
static enum hs_status collect_set(struct hs_joint_data *data, const struct hs_measurements *m)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *pair = &m->pairs[i];
        if (pair->dropped != 0 || pair->pair == last)
            continue;
        last = pair->pair;
        HS_TRY(add_row(data, m, pair));
    }
    return HS_OK;
}

enum hs_status hs_joint_collect(struct hs_joint_data *data, const struct hs_measurements *set,
                                uint32_t sets)
{
    *data = (struct hs_joint_data){0};
    enum hs_status status = hs_intern_init(&data->models);
    if (status == HS_OK)
        status = hs_intern_init(&data->model_pairs);
    if (status == HS_OK)
        status = hs_intern_init(&data->jobs);
    for (uint32_t i = 0; status == HS_OK && i < sets; i++)
        status = collect_set(data, &set[i]);
    if (status != HS_OK)
        hs_joint_free(data);
    return status;
}

void hs_joint_free(struct hs_joint_data *data)
{
    hs_intern_free(&data->models);
    hs_intern_free(&data->model_pairs);
    hs_intern_free(&data->jobs);
    hs_free(data->rows);
    *data = (struct hs_joint_data){0};
}

/* Ids of names begin at 1: the fold of id 0 holds nothing out. */
uint32_t hs_joint_folds(const struct hs_joint_data *data, enum hs_joint_protocol protocol)
{
    const uint32_t folds[HS_JOINT_PROTOCOLS] = {
        [HS_JOINT_UNSEEN_MODEL] = data->models.count,
        [HS_JOINT_UNSEEN_MODELS] = data->model_pairs.count,
        [HS_JOINT_UNSEEN_PAIR] = PAIR_FOLDS,
    };
    return folds[protocol];
}

bool hs_joint_is_held(const struct hs_joint_data *data, enum hs_joint_protocol protocol,
                      uint32_t fold, uint32_t row)
{
    const struct hs_joint_row *r = &data->rows[row];
    if (protocol == HS_JOINT_UNSEEN_MODEL)
        return r->model[0] == fold || r->model[1] == fold;
    if (protocol == HS_JOINT_UNSEEN_MODELS)
        return r->models == fold;
    return row % PAIR_FOLDS == fold;
}
