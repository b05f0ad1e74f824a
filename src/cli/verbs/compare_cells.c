/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells of a comparison. Every cell runs in a process of its own, whatever -j says; the trace
 * is read once and shared with all of them. The messages of a cell go into a file beside its
 * directory and are shown when all have ended, in the order of the cells, each text once. Then the
 * summaries of the cells, in their order: runs.csv, from which compare.csv and order.csv can be
 * computed again, and the manifest, with parameters and card of each policy.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/fmt.h"
#include "cli/process.h"
#include "cli/verbs/compare.h"
#include "data/csvread.h"
#include "data/csvwrite.h"
#include "report/run/manifest.h"
#include "traces/trace_stream.h"

#define MESSAGES_MAX (1u << 24) /* bytes of one cell */

/* Path of a cell's run directory, or of a file in it. */
static void cell_path(const struct hs_rundir *dir, const struct hs_compare_cell *cell,
                      const char *file, char path[HS_PATH_SIZE])
{
    char name[512];
    (void)snprintf(name, sizeof name, HS_RUNS_DIR "/%s%s%s", cell->name, *file != '\0' ? "/" : "",
                   file);
    hs_rundir_file(dir, name, path, HS_PATH_SIZE);
}

/* ---- runs ---- */

struct run_workers {
    struct hs_compare *compare;
    const struct hs_rundir *dir;
    struct hs_shared_trace trace; /* its key is not that of all cells: seeds choose samples */
    struct hs_status_line status_line;
};

static void messages_path(const struct run_workers *workers, uint32_t index,
                          char path[HS_PATH_SIZE])
{
    char name[32];
    (void)snprintf(name, sizeof name, "messages-%u", index);
    hs_rundir_file(workers->dir, name, path, HS_PATH_SIZE);
}

/* A record of the file: severity as a digit, text, NUL. */
static void write_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_output *out = ctx;
    hs_output_put(out, (const char[]){(char)('0' + (int)severity)}, 1);
    hs_output_put(out, text, len);
    hs_output_put(out, "", 1);
}

static enum hs_status run_cell(void *ctx, uint32_t index)
{
    struct run_workers *workers = ctx;
    struct hs_compare *c = workers->compare;
    const struct hs_compare_cell *cell = &c->cells[index];
    const struct hs_run_call call = {.terminal = &c->call->terminal,
                                     .command = c->call->command,
                                     .traces = &workers->trace,
                                     .trace_count = 1};
    char path[HS_PATH_SIZE];
    struct hs_output messages;
    struct hs_diag diag;
    messages_path(workers, index, path);
    HS_TRY(hs_output_open(&messages, path, &c->call->diag));
    hs_diag_init(&diag, write_message, &messages);
    diag.least = c->log.diag.least;
    struct hs_run_options options = c->policies[cell->policy].options;
    struct hs_config config = c->policies[cell->policy].config;
    options.seed = cell->seed;
    options.assign_seed = cell->assign_seed;
    config.base = &options;
    cell_path(workers->dir, cell, "", path);
    enum hs_status status = hs_simulate_options(&options, &config, &call, path, &diag);
    enum hs_status closed = hs_output_close(&messages, &c->call->diag);
    return status != HS_OK ? status : closed;
}

static void show_progress(void *ctx, uint32_t done, uint32_t running)
{
    struct run_workers *workers = ctx;
    const uint32_t count = workers->compare->cell_count;
    char rest[96];
    (void)snprintf(rest, sizeof rest, "runs %u/%u done, %u running", done, count, running);
    hs_status_line_show_count(&workers->status_line, done, count, rest);
}

/* Passes the messages of a cell on, and removes the file. */
static enum hs_status pass_messages(const struct run_workers *workers, uint32_t index)
{
    struct hs_compare *c = workers->compare;
    char path[HS_PATH_SIZE], *text;
    size_t len;
    messages_path(workers, index, path);
    if (access(path, F_OK) != 0)
        return HS_OK; /* it was never started */
    HS_TRY(hs_read_file(path, MESSAGES_MAX, &text, &len, &c->call->diag));
    for (char *at = text; at < text + len;) {
        size_t message = strlen(at);
        if (message > 1)
            hs_message_log_put(&c->log, (enum hs_severity)(*at - '0'), at + 1, message - 1);
        at += message + 1;
    }
    hs_free(text);
    (void)unlink(path); /* what is left would be part of the directory */
    return HS_OK;
}

static enum hs_status run_cells(struct hs_compare *c, const struct hs_rundir *dir)
{
    struct run_workers workers = {.compare = c, .dir = dir};
    const uint32_t width = (uint32_t)c->options->processes;
    const struct hs_process_pool pool = {.width = width < c->cell_count ? width : c->cell_count,
                                         .count = c->cell_count,
                                         .task = run_cell,
                                         .progress = show_progress,
                                         .ctx = &workers};
    const struct hs_trace_options *trace = &c->policies[0].setup.trace;
    struct hs_process_failure failure;
    struct hs_diag *diag = &c->call->diag;
    hs_status_line_start(&workers.status_line, &c->call->terminal, hs_run_shows_progress(c->call),
                         0);
    hs_interrupt_watch();
    workers.trace.key = hs_trace_cache_key(trace);
    HS_TRY(hs_trace_cache_record(&workers.trace.cache, trace, &c->log.diag));
    enum hs_status status = hs_process_pool_run(&pool, &failure, &c->log.diag);
    hs_trace_cache_free(workers.trace.cache);
    hs_terminal_status(&c->call->terminal, "");
    if (status == HS_E_INTERRUPTED)
        return hs_fail(diag, status, NULL, NULL, "stopped by %s: nothing was kept",
                       hs_interrupt_name());
    for (uint32_t i = 0; i < (status == HS_OK ? c->cell_count : failure.index + 1); i++)
        HS_TRY(pass_messages(&workers, i));
    if (status == HS_OK)
        return HS_OK;
    const char *name = c->cells[failure.index].name;
    if (failure.signal_number != 0)
        return hs_fail(diag, status, NULL, hs_process_kill_hint(failure.signal_number),
                       "the run %s was ended by signal %d", name, failure.signal_number);
    hs_report(diag, HS_NOTE, NULL, NULL, "it was the run %s: nothing was kept", name);
    return status;
}

/* ---- runs.csv ---- */

/* Policy (as it was given) and seed stand in front of a row, not among the columns of a summary. */
static bool stands_in_front(const char *column)
{
    return strcmp(column, "policy") == 0 || strcmp(column, "seed") == 0;
}

/* All summaries have the columns of the first. */
static enum hs_status write_runs(struct hs_compare *c, const struct hs_rundir *dir)
{
    struct hs_diag *diag = &c->call->diag;
    struct hs_arena arena = {0};
    struct hs_summary_csv first, summary;
    struct hs_csvw csv;
    char path[HS_PATH_SIZE];
    uint32_t count = 0, column_of[HS_METRICS_MAX];
    cell_path(dir, &c->cells[0], "summary.csv", path);
    HS_TRY(hs_record_read_summary(path, &c->call->arena, &first, diag));
    const struct hs_csv_row *head = &first.head;
    const char **names = hs_arena_alloc(&c->call->arena, head->count * sizeof *names + 1);
    for (uint32_t i = 0; i < head->count; i++)
        if (!stands_in_front(head->fields[i]))
            names[count++] = head->fields[i];
    for (uint32_t m = 0; m < c->metrics->count; m++)
        column_of[m] = hs_csv_column(head, c->metrics->metrics[m].name);
    hs_rundir_file(dir, "runs.csv", path, sizeof path);
    HS_TRY(hs_csvw_open(
        &csv, path, hs_record_header(&c->call->arena, HS_RUNS_COLUMNS, "", names, count), diag));
    enum hs_status status = HS_OK;
    for (uint32_t k = 0; k < c->cell_count; k++) {
        struct hs_compare_cell *cell = &c->cells[k];
        double *values = c->values + (size_t)k * c->metrics->count;
        cell_path(dir, cell, "summary.csv", path);
        status = hs_record_read_summary(path, &arena, &summary, diag);
        if (status != HS_OK)
            break;
        cell->summary_hash = summary.hash;
        for (uint32_t m = 0; m < c->metrics->count; m++)
            values[m] = hs_record_number(&summary.row, column_of[m]);
        hs_csvw_text(&csv, c->policies[cell->policy].spec);
        hs_csvw_i64(&csv, cell->seed);
        hs_csvw_i64(&csv, cell->assignment);
        for (uint32_t i = 0; i < summary.row.count && i < head->count; i++)
            if (!stands_in_front(head->fields[i]))
                hs_csvw_text(&csv, summary.row.fields[i]);
        hs_csvw_end(&csv);
        hs_arena_reset(&arena);
    }
    hs_arena_free(&arena);
    enum hs_status closed = hs_close_listed(&csv, "runs.csv", &c->files[1], diag);
    return status != HS_OK ? status : closed;
}

/* ---- compare.csv, order.csv ---- */

static size_t at(const struct hs_compare *c, uint32_t policy, uint32_t metric)
{
    return (size_t)policy * c->metrics->count + metric;
}

/* Tidy: a row a policy and metric. */
static enum hs_status write_compare(struct hs_compare *c, const struct hs_rundir *dir)
{
    const size_t count = c->metrics->count;
    struct hs_csvw csv;
    char path[HS_PATH_SIZE];
    hs_rundir_file(dir, "compare.csv", path, sizeof path);
    HS_TRY(hs_csvw_open(&csv, path, HS_COMPARE_COLUMNS, &c->call->diag));
    for (uint32_t p = 0; p < c->policy_count; p++)
        for (uint32_t m = 0; m < count; m++) {
            const double *values = c->values + (size_t)p * c->pair_count * count + m;
            struct hs_replicated *mean = &c->means[at(c, p, m)], *ratio = &c->ratios[at(c, p, m)];
            *mean = hs_replicated_mean(values, count, c->pair_count);
            *ratio = hs_replicated_ratio(values, c->values + m, count, c->pair_count);
            hs_csvw_text(&csv, c->policies[p].spec);
            hs_csvw_text(&csv, c->metrics->metrics[m].name);
            hs_csvw_text(&csv, c->metrics->metrics[m].unit);
            const double figures[] = {mean->value,  mean->low,  mean->high,
                                      ratio->value, ratio->low, ratio->high};
            for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
                hs_csvw_double(&csv, figures[i]);
            hs_csvw_u64(&csv, mean->runs);
            hs_csvw_end(&csv);
        }
    return hs_close_listed(&csv, "compare.csv", &c->files[0], &c->call->diag);
}

/* Policies with a mean, ascending; equal ones as they were given. */
static uint32_t by_mean(const struct hs_compare *c, uint32_t metric, uint32_t *policies)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < c->policy_count; p++) {
        double mean = c->means[at(c, p, metric)].value;
        if (isnan(mean))
            continue;
        uint32_t to = count++;
        for (; to > 0 && c->means[at(c, policies[to - 1], metric)].value > mean; to--)
            policies[to] = policies[to - 1];
        policies[to] = p;
    }
    return count;
}

uint32_t hs_compare_order(const struct hs_compare *c, struct hs_compare_neighbours *orders)
{
    uint32_t policies[HS_COMPARED_MAX], m = 0;
    while (m < c->metrics->count && strcmp(c->metric_names[m], HS_ORDER_METRIC) != 0)
        m++;
    uint32_t count = m < c->metrics->count ? by_mean(c, m, policies) : 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        orders[i] = (struct hs_compare_neighbours){policies[i], policies[i + 1], 0, 0};
        const double *first = c->values + at(c, policies[i] * c->pair_count, m);
        const double *second = c->values + at(c, policies[i + 1] * c->pair_count, m);
        for (size_t k = 0; k < (size_t)c->pair_count * c->metrics->count; k += c->metrics->count) {
            orders[i].cells += !isnan(first[k]) && !isnan(second[k]);
            orders[i].agree += first[k] < second[k];
        }
    }
    return count > 0 ? count - 1 : 0;
}

/* Of policies that are neighbours by their mean JCT, in how many pairs of runs their order holds.
 */
static enum hs_status write_order(struct hs_compare *c, const struct hs_rundir *dir)
{
    struct hs_compare_neighbours orders[HS_COMPARED_MAX];
    struct hs_csvw csv;
    char path[HS_PATH_SIZE];
    uint32_t count = hs_compare_order(c, orders);
    hs_rundir_file(dir, "order.csv", path, sizeof path);
    HS_TRY(hs_csvw_open(&csv, path, HS_ORDER_COLUMNS, &c->call->diag));
    for (uint32_t i = 0; i < count; i++) {
        hs_csvw_text(&csv, c->policies[orders[i].first].spec);
        hs_csvw_text(&csv, c->policies[orders[i].second].spec);
        hs_csvw_text(&csv, HS_ORDER_METRIC);
        hs_csvw_u64(&csv, orders[i].cells);
        hs_csvw_u64(&csv, orders[i].agree);
        hs_csvw_end(&csv);
    }
    return hs_close_listed(&csv, "order.csv", &c->files[2], &c->call->diag);
}

/* ---- manifest.json ---- */

static void write_comparison(void *ctx, struct hs_jsonw *w)
{
    const struct hs_compare *c = ctx;
    hs_jsonw_put(w, "policies=[");
    for (uint32_t p = 0; p < c->policy_count; p++) {
        const struct hs_compared *policy = &c->policies[p];
        hs_jsonw_put(w, "={ policy=%s label=%s", policy->spec, policy->label);
        hs_record_parameters(&policy->setup, w);
        hs_jsonw_key(w, "assumptions");
        hs_card_write_json(&policy->setup.card, w);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "] cells=[");
    for (uint32_t i = 0; i < c->cell_count; i++) {
        const struct hs_compare_cell *cell = &c->cells[i];
        hs_jsonw_put(w,
                     "=!{ run=%s policy=%s seed=%" PRIu64 " assignment=%" PRIu64
                     " summary_xxh3_64=%016" PRIx64 " }",
                     cell->name, c->policies[cell->policy].spec, (uint64_t)cell->seed,
                     (uint64_t)cell->assignment, cell->summary_hash);
    }
    hs_jsonw_put(w, "]");
}

static enum hs_status write_manifest(struct hs_compare *c, const struct hs_rundir *dir,
                                     double wall_s)
{
    struct hs_manifest_input inputs[HS_INPUTS_MAX + HS_COMPARED_MAX * HS_POLICY_FILES_MAX];
    struct hs_diag *diag = &c->call->diag;
    struct hs_manifest manifest = {.status = "complete",
                                   .seed = (uint64_t)c->options->seed,
                                   .inputs = inputs,
                                   .input_count = 1,
                                   .outputs = c->files,
                                   .output_count = HS_COMPARE_FILES,
                                   .write_config = hs_config_json,
                                   .config_ctx = &c->call->config,
                                   .write_more = write_comparison,
                                   .more_ctx = c,
                                   .machine = hs_record_machine(c->call->command, wall_s, true)};
    inputs[0] = (struct hs_manifest_input){.role = "trace", .path = c->options->trace};
    HS_TRY(hs_hash_file(inputs[0].path, &inputs[0].hash, &inputs[0].bytes, diag));
    for (uint32_t p = 0; p < c->policy_count; p++)
        HS_TRY(hs_record_inputs(&c->policies[p].setup, inputs, &manifest.input_count, diag));
    return hs_record_manifest(&manifest, &c->log, dir, diag);
}

enum hs_status hs_cells_make(struct hs_compare *c, const char *path)
{
    struct hs_diag *diag = &c->call->diag;
    struct hs_rundir dir = {0};
    struct hs_status_line stopwatch;
    hs_status_line_start(&stopwatch, &c->call->terminal, false, 0);
    HS_TRY(hs_rundir_open(&dir, path, c->options->force, diag));
    enum hs_status status = run_cells(c, &dir);
    if (status == HS_OK)
        status = write_runs(c, &dir);
    if (status == HS_OK && c->policies[0].setup.outputs == HS_OUT_SUMMARY)
        status = hs_rundir_drop_runs(&dir, diag);
    if (status == HS_OK)
        status = write_compare(c, &dir);
    if (status == HS_OK)
        status = write_order(c, &dir);
    if (status == HS_OK)
        status = write_manifest(c, &dir, hs_status_line_elapsed_s(&stopwatch));
    if (status == HS_OK)
        status = hs_rundir_commit(&dir, diag);
    if (status != HS_OK)
        hs_rundir_discard(&dir);
    return status;
}
