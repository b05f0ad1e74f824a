/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See rowfile.h.
 */
#include "report/rowfile.h"

#include <string.h>

#include "base/timeparse.h"

static enum hs_status find_columns(struct hs_rowfile *f, const char *path)
{
    enum hs_status s = hs_csv_next(f->csv, &f->row);
    if (s == HS_END)
        return hs_fail(f->diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                       "the file is empty");
    HS_TRY(s);
    for (uint32_t i = 0; f->names[i] != NULL; i++) {
        f->at[i] = hs_csv_column(&f->row, f->names[i]);
        struct hs_place place = hs_csv_place(f->csv, f->row.count);
        if (f->at[i] == UINT32_MAX)
            return hs_fail(f->diag, HS_E_INPUT, &place, NULL, "there is no column '%s'",
                           f->names[i]);
    }
    return HS_OK;
}

enum hs_status hs_rowfile_open(struct hs_rowfile *f, const char *path, const char *const *names,
                               struct hs_diag *diag)
{
    *f = (struct hs_rowfile){.diag = diag, .names = names};
    HS_TRY(hs_input_open(&f->input, path, diag));
    HS_TRY(hs_csv_open(&f->csv, f->input, ',', diag));
    return find_columns(f, path);
}

enum hs_status hs_rowfile_next(struct hs_rowfile *f)
{
    return hs_csv_next(f->csv, &f->row);
}

const char *hs_rowfile_text(const struct hs_rowfile *f, uint32_t column)
{
    return f->at[column] < f->row.count ? f->row.fields[f->at[column]] : "";
}

enum hs_status hs_rowfile_bad(const struct hs_rowfile *f, uint32_t column, const char *expected)
{
    struct hs_place place = hs_csv_place(f->csv, f->at[column]);
    return hs_fail(f->diag, HS_E_INPUT, &place, NULL, "%s is not %s", f->names[column], expected);
}

enum hs_status hs_rowfile_decimal(const struct hs_rowfile *f, uint32_t column, int64_t unit,
                                  const char *expected, int64_t *value)
{
    const char *text = hs_rowfile_text(f, column);
    *value = -1;
    if (text[0] != '\0' && (!hs_parse_decimal_us(text, strlen(text), unit, value) || *value < 0))
        return hs_rowfile_bad(f, column, expected);
    return HS_OK;
}

enum hs_status hs_rowfile_count(const struct hs_rowfile *f, uint32_t column, uint64_t *count)
{
    const char *text = hs_rowfile_text(f, column);
    int64_t value = 0;
    if (text[0] != '\0' && (!hs_parse_int64(text, strlen(text), &value) || value < 0))
        return hs_rowfile_bad(f, column, "a count");
    *count = (uint64_t)value;
    return HS_OK;
}

bool hs_rowfile_range(const char **at, uint32_t *first, uint32_t *last)
{
    size_t length = strcspn(*at, " "), first_length = strcspn(*at, "- ");
    int64_t from, to;
    if (!hs_parse_int64(*at, first_length, &from))
        return false;
    to = from;
    if (first_length < length &&
        !hs_parse_int64(*at + first_length + 1, length - first_length - 1, &to))
        return false;
    if (from < 0 || to < from || to >= UINT32_MAX)
        return false;
    *first = (uint32_t)from;
    *last = (uint32_t)to;
    *at += length;
    *at += **at == ' ';
    return true;
}

void hs_rowfile_close(struct hs_rowfile *f)
{
    if (f->csv != NULL)
        hs_csv_close(f->csv);
    if (f->input != NULL)
        hs_input_close(f->input);
}
