/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which workloads there are, and what follows from one. workload/read.c reads the file.
 */
#include "workload/workload.h"

#include <stdio.h>
#include <string.h>

#include "base/builtin.h"
#include "base/hash.h"
#include "base/io.h"
#include "workload/workload_private.h"

#define FOLDER    "workloads/"
#define SUFFIX    ".json"
#define FILE_MAX  (UINT64_C(16) << 20)
#define PATH_SIZE 4096

/* "philly" of "workloads/philly.json"; 0 = another kind of file. */
static size_t shipped_name(const char *name, const char **begin)
{
    size_t len = strlen(name), folder = strlen(FOLDER), suffix = strlen(SUFFIX);
    if (strncmp(name, FOLDER, folder) != 0 || len <= folder + suffix)
        return 0;
    *begin = name + folder;
    return len - folder - suffix;
}

bool hs_workload_shipped(size_t index, char *name, size_t size)
{
    const struct hs_builtin *file;
    const char *begin = NULL;
    for (size_t i = 0; (file = hs_builtin_at(i)) != NULL; i++) {
        size_t len = shipped_name(file->name, &begin);
        if (len == 0 || index-- > 0)
            continue;
        (void)snprintf(name, size, "%.*s", (int)len, begin);
        return true;
    }
    return false;
}

static enum hs_status find_shipped(const char *name, char *path, size_t size, struct hs_diag *diag)
{
    enum { MANY = 32 };
    char names[MANY][HS_WORKLOAD_NAME_MAX], list[512] = "", hint[640];
    const char *known[MANY];
    size_t count = 0, used = 0;
    while (count < MANY && hs_workload_shipped(count, names[count], sizeof names[count])) {
        known[count] = names[count];
        if (strcmp(name, known[count]) == 0) {
            (void)snprintf(path, size, "%s%s%s%s", HS_BUILTIN, FOLDER, name, SUFFIX);
            return HS_OK;
        }
        int n =
            snprintf(list + used, sizeof list - used, "%s%s", count > 0 ? ", " : "", known[count]);
        used += (size_t)n < sizeof list - used ? (size_t)n : 0;
        count++;
    }
    const char *nearest = hs_nearest(name, known, count);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    else
        (void)snprintf(hint, sizeof hint, "shipped are %s; a path ends in .json", list);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "unknown workload '%s'", name);
}

static bool is_path(const char *name)
{
    size_t len = strlen(name), suffix = strlen(SUFFIX);
    return strchr(name, '/') != NULL || strncmp(name, HS_BUILTIN, strlen(HS_BUILTIN)) == 0 ||
           (len > suffix && strcmp(name + len - suffix, SUFFIX) == 0);
}

static enum hs_status hash_file(const char *path, uint64_t *hash, struct hs_diag *diag)
{
    char *text;
    size_t len;
    HS_TRY(hs_read_file(path, FILE_MAX, &text, &len, diag));
    *hash = hs_hash_of(text, len);
    hs_free(text);
    return HS_OK;
}

enum hs_status hs_workload_path(const char *name, char *path, size_t size, struct hs_diag *diag)
{
    if (!is_path(name))
        return find_shipped(name, path, size, diag);
    if (snprintf(path, size, "%s", name) < (int)size)
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the path of the workload is too long");
}

enum hs_status hs_workload_load(struct hs_workload *workload, const char *name,
                                struct hs_diag *diag)
{
    char path[PATH_SIZE];
    memset(workload, 0, sizeof *workload);
    HS_TRY(hs_workload_path(name, path, sizeof path, diag));
    enum hs_status status = hash_file(path, &workload->hash, diag);
    if (status == HS_OK)
        status = hs_workload_read(workload, path, diag);
    if (status != HS_OK)
        hs_workload_free(workload);
    return status;
}

void hs_workload_free(struct hs_workload *workload)
{
    hs_arena_free(&workload->arena);
}

double hs_workload_gpu_seconds(const struct hs_workload *workload)
{
    const double round_up = 0.5; /* to whole seconds, on the average */
    double sum = 0;
    for (uint32_t b = 0; b < workload->bucket_count; b++) {
        const struct hs_workload_bucket *bucket = &workload->buckets[b];
        double mean_s = hs_curve_mean(&bucket->duration_s) + round_up;
        for (uint32_t i = 0; i < bucket->size_count; i++)
            sum += bucket->sizes[i].share * mean_s * bucket->sizes[i].gpus *
                   bucket->sizes[i].gpu_milli / 1000;
    }
    return sum;
}

double hs_bucket_state_share(const struct hs_workload_bucket *bucket, enum hs_outcome outcome)
{
    double share = 0, before = 0;
    if (outcome == HS_OUTCOME_UNKNOWN)
        return bucket->state_count == 0 ? 1 : 0;
    for (uint32_t i = 0; i < bucket->state_count; i++) {
        const struct hs_workload_states *row = &bucket->states[i];
        share += (row->rank - before) * row->share[outcome - HS_OUTCOME_COMPLETED];
        before = row->rank;
    }
    return share;
}
