/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads jobs.csv into one record a team and one wait a job; O(jobs log jobs).
 */
#include "report/explain/teams.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/run/run_table.h"

#define ROWS_MAX (UINT32_MAX / 2)

const char *const hs_teams_words[] = {[HS_TEAMS_VC] = "vc",
                                      [HS_TEAMS_USER] = "user",
                                      [HS_TEAMS_GPUS] = "gpus",
                                      [HS_TEAMS_STATE] = "state",
                                      [HS_TEAMS_KINDS] = NULL};
static const char *const titles[HS_TEAMS_KINDS] = {"virtual cluster", "user", "GPUs", "state"};

#define UNNAMED "(none)"

/* ---- reading ---- */

struct team_job {
    const char *user, *vc, *status, *success;
    int64_t submit_us, start_us, jct_us, isolated_us, gpu_us, deadline_us, late_us;
    uint32_t gpus, gpu_milli;
};

#define AT(field) offsetof(struct team_job, field)
static const struct hs_rowcell cells[] = {
    {"user", HS_ROWCELL_TEXT, AT(user)},
    {"vc", HS_ROWCELL_TEXT, AT(vc)},
    {"status", HS_ROWCELL_TEXT, AT(status)},
    {"success", HS_ROWCELL_TEXT, AT(success)},
    {"submission_time", HS_ROWCELL_TIME, AT(submit_us)},
    {"starting_time", HS_ROWCELL_TIME_OR_NONE, AT(start_us)},
    {"turnaround_time", HS_ROWCELL_TIME_OR_NONE, AT(jct_us)},
    {"isolated", HS_ROWCELL_TIME, AT(isolated_us)},
    {"gpu_seconds", HS_ROWCELL_NUMBER, AT(gpu_us)},
    {"requested_number_of_resources", HS_ROWCELL_COUNT32, AT(gpus)},
    {"gpu_share", HS_ROWCELL_SHARE, AT(gpu_milli)},
    {"deadline", HS_ROWCELL_TIME_IF_ANY, AT(deadline_us)},
    {"lateness", HS_ROWCELL_SIGNED_IF_ANY, AT(late_us)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status add_job(void *ctx, const struct hs_rowfile *f)
{
    struct hs_teams *t = ctx;
    struct team_job job = {.jct_us = -1};
    HS_TRY(hs_rowfile_read(f, &job));
    struct hs_class class = {.name = ""};
    if (t->by == HS_TEAMS_GPUS)
        hs_class_name(HS_CLASS_GPUS + hs_class_of_gpus(job.gpus), NULL, &class);
    const char *const names[HS_TEAMS_KINDS] = {[HS_TEAMS_VC] = job.vc,
                                               [HS_TEAMS_USER] = job.user,
                                               [HS_TEAMS_GPUS] = class.name,
                                               [HS_TEAMS_STATE] = job.status};
    const char *name = names[t->by];
    const uint32_t index = hs_intern_get(&t->names, name[0] != '\0' ? name : UNNAMED) - 1;
    if (index == t->count)
        *hs_push(t->of, t->count, t->cap, ROWS_MAX) = (struct hs_team){.quantile_us = {-1, -1, -1}};
    struct hs_team *team = &t->of[index];
    const uint64_t milli = (uint64_t)job.gpus * job.gpu_milli;
    team->jobs++;
    team->gpu_us += job.gpu_us > 0 ? job.gpu_us : 0;
    t->gpu_us += job.gpu_us > 0 ? job.gpu_us : 0;
    if (job.deadline_us >= 0) {
        t->has_deadlines = true;
        team->deadlines++;
        team->misses += job.late_us == INT64_MIN || job.late_us > 0;
    }
    if (strcmp(job.success, "1") != 0)
        return HS_OK;
    team->done++;
    team->wait_us += job.start_us - job.submit_us;
    team->jct_us += job.jct_us;
    team->need += (hs_u128)milli * (uint64_t)job.isolated_us;
    team->sojourn += (hs_u128)milli * (uint64_t)job.jct_us;
    *hs_push(t->waits, t->wait_count, t->wait_cap, ROWS_MAX) =
        (struct hs_team_wait){index, job.start_us - job.submit_us};
    return HS_OK;
}

static int by_team(const void *a, const void *b)
{
    const struct hs_team_wait *x = a, *y = b;
    return 2 * HS_ORDER(x->team, y->team) + HS_ORDER(x->wait_us, y->wait_us);
}

static int by_use(const void *a, const void *b)
{
    const struct hs_team *x = a, *y = b;
    return x->gpu_us != y->gpu_us ? HS_ORDER(y->gpu_us, x->gpu_us) : strcmp(x->name, y->name);
}

enum hs_status hs_teams_read(struct hs_teams *t, struct hs_runmanifest *run, enum hs_teams_by by)
{
    static const uint32_t permille[] = {500, 950, 990};
    double sum = 0, squares = 0;
    uint32_t used = 0;
    *t = (struct hs_teams){.by = by};
    hs_intern_init(&t->names);
    (void)hs_intern_get(&t->names, "");
    HS_TRY(hs_runmanifest_need(run, "jobs.csv", "explain"));
    HS_TRY(hs_rowfile_each(run, "jobs.csv", cells, add_job, t));
    qsort(t->waits, t->wait_count, sizeof *t->waits, by_team);
    for (uint32_t i = 0, first = 0; i < t->count; first += (uint32_t)t->of[i++].done) {
        struct hs_team *team = &t->of[i];
        const double share = team->sojourn > 0 ? (double)team->need / (double)team->sojourn : 0;
        team->name = hs_intern_text(&t->names, i + 1);
        sum += share;
        squares += share * share;
        used += team->sojourn > 0;
        for (size_t q = 0; team->done > 0 && q < 3; q++)
            team->quantile_us[q] =
                t->waits[first + (team->done * permille[q] + 999) / 1000 - 1].wait_us;
    }
    qsort(t->of, t->count, sizeof *t->of, by_use);
    /* Jain, Chiu, Hawe, DEC TR-301, 1984, of GPU time needed over GPU time in the system, as
     * fairness_jain of a summary */
    t->jain = used >= 2 && squares > 0 ? sum * sum / (used * squares) : (double)NAN;
    return HS_OK;
}

void hs_teams_free(struct hs_teams *t)
{
    hs_intern_free(&t->names);
    hs_free(t->of);
    hs_free(t->waits);
}

/* ---- writing ---- */

struct team_figures {
    double share, times_s[5]; /* mean wait, its quantiles, mean JCT; NaN: nothing to divide by */
};

static struct team_figures figures_of(const struct hs_teams *t, const struct hs_team *team)
{
    const double none = (double)NAN, done = team->done > 0 ? (double)team->done : none,
                 one = team->done > 0 ? 1 : none;
    return (struct team_figures){
        t->gpu_us > 0 ? (double)team->gpu_us / (double)t->gpu_us : none,
        {(double)team->wait_us / done / 1e6, (double)team->quantile_us[0] / one / 1e6,
         (double)team->quantile_us[1] / one / 1e6, (double)team->quantile_us[2] / one / 1e6,
         (double)team->jct_us / done / 1e6}};
}

static void say_teams(const struct hs_teams *t, struct hs_output *out)
{
    hs_say(out, "%-24s%9s%12s%9s%12s%12s%12s%12s%12s%s\n", titles[t->by], "jobs", "GPU-hours",
           "share", "mean wait", "p50 wait", "p95 wait", "p99 wait", "mean JCT",
           t->has_deadlines ? "  late" : "");
    for (uint32_t i = 0; i < t->count; i++) {
        const struct hs_team *team = &t->of[i];
        const struct team_figures f = figures_of(t, team);
        hs_say_padded(out, team->name, 23);
        hs_say(out, "%10" PRIu64 "%12.1f", team->jobs, (double)team->gpu_us / 3600e6);
        if (t->gpu_us > 0)
            hs_say(out, "%7.1f %%", 100 * f.share);
        else
            hs_say(out, "%9s", "-");
        for (size_t k = 0; k < HS_COUNT_OF(f.times_s); k++)
            hs_say(out, "%12s", team->done > 0 ? HS_TIME(f.times_s[k]) : "-");
        if (t->has_deadlines)
            hs_say(out, "%6" PRIu64 " of %" PRIu64, team->misses, team->deadlines);
        hs_say(out, "\n");
    }
    if (!isnan(t->jain))
        hs_say(out, "\nJain's index %.4f: 1 = all wait in proportion to their GPU time\n", t->jain);
    if (t->count == 1 && strcmp(t->of[0].name, UNNAMED) == 0)
        hs_say(out, "\nno job has one: run with --map=%s=COLUMN to read a column of another name\n",
               hs_teams_words[t->by]);
}

static void put_json(const struct hs_teams *t, struct hs_output *out)
{
    struct hs_jsonw json, *w = &json;
    hs_jsonw_begin(w, out);
    hs_jsonw_put(w, "={ by=%s jain=%g of=[", hs_teams_words[t->by], t->jain);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct hs_team *team = &t->of[i];
        const struct team_figures f = figures_of(t, team);
        hs_jsonw_put(w,
                     "=!{ name=%s jobs=%" PRIu64 " done=%" PRIu64 " gpu_seconds=%g share=%g "
                     "mean_wait=%g p50_wait=%g p95_wait=%g p99_wait=%g mean_jct=%g "
                     "deadlines=%" PRIu64 " deadline_misses=%" PRIu64 " }",
                     team->name, team->jobs, team->done, (double)team->gpu_us / 1e6, f.share,
                     f.times_s[0], f.times_s[1], f.times_s[2], f.times_s[3], f.times_s[4],
                     team->deadlines, team->misses);
    }
    hs_jsonw_put(w, "] }");
    hs_jsonw_finish(w);
}

static void put_csv(const struct hs_teams *t, struct hs_csvw *w)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct hs_team *team = &t->of[i];
        const struct team_figures f = figures_of(t, team);
        hs_csvw_row(w, "%s %" PRIu64 " %" PRIu64 " %s %g %g %g %g %g %g %" PRIu64 " %" PRIu64,
                    team->name, team->jobs, team->done, HS_SECONDS(team->gpu_us), f.share,
                    f.times_s[0], f.times_s[1], f.times_s[2], f.times_s[3], f.times_s[4],
                    team->deadlines, team->misses);
    }
}

enum hs_status hs_teams_write(const struct hs_rundir *dir,
                              struct hs_output_file files[HS_TEAMS_FILES], struct hs_diag *diag)
{
    static const char *const names[HS_TEAMS_FILES] = {
        [HS_TEAMS_VC] = "vcs.csv", [HS_TEAMS_USER] = "users.csv"};
    struct hs_runmanifest run;
    enum hs_status status = hs_runmanifest_open(&run, dir->beside.tmp, diag);
    for (int by = 0; status == HS_OK && by < HS_TEAMS_FILES; by++) {
        struct hs_teams teams;
        struct hs_csvw w;
        status = hs_teams_read(&teams, &run, (enum hs_teams_by)by);
        if (status == HS_OK)
            status = hs_open_listed(&w, dir, names[by], HS_TEAMS_HEADER, diag);
        if (status == HS_OK) {
            put_csv(&teams, &w);
            status = hs_close_listed(&w, names[by], &files[by], diag);
        }
        hs_teams_free(&teams);
    }
    hs_runmanifest_close(&run);
    return status;
}

enum hs_status hs_teams_explain(const char *dir, enum hs_teams_by by, enum hs_teams_form form,
                                struct hs_output *out, struct hs_diag *diag)
{
    struct hs_runmanifest run;
    struct hs_teams teams = {.by = by};
    enum hs_status status = hs_runmanifest_open(&run, dir, diag);
    if (status == HS_OK)
        status = hs_teams_read(&teams, &run, by);
    if (status == HS_OK && form == HS_TEAMS_TEXT) {
        say_teams(&teams, out);
    } else if (status == HS_OK && form == HS_TEAMS_JSON) {
        put_json(&teams, out);
    } else if (status == HS_OK) {
        struct hs_csvw w = {.out = *out};
        hs_say(&w.out, HS_TEAMS_HEADER "\n");
        put_csv(&teams, &w);
        *out = w.out;
    }
    hs_teams_free(&teams);
    hs_runmanifest_close(&run);
    return status;
}
