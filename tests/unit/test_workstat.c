/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of workloads: every figure of six jobs by hand, and of the real traces compared with
 * another program on the same files, and with published figures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fmt.h"
#include "support/data.h"
#include "support/sink.h"
#include "support/workstat.h"

static struct workstat w;

static struct hs_trace_options options_of(const char *path)
{
    struct hs_trace_options options;
    hs_trace_options_default(&options);
    options.path = path;
    return options;
}

/* 2020-03-31 is a Tuesday. GPU time: 0.5 x 10 = 5, 1 x 20, 2 x 20 = 40, 4 x 100 = 400, 8 x 5 = 40,
 * 4 x 40 = 160, and the CPU job counts nowhere: 665 GPU s, a 420, b 205, c 40. Gaps: 0, 10, 3590,
 * 7200, 82800 s. */
static const char six[] = "job_id,user,submit_time,gpus,duration,status\n"
                          "0,a,2020-03-31 22:00:00,1,20,completed\n"
                          "1,b,2020-03-31 22:00:00,0.5,10,failed\n"
                          "2,c,2020-03-31 22:00:10,2,20,completed\n"
                          "3,a,2020-03-31 23:00:00,4,100,cancelled\n"
                          "c,a,2020-03-31 23:00:00,0,1000,completed\n"
                          "4,b,2020-04-01 01:00:00,8,5,completed\n"
                          "5,b,2020-04-02 00:00:00,4,40,cancelled\n";

static int read_six(void **state)
{
    struct hs_trace_options options =
        options_of((scratch_open(state), scratch_write("six.csv", six, sizeof six - 1)));
    options.cpu_jobs = HS_CPU_JOBS_KEEP;
    workstat_read(&w, &options, 0, 0);
    return 0;
}

static int leave(void **state)
{
    workstat_free(&w);
    return scratch_close(state);
}

static void near(double seen, double expected, double allowed)
{
    if (!(seen >= expected - allowed && seen <= expected + allowed))
        fail_msg("%.9g is not within %g of %.9g", seen, allowed, expected);
}

static void same(double seen, double expected)
{
    near(seen, expected, 1e-12);
}

static void test_ranges(void **state)
{
    (void)state;
    assert_true(workstat_in("", 128000));
    assert_true(workstat_in("1", 500) && workstat_in("1", 1000) && !workstat_in("1", 1001));
    assert_true(workstat_in("2-4", 1500) && workstat_in("2-4", 4000));
    assert_false(workstat_in("2-4", 1000) || workstat_in("2-4", 4001));
    assert_true(workstat_in(">8", 8001) && !workstat_in(">8", 8000));
    assert_true(workstat_in(">=64", 64000) && !workstat_in(">=64", 63999));
}

static void test_sizes_and_durations(void **state)
{
    (void)state;
    assert_int_equal(w.count, 6);
    same(workstat_mean_s(&w), 195.0 / 6);
    same(workstat_mean_gpus(&w), 19.5 / 6);
    same(workstat_duration_cdf(&w, "", 0, 20), 4.0 / 6);
    same(workstat_duration_before(&w, "", 0, 20), 2.0 / 6);
    same(workstat_duration_cdf(&w, "", 100, 20), 4.0 / 5);
    same(workstat_duration_cdf(&w, "2-4", 0, 40), 2.0 / 3);
    same(workstat_duration_quantile(&w, "", 0.5), 20);
    same(workstat_duration_quantile(&w, "", 0.7), 40);
    same(workstat_duration_quantile(&w, "2-4", 0), 20);
    same(workstat_gpus_cdf(&w, 1), 2.0 / 6);
    same(workstat_gputime_cdf(&w, 4), 625.0 / 665);
}

static void test_outcomes(void **state)
{
    (void)state;
    struct work_share share = workstat_outcome(&w, "2-4", HS_OUTCOME_CANCELLED);
    same(share.part, 2.0 / 6);
    same(share.whole, 3.0 / 6);
    same(workstat_outcome_gputime(&w, HS_OUTCOME_FAILED), 5.0 / 665);
}

/* 27 clock hours from 22 to 0 two days later; 6 / 27 jobs an hour; squares: 3, 1, 1, 1 jobs = 12.
 * Mean gap 93600 / 5 = 18720 s; squares of the gaps 3590^2 + 7200^2 + 82800^2 + 100 =
 * 6,920,568,200. Jobs a day: Tuesday 4, Wednesday 1, Thursday 1. */
static void test_arrivals(void **state)
{
    (void)state;
    same(workstat_hour(&w, 22), 3.0 / 6);
    same(workstat_hour(&w, 0), 1.0 / 6);
    same(workstat_weekday(&w, 1), 4.0 / 6);
    same(workstat_weekday(&w, 6), 0);
    same(workstat_gap_cdf(&w, 0), 1.0 / 5);
    same(workstat_gap_cdf(&w, 10), 2.0 / 5);
    near(workstat_gap_cv(&w) * workstat_gap_cv(&w), 6920568200.0 / 5 / (18720.0 * 18720.0) - 1,
         1e-9);
    near(workstat_dispersion(&w), (12.0 / 27 - 36.0 / 729) / (6.0 / 27), 1e-12);
}

/* In order a 420, b 205, c 40 of 665, at 0, 1/2 and 1 of the users. */
/* From 22:00:00: 1.5 GPUs for 10 s, 3 and 2 likewise, 4 for 100 s from 23:00:00, 8 for 5 s from
 * 01:00:00, 4 for 40 s from 24:00:00 of the next day, 93,640 s in all: 665 GPU s, and 22.5 + 90 +
 * 40 + 1600 + 320 + 640 = 2712.5 squares. */
static void test_wanted(void **state)
{
    (void)state;
    struct work_wanted wanted = workstat_wanted(&w);
    same(wanted.mean, 665.0 / 93640);
    near(wanted.deviation * wanted.deviation, 2712.5 / 93640 - 665.0 * 665.0 / 93640 / 93640,
         1e-12);
    same(wanted.most, 8);
}

static void test_users(void **state)
{
    (void)state;
    same(workstat_users_gputime(&w, 0), 420.0 / 665);
    same(workstat_users_gputime(&w, 0.25), (420 + 205.0 / 2) / 665);
    same(workstat_users_gputime(&w, 1), 1);
    same(workstat_users_jobs(&w, 0), 3.0 / 6); /* b has three of the six */
}

/* ---- real traces ---- */

static int64_t date(const char *text)
{
    int64_t us;
    assert_true(hs_parse_datetime_us(text, 19, &us, NULL));
    return us;
}

struct real {
    const char *what;
    double seen, recomputed, published, allowed;
};

static void compare(const struct real *figures, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        print_message("%-28s %-10.4g published %g\n", figures[i].what, figures[i].seen,
                      figures[i].published);
        near(figures[i].seen, figures[i].recomputed, figures[i].recomputed * 1e-6);
        near(figures[i].seen, figures[i].published, figures[i].published * figures[i].allowed);
    }
}

/* Recomputed: Python's csv, datetime and statistics on the same rows. Published: of April to
 * September, where the file ends in July. */
static void test_venus(void **state)
{
    struct workstat real;
    struct hs_trace_options options =
        options_of(data_need("traces", "venus_gpu_jobs_mar-jul2020.csv"));
    (void)state;
    options.map = "configs/mappings/venus.json";
    workstat_read(&real, &options, date("2020-04-01 00:00:00"), date("2020-08-01 00:00:00"));
    assert_int_equal(real.count, 77485);
    const struct real figures[] = {
        {"CV of gaps", workstat_gap_cv(&real), 4.5807266425213635, 4.3, .08},
        {"gaps of 0 s", workstat_gap_cdf(&real, 0), 0.08759227711527541, .09, .08},
        {"gaps up to 5 s", workstat_gap_cdf(&real, 5), 0.17488771875483972, .18, .08},
        {"dispersion", workstat_dispersion(&real), 40.841531778052584, 39, .08},
        {"16 h", workstat_hour(&real, 16), 0.07078789443118023, .0720, .08},
        {"Wednesday", workstat_weekday(&real, 2), 0.1622127608177069, .1820, .12},
        {"one GPU", workstat_gpus_cdf(&real, 1), 0.511750661418339, .518, .12},
        {"median s", workstat_duration_quantile(&real, "", 0.5), 206, 204, .05},
    };
    compare(figures, sizeof figures / sizeof *figures);
    workstat_free(&real);
}

/* The published figures are of October to December; in the file's last month only the bursts are
 * near them. */
static void test_philly(void **state)
{
    struct workstat real;
    struct hs_trace_options options = options_of(data_need("traces", "philly_sep-oct2017.csv"));
    (void)state;
    options.map = "job_id=@row,submit_time=timestamp,gpus=num_gpus,vc=cluster";
    options.sort_window = HS_SORT_ALL;
    workstat_read(&real, &options, date("2017-10-01 00:00:00"), date("2017-11-01 00:00:00"));
    const struct real figures[] = {
        {"gaps of 0 s", workstat_gap_cdf(&real, 0), 0.10463859634252294, .08, .35},
        {"gaps up to 5 s", workstat_gap_cdf(&real, 5), 0.4979763090419783, .42, .20},
        {"dispersion", workstat_dispersion(&real), 180.0412011695075, 159, .15},
    };
    compare(figures, sizeof figures / sizeof *figures);
    workstat_free(&real);
}

int main(void)
{
    const struct CMUnitTest by_hand[] = {
        cmocka_unit_test(test_ranges),   cmocka_unit_test(test_sizes_and_durations),
        cmocka_unit_test(test_outcomes), cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_wanted),   cmocka_unit_test(test_users),
    };
    const struct CMUnitTest of_traces[] = {
        cmocka_unit_test(test_venus),
        cmocka_unit_test(test_philly),
    };
    int failed = cmocka_run_group_tests(by_hand, read_six, leave);
    return failed + cmocka_run_group_tests(of_traces, NULL, NULL);
}
