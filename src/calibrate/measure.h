/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Published measurements in memory: jobs alone, and jobs beside another. A reader fills them from
 * one format and drops nothing; the cleaning steps (below) mark rows, each for a reason, so that
 * what a fit used can be counted and reported.
 *
 *     struct hs_measurements m = {0};
 *     HS_TRY(hs_measure_read(&m, "calibration/lucid", diag));       // format by content
 *     hs_clean(&m, HS_CLEAN_DEFAULT, HS_OVERLAP_TOLERANCE, &counts);
 *     for (i...) if (m.pairs[i].dropped == 0) ...
 */
#pragma once

#include <stdbool.h>

#include "base/diag.h"
#include "base/intern.h"

#define HS_MEASURE_MAX      (1u << 24)
#define HS_MEASURE_NAME_MAX 255 /* bytes of a model, dataset, GPU type */

/* A job alone. NaN where not measured. Shares are fractions. A model without a batch has batch "",
 * and nothing between the slashes of its key. */
struct hs_solo {
    const char *key; /* of the profile, "ResNet18/CIFAR-10/64/fp32": one text, one configuration */
    const char *model, *dataset, *batch, *precision;
    const char *family; /* coarser than model; equal to it where the format has none */
    uint32_t gpu;       /* index into gpus */
    uint32_t gpus;      /* of the job */
    bool is_spread;     /* over several nodes */
    double speed;       /* steps or samples a second: only ratios are used */
    double util, bw_util;
    double mem_mib;
    uint32_t dropped; /* HS_DROPPED_x */
    int64_t line;     /* 0 = the format has no lines */
};

/* What job `own` did beside job `other`: one direction. Both directions of a pair share `pair`; a
 * job beside itself has two rows with own == other, one a process. */
struct hs_pair {
    uint32_t own, other; /* indices into solos */
    uint32_t pair;
    uint32_t gpu;
    double speed;   /* co-run / alone, as published */
    double rebased; /* the same against a better baseline; == speed unless a step changed it */
    double joint_util, joint_bw_util; /* of the pair; NaN = not measured */
    double joint_mem_mib;
    uint32_t dropped; /* HS_DROPPED_x */
    int64_t line;
};

#define HS_JOINT_UNMEASURED .joint_util = NAN, .joint_bw_util = NAN, .joint_mem_mib = NAN

/* Speed of a job that shared a GPU with at least two others. */
struct hs_tenancy {
    uint32_t set, solo, gpu;
    double speed; /* among them / alone */
};

/* When jobs of one run were measured: while all of them ran, or each to its end. */
enum hs_windows { HS_WINDOWS_NOT_STATED, HS_WINDOWS_COMMON, HS_WINDOWS_PARTLY_ALONE };

/* Why a row is not used. A row with several reasons is counted under the first in this order. */
#define HS_DROPPED_LIST(X)                                                                         \
    X(FAILED, "did not run together (0, 0): out of memory or failed")                              \
    X(NOT_MEASURED, "co-run of a multi-GPU job: not measured (0, 0)")                              \
    X(NO_SOLO, "no speed alone to compare with")                                                   \
    X(NEGATIVE, "negative or not finite")                                                          \
    X(IMPLAUSIBLE,                                                                                 \
      "a thousand times slower or faster than alone: another unit, or it stood still")             \
    X(REPEATED, "one-GPU job under several nodes: repeats the run on one node")                    \
    X(WRITTEN_IN, "speed written in, not measured (all exactly 1)")                                \
    X(NO_OVERLAP, "joint utilization far below that of one job alone: they did not overlap")       \
    X(BASELINE, "beside an idle job: used as the baseline of the others")                          \
    X(NO_BASELINE, "no run beside an idle job to re-base on")                                      \
    X(MIXED_CAMPAIGN, "pairs and baselines of different campaigns")                                \
    X(CLIPPED, "exactly 1: the baseline was raised to the best pair")                              \
    X(COPIED, "same baseline on two GPU types: copied")                                            \
    X(CONTRADICTED, "measured twice with speeds far apart")                                        \
    X(LONE, "its model ran beside no other model")                                                 \
    X(WINDOW, "two models on a full GPU that ran for different times: partly measured alone")      \
    X(OTHER_SYSTEM, "under a system of its own, in no sharing mode of the driver")                 \
    X(SUPERLINEAR, "gangs faster than as many single GPUs: runs on other hosts")

enum hs_dropped_bit {
#define HS_DROPPED_ENUM(name, text) HS_DROPPED_BIT_##name,
    HS_DROPPED_LIST(HS_DROPPED_ENUM)
#undef HS_DROPPED_ENUM
        HS_DROPPED_COUNT
};
#define HS_DROPPED(name) (1u << HS_DROPPED_BIT_##name)
extern const char *const hs_dropped_texts[HS_DROPPED_COUNT];

struct hs_measure_file {
    const char *name; /* base name: a result does not depend on where the data lay */
    uint64_t hash, bytes, rows;
};
#define HS_MEASURE_FILES_MAX 2
#define HS_MEASURE_GPUS_MAX  64
#define HS_MODE_UNKNOWN      "unknown" /* no source states it */

struct hs_measurements {
    struct hs_arena arena;
    const char *format;                     /* "lucid", "gavel", "own" */
    const char *gpus[HS_MEASURE_GPUS_MAX];  /* a GPU type and */
    const char *modes[HS_MEASURE_GPUS_MAX]; /* how it was shared: a word of hs_sharing_modes, or
                                               HS_MODE_UNKNOWN */
    uint32_t gpu_count;
    struct hs_solo *solos;
    struct hs_pair *pairs;
    uint32_t solo_count, solo_cap, pair_count, pair_cap, pair_ids;
    struct hs_tenancy *tenancies; /* sets one behind the other */
    uint32_t tenancy_count, tenancy_cap;
    enum hs_windows windows;
    bool is_spread_only;  /* of its gangs, what being spread costs */
    bool is_checked_only; /* for scores: of no GPU type that a cluster could have */
    struct hs_measure_file files[HS_MEASURE_FILES_MAX];
    uint32_t file_count;
    struct hs_intern solo_names; /* key, GPU type, GPUs, spread -> solo + 1 */
};

/* One path into one zeroed set. path: a folder with Lucid's colocate_info.csv and single_data.csv,
 * a JSON of Gavel, or a CSV of our own form (configs/models/README.md). HS_E_INPUT with
 * file:line:col for what is not understood; missing columns name the columns. */
HS_MUST_USE enum hs_status hs_measure_read(struct hs_measurements *m, const char *path,
                                           struct hs_diag *diag);
/* The files that are read if a path is a folder. */
#define HS_MEASURE_FOLDER_FILES 2
extern const char *const hs_measure_folder_files[HS_MEASURE_FOLDER_FILES];
void hs_measure_free(struct hs_measurements *m);
/* The begin of a file, decompressed, in text with a NUL; "" if it cannot be read or is empty. */
#define HS_MEASURE_HEAD 4096
enum hs_status hs_measure_head(const char *path, char text[HS_MEASURE_HEAD], struct hs_diag *diag);

/* ---- cleaning ----
 * The cleaning steps, each optional, each marking rows for its reason (configs/models/README.md,
 * "Traps in the data"). The order is fixed; marks of an earlier cleaning are taken back first, so
 * that cleaning again changes nothing. Rows without a usable speed (failed, not measured, no solo,
 * negative, implausible, repeated) are marked whatever the steps. A step that finds nothing of its
 * kind in the data does nothing: rebase where no idle job ran, overlap where no utilization was
 * measured. The default leaves out `clipped`, which drops the rows of speed 1 but not the bias of
 * the others, measured against the same raised baseline. `copied` marks solos, as speeds of a GPU
 * type, and leaves the pairs. X(name, word of the option --clean). */
#define HS_CLEAN_LIST(X)                                                                           \
    X(WRITTEN_IN, "written-in")     /* every own speed of a job is exactly 1: no target */         \
    X(OVERLAP, "overlap")           /* keep iff joint util >= max(u, v) - tolerance */             \
    X(REBASE, "rebase")             /* divide by the mean speed beside idle co-runners */          \
    X(CAMPAIGN, "campaign")         /* pairs whose solos belong to another campaign */             \
    X(CLIPPED, "clipped")           /* exactly 1: the baseline was raised to the best pair */      \
    X(COPIED, "copied")             /* the same baseline on two GPU types */                       \
    X(CONTRADICTED, "contradicted") /* measured twice with speeds far apart */                     \
    X(WINDOW, "window")             /* two models, demand > 1.1, no common window */               \
    X(LONE, "lone")                 /* models that ran beside no other model: Lucid's NeuMF */

enum hs_clean_bit {
#define HS_CLEAN_ENUM(name, word) HS_CLEAN_BIT_##name,
    HS_CLEAN_LIST(HS_CLEAN_ENUM)
#undef HS_CLEAN_ENUM
        HS_CLEAN_COUNT
};
#define HS_CLEAN(name)   (1u << HS_CLEAN_BIT_##name)
#define HS_CLEAN_ALL     ((1u << HS_CLEAN_COUNT) - 1)
#define HS_CLEAN_DEFAULT (HS_CLEAN_ALL & ~HS_CLEAN(CLIPPED))
/* A fraction of utilization: 0.02 to 0.20 move the fitted k by 0.07. */
#define HS_OVERLAP_TOLERANCE 0.05

/* The words of a list of steps; NULL past the end. The first HS_CLEAN_COUNT are the steps. */
const char *hs_clean_step_at(size_t index);
/* "overlap,rebase", "all", "default", "none" -> bits. HS_E_USAGE with the nearest name. */
HS_MUST_USE enum hs_status hs_clean_parse(const char *text, uint32_t *steps, struct hs_diag *diag);

struct hs_clean_counts {
    uint32_t read, kept;                /* directed rows */
    uint32_t dropped[HS_DROPPED_COUNT]; /* by first reason */
    uint32_t rebased;                   /* rows kept whose target was changed */
};

/* O(rows log rows + solos^2). */
void hs_clean(struct hs_measurements *m, uint32_t steps, double tolerance,
              struct hs_clean_counts *counts);
/* Counts a row or solo under the first of its marks, if it has any. */
void hs_clean_count(uint32_t marks, uint32_t dropped[HS_DROPPED_COUNT]);

/* ---- for the readers ---- */

/* One GPU, nothing measured. */
extern const struct hs_solo hs_solo_unmeasured;
/* Index of a solo of that (model, dataset, batch, precision, GPU type, gpus, spread), added if new.
 * key is made from its parts, family NULL is the model; texts are copied. */
uint32_t hs_measure_solo(struct hs_measurements *m, const struct hs_solo *solo);
void hs_measure_pair(struct hs_measurements *m, const struct hs_pair *pair);
/* Both directions of a run under a new pair id; *first is that of its own job. */
void hs_measure_both(struct hs_measurements *m, const struct hs_pair *first, double speed_of_other,
                     uint32_t dropped_of_other);
HS_MUST_USE enum hs_status hs_measure_gpu(struct hs_measurements *m, const char *name,
                                          const char *mode, uint32_t *index);
struct hs_measure_format {
    const char *name, *summary;
    const char *columns; /* in the first line of a CSV; NULL: `recognise` decides */
    bool (*recognise)(const char *path, const char *head); /* head: "" of a folder */
    enum hs_status (*read)(struct hs_measurements *m, const char *path, struct hs_diag *diag);
};
/* The formats that measure_sets.c reads. */
#define HS_MEASURE_SETS 5
extern const struct hs_measure_format hs_measure_sets[HS_MEASURE_SETS];
void hs_measure_file_add(struct hs_measurements *m, const char *path, uint64_t hash, uint64_t bytes,
                         uint64_t rows);
