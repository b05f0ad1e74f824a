/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The waits of a whole run, told to a person: by cause, over time, and whose they were.
 */
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "report/explain_data.h"
#include "report/report.h"

#define BAR_CELLS 30u

static double gpu_hours(hs_u128 gpu_us)
{
    return (double)gpu_us / (double)HS_US_PER_S / 3600;
}

static hs_u128 sum_of(const explain_waits waits)
{
    hs_u128 sum = 0;
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        sum += waits[c];
    return sum;
}

/* Enough decimals for a small run. */
static int decimals_of(double largest)
{
    return largest < 10 ? 3 : 1;
}

static void say_total(const struct hs_explain *x, const struct hs_explain_style *style,
                      struct hs_output *out)
{
    hs_u128 sum = sum_of(x->total);
    int decimals = decimals_of(gpu_hours(sum));
    hs_say(out, "\nGPU-hours that jobs waited for, by cause\n");
    for (int c = 0; c < EXPLAIN_CAUSES; c++) {
        double share = sum > 0 ? (double)x->total[c] / (double)sum : 0;
        hs_say(out, "  %-13s%14.*f  %5.1f %%", explain_cause_names[c], decimals,
               gpu_hours(x->total[c]), 100 * share);
        explain_bar(out, style, share, BAR_CELLS);
        hs_say(out, "\n");
    }
    hs_say(out, "  %-13s%14.*f\n", "all", decimals, gpu_hours(sum));
}

/* Causes that were never met have no column. */
static void say_over_time(const struct hs_explain *x, struct hs_output *out)
{
    char from[HS_TABLE_TIME_SIZE];
    double part_h =
        (double)(x->end_us - x->begin_us) / (double)HS_US_PER_S / 3600 / EXPLAIN_INTERVALS;
    if (sum_of(x->total) == 0)
        return;
    hs_say(out, "\nGPUs waited for, mean of each twelfth of the run\n  %10s", "from");
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        if (x->total[c] > 0)
            hs_say(out, "%15s", explain_cause_names[c]);
    hs_say(out, "%12s\n", "all");
    for (uint32_t i = 0; i < EXPLAIN_INTERVALS; i++) {
        explain_length(from, explain_interval_us(x, i) - x->begin_us);
        hs_say(out, "  %10s", from);
        for (int c = 0; c < EXPLAIN_CAUSES; c++)
            if (x->total[c] > 0)
                hs_say(out, "%15.1f", gpu_hours(x->interval[i][c]) / part_h);
        hs_say(out, "%12.1f\n", gpu_hours(sum_of(x->interval[i])) / part_h);
    }
}

/* "capacity 80 %, order 20 %". */
static void say_reasons(const struct explain_job *job, struct hs_output *out)
{
    int64_t us[EXPLAIN_CAUSES] = {0}, again_us = explain_sum_us(job->wait_us[EXPLAIN_PREEMPTED]);
    const char *comma = "";
    for (int phase = 0; phase < EXPLAIN_PHASES; phase++)
        for (int c = 0; c < EXPLAIN_CAUSES; c++)
            us[c] += job->wait_us[phase][c];
    int64_t sum_us = explain_sum_us(us);
    for (int c = 0; c < EXPLAIN_CAUSES; c++) {
        if (us[c] * 200 < sum_us) /* below half a per cent */
            continue;
        hs_say(out, "%s%s %.0f %%", comma, explain_cause_names[c],
               100 * (double)us[c] / (double)sum_us);
        comma = ", ";
    }
    if (again_us * 200 >= sum_us && again_us > 0)
        hs_say(out, "; %.0f %% after preemptions", 100 * (double)again_us / (double)sum_us);
    hs_say(out, "\n");
}

static uint32_t id_width(const struct hs_explain *x, const uint32_t *jobs, uint32_t count)
{
    size_t width = strlen("job");
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(x->jobs[jobs[i]].id);
        width = length > width ? length : width;
    }
    return width < 40 ? (uint32_t)width : 40;
}

static void say_longest(const struct hs_explain *x, struct hs_output *out)
{
    uint32_t jobs[EXPLAIN_LONGEST], count = explain_longest(x, jobs);
    char submitted[HS_TABLE_TIME_SIZE], waited[HS_TABLE_TIME_SIZE];
    if (count == 0)
        return;
    int width = (int)id_width(x, jobs, count);
    hs_say(out, "\nwho waited longest\n  %-*s  %5s  %10s  %10s  %s\n", width, "job", "GPUs",
           "submitted", "waited", "why");
    for (uint32_t i = 0; i < count; i++) {
        const struct explain_job *job = &x->jobs[jobs[i]];
        explain_length(submitted, job->submit_us);
        explain_length(waited, job->pending_us);
        hs_say(out, "  %-*s  %5u  %10s  %10s  ", width, job->id, job->gpus, submitted, waited);
        say_reasons(job, out);
    }
    hs_say(out, "`horus explain %s --job %s` tells more of one.\n", x->dir, x->jobs[jobs[0]].id);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

enum hs_status hs_explain_say_run(struct hs_explain *x, const struct hs_explain_style *style,
                                  struct hs_output *out)
{
    HS_TRY(explain_replay(x));
    if (style->as_json) {
        explain_json_run(x, out);
        return HS_OK;
    }
    hs_say(out, "%s: %u job%s, %u placement%s, %u GPU%s\nunder %s: order %s, scan %s\n", x->dir,
           x->job_count, plural(x->job_count), x->segment_count, plural(x->segment_count),
           x->cluster.gpu_count, plural(x->cluster.gpu_count), x->policy != NULL ? x->policy : "?",
           x->order != NULL ? x->order : "?", x->scan != NULL ? x->scan : "?");
    say_total(x, style, out);
    say_over_time(x, out);
    say_longest(x, out);
    bool is_met[EXPLAIN_CAUSES];
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        is_met[c] = x->total[c] > 0;
    explain_say_causes(x, is_met, out);
    return HS_OK;
}
