/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counting what a format cannot hold.
 */
#include "traces/losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"

void hs_losses_open(struct hs_losses *losses, const struct hs_trace_format *to)
{
    const struct hs_trace_layout *native = hs_trace_format_find("csv")->layout;
    *losses = (struct hs_losses){.to = to, .native = native};
    for (uint32_t i = 0; i < native->column_count; i++) {
        size_t member = native->columns[i].offset;
        losses->held[i] = hs_layout_holds(to->layout, member);
        for (uint32_t k = i + 1; k < native->column_count; k++)
            if (native->columns[k].offset == member)
                losses->is_alias[i] = true;
    }
}

static bool is_rounded(const struct hs_trace_layout *layout, const struct hs_column *column,
                       const struct hs_trace_job *job)
{
    const char *at = (const char *)job + column->offset;
    int64_t us = 0;
    if (column->kind == HS_CELL_MILLI)
        return layout->cpu_grain > 1 && job->cpus_milli % layout->cpu_grain > 0;
    if (layout->grain_us <= 1)
        return false;
    if (column->kind == HS_CELL_TIME || column->kind == HS_CELL_SPAN)
        memcpy(&us, at, sizeof us);
    for (uint32_t i = 0; column->kind == HS_CELL_ATTEMPTS && i < job->attempts; i++)
        if (job->attempts_us[i] % layout->grain_us > 0)
            us = job->attempts_us[i];
    return us % layout->grain_us > 0;
}

/* The word of a format for one outcome may be read as another; words that it reads itself are not.
 */
static bool is_outcome_kept(const struct hs_trace_layout *layout, enum hs_outcome outcome)
{
    const char *word = hs_layout_outcome(layout, outcome);
    const struct hs_column *column =
        hs_layout_holds(layout, offsetof(struct hs_trace_job, outcome));
    bool is_own = column != NULL && column->kind == HS_CELL_OWN;
    return word != NULL && (is_own || hs_fate_parse(word, strlen(word)) == (int)outcome);
}

void hs_losses_count(struct hs_losses *losses, const struct hs_trace_job *job)
{
    const struct hs_trace_layout *layout = losses->to->layout;
    losses->jobs++;
    for (uint32_t i = 0; i < losses->native->column_count; i++) {
        const struct hs_column *column = &losses->native->columns[i];
        if (losses->is_alias[i] || !hs_job_tells(job, column))
            continue;
        if (losses->held[i] == NULL)
            losses->lost[i]++;
        else if (column->kind == HS_CELL_FATE)
            losses->outcomes[job->outcome] += !is_outcome_kept(layout, job->outcome);
        else if (layout->keeps != NULL && !layout->keeps(job, column))
            losses->changed[i]++;
        else if (losses->held[i]->kind != HS_CELL_OWN && is_rounded(layout, column, job))
            losses->rounded[i]++;
    }
}

bool hs_losses_any(const struct hs_losses *losses)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < losses->native->column_count; i++)
        sum += losses->lost[i] + losses->rounded[i] + losses->changed[i];
    for (int i = 0; i < HS_OUTCOME_COUNT; i++)
        sum += losses->outcomes[i];
    return sum > 0;
}

static void warn_rounded(const struct hs_losses *losses, uint32_t index, struct hs_diag *diag)
{
    const struct hs_column *column = &losses->native->columns[index];
    char grain[HS_FMT_MAX + 1];
    bool is_time = column->kind != HS_CELL_MILLI;
    if (is_time)
        grain[hs_fmt_seconds(grain, losses->to->layout->grain_us)] = '\0';
    else
        grain[hs_fmt_ratio(grain, losses->to->layout->cpu_grain, 1000, 3)] = '\0';
    hs_report(diag, HS_WARNING, NULL, NULL,
              "%" PRIu64 " of %" PRIu64 " jobs: %s rounded%s to steps of %s %s",
              losses->rounded[index], losses->jobs, column->key, is_time ? "" : " up", grain,
              is_time ? "s" : "core");
}

static void warn_outcomes(const struct hs_losses *losses, struct hs_diag *diag)
{
    for (int i = 0; i < HS_OUTCOME_COUNT; i++) {
        const char *word = hs_layout_outcome(losses->to->layout, (enum hs_outcome)i);
        if (losses->outcomes[i] > 0)
            hs_report(diag, HS_WARNING, NULL, NULL,
                      "%" PRIu64 " of %" PRIu64 " jobs: outcome '%s' becomes %s, the %s format has "
                      "no word of its own for it",
                      losses->outcomes[i], losses->jobs, hs_outcome_text((enum hs_outcome)i),
                      word != NULL ? word : "unknown", losses->to->name);
    }
}

void hs_losses_warn(const struct hs_losses *losses, struct hs_diag *diag)
{
    for (uint32_t i = 0; i < losses->native->column_count; i++) {
        const struct hs_column *column = &losses->native->columns[i];
        bool is_share = column->kind == HS_CELL_SHARE;
        if (losses->lost[i] > 0)
            hs_report(diag, HS_WARNING, NULL, NULL,
                      "%" PRIu64 " of %" PRIu64 " jobs lose their %s: the %s format has none%s",
                      losses->lost[i], losses->jobs, column->key, losses->to->name,
                      is_share ? ", a share becomes a whole GPU" : "");
        if (losses->changed[i] > 0)
            hs_report(diag, HS_WARNING, NULL, NULL,
                      "%" PRIu64 " of %" PRIu64 " jobs: %s is not what the %s format can hold, and "
                      "reads back as something else",
                      losses->changed[i], losses->jobs, column->key, losses->to->name);
        if (losses->rounded[i] > 0)
            warn_rounded(losses, i, diag);
    }
    warn_outcomes(losses, diag);
}
