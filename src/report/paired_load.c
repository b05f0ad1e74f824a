/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Manifest and jobs.csv of two run directories into memory. O(jobs).
 */
#include "report/paired.h"

#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "report/rowfile.h"

#define ROWS_MAX (UINT32_MAX / 2)

enum { ID, SUBMIT, GPUS, SUCCESS, WAIT, TURNAROUND, VC, ISOLATED, RUN };
static const char *const columns[] = {"job_id",  "submission_time", "requested_number_of_resources",
                                      "success", "waiting_time",    "turnaround_time",
                                      "vc",      "isolated",        "run",
                                      NULL};

static enum hs_status read_time(const struct hs_rowfile *f, uint32_t column, int64_t *us)
{
    return hs_rowfile_decimal(f, column, HS_US_PER_S, "a time in seconds", us);
}

/* Times without which the row says nothing. */
static enum hs_status check_row(const struct hs_rowfile *f, const struct hs_paired_row *row)
{
    if (row->submit_us < 0)
        return hs_rowfile_bad(f, SUBMIT, "a time in seconds");
    if (row->work_us < 0)
        return hs_rowfile_bad(f, ISOLATED, "a time in seconds");
    if (row->is_done && row->wait_us < 0)
        return hs_rowfile_bad(f, WAIT, "the time that a job which is done has waited");
    if (row->is_done && row->jct_us < 0)
        return hs_rowfile_bad(f, TURNAROUND, "the time that a job which is done has taken");
    if (row->is_done && row->run_us < 0)
        return hs_rowfile_bad(f, RUN, "the time that a job which is done has run");
    return HS_OK;
}

static enum hs_status add_row(struct hs_paired_run *run, const struct hs_rowfile *f)
{
    struct hs_paired_row row = {.number = run->count};
    const char *id = hs_rowfile_text(f, ID);
    uint64_t gpus;
    HS_TRY(read_time(f, SUBMIT, &row.submit_us));
    HS_TRY(read_time(f, WAIT, &row.wait_us));
    HS_TRY(read_time(f, TURNAROUND, &row.jct_us));
    HS_TRY(read_time(f, ISOLATED, &row.work_us));
    HS_TRY(read_time(f, RUN, &row.run_us));
    HS_TRY(hs_rowfile_count(f, GPUS, &gpus));
    if (gpus > UINT32_MAX)
        return hs_rowfile_bad(f, GPUS, "a number of GPUs");
    row.gpus = (uint32_t)gpus;
    row.is_done = strcmp(hs_rowfile_text(f, SUCCESS), "1") == 0;
    HS_TRY(check_row(f, &row));
    row.id = hs_arena_text(&run->arena, id, strlen(id));
    if (row.id == NULL)
        return HS_E_MEMORY;
    HS_TRY(hs_intern_get(&run->vcs, hs_rowfile_text(f, VC), &row.vc));
    HS_TRY(hs_grow((void **)&run->rows, &run->cap, (uint64_t)run->count + 1, sizeof *run->rows,
                   ROWS_MAX));
    run->rows[run->count++] = row;
    return HS_OK;
}

static enum hs_status read_rows(struct hs_paired_run *run, const char *path, struct hs_diag *diag)
{
    struct hs_rowfile f;
    enum hs_status s = hs_rowfile_open(&f, path, columns, diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK) {
        s = add_row(run, &f);
        if (s == HS_E_MEMORY || s == HS_E_LIMIT)
            s = hs_fail(diag, s, &(struct hs_place){.file = path}, NULL,
                        "no memory for more than %u jobs", run->count);
    }
    if (s == HS_END) {
        run->hash = hs_input_hash(f.input);
        run->bytes = hs_input_bytes(f.input);
        s = HS_OK;
    }
    hs_rowfile_close(&f);
    return s;
}

static enum hs_status load_run(struct hs_paired_run *run, const char *dir, struct hs_diag *diag)
{
    static const char name[] = "jobs.csv";
    char path[HS_PATH_SIZE];
    struct hs_place place = {.file = dir};
    run->dir = dir;
    if (hs_intern_init(&run->vcs) != HS_OK)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    HS_TRY(hs_runmanifest_open(&run->manifest, dir, diag));
    const struct hs_runmanifest_file *file = hs_runmanifest_file(&run->manifest, name);
    if (file == NULL && run->manifest.file_count > 0)
        return hs_fail(diag, HS_E_INPUT, &place, "repeat the run with --outputs=jobs, or all",
                       "nothing to compare: the run was made without %s", name);
    int length = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", dir);
    HS_TRY(read_rows(run, path, diag));
    place.file = path;
    if (file != NULL && run->hash != file->hash)
        hs_report(diag, HS_WARNING, &place, "`horus verify` says more",
                  "not the file that the manifest lists: it was changed after the run");
    return HS_OK;
}

enum hs_status hs_paired_load(struct hs_paired *p, const char *dir_a, const char *dir_b,
                              struct hs_diag *diag)
{
    *p = (struct hs_paired){.diag = diag};
    HS_TRY(load_run(&p->runs[HS_PAIRED_A], dir_a, diag));
    HS_TRY(load_run(&p->runs[HS_PAIRED_B], dir_b, diag));
    return hs_paired_join(p);
}

void hs_paired_free(struct hs_paired *p)
{
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        struct hs_paired_run *run = &p->runs[r];
        hs_runmanifest_close(&run->manifest);
        hs_arena_free(&run->arena);
        hs_intern_free(&run->vcs);
        hs_free(run->rows);
    }
    hs_free(p->compared);
    p->compared = NULL;
}
