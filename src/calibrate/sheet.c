/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See sheet.h.
 */
#include "calibrate/sheet.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#define FAULTS_MAX 20u /* of a file: then reading stops */

static void note(struct hs_sheet *s, enum hs_status status)
{
    if (s->status == HS_OK)
        s->status = status;
    s->faults++;
    s->is_good = false;
}

void hs_sheet_fault(struct hs_sheet *s, uint32_t column, const char *hint, const char *fmt, ...)
{
    struct hs_place place = hs_csv_place(s->csv, s->at[column]);
    char message[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    note(s, hs_fail(s->diag, HS_E_INPUT, &place, hint, "%s", message));
}

/* A column that is not read is data lost. An unnamed one is the index that some programs write. */
static void check_header(struct hs_sheet *s)
{
    for (uint32_t i = 0; i < s->row.count; i++) {
        const char *name = s->row.fields[i], *names[HS_SHEET_COLUMNS];
        bool is_known = name[0] == '\0';
        char hint[HS_HINT_SIZE];
        for (uint32_t c = 0; c < s->count; c++) {
            names[c] = s->columns[c].name;
            is_known = is_known || s->at[c] == i;
        }
        if (is_known)
            continue;
        struct hs_place place = hs_csv_place(s->csv, i);
        const char *nearest = hs_nearest(name, names, s->count);
        bool is_twice = nearest != NULL && strcasecmp(nearest, name) == 0;
        note(s, hs_fail(s->diag, HS_E_INPUT, &place,
                        is_twice ? NULL : hs_did_you_mean(hint, name, names, s->count, NULL),
                        is_twice ? "column '%.80s' twice" : "unknown column '%.80s'", name));
    }
}

static bool sheet_next(struct hs_sheet *s, uint32_t width)
{
    while (s->faults < FAULTS_MAX) {
        enum hs_status status = hs_csv_next(s->csv, &s->row);
        if (status == HS_END)
            return false;
        if (status == HS_OK) {
            s->rows++;
            s->is_good = true;
            if (s->row.count == width)
                return true;
            struct hs_place place = hs_csv_place(s->csv, s->row.count);
            status = hs_fail(s->diag, HS_E_INPUT, &place, NULL,
                             "%" PRIu32 " fields, the header has %" PRIu32, s->row.count, width);
        }
        note(s, status);
        if (status != HS_E_INPUT)
            return false;
    }
    return false;
}

enum hs_status hs_sheet_read(struct hs_sheet *s, const char *path,
                             enum hs_status (*take)(struct hs_sheet *s))
{
    HS_TRY(hs_input_open(&s->input, path, s->diag));
    hs_csv_open(&s->csv, s->input, ',', s->diag);
    enum hs_status status = hs_csv_next(s->csv, &s->row);
    uint32_t width = s->row.count;
    if (status == HS_END)
        status = hs_fail(s->diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                         "the file is empty");
    else if (status == HS_OK) {
        struct hs_place place = hs_csv_place(s->csv, 0);
        char missing[512] = "";
        uint32_t lacking = 0;
        for (uint32_t i = 0; i < s->count; i++) {
            s->at[i] = hs_csv_column(&s->row, s->columns[i].name);
            if (s->at[i] == UINT32_MAX && s->columns[i].is_required)
                hs_append(missing, sizeof missing, "%s%s", lacking++ > 0 ? ", " : "",
                          s->columns[i].name);
        }
        status = lacking == 0 ? HS_OK
                              : hs_fail(s->diag, HS_E_INPUT, &place, NULL, "missing column%s: %s",
                                        lacking > 1 ? "s" : "", missing);
    }
    if (status == HS_OK && s->is_own)
        check_header(s);
    while (status == HS_OK && sheet_next(s, width))
        status = take(s);
    if (status == HS_OK)
        status = s->status;
    if (status == HS_OK)
        hs_measure_file_add(s->m, path, hs_input_hash(s->input), hs_input_bytes(s->input), s->rows);
    hs_csv_close(s->csv);
    hs_input_close(s->input);
    return status;
}

const char *hs_sheet_text(const struct hs_sheet *s, uint32_t column)
{
    return s->at[column] < s->row.count ? s->row.fields[s->at[column]] : "";
}

const char *hs_sheet_name(struct hs_sheet *s, uint32_t column)
{
    const char *text = hs_sheet_text(s, column);
    bool is_name = text[0] != '\0' && strlen(text) <= HS_MEASURE_NAME_MAX;
    for (const char *c = text; *c != '\0'; c++)
        is_name = is_name && *c != '/' && !iscntrl((unsigned char)*c);
    if (!is_name)
        hs_sheet_fault(s, column, "1 to 255 characters without '/'", "%s is not a name: '%.80s'",
                       s->columns[column].name, text);
    return text;
}

double hs_sheet_number(struct hs_sheet *s, uint32_t column)
{
    const struct hs_sheet_column *c = &s->columns[column];
    const char *text = hs_sheet_text(s, column);
    double value;
    /* Programs write these for a run that gave no figure; other text is a slip. */
    static const char *const none[] = {"",          "nan",       "inf",  "+inf", "-inf",
                                       "infinity",  "-infinity", "null", "na",   "n/a",
                                       "+infinity", "-nan",      "none"};
    for (size_t i = 0; i < HS_COUNT_OF(none); i++) {
        if (strcasecmp(text, none[i]) != 0)
            continue;
        if (s->is_own && text[0] != '\0')
            hs_sheet_fault(s, column, "leave empty what was not measured",
                           "%s is not a number: '%.80s'", c->name, text);
        return NAN;
    }
    if (!hs_parse_double(text, strlen(text), &value)) {
        hs_sheet_fault(s, column, c->hint, "%s is not a number: '%.80s'", c->name, text);
        return NAN;
    }
    if (value >= c->min && value <= c->max) {
        if (c->unit == 100)
            s->highest_share = fmax(s->highest_share, value / c->unit);
        return value / c->unit;
    }
    hs_sheet_fault(s, column, c->hint, "%s is %.80s, out of %s..%s", c->name, text,
                   HS_DIGITS(c->min), HS_DIGITS(c->max));
    return NAN;
}

/* Splits a key into model, dataset, batch (a whole number or empty), precision. */
static bool split_key(const char *key, struct hs_key_parts *parts)
{
    for (int i = 0; i < 4; i++) {
        size_t len = strcspn(key, "/");
        if (len > HS_MEASURE_NAME_MAX || (len == 0 && i != 2) || (key[len] == '\0') != (i == 3))
            return false;
        memcpy(parts->part[i], key, len);
        parts->part[i][len] = '\0';
        key += len + (key[len] == '/');
    }
    const char *batch = parts->part[2];
    int64_t size;
    return batch[0] == '\0' || (hs_parse_int64(batch, strlen(batch), &size) && size > 0 &&
                                strspn(batch, "0123456789") == strlen(batch) && batch[0] != '0');
}

struct hs_solo hs_sheet_job(struct hs_sheet *s, uint32_t column, struct hs_key_parts *parts)
{
    const char *key = hs_sheet_text(s, column);
    struct hs_solo job = hs_solo_unmeasured;
    if (!split_key(key, parts))
        hs_sheet_fault(s, column,
                       "Model/Dataset/batch/precision, e.g. ResNet18/CIFAR-10/64/fp32; a model "
                       "without batch: A3C/Pong//fp32",
                       "%s is not a profile key: '%.80s'", s->columns[column].name, key);
    job.model = parts->part[0];
    job.dataset = parts->part[1];
    job.batch = parts->part[2];
    job.precision = parts->part[3];
    job.line = s->row.line;
    return job;
}
