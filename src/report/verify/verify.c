/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Applies every rule to a loaded run directory and prints one line a rule, with the first faults of
 * those that fail. The rules of this file hold the files against the hashes of the manifest, and
 * summary.json against the rows.
 */
#include "report/verify/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "data/json.h"
#include "report/run/manifest.h"
#include "report/verify/verify_data.h"

/* ---- faults ---- */

void verify_fault(struct verify_check *c, const char *file, int64_t line, const char *id,
                  const char *fmt, ...)
{
    va_list args;
    int used = 0;
    if (c->faults++ >= VERIFY_LINES)
        return;
    char *text = c->lines[c->faults - 1];
    if (file != NULL)
        used = snprintf(text, VERIFY_LINE_SIZE, "%s:%" PRId64 "%s%s", file, line,
                        id != NULL ? ": job " : "", id != NULL ? id : "");
    va_start(args, fmt);
    if (used >= 0 && used < VERIFY_LINE_SIZE)
        (void)vsnprintf(text + used, VERIFY_LINE_SIZE - (size_t)used, fmt, args);
    va_end(args);
}

const char *verify_id(const struct verify_run *run, const struct verify_segment *seg)
{
    return seg->job != VERIFY_NONE ? run->jobs[seg->job].id : "?";
}

int64_t verify_ppm(int64_t num, int64_t den)
{
    if (num < 0 || den <= 0)
        return -1;
    hs_i128 ppm = (2 * (hs_i128)num * 1000000 + den) / (2 * (hs_i128)den);
    return ppm < INT64_MAX ? (int64_t)ppm : INT64_MAX;
}

const char *verify_seconds(char text[HS_FMT_MAX + 1], int64_t us)
{
    text[hs_fmt_seconds(text, us)] = '\0';
    return text;
}

/* ---- the files ---- */

/* DIR/name. */
static enum hs_status path_of(const struct verify_run *run, const char *name,
                              char path[HS_PATH_SIZE])
{
    int length = snprintf(path, HS_PATH_SIZE, "%s/%s", run->dir, name);
    if (length < 0 || (size_t)length >= HS_PATH_SIZE)
        return hs_fail(run->diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", run->dir);
    return HS_OK;
}

static enum hs_status check_outputs(struct verify_check *c)
{
    struct verify_run *run = c->run;
    for (uint32_t i = 0; i < run->manifest.file_count; i++) {
        const struct hs_output_file *file = &run->manifest.files[i];
        char path[HS_PATH_SIZE];
        struct hs_input *in;
        const char *data;
        size_t len;
        HS_TRY(path_of(run, file->name, path));
        HS_TRY(hs_input_open(&in, path, run->diag));
        enum hs_status s;
        while ((s = hs_input_read(in, &data, &len)) == HS_OK)
            continue;
        uint64_t hash = hs_input_hash(in);
        hs_input_close(in);
        if (s != HS_END)
            return s;
        c->looked++;
        if (hash != file->hash)
            VERIFY_FAULT(c, "%s is not the file that the manifest lists", file->name);
    }
    return HS_OK;
}

static enum hs_status check_trace(struct verify_check *c)
{
    struct verify_run *run = c->run;
    const struct hs_manifest_input *trace = hs_runmanifest_trace(&run->manifest);
    if (trace == NULL) {
        c->skipped = "the manifest has no hash of it";
        return HS_OK;
    }
    c->looked = 1;
    if (run->trace_hash != trace->hash || run->trace_bytes != trace->bytes)
        VERIFY_FAULT(c, "%s has changed since the run", run->setup.trace.path);
    return HS_OK;
}

static const struct verify_rule file_rules[] = {
    {"the output files are as the manifest lists them", "files", "changed", .run = check_outputs},
    {"the trace is the one that was simulated", "file", "changed", .run = check_trace},
    {.title = NULL},
};

/* ---- summary.json ----
 * Its figures computed anew from the rows: counts, makespan, means, quantiles and maxima of wait,
 * JCT and slowdowns, GPU time and shares. Sums are exact; what is compared are doubles, so that one
 * part in 10^12 is allowed for the division. O(jobs log jobs).
 *
 * Statistics of jobs under --warmup or --cooldown are left out: which jobs count is the simulator's
 * choice there. */

#define TOLERANCE 1e-12

/* Of done jobs: times in us, slowdowns, of those that have work, in ppm. */
enum measure { WAIT, JCT, PROGRESS, SLOWDOWN, RUN_SLOWDOWN, MEASURES };
static const char *const measure_names[MEASURES] = {"wait", "jct", "time_to_progress", "slowdown",
                                                    "run_slowdown"};

struct values {
    int64_t *of; /* ascending, once all are added */
    uint64_t count;
    hs_i128 sum;
};

/* Of done jobs of one class. */
struct class_sums {
    uint64_t jobs;
    hs_i128 wait_us, jct_us;
};

struct verify_sums {
    uint64_t jobs, done, failed, rejected, unfinished;
    uint64_t preemptions, migrations, ooms, retries, switches;
    int64_t last_finish_us, span_us;
    hs_i128 pending_us, isolated_us, run_us, colocated_us, host_mib_us;
    hs_i128 overhead_us, lost_ns; /* x thousandths of GPUs */
    struct values values[MEASURES];
    struct class_sums classes[HS_JOB_CLASS_COUNT];
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_value(struct verify_sums *s, enum measure measure, int64_t value)
{
    s->values[measure].of[s->values[measure].count++] = value;
    s->values[measure].sum += value;
}

static void add_done(struct verify_sums *s, const struct verify_job *j)
{
    const int64_t wait_us = j->sum.first_start_us - j->submit_us,
                  jct_us = j->sum.finish_us - j->submit_us;
    struct class_sums *class = &s->classes[j->row.job_class];
    s->done++;
    s->pending_us += jct_us - j->sum.run_us;
    s->isolated_us += j->work_us;
    class->jobs++;
    class->wait_us += wait_us;
    class->jct_us += jct_us;
    add_value(s, WAIT, wait_us);
    add_value(s, JCT, jct_us);
    add_value(s, PROGRESS,
              (j->row.progress_us >= 0 ? j->row.progress_us : j->sum.finish_us) - j->submit_us);
    if (j->work_us > 0) {
        add_value(s, SLOWDOWN, verify_ppm(jct_us, j->work_us));
        add_value(s, RUN_SLOWDOWN, verify_ppm(j->sum.run_us, j->work_us));
    }
}

static void add_job(struct verify_sums *s, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    s->jobs++;
    s->rejected += row->is_rejected;
    s->failed += !row->is_rejected && !row->is_done && row->finish_us >= 0;
    s->unfinished += !row->is_rejected && row->finish_us < 0;
    s->preemptions += j->sum.preemptions;
    s->migrations += j->sum.migrations;
    s->ooms += j->sum.ooms;
    s->retries += j->sum.failures;
    s->switches += row->switches;
    s->host_mib_us += row->host_mib_us;
    s->lost_ns += (hs_i128)row->lost_ns * j->gpus * row->gpu_milli;
    s->run_us += j->sum.run_us;
    s->colocated_us += j->sum.colocated_us;
    s->overhead_us += (hs_i128)row->overhead_us * j->gpus * row->gpu_milli;
    s->last_finish_us = later(s->last_finish_us, row->finish_us);
    /* the last instant at which something became of the job; a rejected one has no finish, and may
     * have waited before */
    s->span_us = later(s->span_us, later(j->submit_us, j->sum.last_end_us));
    s->span_us = later(s->span_us, row->finish_us);
    if (row->is_rejected)
        s->span_us = later(s->span_us, row->submit_us + row->run_us + row->pending_us);
    if (row->is_done)
        add_done(s, j);
}

static int compare_us(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

struct stated {
    struct verify_check *check;
    const struct hs_json *figures; /* an object */
    const char *owner;             /* before the names, in messages */
};

/* num / den seconds or shares; a den of 0 means that the figure is not defined. */
static void compare(const struct stated *s, const char *name, double num, double den)
{
    const struct hs_json *stated = hs_renamed_get(s->figures, name);
    bool is_stated = hs_json_kind(stated) == HS_JSON_NUMBER;
    double value = hs_json_number(stated), rebuilt = den > 0 ? num / den : 0;
    char left[HS_FMT_MAX + 1], right[HS_FMT_MAX + 1];
    s->check->looked++;
    if (is_stated && den > 0 && fabs(value - rebuilt) <= TOLERANCE * fabs(rebuilt))
        return;
    if (!is_stated && !(den > 0))
        return;
    left[hs_fmt_double(left, value)] = '\0';
    right[hs_fmt_double(right, rebuilt)] = '\0';
    VERIFY_FAULT(s->check, "summary.json: %s%s is %s, by the rows it is %s", s->owner, name,
                 is_stated ? left : "missing", den > 0 ? right : "undefined");
}

static void compare_mean(const struct stated *s, const struct verify_sums *sums,
                         enum measure measure)
{
    char name[32];
    (void)snprintf(name, sizeof name, "mean_%s", measure_names[measure]);
    compare(s, name, (double)sums->values[measure].sum, 1e6 * (double)sums->values[measure].count);
}

/* A quantile is the smallest value with at least percent/100 of all values not above it. */
static void compare_quantiles(const struct stated *s, const struct verify_sums *sums,
                              enum measure measure)
{
    static const struct {
        const char *prefix;
        uint64_t percent;
    } quantiles[] = {{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"max", 100}};
    const struct values *values = &sums->values[measure];
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        const uint64_t rank = (values->count * quantiles[i].percent + 99) / 100;
        char name[32];
        (void)snprintf(name, sizeof name, "%s_%s", quantiles[i].prefix, measure_names[measure]);
        if (values->count > 0)
            compare(s, name, (double)values->of[(rank > 0 ? rank : 1) - 1], 1e6);
        else
            compare(s, name, 0, 0);
    }
}

/* Classes are in the summary where a job asks for one, and then those that have jobs. */
static void compare_classes(struct verify_check *c, const struct hs_json *classes,
                            const struct verify_sums *sums)
{
    bool is_told = sums->classes[HS_JOB_CLASS_AUTO].jobs < sums->done;
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++) {
        const char *name = hs_job_class_text((enum hs_job_class)i);
        const struct class_sums *class = &sums->classes[i];
        char owner[32];
        const struct stated s = {c, hs_json_get(hs_json_get(classes, "class"), name), owner};
        double n_us = is_told ? 1e6 * (double)class->jobs : 0;
        if (s.figures == NULL && !(n_us > 0))
            continue;
        (void)snprintf(owner, sizeof owner, "%s: ", name);
        compare(&s, "jobs", n_us, 1e6);
        compare(&s, "mean_wait", (double)class->wait_us, n_us);
        compare(&s, "mean_jct", (double)class->jct_us, n_us);
    }
}

static void compare_statistics(const struct stated *s, const struct hs_json *classes,
                               const struct verify_sums *sums)
{
    const double n_us = 1e6 * (double)sums->done;
    compare(s, "n_counted", (double)sums->done, 1);
    compare_mean(s, sums, WAIT);
    compare_mean(s, sums, JCT);
    compare(s, "mean_queueing_delay", (double)sums->pending_us, n_us);
    compare_mean(s, sums, PROGRESS);
    compare(s, "mean_isolated", (double)sums->isolated_us, n_us);
    compare_quantiles(s, sums, WAIT);
    compare_quantiles(s, sums, JCT);
    compare_quantiles(s, sums, PROGRESS);
    compare_mean(s, sums, SLOWDOWN);
    compare_mean(s, sums, RUN_SLOWDOWN);
    compare_quantiles(s, sums, SLOWDOWN);
    compare_quantiles(s, sums, RUN_SLOWDOWN);
    compare_classes(s->check, classes, sums);
}

static void compare_all(struct verify_check *c, const struct hs_json *root,
                        const struct verify_sums *sums)
{
    const struct verify_run *run = c->run;
    const struct stated s = {c, hs_json_get(root, "metrics"), ""};
    const double gpu_span = (double)run->gpu_count * (double)sums->span_us;
    compare(&s, "n_jobs", (double)sums->jobs, 1);
    compare(&s, "n_done", (double)sums->done, 1);
    compare(&s, "n_failed", (double)sums->failed, 1);
    compare(&s, "n_rejected", (double)sums->rejected, 1);
    compare(&s, "n_unfinished", (double)sums->unfinished, 1);
    compare(&s, "preemptions", (double)sums->preemptions, 1);
    compare(&s, "migrations", (double)sums->migrations, 1);
    compare(&s, "ooms", (double)sums->ooms, 1);
    compare(&s, "retries", (double)sums->retries, 1);
    compare(&s, "switches", (double)sums->switches, 1);
    compare(&s, "host_mib_seconds", (double)sums->host_mib_us, 1e6);
    compare(&s, "lost_gpu_seconds", (double)sums->lost_ns, 1e9 * VERIFY_GPU_MILLI);
    compare(&s, "overhead_gpu_seconds", (double)sums->overhead_us, 1e6 * VERIFY_GPU_MILLI);
    compare(&s, "colocated_share", (double)sums->colocated_us, (double)sums->run_us);
    if (run->setup.warmup_us > 0 || run->setup.cooldown_us > 0)
        (void)snprintf(c->note, sizeof c->note, " (job statistics left out: a window is set)");
    else
        compare_statistics(&s, hs_json_get(root, "classes"), sums);
    compare(&s, "held_gpu_seconds", (double)run->held_us, 1e6);
    if (run->setup.until_us != HS_TIME_MAX)
        return; /* makespan and span end at the horizon */
    compare(&s, "makespan", (double)sums->last_finish_us, sums->done + sums->failed > 0 ? 1e6 : 0);
    compare(&s, "mean_running", (double)sums->run_us, (double)sums->span_us);
    compare(&s, "gpu_allocation", (double)run->held_us, gpu_span);
    compare(&s, "gpu_sharing", (double)run->shared_us, gpu_span);
    compare(&s, "gpu_allocated_share", (double)run->allocated_us, gpu_span * VERIFY_GPU_MILLI);
}

static enum hs_status check_summary(struct verify_check *c)
{
    struct verify_run *run = c->run;
    char path[HS_PATH_SIZE];
    struct hs_json_doc *doc;
    struct verify_sums sums = {0};
    HS_TRY(path_of(run, "summary.json", path));
    HS_TRY(hs_json_load(&doc, path, run->diag));
    for (int m = 0; m < MEASURES; m++)
        sums.values[m].of = hs_alloc_zeroed(run->job_count + UINT64_C(1), sizeof(int64_t));
    for (uint32_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].row.line != 0)
            add_job(&sums, &run->jobs[i]);
    for (int m = 0; m < MEASURES; m++)
        qsort(sums.values[m].of, sums.values[m].count, sizeof(int64_t), compare_us);
    compare_all(c, hs_json_root(doc), &sums);
    for (int m = 0; m < MEASURES; m++)
        hs_free(sums.values[m].of);
    hs_json_close(doc);
    return HS_OK;
}

static const struct verify_rule sum_rules[] = {
    {"summary.json follows from the rows", "figures", "differences", .run = check_summary},
    {.title = NULL},
};

/* ---- application ---- */

enum hs_status verify_apply(struct verify_run *run, const struct verify_rule *rule,
                            struct verify_check *c)
{
    const char *note = run->setup.is_slicing ? rule->slicing_note : NULL;
    if (run->setup.is_throttling && rule->throttling_note != NULL)
        note = rule->throttling_note;
    (void)snprintf(c->note, sizeof c->note, "%s", note != NULL ? note : "");
    c->run = run;
    if (rule->run != NULL)
        HS_TRY(rule->run(c));
    if (c->skipped != NULL)
        return HS_OK;
    for (uint32_t i = 0; rule->segment != NULL && i < run->segment_count; i++)
        if (run->segments[i].job != VERIFY_NONE)
            rule->segment(c, &run->segments[i]);
    for (uint32_t i = 0; rule->job != NULL && i < run->job_count; i++)
        if (run->jobs[i].row.line != 0)
            rule->job(c, &run->jobs[i]);
    if (c->looked == 0)
        c->skipped = rule->skipped;
    return HS_OK;
}

static enum hs_status verify_all(struct verify_run *run, struct hs_output *out)
{
    const struct verify_rule *const lists[] = {file_rules, verify_schedule_rules, verify_job_rules,
                                               sum_rules};
    char looked[HS_FMT_MAX], faults[HS_FMT_MAX];
    uint32_t made = 0, failed = 0;
    HS_TRY(verify_load(run));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct verify_rule *rule = lists[i]; rule->title != NULL; rule++) {
            struct verify_check c = {0};
            HS_TRY(verify_apply(run, rule, &c));
            if (c.skipped != NULL)
                hs_say(out, "skip  %s: %s\n", rule->title, c.skipped);
            else
                hs_say(out, "%s  %s: %s %s, %s %s%s\n", c.faults == 0 ? "ok  " : "FAIL",
                       rule->title, hs_fmt_grouped(looked, c.looked), rule->things,
                       hs_fmt_grouped(faults, c.faults), rule->faults, c.note);
            for (uint64_t f = 0; f < c.faults && f < VERIFY_LINES; f++)
                hs_say(out, "        %s\n", c.lines[f]);
            made += c.skipped == NULL;
            failed += c.faults > 0;
        }
    if (failed > 0)
        return hs_fail(run->diag, HS_E_DIFFERS, NULL, NULL,
                       "%s: %" PRIu32 " of %" PRIu32 " checks failed", run->dir, failed, made);
    hs_say(out, "%" PRIu32 " checks passed\n", made);
    return HS_OK;
}

enum hs_status hs_verify_run(const char *run_dir, struct hs_output *out, struct hs_diag *diag)
{
    struct verify_run run = {.dir = run_dir, .diag = diag};
    enum hs_status s = verify_all(&run, out);
    verify_free(&run);
    return s;
}
