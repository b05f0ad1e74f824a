/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A third-party CSV file, by named columns; any error in it fails the test.
 *
 *     static const char *const columns[] = {"job_id", "end", NULL};
 *     static struct sheet t;
 *     for (sheet_open(&t, path, columns); sheet_next(&t);)
 *         use(sheet_cell(&t, 0), sheet_seconds(&t, 1));
 *     sheet_close(&t);
 */
#ifndef HORUS_TESTS_SHEET_H
#define HORUS_TESTS_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "data/csv.h"
#include "support/sink.h"

#define SHEET_COLUMNS_MAX 8

struct sheet {
    struct sink sink;
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[SHEET_COLUMNS_MAX];
};

void sheet_open(struct sheet *t, const char *path, const char *const *columns);
bool sheet_next(struct sheet *t);
const char *sheet_cell(const struct sheet *t, uint32_t column);
/* A number with decimals, in millionths. */
int64_t sheet_millionths(const struct sheet *t, uint32_t column);
/* Whole seconds, also written "128150.0". */
int64_t sheet_seconds(const struct sheet *t, uint32_t column);
void sheet_close(struct sheet *t);

#endif
