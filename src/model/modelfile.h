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
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"
#include "data/json.h"

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
/* A text that must be there, copied to the arena; NULL after a fault. */
const char *hs_modelfile_name(struct hs_jsoncheck *check, struct hs_arena *arena,
                              const struct hs_json *object, const char *key);
/* The same GPU type? Compared as names of profiles are: without case, '-', '_' and blanks. */
bool hs_model_same_name(const char *a, const char *b);

struct hs_modelrow {
    uint32_t model; /* in order of first appearance */
    int64_t key, value;
    int64_t line; /* of the file */
};

/* A column of figures. */
struct hs_modelrows_figure {
    const char *name, *hint;
    /* NULL and *out, or what the text is, for "gpus is not a number: 'x'". */
    const char *(*read)(const char *text, size_t len, int64_t *out);
};

struct hs_modelrows_spec {
    const char *what;   /* "table of restarts" */
    const char *head;   /* hint about its header */
    const char *others; /* hint where a row names no model */
    const char *twice;  /* "there twice for ...": of two rows of one model and key */
    struct hs_modelrows_figure key, value;
    /* NULL, or what is wrong with the value of a row; before: the row of its model with the next
     * smaller key, NULL if it is the first. May be NULL. */
    const char *(*check)(const struct hs_modelrow *before, const struct hs_modelrow *row);
};

struct hs_modelrows;

/* Unknown columns, two rows of one model and key, and figures that are none are errors at their
 * place. The spec is not kept. */
HS_MUST_USE enum hs_status hs_modelrows_load(struct hs_modelrows **table, const char *path,
                                             const struct hs_modelrows_spec *spec,
                                             struct hs_diag *diag);
/* By the first of the names (each may be NULL or "") that has rows, else by those for all others.
 * NULL: none. O(length of the names + log rows). */
const struct hs_modelrow *hs_modelrows_find(const struct hs_modelrows *table,
                                            const char *const *names, uint32_t name_count,
                                            int64_t key);
void hs_modelrows_free(struct hs_modelrows *table); /* NULL is fine */

#endif
