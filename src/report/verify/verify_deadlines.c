/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules on deadlines, for a run in which some job has one: compare those of jobs.csv with the
 * trace or the rule that drew them, lateness with the times, and deadlines.csv with the rows.
 */
#include <inttypes.h>
#include <math.h>

#include "base/fixed.h"
#include "report/verify/verify.h"

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

/* Millionths, of thousandths in the trace. */
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

void verify_due_add(struct verify_due *due, const struct verify_run *run,
                    const struct verify_job *j)
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

/* ---- deadlines.csv ---- */

struct due_row {
    const char *kind, *name;
    uint64_t jobs, misses, rejected;
    double mean, met, value, most;
    int64_t latest_us;
};
#define AT(field) offsetof(struct due_row, field)

static const struct hs_rowcell due_cells[] = {
    {"kind", HS_ROWCELL_TEXT, AT(kind)},
    {"name", HS_ROWCELL_TEXT, AT(name)},
    {"deadlines", HS_ROWCELL_COUNT, AT(jobs)},
    {"deadline_misses", HS_ROWCELL_COUNT, AT(misses)},
    {"deadline_rejected", HS_ROWCELL_COUNT, AT(rejected)},
    {"mean_lateness", HS_ROWCELL_DOUBLE, AT(mean)},
    {"max_lateness", HS_ROWCELL_SIGNED_IF_ANY, AT(latest_us)},
    {"deadline_met_gpu_seconds", HS_ROWCELL_DOUBLE, AT(met)},
    {"value_kept", HS_ROWCELL_DOUBLE, AT(value)},
    {"value_most", HS_ROWCELL_DOUBLE, AT(most)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

struct due_check {
    struct verify_check *check;
    struct verify_due all, *vcs, *users; /* by the ids of the names */
};

static struct verify_due *due_of(struct due_check *d, const struct due_row *row)
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
    return den > 0 ? fabs(stated - num / den) <= 1e-12 * fabs(num / den) : isnan(stated);
}

static enum hs_status compare_row(void *ctx, const struct hs_rowfile *f)
{
    struct due_check *d = ctx;
    struct due_row row = {.kind = NULL};
    HS_TRY(hs_rowfile_read(f, &row));
    const struct verify_due *due = due_of(d, &row);
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
        verify_due_add(&d.all, run, j);
        verify_due_add(&d.vcs[j->vc], run, j);
        verify_due_add(&d.users[j->user], run, j);
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
