/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of results/workloads.md, which scripts/workload-report.sh makes:
 *   report_workloads JOBS DRAWS
 * Every shipped workload, JOBS jobs of it under the seeds 1 .. DRAWS, against what is published.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/workgoals.h"
#include "support/worksource.h"
#include "workload/workload.h"

static struct workgoals goals;

static void measure(const char *workload, uint64_t jobs, uint32_t draws)
{
    for (uint32_t d = 0; d < draws; d++) {
        static struct workstat w;
        worksource_generate(&w, workload, jobs, d + 1);
        workgoals_measure(&goals, workload, d, &w);
        workstat_free(&w);
    }
}

/* Four digits that count, no more than four decimals. */
struct figure {
    char text[32];
};

static struct figure figure(double value, const char *unit)
{
    struct figure f;
    (void)snprintf(f.text, sizeof f.text,
                   value < 1      ? "%.4f%s"
                   : value < 1000 ? "%.4g%s"
                                  : "%.0f%s",
                   value, unit);
    return f;
}

/* Which of several points is furthest off. */
static void say_point(const struct workrow *row)
{
    const struct workfact *f = row->worst;
    if (row->points == 1)
        return;
    printf(", %u points; at ", row->points);
    if (f->expected != f->value)
        printf("%.0f", f->value);
    else
        printf("%s%s%s", f->gpus, f->gpus[0] != '\0' ? " GPUs " : "", f->at);
}

static const char *verdict(const struct workrow *row)
{
    if (row->allowed <= 0)
        return "told";
    if (row->draws_met == row->draws)
        return "met";
    return workrow_is_met(row) ? "met by the mean" : "**missed**";
}

static void say_row(const struct workrow *row)
{
    const struct workfact *f = row->worst;
    double scale = row->is_relative ? 100 : 1;
    const char *unit = row->is_relative ? " %" : "";
    bool has_gpus = row->points > 1 && f->expected != f->value;
    printf("| %s | %s%s%s%s", row->goal, row->text, has_gpus ? ", " : "", has_gpus ? f->gpus : "",
           has_gpus ? " GPUs" : "");
    say_point(row);
    printf(" | %s | %s | %s | %s | %s to %s | %s | %s |\n", figure(f->expected, "").text, f->source,
           figure(row->seen, "").text, figure(row->off * scale, unit).text,
           figure(row->off_min * scale, unit).text, figure(row->off_max * scale, unit).text,
           row->allowed > 0 ? figure(row->allowed * scale, unit).text : "", verdict(row));
}

static void say_goals(void)
{
    struct workrow row;
    const char *workload = "";
    for (uint32_t at = 0; workgoals_next(&goals, &at, &row);) {
        if (strcmp(workload, row.worst->workload) != 0) {
            workload = row.worst->workload;
            printf("\n### %s\n\n", workload);
            printf(
                "| goal | figure | published | source | generated | off | draws | allowed | |\n");
            printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
        }
        say_row(&row);
    }
}

int main(int argc, char **argv)
{
    char name[64];
    uint64_t jobs = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    uint32_t draws = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (jobs < 2 || draws < 1 || draws > WORKGOALS_DRAWS_MAX) {
        fprintf(stderr, "report_workloads JOBS DRAWS\n");
        return 2;
    }
    workgoals_load(&goals);
    for (size_t i = 0; hs_workload_shipped(i, name, sizeof name); i++)
        measure(name, jobs, draws);
    say_goals();
    workgoals_free(&goals);
    return 0;
}
