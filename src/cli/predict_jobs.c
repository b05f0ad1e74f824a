/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "MODEL[:BATCH[:PRECISION[:DATASET]]]", or a key as it is printed,
 * "MODEL/DATASET/BATCH/PRECISION", to a row of the catalogue. A batch or precision that was not
 * measured becomes a row of its own; a model or dataset that is not known is an error.
 */
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "cli/predict_private.h"

#define NAME_MAX_LEN 64

enum { MODEL, BATCH, PRECISION, DATASET, PARTS };

static enum hs_status no_memory(struct hs_diag *diag)
{
    return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
}

/* As names are compared: 'ResNet-18' is 'resnet18'. */
static void plain_name(const char *name, char *plain)
{
    size_t len = 0;
    for (; *name != '\0' && len + 1 < NAME_MAX_LEN; name++)
        if (strchr("-_ \t", *name) == NULL)
            plain[len++] = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
    plain[len] = '\0';
}

static enum hs_status unknown_model(struct hs_prediction *p, const char *model,
                                    struct hs_diag *diag)
{
    const struct hs_catalogue *catalogue = &p->catalogue;
    char hint[3 * NAME_MAX_LEN], wanted[NAME_MAX_LEN];
    char(*plain)[NAME_MAX_LEN] = hs_arena_alloc(&p->arena, catalogue->count * sizeof *plain + 1);
    const char **names = hs_arena_alloc(&p->arena, catalogue->count * sizeof *names + 1);
    if (plain == NULL || names == NULL)
        return no_memory(diag);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        plain_name(catalogue->profiles[i].model, plain[i]);
        names[i] = plain[i];
    }
    plain_name(model, wanted);
    const char *nearest = hs_nearest(wanted, names, catalogue->count);
    (void)snprintf(hint, sizeof hint,
                   "'horus predict --list' tells what it has; --profiles gives another");
    for (uint32_t i = 0; nearest != NULL && i < catalogue->count; i++)
        if (names[i] == nearest)
            (void)snprintf(hint, sizeof hint,
                           "did you mean '%.64s'? 'horus predict --list' tells all",
                           catalogue->profiles[i].model);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "predict: the catalogue has no model '%s'", model);
}

/* No name of the catalogue has a '/', so that the separator tells the form. */
static enum hs_status split(struct hs_prediction *p, const char *asked, const char **parts,
                            struct hs_diag *diag)
{
    static const int by_colon[PARTS] = {MODEL, BATCH, PRECISION, DATASET};
    static const int by_slash[PARTS] = {MODEL, DATASET, BATCH, PRECISION};
    bool is_key = strchr(asked, '/') != NULL;
    const char *rest = asked, *ends = is_key ? "/" : ":";
    bool is_whole = false;
    for (uint32_t i = 0; i < PARTS; i++) {
        size_t len = strcspn(rest, ends);
        const char *part = hs_arena_text(&p->arena, rest, len);
        if (part == NULL)
            return no_memory(diag);
        parts[is_key ? by_slash[i] : by_colon[i]] = part;
        is_whole = rest[len] == '\0';
        rest += len + !is_whole;
    }
    if (!is_whole || parts[MODEL][0] == '\0')
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "for example ResNet18:64:amp or ResNet18/CIFAR-10/64/amp",
                       "predict: a job is MODEL[:BATCH[:PRECISION[:DATASET]]] or "
                       "MODEL/DATASET/BATCH/PRECISION, not '%s'",
                       asked);
    int64_t batch;
    const char *text = parts[BATCH];
    if (*text != '\0' &&
        (!hs_parse_int64(text, strlen(text), &batch) || batch < 1 || batch > INT32_MAX))
        return hs_fail(diag, HS_E_USAGE, NULL, "samples per step, for example ResNet18:64",
                       "predict: the batch of '%s' is not a positive number", asked);
    return HS_OK;
}

/* A row of another batch or precision stands near: what was asked for is added, as it. */
static enum hs_status add_unmeasured(const char *const *parts, struct hs_catalogue *catalogue,
                                     struct hs_predicted_job *job, struct hs_diag *diag)
{
    const struct hs_profile *row = &catalogue->profiles[job->row];
    const char *precision = parts[PRECISION];
    if (*parts[DATASET] != '\0' && !hs_model_same_name(parts[DATASET], row->dataset)) {
        char hint[2 * NAME_MAX_LEN];
        (void)snprintf(hint, sizeof hint, "it has it with '%.64s'", row->dataset);
        return hs_fail(diag, HS_E_USAGE, NULL, hint,
                       "predict: the catalogue has no model '%s' with the dataset '%s'", row->model,
                       parts[DATASET]);
    }
    if (*precision == '\0' || hs_model_same_name(precision, row->precision))
        precision = row->precision;
    else if (hs_model_same_name(precision, "amp"))
        precision = "amp";
    else if (hs_model_same_name(precision, "fp32"))
        precision = "fp32";
    else
        return hs_fail(diag, HS_E_USAGE, NULL, "what was not measured is told for fp32 and amp",
                       "predict: the catalogue has no model '%s' with the precision '%s'",
                       row->model, precision);
    return hs_catalogue_add(catalogue, job->row, *parts[BATCH] != '\0' ? parts[BATCH] : row->batch,
                            precision, &job->profile, diag);
}

/* One of the jobs asked about. */
struct wish {
    const char *parts[PARTS];
    enum hs_match match;
};

static enum hs_status match_job(struct hs_prediction *p, const char *asked, struct wish *wish,
                                struct hs_diag *diag)
{
    struct hs_predicted_job *job = &p->jobs[p->count];
    const char **parts = wish->parts;
    HS_TRY(split(p, asked, parts, diag));
    job->asked = asked;
    job->row = hs_catalogue_match(&p->catalogue, parts[MODEL], parts[DATASET], parts[BATCH],
                                  parts[PRECISION], &wish->match);
    if (wish->match == HS_MATCH_NONE)
        return unknown_model(p, parts[MODEL], diag);
    job->profile = job->row;
    p->count++;
    return HS_OK;
}

static enum hs_status match_jobs(struct hs_prediction *p, const struct hs_predict_options *options,
                                 struct wish *wishes, struct hs_diag *diag)
{
    HS_TRY(match_job(p, options->job, &wishes[0], diag));
    for (const char *rest = options->with; rest != NULL && *rest != '\0';) {
        size_t len = strcspn(rest, "\n");
        const char *asked = hs_arena_text(&p->arena, rest, len);
        if (asked == NULL)
            return no_memory(diag);
        if (p->count == HS_TENANTS_MAX)
            return hs_fail(diag, HS_E_USAGE, NULL, NULL, "predict: more than %u jobs on one GPU",
                           HS_TENANTS_MAX);
        HS_TRY(match_job(p, asked, &wishes[p->count], diag));
        rest += len + (rest[len] == '\n');
    }
    return HS_OK;
}

/* All are matched before one is added: what was not measured is near to nobody. */
enum hs_status hs_predict_find(struct hs_prediction *p, const struct hs_predict_options *options,
                               struct hs_diag *diag)
{
    struct wish wishes[HS_TENANTS_MAX];
    p->jobs = hs_arena_alloc(&p->arena, HS_TENANTS_MAX * sizeof *p->jobs);
    if (p->jobs == NULL)
        return no_memory(diag);
    HS_TRY(match_jobs(p, options, wishes, diag));
    for (uint32_t i = 0; i < p->count; i++)
        if (wishes[i].match == HS_MATCH_BATCH)
            HS_TRY(add_unmeasured(wishes[i].parts, &p->catalogue, &p->jobs[i], diag));
    for (uint32_t i = 0; i < p->count; i++) {
        struct hs_predicted_job *job = &p->jobs[i];
        job->key = p->catalogue.profiles[job->profile].key;
        job->taken = job->profile != job->row ? p->catalogue.profiles[job->row].key : NULL;
    }
    return HS_OK;
}
