/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus calibrate SUBJECT` can fit. A subject reads measurements, cleans, fits,
 * cross-validates, prints a table and writes the model file. Same data, same bytes.
 */
#pragma once

#include "calibrate/measure.h"
#include "data/csv.h"
#include "model/profile.h"

#define HS_CALIBRATE_DATA_MAX 16

struct hs_calibrate_options {
    const char *data[HS_CALIBRATE_DATA_MAX]; /* --data, in order; at least one */
    uint32_t data_count;
    uint32_t clean;        /* HS_CLEAN_x */
    double overlap;        /* tolerance of the overlap rule */
    double ridge;          /* strength of the ridge terms, 0 = the subject's own default */
    bool is_keeping_pairs; /* also write the measured pairs themselves (mind their licence) */
    const char *profiles;  /* catalogue: families, features */
    const char *reference; /* GPU type that speeds are relative to; NULL: the fastest */
    const char *rows;      /* CSV of every row with observation and held-out prediction, for
                              plots; NULL = none */
};

/* One calibration under way. */
struct hs_calibrate_run {
    struct hs_calibrate_options options;
    struct hs_measurements set[HS_CALIBRATE_DATA_MAX + 1]; /* one for each --data */
    struct hs_clean_counts counts[HS_CALIBRATE_DATA_MAX + 1];
    uint32_t sets;
    struct hs_catalogue catalogue; /* for subjects that load it */
    struct hs_arena arena;         /* what the fit keeps */
    bool has_model;                /* a model file will be written */
    struct hs_output *out;
    struct hs_diag *diag;
};

/* A subject. */
struct hs_calibration {
    const char *name, *summary;
    const char *data;  /* what --data may be, one line for help */
    uint32_t steps;    /* the cleaning steps that concern it */
    uint32_t always;   /* those that it takes whatever is asked for, without a word in the file */
    const char *rows;  /* header of the CSV for plots */
    size_t study_size; /* of what it finds out: zeroed at first, its parts in run->arena */
    bool needs_catalogue; /* run->catalogue is options.profiles, unless that is NULL */
    /* run->options.data into run->set; NULL = one set each. */
    enum hs_status (*read)(struct hs_calibrate_run *run);
    enum hs_status (*fit)(struct hs_calibrate_run *run, void *study);
    void (*say)(const struct hs_calibrate_run *run, const void *study); /* the table */
    /* Members of the model file behind its head. */
    void (*write)(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w);
    void (*write_rows)(const void *study, struct hs_csvw *w);
};

const struct hs_calibration *hs_calibration_at(size_t index); /* NULL past the end */

/* out: the table. model: the JSON, NULL = table only. */
HS_MUST_USE enum hs_status hs_calibrate(const struct hs_calibration *subject,
                                        const struct hs_calibrate_options *options,
                                        struct hs_output *out, struct hs_jsonw *model,
                                        struct hs_diag *diag);

/* ---- for subjects ---- */

/* Prints the counts of the first `sets`. */
void hs_calibrate_say_counts(const struct hs_calibrate_run *run, uint32_t sets);
/* A list "dropped" of {why, rows}. */
void hs_calibrate_write_dropped(struct hs_jsonw *w, const char *const *texts,
                                const uint32_t *counts, uint32_t n);
