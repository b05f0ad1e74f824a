/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each cleaning rule on a few rows made for it: what it marks, and similar rows that it keeps. The
 * expected figures are calculated beside them; the public data sets are in
 * tests/oracle/test_calibration_data.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/measure.h"
#include "support/measured.h"
#include "support/sink.h"

static struct hs_measurements m;
static struct hs_clean_counts counts;

static int tear_down(void **state)
{
    (void)state;
    hs_measure_free(&m);
    return 0;
}

/* A job of a model on one GPU; util and bw as fractions. */
static uint32_t job_on(const char *gpu, const char *model, const char *batch, double speed,
                       double util, double bw)
{
    struct hs_solo solo = {.model = model,
                           .dataset = "D",
                           .batch = batch,
                           .precision = "fp32",
                           .gpus = 1,
                           .speed = speed,
                           .util = util,
                           .bw_util = bw,
                           .mem_mib = NAN};
    assert_int_equal(hs_measure_gpu(&m, gpu, HS_MODE_UNKNOWN, &solo.gpu), HS_OK);
    return hs_measure_solo(&m, &solo);
}

static uint32_t job(const char *model, double util, double bw)
{
    return job_on("G", model, "1", 100, util, bw);
}

/* Both directions; the index of the first row. */
static uint32_t pair(uint32_t a, uint32_t b, double speed_a, double speed_b, double joint_util)
{
    struct hs_pair row = {.own = a,
                          .other = b,
                          .pair = m.pair_ids,
                          .gpu = m.solos[a].gpu,
                          .speed = speed_a,
                          .joint_util = joint_util,
                          .joint_bw_util = NAN,
                          .joint_mem_mib = NAN};
    hs_measure_pair(&m, &row);
    row.own = b;
    row.other = a;
    row.speed = speed_b;
    hs_measure_pair(&m, &row);
    return m.pair_count - 2;
}

static void clean(uint32_t steps)
{
    hs_clean(&m, steps, HS_OVERLAP_TOLERANCE, &counts);
}

static void expect_marks(uint32_t first, uint32_t a, uint32_t b)
{
    assert_int_equal(m.pairs[first].dropped, a);
    assert_int_equal(m.pairs[first + 1].dropped, b);
}

/* Slowdowns of 1,001 and speed-ups of 1,001 must have another unit; 1,000 is allowed in a model
 * file. */
static void test_implausible(void **state)
{
    (void)state;
    uint32_t a = job("A", .5, .5), b = job("B", .5, .5);
    uint32_t edge = pair(a, b, .001, 1000, .8);
    uint32_t beyond = pair(a, b, 1 / 1001., 1001, .8);
    clean(0);
    expect_marks(edge, 0, 0);
    expect_marks(beyond, HS_DROPPED(IMPLAUSIBLE), HS_DROPPED(IMPLAUSIBLE));
}

/* Under any set of steps: failed, multi-GPU, negative, not finite, without a baseline, repeated. */
static void test_unusable(void **state)
{
    (void)state;
    uint32_t a = job("A", .5, .5), b = job("B", .5, .5);
    uint32_t good = pair(a, b, .9, .8, .8);
    uint32_t failed = pair(a, b, 0, 0, NAN);
    uint32_t half = pair(a, b, 0, .7, NAN); /* one made no progress: they did not run together */
    uint32_t negative = pair(a, b, -.1, .9, .8);
    uint32_t infinite = pair(a, b, .9, INFINITY, .8);
    uint32_t missing = pair(a, b, NAN, .9, .8);
    m.pairs[missing].dropped = HS_DROPPED(NO_SOLO);
    m.solos[job("C", .5, .5)].gpus = 2;
    uint32_t multi = pair(2, 2, 0, 0, NAN);
    m.solos[job("E", .5, .5)].is_spread = true;
    uint32_t spread = pair(3, 3, .9, .9, NAN);
    uint32_t broken = job_on("G", "F", "1", -5, .5, .5);
    uint32_t baseless = pair(broken, a, .9, .9, .9);

    for (int pass = 0; pass < 2; pass++) {
        clean(pass == 0 ? 0 : HS_CLEAN_DEFAULT & ~(unsigned)HS_CLEAN(CONTRADICTED));
        expect_marks(good, 0, 0);
        expect_marks(failed, HS_DROPPED(FAILED), HS_DROPPED(FAILED));
        expect_marks(half, HS_DROPPED(FAILED), HS_DROPPED(FAILED));
        expect_marks(negative, HS_DROPPED(NEGATIVE), 0);
        expect_marks(infinite, 0, HS_DROPPED(NEGATIVE));
        expect_marks(missing, HS_DROPPED(NO_SOLO), 0);
        expect_marks(multi, HS_DROPPED(NOT_MEASURED), HS_DROPPED(NOT_MEASURED));
        expect_marks(spread, HS_DROPPED(REPEATED), HS_DROPPED(REPEATED));
        expect_marks(baseless, HS_DROPPED(NEGATIVE), 0);
        assert_int_equal(m.solos[broken].dropped, HS_DROPPED(NEGATIVE));
    }
    assert_int_equal(counts.read, 18);
    assert_int_equal(counts.kept, 2 + 3 + 1);
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_FAILED], 4);
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_NEGATIVE], 3);
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_NO_SOLO], 1);
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_NOT_MEASURED], 2);
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_REPEATED], 2);
    assert_int_equal(measured_solos(&m, HS_DROPPED(NEGATIVE)), 1);
}

/* On one GPU type nothing ran together: all its rows are dropped and counted, no others. */
static void test_zero_slice(void **state)
{
    (void)state;
    uint32_t a = job("A", NAN, NAN), b = job("B", NAN, NAN);
    uint32_t c = job_on("Z", "A", "1", 10, NAN, NAN), e = job_on("Z", "B", "1", 20, NAN, NAN);
    uint32_t good = pair(a, b, .9, .8, NAN);
    (void)pair(c, e, 0, 0, NAN);
    (void)pair(c, c, 0, 0, NAN);
    clean(HS_CLEAN_ALL);
    expect_marks(good, 0, 0);
    assert_int_equal(counts.kept, 2);
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_FAILED], 4);
}

/* A job with three speeds of exactly 1 was not measured; two speeds of 1 are not enough
 * evidence. */
static void test_written_in(void **state)
{
    (void)state;
    uint32_t a = job("A", .5, .5), b = job("B", .5, .5), c = job("C", .5, .5);
    uint32_t first = pair(a, b, 1, .9, .8);
    (void)pair(a, c, 1, 1, .8);
    (void)pair(a, c, 1, 1, .8);
    (void)pair(b, c, 1, .9, .8);
    clean(HS_CLEAN(WRITTEN_IN));
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_WRITTEN_IN], 3);
    expect_marks(first, HS_DROPPED(WRITTEN_IN), 0);
    clean(0);
    assert_int_equal(counts.kept, 8);
    hs_measure_free(&m);

    a = job("A", .5, .5), b = job("B", .5, .5);
    (void)pair(a, b, 1, 1, .8);
    (void)pair(a, b, 1, 1, .8);
    clean(HS_CLEAN(WRITTEN_IN));
    assert_int_equal(counts.kept, 4);
}

/* max(.6, .4) - .05 = .55: at the bound a row is kept, below it is dropped, both directions; NaN is
 * not judged. */
static void test_overlap(void **state)
{
    (void)state;
    uint32_t a = job("A", .6, .5), b = job("B", .4, .5), c = job("C", NAN, NAN);
    uint32_t at = pair(a, b, .9, .9, .6 - .05), below = pair(b, a, .9, .9, .5499);
    uint32_t unknown = pair(a, b, .9, .9, NAN), without = pair(c, c, .9, .9, .01);
    clean(HS_CLEAN(OVERLAP));
    expect_marks(at, 0, 0);
    expect_marks(below, HS_DROPPED(NO_OVERLAP), HS_DROPPED(NO_OVERLAP));
    expect_marks(unknown, 0, 0);
    expect_marks(without, 0, 0);
    hs_clean(&m, HS_CLEAN(OVERLAP), .06, &counts);
    assert_int_equal(counts.kept, 8);
}

/* A beside the idle I ran at 1.2 and 1.0, mean 1.1: its .88 beside B is .8. B never ran beside I.
 */
static void test_rebase(void **state)
{
    (void)state;
    uint32_t a = job("A", .6, .5), b = job("B", .4, .5), idle = job("I", .15, 0);
    uint32_t target = pair(a, b, .88, .9, .9);
    uint32_t beside = pair(a, idle, 1.2, .7, .6);
    (void)pair(a, idle, 1.0, .8, .6);
    clean(HS_CLEAN(REBASE));
    expect_marks(target, 0, HS_DROPPED(NO_BASELINE));
    expect_marks(beside, HS_DROPPED(BASELINE), HS_DROPPED(NO_BASELINE));
    assert_true(fabs(m.pairs[target].rebased - .8) < 1e-12);
    assert_true(m.pairs[target].speed == .88);
    assert_int_equal(counts.kept, 1);
    assert_int_equal(counts.rebased, 1);

    clean(0); /* undoes the step */
    assert_true(m.pairs[target].rebased == .88);
    assert_int_equal(counts.kept, 6);
    assert_int_equal(counts.rebased, 0);
}

/* 16 % utilization or memory traffic is not idle; without figures of traffic 5 % is idle, 6 % is
 * not. On a GPU type without an idle job the published baseline remains, even if another type has
 * one. */
static void test_rebase_needs_idle_jobs(void **state)
{
    (void)state;
    uint32_t a = job("A", .6, .5);
    (void)pair(a, job("J", .16, 0), 1.2, 1, .6);
    (void)pair(a, job("K", .1, .01), 1.2, 1, .6);
    (void)pair(a, job("L", .06, NAN), 1.2, 1, .6);
    (void)pair(a, job("M", NAN, NAN), 1.2, 1, .6);
    clean(HS_CLEAN(REBASE));
    assert_int_equal(counts.kept, 8);
    assert_int_equal(counts.rebased, 0);
    uint32_t c = job_on("H", "A", "1", 100, .6, .5), n = job_on("H", "N", "1", 9, .05, NAN);
    (void)pair(c, n, 1.25, 1, .6);
    uint32_t target = pair(c, c, 1, .5, .9);
    clean(HS_CLEAN(REBASE));
    assert_int_equal(counts.kept, 8 + 2);
    assert_true(m.pairs[target].rebased == .8 && m.pairs[target + 1].rebased == .4);
}

/* Two jobs of five have a median outside .2..1.5: their rows are dropped. With three of five, all
 * rows are. */
static void test_campaign_by_medians(void **state)
{
    (void)state;
    static const char *const names[] = {"A", "B", "C", "D", "E"};
    uint32_t jobs[5];
    for (int i = 0; i < 5; i++)
        jobs[i] = job(names[i], .5, .5);
    for (int run = 0; run < 3; run++) { /* medians: A .1, B 1.6, C D E .8 */
        (void)pair(jobs[0], jobs[2], run == 0 ? .9 : .1, .8, .9);
        (void)pair(jobs[1], jobs[3], run == 0 ? .9 : 1.6, .8, .9);
        (void)pair(jobs[4], jobs[4], .8, .8, .9);
    }
    clean(HS_CLEAN(CAMPAIGN));
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_MIXED_CAMPAIGN], 6);
    expect_marks(0, HS_DROPPED(MIXED_CAMPAIGN), 0);
    expect_marks(2, HS_DROPPED(MIXED_CAMPAIGN), 0);
    expect_marks(4, 0, 0);
    for (uint32_t i = 0; i < m.pair_count; i++)
        if (m.pairs[i].own == jobs[2])
            m.pairs[i].speed = 3;
    clean(HS_CLEAN(CAMPAIGN));
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_MIXED_CAMPAIGN], 18);
}

/* Two runs give no median to judge by, and one fast or slow run among plausible ones is not
 * enough. */
static void test_campaign_innocent(void **state)
{
    (void)state;
    uint32_t a = job("A", .5, .5), b = job("B", .5, .5);
    (void)pair(a, b, .1, .9, .9);
    (void)pair(a, b, .1, 1.6, .9);
    clean(HS_CLEAN(CAMPAIGN));
    assert_int_equal(counts.kept, 4);
    (void)pair(a, b, .9, .9, .9);
    (void)pair(a, b, .9, .9, .9);
    clean(HS_CLEAN(CAMPAIGN));
    assert_int_equal(counts.kept, 8); /* median of .1 .1 .9 .9: between .1 and .9 */
}

/* Two baselines of a one-GPU job, 100 and 101. */
static void test_campaign_by_twins(void **state)
{
    (void)state;
    uint32_t a = job("A", .5, .5), b = job("B", .5, .5), c = job("C", .5, .5);
    uint32_t first = pair(a, b, .8, .8, .9);
    (void)pair(b, c, .8, .8, .9);
    struct hs_solo twin = m.solos[a];
    twin.is_spread = true;
    uint32_t index = hs_measure_solo(&m, &twin);
    clean(HS_CLEAN(CAMPAIGN));
    assert_int_equal(counts.kept, 4);
    m.solos[index].speed = 101;
    clean(HS_CLEAN(CAMPAIGN));
    expect_marks(first, HS_DROPPED(MIXED_CAMPAIGN), 0);
    assert_int_equal(counts.kept, 3);
    m.solos[index].speed = NAN; /* not measured: no contradiction */
    clean(HS_CLEAN(CAMPAIGN));
    assert_int_equal(counts.kept, 4);
}

/* 1/3 x 100 is not a rounded figure; 100 is, and a job above 1 was not clipped. */
static void test_clipped(void **state)
{
    (void)state;
    uint32_t a = job_on("G", "A", "1", 100 / 3., .5, .5), b = job_on("G", "B", "1", 100, .5, .5);
    uint32_t c = job_on("G", "C", "1", 100 / 7., .5, .5);
    uint32_t first = pair(a, b, 1, 1, .9), second = pair(a, b, .9, .9, .9);
    uint32_t third = pair(c, c, 1, 1.01, .9);
    clean(HS_CLEAN(CLIPPED));
    expect_marks(first, HS_DROPPED(CLIPPED), 0);
    expect_marks(second, 0, 0);
    expect_marks(third, 0, 0);
}

/* The same unrounded figure on G and H is a copy; not if the batch differs, if it is 100, or on one
 * GPU type. */
static void test_copied(void **state)
{
    (void)state;
    double odd = 100 / 3.;
    uint32_t a = job_on("G", "A", "1", odd, .5, .5), a2 = job_on("H", "A", "1", odd, .5, .5);
    uint32_t b = job_on("G", "A", "2", odd, .5, .5);
    uint32_t c = job_on("G", "C", "1", 100, .5, .5), c2 = job_on("H", "C", "1", 100, .5, .5);
    uint32_t e = job_on("H", "E", "1", odd, .5, .5);
    uint32_t rows = pair(a, b, .9, .9, .9);
    clean(HS_CLEAN(COPIED));
    assert_int_equal(m.solos[a].dropped, HS_DROPPED(COPIED));
    assert_int_equal(m.solos[a2].dropped, HS_DROPPED(COPIED));
    assert_int_equal(
        m.solos[b].dropped | m.solos[c].dropped | m.solos[c2].dropped | m.solos[e].dropped, 0);
    assert_int_equal(measured_solos(&m, HS_DROPPED(COPIED)), 2);
    expect_marks(rows, 0, 0);
    clean(0);
    assert_int_equal(m.solos[a].dropped, 0);
}

/* A beside B: .9 and .69, more than .2 apart; B beside A: .9 and .71, not. A job beside itself is
 * one run, where the processes may share unevenly. */
static void test_contradicted(void **state)
{
    (void)state;
    uint32_t a = job("A", .5, .5), b = job("B", .5, .5);
    uint32_t one = pair(a, b, .9, .9, .9), two = pair(b, a, .71, .69, .9);
    uint32_t self = pair(a, a, .9, .5, .9);
    clean(HS_CLEAN(CONTRADICTED));
    expect_marks(one, HS_DROPPED(CONTRADICTED), 0);
    expect_marks(two, 0, HS_DROPPED(CONTRADICTED));
    expect_marks(self, 0, 0);
    uint32_t again = pair(a, a, .4, .4, .9); /* means .7 and .4 */
    clean(HS_CLEAN(CONTRADICTED));
    expect_marks(self, HS_DROPPED(CONTRADICTED), HS_DROPPED(CONTRADICTED));
    expect_marks(again, HS_DROPPED(CONTRADICTED), HS_DROPPED(CONTRADICTED));
}

/* C ran beside C only. On H no job ran beside another model: that was the experiment. */
static void test_lone(void **state)
{
    (void)state;
    uint32_t a = job("A", .5, .5), b = job("B", .5, .5), c = job("C", .5, .5);
    uint32_t c2 = job_on("G", "C", "2", 100, .5, .5), h = job_on("H", "C", "1", 100, .5, .5);
    uint32_t met = pair(a, b, .9, .9, .9), alone = pair(c, c2, .9, .9, .9);
    uint32_t elsewhere = pair(h, h, .9, .9, .9);
    clean(HS_CLEAN(LONE));
    expect_marks(met, 0, 0);
    expect_marks(alone, HS_DROPPED(LONE), HS_DROPPED(LONE));
    expect_marks(elsewhere, 0, 0);
}

/* One row, two reasons: both are marked, the first of the list counts. */
static void test_first_reason_counts(void **state)
{
    (void)state;
    uint32_t a = job("A", .6, .5), idle = job("I", .1, 0);
    uint32_t row = pair(a, idle, 1, 1, .1);
    clean(HS_CLEAN(OVERLAP) | HS_CLEAN(REBASE));
    assert_int_equal(m.pairs[row].dropped, HS_DROPPED(NO_OVERLAP) | HS_DROPPED(BASELINE));
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_NO_OVERLAP], 2);
    assert_int_equal(counts.dropped[HS_DROPPED_BIT_BASELINE], 0);
    assert_int_equal(counts.kept, 0);
}

static void test_nothing(void **state)
{
    (void)state;
    clean(HS_CLEAN_ALL);
    assert_int_equal(counts.read, 0);
    assert_int_equal(counts.kept, 0);
    uint32_t a = job("A", .5, .5);
    (void)pair(a, a, .9, .8, .7); /* two rows */
    clean(HS_CLEAN_ALL);
    assert_int_equal(counts.kept, 2);
}

/* The counts add up, and cleaning again changes nothing, for each of the 256 sets of steps. */
static void test_idempotent(void **state)
{
    struct hs_clean_counts again;
    (void)state;
    uint32_t a = job_on("G", "A", "1", 100 / 3., .6, .5), b = job("B", .4, .5);
    uint32_t idle = job("I", .1, 0), c = job("C", .5, .5);
    (void)pair(a, b, .9, .8, .9);
    (void)pair(a, b, .5, .8, .9);
    (void)pair(a, idle, 1, 1, .6);
    (void)pair(b, idle, 1.1, 1, .2);
    (void)pair(b, idle, 1.1, 1, .4);
    (void)pair(c, c, .1, .1, .6);
    (void)pair(c, c, .1, .1, .6);
    (void)pair(a, c, 0, 0, NAN);
    for (uint32_t steps = 0; steps <= HS_CLEAN_ALL; steps++) {
        uint32_t marks[16], sum = 0;
        double rebased[16];
        clean(steps);
        for (uint32_t i = 0; i < HS_DROPPED_COUNT; i++)
            sum += counts.dropped[i];
        assert_int_equal(sum + counts.kept, counts.read);
        for (uint32_t i = 0; i < 16; i++) {
            marks[i] = m.pairs[i].dropped;
            rebased[i] = m.pairs[i].rebased;
            assert_true(isfinite(rebased[i]));
        }
        hs_clean(&m, steps, HS_OVERLAP_TOLERANCE, &again);
        assert_memory_equal(&again, &counts, sizeof again);
        for (uint32_t i = 0; i < 16; i++)
            assert_true(marks[i] == m.pairs[i].dropped && rebased[i] == m.pairs[i].rebased);
    }
}

static void test_parse(void **state)
{
    static struct sink sink;
    uint32_t steps = 77;
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_clean_parse("overlap,rebase", &steps, &sink.diag), HS_OK);
    assert_int_equal(steps, HS_CLEAN(OVERLAP) | HS_CLEAN(REBASE));
    assert_int_equal(hs_clean_parse("all", &steps, &sink.diag), HS_OK);
    assert_int_equal(steps, HS_CLEAN_ALL);
    assert_int_equal(hs_clean_parse("default", &steps, &sink.diag), HS_OK);
    assert_int_equal(steps, HS_CLEAN_DEFAULT);
    assert_int_equal(hs_clean_parse("default,clipped", &steps, &sink.diag), HS_OK);
    assert_int_equal(steps, HS_CLEAN_ALL);
    assert_int_equal(hs_clean_parse("none", &steps, &sink.diag), HS_OK);
    assert_int_equal(steps, 0);
    assert_int_equal(hs_clean_parse("lone,written-in,contradicted,copied,campaign,clipped,window",
                                    &steps, &sink.diag),
                     HS_OK);
    assert_int_equal(steps, HS_CLEAN_ALL & ~(unsigned)(HS_CLEAN(OVERLAP) | HS_CLEAN(REBASE)));
    assert_string_equal(sink.text, "");

    steps = 77;
    assert_int_equal(hs_clean_parse("overlap,rebas", &steps, &sink.diag), HS_E_USAGE);
    assert_string_equal(sink.text, "error: no cleaning step is called 'rebas'\n"
                                   "      = hint: did you mean 'rebase'?\n");
    sink_clear(&sink);
    assert_int_equal(hs_clean_parse("overlap,", &steps, &sink.diag), HS_E_USAGE);
    assert_int_equal(hs_clean_parse("", &steps, &sink.diag), HS_E_USAGE);
    assert_int_equal(hs_clean_parse("xyzzy-xyzzy", &steps, &sink.diag), HS_E_USAGE);
    assert_non_null(strstr(sink.text, "steps: written-in overlap rebase campaign clipped copied "
                                      "contradicted window lone all default none"));
    assert_int_equal(steps, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_implausible, tear_down),
        cmocka_unit_test_teardown(test_unusable, tear_down),
        cmocka_unit_test_teardown(test_zero_slice, tear_down),
        cmocka_unit_test_teardown(test_written_in, tear_down),
        cmocka_unit_test_teardown(test_overlap, tear_down),
        cmocka_unit_test_teardown(test_rebase, tear_down),
        cmocka_unit_test_teardown(test_rebase_needs_idle_jobs, tear_down),
        cmocka_unit_test_teardown(test_campaign_by_medians, tear_down),
        cmocka_unit_test_teardown(test_campaign_innocent, tear_down),
        cmocka_unit_test_teardown(test_campaign_by_twins, tear_down),
        cmocka_unit_test_teardown(test_clipped, tear_down),
        cmocka_unit_test_teardown(test_copied, tear_down),
        cmocka_unit_test_teardown(test_contradicted, tear_down),
        cmocka_unit_test_teardown(test_lone, tear_down),
        cmocka_unit_test_teardown(test_first_reason_counts, tear_down),
        cmocka_unit_test_teardown(test_nothing, tear_down),
        cmocka_unit_test_teardown(test_idempotent, tear_down),
        cmocka_unit_test_teardown(test_parse, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
