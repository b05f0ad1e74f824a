/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel's throughput files (OSDI'20 artifact, MIT licence): one JSON object
 *
 *     {gpu: {job: {"null": alone, other: [of job, of other], ...}, ...}, ...}
 *
 * in steps a second; job is "('ResNet-18 (batch size 16)', 2)", with the number of GPUs, or
 * "ResNet-18 (batch size 16)" in the file of the paper's heat map, which has one-GPU jobs only. A
 * GPU type NAME_unconsolidated holds the same jobs spread over several nodes.
 *
 * A pair is in the file twice, as [x, y] and mirrored as [y, x]. It becomes one pair of two rows;
 * entries that contradict their mirror become two pairs, a thing for the cleaning to judge. A job
 * beside itself is one entry and two rows, both processes of it: so are the slowdowns of
 * calibration.md 6 counted, while its sections 1.2 and 2 count entries. O(jobs^3) comparisons of
 * names a GPU type, jobs being less than a hundred.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "calibrate/measure_private.h"
#include "data/gaveljob.h"
#include "data/jsoncheck.h"

#define FILE_MAX (UINT64_C(16) << 20) /* of hs_json_load */
#define SPREAD   "_unconsolidated"
#define ALONE    "null"

struct reading {
    struct hs_measurements *m;
    struct hs_jsoncheck *check;
    uint32_t gpu;
    bool is_spread;
    uint64_t numbers;
};

/* ---- names ---- */

static enum hs_status name_fail(const struct reading *r, const struct hs_json *member)
{
    struct hs_place place = hs_json_place_key(r->check->doc, member);
    return hs_fail(r->check->diag, HS_E_INPUT, &place,
                   "\"('ResNet-18 (batch size 16)', 1)\" or \"ResNet-18 (batch size 16)\"",
                   "not the name of a job: '%.80s'", hs_json_key(member));
}

/* The job that a member is about; known to m afterwards. */
static enum hs_status find_job(const struct reading *r, const struct hs_json *member, double speed,
                               uint32_t *index)
{
    struct hs_gavel_job name;
    const char *dataset;
    if (!hs_gavel_job_parse(hs_json_key(member), &name))
        return name_fail(r, member);
    const char *model = hs_gavel_model(name.family, &dataset);
    struct hs_solo solo = {
        .model = model,
        .dataset = dataset != NULL ? dataset : "Gavel",
        .batch = name.batch,
        .precision = "fp32",
        .family = name.family,
        .gpu = r->gpu,
        .gpus = name.gpus > 0 ? name.gpus : 1,
        .is_spread = r->is_spread,
        .speed = speed,
        .util = NAN,
        .bw_util = NAN,
        .mem_mib = NAN,
    };
    return hs_measure_solo(r->m, &solo, index);
}

/* ---- numbers ---- */

static bool is_alone(const struct hs_json *member)
{
    return strcmp(hs_json_key(member), ALONE) == 0;
}

/* Both speeds of a pair; false if the entry is none. */
static bool read_entry(const struct hs_json *entry, double speeds[2])
{
    const struct hs_json *first = hs_json_first(entry), *second = hs_json_next(first);
    if (hs_json_kind(entry) != HS_JSON_ARRAY || hs_json_count(entry) != 2 ||
        hs_json_kind(first) != HS_JSON_NUMBER || hs_json_kind(second) != HS_JSON_NUMBER)
        return false;
    speeds[0] = hs_json_number(first);
    speeds[1] = hs_json_number(second);
    return true;
}

/* Relative to the speed alone. What ran at 0 did so whatever its speed alone. */
static double relative(const struct hs_measurements *m, uint32_t solo, double speed,
                       uint32_t *dropped)
{
    double alone = m->solos[solo].speed;
    *dropped = 0;
    if (speed == 0)
        return 0;
    if (!isnan(alone))
        return speed / alone;
    *dropped = HS_DROPPED(NO_SOLO);
    return NAN;
}

static enum hs_status add_pair(const struct reading *r, uint32_t own, uint32_t other,
                               const double speeds[2])
{
    struct hs_pair row = {
        .own = own,
        .other = other,
        .gpu = r->gpu,
        .joint_util = NAN,
        .joint_bw_util = NAN,
        .joint_mem_mib = NAN,
    };
    uint32_t dropped;

    row.speed = relative(r->m, own, speeds[0], &row.dropped);
    double speed_of_other = relative(r->m, other, speeds[1], &dropped);
    return hs_measure_both(r->m, &row, speed_of_other, dropped);
}

/* The entry of (own, other), unless its mirror came first and says the same. */
static enum hs_status read_pair(struct reading *r, const struct hs_json *jobs,
                                const struct hs_json *job, const struct hs_json *entry,
                                uint32_t own)
{
    uint32_t other;
    double speeds[2], mirrored[2];

    r->numbers++;
    if (!read_entry(entry, speeds)) {
        hs_jsoncheck_fault(r->check, entry, "[steps a second of the job, of the other]",
                           "a pair is two numbers");
        return HS_OK;
    }
    HS_TRY(find_job(r, entry, NAN, &other));
    if (r->m->solos[own].gpus != r->m->solos[other].gpus) {
        hs_jsoncheck_fault(r->check, entry, NULL,
                           "a pair of jobs on %" PRIu32 " and %" PRIu32 " GPUs",
                           r->m->solos[own].gpus, r->m->solos[other].gpus);
        return HS_OK;
    }
    const struct hs_json *mirror =
        hs_json_get(hs_json_get(jobs, hs_json_key(entry)), hs_json_key(job));
    bool is_first = own <= other || mirror == NULL;
    if (!is_first && read_entry(mirror, mirrored))
        is_first = mirrored[0] != speeds[1] || mirrored[1] != speeds[0];
    return is_first ? add_pair(r, own, other, speeds) : HS_OK;
}

static enum hs_status read_alone(struct reading *r, const struct hs_json *job, uint32_t *index)
{
    const struct hs_json *alone = hs_json_get(job, ALONE);
    uint32_t before = r->m->solo_count;

    if (!hs_jsoncheck_kind(r->check, job, HS_JSON_OBJECT, "a job"))
        return HS_OK;
    if (alone == NULL) {
        hs_jsoncheck_fault(r->check, job, NULL, "a job without \"" ALONE "\", its speed alone");
        return HS_OK;
    }
    if (!hs_jsoncheck_kind(r->check, alone, HS_JSON_NUMBER, "\"" ALONE "\", the speed alone,"))
        return HS_OK;
    r->numbers++;
    /* 0: it did not run (ResNet-50 of batch 128 on 2, 4, 8 K80 of physical_cluster) */
    double speed = hs_json_number(alone) != 0 ? hs_json_number(alone) : NAN;
    HS_TRY(find_job(r, job, speed, index));
    if (*index < before)
        hs_jsoncheck_fault(r->check, job, NULL, "the same job as another of this GPU type");
    return HS_OK;
}

/* ---- GPU types ---- */

static enum hs_status find_gpu(struct reading *r, const struct hs_json *gpu)
{
    char name[HS_MEASURE_NAME_MAX + 1];
    const char *key = hs_json_key(gpu);
    size_t len = strlen(key), tail = strlen(SPREAD);

    r->is_spread = len > tail && strcmp(key + len - tail, SPREAD) == 0;
    if (r->is_spread)
        len -= tail;
    if (len == 0 || len >= sizeof name) {
        struct hs_place place = hs_json_place_key(r->check->doc, gpu);
        return hs_fail(r->check->diag, HS_E_INPUT, &place, NULL, "not the name of a GPU type");
    }
    for (size_t i = 0; i < len; i++)
        name[i] = (char)toupper((unsigned char)key[i]);
    name[len] = '\0';
    return hs_measure_gpu(r->m, name, &r->gpu);
}

/* All jobs first: a pair needs the speed alone of both. */
static enum hs_status read_gpu(struct reading *r, const struct hs_json *jobs)
{
    uint32_t own;
    if (!hs_jsoncheck_filled(r->check, jobs, HS_JSON_OBJECT, "a GPU type"))
        return HS_OK;
    HS_TRY(find_gpu(r, jobs));
    for (const struct hs_json *job = hs_json_first(jobs); job != NULL; job = hs_json_next(job))
        HS_TRY(read_alone(r, job, &own));
    if (r->check->status != HS_OK)
        return HS_OK;
    for (const struct hs_json *job = hs_json_first(jobs); job != NULL; job = hs_json_next(job)) {
        HS_TRY(find_job(r, job, NAN, &own));
        for (const struct hs_json *e = hs_json_first(job); e != NULL; e = hs_json_next(e))
            if (!is_alone(e))
                HS_TRY(read_pair(r, jobs, job, e, own));
    }
    return HS_OK;
}

static enum hs_status read_document(struct reading *r)
{
    const struct hs_json *root = hs_json_root(r->check->doc);
    if (hs_jsoncheck_filled(r->check, root, HS_JSON_OBJECT, "a file of throughputs"))
        for (const struct hs_json *g = hs_json_first(root); g != NULL; g = hs_json_next(g))
            HS_TRY(read_gpu(r, g));
    return r->check->status;
}

/* The parser does not say what bytes it read. */
static enum hs_status record_file(const struct reading *r, const char *path)
{
    char *text;
    size_t len;
    HS_TRY(hs_read_file(path, FILE_MAX, &text, &len, r->check->diag));
    uint64_t hash = hs_hash_of(text, len);
    hs_free(text);
    return hs_measure_file_add(r->m, path, hash, len, r->numbers);
}

static enum hs_status read_gavel(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct hs_jsoncheck check = {.diag = diag};
    struct reading r = {.m = m, .check = &check};

    HS_TRY(hs_json_load(&check.doc, path, diag));
    enum hs_status status = read_document(&r);
    hs_json_close(check.doc);
    check.doc = NULL;
    return status == HS_OK ? record_file(&r, path) : status;
}

static bool recognise(const char *path)
{
    char head[HS_MEASURE_HEAD];
    hs_measure_head(path, head);
    const char *text = strncmp(head, "\xEF\xBB\xBF", 3) == 0 ? head + 3 : head;
    return text[strspn(text, " \t\r\n")] == '{';
}

const struct hs_measure_format hs_measure_format_gavel = {
    .name = "gavel",
    .summary = "a JSON of throughputs {gpu: {job: {\"null\": alone, other: [own, other]}}}",
    .recognise = recognise,
    .read = read_gavel,
};
