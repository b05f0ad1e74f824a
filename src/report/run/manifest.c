/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of the output is fixed, and everything that may differ between two equal runs is in the
 * last object, so that the rest can be compared byte for byte.
 *
 * summary.json is nested, with units and the reasons for absent values; summary.csv is one wide row
 * with the same columns for every trace, so that the rows of a sweep concatenate: virtual clusters,
 * which differ between traces, are only in the JSON.
 */
#include "report/run/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fixed.h"
#include "horus/version.h"

#define MANIFEST_SCHEMA 1
#define SUMMARY_SCHEMA  1

enum hs_status hs_manifest_write(const struct hs_manifest *m, const struct hs_rundir *dir,
                                 struct hs_diag *diag)
{
    struct hs_output out;
    struct hs_jsonw writer, *w = &writer;
    const char *path = HS_RUNDIR_FILE(dir, "manifest.json");
    HS_TRY(hs_output_open(&out, path, diag));
    hs_jsonw_begin(w, &out);
    hs_jsonw_put(w, "={ schema=%u program=horus version=%s commit=%s compiler=%s flags=%s",
                 MANIFEST_SCHEMA, HS_VERSION, hs_version_commit(), hs_version_compiler(),
                 hs_version_flags());
    hs_jsonw_put(w, "libraries={");
    for (uint32_t i = 0; i < m->libraries_count; i++)
        hs_jsonw_put(w, "%s=%s", m->libraries[i].name, m->libraries[i].version);
    hs_jsonw_put(w, "} status=%s", m->status);
    if (m->card != NULL) {
        hs_jsonw_key(w, "assumptions");
        hs_card_write_json(m->card, w);
    }
    hs_jsonw_put(w, "seed=%" PRIu64, m->seed);
    hs_jsonw_key(w, "config");
    m->write_config(m->config_ctx, w);
    if (m->write_more != NULL)
        m->write_more(m->more_ctx, w);
    hs_jsonw_put(w, "inputs=[");
    for (uint32_t i = 0; i < m->input_count; i++) {
        const struct hs_manifest_input *in = &m->inputs[i];
        hs_jsonw_put(w, "={ role=%s path=%s xxh3_64=%016" PRIx64 " bytes=%" PRIu64, in->role,
                     in->path, in->hash, in->bytes);
        if (in->rows > 0)
            hs_jsonw_put(w, "rows=%" PRIu64, in->rows);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "] outputs=[");
    for (uint32_t i = 0; i < m->output_count; i++) {
        const struct hs_output_file *file = &m->outputs[i];
        hs_jsonw_put(w, "={ name=%s xxh3_64=%016" PRIx64 " bytes=%" PRIu64 " rows=%" PRIu64 " }",
                     file->name, file->hash, file->bytes, file->rows);
    }
    hs_jsonw_put(w, "]");
    if (m->write_counts != NULL)
        m->write_counts(m->more_ctx, w);
    hs_jsonw_put(w, "warnings=[");
    for (uint32_t i = 0; i < m->warning_count; i++)
        hs_jsonw_text(w, m->warnings[i]);
    hs_jsonw_put(w, "] volatile={ command=[");
    for (const char *const *arg = m->machine.command; arg != NULL && *arg != NULL; arg++)
        hs_jsonw_text(w, *arg);
    hs_jsonw_put(w, "] host=%s directory=%s wall_s=%g cpu_s=%g peak_rss_kib=%" PRIu64 " } }",
                 m->machine.host, m->machine.directory, m->machine.wall_s, m->machine.cpu_s,
                 m->machine.peak_rss_kib);
    hs_jsonw_finish(w);
    return hs_output_close(&out, diag);
}

/* ---- reading ---- */

enum hs_status hs_hash_file(const char *path, uint64_t *hash, uint64_t *bytes, struct hs_diag *diag)
{
    struct hs_input *input;
    const char *data;
    size_t len;
    enum hs_status status;
    HS_TRY(hs_input_open(&input, path, diag));
    while ((status = hs_input_read(input, &data, &len)) == HS_OK)
        ;
    *hash = hs_input_hash(input);
    *bytes = hs_input_bytes(input);
    hs_input_close(input);
    return status == HS_END ? HS_OK : status;
}

static bool read_hash(const struct hs_json *value, uint64_t *hash)
{
    const char *text = hs_json_text(value);
    if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *hash = strtoull(text, NULL, 16);
    return true;
}

enum hs_status hs_runmanifest_open(struct hs_runmanifest *m, const char *dir, struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    const struct hs_place place = {.file = dir};
    *m = (struct hs_runmanifest){0};
    int length = snprintf(path, sizeof path, "%s/manifest.json", dir);
    if (length < 0 || (size_t)length >= sizeof path)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", dir);
    if (access(dir, F_OK) != 0)
        return hs_fail(diag, HS_E_IO, &place, NULL, "cannot open: %s", strerror(errno));
    if (access(path, F_OK) != 0) {
        if (errno == ENOTDIR)
            return hs_fail(diag, HS_E_INPUT, &place, "name the directory, not a file in it",
                           "not a finished run: it is no directory");
        HS_TRY(hs_rundir_refuse_many(dir, "", diag));
        return hs_fail(diag, HS_E_INPUT, &place,
                       "the manifest is written last: without it a run was cut short",
                       "not a finished run: there is no manifest.json in it");
    }
    const enum hs_status status = hs_runmanifest_load(m, path, diag);
    m->dir = dir;
    for (uint32_t i = 0; i < m->file_count && status == HS_OK; i++) {
        length = snprintf(path, sizeof path, "%s/%s", dir, m->files[i].name);
        if (length > 0 && (size_t)length < sizeof path)
            HS_TRY(hs_regular_check(path, diag));
    }
    return status;
}

enum hs_status hs_runmanifest_need(const struct hs_runmanifest *m, const char *name,
                                   const char *verb)
{
    if (m->file_count == 0 || hs_runmanifest_file(m, name) != NULL)
        return HS_OK;
    HS_TRY(hs_rundir_refuse_many(m->dir, "/" HS_RUNS_DIR, m->diag));
    return hs_fail(m->diag, HS_E_INPUT, HS_AT({.file = m->dir}),
                   "repeat the run with --outputs=all",
                   "nothing to %s: the run was made without %s", verb, name);
}

enum hs_status hs_runmanifest_load(struct hs_runmanifest *m, const char *path, struct hs_diag *diag)
{
    *m = (struct hs_runmanifest){.diag = diag};
    HS_TRY(hs_regular_check(path, diag));
    HS_TRY(hs_json_load(&m->doc, path, diag));
    const struct hs_json *root = hs_json_root(m->doc);
    struct hs_place place = hs_json_place(m->doc, root);
    m->config = hs_json_get(root, "config");
    if (hs_json_kind(m->config) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place,
                       "only the directories of `horus run` are understood",
                       "the manifest has no configuration");
    m->assumptions = hs_renamed_get(root, "assumptions");
    m->can = hs_json_text(hs_json_get(m->assumptions, "can"));
    m->can = m->can != NULL ? m->can : "";
    /* entries that lack members are skipped */
    const struct hs_json *in = hs_json_first(hs_json_get(root, "inputs"));
    for (; in != NULL && m->input_count < HS_RUNMANIFEST_FILES_MAX; in = hs_json_next(in)) {
        struct hs_manifest_input *input = &m->inputs[m->input_count];
        int64_t bytes = 0;
        input->role = hs_json_text(hs_json_get(in, "role"));
        input->path = hs_json_text(hs_json_get(in, "path"));
        m->input_count += input->role != NULL && input->path != NULL &&
                          read_hash(hs_json_get(in, "xxh3_64"), &input->hash) &&
                          hs_json_int(hs_json_get(in, "bytes"), &bytes);
        input->bytes = (uint64_t)bytes;
    }
    const struct hs_json *out = hs_json_first(hs_json_get(root, "outputs"));
    for (; out != NULL && m->file_count < HS_RUNMANIFEST_FILES_MAX; out = hs_json_next(out)) {
        struct hs_output_file *file = &m->files[m->file_count];
        file->name = hs_json_text(hs_json_get(out, "name"));
        m->file_count += file->name != NULL && read_hash(hs_json_get(out, "xxh3_64"), &file->hash);
        if (file->name != NULL && !hs_rundir_is_name(file->name)) {
            place = hs_json_place(m->doc, out);
            return hs_fail(diag, HS_E_INPUT, &place, NULL,
                           "a file of the manifest lies outside the directory");
        }
    }
    return HS_OK;
}

const struct hs_output_file *hs_runmanifest_file(const struct hs_runmanifest *m, const char *name)
{
    for (uint32_t i = 0; i < m->file_count; i++)
        if (strcmp(m->files[i].name, name) == 0)
            return &m->files[i];
    return NULL;
}

const struct hs_kept_name hs_kept_names[HS_KEPT_ROLES] = {
    {"cluster", {"cluster.csv", "cluster.json"}},
    {"events", {"events.csv", "events.json"}},
    {"reservations", {"reservations.csv", "reservations.json"}}};

const char *hs_runmanifest_kept(const struct hs_runmanifest *m, enum hs_kept_role role,
                                char path[HS_PATH_SIZE])
{
    for (int is_json = 0; is_json < 2 && m->dir != NULL; is_json++) {
        const char *name = hs_kept_names[role].files[is_json];
        (void)snprintf(path, HS_PATH_SIZE, "%s/%s", m->dir, name);
        if (hs_runmanifest_file(m, name) != NULL && access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

const struct hs_manifest_input *hs_runmanifest_trace(const struct hs_runmanifest *m)
{
    for (uint32_t i = 0; i < m->input_count; i++)
        if (strcmp(m->inputs[i].role, "trace") == 0)
            return &m->inputs[i];
    return NULL;
}

const char *hs_runmanifest_text(const struct hs_json *value, char text[HS_RUNMANIFEST_NUMBER_SIZE])
{
    int64_t whole;
    if (hs_json_kind(value) != HS_JSON_NUMBER)
        return hs_json_text(value);
    size_t length = hs_json_int(value, &whole) ? hs_fmt_i64(text, whole)
                                               : hs_fmt_double(text, hs_json_number(value));
    text[length] = '\0';
    return text;
}

int64_t hs_runmanifest_duration_us(const struct hs_runmanifest *m, const char *key)
{
    const char *text = hs_json_text(hs_json_get(m->config, key));
    int64_t us;
    return text != NULL && hs_parse_duration_us(text, strlen(text), &us) ? us : 0;
}

int64_t hs_runmanifest_horizon_us(const struct hs_runmanifest *m)
{
    const struct hs_json *stopped = hs_json_get(hs_json_root(m->doc), "stopped");
    int64_t us;
    if (stopped != NULL && hs_json_int(hs_json_get(stopped, "at_us"), &us))
        return us;
    us = hs_runmanifest_duration_us(m, "until");
    return us > 0 ? us : -1;
}

void hs_runmanifest_close(struct hs_runmanifest *m)
{
    hs_json_close(m->doc);
    m->doc = NULL;
}

/* ---- reading rows ---- */

#define NS_PER_S INT64_C(1000000000)

/* For the kinds that are decimal numbers. */
static const struct {
    int64_t unit;
    const char *expected;
    bool may_be_empty;
} decimals[] = {
    [HS_ROWCELL_SHARE] = {HS_GPU_MILLI, "a share of a GPU, at most 1, in thousandths", false},
    [HS_ROWCELL_TIME] = {HS_US_PER_S, "a time in seconds", false},
    [HS_ROWCELL_TIME_OR_NONE] = {HS_US_PER_S, "a time in seconds", true},
    [HS_ROWCELL_TIME_IF_ANY] = {HS_US_PER_S, "a time in seconds", true},
    [HS_ROWCELL_NUMBER] = {HS_US_PER_S, "a number", true},
    [HS_ROWCELL_RATIO] = {HS_US_PER_S, "a ratio", true},
    [HS_ROWCELL_MIB_SECONDS] = {HS_US_PER_S, "MiB times seconds", true},
    [HS_ROWCELL_NANO] = {NS_PER_S, "a time in seconds", false},
    [HS_ROWCELL_RATE] = {NS_PER_S, "a rate", true},
};

/* Current and former names of columns, metrics, causes and members. */
static const struct {
    const char *present, *former;
} renamed[] = {
    {"queueing_delay", "pending"},
    {"mean_queueing_delay", "mean_pending"},
    {"useful_gpu_share", "goodput"},
    {"resources", "capacity"},
    {"placement", "shape"},
    {"constraint", "locality"},
    {"priority", "order"},
    {"wait_resources_gpu_seconds", "wait_capacity_gpu_seconds"},
    {"wait_placement_gpu_seconds", "wait_shape_gpu_seconds"},
    {"wait_constraint_gpu_seconds", "wait_locality_gpu_seconds"},
    {"wait_priority_gpu_seconds", "wait_order_gpu_seconds"},
    {"assumptions", "card"},
};

const char *hs_present_name(const char *name)
{
    for (size_t i = 0; i < HS_COUNT_OF(renamed); i++)
        if (strcmp(renamed[i].former, name) == 0)
            return renamed[i].present;
    return name;
}

static const char *former_name(const char *name)
{
    for (size_t i = 0; i < HS_COUNT_OF(renamed); i++)
        if (strcmp(renamed[i].present, name) == 0)
            return renamed[i].former;
    return name;
}

uint32_t hs_renamed_column(const struct hs_csv_row *head, const char *name)
{
    const uint32_t column = hs_csv_column(head, name);
    return column < head->count ? column : hs_csv_column(head, former_name(name));
}

const struct hs_json *hs_renamed_get(const struct hs_json *object, const char *key)
{
    const struct hs_json *value = hs_json_get(object, key);
    return value != NULL ? value : hs_json_get(object, former_name(key));
}

/* Finds the columns of the table. */
static enum hs_status read_head(struct hs_rowfile *f, const char *path)
{
    const struct hs_rowcell *cells = f->cells;
    struct hs_diag *diag = f->diag;
    HS_TRY(hs_regular_check(path, diag));
    HS_TRY(hs_input_open(&f->input, path, diag));
    hs_csv_open(&f->csv, f->input, ',', diag);
    enum hs_status s = hs_csv_next(f->csv, &f->row);
    if (s == HS_END)
        return hs_fail(diag, HS_E_INPUT, HS_AT({.file = path}), NULL, "the file is empty");
    HS_TRY(s);
    for (uint32_t i = 0; cells[i].column != NULL; i++) {
        f->at[i] = hs_renamed_column(&f->row, cells[i].column);
        if (f->at[i] == UINT32_MAX && cells[i].kind < HS_ROWCELL_TIME_IF_ANY)
            return hs_csv_fail(f->csv, f->row.count, NULL, "there is no column '%s'",
                               cells[i].column);
    }
    return HS_OK;
}

const char *hs_rowfile_text(const struct hs_rowfile *f, uint32_t column)
{
    return f->at[column] < f->row.count ? f->row.fields[f->at[column]] : "";
}

static enum hs_status bad(const struct hs_rowfile *f, uint32_t column, const char *expected)
{
    return hs_csv_fail(f->csv, f->at[column], NULL, "%s is not %s", f->cells[column].column,
                       expected);
}

enum hs_status hs_rowfile_bad(const struct hs_rowfile *f, const char *name, const char *expected)
{
    uint32_t column = 0;
    while (strcmp(f->cells[column].column, name) != 0)
        column++;
    return bad(f, column, expected);
}

enum hs_status hs_rowfile_decimal(const struct hs_rowfile *f, uint32_t column, int64_t unit,
                                  const char *expected, int64_t *value)
{
    const char *text = hs_rowfile_text(f, column);
    *value = -1;
    if (text[0] != '\0' && (!hs_parse_decimal_us(text, strlen(text), unit, value) || *value < 0))
        return bad(f, column, expected);
    return HS_OK;
}

static enum hs_status read_count(const struct hs_rowfile *f, uint32_t column, uint64_t *count)
{
    const char *text = hs_rowfile_text(f, column);
    int64_t value = 0;
    if (text[0] != '\0' && (!hs_parse_int64(text, strlen(text), &value) || value < 0))
        return bad(f, column, "a count");
    *count = (uint64_t)value;
    return HS_OK;
}

enum hs_status hs_rowfile_read(const struct hs_rowfile *f, void *row)
{
    for (uint32_t i = 0; f->cells[i].column != NULL; i++) {
        const enum hs_rowcell_kind kind = f->cells[i].kind;
        const char *text = hs_rowfile_text(f, i);
        void *to = (char *)row + f->cells[i].offset;
        uint64_t count;
        int64_t value;
        switch (kind) {
        case HS_ROWCELL_TEXT:
        case HS_ROWCELL_TEXT_IF_ANY:
            *(const char **)to = text;
            break;
        case HS_ROWCELL_DOUBLE:
            *(double *)to = (double)NAN;
            if (text[0] != '\0' && !hs_parse_double(text, strlen(text), to))
                return bad(f, i, "a number");
            break;
        case HS_ROWCELL_SIGNED_IF_ANY:
            *(int64_t *)to = INT64_MIN;
            if (text[0] != '\0' && !hs_parse_decimal_us(text, strlen(text), HS_US_PER_S, to))
                return bad(f, i, "a number of seconds");
            break;
        case HS_ROWCELL_COUNT:
            HS_TRY(read_count(f, i, to));
            break;
        case HS_ROWCELL_COUNT32:
            HS_TRY(read_count(f, i, &count));
            *(uint32_t *)to = (uint32_t)count;
            if (count > UINT32_MAX)
                return bad(f, i, "a count");
            break;
        default:
            HS_TRY(hs_rowfile_decimal(f, i, decimals[kind].unit, decimals[kind].expected, &value));
            if ((value < 0 && !decimals[kind].may_be_empty) ||
                (kind == HS_ROWCELL_SHARE && (value < 1 || value > HS_GPU_MILLI)))
                return bad(f, i, decimals[kind].expected);
            if (kind == HS_ROWCELL_SHARE)
                *(uint32_t *)to = (uint32_t)value;
            else
                *(int64_t *)to = value;
        }
    }
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

#define ROWS_LISTED 1024 /* about a millisecond */

enum hs_status hs_rowfile_each(struct hs_runmanifest *m, const char *name,
                               const struct hs_rowcell *cells,
                               enum hs_status (*each)(void *ctx, const struct hs_rowfile *f),
                               void *ctx)
{
    struct hs_rowfile f = {.diag = m->diag, .cells = cells};
    const struct hs_output_file *listed = hs_runmanifest_file(m, name);
    const char *path = HS_PATH("%s/%s", m->dir, name); /* no longer than manifest.json */
    enum hs_status s = read_head(&f, path);
    for (uint64_t rows = 0; s == HS_OK && (s = hs_csv_next(f.csv, &f.row)) == HS_OK; rows++) {
        s = each(ctx, &f);
        if (rows % ROWS_LISTED == 0) {
            uint64_t done, total;
            hs_input_progress(f.input, &done, &total);
            hs_advance(m->diag, name, total > 0 ? (double)done / (double)total : -1);
        }
    }
    if (s == HS_END) {
        s = HS_OK;
        m->rows_hash = hs_input_hash(f.input);
        m->rows_bytes = hs_input_bytes(f.input);
        if (listed != NULL && listed->hash != m->rows_hash && !m->keeps_quiet)
            hs_report(m->diag, HS_WARNING, HS_AT({.file = path}), "`horus verify` checks the run",
                      "not the file that the manifest lists: it was changed after the run");
    }
    hs_csv_close(f.csv);
    hs_input_close(f.input);
    return s;
}

/* ---- segments.csv in memory ---- */

struct segment_row {
    struct hs_placed placed;
    const char *id, *gpus, *ended_by;
};
#define AT(field) offsetof(struct segment_row, field)

const struct hs_rowcell hs_schedule_cells[] = {
    {"job_id", HS_ROWCELL_TEXT, AT(id)},
    {"start", HS_ROWCELL_TIME, AT(placed.start_us)},
    {"end", HS_ROWCELL_TIME, AT(placed.end_us)},
    {"mean_rate", HS_ROWCELL_RATE, AT(placed.rate_nano)},
    {"tenants", HS_ROWCELL_COUNT32, AT(placed.tenants)},
    {"allocated_resources", HS_ROWCELL_TEXT, AT(gpus)},
    {"ended_by", HS_ROWCELL_TEXT, AT(ended_by)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

enum hs_status hs_schedule_add(void *schedule, const struct hs_rowfile *f)
{
    struct hs_schedule *s = schedule;
    struct segment_row row = {.placed = {.line = f->row.line, .range_first = s->range_count}};
    struct hs_placed *p = &row.placed;
    HS_TRY(hs_rowfile_read(f, &row));
    if (p->end_us < p->start_us)
        return hs_rowfile_bad(f, "end", "a time at or after start");
    while (p->ended_by < HS_SEGMENT_ENDS &&
           strcmp(row.ended_by, hs_segment_end_text(p->ended_by)) != 0)
        p->ended_by++;
    if (p->ended_by == HS_SEGMENT_ENDS)
        return hs_rowfile_bad(f, "ended_by", s->expected_ended_by);
    int64_t above = -1;
    for (struct hs_gpu_range r; *row.gpus != '\0'; p->range_count++, above = r.last) {
        if (!hs_rowfile_range(&row.gpus, &r.first, &r.last) || (int64_t)r.first <= above ||
            r.last >= s->gpu_count)
            return hs_rowfile_bad(f, "allocated_resources", s->expected_gpus);
        hs_spill_grow(s->spill, (void **)&s->ranges, &s->range_cap, (uint64_t)s->range_count + 1,
                      sizeof *s->ranges);
        s->ranges[s->range_count++] = r;
        p->gpus += r.last - r.first + 1;
    }
    const uint32_t name = hs_intern_find(s->ids, row.id);
    p->job = name != 0 && name != UINT32_MAX ? name - 1 : UINT32_MAX;
    hs_spill_grow(s->spill, (void **)&s->segments, &s->segment_cap, (uint64_t)s->segment_count + 1,
                  sizeof *s->segments);
    s->segments[s->segment_count++] = *p;
    hs_spill_step(s->spill);
    return HS_OK;
}

/* ---- figures ---- */

/* The order of the figures in stats.c. */
const char *const hs_class_measures[HS_CLASS_MEASURES] = {
    HS_FIGURE_NAMES("wait"), HS_FIGURE_NAMES("jct"), HS_FIGURE_NAMES("slowdown"),
    "mean_bounded_slowdown", "mean_isolated",        HS_FIGURE_NAMES("run_slowdown"),
    "mean_time_to_progress"};

uint32_t hs_class_of_gpus(uint32_t gpus)
{
    if (gpus <= 2)
        return gpus;
    const uint32_t log2 = 64 - HS_CLZ64(gpus - 1); /* rounded up */
    return log2 < HS_CLASS_GPUS_COUNT - 1 ? log2 : HS_CLASS_GPUS_COUNT - 1;
}

void hs_class_name(uint32_t index, const char *vc, struct hs_class *out)
{
    static const char *const gpus[] = {"0", "1", "2-4", "5-8", "9-16", "17-32", ">32"};
    static const char *const quintiles[] = {"q1", "q2", "q3", "q4", "q5"};
    const char *name = vc;
    out->kind = "vc";
    if (index < HS_CLASS_QUINTILE) {
        out->kind = "gpus";
        name = gpus[index - HS_CLASS_GPUS];
    } else if (index < HS_CLASS_OUTCOME) {
        out->kind = "user_quintile";
        name = quintiles[index - HS_CLASS_QUINTILE];
    } else if (index < HS_CLASS_JOB) {
        out->kind = "outcome";
        name = hs_outcome_text((enum hs_outcome)(index - HS_CLASS_OUTCOME));
    } else if (index < HS_CLASS_VC) {
        out->kind = "class";
        name = hs_job_class_text((enum hs_job_class)(index - HS_CLASS_JOB));
    }
    /* longer names end in "..." */
    if (snprintf(out->name, sizeof out->name, "%s", name) > HS_CLASS_NAME_MAX)
        memcpy(out->name + HS_CLASS_NAME_MAX - 3, "...", 4);
}

double hs_summary_get(const struct hs_summary *summary, const char *name)
{
    for (uint32_t i = 0; i < summary->count; i++)
        if (strcmp(summary->metrics[i].name, name) == 0)
            return summary->metrics[i].value;
    return (double)NAN;
}

enum hs_status hs_open_listed(struct hs_csvw *csv, const struct hs_rundir *dir, const char *name,
                              const char *header, struct hs_diag *diag)
{
    return hs_csvw_open(csv, HS_RUNDIR_FILE(dir, name), header, diag);
}

enum hs_status hs_close_listed(struct hs_csvw *csv, const char *name, struct hs_output_file *file,
                               struct hs_diag *diag)
{
    *file = hs_output_file_of(&csv->out, name, csv->rows);
    return hs_csvw_close(csv, diag);
}

struct hs_output_file hs_output_file_of(struct hs_output *out, const char *name, uint64_t rows)
{
    return (struct hs_output_file){
        .name = name, .hash = hs_output_hash(out), .bytes = hs_output_bytes(out), .rows = rows};
}

/* ---- the assumptions ---- */

#define CARD_FIELDS 19
#define SEED_BEFORE 2 /* the seed, a number, precedes this field */

struct card_field {
    const char *name, *text;
};

static void list_card(const struct hs_card *card, struct card_field out[CARD_FIELDS])
{
    const struct hs_semantics *s = &card->policy_semantics;
    const struct card_field fields[CARD_FIELDS] = {
        {"workload", card->workload},
        {"cluster", card->cluster},
        {"policy", card->policy},
        {"order", s->order},
        {"scan", s->scan},
        {"placement", s->placement},
        {"preemption", s->preemption},
        {"preempt_cost", s->cost},
        {"gang", card->gang},
        {"ties", card->ties},
        {"locality", card->locality},
        {"vc", card->vc},
        {"interference", card->interference},
        {"knows", card->knows},
        {"can", card->can},
        {"profiles", card->profiles},
        {"predictor", card->predictor},
        {"speeds", card->speeds},
        {"unknown", card->unknown},
    };
    memcpy(out, fields, sizeof fields);
}

void hs_card_write_json(const struct hs_card *card, struct hs_jsonw *w)
{
    struct card_field fields[CARD_FIELDS];
    list_card(card, fields);
    hs_jsonw_put(w, "={");
    for (int i = 0; i < CARD_FIELDS; i++) {
        if (i == SEED_BEFORE)
            hs_jsonw_put(w, "seed=%" PRIu64, card->seed);
        hs_jsonw_put(w, "%s=%s", fields[i].name, fields[i].text);
    }
    if (card->power != NULL)
        hs_jsonw_put(w, "power=%s", card->power);
    if (card->checkpoints != NULL)
        hs_jsonw_put(w, "checkpoints=%s", card->checkpoints);
    if (card->fork != NULL)
        hs_jsonw_put(w, "fork=%s", card->fork);
    hs_jsonw_put(w, "}");
}

/* ---- spreads ---- */

void hs_spread_add(struct hs_spread *spread, double value)
{
    spread->min = spread->runs == 0 ? value : fmin(spread->min, value);
    spread->max = spread->runs == 0 ? value : fmax(spread->max, value);
    spread->runs++;
    double before = value - spread->mean;
    spread->mean += before / spread->runs;
    spread->squares += before * (value - spread->mean);
}

double hs_spread_deviation(const struct hs_spread *spread)
{
    return spread->runs < 2 ? (double)NAN : sqrt(spread->squares / (spread->runs - 1));
}

/* ---- summary.json ---- */

/* Classes of one kind are adjacent. */
static void put_classes(const struct hs_summary *s, struct hs_jsonw *w)
{
    hs_jsonw_put(w, "classes={");
    for (uint32_t i = 0; i < s->class_count; i++) {
        const struct hs_class *class = &s->classes[i];
        if (i == 0 || strcmp(class->kind, class[-1].kind) != 0)
            hs_jsonw_put(w, "%s={", class->kind);
        hs_jsonw_put(w, "%s={", class->name);
        hs_jsonw_put(w, "jobs=%" PRIu64, class->jobs);
        for (uint32_t m = 0; m < HS_CLASS_MEASURES; m++)
            hs_jsonw_put(w, "%s=%g", hs_class_measures[m], class->value[m]);
        hs_jsonw_put(w, "}");
        if (i + 1 == s->class_count || strcmp(class->kind, class[1].kind) != 0)
            hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "}");
}

/* ---- summary.csv ---- */

/* Writes metrics [from, to): names in the header, values in the row. */
static void put_columns(const struct hs_summary *s, uint32_t from, uint32_t to, bool is_header,
                        struct hs_csvw *w)
{
    for (uint32_t i = from; i < to; i++)
        if (is_header)
            hs_csvw_text(w, s->metrics[i].name);
        else
            hs_csvw_double(w, s->metrics[i].value);
}

/* Writes a column name: "2-4" as 2_4, ">32" as over_32. */
static void put_class_name(const struct hs_class *class, const char *measure, struct hs_csvw *w)
{
    const bool is_over = class->name[0] == '>';
    char name[128];
    (void)snprintf(name, sizeof name, "%s_%s%s_%s", class->kind, is_over ? "over_" : "",
                   class->name + is_over, measure);
    for (char *at = name; (at = strchr(at, '-')) != NULL;)
        *at = '_';
    hs_csvw_text(w, name);
}

/* Writes columns of classes: number of jobs, mean wait, mean JCT and mean slowdown. */
static void put_class_columns(const struct hs_summary *s, uint32_t from, uint32_t to,
                              bool is_header, struct hs_csvw *w)
{
    for (uint32_t i = from; i < to; i++) {
        const struct hs_class *class = NULL;
        struct hs_class like;
        hs_class_name(i, NULL, &like);
        for (uint32_t c = 0; c < s->class_count && class == NULL; c++)
            if (strcmp(s->classes[c].kind, like.kind) == 0 &&
                strcmp(s->classes[c].name, like.name) == 0)
                class = &s->classes[c];
        if (is_header)
            put_class_name(&like, "jobs", w);
        else
            hs_csvw_u64(w, class != NULL ? class->jobs : 0);
        for (uint32_t m = 0; m < 3 * HS_FIGURES; m += HS_FIGURES)
            if (is_header)
                put_class_name(&like, hs_class_measures[m], w);
            else
                hs_csvw_double(w, class != NULL ? class->value[m] : (double)NAN);
    }
}

static void put_row(const struct hs_summary *s, const struct hs_card *card, bool is_header,
                    struct hs_csvw *w)
{
    struct card_field fields[CARD_FIELDS];
    list_card(card, fields);
    for (int i = 0; i < CARD_FIELDS; i++) {
        if (i == SEED_BEFORE && is_header)
            hs_csvw_text(w, "seed");
        else if (i == SEED_BEFORE)
            hs_csvw_u64(w, card->seed);
        hs_csvw_text(w, is_header ? fields[i].name : fields[i].text);
    }
    put_columns(s, 0, s->before_classes, is_header, w);
    put_class_columns(s, HS_CLASS_ALL + 1, HS_CLASS_JOB, is_header, w);
    put_columns(s, s->before_classes, s->before_job_classes, is_header, w);
    put_class_columns(s, HS_CLASS_JOB, HS_CLASS_VC, is_header, w);
    put_columns(s, s->before_job_classes, s->count, is_header, w);
    hs_csvw_end(w);
}

enum hs_status hs_summary_write(const struct hs_summary *summary, const struct hs_card *card,
                                const struct hs_rundir *dir,
                                struct hs_output_file files[HS_SUMMARY_FILES], struct hs_diag *diag)
{
    struct hs_output json;
    struct hs_csvw csv = {0};
    HS_TRY(hs_output_open(&json, HS_RUNDIR_FILE(dir, "summary.json"), diag));
    struct hs_jsonw writer, *w = &writer;
    hs_jsonw_begin(w, &json);
    hs_jsonw_put(w, "={ schema=%u", SUMMARY_SCHEMA);
    hs_jsonw_key(w, "assumptions");
    hs_card_write_json(card, w);
    hs_jsonw_put(w, "metrics={");
    for (uint32_t i = 0; i < summary->count; i++)
        hs_jsonw_put(w, "%s=%g", summary->metrics[i].name, summary->metrics[i].value);
    hs_jsonw_put(w, "} units={");
    for (uint32_t i = 0; i < summary->count; i++)
        hs_jsonw_put(w, "%s=%s", summary->metrics[i].name, summary->metrics[i].unit);
    hs_jsonw_put(w, "} absent={");
    for (uint32_t i = 0; i < summary->count; i++)
        if (summary->metrics[i].absent_because != NULL)
            hs_jsonw_put(w, "%s=%s", summary->metrics[i].name, summary->metrics[i].absent_because);
    hs_jsonw_put(w, "}");
    put_classes(summary, w);
    for (uint32_t i = 0; i < summary->spread_count; i++) {
        const struct hs_spread *spread = &summary->spreads[i];
        if (i == 0)
            hs_jsonw_put(w, "tie_jitter={ runs=%u", spread->runs);
        hs_jsonw_put(w, "%s={ mean=%g deviation=%g min=%g max=%g }", spread->name, spread->mean,
                     hs_spread_deviation(spread), spread->min, spread->max);
    }
    if (summary->spread_count > 0)
        hs_jsonw_put(w, "}");
    for (uint32_t i = 0; i < summary->rejection_count; i++)
        hs_jsonw_put(w, i == 0 ? "rejected={ %s=%" PRIu64 : "%s=%" PRIu64,
                     summary->rejections[i].reason, summary->rejections[i].jobs);
    if (summary->rejection_count > 0)
        hs_jsonw_put(w, "}");
    hs_jsonw_put(w, "sparkline=%s }", summary->sparkline);
    hs_jsonw_finish(w);
    files[0] = hs_output_file_of(&json, "summary.json", 0);
    HS_TRY(hs_output_close(&json, diag));
    HS_TRY(hs_output_open(&csv.out, HS_RUNDIR_FILE(dir, "summary.csv"), diag));
    put_row(summary, card, true, &csv);
    put_row(summary, card, false, &csv);
    csv.rows = 1; /* without the header */
    return hs_close_listed(&csv, "summary.csv", &files[1], diag);
}

/* ---- reading summary.json ---- */

static double number_or_nan(const struct hs_json *value)
{
    return hs_json_kind(value) == HS_JSON_NUMBER ? hs_json_number(value) : (double)NAN;
}

enum hs_status hs_runsummary_load(struct hs_runsummary *r, const char *path, struct hs_diag *diag)
{
    struct hs_summary *s = &r->summary;
    *r = (struct hs_runsummary){0};
    HS_TRY(hs_regular_check(path, diag));
    HS_TRY(hs_json_load(&r->doc, path, diag));
    const struct hs_json *root = hs_json_root(r->doc);
    const struct hs_json *metrics = hs_json_get(root, "metrics");
    r->card = hs_renamed_get(root, "assumptions");
    if (hs_json_kind(metrics) != HS_JSON_OBJECT || hs_json_kind(r->card) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, HS_AT(hs_json_place(r->doc, root)), NULL,
                       "not the summary of a run: it has no assumptions or no metrics");
    const struct hs_json *value = hs_json_first(metrics);
    for (; value != NULL && s->count < HS_METRICS_MAX; value = hs_json_next(value)) {
        const char *key = hs_json_key(value);
        const char *unit = hs_json_text(hs_json_get(hs_json_get(root, "units"), key));
        s->metrics[s->count++] = (struct hs_metric){
            .name = hs_present_name(key),
            .unit = unit != NULL ? unit : "",
            .value = number_or_nan(value),
            .absent_because = hs_json_text(hs_json_get(hs_json_get(root, "absent"), key))};
    }
    value = hs_json_first(hs_json_get(root, "rejected"));
    for (; value != NULL && s->rejection_count < HS_REASONS_MAX; value = hs_json_next(value)) {
        struct hs_rejection *rejection = &s->rejections[s->rejection_count++];
        int64_t jobs = 0;
        (void)hs_json_int(value, &jobs);
        rejection->jobs = (uint64_t)jobs;
        (void)snprintf(rejection->reason, sizeof rejection->reason, "%s", hs_json_key(value));
    }
    const struct hs_json *kind = hs_json_first(hs_json_get(root, "classes"));
    for (; kind != NULL; kind = hs_json_next(kind)) {
        const struct hs_json *figures = hs_json_first(kind);
        for (; figures != NULL && s->class_count < HS_CLASSES_MAX;
             figures = hs_json_next(figures)) {
            struct hs_class *class = &s->classes[s->class_count++];
            int64_t jobs = 0;
            (void)hs_json_int(hs_json_get(figures, "jobs"), &jobs);
            class->kind = hs_json_key(kind);
            class->jobs = (uint64_t)jobs;
            (void)snprintf(class->name, sizeof class->name, "%s", hs_json_key(figures));
            for (uint32_t m = 0; m < HS_CLASS_MEASURES; m++)
                class->value[m] = number_or_nan(hs_json_get(figures, hs_class_measures[m]));
        }
    }
    return HS_OK;
}

const char *hs_rejected_lines(struct hs_arena *arena, const char *path, const char *label)
{
    struct hs_runsummary run;
    struct hs_diag quiet;
    char text[HS_REASONS_MAX * 320] = "";
    hs_diag_init(&quiet, NULL, NULL);
    quiet.least = HS_ERROR + 1;
    if (hs_runsummary_load(&run, path, &quiet) == HS_OK)
        for (uint32_t i = 0; i < run.summary.rejection_count; i++)
            hs_append(text, sizeof text, "rejected    %s: %" PRIu64 " of %.0f jobs: %s\n", label,
                      run.summary.rejections[i].jobs, hs_summary_get(&run.summary, "n_jobs"),
                      run.summary.rejections[i].reason);
    hs_json_close(run.doc);
    return hs_arena_text(arena, text, strlen(text));
}
