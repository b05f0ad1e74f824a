/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads manifest and jobs.csv of two run directories and matches their rows; computes the figures
 * of each group of jobs; prints them rounded (`horus compare RUN_A RUN_B`) and writes files with
 * all digits.
 *
 * jobs.csv is in order of job ends, and a trace may repeat a job id. Therefore both files are
 * sorted by submission, id, GPUs, work and row number; then row i of both must be the same job.
 * Jobs equal in all of these are the same to every scheduler that uses no more; they are matched in
 * the order in which they ended.
 *
 * Metrics are processed one at a time: the differences are sorted once, for the medians of all
 * groups, and summed by group and block. Values are integers (microseconds, or millionths), sums
 * are exact, and only their quotient is a double: the same bits everywhere. O(jobs log jobs +
 * groups x resamples x blocks).
 *
 * Jobs wait for the same GPUs, so consecutive jobs have similar waits, and intervals from drawing
 * single jobs would be far too narrow. Instead blocks of consecutively submitted jobs, all of one
 * length, are drawn with replacement, as many as there are (Carlstein, Annals of Statistics 14,
 * 1986; Kuensch, Annals of Statistics 17, 1989), and the interval is that of the percentiles (Efron
 * and Tibshirani, 1993, 13.3). A resample costs a sum over blocks.
 */
#include "report/compare/paired.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "report/run/run_table.h"
#include "report/stats/exact.h"

#define JOBS_MAX  (UINT32_MAX / 2)
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

static enum hs_status add_job(void *ctx, const struct hs_rowfile *f)
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
    *hs_push(run->rows, run->count, run->cap, JOBS_MAX) = *row;
    return HS_OK;
}

/* ---- matching rows ---- */

/* Keys of the configuration that determine the workload. */
static const char *const workload_keys[] = {
    "load",          "scale_time", "window",          "sample_jobs",
    "max_jobs",      "until",      "format",          "map",
    "time_unit",     "cpu_jobs",   "zero_duration",   "skip_bad_rows",
    "outcomes",      "sort",       "philly_attempts", "gavel_throughputs",
    "openb_pending", "max_events", "max_wall",        "seed"};

static int compare_keys(const struct hs_paired_row *a, const struct hs_paired_row *b)
{
    const int order = HS_ORDER(a->submit_us, b->submit_us);
    return order != 0 ? order : strcmp(a->id, b->id);
}

static int compare_demands(const struct hs_paired_row *a, const struct hs_paired_row *b)
{
    return 2 * HS_ORDER(a->gpus, b->gpus) + HS_ORDER(a->work_us, b->work_us);
}

/* A total order: row numbers are unique. */
static int compare_rows(const void *a, const void *b)
{
    const struct hs_paired_row *x = a, *y = b;
    const int keys = compare_keys(x, y), demands = compare_demands(x, y);
    return keys != 0 ? keys : 2 * demands + HS_ORDER(x->number, y->number);
}

/* A setting of both runs as text, `absent` if missing. differs_in: false if they agree. */
struct setting {
    const char *text[HS_PAIRED_RUNS];
    char number[HS_PAIRED_RUNS][HS_RUNMANIFEST_NUMBER_SIZE];
};

static bool differs_in(const struct hs_paired *p, const char *key, const char *absent,
                       struct setting *s)
{
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        const struct hs_json *value = hs_json_get(p->runs[r].manifest.config, key);
        s->text[r] = hs_json_kind(value) == HS_JSON_BOOL ? (hs_json_bool(value) ? "true" : "false")
                                                         : hs_runmanifest_text(value, s->number[r]);
        s->text[r] = s->text[r] != NULL ? s->text[r] : absent;
    }
    return strcmp(s->text[HS_PAIRED_A], s->text[HS_PAIRED_B]) != 0;
}

/* Adds a setting that differs, because this explains more than the first job that differs. */
static enum hs_status differs(const struct hs_paired *p, const char *what)
{
    const char *a = p->runs[HS_PAIRED_A].dir, *b = p->runs[HS_PAIRED_B].dir;
    char hint[HINT_SIZE] = "";
    for (size_t i = 0; i < HS_COUNT_OF(workload_keys) && hint[0] == '\0'; i++) {
        struct setting s;
        if (differs_in(p, workload_keys[i], "not set", &s))
            (void)snprintf(hint, sizeof hint, "%s differs: %s in %s, %s in %s", workload_keys[i],
                           s.text[HS_PAIRED_A], a, s.text[HS_PAIRED_B], b);
    }
    return hs_fail(p->diag, HS_E_INPUT, HS_AT({.file = b}), hint[0] != '\0' ? hint : NULL,
                   "not of the workload of %s: %s", a, what);
}

static enum hs_status check_rows(const struct hs_paired *p)
{
    const struct hs_paired_run *in_a = &p->runs[HS_PAIRED_A], *in_b = &p->runs[HS_PAIRED_B];
    for (uint32_t i = 0; i < in_a->count || i < in_b->count; i++) {
        const struct hs_paired_row *a = &in_a->rows[i], *b = &in_b->rows[i];
        const int order = i >= in_b->count ? -1 : i >= in_a->count ? 1 : compare_keys(a, b);
        if (order != 0)
            return differs(p, HS_TEXT("job %s, submitted at %s, is %s", order < 0 ? a->id : b->id,
                                      HS_SECONDS(order < 0 ? a->submit_us : b->submit_us),
                                      order < 0 ? "not in it" : "in it alone"));
        if (compare_demands(a, b) != 0)
            return differs(p, HS_TEXT("job %s, submitted at %s, requests %" PRIu32
                                      " GPUs for %s s, not %" PRIu32 " for %s s",
                                      a->id, HS_SECONDS(a->submit_us), b->gpus,
                                      HS_SECONDS(b->work_us), a->gpus, HS_SECONDS(a->work_us)));
    }
    return HS_OK;
}

/* Selects jobs completed in both runs and submitted inside both windows, as `horus run` counts
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

enum hs_status hs_paired_load(struct hs_paired *p, const char *const dirs[HS_PAIRED_RUNS],
                              struct hs_diag *diag)
{
    const struct hs_manifest_input *trace[HS_PAIRED_RUNS];
    *p = (struct hs_paired){.diag = diag};
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        struct hs_paired_run *run = &p->runs[r];
        run->dir = dirs[r];
        hs_intern_init(&run->vcs);
        HS_TRY(hs_runmanifest_open(&run->manifest, run->dir, diag));
        HS_TRY(hs_runmanifest_need(&run->manifest, "jobs.csv", "compare"));
        HS_TRY(hs_rowfile_each(&run->manifest, "jobs.csv", cells, add_job, run));
        trace[r] = hs_runmanifest_trace(&run->manifest);
        if (run->count > 0)
            qsort(run->rows, run->count, sizeof *run->rows, compare_rows);
    }
    const struct hs_manifest_input *a = trace[HS_PAIRED_A], *b = trace[HS_PAIRED_B];
    if (a != NULL && b != NULL && (a->hash != b->hash || a->bytes != b->bytes))
        return differs(p, HS_PATH("trace %s (%016" PRIx64 ", %" PRIu64
                                  " bytes) against %s (%016" PRIx64 ", %" PRIu64 " bytes)",
                                  b->path, b->hash, b->bytes, a->path, a->hash, a->bytes));
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

/* Each compared job is in one group of each kind. */
enum { KIND_ALL, KIND_GPUS, KIND_VC, KIND_ISOLATED, KINDS };
enum {
    FIRST_GPUS = 1,
    FIRST_VC = FIRST_GPUS + HS_CLASS_GPUS_COUNT,
    FIRST_ISOLATED = FIRST_VC + HS_PAIRED_VCS + 1,
};

static const struct hs_paired_row *row_of(const struct hs_paired *p, uint32_t i)
{
    return &p->runs[HS_PAIRED_A].rows[p->compared[i]];
}

static void name_group(struct hs_paired *p, uint32_t group, const char *kind, const char *name)
{
    p->groups[group].kind = kind;
    (void)snprintf(p->groups[group].name, sizeof p->groups[group].name, "%s", name);
}

struct vc_rank {
    const char *name;
    uint32_t jobs, vc;
};

/* Most jobs first; names are unique. */
static int compare_vcs(const void *a, const void *b)
{
    const struct vc_rank *x = a, *y = b;
    return x->jobs != y->jobs ? HS_ORDER(y->jobs, x->jobs) : strcmp(x->name, y->name);
}

/* Groups jobs by virtual cluster; those after the first HS_PAIRED_VCS share a group. No groups if
 * no job has a VC. */
static void group_by_vc(struct hs_paired *p, uint8_t (*of)[KINDS])
{
    const struct hs_intern *names = &p->runs[HS_PAIRED_A].vcs;
    struct vc_rank *ranks = hs_alloc_zeroed(names->count, sizeof *ranks);
    uint8_t *group_of = hs_alloc_zeroed(names->count, sizeof *group_of);
    for (uint32_t v = 0; v < names->count; v++)
        ranks[v] = (struct vc_rank){.name = hs_intern_text(names, v), .vc = v};
    for (uint32_t i = 0; i < p->count; i++)
        ranks[row_of(p, i)->vc].jobs++;
    qsort(ranks, names->count, sizeof *ranks, compare_vcs);
    for (uint32_t k = 0; k < names->count; k++) {
        const bool is_other = k >= HS_PAIRED_VCS;
        group_of[ranks[k].vc] = (uint8_t)(FIRST_VC + (is_other ? HS_PAIRED_VCS : k));
        if (names->count > 1)
            name_group(p, group_of[ranks[k].vc], "vc",
                       is_other                   ? "(others)"
                       : ranks[k].name[0] != '\0' ? ranks[k].name
                                                  : "(none)");
    }
    for (uint32_t i = 0; i < p->count; i++)
        of[i][KIND_VC] = group_of[row_of(p, i)->vc];
    hs_free(ranks);
    hs_free(group_of);
}

/* Groups jobs by quartile of length; equal lengths are in one quartile, so some may be empty. */
static void group_by_length(struct hs_paired *p, uint8_t (*of)[KINDS])
{
    int64_t *lengths = hs_alloc_zeroed(p->count, sizeof *lengths);
    for (uint32_t i = 0; i < p->count; i++)
        lengths[i] = row_of(p, i)->work_us;
    qsort(lengths, p->count, sizeof *lengths, hs_order_at);
    for (uint32_t q = 0; q < HS_PAIRED_QUARTILES; q++) {
        const char name[] = {'q', (char)('1' + q), '\0'};
        p->quartile_us[q] =
            lengths[((uint64_t)p->count * (q + 1) + HS_PAIRED_QUARTILES - 1) / HS_PAIRED_QUARTILES -
                    1];
        name_group(p, FIRST_ISOLATED + q, "isolated", name);
    }
    hs_free(lengths);
    for (uint32_t i = 0, q; i < p->count; i++) {
        for (q = 0; q + 1 < HS_PAIRED_QUARTILES && row_of(p, i)->work_us > p->quartile_us[q];)
            q++;
        of[i][KIND_ISOLATED] = (uint8_t)(FIRST_ISOLATED + q);
    }
}

static void make_groups(struct hs_paired *p, uint8_t (*of)[KINDS])
{
    memset(p->groups, 0, sizeof p->groups);
    name_group(p, 0, "all", "");
    for (uint32_t c = 0; c < HS_CLASS_GPUS_COUNT; c++) {
        struct hs_class of_gpus;
        hs_class_name(HS_CLASS_GPUS + c, NULL, &of_gpus);
        name_group(p, FIRST_GPUS + c, "gpus", of_gpus.name);
    }
    for (uint32_t i = 0; i < p->count; i++)
        of[i][KIND_GPUS] = (uint8_t)(FIRST_GPUS + hs_class_of_gpus(row_of(p, i)->gpus));
    group_by_vc(p, of);
    group_by_length(p, of);
}

/* ---- intervals ---- */

/* Long blocks cut few dependences between neighbours, many blocks estimate the spread well: with
 * 100 it is known to 7 %, and beyond 30 the gain is small (Schmeiser, Operations Research 30,
 * 1982). */
#define BLOCKS_MAX   100u
#define BLOCKS_LEAST 25u
/* A class of jobs found in fewer blocks has no interval: too many resamples would miss it. */
#define BLOCKS_WITH 10u
#define TAIL_DEN    40 /* 2.5 % on each side */

struct bootstrap {
    uint8_t *times; /* resamples x blocks: how often a block was drawn */
    double *values; /* of one figure, one per resample */
    uint32_t resamples, blocks;
};

static uint32_t block_of(uint32_t index, uint32_t count, uint32_t blocks)
{
    return (uint32_t)((uint64_t)index * blocks / count);
}

/* Returns the lag-1 autocorrelation; 0 if all values are equal. */
static double neighbour_correlation(const double *x, uint32_t count)
{
    double mean = 0, squares = 0, products = 0;
    for (uint32_t i = 0; i < count; i++)
        mean += x[i] / count;
    for (uint32_t i = 0; i < count; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        products += i > 0 ? (x[i] - mean) * (x[i - 1] - mean) : 0;
    }
    return squares > 0 ? products / squares : 0;
}

/* The correlation that independent blocks exceed with probability 1/40. */
static double chance_of(uint32_t blocks)
{
    return 1.96 / sqrt(blocks);
}

/* Returns 100 blocks, or one per value below 100 values; halved, down to 25, as long as means of
 * neighbouring blocks correlate more than by chance (Fishman, Management Science 24, 1978).
 * *correlation: of the final block means; 0 if all are equal. */
static uint32_t blocks_of(const int64_t *values, uint32_t count, double *correlation)
{
    double means[BLOCKS_MAX];
    uint32_t blocks = count < BLOCKS_MAX ? count : BLOCKS_MAX;
    for (;; blocks /= 2) {
        hs_i128 sums[BLOCKS_MAX] = {0};
        uint32_t sizes[BLOCKS_MAX] = {0};
        for (uint32_t i = 0; i < count; i++) {
            sums[block_of(i, count, blocks)] += values[i];
            sizes[block_of(i, count, blocks)]++;
        }
        for (uint32_t b = 0; b < blocks; b++)
            means[b] = (double)sums[b] / sizes[b];
        *correlation = neighbour_correlation(means, blocks);
        if (*correlation <= chance_of(blocks) || blocks / 2 < BLOCKS_LEAST)
            return blocks;
    }
}

/* Draws all resamples at once, from the stream "bootstrap" of the seed, so that every figure uses
 * the same ones. resamples 0: no figure has an interval. */
static void draw_blocks(struct bootstrap *b, uint32_t blocks, uint32_t resamples, uint64_t seed)
{
    struct hs_rng rng;
    *b = (struct bootstrap){.resamples = resamples, .blocks = blocks};
    b->times = hs_alloc_zeroed((uint64_t)resamples * blocks + 1, sizeof *b->times);
    b->values = hs_alloc_zeroed((uint64_t)resamples + 1, sizeof *b->values);
    hs_rng_open(&rng, seed, "bootstrap");
    for (uint32_t r = 0; r < resamples; r++)
        for (uint32_t i = 0; i < blocks; i++)
            b->times[(uint64_t)r * blocks + hs_rng_below(&rng, blocks)]++;
    hs_rng_close(&rng);
}

/* Returns the 95 % interval of sum(num) / sum(den) over `blocks` sums each; den >= 0. Resamples
 * with den 0 are skipped. */
static struct hs_paired_range interval_of(struct bootstrap *b, const hs_i128 *num,
                                          const hs_i128 *den)
{
    uint32_t with = 0, count = 0;
    for (uint32_t i = 0; i < b->blocks; i++)
        with += den[i] != 0;
    for (uint32_t r = 0; r < b->resamples && with >= BLOCKS_WITH; r++) {
        const uint8_t *times = b->times + (uint64_t)r * b->blocks;
        hs_i128 above = 0, below = 0;
        for (uint32_t i = 0; i < b->blocks; i++) {
            above += num[i] * times[i];
            below += den[i] * times[i];
        }
        if (below > 0)
            b->values[count++] = hs_exact_signed(above, below);
    }
    /* the k-th from each end, k = (resamples + 1) x 2.5 % rounded down (Efron and Tibshirani, 1993,
     * 12.5) */
    uint32_t k = (count + 1) / TAIL_DEN;
    if (k == 0)
        return (struct hs_paired_range){(double)NAN, (double)NAN};
    qsort(b->values, count, sizeof *b->values, hs_order_doubles);
    return (struct hs_paired_range){b->values[k - 1], b->values[count - k]};
}

/* ---- figures ---- */

struct difference {
    int64_t value;
    uint32_t job; /* index among the compared */
};

/* Sums of a group by block; units: PPM per job. */
struct block_sums {
    hs_i128 a[BLOCKS_MAX], b[BLOCKS_MAX], difference[BLOCKS_MAX], units[BLOCKS_MAX];
};

struct figuring {
    struct hs_paired *p;
    uint8_t (*groups_of)[KINDS]; /* one row per compared job */
    struct difference *differences;
    uint32_t difference_count;
    struct block_sums sums[HS_PAIRED_GROUPS];
    struct bootstrap bootstrap;
};

/* Returns microseconds, or millionths rounded half up; -1 if the job has no value. */
static int64_t value_of(const struct hs_paired_row *row, enum hs_paired_metric metric)
{
    const bool is_bounded = metric == HS_PAIRED_BOUNDED;
    const int64_t den = is_bounded && row->work_us < HS_BOUND_US ? HS_BOUND_US : row->work_us;
    if (metric == HS_PAIRED_WAIT || metric == HS_PAIRED_JCT)
        return metric == HS_PAIRED_WAIT ? row->wait_us : row->jct_us;
    if (den <= 0)
        return -1;
    const int64_t num = metric == HS_PAIRED_RUN_SLOWDOWN ? row->run_us : row->jct_us;
    const uint64_t ppm = hs_exact_scaled((uint64_t)num, (uint64_t)den, PPM);
    return is_bounded && ppm < PPM ? PPM : ppm < INT64_MAX ? (int64_t)ppm : INT64_MAX;
}

/* A total order: job indices are unique. */
static int compare_differences(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    return 2 * HS_ORDER(x->value, y->value) + HS_ORDER(x->job, y->job);
}

static void take_job(struct figuring *f, enum hs_paired_metric metric, uint32_t job)
{
    struct hs_paired *p = f->p;
    const uint32_t block = block_of(job, p->count, p->blocks), row = p->compared[job];
    const int64_t a = value_of(&p->runs[HS_PAIRED_A].rows[row], metric),
                  b = value_of(&p->runs[HS_PAIRED_B].rows[row], metric);
    if (a < 0)
        return;
    f->differences[f->difference_count++] = (struct difference){b - a, job};
    for (int k = 0; k < KINDS; k++) {
        struct hs_paired_figures *figures = &p->groups[f->groups_of[job][k]].figures[metric];
        struct block_sums *sums = &f->sums[f->groups_of[job][k]];
        sums->a[block] += a;
        sums->b[block] += b;
        sums->difference[block] += b - a;
        sums->units[block] += PPM;
        figures->jobs++;
        figures->better += b < a;
        figures->equal += b == a;
        figures->worse += b > a;
    }
}

/* The median is the smallest value with at least half of all values at or below it. */
static void find_medians(struct figuring *f, enum hs_paired_metric metric)
{
    uint64_t seen[HS_PAIRED_GROUPS] = {0};
    if (f->difference_count > 0)
        qsort(f->differences, f->difference_count, sizeof *f->differences, compare_differences);
    for (uint32_t i = 0; i < f->difference_count; i++) {
        const struct difference *d = &f->differences[i];
        for (int k = 0; k < KINDS; k++) {
            const uint8_t group = f->groups_of[d->job][k];
            struct hs_paired_figures *figures = &f->p->groups[group].figures[metric];
            if (++seen[group] == (figures->jobs + 1) / 2)
                figures->median_difference = hs_exact_signed(d->value, PPM);
        }
    }
}

enum hs_status hs_paired_compare(struct hs_paired *p, uint32_t resamples, uint64_t seed)
{
    if (p->count == 0)
        return hs_fail(p->diag, HS_E_INPUT, HS_AT({.file = p->runs[HS_PAIRED_B].dir}), NULL,
                       "no job did all its work both in it and in %s: nothing to compare",
                       p->runs[HS_PAIRED_A].dir);
    struct figuring *f = hs_alloc_zeroed(1, sizeof *f);
    f->p = p;
    f->groups_of = hs_alloc_zeroed(p->count, sizeof *f->groups_of);
    f->differences = hs_alloc_zeroed(p->count, sizeof *f->differences);
    p->resamples = resamples;
    p->seed = seed;
    /* from the JCT differences in order of submission, used for all metrics */
    int64_t *jct_us = hs_alloc_zeroed(p->count, sizeof *jct_us);
    for (uint32_t i = 0; i < p->count; i++)
        jct_us[i] = p->runs[HS_PAIRED_B].rows[p->compared[i]].jct_us -
                    p->runs[HS_PAIRED_A].rows[p->compared[i]].jct_us;
    p->blocks = blocks_of(jct_us, p->count, &p->correlation);
    hs_free(jct_us);
    make_groups(p, f->groups_of);
    draw_blocks(&f->bootstrap, p->blocks, p->resamples, p->seed);
    for (int m = 0; m < HS_PAIRED_METRICS; m++) {
        f->difference_count = 0;
        memset(f->sums, 0, sizeof f->sums);
        for (uint32_t i = 0; i < p->count; i++)
            take_job(f, (enum hs_paired_metric)m, i);
        find_medians(f, (enum hs_paired_metric)m);
        for (uint32_t g = 0; g < HS_PAIRED_GROUPS; g++) {
            const enum hs_paired_metric metric = (enum hs_paired_metric)m;
            const struct block_sums *sums = &f->sums[g];
            struct hs_paired_figures *figures = &f->p->groups[g].figures[metric];
            hs_i128 a = 0, b = 0, all = (hs_i128)figures->jobs * PPM;
            for (uint32_t i = 0; i < f->p->blocks; i++) {
                a += sums->a[i];
                b += sums->b[i];
            }
            figures->mean[HS_PAIRED_A] = hs_exact_signed(a, all);
            figures->mean[HS_PAIRED_B] = hs_exact_signed(b, all);
            figures->difference = hs_exact_signed(b - a, all);
            figures->ratio = hs_exact_signed(b, a);
            figures->difference_95 = interval_of(&f->bootstrap, sums->difference, sums->units);
            figures->ratio_95 = interval_of(&f->bootstrap, sums->b, sums->a);
            if (figures->jobs == 0)
                figures->median_difference = (double)NAN;
        }
    }
    p->group_count = 0;
    for (uint32_t g = 0; g < HS_PAIRED_GROUPS; g++)
        if (p->groups[g].kind != NULL && p->groups[g].figures[HS_PAIRED_JCT].jobs > 0)
            p->groups[p->group_count++] = p->groups[g];
    hs_free(f->bootstrap.times);
    hs_free(f->bootstrap.values);
    hs_free(f->groups_of);
    hs_free(f->differences);
    hs_free(f);
    return HS_OK;
}

/* ---- printing ---- */

#define CELL_SIZE    96
#define ROWS_MAX     (HS_PAIRED_GROUPS + 1)
#define COLUMNS_MAX  10
#define GAP          2u
#define SETTINGS_MAX 24

/* A table whose first row is its head. */
struct grid {
    char cells[ROWS_MAX][COLUMNS_MAX][CELL_SIZE];
    uint32_t rows, columns;
    uint32_t left; /* left-aligned columns */
};

/* Adds a row of texts, NULL-terminated. */
static void add_row(struct grid *g, ...)
{
    va_list args;
    uint32_t column = 0;
    va_start(args, g);
    for (const char *text; (text = va_arg(args, const char *)) != NULL; column++)
        (void)snprintf(g->cells[g->rows][column], CELL_SIZE, "%s", text);
    va_end(args);
    g->columns = column;
    g->rows++;
}

/* Prints the columns that fit, and always the first three. */
static void put_grid(struct hs_output *out, const struct grid *g, uint32_t columns)
{
    int width[COLUMNS_MAX] = {0};
    uint32_t used = 0, shown = 0;
    for (; shown < g->columns; shown++) {
        for (uint32_t r = 0; r < g->rows; r++) {
            const int length = (int)strlen(g->cells[r][shown]);
            width[shown] = length > width[shown] ? length : width[shown];
        }
        used += (uint32_t)width[shown] + (shown > 0 ? GAP : 0);
        if (used > columns && shown >= 3)
            break;
    }
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t c = 0; c < shown; c++) {
            const bool is_left = c < g->left, is_last = c + 1 == shown;
            hs_say(out, "%*s%*s%s", c > 0 ? (int)GAP : 0, "",
                   is_left ? (is_last ? 0 : -width[c]) : width[c], g->cells[r][c],
                   is_last ? "\n" : "");
        }
}

/* ---- figures ---- */

static const struct hs_runcolumn metrics[HS_PAIRED_METRICS] = {
    {.metric = "wait", .title = "wait", .kind = HS_COLUMN_TIME},
    {.metric = "jct", .title = "JCT", .kind = HS_COLUMN_TIME},
    {.metric = "slowdown", .title = "slowdown", .kind = HS_COLUMN_RATIO},
    {.metric = "bounded_slowdown", .title = "bounded slowdown", .kind = HS_COLUMN_RATIO},
    {.metric = "run_slowdown", .title = "run slowdown", .kind = HS_COLUMN_RATIO}};

/* A cell, "-" if unknown; valid until the end of the block. */
#define CELL(is_known, ...) ((is_known) ? HS_TEXT(__VA_ARGS__) : "-")
#define VALUE(m, value)     HS_COLUMN_TEXT(&metrics[m], value)
#define SHARE(count, of)    CELL((of) > 0, "%.1f %%", 100 * (double)(count) / (double)(of))
#define RATIO(ratio)                                                                               \
    CELL(!isnan(ratio), (ratio) == 0 || ((ratio) >= 0.01 && (ratio) < 1000) ? "%.3f" : "%.2g",     \
         ratio)
#define INTERVAL(end, low, high) CELL(!isnan(end), "%.40s .. %.40s", low, high)

static void put_metrics(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    struct grid means = {.left = 1}, by_job = {.left = 1};
    add_row(&means, "", "mean A", "mean B", "B - A", "95 % interval", "B / A", "95 % interval",
            NULL);
    add_row(&by_job, "job by job", "B better", "equal", "B worse", "median B - A", NULL);
    for (int m = 0; m < HS_PAIRED_METRICS; m++) {
        const struct hs_paired_figures *f = &p->groups[0].figures[m];
        const struct hs_paired_range *d = &f->difference_95, *r = &f->ratio_95;
        add_row(&means, metrics[m].title, VALUE(m, f->mean[HS_PAIRED_A]),
                VALUE(m, f->mean[HS_PAIRED_B]), VALUE(m, f->difference),
                INTERVAL(d->low, VALUE(m, d->low), VALUE(m, d->high)), RATIO(f->ratio),
                INTERVAL(r->low, RATIO(r->low), RATIO(r->high)), NULL);
        add_row(&by_job, metrics[m].title, SHARE(f->better, f->jobs), SHARE(f->equal, f->jobs),
                SHARE(f->worse, f->jobs), VALUE(m, f->median_difference), NULL);
    }
    put_grid(out, &means, columns);
    hs_say(out, "\n");
    put_grid(out, &by_job, columns);
}

static void put_groups(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    struct grid g = {.left = 1};
    add_row(&g, "JCT", "jobs", "mean A", "mean B", "B / A", "95 % interval", "B better", "equal",
            "B worse", NULL);
    for (uint32_t i = 1; i < p->group_count; i++) {
        const char *kind = p->groups[i].kind, *name = p->groups[i].name;
        const struct hs_paired_figures *f = &p->groups[i].figures[HS_PAIRED_JCT];
        const struct hs_paired_range *r = &f->ratio_95;
        const uint32_t q = (uint32_t)(name[1] - '1'); /* of "q1".. */
        const bool is_last = q + 1 == HS_PAIRED_QUARTILES;
        const char *title =
            strcmp(kind, "isolated") == 0
                ? HS_TEXT("isolated %s %s %s", name, is_last ? ">" : "<=",
                          HS_TIME((double)p->quartile_us[is_last ? q - 1 : q] / 1e6))
            : strcmp(kind, "vc") == 0
                ? HS_TEXT("vc %s", name)
                : HS_TEXT("%s GPU%s", name, strcmp(name, "1") == 0 ? "" : "s");
        add_row(&g, title, HS_GROUPED(f->jobs), VALUE(HS_PAIRED_JCT, f->mean[HS_PAIRED_A]),
                VALUE(HS_PAIRED_JCT, f->mean[HS_PAIRED_B]), RATIO(f->ratio),
                INTERVAL(r->low, RATIO(r->low), RATIO(r->high)), SHARE(f->better, f->jobs),
                SHARE(f->equal, f->jobs), SHARE(f->worse, f->jobs), NULL);
    }
    put_grid(out, &g, columns);
}

void hs_paired_print(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    const struct {
        uint32_t jobs;
        const char *what;
    } left_out[] = {{p->only_done[HS_PAIRED_A], "done in A alone"},
                    {p->only_done[HS_PAIRED_B], "done in B alone"},
                    {p->done_in_none, "done in neither"},
                    {p->outside, "outside --warmup and --cooldown"}};
    const char *before = "; not:";
    const bool has_any = p->resamples > 0 && p->blocks >= BLOCKS_WITH;
    /* Prints the settings that differ: the keys of A's configuration, then those only in B's. */
    struct grid g = {.left = COLUMNS_MAX};
    const struct hs_json *of_a = p->runs[HS_PAIRED_A].manifest.config;
    struct setting s;
    add_row(&g, "", "A", "B", NULL);
    add_row(&g, "run", p->runs[HS_PAIRED_A].dir, p->runs[HS_PAIRED_B].dir, NULL);
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        const struct hs_json *m = hs_json_first(p->runs[r].manifest.config);
        for (; m != NULL; m = hs_json_next(m)) {
            const char *key = hs_json_key(m);
            if ((r == HS_PAIRED_A || hs_json_get(of_a, key) == NULL) && g.rows < SETTINGS_MAX &&
                differs_in(p, key, "-", &s))
                add_row(&g, key, s.text[HS_PAIRED_A], s.text[HS_PAIRED_B], NULL);
        }
    }
    put_grid(out, &g, columns);
    hs_say(out, "\njobs        %s compared, done in both", HS_GROUPED(p->count));
    for (size_t i = 0; i < HS_COUNT_OF(left_out); i++)
        if (left_out[i].jobs > 0) {
            hs_say(out, "%s %s %s", before, HS_GROUPED(left_out[i].jobs), left_out[i].what);
            before = ",";
        }
    hs_say(out, "\n");
    if (has_any)
        hs_say(out,
               "intervals   %s times %" PRIu32 " blocks of %s jobs in order of submission, drawn "
               "with replacement\n",
               HS_GROUPED(p->resamples), p->blocks, HS_GROUPED(p->count / p->blocks));
    else if (p->resamples > 0)
        hs_say(out, "intervals   none: of fewer than %u jobs they would mean nothing\n",
               BLOCKS_WITH);
    if (has_any && p->correlation > chance_of(p->blocks))
        hs_say(out, "%11s too narrow: neighbouring blocks are correlated (%.2f)\n", "",
               p->correlation);
    hs_say(out, "\n");
    put_metrics(p, out, columns);
    hs_say(out, "\n");
    put_groups(p, out, columns);
}

/* ---- output files ---- */

static const char figures_header[] =
    "group,key,metric,jobs,mean_a,mean_b,difference,difference_low,difference_high,ratio,"
    "ratio_low,ratio_high,better,equal,worse,median_difference";
static const char jobs_header[] =
    "job_id,submission_time,gpus,vc,wait_a,wait_b,jct_a,jct_b,difference,isolated,run_a,run_b,"
    "compared";

static void put_figures(struct hs_csvw *w, const struct hs_paired *p)
{
    for (uint32_t i = 0; i < p->group_count * HS_PAIRED_METRICS; i++) {
        const struct hs_paired_group *group = &p->groups[i / HS_PAIRED_METRICS];
        const struct hs_paired_figures *f = &group->figures[i % HS_PAIRED_METRICS];
        hs_csvw_row(w, "%s %s %s %" PRIu64 " %g %g %g %g %g %g %g %g %s %s %s %g", group->kind,
                    group->name, metrics[i % HS_PAIRED_METRICS].metric, (uint64_t)f->jobs,
                    f->mean[HS_PAIRED_A], f->mean[HS_PAIRED_B], f->difference, f->difference_95.low,
                    f->difference_95.high, f->ratio, f->ratio_95.low, f->ratio_95.high,
                    HS_RATIO(f->better, f->jobs, 6), HS_RATIO(f->equal, f->jobs, 6),
                    HS_RATIO(f->worse, f->jobs, 6), f->median_difference);
    }
}

static void put_jobs(struct hs_csvw *w, const struct hs_paired *p)
{
    const struct hs_paired_run *in_a = &p->runs[HS_PAIRED_A];
    uint32_t next = 0; /* index among the compared */
    for (uint32_t i = 0; i < in_a->count && w->out.error == 0; i++) {
        const struct hs_paired_row *a = &in_a->rows[i], *b = &p->runs[HS_PAIRED_B].rows[i];
        const bool is_compared = next < p->count && p->compared[next] == i;
        next += is_compared;
        hs_csvw_row(w, "%s %s %u %s %s %s %s %s %s %s %s %s %u", a->id, HS_SECONDS(a->submit_us),
                    a->gpus, hs_intern_text(&in_a->vcs, a->vc), HS_SECONDS_OR_NONE(a->wait_us),
                    HS_SECONDS_OR_NONE(b->wait_us), HS_SECONDS_OR_NONE(a->jct_us),
                    HS_SECONDS_OR_NONE(b->jct_us),
                    a->is_done && b->is_done ? HS_SECONDS(b->jct_us - a->jct_us) : "",
                    HS_SECONDS(a->work_us), HS_SECONDS_OR_NONE(a->run_us),
                    HS_SECONDS_OR_NONE(b->run_us), is_compared);
    }
}

enum hs_status hs_paired_write(const struct hs_paired *p, const struct hs_rundir *dir,
                               struct hs_output_file files[HS_PAIRED_FILES])
{
    static const struct {
        const char *name, *header;
        void (*put)(struct hs_csvw *w, const struct hs_paired *p);
    } written[HS_PAIRED_FILES] = {{"paired.csv", figures_header, put_figures},
                                  {"jobs_paired.csv", jobs_header, put_jobs}};
    for (int i = 0; i < HS_PAIRED_FILES; i++) {
        struct hs_csvw w;
        HS_TRY(hs_open_listed(&w, dir, written[i].name, written[i].header, p->diag));
        written[i].put(&w, p);
        HS_TRY(hs_close_listed(&w, written[i].name, &files[i], p->diag));
    }
    return HS_OK;
}
