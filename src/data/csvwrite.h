/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV out (RFC 4180, '\n' ends): fields are appended in order, quoted only when they must be.
 * Each is formatted in place with a comma after it; the end of the row turns the last comma into
 * the line's end. Rows have at least one field.
 *
 *     hs_csvw_text(&w, job->id);
 *     hs_csvw_seconds(&w, job->submit_us);
 *     hs_csvw_end(&w);
 *
 * Errors are sticky in the output; the row calls never fail.
 *
 * A text that comes again and again at the same address (interned names, constants) is kept as the
 * field that it is and copied whole: hs_csvtexts_put, O(1) memory: two texts may collide.
 */
#ifndef HORUS_DATA_CSVWRITE_H
#define HORUS_DATA_CSVWRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fmt.h"
#include "base/io.h"

struct hs_csvw {
    struct hs_output out;
    uint64_t rows;  /* data rows ended, the header not counted */
    bool is_single; /* one column: its empty fields are quoted */
};

/* Opens path and writes the header: comma-separated names. */
HS_MUST_USE enum hs_status hs_csvw_open(struct hs_csvw *w, const char *path, const char *header,
                                        struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_csvw_close(struct hs_csvw *w, struct hs_diag *diag);

/* Room for a number and its comma; then the end of what was written there. */
static inline char *hs_csvw_begin_field(struct hs_csvw *w)
{
    return hs_output_room(&w->out, HS_FMT_MAX + 1);
}

static inline void hs_csvw_end_field(struct hs_csvw *w, char *end)
{
    *end = ',';
    hs_output_wrote(&w->out, end + 1);
}

static inline void hs_csvw_i64(struct hs_csvw *w, int64_t value)
{
    char *to = hs_csvw_begin_field(w);
    hs_csvw_end_field(w, to + hs_fmt_i64(to, value));
}

static inline void hs_csvw_u64(struct hs_csvw *w, uint64_t value)
{
    char *to = hs_csvw_begin_field(w);
    hs_csvw_end_field(w, to + hs_fmt_u64(to, value));
}

static inline void hs_csvw_seconds(struct hs_csvw *w, int64_t us)
{
    char *to = hs_csvw_begin_field(w);
    hs_csvw_end_field(w, to + hs_fmt_seconds(to, us));
}

static inline void hs_csvw_empty(struct hs_csvw *w)
{
    char *to = hs_csvw_begin_field(w);
    if (w->is_single) {
        *to++ = '"';
        *to++ = '"';
    }
    hs_csvw_end_field(w, to);
}

void hs_csvw_some_text(struct hs_csvw *w, const char *text);         /* not "" */
static inline void hs_csvw_text(struct hs_csvw *w, const char *text) /* NULL = empty */
{
    if (text != NULL && text[0] != '\0')
        hs_csvw_some_text(w, text);
    else
        hs_csvw_empty(w);
}

void hs_csvw_ratio(struct hs_csvw *w, uint64_t num, uint64_t den,
                   unsigned decimals); /* den 0 = empty */
void hs_csvw_double(struct hs_csvw *w, double value);
/* Ascending ids as evalys interval sets: "0-7 16 20-23". */
void hs_csvw_ids(struct hs_csvw *w, const uint32_t *ids, uint32_t count);

static inline void hs_csvw_end(struct hs_csvw *w) /* of the row */
{
    w->out.at[-1] = '\n';
    w->rows++;
}

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

/* Any other text: writes it, and keeps what can be kept. */
void hs_csvtexts_put_new(struct hs_csvtext *slot, struct hs_csvw *w, const char *text);

/* text NULL: empty. */
static inline void hs_csvtexts_put(struct hs_csvtexts *texts, struct hs_csvw *w, const char *text)
{
    const uint64_t spread = (uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15);
    struct hs_csvtext *known = &texts->of[spread >> (64 - HS_CSVTEXTS_BITS)];
    if (HS_UNLIKELY(known->text != text || known->len == 0)) {
        hs_csvtexts_put_new(known, w, text);
        return;
    }
    char *to = hs_csvw_begin_field(w);
    memcpy(to, known->field, sizeof known->field);
    hs_output_wrote(&w->out, to + known->len);
}

#endif
