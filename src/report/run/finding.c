/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a table of runs comes to, by rule: the sentence on top of a page and below a comparison. It
 * states figures of the table, and a difference only where the interval of its ratio, if there is
 * one, is clear of 1.
 */
#include <math.h>
#include <stdio.h>

#include "report/run/run_table.h"

#define HARDLY 0.01 /* share of the completion time that counts as no waiting */

/* ---- Pareto points ---- */

static const struct {
    const char *metric, *words;
    bool is_more_better;
} aims[] = {{"mean_jct", "mean JCT", false},
            {"p99_jct", "p99 JCT", false},
            {"fairness_jain", "Jain's index", true}};
#define AIMS (sizeof aims / sizeof *aims)

static bool is_known(const struct hs_run_table *table, size_t aim)
{
    for (uint32_t i = 0; i < table->row_count; i++)
        if (isnan(hs_summary_get(table->rows[i].summary, aims[aim].metric)))
            return false;
    return true;
}

bool hs_table_is_pareto(const struct hs_run_table *table, uint32_t row)
{
    for (uint32_t i = 0; i < table->row_count; i++) {
        bool is_as_good = true, is_better = false;
        for (size_t a = 0; a < AIMS; a++) {
            const double sign = aims[a].is_more_better ? -1 : 1;
            const double own = sign * hs_summary_get(table->rows[row].summary, aims[a].metric);
            const double other = sign * hs_summary_get(table->rows[i].summary, aims[a].metric);
            if (!is_known(table, a))
                continue;
            is_as_good = is_as_good && other <= own;
            is_better = is_better || other < own;
        }
        if (is_as_good && is_better)
            return false;
    }
    return true;
}

const char *hs_table_aims(const struct hs_run_table *table, char text[HS_FINDING_SIZE])
{
    text[0] = '\0';
    for (size_t a = 0; a < AIMS; a++)
        if (is_known(table, a))
            hs_append(text, HS_FINDING_SIZE, "%s%s", text[0] != '\0' ? ", " : "", aims[a].words);
    return text;
}

/* ---- the finding ---- */

static void find_of_one(const struct hs_summary *s, char *text)
{
    static const struct {
        const char *metric, *why;
    } causes[] = {
        {"wait_resources_gpu_seconds", "because too few GPUs were free"},
        {"wait_placement_gpu_seconds", "because the free GPUs were not where they fit"},
        {"wait_quota_gpu_seconds", "because of quotas"},
        {"wait_priority_gpu_seconds", "behind other jobs, although they would have fitted"}};
    const double jct = hs_summary_get(s, "mean_jct"),
                 wait = hs_summary_get(s, "mean_queueing_delay");
    double sum = 0, most = 0;
    size_t main = 0;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        const double value = hs_summary_get(s, causes[i].metric);
        sum += value > 0 ? value : 0;
        main = value > most ? i : main;
        most = value > most ? value : most;
    }
    if (!(jct > 0))
        return;
    hs_append(text, HS_FINDING_SIZE, "Jobs took %s in the mean", HS_TIME(jct));
    if (!(wait >= HARDLY * jct))
        hs_append(text, HS_FINDING_SIZE, " and hardly waited.");
    else if (!(most > 0))
        hs_append(text, HS_FINDING_SIZE, ", %s of it without GPUs.", HS_TIME(wait));
    else
        hs_append(text, HS_FINDING_SIZE, ", %s of it without GPUs: %.0f %% of the waiting %s.",
                  HS_TIME(wait), 100 * most / sum, causes[main].why);
}

/* The row with the least or most of a metric; `best` unless another has less or more. */
static uint32_t row_with(const struct hs_run_table *table, const char *metric, bool is_most,
                         uint32_t best)
{
    for (uint32_t i = 0; i < table->row_count; i++) {
        const double value = hs_summary_get(table->rows[i].summary, metric);
        const double than = hs_summary_get(table->rows[best].summary, metric);
        best = (is_most ? value > than : value < than) ? i : best;
    }
    return best;
}

static const struct hs_replicated *ratio_of(const struct hs_table_row *row)
{
    for (uint32_t m = 0; row->ratios != NULL && m < row->summary->count; m++)
        if (strcmp(row->summary->metrics[m].name, "mean_jct") == 0)
            return &row->ratios[m];
    return NULL;
}

/* Says what may make a mean shorter besides the order of jobs. */
static void find_terms(const struct hs_table_row *row, const struct hs_table_row *than, char *text)
{
    static const struct {
        const char *can, *words;
    } terms[] = {{"co-locate", "jobs may share GPUs"},
                 {"resize any", "any job may get more GPUs than it asks for, or fewer"},
                 {"host", "jobs may get other CPUs and host memory than their share"}};
    const char *can = row->can != NULL ? row->can : "", *other = than->can != NULL ? than->can : "";
    const double fewer =
        hs_summary_get(than->summary, "n_done") - hs_summary_get(row->summary, "n_done");
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (strstr(can, terms[i].can) != NULL && strstr(other, terms[i].can) == NULL)
            hs_append(text, HS_FINDING_SIZE, " Under %.80s, unlike %.80s, %s.", row->label,
                      than->label, terms[i].words);
    if (fewer > 0)
        hs_append(text, HS_FINDING_SIZE, " Under %.80s %g jobs fewer were completed.", row->label,
                  fewer);
}

static void find_of_several(const struct hs_run_table *table, char *text)
{
    const uint32_t best = row_with(table, "mean_jct", false, 0);
    const uint32_t worst = row_with(table, "mean_jct", true, 0);
    const struct hs_table_row *row = &table->rows[best], *than = &table->rows[best > 0 ? 0 : worst];
    const double jct = hs_summary_get(row->summary, "mean_jct");
    const double other = hs_summary_get(than->summary, "mean_jct");
    const struct hs_replicated *ratio = best > 0 ? ratio_of(row) : NULL;
    if (isnan(jct) || isnan(other))
        return;
    if (jct == other) {
        hs_append(text, HS_FINDING_SIZE, "Jobs take %s in the mean under each.", HS_TIME(jct));
        return;
    }
    hs_append(text, HS_FINDING_SIZE,
              "Jobs finish soonest under %.80s: after %s in the mean, %.3g times as long as under "
              "%.80s",
              row->label, HS_TIME(jct), jct / other, than->label);
    if (ratio != NULL && !isnan(ratio->low) && ratio->low < ratio->high)
        hs_append(text, HS_FINDING_SIZE, " (%.3g to %.3g with 95 %% confidence%s)", ratio->low,
                  ratio->high, ratio->high >= 1 ? ": it may be chance" : "");
    const uint32_t last = row_with(table, "p99_jct", false, best),
                   fair = row_with(table, "fairness_jain", true, best);
    if (last != best)
        hs_append(text, HS_FINDING_SIZE, "; the last per cent ends soonest under %.80s",
                  table->rows[last].label);
    if (fair != best && fair != last && is_known(table, AIMS - 1))
        hs_append(text, HS_FINDING_SIZE, "; users wait most evenly under %.80s",
                  table->rows[fair].label);
    hs_append(text, HS_FINDING_SIZE, ".");
    find_terms(row, than, text);
}

const char *hs_table_finding(const struct hs_run_table *table, char text[HS_FINDING_SIZE])
{
    text[0] = '\0';
    if (table->row_count == 1)
        find_of_one(table->rows[0].summary, text);
    else if (table->row_count > 1)
        find_of_several(table, text);
    return text;
}
