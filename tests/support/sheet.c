/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See sheet.h.
 */
#include "support/sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/fmt.h"

#define MILLION INT64_C(1000000)

void sheet_open(struct sheet *t, const char *path, const char *const *columns)
{
    sink_init(&t->sink);
    assert_int_equal(hs_input_open(&t->input, path, &t->sink.diag), HS_OK);
    hs_csv_open(&t->csv, t->input, ',', &t->sink.diag);
    assert_int_equal(hs_csv_next(t->csv, &t->row), HS_OK);
    for (uint32_t i = 0; columns[i] != NULL; i++) {
        assert_true(i < SHEET_COLUMNS_MAX);
        t->at[i] = hs_csv_column(&t->row, columns[i]);
        assert_int_not_equal(t->at[i], UINT32_MAX);
    }
}

bool sheet_next(struct sheet *t)
{
    return hs_csv_next(t->csv, &t->row) == HS_OK;
}

const char *sheet_cell(const struct sheet *t, uint32_t column)
{
    return t->row.fields[t->at[column]];
}

int64_t sheet_millionths(const struct sheet *t, uint32_t column)
{
    int64_t value;
    const char *text = sheet_cell(t, column);
    assert_true(hs_parse_decimal_us(text, strlen(text), MILLION, &value));
    return value;
}

int64_t sheet_seconds(const struct sheet *t, uint32_t column)
{
    int64_t us = sheet_millionths(t, column);
    assert_int_equal(us % MILLION, 0);
    return us / MILLION;
}

void sheet_close(struct sheet *t)
{
    hs_csv_close(t->csv);
    hs_input_close(t->input);
}
