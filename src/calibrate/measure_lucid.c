/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lucid's artifact (ASPLOS'23): a folder with single_data.csv, 66 configurations alone, and
 * colocate_info.csv, 1388 pairs of them on one GPU. Speeds of pairs are relative to the same job
 * alone, utilizations per cent, memory in what nvidia-smi calls MiB. The GPU is an RTX 3090
 * (comment in the artifact's policy/lucid.py; calibration.md 1.1). Pairs keep the number of their
 * row, from 0, so that a row can be found again.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "calibrate/measure_private.h"

#define GPU       "RTX3090"
#define SOLO_FILE "single_data.csv"
#define PAIR_FILE "colocate_info.csv"
#define PATH_SIZE 4096
#define MIB_MAX   1048576.0 /* 1 TiB on one GPU is a unit mistaken */

enum solo_column { MODEL, DATASET, BATCH, AMP, SPEED, UTIL, BW_UTIL, MEMORY, SOLO_COLUMNS };

static const struct hs_sheet_column solo_columns[SOLO_COLUMNS] = {
    [MODEL] = {"model", true, NULL},
    [DATASET] = {"dataset", true, NULL},
    [BATCH] = {"batchsize", true, NULL},
    [AMP] = {"amp", true, NULL},
    [SPEED] = {"speed", true, NULL},
    [UTIL] = {"gpu_util", true, "per cent"},
    [BW_UTIL] = {"gmem_util", true, "per cent"},
    [MEMORY] = {"gmem", true, "MiB"},
};

enum pair_column {
    MODEL1,
    DATASET1,
    GPUS1,
    BATCH1,
    AMP1,
    SPEED1,
    MODEL2,
    DATASET2,
    GPUS2,
    BATCH2,
    AMP2,
    SPEED2,
    JOINT_UTIL,
    JOINT_BW_UTIL,
    JOINT_MEMORY,
    PAIR_COLUMNS
};

static const struct hs_sheet_column pair_columns[PAIR_COLUMNS] = {
    [MODEL1] = {"model1", true, NULL},
    [DATASET1] = {"dataset1", true, NULL},
    [GPUS1] = {"gpu_num1", false, NULL},
    [BATCH1] = {"batchsize1", true, NULL},
    [AMP1] = {"amp1", true, NULL},
    [SPEED1] = {"speed1", true, "1 is the speed alone"},
    [MODEL2] = {"model2", true, NULL},
    [DATASET2] = {"dataset2", true, NULL},
    [GPUS2] = {"gpu_num2", false, NULL},
    [BATCH2] = {"batchsize2", true, NULL},
    [AMP2] = {"amp2", true, NULL},
    [SPEED2] = {"speed2", true, "1 is the speed alone"},
    [JOINT_UTIL] = {"gpu_util", true, "per cent"},
    [JOINT_BW_UTIL] = {"gmem_util", true, "per cent"},
    [JOINT_MEMORY] = {"gmem", true, "MiB"},
};

const char *const hs_measure_folder_files[HS_MEASURE_FOLDER_FILES] = {SOLO_FILE, PAIR_FILE};

static const char *const precisions[] = {"fp32", "amp"};

static void join(char path[PATH_SIZE], const char *folder, const char *name)
{
    size_t len = strlen(folder);
    (void)snprintf(path, PATH_SIZE, "%s%s%s", folder, len > 0 && folder[len - 1] == '/' ? "" : "/",
                   name);
}

/* Per cent in the file, a fraction here; NaN where the file has no number. */
static bool read_share(struct hs_sheet *s, uint32_t column, double *share)
{
    if (!hs_sheet_number(s, column, 0, 100, share))
        return false;
    *share /= 100;
    return true;
}

/* The job of columns model, model + 1 (dataset), batch, amp. The texts are of the row. */
static bool read_job(struct hs_sheet *s, uint32_t model, uint32_t batch, uint32_t amp,
                     struct hs_solo *job)
{
    const char *precision = hs_sheet_text(s, amp);
    int64_t size;
    *job = (struct hs_solo){
        .gpus = 1, .speed = NAN, .util = NAN, .bw_util = NAN, .mem_mib = NAN, .line = s->row.line};
    bool is_good = hs_sheet_name(s, model, &job->model);
    is_good = hs_sheet_name(s, model + 1, &job->dataset) && is_good;
    job->batch = hs_sheet_text(s, batch);
    if (!hs_parse_int64(job->batch, strlen(job->batch), &size) || size < 1) {
        hs_sheet_fault(s, batch, NULL, "%s is not a whole number: '%.80s'", s->columns[batch].name,
                       job->batch);
        is_good = false;
    }
    job->precision = precisions[precision[0] == '1'];
    if (strcmp(precision, "0") != 0 && strcmp(precision, "1") != 0) {
        hs_sheet_fault(s, amp, NULL, "%s is 0 or 1, not '%.80s'", s->columns[amp].name, precision);
        is_good = false;
    }
    return is_good;
}

static enum hs_status solo_row(struct hs_measurements *m, struct hs_sheet *s, uint32_t gpu)
{
    struct hs_solo job;
    uint32_t index, before = m->solo_count;

    bool is_good = read_job(s, MODEL, BATCH, AMP, &job);
    is_good = hs_sheet_number(s, SPEED, -DBL_MAX, DBL_MAX, &job.speed) && is_good;
    is_good = read_share(s, UTIL, &job.util) && is_good;
    is_good = read_share(s, BW_UTIL, &job.bw_util) && is_good;
    is_good = hs_sheet_number(s, MEMORY, 0, MIB_MAX, &job.mem_mib) && is_good;
    if (!is_good)
        return HS_OK;
    job.gpu = gpu;
    HS_TRY(hs_measure_solo(m, &job, &index));
    if (index < before)
        hs_sheet_fault(s, MODEL, NULL, "%s was listed in line %" PRId64, m->solos[index].key,
                       m->solos[index].line);
    return HS_OK;
}

static bool check_one_gpu(struct hs_sheet *s, uint32_t column)
{
    double gpus;
    if (!hs_sheet_number(s, column, -DBL_MAX, DBL_MAX, &gpus))
        return false;
    if (isnan(gpus) || gpus == 1)
        return true;
    hs_sheet_fault(s, column, NULL, "only pairs on one GPU are understood");
    return false;
}

/* A job that is not in single_data.csv has no utilization, and nobody knows what its speed was
 * compared with. */
static uint32_t solo_reasons(const struct hs_measurements *m, uint32_t a, uint32_t b)
{
    return isnan(m->solos[a].speed) || isnan(m->solos[b].speed) ? HS_DROPPED(NO_SOLO) : 0;
}

static enum hs_status pair_row(struct hs_measurements *m, struct hs_sheet *s, uint32_t gpu)
{
    struct hs_solo a, b;
    struct hs_pair row = {.gpu = gpu, .line = s->row.line};
    double speed_b;

    bool is_good = read_job(s, MODEL1, BATCH1, AMP1, &a);
    is_good = read_job(s, MODEL2, BATCH2, AMP2, &b) && is_good;
    is_good = check_one_gpu(s, GPUS1) && check_one_gpu(s, GPUS2) && is_good;
    is_good = hs_sheet_number(s, SPEED1, -DBL_MAX, DBL_MAX, &row.speed) && is_good;
    is_good = hs_sheet_number(s, SPEED2, -DBL_MAX, DBL_MAX, &speed_b) && is_good;
    is_good = read_share(s, JOINT_UTIL, &row.joint_util) && is_good;
    is_good = read_share(s, JOINT_BW_UTIL, &row.joint_bw_util) && is_good;
    is_good = hs_sheet_number(s, JOINT_MEMORY, 0, MIB_MAX, &row.joint_mem_mib) && is_good;
    if (!is_good)
        return HS_OK;
    a.gpu = b.gpu = gpu;
    HS_TRY(hs_measure_solo(m, &a, &row.own));
    HS_TRY(hs_measure_solo(m, &b, &row.other));
    row.dropped = solo_reasons(m, row.own, row.other);
    return hs_measure_both(m, &row, speed_b, row.dropped);
}

static enum hs_status read_sheet(struct hs_measurements *m, const char *folder, const char *name,
                                 const struct hs_sheet_column *columns, uint32_t count,
                                 enum hs_status (*row)(struct hs_measurements *, struct hs_sheet *,
                                                       uint32_t gpu),
                                 struct hs_diag *diag)
{
    char path[PATH_SIZE];
    struct hs_sheet sheet;
    uint32_t gpu;

    join(path, folder, name);
    HS_TRY(hs_measure_gpu(m, GPU, &gpu));
    HS_TRY(hs_sheet_open(&sheet, path, columns, count, diag));
    while (hs_sheet_next(&sheet)) {
        enum hs_status status = row(m, &sheet, gpu);
        if (status != HS_OK) {
            sheet.status = status;
            break;
        }
    }
    return hs_sheet_close(&sheet, m);
}

static enum hs_status read_lucid(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    HS_TRY(read_sheet(m, path, SOLO_FILE, solo_columns, SOLO_COLUMNS, solo_row, diag));
    return read_sheet(m, path, PAIR_FILE, pair_columns, PAIR_COLUMNS, pair_row, diag);
}

static bool recognise(const char *path)
{
    char name[PATH_SIZE], head[HS_MEASURE_HEAD];
    join(name, path, PAIR_FILE);
    hs_measure_head(name, head);
    if (head[0] != '\0')
        return true;
    join(name, path, SOLO_FILE);
    hs_measure_head(name, head);
    return head[0] != '\0';
}

const struct hs_measure_format hs_measure_format_lucid = {
    .name = "lucid",
    .summary = "a folder with " PAIR_FILE " and " SOLO_FILE,
    .recognise = recognise,
    .read = read_lucid,
};
