/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of summary.json, recomputed from the rows: counts, makespan, means, quantiles and
 * maxima of wait, JCT and slowdowns, GPU time and shares. Sums are exact; the doubles are compared
 * with a tolerance of 10^-12 for the division. O(jobs log jobs). Before it the rules on deadlines,
 * for a run in which some job has one: compare those of jobs.csv with the trace or the rule that
 * drew them, lateness with the times, and deadlines.csv with the rows.
 *
 * Statistics under --warmup or --cooldown are skipped: the simulator chooses the jobs that
 * count.
 */
#include "report/verify/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "report/stats/exact.h"

#define TOLERANCE 1e-12

/* Sums over jobs with a deadline. */
struct due_sums {
    uint64_t jobs, misses, rejected, done;
    hs_i128 late_us;      /* of those done */
    hs_i128 met_milli_us; /* thousandths of GPUs x time held, of those that met it */
    int64_t latest_us;    /* the most of those done */
    hs_i128 value_us, most_us;
};

/* ---- deadlines ---- */

/* By the rules of Gavel (OSDI 2020): 1.2, 2 or 10 times the run time after submission; and of
 * ElasticFlow (ASPLOS 2023): 0.5 to 1.5 times. For a job measured on another GPU type that is the
 * run time on the reference type, which jobs.csv has rounded up. */
static bool is_drawn(const struct verify_run *run, const struct verify_job *j)
{
    const int64_t left_us = j->row.deadline_us - j->submit_us;
    for (int64_t less = 0; less <= (j->has_ran ? 1 : 0); less++) {
        const int64_t run_us = j->has_ran ? j->row.work_us - less : j->recorded_us;
        const bool is_within = left_us >= run_us / 2 && left_us <= run_us / 2 + run_us;
        const bool is_multiple = left_us == run_us / 10 * 12 || left_us == run_us / 10 * 20 ||
                                 left_us == run_us / 10 * 100;
        if (run->setup.deadlines == VERIFY_ELASTICFLOW ? is_within : is_multiple)
            return true;
    }
    return false;
}

static void check_deadline(struct verify_check *c, const struct verify_job *j)
{
    const int64_t stated_us = j->row.deadline_us;
    if (stated_us == j->deadline_us ||
        (c->run->setup.deadlines != 0 && j->deadline_us < 0 && is_drawn(c->run, j)))
        return;
    VERIFY_FAULT_JOB(c, j, ": deadline %s, by the trace %s",
                     stated_us >= 0 ? HS_SECONDS(stated_us) : "-",
                     j->deadline_us >= 0 ? HS_SECONDS(j->deadline_us) : "-");
}

static void check_lateness(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    const bool has_one = row->is_done && row->deadline_us >= 0;
    const int64_t due_us = has_one ? row->finish_us - row->deadline_us : INT64_MIN;
    if (row->late_us != due_us)
        VERIFY_FAULT_JOB(c, j, ": lateness %s, by its own times %s",
                         row->late_us != INT64_MIN ? HS_SECONDS(row->late_us) : "-",
                         has_one ? HS_SECONDS(due_us) : "-");
}

/* Checks the value of a job: in millionths; the trace has thousandths. */
static void check_value(struct verify_check *c, const struct verify_job *j)
{
    const struct hs_deadline_option *of = &c->run->options[j->first_option];
    int64_t value_us = 0, most_us = -1;
    bool is_met = !j->row.is_done;
    for (uint32_t i = 0; i < j->options; i++) {
        const int64_t this_us = (int64_t)of[i].value_milli * 1000;
        most_us = this_us > most_us ? this_us : most_us;
        if (!is_met && j->row.finish_us <= j->submit_us + of[i].after_us) {
            value_us = this_us;
            is_met = true;
        }
    }
    c->looked += j->options > 0;
    if (j->options == 0)
        value_us = -1;
    if (j->row.value_us != value_us || j->row.most_us != most_us)
        VERIFY_FAULT_JOB(c, j, ": value %s of %s, by the trace %s of %s",
                         HS_SECONDS(j->row.value_us), HS_SECONDS(j->row.most_us),
                         HS_SECONDS(value_us), HS_SECONDS(most_us));
}

/* Adds a job that has a row in jobs.csv and a deadline. */
static void add_due(struct due_sums *due, const struct verify_run *run, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    const int64_t end_us = row->is_done ? row->finish_us : run->setup.until_us;
    const bool is_late =
        (!row->is_done && (row->is_rejected || row->finish_us >= 0)) || end_us > row->deadline_us;
    due->jobs++;
    due->misses += is_late;
    due->rejected += row->is_rejected;
    due->value_us += row->value_us > 0 ? row->value_us : 0;
    due->most_us += row->most_us > 0 ? row->most_us : 0;
    if (!row->is_done)
        return;
    const int64_t late_us = row->finish_us - row->deadline_us;
    due->latest_us = due->done++ == 0 || late_us > due->latest_us ? late_us : due->latest_us;
    due->late_us += late_us;
    due->met_milli_us += is_late ? 0 : row->milli_us;
}

struct due_row {
    const char *kind, *name;
    uint64_t jobs, misses, rejected;
    double mean, met, value, most;
    int64_t latest_us;
};

static const struct hs_rowcell due_cells[] = {
    {"kind", HS_ROWCELL_TEXT, offsetof(struct due_row, kind)},
    {"name", HS_ROWCELL_TEXT, offsetof(struct due_row, name)},
    {"deadlines", HS_ROWCELL_COUNT, offsetof(struct due_row, jobs)},
    {"deadline_misses", HS_ROWCELL_COUNT, offsetof(struct due_row, misses)},
    {"deadline_rejected", HS_ROWCELL_COUNT, offsetof(struct due_row, rejected)},
    {"mean_lateness", HS_ROWCELL_DOUBLE, offsetof(struct due_row, mean)},
    {"max_lateness", HS_ROWCELL_SIGNED_IF_ANY, offsetof(struct due_row, latest_us)},
    {"deadline_met_gpu_seconds", HS_ROWCELL_DOUBLE, offsetof(struct due_row, met)},
    {"value_kept", HS_ROWCELL_DOUBLE, offsetof(struct due_row, value)},
    {"value_most", HS_ROWCELL_DOUBLE, offsetof(struct due_row, most)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

struct due_check {
    struct verify_check *check;
    struct due_sums all, *vcs, *users; /* by the ids of the names */
};

static struct due_sums *due_of(struct due_check *d, const struct due_row *row)
{
    const struct verify_run *run = d->check->run;
    const bool is_vc = strcmp(row->kind, "vc") == 0;
    if (strcmp(row->kind, "all") == 0)
        return &d->all;
    if (!is_vc && strcmp(row->kind, "user") != 0)
        return NULL;
    const uint32_t name = hs_intern_find(is_vc ? &run->vcs : &run->users, row->name);
    return name == UINT32_MAX ? NULL : is_vc ? &d->vcs[name] : &d->users[name];
}

static bool is_near(double stated, double num, double den)
{
    return den > 0 ? fabs(stated - num / den) <= TOLERANCE * fabs(num / den) : isnan(stated);
}

static enum hs_status compare_row(void *ctx, const struct hs_rowfile *f)
{
    struct due_check *d = ctx;
    struct due_row row = {.kind = NULL};
    HS_TRY(hs_rowfile_read(f, &row));
    const struct due_sums *due = due_of(d, &row);
    d->check->looked++;
    if (due == NULL || due->jobs != row.jobs || due->misses != row.misses ||
        due->rejected != row.rejected ||
        row.latest_us != (due->done > 0 ? due->latest_us : INT64_MIN) ||
        !is_near(row.mean, (double)due->late_us, 1e6 * (double)due->done) ||
        !is_near(row.met, (double)due->met_milli_us, 1e6 * VERIFY_GPU_MILLI) ||
        !is_near(row.value, (double)due->value_us, 1e6) ||
        !is_near(row.most, (double)due->most_us, 1e6))
        verify_fault(d->check, "deadlines.csv", f->row.line, NULL, ": %s '%s' by the rows differs",
                     row.kind, row.name);
    return HS_OK;
}

/* One row each for all, every VC and every user of a job with a deadline. */
static enum hs_status check_file(struct verify_check *c)
{
    struct verify_run *run = c->run;
    struct due_check d = {.check = c};
    uint64_t wanted = 1;
    d.vcs = hs_alloc_zeroed(run->vcs.count + UINT64_C(1), sizeof *d.vcs);
    d.users = hs_alloc_zeroed(run->users.count + UINT64_C(1), sizeof *d.users);
    for (uint32_t i = 0; i < run->job_count; i++, hs_spill_step(&run->spill)) {
        const struct verify_job *j = &run->jobs[i];
        if (j->row.line == 0 || j->row.deadline_us < 0)
            continue;
        wanted += d.vcs[j->vc].jobs == 0 ? 1 : 0;
        wanted += d.users[j->user].jobs == 0 ? 1 : 0;
        add_due(&d.all, run, j);
        add_due(&d.vcs[j->vc], run, j);
        add_due(&d.users[j->user], run, j);
    }
    enum hs_status status = HS_OK;
    if (d.all.jobs == 0) /* then there is no such file */
        c->skipped = "no job that came has one";
    else
        status = hs_rowfile_each(&run->manifest, "deadlines.csv", due_cells, compare_row, &d);
    if (status == HS_OK && d.all.jobs > 0 && c->looked != wanted)
        VERIFY_FAULT(c, "deadlines.csv has %" PRIu64 " rows, by jobs.csv %" PRIu64, c->looked,
                     wanted);
    hs_free(d.vcs);
    hs_free(d.users);
    return status;
}

const struct verify_rule verify_deadline_rules[] = {
    {"deadlines are those of the trace", "jobs", "differences", .job = check_deadline},
    {"lateness follows from the times", "jobs", "differences", .job = check_lateness},
    {"values are those of the deadlines that were met", "jobs with options", "differences",
     .job = check_value, .skipped = "no job has deadlines with values"},
    {"deadlines.csv follows from the rows", "rows", "differences", .run = check_file},
    {.title = NULL},
};

/* ---- summary.json ---- */

/* Of completed jobs: times in us; slowdowns, for jobs with work, in ppm. */
enum measure { WAIT, JCT, PROGRESS, SLOWDOWN, RUN_SLOWDOWN, LATENESS, MEASURES };
static const char *const measure_names[MEASURES] = {"wait",     "jct",          "time_to_progress",
                                                    "slowdown", "run_slowdown", "lateness"};

struct values {
    int64_t *of; /* ascending after all are added */
    uint64_t count;
    hs_i128 sum;
};

/* Sums over completed jobs of one class. */
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
    struct due_sums due; /* jobs with a deadline, and the sum of the JCT of those done */
    hs_i128 slo_jct_us;
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

static void add_row(struct verify_sums *s, const struct verify_run *run, const struct verify_job *j)
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
    /* the last instant of the job; a rejected one may have waited */
    s->span_us = later(s->span_us, later(j->submit_us, j->sum.last_end_us));
    s->span_us = later(s->span_us, row->finish_us);
    if (row->is_rejected)
        s->span_us = later(s->span_us, row->submit_us + row->run_us + row->pending_us);
    if (row->deadline_us >= 0)
        add_due(&s->due, run, j);
    if (!row->is_done)
        return;
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
    if (row->deadline_us >= 0) {
        add_value(s, LATENESS, j->sum.finish_us - row->deadline_us);
        s->slo_jct_us += jct_us;
    }
    if (j->work_us > 0) {
        add_value(s, SLOWDOWN, verify_ppm(jct_us, j->work_us));
        add_value(s, RUN_SLOWDOWN, verify_ppm(j->sum.run_us, j->work_us));
    }
}

struct stated {
    struct verify_check *check;
    const struct hs_json *figures; /* an object */
    const char *owner;             /* precedes the names in messages */
};

/* Compares num / den (seconds or shares); den 0 means that the figure is undefined. */
static void compare_near(const struct stated *s, const char *name, double num, double den,
                         double tolerance)
{
    const struct hs_json *stated = hs_renamed_get(s->figures, name);
    bool is_stated = hs_json_kind(stated) == HS_JSON_NUMBER;
    double value = hs_json_number(stated), rebuilt = den > 0 ? num / den : 0;
    s->check->looked++;
    if (is_stated && den > 0 && fabs(value - rebuilt) <= tolerance * fabs(rebuilt))
        return;
    if (!is_stated && !(den > 0))
        return;
    VERIFY_FAULT(s->check, "summary.json: %s%s is %s, by the rows it is %s", s->owner, name,
                 is_stated ? HS_DIGITS(value) : "missing",
                 den > 0 ? HS_DIGITS(rebuilt) : "undefined");
}

static void compare(const struct stated *s, const char *name, double num, double den)
{
    compare_near(s, name, num, den, TOLERANCE);
}

static void compare_mean(const struct stated *s, const struct verify_sums *sums,
                         enum measure measure)
{
    compare(s, HS_TEXT("mean_%s", measure_names[measure]), (double)sums->values[measure].sum,
            1e6 * (double)sums->values[measure].count);
}

/* A quantile is the smallest value with at least percent/100 of all values at or below it. */
static void compare_quantiles(const struct stated *s, const struct verify_sums *sums,
                              enum measure measure)
{
    static const struct {
        const char *prefix;
        uint64_t percent;
    } quantiles[] = {{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"max", 100}};
    const struct values *values = &sums->values[measure];
    for (size_t i = 0; i < HS_COUNT_OF(quantiles); i++) {
        const uint64_t rank = (values->count * quantiles[i].percent + 99) / 100;
        const char *name = HS_TEXT("%s_%s", quantiles[i].prefix, measure_names[measure]);
        if (values->count > 0)
            compare(s, name, (double)values->of[(rank > 0 ? rank : 1) - 1], 1e6);
        else
            compare(s, name, 0, 0);
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
    /* if any job requests a class, the summary has the classes with jobs */
    bool is_told = sums->classes[HS_JOB_CLASS_AUTO].jobs < sums->done;
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++) {
        const char *name = hs_job_class_text((enum hs_job_class)i);
        const struct class_sums *class = &sums->classes[i];
        const struct stated of_class = {s->check, hs_json_get(hs_json_get(classes, "class"), name),
                                        HS_TEXT("%s: ", name)};
        double class_us = is_told ? 1e6 * (double)class->jobs : 0;
        if (of_class.figures == NULL && !(class_us > 0))
            continue;
        compare(&of_class, "jobs", class_us, 1e6);
        compare(&of_class, "mean_wait", (double)class->wait_us, class_us);
        compare(&of_class, "mean_jct", (double)class->jct_us, class_us);
    }
}

/* Compares metrics of jobs inside the window only if these are all jobs. */
static void compare_deadlines(const struct stated *s, const struct verify_sums *sums, bool is_all)
{
    const struct due_sums *due = &sums->due;
    compare(s, "deadlines", (double)due->jobs, 1);
    compare(s, "deadline_misses", (double)due->misses, 1);
    compare(s, "deadline_rejected", (double)due->rejected, 1);
    compare(s, "deadline_miss_share", (double)due->misses, (double)due->jobs);
    compare(s, "deadline_met_gpu_seconds", (double)due->met_milli_us, 1e6 * VERIFY_GPU_MILLI);
    compare(s, "value_kept", (double)due->value_us, 1e6);
    compare(s, "value_most", (double)due->most_us, 1e6);
    compare(s, "value_kept_share", (double)due->value_us, (double)due->most_us);
    if (!is_all)
        return;
    compare_mean(s, sums, LATENESS);
    compare_quantiles(s, sums, LATENESS);
    compare(s, "slo_mean_jct", (double)sums->slo_jct_us, 1e6 * (double)due->done);
    compare(s, "best_effort_mean_jct", (double)(sums->values[JCT].sum - sums->slo_jct_us),
            1e6 * (double)(sums->done - due->done));
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
    const bool is_window = run->setup.warmup_us > 0 || run->setup.cooldown_us > 0;
    if (sums->due.jobs > 0)
        compare_deadlines(&s, sums, !is_window);
    if (is_window)
        (void)snprintf(c->note, sizeof c->note, " (job statistics left out: a window is set)");
    else
        compare_statistics(&s, hs_json_get(root, "classes"), sums);
    compare(&s, "held_gpu_seconds", (double)run->held_us, 1e6);
    if (run->setup.until_us != HS_TIME_MAX || sums->unfinished > 0)
        return; /* makespan and span end at the horizon, or with the policy's last timer */
    compare(&s, "makespan", (double)sums->last_finish_us, sums->done + sums->failed > 0 ? 1e6 : 0);
    compare(&s, "mean_running", (double)sums->run_us, (double)sums->span_us);
    compare(&s, "gpu_allocation", (double)run->held_us, gpu_span);
    if (run->used > 0 && !run->setup.is_forked) /* before it, as the other policy's run knew it */
        compare_near(&s, "gpu_utilization", (double)run->used / 1e15, gpu_span,
                     (double)run->used_error / (double)run->used);
    compare(&s, "gpu_sharing", (double)run->shared_us, gpu_span);
    compare(&s, "gpu_allocated_share", (double)run->allocated_us, gpu_span * VERIFY_GPU_MILLI);
}

static enum hs_status check_summary(struct verify_check *c)
{
    struct verify_run *run = c->run;
    struct hs_json_doc *doc;
    struct verify_sums sums = {0};
    const char *path = HS_PATH("%s/summary.json", run->dir); /* as manifest.json */
    HS_TRY(hs_regular_check(path, run->diag));
    HS_TRY(hs_json_load(&doc, path, run->diag));
    for (int m = 0; m < MEASURES; m++)
        sums.values[m].of = hs_spill_alloc(&run->spill, run->job_count, sizeof(int64_t));
    for (uint32_t i = 0; i < run->job_count; i++, hs_spill_step(&run->spill))
        if (run->jobs[i].row.line != 0)
            add_row(&sums, run, &run->jobs[i]);
    for (int m = 0; m < MEASURES; m++)
        sums.values[m].of = hs_spill_sort(&run->spill, sums.values[m].of, sums.values[m].count,
                                          sizeof(int64_t), hs_order_at);
    compare_all(c, hs_json_root(doc), &sums);
    for (int m = 0; m < MEASURES; m++)
        hs_spill_release(&run->spill, sums.values[m].of);
    hs_json_close(doc);
    return HS_OK;
}

const struct verify_rule verify_summary_rules[] = {
    {"summary.json follows from the rows", "figures", "differences", .run = check_summary},
    {.title = NULL},
};
