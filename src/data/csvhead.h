/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first line of a CSV file that is written by hand: which field is which of our columns.
 * Columns come in any order; a column that is not one of ours, or twice there, is an error at its
 * place.
 *
 *     static const char *const names[] = {"model", "gpus"};
 *     HS_TRY(hs_csv_bind(csv, &row, &(struct hs_csv_head){names, 2, "note", hint}, at, diag));
 *     if (at[0] != UINT32_MAX) use(row.fields[at[0]]);
 */
#ifndef HORUS_DATA_CSVHEAD_H
#define HORUS_DATA_CSVHEAD_H

#include <stdint.h>

#include "data/csvread.h"

struct hs_csv_head {
    const char *const *names;
    uint32_t count;
    const char *notes; /* columns whose names begin so are for readers, and passed over */
    const char *hint;  /* for an unknown column that is near none of ours */
};

/* header: the row last read. at[i]: the field of names[i]; UINT32_MAX = not in the file. */
HS_MUST_USE enum hs_status hs_csv_bind(const struct hs_csv *csv, const struct hs_csv_row *header,
                                       const struct hs_csv_head *head, uint32_t *at,
                                       struct hs_diag *diag);

#endif
