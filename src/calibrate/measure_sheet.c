/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV by the names of its columns, with faults at their place. A number that is none (nan, inf) is
 * told apart from text: programs write the one for a run that gave no figure, the other is a slip.
 */
#include "calibrate/measure_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fmt.h"
#include "base/timeparse.h"

#define FAULTS_MAX 20u /* then reading stops */

static void note(struct hs_sheet *s, enum hs_status status)
{
    if (s->status == HS_OK)
        s->status = status;
    s->faults++;
}

void hs_sheet_fault(struct hs_sheet *s, uint32_t column, const char *hint, const char *fmt, ...)
{
    struct hs_place place = hs_csv_place(s->csv, s->at[column]);
    char message[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    hs_report(s->diag, HS_ERROR, &place, hint, "%s", message);
    note(s, HS_E_INPUT);
}

static void close_files(struct hs_sheet *s)
{
    hs_csv_close(s->csv);
    hs_input_close(s->input);
    s->csv = NULL;
    s->input = NULL;
}

static enum hs_status find_columns(struct hs_sheet *s)
{
    char missing[512] = "";
    size_t used = 0;
    uint32_t lacking = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        s->at[i] = hs_csv_column(&s->row, s->columns[i].name);
        if (s->at[i] != UINT32_MAX || !s->columns[i].is_required || used >= sizeof missing)
            continue;
        int len = snprintf(missing + used, sizeof missing - used, "%s%s", lacking++ > 0 ? ", " : "",
                           s->columns[i].name);
        used += len > 0 ? (size_t)len : 0;
    }
    if (lacking == 0)
        return HS_OK;
    struct hs_place place = hs_csv_place(s->csv, 0);
    return hs_fail(s->diag, HS_E_INPUT, &place, NULL, "missing column%s: %s",
                   lacking > 1 ? "s" : "", missing);
}

static enum hs_status open_header(struct hs_sheet *s, const char *path)
{
    HS_TRY(hs_input_open(&s->input, path, s->diag));
    HS_TRY(hs_csv_open(&s->csv, s->input, ',', s->diag));
    enum hs_status status = hs_csv_next(s->csv, &s->row);
    if (status == HS_END)
        return hs_fail(s->diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                       "the file is empty");
    s->width = s->row.count;
    return status == HS_OK ? find_columns(s) : status;
}

enum hs_status hs_sheet_open(struct hs_sheet *s, const char *path,
                             const struct hs_sheet_column *columns, uint32_t count,
                             struct hs_diag *diag)
{
    *s = (struct hs_sheet){.columns = columns, .count = count, .diag = diag};
    enum hs_status status = open_header(s, path);
    if (status != HS_OK)
        close_files(s);
    return status;
}

static void width_fault(struct hs_sheet *s)
{
    struct hs_place place = hs_csv_place(s->csv, s->row.count);
    hs_report(s->diag, HS_ERROR, &place, NULL, "%" PRIu32 " fields, the header has %" PRIu32,
              s->row.count, s->width);
    note(s, HS_E_INPUT);
}

bool hs_sheet_next(struct hs_sheet *s)
{
    while (s->faults < FAULTS_MAX) {
        enum hs_status status = hs_csv_next(s->csv, &s->row);
        if (status == HS_OK) {
            s->rows++;
            if (s->row.count == s->width)
                return true;
            width_fault(s);
            continue;
        }
        if (status == HS_END)
            return false;
        note(s, status);
        if (status != HS_E_INPUT)
            return false;
    }
    return false;
}

const char *hs_sheet_text(const struct hs_sheet *s, uint32_t column)
{
    return s->at[column] < s->row.count ? s->row.fields[s->at[column]] : "";
}

bool hs_sheet_name(struct hs_sheet *s, uint32_t column, const char **out)
{
    const char *text = hs_sheet_text(s, column);
    bool is_name = text[0] != '\0' && strlen(text) <= HS_MEASURE_NAME_MAX;
    for (const char *c = text; *c != '\0'; c++)
        is_name = is_name && *c != '/' && !iscntrl((unsigned char)*c);
    if (is_name)
        *out = text;
    else
        hs_sheet_fault(s, column, "1 to 255 characters without '/'", "%s is not a name: '%.80s'",
                       s->columns[column].name, text);
    return is_name;
}

static bool is_no_number(const char *text)
{
    static const char *const words[] = {"",          "nan",       "inf",  "+inf", "-inf",
                                        "infinity",  "-infinity", "null", "na",   "n/a",
                                        "+infinity", "-nan",      "none"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

bool hs_sheet_number(struct hs_sheet *s, uint32_t column, double min, double max, double *out)
{
    const char *text = hs_sheet_text(s, column);
    char low[HS_FMT_MAX + 1], high[HS_FMT_MAX + 1];

    *out = NAN;
    if (is_no_number(text))
        return true;
    if (!hs_parse_double(text, strlen(text), out)) {
        hs_sheet_fault(s, column, s->columns[column].hint, "%s is not a number: '%.80s'",
                       s->columns[column].name, text);
        return false;
    }
    if (*out >= min && *out <= max)
        return true;
    low[hs_fmt_double(low, min)] = '\0';
    high[hs_fmt_double(high, max)] = '\0';
    hs_sheet_fault(s, column, s->columns[column].hint, "%s is %.80s, out of %s..%s",
                   s->columns[column].name, text, low, high);
    *out = NAN;
    return false;
}

enum hs_status hs_sheet_close(struct hs_sheet *s, struct hs_measurements *m)
{
    enum hs_status status = s->status;
    if (status == HS_OK)
        status = hs_measure_file_add(m, hs_input_path(s->input), hs_input_hash(s->input),
                                     hs_input_bytes(s->input), s->rows);
    close_files(s);
    return status;
}
