/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of configs/models share: the head {"kind": "interference", "format": 1, ...}, the
 * set of files that a run uses (the shipped ones, each replaced by a given file of its kind),
 * names, and the general form of slowdowns.
 *
 *     HS_TRY(hs_modelset_init(&set, "my-interference.json,my-speed.json", diag));
 *     HS_TRY(hs_interference_load(&truth, set.path[HS_MODEL_INTERFERENCE], &catalogue, diag));
 */
#ifndef HORUS_MODEL_MODELFILE_H
#define HORUS_MODEL_MODELFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"
#include "data/json.h"

#define HS_MODEL_FORMAT 1
enum hs_model_kind {
    HS_MODEL_INTERFERENCE,
    HS_MODEL_UTILIZATION,
    HS_MODEL_PREDICTOR,
    HS_MODEL_SPEED,
    HS_MODEL_COUNT
};

extern const char *const hs_model_kinds[HS_MODEL_COUNT];

struct hs_modelset {
    const char *path[HS_MODEL_COUNT]; /* "builtin:models/speed.json" unless given */
    struct hs_arena arena;
};

/* files: comma-separated paths, NULL or "" for the shipped ones. Two files of one kind, or a file
 * of no kind, are errors. */
HS_MUST_USE enum hs_status hs_modelset_init(struct hs_modelset *set, const char *files,
                                            struct hs_diag *diag);
void hs_modelset_free(struct hs_modelset *set);
/* Opens a model file, checks kind and format; check->doc is to be closed by the caller with
 * hs_json_close whatever this returns (NULL is fine there). */
HS_MUST_USE enum hs_status hs_modelfile_open(struct hs_jsoncheck *check, const char *path,
                                             enum hs_model_kind kind, struct hs_diag *diag);
/* A text that must be there, copied to the arena; NULL after a fault. */
const char *hs_modelfile_name(struct hs_jsoncheck *check, struct hs_arena *arena,
                              const struct hs_json *object, const char *key);

/* A member that must be there, a number in [min, max]. */
struct hs_model_number {
    const char *key;
    double min, max;
    double *to;
};
/* Reads them all; nothing of NULL. */
void hs_modelfile_numbers(struct hs_jsoncheck *check, const struct hs_json *object,
                          const struct hs_model_number *numbers, uint32_t count);

/* text without case, '-', '_' and blanks; false if it does not fit into size bytes. */
bool hs_profile_fold(const char *text, char *folded, size_t size);
/* The same model, dataset or GPU type? Compared folded. */
bool hs_model_same_name(const char *a, const char *b);

#define HS_Q20_ONE (UINT64_C(1) << 20)

/* The slowdown of a job of utilization u beside one of utilization v, S = 1 + k u^alpha v^beta
 * (configs/models/README.md), with both powers tabulated once for u = 0..1000 per mille. Slowdowns
 * are Q20 integers from then on: same bits on every machine, no pow() while the clock runs. The
 * truth and the predictor each hold their own. */
struct hs_pairform {
    double k, alpha, beta;
    uint32_t own_q30[1001], other_q30[1001]; /* k u^alpha is own * k_q20 */
    uint64_t k_q20;
};

/* k >= 0, alpha > 0, beta > 0. */
void hs_pairform_init(struct hs_pairform *form, double k, double alpha, double beta);
/* Reads "k", "alpha" and "beta" of an object; false after a fault. */
bool hs_pairform_read(struct hs_pairform *form, struct hs_jsoncheck *check,
                      const struct hs_json *object, double k_max, double exponent_min,
                      double exponent_max);
/* S - 1 in Q20; utilizations are clamped to 0..1000 (unknown, -1, counts as 0). */
uint64_t hs_pairform_excess_q20(const struct hs_pairform *form, int32_t own_pm, int32_t other_pm);

#endif
