/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of the catalogue that the utilization predictor can be fitted to, and why the others cannot.
 * Models are told apart with their dataset: the loader of the data is half of what makes a
 * utilization. O(rows of the catalogue x models).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/intern.h"
#include "base/timeparse.h"
#include "calibrate/predictor_fit.h"
#include "model/modelfile.h"

/* A larger batch cannot take so many times less: Lucid's PPO and TD3 report a rate of something
 * else than samples (their "step" of batch 128 is 2.3 times shorter than that of 32). Its other
 * models stay below 1.25 either way. */
#define STEP_SHRINKS_MAX 1.5

const char *const hs_utilrow_texts[HS_UTILROW_REASONS] = {
#define REASON_TEXT(name, text) [HS_UTILROW_##name] = text,
    HS_UTILROW_LIST(REASON_TEXT)
#undef REASON_TEXT
};

/* HS_UTILROW_REASONS = usable on its GPU type. */
static enum hs_utilrow_reason reason_of(const struct hs_profile *profile, struct hs_utilwork *work)
{
    double batch;
    if (profile->util_pm < 0)
        return HS_UTILROW_NOT_MEASURED;
    if (!hs_parse_double(profile->batch, strlen(profile->batch), &batch) || batch <= 0)
        return HS_UTILROW_NO_BATCH;
    return hs_utilwork_of(profile, work) ? HS_UTILROW_REASONS : HS_UTILROW_NO_FEATURES;
}

static bool is_first_of_gpu(const struct hs_catalogue *catalogue, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (hs_model_same_name(catalogue->profiles[j].gpu, catalogue->profiles[i].gpu))
            return false;
    return true;
}

static const char *most_measured(const struct hs_catalogue *catalogue)
{
    const char *best = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const char *gpu = catalogue->profiles[i].gpu;
        uint32_t usable = 0;
        struct hs_utilwork work;
        if (!is_first_of_gpu(catalogue, i))
            continue;
        for (uint32_t j = i; j < catalogue->count; j++)
            usable += hs_model_same_name(catalogue->profiles[j].gpu, gpu) &&
                      reason_of(&catalogue->profiles[j], &work) == HS_UTILROW_REASONS;
        if (usable > most) {
            most = usable;
            best = gpu;
        }
    }
    return best;
}

/* Id of model and dataset as they are, compared as names are. */
static uint32_t model_of(const struct hs_utilrows *data, const struct hs_profile *profile)
{
    for (uint32_t i = 0; i < data->count; i++)
        if (hs_model_same_name(data->rows[i].profile->model, profile->model) &&
            hs_model_same_name(data->rows[i].profile->dataset, profile->dataset))
            return data->rows[i].model;
    return data->models;
}

static enum hs_status add_row(struct hs_utilrows *data, const struct hs_profile *profile,
                              const struct hs_utilwork *work)
{
    HS_TRY(hs_grow((void **)&data->rows, &data->cap, (uint64_t)data->count + 1, sizeof *data->rows,
                   HS_PROFILES_MAX));
    uint32_t model = model_of(data, profile);
    data->models += model == data->models;
    data->rows[data->count++] = (struct hs_utilrow){.profile = profile,
                                                    .model = model,
                                                    .util = profile->util_pm / 1000.0,
                                                    .step_ms = profile->step_ms,
                                                    .work = *work};
    return HS_OK;
}

/* Of rows of one model; total, for keys of profiles are unique. */
static bool is_before(const struct hs_utilrow *a, const struct hs_utilrow *b)
{
    if (a->work.batch != b->work.batch)
        return a->work.batch < b->work.batch;
    if (a->work.is_amp != b->work.is_amp)
        return b->work.is_amp;
    return a < b;
}

/* Groups the rows by model, each group in order. */
static enum hs_status group(struct hs_utilrows *data)
{
    data->members = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *data->members);
    data->start = hs_alloc_zeroed((uint64_t)data->models + 2, sizeof *data->start);
    if (data->members == NULL || data->start == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < data->count; i++)
        data->start[data->rows[i].model + 2]++;
    for (uint32_t m = 0; m < data->models; m++)
        data->start[m + 2] += data->start[m + 1];
    for (uint32_t i = 0; i < data->count; i++) {
        uint32_t first = data->start[data->rows[i].model],
                 at = data->start[data->rows[i].model + 1]++;
        for (; at > first && is_before(&data->rows[i], &data->rows[data->members[at - 1]]); at--)
            data->members[at] = data->members[at - 1];
        data->members[at] = i;
    }
    return HS_OK;
}

static struct hs_utilrow *member(struct hs_utilrows *data, uint32_t at)
{
    return &data->rows[data->members[at]];
}

/* Does the step of a larger batch take so much less that it cannot be the time of a step? */
static bool is_implausible(struct hs_utilrows *data, uint32_t model)
{
    for (uint32_t i = data->start[model]; i < data->start[model + 1]; i++)
        for (uint32_t j = i + 1; j < data->start[model + 1]; j++) {
            const struct hs_utilrow *small = member(data, i), *large = member(data, j);
            if (small->work.is_amp == large->work.is_amp && small->work.batch < large->work.batch &&
                small->step_ms > STEP_SHRINKS_MAX * large->step_ms)
                return true;
        }
    return false;
}

static void settle_times(struct hs_utilrows *data, uint32_t model)
{
    uint32_t first = data->start[model], end = data->start[model + 1];
    bool is_wrong = is_implausible(data, model);
    for (uint32_t i = first; i < end; i++) {
        struct hs_utilrow *row = member(data, i);
        data->no_time += is_wrong && row->step_ms > 0;
        if (is_wrong || !(row->step_ms > 0))
            row->step_ms = NAN;
    }
    for (uint32_t i = first; i < end; i++) {
        struct hs_utilrow *row = member(data, i);
        double sample_ms = INFINITY;
        for (uint32_t j = first; j < end; j++)
            if (j != i) /* fmin passes over NaN */
                sample_ms = fmin(sample_ms, member(data, j)->step_ms / member(data, j)->work.batch);
        row->host_ms = row->profile->host_ms > 0 ? row->profile->host_ms
                       : isfinite(sample_ms)     ? sample_ms * row->work.batch
                                                 : NAN;
    }
}

static enum hs_status check(const struct hs_utilrows *data, struct hs_diag *diag)
{
    bool differs = false;
    if (data->count < HS_UTILROWS_MIN || data->models < HS_UTILMODELS_MIN)
        return hs_fail(diag, HS_E_INPUT, NULL,
                       "rows need util, batch, macs, outputs and layers, all on one GPU type",
                       "%" PRIu32 " usable rows of %" PRIu32 " models (%s): a fit needs at least "
                       "%u rows of %u models",
                       data->count, data->models, data->gpu != NULL ? data->gpu : "no GPU type",
                       HS_UTILROWS_MIN, HS_UTILMODELS_MIN);
    for (uint32_t i = 1; i < data->count; i++) {
        const struct hs_utilwork *a = &data->rows[0].work, *b = &data->rows[i].work;
        differs |= a->gmacs * b->layers != b->gmacs * a->layers ||
                   a->moutputs * b->layers != b->moutputs * a->layers;
    }
    if (!differs)
        return hs_fail(diag, HS_E_INPUT, NULL, NULL,
                       "macs and outputs a layer are the same in all %" PRIu32
                       " rows: nothing tells the models apart",
                       data->count);
    return HS_OK;
}

enum hs_status hs_utilrows_collect(struct hs_utilrows *data, const struct hs_catalogue *catalogue,
                                   const char *gpu, struct hs_diag *diag)
{
    *data = (struct hs_utilrows){.gpu = gpu != NULL ? gpu : most_measured(catalogue)};
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *profile = &catalogue->profiles[i];
        struct hs_utilwork work;
        enum hs_utilrow_reason reason = reason_of(profile, &work);
        if (reason != HS_UTILROW_NOT_MEASURED && data->gpu != NULL &&
            !hs_model_same_name(profile->gpu, data->gpu))
            reason = HS_UTILROW_OTHER_GPU;
        if (reason != HS_UTILROW_REASONS)
            data->dropped[reason]++;
        else if (add_row(data, profile, &work) != HS_OK)
            return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the rows of the fit");
    }
    HS_TRY(check(data, diag));
    if (group(data) != HS_OK)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the rows of the fit");
    for (uint32_t model = 0; model < data->models; model++)
        settle_times(data, model);
    return HS_OK;
}

void hs_utilrows_free(struct hs_utilrows *data)
{
    hs_free(data->rows);
    hs_free(data->members);
    hs_free(data->start);
    *data = (struct hs_utilrows){0};
}
