/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * sweep.csv: the summaries of the points below each other, in the order of the points, each behind
 * what makes it that point. Fields are copied as they are, so that the file is the same whoever ran
 * the points. The manifest comes last: it marks a gathered sweep.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/timeparse.h"
#include "cli/pointlock.h"
#include "cli/record.h"
#include "cli/sweep.h"
#include "data/csvread.h"
#include "data/csvwrite.h"
#include "report/manifest.h"
#include "report/runmanifest.h"

#define HEADER_SIZE 65536u

/* What to do with the header and the row of a summary. */
struct taker {
    void *ctx;
    enum hs_status (*head)(void *ctx, const struct hs_csv_row *head, struct hs_diag *diag);
    void (*row)(void *ctx, const struct hs_csv_row *row);
};

static enum hs_status read_rows(struct hs_csv *csv, const struct taker *taker, const char *path,
                                struct hs_diag *diag)
{
    struct hs_csv_row row;
    enum hs_status status = hs_csv_next(csv, &row);
    if (status == HS_OK)
        status = taker->head(taker->ctx, &row, diag);
    if (status == HS_OK)
        status = hs_csv_next(csv, &row);
    if (status == HS_OK)
        taker->row(taker->ctx, &row);
    if (status == HS_END)
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                       "a summary has a header and a row");
    return status;
}

static enum hs_status read_summary(const struct hs_sweep *sweep, const struct hs_sweep_point *point,
                                   const struct taker *taker)
{
    struct hs_diag *diag = &sweep->call->diag;
    char path[HS_PATH_SIZE];
    struct hs_input *input;
    struct hs_csv *csv;
    hs_sweep_path(sweep, HS_RUNS_DIR, point->name, "/summary.csv", path);
    HS_TRY(hs_input_open(&input, path, diag));
    enum hs_status status = hs_csv_open(&csv, input, ',', diag);
    if (status == HS_OK) {
        status = read_rows(csv, taker, path, diag);
        hs_csv_close(csv);
    }
    hs_input_close(input);
    return status;
}

/* ---- one metric ---- */

struct metric {
    const char *name;
    uint32_t column;
    double value;
};

static enum hs_status find_metric(void *ctx, const struct hs_csv_row *head, struct hs_diag *diag)
{
    struct metric *m = ctx;
    m->column = hs_csv_column(head, m->name);
    if (m->column < head->count)
        return HS_OK;
    return hs_fail(diag, HS_E_INPUT, NULL, "was it written by another version?",
                   "a summary has no column '%s'", m->name);
}

static void take_metric(void *ctx, const struct hs_csv_row *row)
{
    struct metric *m = ctx;
    if (m->column >= row->count ||
        !hs_parse_double(row->fields[m->column], row->lengths[m->column], &m->value))
        m->value = (double)NAN;
}

enum hs_status hs_sweep_metric(const struct hs_sweep *sweep, const char *metric, double *values)
{
    struct metric m = {.name = metric};
    const struct taker taker = {&m, find_metric, take_metric};
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        values[i] = (double)NAN;
        if (sweep->points[i].state != HS_POINT_DONE)
            continue;
        HS_TRY(read_summary(sweep, &sweep->points[i], &taker));
        values[i] = m.value;
    }
    return HS_OK;
}

/* ---- sweep.csv ---- */

struct gathering {
    struct hs_sweep *sweep;
    struct hs_rundir dir; /* in which both files are built */
    char header[HEADER_SIZE];
    size_t header_len;
    uint32_t columns;     /* of a summary */
    uint64_t header_hash; /* of it */
    struct hs_csvw csv;
    const struct hs_sweep_point *point; /* whose row is taken */
    uint32_t index, warned;             /* warned: points with warnings */
    struct hs_output_file file;
};

static enum hs_status put_column(struct gathering *g, const char *prefix, const char *name,
                                 struct hs_diag *diag)
{
    size_t room = sizeof g->header - g->header_len;
    int put = snprintf(g->header + g->header_len, room, ",%s%s", prefix, name);
    if (put < 0 || (size_t)put >= room)
        return hs_fail(diag, HS_E_LIMIT, NULL, NULL, "the header of sweep.csv is too long");
    g->header_len += (size_t)put;
    return HS_OK;
}

static uint64_t hash_of_row(const struct hs_csv_row *row)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < row->count; i++)
        hash = hs_hash_of(row->fields[i], row->lengths[i] + 1) + hash * 31;
    return hash;
}

static enum hs_status take_head(void *ctx, const struct hs_csv_row *head, struct hs_diag *diag)
{
    struct gathering *g = ctx;
    if (g->columns > 0) {
        if (hash_of_row(head) == g->header_hash)
            return HS_OK;
        char path[HS_PATH_SIZE];
        hs_sweep_path(g->sweep, HS_RUNS_DIR, g->point->name, "/summary.csv", path);
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path, .line = 1},
                       "was it written by another version? remove the run, and sweep again",
                       "its columns are not those of the points before it");
    }
    g->columns = head->count;
    g->header_hash = hash_of_row(head);
    for (uint32_t i = 0; i < head->count; i++)
        HS_TRY(put_column(g, "", head->fields[i], diag));
    return HS_OK;
}

static void put_point(struct gathering *g)
{
    static const char *const states[] = {"missing", "done", "failed"};
    hs_csvw_u64(&g->csv, (uint64_t)g->index + 1);
    hs_csvw_text(&g->csv, g->point->name);
    hs_csvw_text(&g->csv, states[g->point->state]);
    if (g->point->state == HS_POINT_MISSING)
        hs_csvw_empty(&g->csv);
    else /* a finished one may have failed before */
        hs_csvw_i64(&g->csv, g->point->state == HS_POINT_FAILED ? g->point->exit_code : 0);
    for (uint32_t k = 0; k < g->sweep->key_count; k++)
        hs_csvw_text(&g->csv, hs_sweep_value(g->sweep, g->index, k));
}

static void take_row(void *ctx, const struct hs_csv_row *row)
{
    struct gathering *g = ctx;
    put_point(g);
    for (uint32_t i = 0; i < g->columns; i++)
        hs_csvw_text(&g->csv, i < row->count ? row->fields[i] : NULL);
    hs_csvw_end(&g->csv);
}

static void ignore_row(void *ctx, const struct hs_csv_row *row)
{
    (void)ctx, (void)row;
}

/* Of the first finished point; they are those of all. */
static enum hs_status make_header(struct gathering *g)
{
    struct hs_sweep *sweep = g->sweep;
    const struct taker taker = {g, take_head, ignore_row};
    g->header_len = (size_t)snprintf(g->header, sizeof g->header, "%s", HS_SWEEP_COLUMNS);
    for (uint32_t k = 0; k < sweep->key_count; k++)
        HS_TRY(put_column(g, "axis_", sweep->keys[k], &sweep->call->diag));
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        g->point = &sweep->points[i];
        if (g->point->state == HS_POINT_DONE)
            return read_summary(sweep, g->point, &taker);
    }
    return HS_OK;
}

static enum hs_status put_rows(struct gathering *g)
{
    const struct taker taker = {g, take_head, take_row};
    for (g->index = 0; g->index < g->sweep->point_count; g->index++) {
        g->point = &g->sweep->points[g->index];
        if (g->point->state == HS_POINT_DONE) {
            HS_TRY(read_summary(g->sweep, g->point, &taker));
            continue;
        }
        put_point(g);
        for (uint32_t i = 0; i < g->columns; i++)
            hs_csvw_empty(&g->csv);
        hs_csvw_end(&g->csv);
    }
    return HS_OK;
}

static enum hs_status write_rows(struct gathering *g)
{
    struct hs_diag *diag = &g->sweep->call->diag;
    char path[HS_PATH_SIZE];
    HS_TRY(make_header(g));
    hs_rundir_file(&g->dir, "sweep.csv", path, sizeof path);
    HS_TRY(hs_csvw_open(&g->csv, path, g->header, diag));
    enum hs_status status = put_rows(g);
    g->file = (struct hs_output_file){.name = "sweep.csv",
                                      .hash = hs_output_hash(&g->csv.out),
                                      .bytes = hs_output_bytes(&g->csv.out),
                                      .rows = g->csv.rows};
    enum hs_status closed = hs_csvw_close(&g->csv, diag);
    return status != HS_OK ? status : closed;
}

/* ---- manifest.json ---- */

static void write_axes(const struct hs_sweep *sweep, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "axes");
    hs_jsonw_array(w);
    for (uint32_t a = 0; a < sweep->axis_count; a++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_key(w, "keys");
        hs_jsonw_array(w);
        for (uint32_t k = 0; k < sweep->axes[a].key_count; k++)
            hs_jsonw_text(w, sweep->keys[sweep->axes[a].first_key + k]);
        hs_jsonw_end_array(w);
        hs_jsonw_member_u64(w, "values", sweep->axes[a].rows);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void write_sweep(void *ctx, struct hs_jsonw *w)
{
    const struct hs_sweep *sweep = ctx;
    hs_jsonw_key(w, "sweep");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "name", sweep->name);
    hs_jsonw_member_u64(w, "points", sweep->point_count);
    hs_jsonw_member_u64(w, "done", hs_sweep_count(sweep, HS_POINT_DONE));
    hs_jsonw_member_u64(w, "failed", hs_sweep_count(sweep, HS_POINT_FAILED));
    hs_jsonw_member_u64(w, "missing", hs_sweep_count(sweep, HS_POINT_MISSING));
    write_axes(sweep, w);
    hs_jsonw_end_object(w);
}

static enum hs_status write_manifest(struct gathering *g)
{
    struct hs_sweep *sweep = g->sweep;
    struct hs_config config = sweep->config;
    const struct hs_manifest_input input = {.role = "experiment",
                                            .path = sweep->file,
                                            .hash = sweep->file_hash,
                                            .bytes = sweep->file_bytes};
    bool is_whole = hs_sweep_count(sweep, HS_POINT_DONE) == sweep->point_count;
    struct utsname machine;
    struct hs_manifest manifest = {.status = is_whole ? "complete" : "partial",
                                   .seed = (uint64_t)sweep->base.seed,
                                   .inputs = &input,
                                   .input_count = 1,
                                   .outputs = &g->file,
                                   .output_count = 1,
                                   .write_config = hs_record_config,
                                   .config_ctx = &config,
                                   .write_more = write_sweep,
                                   .more_ctx = sweep};
    manifest.libraries = hs_libraries(&manifest.libraries_count);
    manifest.machine = (struct hs_manifest_volatile){
        .command = sweep->call->command, .host = uname(&machine) == 0 ? machine.nodename : NULL};
    return hs_manifest_write(&manifest, &g->dir, &sweep->call->diag);
}

/* A manifest is there only beside the sweep.csv that it describes. */
static enum hs_status publish(const struct gathering *g)
{
    static const char *const files[] = {"sweep.csv", "manifest.json"};
    const char *dir = g->sweep->dir;
    char from[HS_PATH_SIZE], to[HS_PATH_SIZE];
    (void)snprintf(to, sizeof to, "%s/manifest.json", dir);
    if (unlink(to) != 0 && errno != ENOENT)
        return hs_fail(&g->sweep->call->diag, HS_E_IO, &(struct hs_place){.file = to}, NULL,
                       "cannot remove: %s", strerror(errno));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hs_rundir_file(&g->dir, files[i], from, sizeof from);
        (void)snprintf(to, sizeof to, "%s/%s", dir, files[i]);
        if (rename(from, to) != 0)
            return hs_fail(&g->sweep->call->diag, HS_E_IO, &(struct hs_place){.file = to}, NULL,
                           "cannot rename: %s", strerror(errno));
    }
    return HS_OK;
}

static enum hs_status gather(struct hs_sweep *sweep)
{
    char path[HS_PATH_SIZE];
    struct hs_diag *diag = &sweep->call->diag;
    struct gathering *g = hs_alloc_zeroed(1, sizeof *g);
    if (g == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    g->sweep = sweep;
    (void)snprintf(path, sizeof path, "%s/gather", sweep->dir);
    enum hs_status status = hs_rundir_open(&g->dir, path, true, diag);
    if (status == HS_OK) {
        status = write_rows(g);
        if (status == HS_OK)
            status = write_manifest(g);
        if (status == HS_OK)
            status = publish(g);
        hs_rundir_discard(&g->dir);
    }
    hs_free(g);
    return status;
}

/* Two that end at the same time gather one after the other, and the later tells what both did. */
enum hs_status hs_sweep_gather(struct hs_sweep *sweep)
{
    char path[HS_PATH_SIZE];
    struct hs_pointlock lock;
    struct hs_diag *diag = &sweep->call->diag;
    (void)snprintf(path, sizeof path, "%s/gather.lock", sweep->dir);
    HS_TRY(hs_pointlock_take(&lock, path, diag));
    enum hs_status status = hs_sweep_settle(sweep);
    if (status == HS_OK)
        status = gather(sweep);
    hs_pointlock_free(&lock, path);
    return status;
}
