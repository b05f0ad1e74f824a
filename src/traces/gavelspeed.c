/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One pass over the jobs of the V100 in a file of throughputs; a look-up is one of a hash table.
 */
#include "traces/gavelspeed.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "base/memory.h"
#include "data/json.h"

#define GPU_TYPE "v100"
#define ALONE    "null"
#define KEY_SIZE (HS_GAVEL_NAME_MAX + 64)

/* Names have no '/'. */
static void make_key(const struct hs_gavel_job *job, uint32_t gpus, char key[KEY_SIZE])
{
    (void)snprintf(key, KEY_SIZE, "%s/%s/%" PRIu32, job->family, job->batch, gpus);
}

static enum hs_status add(struct hs_gavel_speeds *speeds, const struct hs_gavel_job *job,
                          double per_second, struct hs_diag *diag)
{
    char key[KEY_SIZE];
    uint32_t id;
    make_key(job, job->gpus, key);
    enum hs_status status = hs_intern_get(&speeds->jobs, key, &id);
    if (status == HS_OK)
        status = hs_grow((void **)&speeds->per_second, &speeds->cap, (uint64_t)id + 1,
                         sizeof *speeds->per_second, HS_INTERN_MAX);
    if (status != HS_OK)
        return hs_fail(diag, status, NULL, NULL, "no memory for throughputs");
    speeds->per_second[id] = per_second;
    return HS_OK;
}

static enum hs_status read_job(struct hs_gavel_speeds *speeds, const struct hs_json_doc *doc,
                               const struct hs_json *member, struct hs_diag *diag)
{
    struct hs_gavel_job job;
    const struct hs_json *alone = hs_json_get(member, ALONE);
    struct hs_place place = hs_json_place_key(doc, member);
    if (!hs_gavel_job_parse(hs_json_key(member), &job))
        return hs_fail(diag, HS_E_INPUT, &place,
                       "\"('ResNet-18 (batch size 16)', 1)\" or \"ResNet-18 (batch size 16)\"",
                       "not the name of a job: '%.80s'", hs_json_key(member));
    if (hs_json_kind(alone) != HS_JSON_NUMBER || hs_json_number(alone) < 0)
        return hs_fail(diag, HS_E_INPUT, &place, "{\"" ALONE "\": 28.3, ...}",
                       "job '%.80s' has no \"" ALONE "\", its steps a second alone",
                       hs_json_key(member));
    return add(speeds, &job, hs_json_number(alone), diag);
}

static enum hs_status read_document(struct hs_gavel_speeds *speeds, const struct hs_json_doc *doc,
                                    struct hs_diag *diag)
{
    const struct hs_json *root = hs_json_root(doc), *jobs = NULL;
    struct hs_place place = hs_json_place(doc, root);
    if (hs_json_kind(root) == HS_JSON_OBJECT)
        for (const struct hs_json *m = hs_json_first(root); m != NULL; m = hs_json_next(m))
            if (strcasecmp(hs_json_key(m), GPU_TYPE) == 0)
                jobs = m;
    if (hs_json_kind(jobs) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place, "{\"v100\": {job: {\"null\": steps a second}}}",
                       "no throughputs of a V100");
    for (const struct hs_json *m = hs_json_first(jobs); m != NULL; m = hs_json_next(m))
        HS_TRY(read_job(speeds, doc, m, diag));
    return HS_OK;
}

enum hs_status hs_gavel_speeds_load(struct hs_gavel_speeds *speeds, const char *path,
                                    struct hs_diag *diag)
{
    struct hs_json_doc *doc;
    *speeds = (struct hs_gavel_speeds){0};
    if (hs_intern_init(&speeds->jobs) != HS_OK)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for throughputs");
    HS_TRY(hs_json_load(&doc, path, diag));
    enum hs_status status = read_document(speeds, doc, diag);
    hs_json_close(doc);
    return status;
}

double hs_gavel_speeds_find(const struct hs_gavel_speeds *speeds, const struct hs_gavel_job *job,
                            uint32_t gpus)
{
    char key[KEY_SIZE];
    make_key(job, gpus, key);
    uint32_t id = hs_intern_find(&speeds->jobs, key);
    if (id == UINT32_MAX) {
        make_key(job, 0, key);
        id = hs_intern_find(&speeds->jobs, key);
    }
    return id != UINT32_MAX ? speeds->per_second[id] : 0;
}

void hs_gavel_speeds_free(struct hs_gavel_speeds *speeds)
{
    hs_intern_free(&speeds->jobs);
    hs_free(speeds->per_second);
    speeds->per_second = NULL;
}
