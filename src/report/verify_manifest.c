/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was simulated, from the configuration in manifest.json; its keys are those of
 * `horus run --config`.
 */
#include "report/verify_data.h"

#include <stddef.h>
#include <string.h>

#include "base/fixed.h"
#include "base/timeparse.h"
#include "data/json.h"
#include "data/param.h"
#include "traces/replay.h"

/* Those keys of the configuration that say what was simulated. Presets: only for a key that the
 * configuration leaves out because it is absent by default. */
struct settings {
    const char *trace, *format, *map, *gavel_throughputs, *cluster, *outcomes, *sort, *window;
    int32_t time_unit, philly_attempts, retries, cpu_jobs, zero_duration, openb_pending, vc;
    int64_t max_jobs, seed, until_us, warmup_us, cooldown_us;
    double load, scale_time, sample_jobs, skip_bad_rows;
};

#define AT(field) offsetof(struct settings, field)

static const char *const time_units[] = {"auto", "s", "ms", "us", "min", "h", NULL};
static const int64_t time_units_us[] = {0, HS_US_PER_S,      1000,
                                        1, 60 * HS_US_PER_S, 3600 * HS_US_PER_S};
static const char *const attempts[] = {"merge", "split", "sum", NULL};
static const char *const retries[] = {
    [VERIFY_MERGE] = "merge", [VERIFY_ATTEMPTS] = "attempts", [VERIFY_GENERATE] = "generate", NULL};
static const char *const cpu_jobs[] = {"skip", "keep", NULL};
static const char *const zero_durations[] = {"keep", "drop", "1s", NULL};
static const char *const openb_pending[] = {"drop", "run", NULL};
static const char *const vc_modes[] = {"ignore", "partition", "quota", NULL};
enum { VC_PARTITION = 1 };

static const struct hs_param table[] = {
    {.key = "trace", .type = HS_PARAM_TEXT, .offset = AT(trace)},
    {.key = "format", .type = HS_PARAM_TEXT, .offset = AT(format), .preset = "auto"},
    {.key = "map", .type = HS_PARAM_TEXT, .offset = AT(map)},
    {.key = "gavel_throughputs", .type = HS_PARAM_TEXT, .offset = AT(gavel_throughputs)},
    {.key = "cluster", .type = HS_PARAM_TEXT, .offset = AT(cluster)},
    {.key = "outcomes", .type = HS_PARAM_TEXT, .offset = AT(outcomes)},
    {.key = "sort", .type = HS_PARAM_TEXT, .offset = AT(sort), .preset = "8192"},
    {.key = "time_unit",
     .type = HS_PARAM_CHOICE,
     .offset = AT(time_unit),
     .preset = "auto",
     .choices = time_units},
    {.key = "philly_attempts",
     .type = HS_PARAM_CHOICE,
     .offset = AT(philly_attempts),
     .preset = "merge",
     .choices = attempts},
    {.key = "retries",
     .type = HS_PARAM_CHOICE,
     .offset = AT(retries),
     .preset = "merge",
     .choices = retries},
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
    {.key = "openb_pending",
     .type = HS_PARAM_CHOICE,
     .offset = AT(openb_pending),
     .preset = "drop",
     .choices = openb_pending},
    {.key = "vc",
     .type = HS_PARAM_CHOICE,
     .offset = AT(vc),
     .preset = "ignore",
     .choices = vc_modes},
    {.key = "max_jobs", .type = HS_PARAM_INT, .offset = AT(max_jobs), .preset = "0"},
    {.key = "until", .type = HS_PARAM_DURATION, .offset = AT(until_us), .preset = "0s"},
    {.key = "warmup", .type = HS_PARAM_DURATION, .offset = AT(warmup_us), .preset = "0s"},
    {.key = "cooldown", .type = HS_PARAM_DURATION, .offset = AT(cooldown_us), .preset = "0s"},
    {.key = "seed", .type = HS_PARAM_INT, .offset = AT(seed), .preset = "1"},
    {.key = "load", .type = HS_PARAM_REAL, .offset = AT(load), .preset = "1"},
    {.key = "scale_time", .type = HS_PARAM_REAL, .offset = AT(scale_time), .preset = "1"},
    {.key = "window", .type = HS_PARAM_TEXT, .offset = AT(window)},
    {.key = "sample_jobs", .type = HS_PARAM_REAL, .offset = AT(sample_jobs), .preset = "1"},
    {.key = "skip_bad_rows", .type = HS_PARAM_REAL, .offset = AT(skip_bad_rows), .preset = "0"},
    {.key = NULL},
};

static enum hs_status set_one(struct verify_run *run, struct settings *settings, const char *key)
{
    const struct hs_json *value = hs_json_get(run->manifest.config, key);
    struct hs_place place = hs_json_place(run->manifest.doc, value);
    char number[HS_RUNMANIFEST_NUMBER_SIZE];
    const char *text = hs_runmanifest_text(value, number);
    if (text == NULL)
        return HS_OK;
    return hs_param_set(table, settings, &run->arena, "manifest", key, text, &place, run->diag);
}

static enum hs_status read_settings(struct verify_run *run, struct settings *settings)
{
    struct hs_place place = hs_json_place(run->manifest.doc, hs_json_root(run->manifest.doc));
    HS_TRY(hs_param_defaults(table, settings, &run->arena));
    for (const struct hs_param *p = table; p->key != NULL; p++)
        HS_TRY(set_one(run, settings, p->key));
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
    t->gavel_throughputs = settings->gavel_throughputs;
    t->time_unit_us = time_units_us[settings->time_unit];
    t->philly_attempts = settings->philly_attempts;
    m->retries = (enum verify_retries)settings->retries;
    t->keeps_attempts = m->retries == VERIFY_ATTEMPTS;
    t->cpu_jobs = settings->cpu_jobs;
    t->zero_duration = settings->zero_duration;
    t->openb_pending = settings->openb_pending;
    t->outcomes = settings->outcomes;
    t->max_jobs = (uint64_t)settings->max_jobs;
    t->load = settings->load;
    t->scale_time = settings->scale_time;
    t->sample = settings->sample_jobs;
    t->sample_seed = (uint64_t)settings->seed;
    if (settings->window != NULL)
        HS_TRY(hs_trace_window_parse(settings->window, &t->window, run->diag));
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

/* By the card, in the words of `horus policies`. */
static bool can(const struct verify_run *run, const char *what)
{
    return run->manifest.can != NULL && strstr(run->manifest.can, what) != NULL;
}

enum hs_status verify_load_manifest(struct verify_run *run)
{
    struct settings settings;
    struct verify_made_of *m = &run->made_of;
    HS_TRY(hs_runmanifest_open(&run->manifest, run->dir, run->diag));
    HS_TRY(read_settings(run, &settings));
    m->is_slicing = can(run, "slice");
    m->is_throttling = can(run, "throttle");
    m->is_resizing = can(run, "resize");
    m->is_sharing = can(run, "co-locate"); /* lanes too */
    return use_settings(run, &settings);
}
