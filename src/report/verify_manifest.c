/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one place that knows how manifest.json is laid out, for `horus verify`: the effective
 * configuration (keys are those of `horus run --config`), the hash of the trace that was read, the
 * card and the list of output files.
 */
#include "report/verify_data.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/timeparse.h"
#include "data/json.h"
#include "data/param.h"

/* Those keys of the configuration that say what was simulated. Presets: only for a key that the
 * configuration leaves out because it is absent by default. */
struct settings {
    const char *trace, *format, *map, *cluster, *outcomes, *sort;
    int32_t time_unit, philly_attempts, cpu_jobs, zero_duration, vc;
    int64_t max_jobs, until_us, warmup_us, cooldown_us;
    double load, skip_bad_rows;
};

#define AT(field) offsetof(struct settings, field)

static const char *const time_units[] = {"s", "ms", "us", "min", "h", NULL};
static const int64_t time_units_us[] = {HS_US_PER_S, 1000, 1, 60 * HS_US_PER_S, 3600 * HS_US_PER_S};
static const char *const attempts[] = {"merge", "split", "sum", NULL};
static const char *const cpu_jobs[] = {"skip", "keep", NULL};
static const char *const zero_durations[] = {"keep", "drop", "1s", NULL};
static const char *const vc_modes[] = {"ignore", "partition", "quota", NULL};
enum { VC_PARTITION = 1 };

static const struct hs_param table[] = {
    {.key = "trace", .type = HS_PARAM_TEXT, .offset = AT(trace)},
    {.key = "format", .type = HS_PARAM_TEXT, .offset = AT(format), .preset = "auto"},
    {.key = "map", .type = HS_PARAM_TEXT, .offset = AT(map)},
    {.key = "cluster", .type = HS_PARAM_TEXT, .offset = AT(cluster)},
    {.key = "outcomes", .type = HS_PARAM_TEXT, .offset = AT(outcomes)},
    {.key = "sort", .type = HS_PARAM_TEXT, .offset = AT(sort), .preset = "8192"},
    {.key = "time_unit",
     .type = HS_PARAM_CHOICE,
     .offset = AT(time_unit),
     .preset = "s",
     .choices = time_units},
    {.key = "philly_attempts",
     .type = HS_PARAM_CHOICE,
     .offset = AT(philly_attempts),
     .preset = "merge",
     .choices = attempts},
    {.key = "cpu_jobs",
     .type = HS_PARAM_CHOICE,
     .offset = AT(cpu_jobs),
     .preset = "skip",
     .choices = cpu_jobs},
    {.key = "zero_duration",
     .type = HS_PARAM_CHOICE,
     .offset = AT(zero_duration),
     .preset = "keep",
     .choices = zero_durations},
    {.key = "vc",
     .type = HS_PARAM_CHOICE,
     .offset = AT(vc),
     .preset = "ignore",
     .choices = vc_modes},
    {.key = "max_jobs", .type = HS_PARAM_INT, .offset = AT(max_jobs), .preset = "0"},
    {.key = "until", .type = HS_PARAM_DURATION, .offset = AT(until_us), .preset = "0s"},
    {.key = "warmup", .type = HS_PARAM_DURATION, .offset = AT(warmup_us), .preset = "0s"},
    {.key = "cooldown", .type = HS_PARAM_DURATION, .offset = AT(cooldown_us), .preset = "0s"},
    {.key = "load", .type = HS_PARAM_REAL, .offset = AT(load), .preset = "1"},
    {.key = "skip_bad_rows", .type = HS_PARAM_REAL, .offset = AT(skip_bad_rows), .preset = "0"},
    {.key = NULL},
};

static enum hs_status set_one(struct verify_run *run, const struct hs_json_doc *doc,
                              struct settings *settings, const char *key,
                              const struct hs_json *value)
{
    struct hs_place place = hs_json_place(doc, value);
    char number[HS_FMT_MAX + 1];
    const char *text = hs_json_text(value);
    int64_t whole;
    if (hs_json_kind(value) == HS_JSON_NUMBER) {
        size_t length = hs_json_int(value, &whole) ? hs_fmt_i64(number, whole)
                                                   : hs_fmt_double(number, hs_json_number(value));
        number[length] = '\0';
        text = number;
    }
    if (text == NULL)
        return HS_OK;
    return hs_param_set(table, settings, &run->arena, "manifest", key, text, &place, run->diag);
}

static enum hs_status read_settings(struct verify_run *run, const struct hs_json_doc *doc,
                                    struct settings *settings)
{
    const struct hs_json *config = hs_json_get(hs_json_root(doc), "config");
    struct hs_place place = hs_json_place(doc, hs_json_root(doc));
    if (hs_json_kind(config) != HS_JSON_OBJECT)
        return hs_fail(run->diag, HS_E_INPUT, &place, "only runs of `horus run` can be verified",
                       "the manifest has no configuration");
    HS_TRY(hs_param_defaults(table, settings, &run->arena));
    for (const struct hs_param *p = table; p->key != NULL; p++)
        HS_TRY(set_one(run, doc, settings, p->key, hs_json_get(config, p->key)));
    if (settings->trace == NULL || settings->cluster == NULL)
        return hs_fail(run->diag, HS_E_INPUT, &place, NULL, "the manifest names no %s",
                       settings->trace == NULL ? "trace" : "cluster");
    if (strcmp(settings->trace, "-") == 0)
        return hs_fail(run->diag, HS_E_INPUT, &place, "run it from a file",
                       "the run read its trace from standard input: it cannot be read again");
    return HS_OK;
}

static enum hs_status use_settings(struct verify_run *run, const struct settings *settings)
{
    struct verify_made_of *m = &run->made_of;
    struct hs_trace_options *t = &m->trace;
    int64_t window = 0;
    hs_trace_options_default(t);
    t->path = settings->trace;
    t->format = settings->format;
    t->map = settings->map;
    t->time_unit_us = time_units_us[settings->time_unit];
    t->philly_attempts = settings->philly_attempts;
    t->cpu_jobs = settings->cpu_jobs;
    t->zero_duration = settings->zero_duration;
    t->outcomes = settings->outcomes;
    t->max_jobs = (uint64_t)settings->max_jobs;
    t->load = settings->load;
    t->skip_bad_permille = (uint32_t)(settings->skip_bad_rows * 10 + 0.5);
    if (strcmp(settings->sort, "all") == 0)
        t->sort_window = HS_SORT_ALL;
    else if (hs_parse_int64(settings->sort, strlen(settings->sort), &window) && window >= 0)
        t->sort_window = (uint64_t)window;
    else
        return hs_fail(run->diag, HS_E_INPUT, NULL, NULL, "manifest: sort is not understood: '%s'",
                       settings->sort);
    m->cluster = settings->cluster;
    m->is_partitioned = settings->vc == VC_PARTITION;
    m->until_us = settings->until_us > 0 ? settings->until_us : HS_TIME_MAX;
    m->warmup_us = settings->warmup_us;
    m->cooldown_us = settings->cooldown_us;
    return HS_OK;
}

static bool read_hash(const struct hs_json *value, uint64_t *hash)
{
    const char *text = hs_json_text(value);
    if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *hash = strtoull(text, NULL, 16);
    return true;
}

static void read_trace_hash(struct verify_run *run, const struct hs_json *root)
{
    const struct hs_json *in = hs_json_first(hs_json_get(root, "inputs"));
    for (; in != NULL; in = hs_json_next(in)) {
        const char *role = hs_json_text(hs_json_get(in, "role"));
        int64_t bytes = 0;
        if (role == NULL || strcmp(role, "trace") != 0)
            continue;
        run->made_of.has_trace_hash =
            read_hash(hs_json_get(in, "xxh3_64"), &run->made_of.trace_hash) &&
            hs_json_int(hs_json_get(in, "bytes"), &bytes);
        run->made_of.trace_bytes = (uint64_t)bytes;
    }
}

static enum hs_status read_files(struct verify_run *run, const struct hs_json *root)
{
    const struct hs_json *out = hs_json_first(hs_json_get(root, "outputs"));
    struct verify_made_of *m = &run->made_of;
    for (; out != NULL && m->file_count < VERIFY_FILES_MAX; out = hs_json_next(out)) {
        const char *name = hs_json_text(hs_json_get(out, "name"));
        struct verify_file *file = &m->files[m->file_count];
        if (name == NULL || !read_hash(hs_json_get(out, "xxh3_64"), &file->hash))
            continue;
        file->name = hs_arena_text(&run->arena, name, strlen(name));
        if (file->name == NULL)
            return hs_fail(run->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
        m->file_count++;
    }
    return HS_OK;
}

static enum hs_status read_manifest(struct verify_run *run, const struct hs_json_doc *doc)
{
    const struct hs_json *root = hs_json_root(doc);
    const char *can = hs_json_text(hs_json_get(hs_json_get(root, "card"), "can"));
    struct settings settings;
    HS_TRY(read_settings(run, doc, &settings));
    HS_TRY(use_settings(run, &settings));
    run->made_of.is_sharing = can != NULL && strstr(can, "co-locate") != NULL;
    read_trace_hash(run, root);
    return read_files(run, root);
}

enum hs_status verify_load_manifest(struct verify_run *run)
{
    char path[VERIFY_PATH_SIZE];
    struct hs_json_doc *doc;
    HS_TRY(verify_path(run, "manifest.json", path));
    HS_TRY(hs_json_load(&doc, path, run->diag));
    enum hs_status s = read_manifest(run, doc);
    hs_json_close(doc);
    return s;
}
