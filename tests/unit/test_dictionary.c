/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * results/README.md compared with the output: every column, metric, unit, class and measure is in
 * the dictionary, in the order of the files, and nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"
#include "cli/simulate.h"
#include "cli/sweep/sweep.h"
#include "report/run/manifest.h"
#include "report/backtest/backtest.h"
#include "report/compare/paired.h"
#include "report/explain/teams.h"
#include "report/run/observers.h"
#include "support/handrun.h"
#include "support/sink.h"

#define LIST_SIZE 16384

static const char card_columns[] =
    "workload,cluster,seed,policy,order,scan,placement,preemption,preempt_cost,gang,ties,"
    "locality,vc,interference,knows,can,profiles,predictor,speeds,unknown";

static struct sink sink;
static struct hs_summary summary;
static char dir_path[4096], *readme;

static int setup(void **state)
{
    size_t length;
    if (scratch_open(state) != 0)
        return -1;
    sink_init(&sink);
    snprintf(dir_path, sizeof dir_path, "%s", scratch_path("run"));
    handrun_write(dir_path, &summary, &sink.diag);
    return hs_read_file("results/README.md", 1 << 20, &readme, &length, &sink.diag) == HS_OK ? 0
                                                                                             : -1;
}

static int teardown(void **state)
{
    static const char *const names[] = {
        "jobs.csv",    "segments.csv",  "series.csv",    "nodes.csv",       "summary.json",
        "summary.csv", "manifest.json", "paired.csv",    "jobs_paired.csv", "decisions.csv",
        "jobs.swf",    HS_BACKTEST_CSV, HS_BACKTEST_JOBS};
    char path[4200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir_path, names[i]);
        if (unlink(path) != 0)
            return -1;
    }
    hs_free(readme);
    return rmdir(dir_path) == 0 ? scratch_close(state) : -1;
}

static void append(char *list, const char *text, size_t length)
{
    size_t used = strlen(list);
    assert_true(used + length + 2 < LIST_SIZE);
    if (used > 0)
        list[used++] = ',';
    memcpy(list + used, text, length);
    list[used + length] = '\0';
}

/* The `names` in the first cells of the table whose head begins with `head` after `heading`, joined
 * by commas; with_unit appends "=unit" from the second cell. */
static void read_table(const char *heading, const char *head, bool with_unit, char list[LIST_SIZE])
{
    const char *line = strstr(readme, heading);
    list[0] = '\0';
    if (line == NULL)
        fail_msg("the dictionary has no '%s'", heading);
    line = strstr(line, head);
    assert_non_null(line);
    line = strchr(strchr(line, '\n') + 1, '\n') + 1; /* past the head and the rule */
    for (; strncmp(line, "| `", 3) == 0; line = strchr(line, '\n') + 1) {
        char cell[128];
        const char *name = line + 3, *unit = strstr(name, "` | ") + 4;
        size_t length = (size_t)(strchr(name, '`') - name);
        size_t unit_length = (size_t)(strstr(unit, " |") - unit);
        int printed = snprintf(cell, sizeof cell, with_unit ? "%.*s=%.*s" : "%.*s", (int)length,
                               name, (int)unit_length, unit);
        append(list, cell, (size_t)printed);
    }
}

static void read_header(const char *name, char header[LIST_SIZE])
{
    char path[4200], *text;
    size_t length;
    snprintf(path, sizeof path, "%s/%s", dir_path, name);
    assert_int_equal(hs_read_file(path, 1 << 20, &text, &length, &sink.diag), HS_OK);
    length = (size_t)(strchr(text, '\n') - text);
    assert_true(length < LIST_SIZE);
    memcpy(header, text, length);
    header[length] = '\0';
    hs_free(text);
}

static void row_files_have_these_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"jobs.csv", "segments.csv", "series.csv", "nodes.csv",
                                        "decisions.csv"};
    static char expected[LIST_SIZE], header[LIST_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char heading[64];
        snprintf(heading, sizeof heading, "## `%s`", names[i]);
        read_table(heading, "| column |", false, expected);
        read_header(names[i], header);
        assert_string_equal(header, expected);
    }
}

static void have_these_columns(const char *const *names, const struct hs_output_file *files)
{
    static char expected[LIST_SIZE], header[LIST_SIZE];
    for (size_t i = 0; i < 2; i++) {
        char heading[64];
        snprintf(heading, sizeof heading, "## `%s`", names[i]);
        read_table(heading, "| column |", false, expected);
        read_header(names[i], header);
        assert_string_equal(header, expected);
        assert_string_equal(files[i].name, names[i]);
    }
}

static void files_of_a_backtest_have_these_columns(void **state)
{
    (void)state;
    static const char *const names[] = {HS_BACKTEST_CSV, HS_BACKTEST_JOBS};
    static struct hs_backtest backtest;
    struct hs_rundir dir = {.may_replace = false};
    struct hs_output_file files[HS_BACKTEST_FILES];
    snprintf(dir.beside.tmp, sizeof dir.beside.tmp, "%s", dir_path);
    hs_backtest_init(&backtest, 1);
    assert_int_equal(hs_backtest_write(&backtest, &dir, files, &sink.diag), HS_OK);
    hs_backtest_free(&backtest);
    have_these_columns(names, files);
}

/* A run compared with itself; the files go into its own directory, where read_header reads them. */
static void files_of_a_pair_have_these_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"paired.csv", "jobs_paired.csv"};
    static struct hs_paired paired;
    struct hs_rundir dir = {.may_replace = false};
    snprintf(dir.beside.tmp, sizeof dir.beside.tmp, "%s", dir_path);
    struct hs_output_file files[HS_PAIRED_FILES];
    assert_int_equal(hs_paired_load(&paired, (const char *const[]){dir_path, dir_path}, &sink.diag),
                     HS_OK);
    assert_int_equal(hs_paired_compare(&paired, 0, 1), HS_OK);
    assert_int_equal(hs_paired_write(&paired, &dir, files), HS_OK);
    hs_paired_free(&paired);
    have_these_columns(names, files);
}

/* The columns of a summary follow in runs.csv: compare-one-row-a-run in tests/cli/compare.t. */
static void files_of_a_comparison_have_these_columns(void **state)
{
    (void)state;
    static char expected[LIST_SIZE];
    read_table("## `compare.csv`", "| column |", false, expected);
    assert_string_equal(HS_COMPARE_COLUMNS, expected);
    read_table("## `runs.csv`", "| column |", false, expected);
    assert_string_equal(HS_RUNS_COLUMNS, expected);
    read_table("## `order.csv`", "| column |", false, expected);
    assert_string_equal(HS_ORDER_COLUMNS, expected);
}

static void sweep_columns_are_documented(void **state)
{
    (void)state;
    static char expected[LIST_SIZE];
    read_table("## `sweep.csv`", "| column |", false, expected);
    assert_string_equal(HS_SWEEP_COLUMNS, expected);
}

static void series_has_these_metrics(void **state)
{
    (void)state;
    static char expected[LIST_SIZE], written[LIST_SIZE];
    read_table("## `series.csv`", "| metric |", false, expected);
    written[0] = '\0';
#define METRIC(name, metric, key, value) metric,
    static const char *const metrics[] = {HS_SERIES_CHANNELS(METRIC)};
    for (int c = 0; c < HS_CH_SERIES; c++)
        if (c == 0 || strcmp(metrics[c], metrics[c - 1]) != 0)
            append(written, metrics[c], strlen(metrics[c]));
    assert_string_equal(written, expected);
}

static void metrics_have_these_names_and_units(void **state)
{
    (void)state;
    static char expected[LIST_SIZE], written[LIST_SIZE];
    read_table("### Metrics", "| metric |", true, expected);
    written[0] = '\0';
    for (uint32_t i = 0; i < summary.count; i++) {
        char cell[128];
        int printed =
            snprintf(cell, sizeof cell, "%s=%s", summary.metrics[i].name, summary.metrics[i].unit);
        append(written, cell, (size_t)printed);
    }
    assert_string_equal(written, expected);
}

static void figures_on_request_are_documented(void **state)
{
    (void)state;
    static char expected[LIST_SIZE], written[LIST_SIZE];
    static struct hs_summary asked;
    struct hs_cluster cluster;
    struct hs_stats stats = {0};
    struct hs_observer observer;
    assert_int_equal(hs_cluster_load(&cluster, "1x1:V100", &sink.diag), HS_OK);
    const struct hs_report_options options = {
        .cluster = &cluster, .has_fairness = true, .has_power = true};
    read_table("## `jobs.csv`", "| on request |", false, expected);
    assert_string_equal(hs_extras_columns(&options) + 1, expected);
    struct hs_extras *extras = hs_extras_open(&options, &stats, &observer);
    assert_int_equal(hs_extras_fill(extras, &asked, 0), HS_OK);
    hs_extras_close(extras);
    hs_cluster_free(&cluster);
    written[0] = '\0';
    for (uint32_t i = 0; i < asked.count; i++) {
        char cell[128];
        int printed =
            snprintf(cell, sizeof cell, "%s=%s", asked.metrics[i].name, asked.metrics[i].unit);
        append(written, cell, (size_t)printed);
    }
    read_table("### Metrics", "| on request |", true, expected);
    assert_string_equal(written, expected);
}

/* Figures that exist only if a job has a deadline. */
static void figures_of_deadlines_are_documented(void **state)
{
    (void)state;
    static char expected[LIST_SIZE], written[LIST_SIZE];
    static struct hs_summary named;
    read_table("## `jobs.csv`", "| with deadlines |", false, expected);
    assert_string_equal(&HS_DEADLINE_COLUMNS[1], expected);
    read_table("## `users.csv`", "| column |", false, expected);
    assert_string_equal(HS_TEAMS_HEADER, expected);
    read_table("## `deadlines.csv`", "| column |", false, expected);
    assert_string_equal(HS_DEADLINES_HEADER, expected);
    assert_int_equal(hs_deadlines_fill(NULL, &named), HS_OK);
    for (uint32_t i = 0; i < named.count; i++) {
        char cell[128];
        int printed =
            snprintf(cell, sizeof cell, "%s=%s", named.metrics[i].name, named.metrics[i].unit);
        append(written, cell, (size_t)printed);
    }
    read_table("### Metrics", "| with deadlines |", true, expected);
    assert_string_equal(written, expected);
}

/* Four columns for each class. */
static void append_classes(char list[LIST_SIZE], uint32_t from, uint32_t to)
{
    static const char *const measures[] = {"jobs", "mean_wait", "mean_jct", "mean_slowdown"};
    for (uint32_t i = from; i < to; i++) {
        struct hs_class class;
        char name[HS_CLASS_NAME_MAX + 1] = "over_32";
        hs_class_name(i, NULL, &class);
        if (class.name[0] != '>')
            for (size_t c = 0; c <= strlen(class.name); c++)
                name[c] = class.name[c] == '-' ? '_' : class.name[c];
        for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
            char cell[128];
            int printed = snprintf(cell, sizeof cell, "%s_%s_%s", class.kind, name, measures[m]);
            append(list, cell, (size_t)printed);
        }
    }
}

/* Run card, metrics, the classes of the first three kinds, then later additions: new columns are
 * only ever appended. */
static void summary_csv_has_these_columns(void **state)
{
    (void)state;
    static char expected[LIST_SIZE], part[LIST_SIZE], header[LIST_SIZE];
    read_table("### The assumptions", "| column |", false, expected);
    assert_string_equal(expected, card_columns);
    read_table("### Metrics", "| metric |", false, part);
    const char *later = strstr(part, ",mean_run_slowdown,");
    const char *latest = strstr(part, ",mean_time_to_progress,");
    assert_non_null(later);
    assert_non_null(latest);
    append(expected, part, (size_t)(later - part));
    append_classes(expected, HS_CLASS_ALL + 1, HS_CLASS_JOB);
    append(expected, later + 1, (size_t)(latest - later - 1));
    append_classes(expected, HS_CLASS_JOB, HS_CLASS_VC);
    append(expected, latest + 1, strlen(latest + 1));
    read_header("summary.csv", header);
    assert_string_equal(header, expected);
}

static void classes_have_these_names_and_measures(void **state)
{
    (void)state;
    static char expected[LIST_SIZE], list[LIST_SIZE];
    read_table("### Classes", "| kind |", true, expected);
    list[0] = '\0';
    for (uint32_t i = HS_CLASS_ALL + 1; i < HS_CLASS_VC; i++) {
        struct hs_class class, before = {.kind = ""};
        char cell[128];
        hs_class_name(i, NULL, &class);
        if (i > HS_CLASS_ALL + 1)
            hs_class_name(i - 1, NULL, &before);
        if (strcmp(class.kind, before.kind) != 0) {
            int printed = snprintf(cell, sizeof cell, "%s=`%s`", class.kind, class.name);
            append(list, cell, (size_t)printed);
        } else {
            snprintf(cell, sizeof cell, " `%s`", class.name);
            memcpy(list + strlen(list), cell, strlen(cell) + 1);
        }
    }
    append(list, "vc=by name", 10);
    assert_string_equal(list, expected);
    read_table("### Classes", "| measure |", false, expected);
    list[0] = '\0';
    for (uint32_t i = 0; i < HS_CLASS_MEASURES; i++)
        append(list, hs_class_measures[i], strlen(hs_class_measures[i]));
    assert_string_equal(list, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_files_have_these_columns),
        cmocka_unit_test(files_of_a_pair_have_these_columns),
        cmocka_unit_test(files_of_a_backtest_have_these_columns),
        cmocka_unit_test(files_of_a_comparison_have_these_columns),
        cmocka_unit_test(sweep_columns_are_documented),
        cmocka_unit_test(series_has_these_metrics),
        cmocka_unit_test(metrics_have_these_names_and_units),
        cmocka_unit_test(figures_on_request_are_documented),
        cmocka_unit_test(figures_of_deadlines_are_documented),
        cmocka_unit_test(summary_csv_has_these_columns),
        cmocka_unit_test(classes_have_these_names_and_measures),
    };
    return cmocka_run_group_tests_name("dictionary", tests, setup, teardown);
}
