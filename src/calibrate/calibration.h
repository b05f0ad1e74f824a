/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus calibrate SUBJECT` can fit. A subject is one file (or a few of one prefix) whose last
 * thing is a const struct hs_calibration, and one line in calibrations.c. It reads measurements,
 * cleans, fits, cross-validates, prints a table of what a scientist asks for, and writes the model
 * file. Deterministic: same data, same bytes.
 */
#ifndef HORUS_CALIBRATE_CALIBRATION_H
#define HORUS_CALIBRATE_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"
#include "calibrate/clean.h"
#include "calibrate/measure.h"
#include "data/json.h"

#define HS_CALIBRATE_DATA_MAX 16

struct hs_calibrate_options {
    const char *data[HS_CALIBRATE_DATA_MAX]; /* --data, in order; at least one */
    uint32_t data_count;
    uint32_t clean;        /* HS_CLEAN_x */
    double overlap;        /* tolerance of the overlap rule */
    double ridge;          /* strength of the ridge terms, 0 = the subject's own default */
    bool is_keeping_pairs; /* also write the measured pairs themselves (mind their licence) */
    const char *profiles;  /* catalogue: families, features */
    const char *rows;      /* CSV of every row with observation and held-out prediction, for
                              plots; NULL = none */
};

struct hs_calibration {
    const char *name, *summary;
    const char *data; /* what --data may be, one line for help */
    /* out: the table for people. model: the JSON, NULL = table only. */
    enum hs_status (*run)(const struct hs_calibrate_options *options, struct hs_output *out,
                          struct hs_jsonw *model, struct hs_diag *diag);
};

const struct hs_calibration *hs_calibration_at(size_t index); /* NULL past the end */

/* Reads every --data into one set of measurements each; set[i] for data[i]. */
HS_MUST_USE enum hs_status hs_calibrate_read(const struct hs_calibrate_options *options,
                                             struct hs_measurements *set, struct hs_diag *diag);
/* Passes a status on; a failure that nobody told of since diag->errors was `errors_before` (memory,
 * limits) is told. */
enum hs_status hs_calibrate_told(enum hs_status status, const char *subject, uint64_t errors_before,
                                 struct hs_diag *diag);
/* The head of a model file: kind, format, data with hashes, steps, rows kept and dropped. Members
 * of an object that the caller has opened; counts[i] for set[i]. */
void hs_calibrate_write_head(struct hs_jsonw *w, const char *kind,
                             const struct hs_calibrate_options *options,
                             const struct hs_measurements *set,
                             const struct hs_clean_counts *counts);
/* The same counts for people. */
void hs_calibrate_say_counts(struct hs_output *out, const struct hs_measurements *set,
                             const struct hs_clean_counts *counts, uint32_t sets);

#endif
