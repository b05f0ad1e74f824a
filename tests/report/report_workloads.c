/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of results/workloads.md, which tests/report/workload-report.sh makes:
 *   report_workloads goals JOBS DRAWS   JOBS jobs of every shipped workload under the seeds 1 ..
 *                                       DRAWS, against what is published
 *   report_workloads venus              the workload venus against the real Venus
 *   report_workloads fits FOLDER        workloads fitted to generated jobs and to real traces;
 *   report_workloads real-fits FOLDER   writes its files into FOLDER
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "support/data.h"
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

/* Four significant digits, at most four decimals. */
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

/* Number of points, and the point of largest deviation. */
static void say_point(const struct workrow *row)
{
    const struct workfact *f = row->worst;
    bool is_quantile = f->expected != f->value;
    printf(" | %" PRIu32 " | ", row->points);
    if (row->points > 1 && is_quantile)
        printf("%.0f s", f->value);
    else if (row->points > 1)
        printf("%s%s%s", f->gpus, f->gpus[0] != '\0' ? " GPUs, " : "", f->at);
}

static const char *verdict(const struct workrow *row)
{
    if (row->allowed <= 0)
        return "stated";
    if (row->draws_met == row->draws)
        return "met";
    return workrow_is_met(row) ? "met by the mean" : "**missed**";
}

static void say_row(const struct workrow *row)
{
    const struct workfact *f = row->worst;
    double scale = row->is_relative ? 100 : 1;
    const char *unit = row->is_relative ? " %" : "";
    bool has_gpus = row->points > 1 && f->expected != f->value; /* one range of them a row */
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
            printf("| goal | figure | points | furthest off at | published | source | generated | "
                   "off | draws | allowed | |\n");
            printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
        }
        say_row(&row);
    }
}

/* ---- against real traces ---- */

#define CUT_S INT64_C(172800) /* the Venus file ends durations here */

static const char *const sizes[] = {"1", "2-4", "5-8", "9-16", "17-32", ">32"};
#define SIZES (sizeof sizes / sizeof *sizes)

struct real {
    const char *title, *file, *map;
};

static const struct real reals[] = {
    {"Venus, March to July 2020", "venus_gpu_jobs_mar-jul2020.csv", "configs/mappings/venus.json"},
    {"Philly, September and October 2017, passed jobs", "philly_sep-oct2017.csv",
     "job_id=@row,submit_time=timestamp,gpus=num_gpus,vc=cluster"},
    {"two VCs of Philly, all jobs", "philly_vc_7f04ca_0e4a51.csv",
     "configs/mappings/philly-vc.json"},
};

static struct hs_trace_options options_of(const struct real *real)
{
    struct hs_trace_options options;
    hs_trace_options_default(&options);
    options.path = data_path("traces", real->file);
    options.map = real->map;
    options.sort_window = HS_SORT_ALL;
    return options;
}

static int64_t month_us(const char *date)
{
    int64_t us = 0;
    (void)hs_parse_datetime_us(date, strlen(date), &us, NULL);
    return us;
}

/* Deviations of single months of the file from the whole file. */
static void say_months(const struct hs_trace_options *options, struct workstat *all,
                       const char *gpus)
{
    static const char *const months[] = {"2020-04-01 00:00:00", "2020-05-01 00:00:00",
                                         "2020-06-01 00:00:00", "2020-07-01 00:00:00",
                                         "2020-08-01 00:00:00"};
    double least = 1, most = 0;
    for (size_t i = 0; i + 1 < sizeof months / sizeof *months; i++) {
        struct workstat month;
        workstat_read(&month, options, month_us(months[i]), month_us(months[i + 1]));
        double ks = worksource_compare_durations(all, &month, gpus).ks;
        least = ks < least ? ks : least;
        most = ks > most ? ks : most;
        workstat_free(&month);
    }
    printf(" %.3f to %.3f |\n", least, most);
}

static void say_wanted(const char *title, const struct workstat *w)
{
    struct work_wanted wanted = workstat_wanted(w);
    printf("| %s | %.0f | %.0f | %.0f |\n", title, wanted.mean, wanted.deviation, wanted.most);
}

static void say_venus(void)
{
    struct hs_trace_options options = options_of(&reals[0]);
    struct workstat real, made;
    workstat_read(&real, &options, 0, 0);
    worksource_generate(&made, "venus", 100000, 1);
    workstat_cut(&made, CUT_S);
    printf("| jobs of | real | generated | share | generated | median s | generated | KS of "
           "durations | single months |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i <= SIZES; i++) {
        const char *gpus = i < SIZES ? sizes[i] : "";
        struct workpair p = worksource_compare_durations(&real, &made, gpus);
        printf("| %s | %" PRIu32 " | %" PRIu32 " | %.4f | %.4f | %.0f | %.0f | %.3f |",
               i < SIZES ? gpus : "all sizes", p.count, p.other_count, (double)p.count / real.count,
               (double)p.other_count / made.count, workstat_duration_quantile(&real, gpus, 0.5),
               workstat_duration_quantile(&made, gpus, 0.5), p.ks);
        say_months(&options, &real, gpus);
    }
    printf("\nGaps between submissions: KS %.3f; sizes: KS %.3f.\n",
           worksource_compare_gaps(&real, &made).ks, worksource_compare_demands(&real, &made).ks);
    printf("\n| GPUs wanted at once | mean | standard deviation | most |\n| --- | --- | --- | --- "
           "|\n");
    say_wanted("real", &real);
    workstat_free(&made);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        char title[32];
        worksource_generate(&made, "venus", real.count, seed);
        workstat_cut(&made, CUT_S);
        (void)snprintf(title, sizeof title, "generated, seed %" PRIu64, seed);
        say_wanted(title, &made);
        workstat_free(&made);
    }
    workstat_free(&real);
}

/* ---- fits ---- */

static void say_fit(const char *title, struct workstat *from, const char *fitted, uint64_t seed)
{
    struct workstat made;
    worksource_generate(&made, fitted, from->count, seed);
    struct workpair all = worksource_compare_durations(from, &made, "");
    struct workpair demands = worksource_compare_demands(from, &made);
    struct workpair gaps = worksource_compare_gaps(from, &made);
    double worst = 0;
    for (size_t i = 0; i < SIZES; i++) {
        struct workpair p = worksource_compare_durations(from, &made, sizes[i]);
        if (p.count > 0 && p.other_count > 0 && p.ks / p.noise > worst)
            worst = p.ks / p.noise;
    }
    printf("| %s | %" PRIu32
           " | %.4f | %.4f | %.4f | %.2f | %.4f | %.1f, %.1f | %.1f, %.1f | %.0f, "
           "%.0f |\n",
           title, from->count, all.noise, demands.ks, all.ks, worst, gaps.ks, workstat_gap_cv(from),
           workstat_gap_cv(&made), workstat_dispersion(from), workstat_dispersion(&made),
           workstat_mean_s(from), workstat_mean_s(&made));
    workstat_free(&made);
}

static void say_fit_head(void)
{
    printf(
        "| trace | jobs | noise | KS of sizes | KS of durations | worst size, KS / noise | KS of "
        "gaps | CV of gaps | variance / mean an hour | mean s |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

static void say_fits_of_generated(const char *folder)
{
    char name[HS_SHIPPED_NAME_MAX], path[4096];
    for (size_t i = 0; hs_builtin_shipped(HS_WORKLOADS, i, name); i++) {
        struct workstat w;
        (void)snprintf(path, sizeof path, "%s/fitted.json", folder);
        worksource_generate(&w, name, 100000, 1);
        worksource_fit_generated(name, 100000, 1, path);
        say_fit(name, &w, path, 2);
        workstat_free(&w);
    }
}

static void say_fits_of_real(const char *folder)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/fitted.json", folder);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        struct hs_trace_options options = options_of(&reals[i]);
        struct workstat w;
        workstat_read(&w, &options, 0, 0);
        worksource_fit_trace(&options, path);
        say_fit(reals[i].title, &w, path, 1);
        workstat_free(&w);
    }
}

/* ---- which ---- */

static int say_goals_of(uint64_t jobs, uint32_t draws)
{
    char name[HS_SHIPPED_NAME_MAX];
    workgoals_load(&goals);
    for (size_t i = 0; hs_builtin_shipped(HS_WORKLOADS, i, name); i++)
        measure(name, jobs, draws);
    say_goals();
    workgoals_free(&goals);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "goals") == 0 && argc == 4) {
        uint64_t jobs = strtoull(argv[2], NULL, 10);
        uint32_t draws = (uint32_t)strtoul(argv[3], NULL, 10);
        if (jobs > 1 && draws > 0 && draws <= WORKGOALS_DRAWS_MAX)
            return say_goals_of(jobs, draws);
    } else if (strcmp(what, "venus") == 0 && argc == 2) {
        say_venus();
        return 0;
    } else if (strcmp(what, "fits") == 0 && argc == 3) {
        say_fit_head();
        say_fits_of_generated(argv[2]);
        return 0;
    } else if (strcmp(what, "real-fits") == 0 && argc == 3) {
        say_fit_head();
        say_fits_of_real(argv[2]);
        return 0;
    }
    fprintf(stderr, "report_workloads goals JOBS DRAWS | venus | fits FOLDER | real-fits FOLDER\n");
    return 2;
}
