/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What small tables by model share (restart, memcurve): a CSV written by hand whose rows are a
 * model, a key, and the value asked for. Names are compared as those of profiles are; a job takes
 * the row of the largest key that is not above its own, else of the smallest.
 *
 *     HS_TRY(hs_modelrows_load(&table, path, &spec, diag));
 *     const struct hs_modelrow *row = hs_modelrows_find(table, names, 2, 4);
 *     hs_modelrows_free(table);
 */
#ifndef HORUS_MODEL_MODELROWS_H
#define HORUS_MODEL_MODELROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define HS_MODELROWS_OTHERS "*" /* the model of rows for all models that have none */

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
