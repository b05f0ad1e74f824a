/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which profiles are drawn, and with which chance. Weights are calculated by hand from the rows of
 * each test's catalogue: they are proportional to exp(theta u), so rows of equal distance in u have
 * weights 1 : q : q^2 ...
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/assign.c"
#include "support/sink.h"

#define HEAD "model,gpu,util,mem_mib,distributed\n"
#define ONE  (UINT64_C(1) << 32)

static struct sink sink;
static struct hs_catalogue catalogue;
static struct mix mix;

static enum hs_status open_mix(const char *text, const struct hs_assign_options *options)
{
    sink_init(&sink);
    const char *path = scratch_write("profiles.csv", text, strlen(text));
    if (hs_catalogue_load(&catalogue, path, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    return mix_open(&mix, &catalogue, options, &sink.diag);
}

static void open_good(const char *text, double target)
{
    const struct hs_assign_options options = {.mode = HS_ASSIGN_MIX, .target_util = target};
    if (open_mix(text, &options) != HS_OK)
        fail_msg("%s", sink.text);
}

static void close_mix(void)
{
    hs_arena_free(&mix.arena);
    hs_catalogue_free(&catalogue);
}

static void expect_refused(const char *text, const struct hs_assign_options *options,
                           const char *words)
{
    assert_int_equal(open_mix(text, options), HS_E_USAGE);
    if (strstr(sink.text, words) == NULL)
        fail_msg("no '%s' in: %s", words, sink.text);
    close_mix();
}

/* The end of a row's interval of cumulative weight, as a share; bisection is exact within a few
 * units of 2^-32. */
static void expect_end(const struct mix_group *group, uint32_t row, double share)
{
    double got = (double)group->ends[row] / (double)ONE;
    if (got < share - 1e-9 || got > share + 1e-9)
        fail_msg("row %u ends at %.12f, not at %.12f", (unsigned)row, got, share);
}

#define TWO   HEAD "a,G,20,,yes\nb,G,80,,yes\n"
#define THREE HEAD "c,G,80,,yes\na,G,20,,yes\nb,G,50,,yes\n"

static void test_weights_of_two(void **state)
{
    (void)state;
    open_good(TWO, 0.5); /* half way: equal */
    expect_end(&mix.single, 0, 0.5);
    expect_end(&mix.single, 1, 1);
    close_mix();
    open_good(TWO, 0.35); /* 0.2 w + 0.8 (1 - w) = 0.35: w = 0.75 */
    expect_end(&mix.single, 0, 0.75);
    close_mix();
}

/* 1 : 2 : 4 has the mean (20 + 2 50 + 4 80) / 7 = 440 / 7 per cent. Rows are in order of
 * utilization, not of the file. */
static void test_weights_of_three(void **state)
{
    (void)state;
    open_good(THREE, 4.4 / 7);
    assert_int_equal(mix.single.count, 3);
    assert_int_equal(mix.single.rows[0].profile, 1);
    assert_int_equal(mix.single.rows[1].profile, 2);
    assert_int_equal(mix.single.rows[2].profile, 0);
    expect_end(&mix.single, 0, 1.0 / 7);
    expect_end(&mix.single, 1, 3.0 / 7);
    assert_true(mix.single.ends[2] == ONE);
    close_mix();
    open_good(THREE, 2.8 / 7); /* 4 : 2 : 1, (4 20 + 2 50 + 80) / 7 = 260 / 7; not reached here */
    assert_true(mix.single.ends[0] < ONE * 4 / 7);
    close_mix();
    open_good(THREE, 2.6 / 7);
    expect_end(&mix.single, 0, 4.0 / 7);
    expect_end(&mix.single, 1, 6.0 / 7);
    close_mix();
}

static void test_least_and_largest_are_in_reach(void **state)
{
    (void)state;
    open_good(THREE, 0.2);
    assert_true(mix.single.ends[0] == ONE);
    assert_int_equal(mix_draw(&mix, 1, WORK_ANY, UINT64_MAX), 1);
    close_mix();
    open_good(THREE, 0.8);
    assert_true(mix.single.ends[1] == 0);
    assert_int_equal(mix_draw(&mix, 1, WORK_ANY, 0), 0);
    close_mix();
}

static void test_draws_meet_the_thresholds(void **state)
{
    (void)state;
    open_good(TWO, 0.35);
    uint64_t end = mix.single.ends[0];
    assert_int_equal(mix_draw(&mix, 1, WORK_ANY, 0), 0);
    assert_int_equal(mix_draw(&mix, 1, WORK_ANY, (end - 1) << 32 | UINT32_MAX), 0);
    assert_int_equal(mix_draw(&mix, 1, WORK_ANY, end << 32), 1);
    assert_int_equal(mix_draw(&mix, 1, WORK_ANY, UINT64_MAX), 1);
    close_mix();
}

/* Each group meets the target on its own: of one GPU 20, 40, 80; gangs 40, 80, mean 50: 3 : 1. */
static void test_gangs_draw_distributed_models(void **state)
{
    (void)state;
    open_good(HEAD "a,G,20,,no\nb,G,40,,yes\nc,G,80,,yes\n", 0.5);
    assert_int_equal(mix.single.count, 3);
    assert_int_equal(mix.gang.count, 2);
    expect_end(&mix.gang, 0, 0.75);
    assert_int_equal(mix_draw(&mix, 2, WORK_ANY, 0), 1);
    assert_int_equal(mix_draw(&mix, 1, WORK_ANY, 0), 0);
    assert_int_equal(mix_draw(&mix, 64, WORK_ANY, UINT64_MAX), 2);
    close_mix();
}

static void test_gangs_borrow_where_nothing_is_distributed(void **state)
{
    (void)state;
    open_good(HEAD "a,G,20,,no\nb,G,80,,no\n", 0.5);
    assert_non_null(strstr(sink.text, "jobs of several GPUs draw from all"));
    assert_int_equal(mix_draw(&mix, 8, WORK_ANY, 0), 0);
    assert_int_equal(mix_draw(&mix, 8, WORK_ANY, UINT64_MAX), 1);
    close_mix();
}

static void test_targets_out_of_reach(void **state)
{
    struct hs_assign_options options = {.mode = HS_ASSIGN_AUTO, .target_util = 0.19};
    (void)state;
    expect_refused(TWO, &options, "jobs of one GPU: their profiles have from 20 % to 80 %");
    options.target_util = 0.801;
    expect_refused(TWO, &options, "80.1 % is not possible");
    options.target_util = 0.3;
    expect_refused(HEAD "a,G,20,,no\nb,G,45.5,,yes\nc,G,80,,yes\n", &options,
                   "jobs of several GPUs: their profiles have from 45.5 % to 80 %");
    expect_refused(HEAD "a,G,20,,no\nb,G,45.5,,yes\nc,G,80,,yes\n", &options,
                   "--assign-target=45.5");
}

/* One measured row a type: the first of the file; b's type has two. Unmeasured rows do not count.
 */
static void test_the_type_with_most_rows(void **state)
{
    struct hs_assign_options options = {.mode = HS_ASSIGN_MIX, .target_util = 0.5};
    static const char text[] =
        HEAD "a,A,50,,yes\nb,B,40,,yes\nc,C,,,yes\nd,C,,,yes\ne,C,,,yes\nf,B,60,,yes\n";
    (void)state;
    assert_int_equal(open_mix(text, &options), HS_OK);
    assert_string_equal(mix.gpu, "B");
    assert_int_equal(mix.single.count, 2);
    close_mix();
    options.gpu = "A";
    assert_int_equal(open_mix(text, &options), HS_OK);
    assert_int_equal(mix.single.count, 1);
    assert_int_equal(mix_draw(&mix, 1, WORK_ANY, 0), 0);
    close_mix();
    options.gpu = "C";
    expect_refused(text, &options, "no profile has a GPU utilization measured on C");
    options.gpu = NULL;
    expect_refused(HEAD "c,C,,,yes\n", &options, "measured on any GPU type");
    assert_int_equal(open_mix(HEAD "a,A,50,,yes\nb,B,50,,yes\n", &options), HS_OK);
    assert_string_equal(mix.gpu, "A");
    close_mix();
}

/* A row of unknown memory counts as one that fits. */
static void test_memory_limit(void **state)
{
    struct hs_assign_options options = {
        .mode = HS_ASSIGN_MIX, .target_util = 0.5, .mem_limit_mib = 16384};
    static const char text[] = HEAD "a,G,50,16384,yes\nb,G,50,16385,yes\nc,G,50,,yes\n";
    (void)state;
    assert_int_equal(open_mix(text, &options), HS_OK);
    assert_int_equal(mix.single.count, 2);
    assert_int_equal(mix.gang.count, 2);
    assert_int_equal(mix.single.rows[1].profile, 2);
    close_mix();
    options.mem_limit_mib = 100;
    expect_refused(HEAD "a,G,50,16384,yes\n", &options,
                   "no profile measured on G fits into 100 MiB");
}

/* Draws over an even grid of bits, counted by profile. */
static void draw_grid(int32_t util_pm, uint32_t *counts, uint32_t count)
{
    memset(counts, 0, count * sizeof *counts);
    for (uint64_t i = 0; i < 65536; i++) {
        uint32_t profile = mix_draw_near(&mix, util_pm, i << 48);
        assert_true(profile < count);
        counts[profile]++;
    }
}

/* A grid of 65,536 points has p x 65,536 points in an interval of width p, to within one. */
static void expect_share(uint32_t count, double weight, double total)
{
    double expected = weight / total * 65536;
    if (count < expected - 1.1 || count > expected + 1.1)
        fail_msg("%u draws, expected %.1f", (unsigned)count, expected);
}

#define SEVEN                                                                                      \
    HEAD "a,G,10,,no\nb,G,20,,no\nc,G,30,,no\nd,G,40,,no\ne,G,50,,no\nf,G,60,,no\ng,G,70,,yes\n"

/* Weights are 1 / (distance + 1 %), in per mille 1 / (d + 10). */
static void test_nearest_five(void **state)
{
    const struct hs_assign_options options = {.mode = HS_ASSIGN_TELEMETRY};
    uint32_t counts[7];
    (void)state;
    assert_int_equal(open_mix(SEVEN, &options), HS_OK);
    draw_grid(300, counts, 7); /* c exactly; b, d 100 away; a, e 200 away */
    double total = 1.0 / 10 + 2.0 / 110 + 2.0 / 210;
    expect_share(counts[0], 1.0 / 210, total);
    expect_share(counts[1], 1.0 / 110, total);
    expect_share(counts[2], 1.0 / 10, total);
    expect_share(counts[3], 1.0 / 110, total);
    expect_share(counts[4], 1.0 / 210, total);
    assert_int_equal(counts[5], 0);
    assert_int_equal(counts[6], 0);
    draw_grid(950, counts, 7); /* beyond the last: g 250, f 350, e 450, d 550, c 650 away */
    total = 1.0 / 260 + 1.0 / 360 + 1.0 / 460 + 1.0 / 560 + 1.0 / 660;
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 0);
    expect_share(counts[2], 1.0 / 660, total);
    expect_share(counts[5], 1.0 / 360, total);
    expect_share(counts[6], 1.0 / 260, total);
    draw_grid(1, counts, 7); /* before the first: a to e, 99, 199, 299, 399, 499 away */
    total = 1.0 / 109 + 1.0 / 209 + 1.0 / 309 + 1.0 / 409 + 1.0 / 509;
    expect_share(counts[0], 1.0 / 109, total);
    expect_share(counts[4], 1.0 / 509, total);
    assert_int_equal(counts[5], 0);
    close_mix();
}

static void test_fewer_than_five(void **state)
{
    const struct hs_assign_options options = {.mode = HS_ASSIGN_TELEMETRY};
    uint32_t counts[2];
    (void)state;
    assert_int_equal(open_mix(TWO, &options), HS_OK);
    draw_grid(400, counts, 2); /* 200 and 400 away */
    expect_share(counts[0], 1.0 / 210, 1.0 / 210 + 1.0 / 410);
    expect_share(counts[1], 1.0 / 410, 1.0 / 210 + 1.0 / 410);
    close_mix();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_of_two),
        cmocka_unit_test(test_weights_of_three),
        cmocka_unit_test(test_least_and_largest_are_in_reach),
        cmocka_unit_test(test_draws_meet_the_thresholds),
        cmocka_unit_test(test_gangs_draw_distributed_models),
        cmocka_unit_test(test_gangs_borrow_where_nothing_is_distributed),
        cmocka_unit_test(test_targets_out_of_reach),
        cmocka_unit_test(test_the_type_with_most_rows),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_nearest_five),
        cmocka_unit_test(test_fewer_than_five),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
