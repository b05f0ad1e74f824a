/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The whole file in memory, ids interned: about 60 bytes a job.
 */
#include "model/estimate_file.h"

#include <string.h>

#include "base/fixed.h"
#include "base/intern.h"
#include "base/io.h"
#include "base/timeparse.h"
#include "data/csvread.h"
#include "model/estimator.h"

struct hs_estimate_file {
    struct hs_intern ids;
    int64_t *us; /* by id */
    uint32_t us_cap;
};

struct reader {
    struct hs_estimate_file *file;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t id, estimate; /* fields */
    uint32_t field_count;  /* of the header */
    const char *name;      /* of the column with the estimate */
    struct hs_diag *diag;
};

static enum hs_status read_header(struct reader *r)
{
    enum hs_status status = hs_csv_next(r->csv, &r->row);
    struct hs_place place = hs_csv_place(r->csv, 0);
    if (status == HS_END)
        return hs_fail(r->diag, HS_E_INPUT, &place, "the first line names job_id and estimate",
                       "the file of estimates is empty");
    HS_TRY(status);
    place = hs_csv_place(r->csv, r->row.count);
    r->field_count = r->row.count;
    r->id = hs_csv_column(&r->row, "job_id");
    if (r->id == UINT32_MAX)
        return hs_fail(r->diag, HS_E_INPUT, &place, "the columns are job_id and estimate, seconds",
                       "missing column 'job_id'");
    uint32_t duration = hs_csv_column(&r->row, "duration");
    uint32_t priority = hs_csv_column(&r->row, "priority");
    r->estimate = hs_csv_column(&r->row, "estimate");
    if (r->estimate == UINT32_MAX && duration != UINT32_MAX && priority != UINT32_MAX)
        return hs_fail(r->diag, HS_E_INPUT, &place, "call the column that is meant 'estimate'",
                       "is 'duration' the estimate, or 'priority'?");
    if (r->estimate == UINT32_MAX)
        r->estimate = duration != UINT32_MAX ? duration : priority;
    if (r->estimate == UINT32_MAX)
        return hs_fail(r->diag, HS_E_INPUT, &place,
                       "run times in seconds; 'duration' and 'priority' are understood too",
                       "missing column 'estimate'");
    r->name = r->estimate == duration   ? "duration"
              : r->estimate == priority ? "priority"
                                        : "estimate";
    return HS_OK;
}

static enum hs_status read_estimate(const struct reader *r, int64_t *us)
{
    const char *text = r->row.fields[r->estimate];
    struct hs_place place = hs_csv_place(r->csv, r->estimate);
    if (!hs_parse_decimal_us(text, r->row.lengths[r->estimate], HS_US_PER_S, us))
        return hs_fail(r->diag, HS_E_INPUT, &place,
                       "for example 90 or 4.5; leave out the row of a job of which nothing is "
                       "known",
                       "%s is not a number of seconds: '%.64s'", r->name, text);
    if (*us < 0)
        return hs_fail(r->diag, HS_E_INPUT, &place,
                       "write what is meant by it: 0, or a least run time; or leave the row out, "
                       "and nothing is known of the job",
                       "%s is negative: '%.64s'", r->name, text);
    if (*us > HS_ESTIMATE_MAX_US)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL,
                       "%s is beyond what can be counted: '%.64s'", r->name, text);
    return HS_OK;
}

static enum hs_status read_row(struct reader *r)
{
    struct hs_estimate_file *file = r->file;
    uint32_t known = file->ids.count, id;
    struct hs_place place = hs_csv_place(r->csv, r->row.count);
    int64_t us;
    if (r->row.count != r->field_count)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL, "%u fields where the header has %u",
                       r->row.count, r->field_count);
    HS_TRY(read_estimate(r, &us));
    enum hs_status status = hs_intern_get(&file->ids, r->row.fields[r->id], &id);
    place = hs_csv_place(r->csv, r->id);
    if (status == HS_OK && id == 0)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL, "job_id is empty");
    if (status == HS_OK && id < known)
        return hs_fail(r->diag, HS_E_INPUT, &place, "leave one of them out",
                       "job '%.64s' has an estimate already", r->row.fields[r->id]);
    if (status == HS_OK)
        status = hs_grow((void **)&file->us, &file->us_cap, (uint64_t)id + 1, sizeof *file->us,
                         HS_INTERN_MAX);
    if (status != HS_OK)
        return hs_fail(r->diag, status, &place, NULL,
                       status == HS_E_LIMIT ? "more than %u jobs" : "out of memory after %u jobs",
                       known - 1);
    file->us[id] = us;
    return HS_OK;
}

static enum hs_status read_all(struct hs_estimate_file *file, struct hs_input *input,
                               struct hs_diag *diag)
{
    struct reader r = {.file = file, .diag = diag};
    HS_TRY(hs_csv_open(&r.csv, input, ',', diag));
    enum hs_status status = read_header(&r);
    while (status == HS_OK && (status = hs_csv_next(r.csv, &r.row)) == HS_OK)
        status = read_row(&r);
    hs_csv_close(r.csv);
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_estimate_file_open(struct hs_estimate_file **f, const char *path,
                                     struct hs_diag *diag)
{
    struct hs_input *input;
    *f = NULL;
    HS_TRY(hs_input_open(&input, path, diag));
    struct hs_estimate_file *file = hs_alloc_zeroed(1, sizeof *file);
    enum hs_status status = file != NULL ? hs_intern_init(&file->ids) : HS_E_MEMORY;
    if (status == HS_OK)
        status = read_all(file, input, diag);
    else
        (void)hs_fail(diag, status, NULL, NULL, "out of memory for '%s'", path);
    hs_input_close(input);
    if (status == HS_OK)
        *f = file;
    else
        hs_estimate_file_close(file);
    return status;
}

int64_t hs_estimate_file_us(const struct hs_estimate_file *f, const char *id)
{
    uint32_t at = hs_intern_find(&f->ids, id);
    return at != 0 && at != UINT32_MAX ? f->us[at] : -1;
}

void hs_estimate_file_close(struct hs_estimate_file *f)
{
    if (f == NULL)
        return;
    hs_intern_free(&f->ids);
    hs_free(f->us);
    hs_free(f);
}
