/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts that come again and again at the same address - interned names, constants - as the fields
 * that they are in CSV: one that is known is copied whole, without a look at its bytes. A row that
 * has many of them, and numbers, is written through a pointer, for which there is room for
 * HS_OUTPUT_ROOM bytes:
 *
 *     char *to = hs_output_room(&w.out, HS_OUTPUT_ROOM);
 *     to = hs_csvtexts_put(&texts, &w, to, job->user);
 *     to = hs_csvtexts_put(&texts, &w, to, job->vc);
 *     hs_output_wrote(&w.out, to);
 *
 * O(1) memory: two texts may stand in each other's way.
 */
#ifndef HORUS_DATA_CSVTEXTS_H
#define HORUS_DATA_CSVTEXTS_H

#include <stdint.h>
#include <string.h>

#include "data/csvwrite.h"

#define HS_CSVTEXTS_BITS 10u
#define HS_CSVTEXTS_LONG 20u /* bytes of a field, its comma among them, that is kept */

struct hs_csvtext {
    const char *text; /* NULL: empty */
    uint32_t len;
    char field[HS_CSVTEXTS_LONG];
};

struct hs_csvtexts {
    struct hs_csvtext of[1u << HS_CSVTEXTS_BITS];
};

/* Where it is, if it is known. */
static inline struct hs_csvtext *hs_csvtexts_at(struct hs_csvtexts *texts, const char *text)
{
    const uint64_t spread = (uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15);
    return &texts->of[spread >> (64 - HS_CSVTEXTS_BITS)];
}

/* Any other text: writes it, and keeps what can be kept. Room is made for the rest of the row. */
char *hs_csvtexts_put_new(struct hs_csvtexts *texts, struct hs_csvw *w, char *to, const char *text);

/* A field and its comma at `to`; returns their end. text NULL: empty. */
static inline char *hs_csvtexts_put(struct hs_csvtexts *texts, struct hs_csvw *w, char *to,
                                    const char *text)
{
    const struct hs_csvtext *known = hs_csvtexts_at(texts, text);
    if (HS_UNLIKELY(known->text != text || known->len == 0))
        return hs_csvtexts_put_new(texts, w, to, text);
    memcpy(to, known->field, sizeof known->field);
    return to + known->len;
}

#endif
