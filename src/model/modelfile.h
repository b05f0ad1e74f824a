/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The head that all configs/models files share: {"kind": "interference", "format": 1, ...}, and
 * the set of files that a run uses: the shipped ones, each replaced by a given file of its kind.
 *
 *     HS_TRY(hs_modelset_init(&set, "my-interference.json,my-speed.json", diag));
 *     HS_TRY(hs_interference_load(&truth, set.path[HS_MODEL_INTERFERENCE], &catalogue, diag));
 */
#ifndef HORUS_MODEL_MODELFILE_H
#define HORUS_MODEL_MODELFILE_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/memory.h"
#include "data/jsoncheck.h"

#define HS_MODEL_FORMAT 1

#define HS_MODEL_LIST(X)                                                                           \
    X(INTERFERENCE, "interference")                                                                \
    X(UTILIZATION, "utilization")                                                                  \
    X(PREDICTOR, "predictor")                                                                      \
    X(SPEED, "speed")

enum hs_model_kind {
#define HS_MODEL_ENUM(name, text) HS_MODEL_##name,
    HS_MODEL_LIST(HS_MODEL_ENUM)
#undef HS_MODEL_ENUM
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

/* The same GPU type? Compared as names of profiles are: without case, '-', '_' and blanks. */
bool hs_model_same_name(const char *a, const char *b);

#endif
