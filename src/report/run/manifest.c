/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Output order is fixed and everything that may differ between two runs of one
 * thing stands in the last object, so that the rest can be compared byte for byte.
 */
#include "report/run/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/io.h"
#include "horus/version.h"

#define MANIFEST_SCHEMA 1

enum hs_status hs_manifest_write(const struct hs_manifest *m, const struct hs_rundir *dir,
                                 struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    struct hs_output out;
    struct hs_jsonw writer, *w = &writer;
    hs_rundir_file(dir, "manifest.json", path, sizeof path);
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
        hs_jsonw_put(w, "={ role=%s path=%s", in->role, in->path);
        hs_jsonw_key(w, "xxh3_64");
        hs_jsonw_hash(w, in->hash);
        hs_jsonw_put(w, "bytes=%" PRIu64, in->bytes);
        if (in->rows > 0)
            hs_jsonw_put(w, "rows=%" PRIu64, in->rows);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "] outputs=[");
    for (uint32_t i = 0; i < m->output_count; i++) {
        const struct hs_output_file *file = &m->outputs[i];
        hs_jsonw_put(w, "={ name=%s", file->name);
        hs_jsonw_key(w, "xxh3_64");
        hs_jsonw_hash(w, file->hash);
        hs_jsonw_put(w, "bytes=%" PRIu64 " rows=%" PRIu64 " }", file->bytes, file->rows);
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
    hs_jsonw_put(w, "] host=%s wall_s=%g cpu_s=%g peak_rss_kib=%" PRIu64 " } }", m->machine.host,
                 m->machine.wall_s, m->machine.cpu_s, m->machine.peak_rss_kib);
    hs_jsonw_finish(w);
    return hs_output_close(&out, diag);
}

/* ---- read back ---- */

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
    if (access(dir, F_OK) == 0 && access(path, F_OK) != 0) {
        if (errno == ENOTDIR)
            return hs_fail(diag, HS_E_INPUT, &place, "name the directory, not a file in it",
                           "not a finished run: it is no directory");
        return hs_fail(diag, HS_E_INPUT, &place,
                       "the manifest is written last: without it a run was cut short",
                       "not a finished run: there is no manifest.json in it");
    }
    const enum hs_status status = hs_runmanifest_load(m, path, diag);
    m->dir = dir;
    return status;
}

enum hs_status hs_runmanifest_load(struct hs_runmanifest *m, const char *path, struct hs_diag *diag)
{
    *m = (struct hs_runmanifest){.diag = diag};
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
    /* a file that is not described as a run describes it is passed over */
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

const char *hs_seconds_text(char text[HS_FMT_MAX + 1], int64_t us)
{
    text[hs_fmt_seconds(text, us)] = '\0';
    return text;
}

int64_t hs_runmanifest_duration_us(const struct hs_runmanifest *m, const char *key)
{
    const char *text = hs_json_text(hs_json_get(m->config, key));
    int64_t us;
    return text != NULL && hs_parse_duration_us(text, strlen(text), &us) ? us : 0;
}

void hs_runmanifest_close(struct hs_runmanifest *m)
{
    if (m->doc != NULL)
        hs_json_close(m->doc);
    m->doc = NULL;
}

/* ---- rows read back ---- */

#define GPU_MILLI 1000
#define NS_PER_S  INT64_C(1000000000)

/* Of the kinds that are decimal numbers. */
static const struct {
    int64_t unit;
    const char *expected;
    bool may_be_empty;
} decimals[] = {
    [HS_ROWCELL_SHARE] = {GPU_MILLI, "a share of a GPU, at most 1, in thousandths", false},
    [HS_ROWCELL_TIME] = {HS_US_PER_S, "a time in seconds", false},
    [HS_ROWCELL_TIME_OR_NONE] = {HS_US_PER_S, "a time in seconds", true},
    [HS_ROWCELL_NUMBER] = {HS_US_PER_S, "a number", true},
    [HS_ROWCELL_RATIO] = {HS_US_PER_S, "a ratio", true},
    [HS_ROWCELL_MIB_SECONDS] = {HS_US_PER_S, "MiB times seconds", true},
    [HS_ROWCELL_NANO] = {NS_PER_S, "a time in seconds", false},
    [HS_ROWCELL_RATE] = {NS_PER_S, "a rate", true},
};

/* Names of columns, metrics, causes and members: today's, and that of the version before. */
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
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].former, name) == 0)
            return renamed[i].present;
    return name;
}

static const char *former_name(const char *name)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
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
    HS_TRY(hs_input_open(&f->input, path, diag));
    hs_csv_open(&f->csv, f->input, ',', diag);
    enum hs_status s = hs_csv_next(f->csv, &f->row);
    if (s == HS_END)
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                       "the file is empty");
    HS_TRY(s);
    for (uint32_t i = 0; cells[i].column != NULL; i++) {
        f->at[i] = hs_renamed_column(&f->row, cells[i].column);
        struct hs_place place = hs_csv_place(f->csv, f->row.count);
        if (f->at[i] == UINT32_MAX)
            return hs_fail(diag, HS_E_INPUT, &place, NULL, "there is no column '%s'",
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
    struct hs_place place = hs_csv_place(f->csv, f->at[column]);
    return hs_fail(f->diag, HS_E_INPUT, &place, NULL, "%s is not %s", f->cells[column].column,
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
            *(const char **)to = text;
            break;
        case HS_ROWCELL_DOUBLE:
            *(double *)to = (double)NAN;
            if (text[0] != '\0' && !hs_parse_double(text, strlen(text), to))
                return bad(f, i, "a number");
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
                (kind == HS_ROWCELL_SHARE && (value < 1 || value > GPU_MILLI)))
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

enum hs_status hs_rowfile_each(struct hs_runmanifest *m, const char *name,
                               const struct hs_rowcell *cells,
                               enum hs_status (*each)(void *ctx, const struct hs_rowfile *f),
                               void *ctx)
{
    char path[HS_PATH_SIZE];
    struct hs_rowfile f = {.diag = m->diag, .cells = cells};
    const struct hs_output_file *listed = hs_runmanifest_file(m, name);
    (void)snprintf(path, sizeof path, "%s/%s", m->dir, name); /* no longer than manifest.json */
    enum hs_status s = read_head(&f, path);
    while (s == HS_OK && (s = hs_csv_next(f.csv, &f.row)) == HS_OK)
        s = each(ctx, &f);
    if (s == HS_END) {
        s = HS_OK;
        m->rows_hash = hs_input_hash(f.input);
        m->rows_bytes = hs_input_bytes(f.input);
        if (listed != NULL && listed->hash != m->rows_hash && !m->keeps_quiet)
            hs_report(m->diag, HS_WARNING, &(struct hs_place){.file = path},
                      "`horus verify` says more",
                      "not the file that the manifest lists: it was changed after the run");
    }
    if (f.csv != NULL)
        hs_csv_close(f.csv);
    if (f.input != NULL)
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
    while (p->ended_by <= HS_SEGMENT_FAILURE &&
           strcmp(row.ended_by, hs_segment_end_text(p->ended_by)) != 0)
        p->ended_by++;
    if (p->ended_by > HS_SEGMENT_FAILURE)
        return hs_rowfile_bad(f, "ended_by", s->expected_ended_by);
    int64_t above = -1;
    for (struct hs_gpu_range r; *row.gpus != '\0'; p->range_count++, above = r.last) {
        if (!hs_rowfile_range(&row.gpus, &r.first, &r.last) || (int64_t)r.first <= above ||
            r.last >= s->gpu_count)
            return hs_rowfile_bad(f, "allocated_resources", s->expected_gpus);
        hs_grow((void **)&s->ranges, &s->range_cap, (uint64_t)s->range_count + 1, sizeof *s->ranges,
                UINT32_MAX);
        s->ranges[s->range_count++] = r;
        p->gpus += r.last - r.first + 1;
    }
    const uint32_t name = hs_intern_find(s->ids, row.id);
    p->job = name != 0 && name != UINT32_MAX ? name - 1 : UINT32_MAX;
    hs_grow((void **)&s->segments, &s->segment_cap, (uint64_t)s->segment_count + 1,
            sizeof *s->segments, UINT32_MAX);
    s->segments[s->segment_count++] = *p;
    return HS_OK;
}

void hs_schedule_free(struct hs_schedule *s)
{
    hs_free(s->segments);
    hs_free(s->ranges);
}
