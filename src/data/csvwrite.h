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
 */
#ifndef HORUS_DATA_CSVWRITE_H
#define HORUS_DATA_CSVWRITE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
