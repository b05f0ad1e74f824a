/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Strict reading of a JSON document: unknown keys, wrong types and numbers out of range are
 * reported at their place, reading goes on, and one call shows all faults (at most 20 are printed).
 *
 *     struct hs_jsoncheck c = {.doc = doc, .diag = diag};
 *     hs_jsoncheck_keys(&c, object, keys, 3, "a node group");
 *     gpus = hs_jsoncheck_int(&c, object, "gpus", 1, 1024, 1);
 *     return c.status;                                     // HS_OK when nothing was wrong
 */
#ifndef HORUS_DATA_JSONCHECK_H
#define HORUS_DATA_JSONCHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "data/json.h"

struct hs_jsoncheck {
    struct hs_json_doc *doc; /* the caller's, who closes it */
    struct hs_diag *diag;
    enum hs_status status; /* the first failure */
    uint32_t faults;
};

/* Keeps the first failure. */
void hs_jsoncheck_note(struct hs_jsoncheck *c, enum hs_status status);
/* HS_E_INPUT at the value. */
HS_PRINTF(4, 5)
void hs_jsoncheck_fault(struct hs_jsoncheck *c, const struct hs_json *at, const char *hint,
                        const char *fmt, ...);
/* A value of that kind? `what` names it in the message. */
bool hs_jsoncheck_kind(struct hs_jsoncheck *c, const struct hs_json *value, enum hs_json_kind kind,
                       const char *what);
/* An array or object with at least one member? */
bool hs_jsoncheck_filled(struct hs_jsoncheck *c, const struct hs_json *value,
                         enum hs_json_kind kind, const char *what);
/* Every key of the object is one of `keys`, count of them. */
void hs_jsoncheck_keys(struct hs_jsoncheck *c, const struct hs_json *object,
                       const char *const *keys, uint32_t count, const char *what);
/* Does a name have 1..255 bytes? */
bool hs_jsoncheck_name(struct hs_jsoncheck *c, const struct hs_json *at, const char *name,
                       const char *what);
/* A whole number in [min, max]; preset when the key is absent or its value wrong. */
int64_t hs_jsoncheck_int(struct hs_jsoncheck *c, const struct hs_json *object, const char *key,
                         int64_t min, int64_t max, int64_t preset);
/* A number in [min, max] that must be there; false, and *out as it was, if it is not. */
bool hs_jsoncheck_number(struct hs_jsoncheck *c, const struct hs_json *object, const char *key,
                         double min, double max, double *out);
/* A name, owned by the document; NULL when the key is absent or its value wrong. */
const char *hs_jsoncheck_text(struct hs_jsoncheck *c, const struct hs_json *object,
                              const char *key);

#endif
