/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurements with a row for each tenant of a GPU, and published ones of their kind: a campaign of
 * scripts/measure-sharing, Tally's, nos's, blox-pal's of gangs; and Sia's of gangs alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "calibrate/sheet.h"
#include "model/cluster.h"
#include "model/profile.h"

#define RATE_MAX  1e12
#define GPUS_MAX  1024
#define PATH_SIZE 4096

static void add_tenancy(struct hs_measurements *m, const struct hs_tenancy *row)
{
    *hs_push(m->tenancies, m->tenancy_count, m->tenancy_cap, HS_MEASURE_MAX) = *row;
}

/* Finds or adds the job of the row in that mode; its texts lie in the row. */
static enum hs_status job_of(struct hs_sheet *s, const char *gpu, const char *mode,
                             const char *model, const char *of, double util, uint32_t *index)
{
    struct hs_solo job = hs_solo_unmeasured;
    HS_TRY(hs_measure_gpu(s->m, gpu, mode, &job.gpu));
    job.model = model;
    job.dataset = of;
    job.batch = "";
    job.precision = "unknown";
    job.speed = 1; /* speeds beside others are relative to it */
    job.util = util;
    job.line = s->row.line;
    *index = hs_measure_solo(s->m, &job);
    return HS_OK;
}

/* ---- a campaign ----
 * Rows of one set ran in one window on the same GPUs; a set of one row ran alone. Runs of one job
 * alone are averaged. 0 in all rows: they did not fit. */

#define CAMPAIGN_COLUMNS(X)                                                                        \
    X(SET, "set", true, HS_NO_NUMBER)                                                              \
    X(GPU, "gpu", true, HS_NO_NUMBER)                                                              \
    X(MODE, "mode", true, HS_NO_NUMBER)                                                            \
    X(GPUS, "gpus", false, 1, GPUS_MAX, 1, NULL)                                                   \
    X(JOB, "job", true, HS_NO_NUMBER)                                                              \
    X(KIND, "kind", false, HS_NO_NUMBER)                                                           \
    X(RATE, "rate", true, 0, RATE_MAX, 1, NULL)                                                    \
    X(UTIL, "util", false, HS_PER_CENT)                                                            \
    X(BUSY, "busy", false, HS_PER_CENT)                                                            \
    X(SM_ACTIVITY, "sm_activity", false, HS_PER_CENT)                                              \
    X(SM_OCCUPANCY, "sm_occupancy", false, HS_PER_CENT)                                            \
    X(BANDWIDTH, "bandwidth", false, HS_PER_CENT)                                                  \
    X(MEMORY, "memory", false, HS_MIB)                                                             \
    X(WINDOW, "window_s", false, 0, RATE_MAX, 1, NULL)                                             \
    X(NOTE, "note", false, HS_NO_NUMBER)

#define CAMPAIGN_ENUM(name, ...) CAMPAIGN_##name,
enum { CAMPAIGN_COLUMNS(CAMPAIGN_ENUM) CAMPAIGN_COUNT };
static const struct hs_sheet_column campaign_columns[CAMPAIGN_COUNT] = {
    CAMPAIGN_COLUMNS(HS_SHEET_COLUMN)};

struct campaign_row {
    uint32_t solo, set;
    double rate, util, bw_util, mem_mib;
    int64_t line;
};

struct campaign {
    struct hs_sheet sheet; /* first */
    struct campaign_row *rows;
    uint32_t count, cap;
    uint32_t sets; /* the last one's number */
    char set[HS_MEASURE_NAME_MAX + 1];
};

static enum hs_status take_tenant(struct hs_sheet *s)
{
    struct campaign *c = (struct campaign *)s;
    struct hs_key_parts parts;
    const char *set = hs_sheet_name(s, CAMPAIGN_SET), *gpu = hs_sheet_name(s, CAMPAIGN_GPU);
    const char *mode = hs_sheet_name(s, CAMPAIGN_MODE);
    struct hs_solo job = hs_sheet_job(s, CAMPAIGN_JOB, &parts);
    const double gpus = hs_sheet_number(s, CAMPAIGN_GPUS);
    struct campaign_row row = {.rate = hs_sheet_number(s, CAMPAIGN_RATE),
                               .util = hs_sheet_number(s, CAMPAIGN_UTIL),
                               .bw_util = hs_sheet_number(s, CAMPAIGN_BANDWIDTH),
                               .mem_mib = hs_sheet_number(s, CAMPAIGN_MEMORY),
                               .line = s->row.line};
    uint32_t word = 0;
    while (hs_sharing_modes[word] != NULL && strcmp(mode, hs_sharing_modes[word]) != 0)
        word++;
    if (hs_sharing_modes[word] == NULL && strcmp(mode, HS_MODE_UNKNOWN) != 0)
        hs_sheet_fault(s, CAMPAIGN_MODE, "timeslice, mps, mig or unknown", "no mode: '%.80s'",
                       mode);
    if (isnan(row.rate))
        hs_sheet_fault(s, CAMPAIGN_RATE, "0: it did not fit", "a tenant without a rate");
    if (!s->is_good)
        return HS_OK;
    HS_TRY(hs_measure_gpu(s->m, gpu, mode, &job.gpu));
    job.gpus = isnan(gpus) ? 1 : (uint32_t)gpus;
    row.solo = hs_measure_solo(s->m, &job);
    c->sets += c->count == 0 || strcmp(set, c->set) != 0;
    (void)snprintf(c->set, sizeof c->set, "%s", set);
    row.set = c->sets;
    *hs_push(c->rows, c->count, c->cap, HS_MEASURE_MAX) = row;
    return HS_OK;
}

/* Returns the end of the set that begins with this row: one past its last row. */
static uint32_t set_end(const struct campaign *c, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < c->count && c->rows[end].set == c->rows[first].set)
        end++;
    return end;
}

static void average_alone(struct campaign *c)
{
    struct hs_measurements *m = c->sheet.m;
    double *runs = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *runs);
    for (uint32_t i = 0; i < c->count; i = set_end(c, i)) {
        const struct campaign_row *row = &c->rows[i];
        struct hs_solo *solo = &m->solos[row->solo];
        if (set_end(c, i) > i + 1 || row->rate == 0)
            continue;
        const double n = ++runs[row->solo], kept = (n - 1) / n;
        double *figures[] = {&solo->speed, &solo->util, &solo->bw_util, &solo->mem_mib};
        const double found[] = {row->rate, row->util, row->bw_util, row->mem_mib};
        for (uint32_t f = 0; f < HS_COUNT_OF(found); f++)
            *figures[f] = n == 1 ? found[f] : *figures[f] * kept + found[f] / n;
    }
    hs_free(runs);
}

static void take_set(struct campaign *c, uint32_t first, uint32_t end)
{
    struct hs_measurements *m = c->sheet.m;
    double speeds[2];
    for (uint32_t i = first; i < end; i++) {
        const struct campaign_row *row = &c->rows[i];
        const double speed = row->rate / m->solos[row->solo].speed;
        if (end - first > 2)
            add_tenancy(m, &(struct hs_tenancy){.set = row->set,
                                                .solo = row->solo,
                                                .gpu = m->solos[row->solo].gpu,
                                                .speed = speed});
        else
            speeds[i - first] = speed;
    }
    if (end - first != 2)
        return;
    const struct campaign_row *a = &c->rows[first], *b = &c->rows[first + 1];
    const bool has_failed = a->rate == 0 || b->rate == 0;
    const uint32_t dropped[] = {isnan(speeds[0]) ? HS_DROPPED(NO_SOLO) : 0,
                                isnan(speeds[1]) ? HS_DROPPED(NO_SOLO) : 0};
    hs_measure_both(m,
                    &(struct hs_pair){.own = a->solo,
                                      .other = b->solo,
                                      .gpu = m->solos[a->solo].gpu,
                                      .speed = has_failed ? 0 : speeds[0],
                                      .joint_util = a->util,
                                      .joint_bw_util = a->bw_util,
                                      .joint_mem_mib = a->mem_mib + b->mem_mib,
                                      .dropped = has_failed ? 0 : dropped[0],
                                      .line = a->line},
                    has_failed ? 0 : speeds[1], has_failed ? 0 : dropped[1]);
}

static enum hs_status read_campaign(struct hs_measurements *m, const char *path,
                                    struct hs_diag *diag)
{
    struct campaign c = {.sheet = {.m = m,
                                   .columns = campaign_columns,
                                   .count = CAMPAIGN_COUNT,
                                   .diag = diag,
                                   .is_own = true}};
    enum hs_status status = hs_sheet_read(&c.sheet, path, take_tenant);
    m->windows = HS_WINDOWS_COMMON;
    if (status == HS_OK) {
        average_alone(&c);
        for (uint32_t i = 0; i < c.count; i = set_end(&c, i))
            if (set_end(&c, i) > i + 1)
                take_set(&c, i, set_end(&c, i));
    }
    hs_free(c.rows);
    return status;
}

/* ---- Tally ----
 * solo.csv and pairs_bert.csv, from tally_results_demo of tally-bench: on one A100-40GB a BERT
 * inference server at half load beside a training job. */

#define TALLY_GPU   "A100"
#define TALLY_SOLOS "solo.csv"
#define TALLY_PAIRS "pairs_bert.csv"

#define TALLY_COLUMNS(X)                                                                           \
    X(A, "high_priority", true, HS_NO_NUMBER)                                                      \
    X(B, "best_effort", true, HS_NO_NUMBER)                                                        \
    X(MODE, "mode", true, HS_NO_NUMBER)                                                            \
    X(SPEED_A, "hp_rel_throughput", true, 0, 5, 1, NULL)                                           \
    X(SPEED_B, "be_rel_throughput", true, 0, 5, 1, NULL)
#define TALLY_ENUM(name, ...) TALLY_##name,
enum { TALLY_COLUMNS(TALLY_ENUM) TALLY_COUNT };
static const struct hs_sheet_column tally_columns[TALLY_COUNT] = {TALLY_COLUMNS(HS_SHEET_COLUMN)};
static const struct hs_sheet_column tally_alone[] = {{"job", true, HS_NO_NUMBER},
                                                     {"gpu_util_pct", true, HS_PER_CENT}};

/* Its words of a mode. What runs under another program than the driver is not used. */
static const char *const tally_modes[][2] = {
    {"time_slicing", "timeslice"}, {"mps", "mps"}, {"", HS_MODE_UNKNOWN}};

static enum hs_status take_tally_solo(struct hs_sheet *s)
{
    uint32_t index;
    const char *job = hs_sheet_name(s, 0);
    const double util = hs_sheet_number(s, 1);
    for (uint32_t i = 0; s->is_good && i < HS_COUNT_OF(tally_modes); i++)
        HS_TRY(job_of(s, TALLY_GPU, tally_modes[i][1], job, "Tally", util, &index));
    return HS_OK;
}

static enum hs_status take_tally_pair(struct hs_sheet *s)
{
    const char *a = hs_sheet_name(s, TALLY_A), *b = hs_sheet_name(s, TALLY_B);
    const char *mode = hs_sheet_text(s, TALLY_MODE);
    const double speed_b = hs_sheet_number(s, TALLY_SPEED_B);
    struct hs_pair row = {
        .speed = hs_sheet_number(s, TALLY_SPEED_A), HS_JOINT_UNMEASURED, .line = s->row.line};
    uint32_t i = 0;
    if (!s->is_good)
        return HS_OK;
    while (i + 1 < HS_COUNT_OF(tally_modes) && strcmp(mode, tally_modes[i][0]) != 0)
        i++;
    HS_TRY(job_of(s, TALLY_GPU, tally_modes[i][1], a, "Tally", NAN, &row.own));
    HS_TRY(job_of(s, TALLY_GPU, tally_modes[i][1], b, "Tally", NAN, &row.other));
    row.gpu = s->m->solos[row.own].gpu;
    row.dropped = i + 1 == HS_COUNT_OF(tally_modes) ? HS_DROPPED(OTHER_SYSTEM) : 0;
    hs_measure_both(s->m, &row, speed_b, row.dropped);
    return HS_OK;
}

static enum hs_status read_tally(struct hs_measurements *m, const char *folder,
                                 struct hs_diag *diag)
{
    struct hs_sheet solos = {
        .m = m, .columns = tally_alone, .count = HS_COUNT_OF(tally_alone), .diag = diag};
    struct hs_sheet pairs = {.m = m, .columns = tally_columns, .count = TALLY_COUNT, .diag = diag};
    char path[PATH_SIZE];
    m->windows = HS_WINDOWS_COMMON;
    (void)snprintf(path, sizeof path, "%s/" TALLY_SOLOS, folder);
    HS_TRY(hs_sheet_read(&solos, path, take_tally_solo));
    (void)snprintf(path, sizeof path, "%s/" TALLY_PAIRS, folder);
    return hs_sheet_read(&pairs, path, take_tally_pair);
}

/* ---- nos ----
 * sharing_modes_1_3.csv, from demos/gpu-sharing-comparison of nebuly-ai/nos: one or three equal
 * inference clients in a closed loop on an A100, which keep it busy all the time. */

#define NOS_COLUMNS(X)                                                                             \
    X(MODE, "mode", true, HS_NO_NUMBER)                                                            \
    X(MODEL, "model", true, HS_NO_NUMBER)                                                          \
    X(PODS, "pods", true, 1, HS_MEASURE_MAX, 1, NULL)                                              \
    X(SPEED, "speed_vs_whole_gpu", true, 0, 5, 1, NULL)
#define NOS_ENUM(name, ...) NOS_##name,
enum { NOS_COLUMNS(NOS_ENUM) NOS_COUNT };
static const struct hs_sheet_column nos_columns[NOS_COUNT] = {NOS_COLUMNS(HS_SHEET_COLUMN)};

static enum hs_status take_nos(struct hs_sheet *s)
{
    const char *mode = hs_sheet_text(s, NOS_MODE), *model = hs_sheet_name(s, NOS_MODEL);
    const double pods = hs_sheet_number(s, NOS_PODS), speed = hs_sheet_number(s, NOS_SPEED);
    struct hs_tenancy row = {.set = (uint32_t)s->row.line, .speed = speed};
    if (!s->is_good)
        return HS_OK;
    HS_TRY(job_of(s, TALLY_GPU, strcmp(mode, "time-slicing") == 0 ? "timeslice" : mode, model,
                  "nos", 1, &row.solo));
    row.gpu = s->m->solos[row.solo].gpu;
    for (uint32_t i = 0; pods > 1 && i < (uint32_t)pods; i++)
        add_tenancy(s->m, &row);
    return HS_OK;
}

static enum hs_status read_nos(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct hs_sheet sheet = {.m = m, .columns = nos_columns, .count = NOS_COUNT, .diag = diag};
    m->windows = HS_WINDOWS_COMMON;
    return hs_sheet_read(&sheet, path, take_nos);
}

/* ---- blox-pal ----
 * pairs_1-2-4gpu.csv of blox_exp/colocate_info: two training jobs, each a gang on all of the same
 * 1, 2 or 4 GPUs, whose type and mode are not named; a GPU type for each size of gang. */

#define GANG_COLUMNS(X)                                                                            \
    X(GPUS, "gpus", true, 1, GPUS_MAX, 1, NULL)                                                    \
    X(MODEL_A, "model1", true, HS_NO_NUMBER)                                                       \
    X(STRATEGY, "strategy1", true, HS_NO_NUMBER)                                                   \
    X(MODEL_B, "model2", true, HS_NO_NUMBER)                                                       \
    X(SPEED_A, "speed1_vs_own_strategy", true, 0, 5, 1, NULL)                                      \
    X(SPEED_B, "speed2", true, 0, 5, 1, NULL)
#define GANG_ENUM(name, ...) GANG_##name,
enum { GANG_COLUMNS(GANG_ENUM) GANG_COUNT };
static const struct hs_sheet_column gang_columns[GANG_COUNT] = {GANG_COLUMNS(HS_SHEET_COLUMN)};

static enum hs_status take_gangs(struct hs_sheet *s)
{
    const char *a = hs_sheet_name(s, GANG_MODEL_A), *b = hs_sheet_name(s, GANG_MODEL_B);
    const char *strategy = hs_sheet_name(s, GANG_STRATEGY);
    const double gpus = hs_sheet_number(s, GANG_GPUS), speed_b = hs_sheet_number(s, GANG_SPEED_B);
    struct hs_pair row = {
        .speed = hs_sheet_number(s, GANG_SPEED_A), HS_JOINT_UNMEASURED, .line = s->row.line};
    char gpu[32];
    if (!s->is_good)
        return HS_OK;
    (void)snprintf(gpu, sizeof gpu, "gangs of %d", (int)gpus);
    HS_TRY(job_of(s, gpu, HS_MODE_UNKNOWN, a, strategy, NAN, &row.own));
    HS_TRY(job_of(s, gpu, HS_MODE_UNKNOWN, b, "NA", NAN, &row.other));
    row.gpu = s->m->solos[row.own].gpu;
    hs_measure_both(s->m, &row, speed_b, 0);
    return HS_OK;
}

static enum hs_status read_gangs(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct hs_sheet sheet = {.m = m, .columns = gang_columns, .count = GANG_COUNT, .diag = diag};
    m->windows = HS_WINDOWS_COMMON;
    m->is_checked_only = true;
    return hs_sheet_read(&sheet, path, take_gangs);
}

/* ---- Sia ----
 * step_times.csv, from sia-simulator/traces of Sia's artifact (SOSP'23): the time of a step of
 * gangs of four applications by local batch and placement, a digit a node. Every gang on more nodes
 * than it needs counts as spread: on the T4, 4 GPUs on 2, 3 and 4 nodes keep .37, .59 and .56 of
 * their throughput (BERT), .72, .80 and .78 (ResNet-18), so the number of nodes says no more. Its
 * gpt_pmp is made up and not read. */

#define SIA_COLUMNS(X)                                                                             \
    X(APP, "app", true, HS_NO_NUMBER)                                                              \
    X(GROUP, "gpu_group", true, HS_NO_NUMBER)                                                      \
    X(PLACEMENT, "placement", true, HS_NO_NUMBER)                                                  \
    X(NODES, "nodes", true, 1, GPUS_MAX, 1, NULL)                                                  \
    X(GPUS, "gpus", true, 1, GPUS_MAX, 1, NULL)                                                    \
    X(BATCH, "local_bsz", true, 1, HS_MEASURE_MAX, 1, NULL)                                        \
    X(STEP, "step_time_s", true, 1e-6, RATE_MAX, 1, NULL)
#define SIA_ENUM(name, ...) SIA_##name,
enum { SIA_COLUMNS(SIA_ENUM) SIA_COUNT };
static const struct hs_sheet_column sia_columns[SIA_COUNT] = {SIA_COLUMNS(HS_SHEET_COLUMN)};

static const struct {
    const char *app, *model, *dataset, *family;
} sia_apps[] = {{"bert", "BERT", "SQuAD", "Transformer"},
                {"cifar10", "ResNet18", "CIFAR-10", "ResNet-18"},
                {"imagenet", "ResNet50", "ImageNet", "ResNet-50"},
                {"ncf", "NeuMF", "MovieLens", "Recommendation"}};
static const struct {
    const char *group, *gpu;
    uint32_t node_gpus;
} sia_gpus[] = {{"aws", "T4", 4},
                {"rtx", "RTX2080Ti", 8},
                {"dgx", "A100", 8},
                {"dgx-ext", "A100", 8},
                {"quad", "RTX6000", 4}};

/* A row counts as a set of one: runs of one job on as many GPUs, spread or not, are averaged. */
static enum hs_status take_sia(struct hs_sheet *s)
{
    struct campaign *c = (struct campaign *)s;
    const char *app = hs_sheet_text(s, SIA_APP), *group = hs_sheet_text(s, SIA_GROUP);
    const double nodes = hs_sheet_number(s, SIA_NODES), gpus = hs_sheet_number(s, SIA_GPUS);
    const double step_s = hs_sheet_number(s, SIA_STEP);
    struct hs_solo job = hs_solo_unmeasured;
    uint32_t a = 0, g = 0;
    while (a < HS_COUNT_OF(sia_apps) && strcmp(app, sia_apps[a].app) != 0)
        a++;
    while (g < HS_COUNT_OF(sia_gpus) && strcmp(group, sia_gpus[g].group) != 0)
        g++;
    if (!s->is_good || a == HS_COUNT_OF(sia_apps) || g == HS_COUNT_OF(sia_gpus) ||
        hs_sheet_is_empty(s, SIA_PLACEMENT))
        return HS_OK;
    HS_TRY(hs_measure_gpu(s->m, sia_gpus[g].gpu, HS_MODE_UNKNOWN, &job.gpu));
    job.model = sia_apps[a].model;
    job.dataset = sia_apps[a].dataset;
    job.family = sia_apps[a].family;
    job.batch = hs_sheet_text(s, SIA_BATCH);
    job.precision = "fp32";
    job.gpus = (uint32_t)gpus;
    job.is_spread = nodes > ceil(gpus / sia_gpus[g].node_gpus);
    job.line = s->row.line;
    const uint32_t solo = hs_measure_solo(s->m, &job);
    *hs_push(c->rows, c->count, c->cap, HS_MEASURE_MAX) =
        (struct campaign_row){.solo = solo, .set = ++c->sets, .rate = 1 / step_s};
    return HS_OK;
}

static enum hs_status read_sia(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct campaign c = {
        .sheet = {.m = m, .columns = sia_columns, .count = SIA_COUNT, .diag = diag}};
    enum hs_status status = hs_sheet_read(&c.sheet, path, take_sia);
    m->is_spread_only = true;
    average_alone(&c);
    hs_free(c.rows);
    return status;
}

static bool is_tally(const char *path, const char *head)
{
    char name[PATH_SIZE];
    struct stat info;
    (void)head;
    (void)snprintf(name, sizeof name, "%s/" TALLY_PAIRS, path);
    return stat(name, &info) == 0;
}

const struct hs_measure_format hs_measure_sets[HS_MEASURE_SETS] = {
    {"campaign", "a CSV with set, gpu, mode, job, rate, ... of scripts/measure-sharing",
     "set,gpu,mode,", NULL, read_campaign},
    {"tally", "a folder with Tally's pairs_bert.csv and solo.csv", NULL, is_tally, read_tally},
    {"nos", "nos's CSV of equal inference clients", "speed_vs_whole_gpu", NULL, read_nos},
    {"blox-pal", "blox-pal's CSV of pairs of gangs", "speed1_vs_own_strategy", NULL, read_gangs},
    {"sia", "Sia's CSV of the step times of gangs", "sync_time_s", NULL, read_sia},
};
