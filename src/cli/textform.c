/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Readers of such options, and for the tables the same as checks that keep nothing.
 */
#include "cli/textform.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/timeparse.h"
#include "cli/seedlist.h"
#include "cli/setup.h"
#include "model/interference.h"
#include "report/report.h"
#include "traces/format.h"
#include "traces/replay.h"

enum hs_status hs_sort_parse(const char *text, uint64_t *window, struct hs_diag *diag)
{
    int64_t rows;
    if (strcmp(text, "all") == 0) {
        *window = HS_SORT_ALL;
        return HS_OK;
    }
    if (!hs_parse_int64(text, strlen(text), &rows) || rows < 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--sort=8192 holds back 8192 rows",
                       "sort is neither a number of rows nor 'all': '%s'", text);
    *window = (uint64_t)rows;
    return HS_OK;
}

static const char *const output_names[] = {"jobs", "segments", "series", "nodes", "decisions",
                                           "swf",  "summary",  "all",    NULL};

const char *hs_output_at(size_t index)
{
    return index < sizeof output_names / sizeof *output_names ? output_names[index] : NULL;
}

enum hs_status hs_outputs_parse(const char *text, uint32_t *outputs, struct hs_diag *diag)
{
    static const uint32_t bits[] = {HS_OUT_JOBS,      HS_OUT_SEGMENTS, HS_OUT_SERIES,  HS_OUT_NODES,
                                    HS_OUT_DECISIONS, HS_OUT_SWF,      HS_OUT_SUMMARY, HS_OUT_ALL};
    const size_t count = sizeof bits / sizeof *bits;
    *outputs = HS_OUT_SUMMARY;
    for (;;) {
        char word[32], hint[64];
        size_t len = strcspn(text, ","), i = 0;
        (void)snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word),
                       text);
        while (i < count && strcmp(word, output_names[i]) != 0)
            i++;
        if (i == count) {
            const char *nearest = hs_nearest(word, output_names, count);
            (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest ? nearest : "all");
            return hs_fail(diag, HS_E_USAGE, NULL, hint,
                           "outputs: unknown output '%s'; expected all, summary, or a list of "
                           "jobs,segments,series,nodes,decisions,swf",
                           word);
        }
        *outputs |= bits[i];
        if (text[len] == '\0')
            return HS_OK;
        text += len + 1;
    }
}

enum hs_status hs_sample_parse(const char *text, int64_t *sample_us, struct hs_diag *diag)
{
    *sample_us = strcmp(text, "auto") == 0 ? 0 : -1;
    if (*sample_us == 0 || strcmp(text, "exact") == 0)
        return HS_OK;
    if (!hs_parse_duration_us(text, strlen(text), sample_us) || *sample_us <= 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "for example 60s",
                       "sample is neither a time, 'auto' nor 'exact': '%s'", text);
    return HS_OK;
}

enum hs_status hs_reserve_parse(const char *text, int64_t *mib, struct hs_diag *diag)
{
    *mib = -1;
    if (strcmp(text, "auto") == 0)
        return HS_OK;
    if (!hs_parse_size_mib(text, strlen(text), mib) || *mib > UINT32_MAX)
        return hs_fail(diag, HS_E_USAGE, NULL, "for example 1GiB, or auto",
                       "memory_reserve is neither a size nor 'auto': '%s'", text);
    return HS_OK;
}

/* ---- checks ---- */

enum hs_status hs_check_outputs(const char *text, struct hs_diag *diag)
{
    uint32_t outputs;
    return hs_outputs_parse(text, &outputs, diag);
}

enum hs_status hs_check_sample(const char *text, struct hs_diag *diag)
{
    int64_t sample_us;
    return hs_sample_parse(text, &sample_us, diag);
}

enum hs_status hs_check_sort(const char *text, struct hs_diag *diag)
{
    uint64_t window;
    return hs_sort_parse(text, &window, diag);
}

enum hs_status hs_check_window(const char *text, struct hs_diag *diag)
{
    struct hs_trace_window window;
    return hs_trace_window_parse(text, &window, diag);
}

enum hs_status hs_check_reserve(const char *text, struct hs_diag *diag)
{
    int64_t mib;
    return hs_reserve_parse(text, &mib, diag);
}

enum hs_status hs_check_interference(const char *text, struct hs_diag *diag)
{
    struct hs_interference_options options = {0};
    return hs_interference_parse(text, &options, diag);
}

enum hs_status hs_check_name(const char *text, struct hs_diag *diag)
{
    if (strpbrk(text, "/\n") == NULL)
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, "it becomes part of a directory name",
                   "name contains a slash or a line end: '%s'", text);
}

static enum hs_status check_seeds(const char *text, const char *option, int64_t least,
                                  struct hs_diag *diag)
{
    struct hs_arena arena = {0};
    const int64_t *seeds;
    uint32_t count;
    enum hs_status status = hs_seedlist_parse(text, option, least, &arena, &seeds, &count, diag);
    hs_arena_free(&arena);
    return status;
}

enum hs_status hs_check_seeds(const char *text, struct hs_diag *diag)
{
    return check_seeds(text, "--seeds", 0, diag);
}

enum hs_status hs_check_assignments(const char *text, struct hs_diag *diag)
{
    return check_seeds(text, "--assignments", 1, diag);
}

/* What has no effect is warned of when the policy is set up: once is enough. */
enum hs_status hs_check_policy(const char *text, struct hs_diag *diag)
{
    struct hs_arena arena = {0};
    const struct hs_policy_ops *policy;
    void *state;
    const uint64_t warnings = diag->warnings;
    const enum hs_severity least = diag->least;
    diag->least = HS_ERROR;
    enum hs_status status = hs_setup_policy(text, &policy, &state, &arena, diag);
    diag->least = least;
    diag->warnings = warnings;
    hs_arena_free(&arena);
    return status;
}

enum hs_status hs_check_date(const char *text, struct hs_diag *diag)
{
    static const char form[] = "dddd-dd-dd";
    size_t i = 0;
    for (; form[i] != '\0'; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            break;
    if (form[i] == '\0' && text[i] == '\0')
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, "for example 2020-04-01",
                   "a date is YYYY-MM-DD, not '%s'", text);
}
