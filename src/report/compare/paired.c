/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Manifest and jobs.csv of two run directories, joined row by row, then the figures of each group
 * of jobs.
 *
 * jobs.csv is in the order in which jobs end, and a job id may come more than once in a trace; so
 * both are sorted by submission, id, GPUs, work and place in the file, and then row i must be row
 * i. Jobs that are equal in all of these are the same to every scheduler that knows no more; they
 * are joined in the order in which they ended.
 *
 * A metric is taken at a time: its differences are sorted once, for the medians of all groups, and
 * summed by group and block, for means and intervals. Values are integers (microseconds, or
 * millionths), sums are exact. O(jobs log jobs + groups x resamples x blocks).
 */
#include "report/compare/paired.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "report/run/manifest.h"
#include "report/stats/exact.h"

#define ROWS_MAX  (UINT32_MAX / 2)
#define HINT_SIZE 512
#define PPM       1000000

/* ---- loading ---- */

struct cells {
    struct hs_paired_row row;
    const char *id, *success, *vc;
};
#define AT(field) offsetof(struct cells, field)

static const struct hs_rowcell cells[] = {
    {"job_id", HS_ROWCELL_TEXT, AT(id)},
    {"submission_time", HS_ROWCELL_TIME, AT(row.submit_us)},
    {"waiting_time", HS_ROWCELL_TIME_OR_NONE, AT(row.wait_us)},
    {"turnaround_time", HS_ROWCELL_TIME_OR_NONE, AT(row.jct_us)},
    {"isolated", HS_ROWCELL_TIME, AT(row.work_us)},
    {"run", HS_ROWCELL_TIME_OR_NONE, AT(row.run_us)},
    {"requested_number_of_resources", HS_ROWCELL_COUNT32, AT(row.gpus)},
    {"success", HS_ROWCELL_TEXT, AT(success)},
    {"vc", HS_ROWCELL_TEXT, AT(vc)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status add_row(void *ctx, const struct hs_rowfile *f)
{
    struct hs_paired_run *run = ctx;
    struct cells c = {.row = {.number = run->count}};
    struct hs_paired_row *row = &c.row;
    HS_TRY(hs_rowfile_read(f, &c));
    row->is_done = strcmp(c.success, "1") == 0;
    if (row->is_done && row->wait_us < 0)
        return hs_rowfile_bad(f, "waiting_time", "the time that a job which is done has waited");
    if (row->is_done && row->jct_us < 0)
        return hs_rowfile_bad(f, "turnaround_time", "the time that a job which is done has taken");
    if (row->is_done && row->run_us < 0)
        return hs_rowfile_bad(f, "run", "the time that a job which is done has run");
    row->id = hs_arena_text(&run->arena, c.id, strlen(c.id));
    row->vc = hs_intern_get(&run->vcs, c.vc);
    hs_grow((void **)&run->rows, &run->cap, (uint64_t)run->count + 1, sizeof *run->rows, ROWS_MAX);
    run->rows[run->count++] = *row;
    return HS_OK;
}

static enum hs_status load_run(struct hs_paired_run *run, const char *dir, struct hs_diag *diag)
{
    run->dir = dir;
    hs_intern_init(&run->vcs);
    HS_TRY(hs_runmanifest_open(&run->manifest, dir, diag));
    if (hs_runmanifest_file(&run->manifest, "jobs.csv") == NULL && run->manifest.file_count > 0)
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = dir},
                       "repeat the run with --outputs=jobs, or all",
                       "nothing to compare: the run was made without jobs.csv");
    return hs_rowfile_each(&run->manifest, "jobs.csv", cells, add_row, run);
}

/* ---- joining ---- */

/* Keys of the configuration that say which jobs there are. */
static const char *const workload_keys[] = {
    "load",         "scale_time", "window",          "sample_jobs",
    "max_jobs",     "until",      "format",          "map",
    "time_unit",    "cpu_jobs",   "zero_duration",   "skip_bad_rows",
    "outcomes",     "sort",       "philly_attempts", "gavel_throughputs",
    "openb_pending"};

static int compare_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const struct hs_paired_row *a, const struct hs_paired_row *b)
{
    int order = compare_int64(a->submit_us, b->submit_us);
    return order != 0 ? order : strcmp(a->id, b->id);
}

static int compare_demands(const struct hs_paired_row *a, const struct hs_paired_row *b)
{
    int order = compare_int64(a->gpus, b->gpus);
    return order != 0 ? order : compare_int64(a->work_us, b->work_us);
}

/* Total: no two rows have one number. */
static int compare_rows(const void *a, const void *b)
{
    const struct hs_paired_row *x = a, *y = b;
    int order = compare_keys(x, y);
    if (order == 0)
        order = compare_demands(x, y);
    return order != 0 ? order : compare_int64(x->number, y->number);
}

/* A setting that differs explains more than the first job that does. */
static const char *hint_of(const struct hs_paired *p, char hint[HINT_SIZE])
{
    for (size_t i = 0; i < sizeof workload_keys / sizeof *workload_keys; i++) {
        const char *text[HS_PAIRED_RUNS];
        char number[HS_PAIRED_RUNS][HS_RUNMANIFEST_NUMBER_SIZE];
        for (int r = 0; r < HS_PAIRED_RUNS; r++) {
            const struct hs_json *config = p->runs[r].manifest.config;
            text[r] = hs_runmanifest_text(hs_json_get(config, workload_keys[i]), number[r]);
            text[r] = text[r] != NULL ? text[r] : "not set";
        }
        if (strcmp(text[0], text[1]) == 0)
            continue;
        (void)snprintf(hint, HINT_SIZE, "%s differs: %s in %s, %s in %s", workload_keys[i], text[0],
                       p->runs[0].dir, text[1], p->runs[1].dir);
        return hint;
    }
    return NULL;
}

static enum hs_status differs(const struct hs_paired *p, const char *what)
{
    char hint[HINT_SIZE];
    struct hs_place place = {.file = p->runs[HS_PAIRED_B].dir};
    return hs_fail(p->diag, HS_E_INPUT, &place, hint_of(p, hint), "not of the workload of %s: %s",
                   p->runs[HS_PAIRED_A].dir, what);
}

static enum hs_status check_trace(const struct hs_paired *p)
{
    const struct hs_manifest_input *a = hs_runmanifest_trace(&p->runs[HS_PAIRED_A].manifest),
                                   *b = hs_runmanifest_trace(&p->runs[HS_PAIRED_B].manifest);
    char what[2 * HS_PATH_SIZE];
    if (a == NULL || b == NULL || (a->hash == b->hash && a->bytes == b->bytes))
        return HS_OK;
    (void)snprintf(what, sizeof what,
                   "trace %s (%016" PRIx64 ", %" PRIu64 " bytes) against %s (%016" PRIx64
                   ", %" PRIu64 " bytes)",
                   b->path, b->hash, b->bytes, a->path, a->hash, a->bytes);
    return differs(p, what);
}

static enum hs_status missing(const struct hs_paired *p, const struct hs_paired_row *row,
                              int has_it)
{
    char what[HS_PATH_SIZE];
    (void)snprintf(what, sizeof what, "job %s, submitted at %s, is %s", row->id,
                   HS_SECONDS(row->submit_us), has_it == HS_PAIRED_A ? "not in it" : "in it alone");
    return differs(p, what);
}

static enum hs_status check_rows(const struct hs_paired *p)
{
    const struct hs_paired_run *in_a = &p->runs[HS_PAIRED_A], *in_b = &p->runs[HS_PAIRED_B];
    for (uint32_t i = 0; i < in_a->count && i < in_b->count; i++) {
        const struct hs_paired_row *a = &in_a->rows[i], *b = &in_b->rows[i];
        char what[HS_PATH_SIZE];
        const int order = compare_keys(a, b);
        if (order != 0)
            return missing(p, order < 0 ? a : b, order < 0 ? HS_PAIRED_A : HS_PAIRED_B);
        if (compare_demands(a, b) == 0)
            continue;
        (void)snprintf(what, sizeof what,
                       "job %s, submitted at %s, wants %" PRIu32 " GPUs for %s s, not %" PRIu32
                       " for %s s",
                       a->id, HS_SECONDS(a->submit_us), b->gpus, HS_SECONDS(b->work_us), a->gpus,
                       HS_SECONDS(a->work_us));
        return differs(p, what);
    }
    if (in_a->count > in_b->count)
        return missing(p, &in_a->rows[in_b->count], HS_PAIRED_A);
    if (in_a->count < in_b->count)
        return missing(p, &in_b->rows[in_a->count], HS_PAIRED_B);
    return HS_OK;
}

/* Jobs that are done in both runs, and submitted inside the windows of both, as `horus run` counts
 * them. */
static void pick_compared(struct hs_paired *p)
{
    const struct hs_paired_run *a = &p->runs[HS_PAIRED_A], *b = &p->runs[HS_PAIRED_B];
    int64_t from_us = INT64_MIN, to_us = INT64_MAX;
    for (int r = 0; r < HS_PAIRED_RUNS && a->count > 0; r++) {
        const struct hs_runmanifest *m = &p->runs[r].manifest;
        const int64_t from = a->rows[0].submit_us + hs_runmanifest_duration_us(m, "warmup"),
                      to = a->rows[a->count - 1].submit_us -
                           hs_runmanifest_duration_us(m, "cooldown");
        from_us = from > from_us ? from : from_us;
        to_us = to < to_us ? to : to_us;
    }
    p->compared = hs_alloc_zeroed((uint64_t)a->count + 1, sizeof *p->compared);
    for (uint32_t i = 0; i < a->count; i++) {
        const bool in_a = a->rows[i].is_done, in_b = b->rows[i].is_done,
                   is_inside = a->rows[i].submit_us >= from_us && a->rows[i].submit_us <= to_us;
        if (in_a && in_b && is_inside)
            p->compared[p->count++] = i;
        p->outside += in_a && in_b && !is_inside;
        p->only_done[HS_PAIRED_A] += in_a && !in_b;
        p->only_done[HS_PAIRED_B] += in_b && !in_a;
        p->done_in_none += !in_a && !in_b;
    }
}

enum hs_status hs_paired_load(struct hs_paired *p, const char *dir_a, const char *dir_b,
                              struct hs_diag *diag)
{
    *p = (struct hs_paired){.diag = diag};
    HS_TRY(load_run(&p->runs[HS_PAIRED_A], dir_a, diag));
    HS_TRY(load_run(&p->runs[HS_PAIRED_B], dir_b, diag));
    HS_TRY(check_trace(p));
    for (int r = 0; r < HS_PAIRED_RUNS; r++)
        if (p->runs[r].count > 0)
            qsort(p->runs[r].rows, p->runs[r].count, sizeof *p->runs[r].rows, compare_rows);
    HS_TRY(check_rows(p));
    pick_compared(p);
    return HS_OK;
}

void hs_paired_free(struct hs_paired *p)
{
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        struct hs_paired_run *run = &p->runs[r];
        hs_runmanifest_close(&run->manifest);
        hs_arena_free(&run->arena);
        hs_intern_free(&run->vcs);
        hs_free(run->rows);
    }
    hs_free(p->compared);
    p->compared = NULL;
}

/* ---- groups ---- */

/* What a compared job is grouped by. Of each kind it is in one class, and classes that have jobs
 * are groups. */
enum { KIND_ALL, KIND_GPUS, KIND_VC, KIND_ISOLATED, KINDS };
#define CLASSES_MAX 11 /* of a kind */
_Static_assert(HS_PAIRED_VCS + 1 <= CLASSES_MAX && HS_CLASS_GPUS_COUNT <= CLASSES_MAX, "all fit");
#define NO_GROUP UINT8_MAX

struct vc_rank {
    const char *name;
    uint32_t jobs, vc;
};

struct grouping {
    struct hs_paired *p;
    struct vc_rank *vcs; /* most jobs first */
    uint8_t *class_of_vc;
};

static const struct hs_paired_row *row_of(const struct hs_paired *p, uint32_t i)
{
    return &p->runs[HS_PAIRED_A].rows[p->compared[i]];
}

/* Most jobs first; no two have one name. */
static int compare_vcs(const void *a, const void *b)
{
    const struct vc_rank *x = a, *y = b;
    if (x->jobs != y->jobs)
        return x->jobs > y->jobs ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The virtual clusters past the first HS_PAIRED_VCS are one class. */
static void rank_vcs(struct grouping *g)
{
    const struct hs_intern *vcs = &g->p->runs[HS_PAIRED_A].vcs;
    g->vcs = hs_alloc_zeroed(vcs->count, sizeof *g->vcs);
    g->class_of_vc = hs_alloc_zeroed(vcs->count, sizeof *g->class_of_vc);
    for (uint32_t v = 0; v < vcs->count; v++)
        g->vcs[v] = (struct vc_rank){.name = hs_intern_text(vcs, v), .vc = v};
    for (uint32_t i = 0; i < g->p->count; i++)
        g->vcs[row_of(g->p, i)->vc].jobs++;
    qsort(g->vcs, vcs->count, sizeof *g->vcs, compare_vcs);
    for (uint32_t k = 0; k < vcs->count; k++)
        g->class_of_vc[g->vcs[k].vc] = (uint8_t)(k < HS_PAIRED_VCS ? k : HS_PAIRED_VCS);
}

static int compare_us(const void *a, const void *b)
{
    return compare_int64(*(const int64_t *)a, *(const int64_t *)b);
}

static void find_quartiles(struct hs_paired *p)
{
    int64_t *lengths = hs_alloc_zeroed(p->count, sizeof *lengths);
    for (uint32_t i = 0; i < p->count; i++)
        lengths[i] = row_of(p, i)->work_us;
    qsort(lengths, p->count, sizeof *lengths, compare_us);
    for (uint64_t q = 0; q < HS_PAIRED_QUARTILES; q++)
        p->quartile_us[q] =
            lengths[(p->count * (q + 1) + HS_PAIRED_QUARTILES - 1) / HS_PAIRED_QUARTILES - 1];
    hs_free(lengths);
}

/* Jobs of one length are in one quartile, so that some may be empty. */
static uint32_t class_of(const struct grouping *g, int kind, const struct hs_paired_row *row)
{
    uint32_t q = 0;
    switch (kind) {
    case KIND_GPUS:
        return hs_class_of_gpus(row->gpus);
    case KIND_VC:
        return g->class_of_vc[row->vc];
    case KIND_ISOLATED:
        while (q + 1 < HS_PAIRED_QUARTILES && row->work_us > g->p->quartile_us[q])
            q++;
        return q;
    default:
        return 0;
    }
}

static uint8_t add_group(const struct grouping *g, int kind, uint32_t class)
{
    static const char *const kinds[KINDS] = {"all", "gpus", "vc", "isolated"};
    static const char *const quartiles[HS_PAIRED_QUARTILES] = {"q1", "q2", "q3", "q4"};
    struct hs_paired_group *group = &g->p->groups[g->p->group_count];
    struct hs_class of_gpus;
    const char *name = "";
    if (kind == KIND_GPUS) {
        hs_class_name(HS_CLASS_GPUS + class, NULL, &of_gpus);
        name = of_gpus.name;
    } else if (kind == KIND_VC) {
        name = class == HS_PAIRED_VCS          ? "(others)"
               : g->vcs[class].name[0] != '\0' ? g->vcs[class].name
                                               : "(none)";
    } else if (kind == KIND_ISOLATED) {
        name = quartiles[class];
    }
    group->kind = kinds[kind];
    (void)snprintf(group->name, sizeof group->name, "%s", name);
    return (uint8_t)g->p->group_count++;
}

/* Of each compared job the group that it is in of each kind; none of virtual clusters where no job
 * has one. */
static void make_groups(struct hs_paired *p, uint8_t (*of)[KINDS])
{
    struct grouping g = {.p = p};
    p->group_count = 0;
    memset(p->groups, 0, sizeof p->groups);
    memset(of, NO_GROUP, (size_t)p->count * sizeof *of);
    rank_vcs(&g);
    find_quartiles(p);
    for (int kind = 0; kind < KINDS; kind++) {
        bool is_seen[CLASSES_MAX] = {false};
        uint8_t group_of[CLASSES_MAX];
        if (kind == KIND_VC && p->runs[HS_PAIRED_A].vcs.count <= 1)
            continue;
        for (uint32_t i = 0; i < p->count; i++)
            is_seen[class_of(&g, kind, row_of(p, i))] = true;
        for (uint32_t c = 0; c < CLASSES_MAX; c++)
            if (is_seen[c])
                group_of[c] = add_group(&g, kind, c);
        for (uint32_t i = 0; i < p->count; i++)
            of[i][kind] = group_of[class_of(&g, kind, row_of(p, i))];
    }
    hs_free(g.vcs);
    hs_free(g.class_of_vc);
}

/* ---- figures ---- */

struct difference {
    int64_t value;
    uint32_t job; /* among the compared */
};

struct block_sums {
    hs_i128 of[HS_PAIRED_RUNS];
    hs_i128 jobs;
};

struct figuring {
    struct hs_paired *p;
    uint8_t (*groups_of)[KINDS]; /* a compared job each */
    struct difference *differences;
    uint32_t difference_count;
    struct block_sums *sums; /* groups x blocks */
    struct hs_bootstrap bootstrap;
};

static int64_t ratio_ppm(int64_t num, int64_t den)
{
    uint64_t ppm = den > 0 ? hs_exact_scaled((uint64_t)num, (uint64_t)den, PPM) : 0;
    return den <= 0 ? -1 : ppm < INT64_MAX ? (int64_t)ppm : INT64_MAX;
}

/* Microseconds, or millionths rounded half up; -1 if the job has none. */
static int64_t value_of(const struct hs_paired_row *row, enum hs_paired_metric metric)
{
    int64_t bounded;
    switch (metric) {
    case HS_PAIRED_WAIT:
        return row->wait_us;
    case HS_PAIRED_JCT:
        return row->jct_us;
    case HS_PAIRED_SLOWDOWN:
        return ratio_ppm(row->jct_us, row->work_us);
    case HS_PAIRED_BOUNDED:
        bounded = ratio_ppm(row->jct_us, row->work_us > HS_BOUND_US ? row->work_us : HS_BOUND_US);
        return bounded > PPM ? bounded : PPM;
    case HS_PAIRED_RUN_SLOWDOWN:
        return ratio_ppm(row->run_us, row->work_us);
    default:
        return -1;
    }
}

/* Total: no two are of one job. */
static int compare_differences(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static void take_job(struct figuring *f, enum hs_paired_metric metric, uint32_t job)
{
    struct hs_paired *p = f->p;
    uint32_t block = hs_bootstrap_block(job, p->count, p->blocks);
    int64_t value[HS_PAIRED_RUNS];
    for (int r = 0; r < HS_PAIRED_RUNS; r++)
        value[r] = value_of(&p->runs[r].rows[p->compared[job]], metric);
    if (value[HS_PAIRED_A] < 0)
        return;
    int64_t difference = value[HS_PAIRED_B] - value[HS_PAIRED_A];
    f->differences[f->difference_count++] = (struct difference){difference, job};
    for (int k = 0; k < KINDS; k++) {
        if (f->groups_of[job][k] == NO_GROUP)
            continue;
        struct hs_paired_figures *figures = &p->groups[f->groups_of[job][k]].figures[metric];
        struct block_sums *sums = &f->sums[f->groups_of[job][k] * p->blocks + block];
        for (int r = 0; r < HS_PAIRED_RUNS; r++)
            sums->of[r] += value[r];
        sums->jobs++;
        figures->jobs++;
        figures->better += difference < 0;
        figures->equal += difference == 0;
        figures->worse += difference > 0;
    }
}

/* The smallest with at least half of all not above it, as everywhere. */
static void find_medians(struct figuring *f, enum hs_paired_metric metric)
{
    uint64_t seen[HS_PAIRED_GROUPS] = {0};
    if (f->difference_count > 0)
        qsort(f->differences, f->difference_count, sizeof *f->differences, compare_differences);
    for (uint32_t i = 0; i < f->difference_count; i++) {
        const struct difference *d = &f->differences[i];
        for (int k = 0; k < KINDS; k++) {
            uint8_t group = f->groups_of[d->job][k];
            if (group == NO_GROUP)
                continue;
            struct hs_paired_figures *figures = &f->p->groups[group].figures[metric];
            if (++seen[group] == (figures->jobs + 1) / 2)
                figures->median_difference = hs_exact_signed(d->value, PPM);
        }
    }
}

static void find_means(struct figuring *f, uint32_t group, enum hs_paired_metric metric)
{
    const struct hs_paired *p = f->p;
    struct hs_paired_figures *figures = &f->p->groups[group].figures[metric];
    hs_i128 difference[HS_BOOTSTRAP_BLOCKS_MAX], units[HS_BOOTSTRAP_BLOCKS_MAX];
    hs_i128 of_a[HS_BOOTSTRAP_BLOCKS_MAX], of_b[HS_BOOTSTRAP_BLOCKS_MAX];
    hs_i128 sum[HS_PAIRED_RUNS] = {0}, all = (hs_i128)figures->jobs * PPM;
    for (uint32_t b = 0; b < p->blocks; b++) {
        const struct block_sums *sums = &f->sums[group * p->blocks + b];
        of_a[b] = sums->of[HS_PAIRED_A];
        of_b[b] = sums->of[HS_PAIRED_B];
        difference[b] = of_b[b] - of_a[b];
        units[b] = sums->jobs * PPM;
        sum[HS_PAIRED_A] += of_a[b];
        sum[HS_PAIRED_B] += of_b[b];
    }
    for (int r = 0; r < HS_PAIRED_RUNS; r++)
        figures->mean[r] = hs_exact_signed(sum[r], all);
    figures->difference = hs_exact_signed(sum[HS_PAIRED_B] - sum[HS_PAIRED_A], all);
    figures->ratio = hs_exact_signed(sum[HS_PAIRED_B], sum[HS_PAIRED_A]);
    figures->difference_95 = hs_bootstrap_interval(&f->bootstrap, difference, units);
    figures->ratio_95 = hs_bootstrap_interval(&f->bootstrap, of_b, of_a);
    if (figures->jobs == 0)
        figures->median_difference = (double)NAN;
}

enum hs_status hs_paired_compare(struct hs_paired *p, uint32_t resamples, uint64_t seed)
{
    struct hs_place place = {.file = p->runs[HS_PAIRED_B].dir};
    if (p->count == 0)
        return hs_fail(p->diag, HS_E_INPUT, &place, NULL,
                       "no job did all its work both in it and in %s: nothing to compare",
                       p->runs[HS_PAIRED_A].dir);
    p->resamples = resamples;
    p->seed = seed;
    /* by the differences of the JCT, in order of submission: what all metrics follow */
    int64_t *jct_us = hs_alloc_zeroed(p->count, sizeof *jct_us);
    for (uint32_t i = 0; i < p->count; i++)
        jct_us[i] = p->runs[HS_PAIRED_B].rows[p->compared[i]].jct_us -
                    p->runs[HS_PAIRED_A].rows[p->compared[i]].jct_us;
    p->blocks = hs_bootstrap_blocks(jct_us, p->count, &p->correlation);
    hs_free(jct_us);
    const uint64_t sums = (uint64_t)HS_PAIRED_GROUPS * p->blocks;
    struct figuring f = {.p = p,
                         .groups_of = hs_alloc_zeroed(p->count, sizeof *f.groups_of),
                         .differences = hs_alloc_zeroed(p->count, sizeof *f.differences),
                         .sums = hs_alloc_zeroed(sums, sizeof *f.sums)};
    make_groups(p, f.groups_of);
    hs_bootstrap_open(&f.bootstrap, p->blocks, p->resamples, p->seed);
    for (int m = 0; m < HS_PAIRED_METRICS; m++) {
        f.difference_count = 0;
        memset(f.sums, 0, sums * sizeof *f.sums);
        for (uint32_t i = 0; i < p->count; i++)
            take_job(&f, (enum hs_paired_metric)m, i);
        find_medians(&f, (enum hs_paired_metric)m);
        for (uint32_t g = 0; g < p->group_count; g++)
            find_means(&f, g, (enum hs_paired_metric)m);
    }
    hs_bootstrap_close(&f.bootstrap);
    hs_free(f.groups_of);
    hs_free(f.differences);
    hs_free(f.sums);
    return HS_OK;
}
