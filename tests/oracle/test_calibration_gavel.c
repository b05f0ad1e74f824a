/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel's three files through our reader and cleaning rules, against the counts of the calibration
 * study, 2 and 6. The files may not be redistributed: they are read from $HORUS_DATA/calibration,
 * or ../shared/data/calibration; where there are none the tests are skipped with a message.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/measured.h"

static struct measured t;

static int tear_down(void **state)
{
    (void)state;
    hs_measure_free(&t.m);
    return 0;
}

static bool is_single(const struct hs_pair *row)
{
    return t.m.solos[row->own].gpus == 1 && !t.m.solos[row->own].is_spread;
}

/* Number of one-GPU rows on a GPU type with this mark (0: kept). Of the two rows of a job beside
 * itself one counts: the calibration study counts the entries of Gavel's files. */
static uint32_t entries_of(const char *gpu, uint32_t mark)
{
    uint32_t at = measured_gpu(&t, gpu), n = 0;
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        const struct hs_pair *row = &t.m.pairs[i];
        bool is_second = i > 0 && row->own == row->other && t.m.pairs[i - 1].pair == row->pair;
        if (row->gpu == at && is_single(row) && !is_second)
            n += mark == 0 ? row->dropped == 0 : (row->dropped & mark) != 0;
    }
    return n;
}

struct slice {
    const char *gpu;
    uint32_t measured, failed; /* pairs, the calibration study */
    uint32_t zeros;            /* entries, the calibration study: of 26 x 26 */
};

static void expect_slices(const struct slice *slices)
{
    for (int i = 0; i < 3; i++) {
        const struct slice *s = &slices[i];
        assert_int_equal(measured_pairs(&t, s->gpu, HS_DROPPED(FAILED), true), s->failed);
        assert_int_equal(measured_pairs(&t, s->gpu, HS_DROPPED(FAILED), false), s->measured);
        assert_int_equal(entries_of(s->gpu, HS_DROPPED(FAILED)), s->zeros);
        assert_int_equal(entries_of(s->gpu, 0), 676 - s->zeros);
    }
}

static const struct slice oracle_slices[] = {
    {"V100", 328, 23, 43}, {"P100", 337, 14, 26}, {"K80", 298, 53, 101}};

/* The default keeps every row that A6 counts. */
static void test_gavel_oracle(void **state)
{
    (void)state;
    measured_data(&t, "gavel/oracle_throughputs.json");
    assert_string_equal(t.m.format, "gavel");
    assert_int_equal(t.m.solo_count, 3 * 26);
    assert_int_equal(t.m.pair_count, 3 * 2 * 351);
    assert_int_equal(t.m.pair_ids, 3 * 351);
    assert_int_equal(t.m.files[0].bytes, 259988); /* as the data area lists it */
    assert_int_equal(t.m.files[0].rows, 3 * 26 + 3 * 676);
    measured_clean(&t, 0);
    expect_slices(oracle_slices);
    measured_clean(&t, HS_CLEAN_DEFAULT);
    expect_slices(oracle_slices);
    assert_int_equal(t.counts.kept, 2 * (328 + 337 + 298));
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_FAILED], 2 * (23 + 14 + 53));

    /* P100, ResNet-50 b16 alone 8.108348261420462, beside ResNet-18 b64 7.121649436118491 */
    const struct hs_solo *own = measured_solo(&t, "ResNet50/ImageNet/16/fp32", "P100", 1, false);
    const struct hs_solo *other = measured_solo(&t, "ResNet18/CIFAR-10/64/fp32", "P100", 1, false);
    assert_string_equal(own->family, "ResNet-50");
    for (uint32_t i = 0; i < t.m.pair_count; i++)
        if (&t.m.solos[t.m.pairs[i].own] == own && &t.m.solos[t.m.pairs[i].other] == other)
            assert_true(t.m.pairs[i].speed == 7.121649436118491 / 8.108348261420462);
    (void)measured_solo(&t, "A3C/Pong//fp32", "K80", 1, false);
    (void)measured_solo(&t, "CycleGAN/Monet2Photo//fp32", "K80", 1, false);
    (void)measured_solo(&t, "Recoder/MovieLens/8192/fp32", "V100", 1, false);
    (void)measured_solo(&t, "LSTM/Wikitext2/5/fp32", "V100", 1, false);
    (void)measured_solo(&t, "Transformer/Multi30k/256/fp32", "V100", 1, false);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Checks the slowdowns of the measured rows: mean, median, p95 (interpolated) and maximum, from the
 * calibration study. */
static void expect_slowdowns(const char *gpu, double mean, double median, double p95, double max)
{
    static double s[1024];
    uint32_t n = 0, at = measured_gpu(&t, gpu);
    double sum = 0;
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        if (t.m.pairs[i].gpu != at || t.m.pairs[i].dropped != 0)
            continue;
        s[n] = 1 / t.m.pairs[i].speed;
        sum += s[n++];
    }
    qsort(s, n, sizeof *s, by_value);
    assert_true(fabs(sum / n - mean) < 0.006);
    assert_true(fabs(s[n / 2] - median) < 0.006);
    double rank = 0.95 * (n - 1);
    uint32_t below = (uint32_t)rank;
    double share = rank - below;
    assert_true(fabs(s[below] * (1 - share) + s[below + 1] * share - p95) < 0.006);
    assert_true(fabs(s[n - 1] - max) < 0.006);
}

static void test_gavel_oracle_slowdowns(void **state)
{
    (void)state;
    measured_data(&t, "gavel/oracle_throughputs.json");
    measured_clean(&t, HS_CLEAN_DEFAULT);
    expect_slowdowns("V100", 1.63, 1.39, 3.12, 5.76);
    expect_slowdowns("P100", 1.38, 1.21, 2.39, 4.26);
    expect_slowdowns("K80", 2.01, 1.92, 2.97, 4.59);
}

/* Trap 7: 125 rows of P100 exactly 1, none elsewhere; Transformer b256 of V100 and P100 and
 * Transformer b16 of P100 and K80 copied. */
static void test_gavel_oracle_traps(void **state)
{
    (void)state;
    measured_data(&t, "gavel/oracle_throughputs.json");
    measured_clean(&t, HS_CLEAN_ALL);
    assert_int_equal(entries_of("P100", HS_DROPPED(CLIPPED)), 125);
    assert_int_equal(entries_of("V100", HS_DROPPED(CLIPPED)), 0);
    assert_int_equal(entries_of("K80", HS_DROPPED(CLIPPED)), 0);
    /* both processes of A3C beside A3C: 4.754... of 4.754... steps a second */
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_CLIPPED], 125 + 1);
    assert_int_equal(t.counts.kept, 2 * (328 + 337 + 298) - 126);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_MIXED_CAMPAIGN], 0);
    assert_int_equal(t.m.solo_count, 78);
    assert_int_equal(measured_solos(&t.m, HS_DROPPED(COPIED)), 4);
    static const struct {
        const char *key, *gpu;
    } copies[] = {{"Transformer/Multi30k/256/fp32", "V100"},
                  {"Transformer/Multi30k/256/fp32", "P100"},
                  {"Transformer/Multi30k/16/fp32", "P100"},
                  {"Transformer/Multi30k/16/fp32", "K80"}};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(measured_solo(&t, copies[i].key, copies[i].gpu, 1, false)->dropped,
                         HS_DROPPED(COPIED));
}

/* Trap 6: 80 rows of V100 are exactly 1, mostly ResNet-18. 330, 340 and 306 pairs are measured (the
 * calibration study); every co-run of multi-GPU jobs is 0. */
static void test_gavel_simulation(void **state)
{
    uint32_t resnet18 = 0;
    (void)state;
    measured_data(&t, "gavel/simulation_throughputs.json");
    measured_clean(&t, HS_CLEAN_ALL);
    assert_int_equal(entries_of("V100", HS_DROPPED(CLIPPED)), 80);
    assert_int_equal(entries_of("P100", HS_DROPPED(CLIPPED)), 0);
    assert_int_equal(entries_of("K80", HS_DROPPED(CLIPPED)), 0);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_MIXED_CAMPAIGN], 0);
    for (uint32_t i = 0; i < t.m.pair_count; i++)
        if ((t.m.pairs[i].dropped & HS_DROPPED(CLIPPED)) != 0 && is_single(&t.m.pairs[i]))
            resnet18 += strcmp(t.m.solos[t.m.pairs[i].own].family, "ResNet-18") == 0;
    assert_true(resnet18 >= 70);
    measured_clean(&t, HS_CLEAN_DEFAULT);
    expect_slices(
        (const struct slice[]){{"V100", 330, 21, 40}, {"P100", 340, 11, 20}, {"K80", 306, 45, 87}});
    /* one-GPU jobs are repeated among those spread over nodes */
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_REPEATED], 2 * (330 + 340 + 306));
    assert_int_equal(t.counts.kept, 2 * (330 + 340 + 306));
    for (uint32_t i = 0; i < t.m.pair_count; i++)
        if (t.m.solos[t.m.pairs[i].own].gpus > 1)
            assert_int_equal(t.m.pairs[i].dropped, HS_DROPPED(NOT_MEASURED));
}

/* The calibration study: 26 jobs on one GPU, 19 on 2, 4, 8; trap 6: LM b10 on V100 at 2, 4,
 * 8 GPUs gives 163, 121, 615 steps a second. */
static void test_gavel_multi_gpu(void **state)
{
    uint32_t single = 0, multi = 0;
    (void)state;
    measured_data(&t, "gavel/simulation_throughputs.json");
    uint32_t v100 = measured_gpu(&t, "V100");
    for (uint32_t i = 0; i < t.m.solo_count; i++) {
        if (t.m.solos[i].gpu == v100 && !t.m.solos[i].is_spread) {
            single += t.m.solos[i].gpus == 1;
            multi += t.m.solos[i].gpus > 1;
        }
    }
    assert_int_equal(single, 26);
    assert_int_equal(multi, 3 * 19);
    static const double rates[] = {163, 121, 615};
    for (uint32_t i = 0; i < 3; i++)
        assert_true(
            fabs(measured_solo(&t, "LSTM/Wikitext2/10/fp32", "V100", 2u << i, false)->speed -
                 rates[i]) < 0.5);
    /* V100 null of ResNet-18 b16 is below that of P100: 32.4 < 35.9 */
    assert_true(fabs(measured_solo(&t, "ResNet18/CIFAR-10/16/fp32", "V100", 1, false)->speed -
                     32.4) < 0.05);
    assert_true(fabs(measured_solo(&t, "ResNet18/CIFAR-10/16/fp32", "P100", 1, false)->speed -
                     35.9) < 0.05);
    /* a K80 job with speed 0 on 2, 4 and 8 GPUs has no speed */
    measured_clean(&t, 0);
    for (uint32_t gpus = 2; gpus <= 8; gpus *= 2) {
        const struct hs_solo *none =
            measured_solo(&t, "ResNet50/ImageNet/128/fp32", "K80", gpus, false);
        assert_true(isnan(none->speed));
        assert_int_equal(none->dropped, HS_DROPPED(NO_SOLO));
    }
}

/* Trap 5: the pairs of the physical file are those of the simulation file, its baselines are not (x
 * 11 for Recommendation on V100, slowdowns down to 0.008): no pair may be used; baselines may. */
static void test_gavel_physical(void **state)
{
    (void)state;
    measured_data(&t, "gavel/physical_cluster_throughputs.json");
    measured_clean(&t, 0);
    assert_int_equal(t.counts.kept, 2 * (330 + 340 + 306));
    double low = 1;
    for (uint32_t i = 0; i < t.m.pair_count; i++)
        if (t.m.pairs[i].dropped == 0)
            low = fmin(low, t.m.pairs[i].speed);
    assert_true(fabs(low - 0.008) < 0.0005);
    measured_clean(&t, HS_CLEAN(CAMPAIGN));
    assert_int_equal(t.counts.kept, 0);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_MIXED_CAMPAIGN], 2 * (330 + 340 + 306));
    const struct hs_solo *solo = measured_solo(&t, "Recoder/MovieLens/512/fp32", "V100", 1, false);
    assert_int_equal(solo->dropped, 0);
    assert_true(
        solo->speed / measured_solo(&t, "Recoder/MovieLens/512/fp32", "V100", 1, true)->speed > 10);
}

/* The second sign of trap 5, for files that give each baseline once: without the rows of spread
 * jobs it is seen by Recommendation on V100 alone. */
static void test_gavel_physical_by_medians(void **state)
{
    (void)state;
    measured_data(&t, "gavel/physical_cluster_throughputs.json");
    for (uint32_t i = 0; i < t.m.solo_count; i++)
        if (t.m.solos[i].is_spread && t.m.solos[i].gpus == 1)
            t.m.solos[i].gpus = 2; /* hides the repeated baselines */
    measured_clean(&t, HS_CLEAN(CAMPAIGN));
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        const struct hs_pair *row = &t.m.pairs[i];
        if (row->gpu == measured_gpu(&t, "V100") &&
            (row->dropped & HS_DROPPED(MIXED_CAMPAIGN)) != 0)
            assert_string_equal(t.m.solos[row->own].family, "Recommendation");
    }
    assert_true(entries_of("V100", HS_DROPPED(MIXED_CAMPAIGN)) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_gavel_oracle, tear_down),
        cmocka_unit_test_teardown(test_gavel_oracle_slowdowns, tear_down),
        cmocka_unit_test_teardown(test_gavel_oracle_traps, tear_down),
        cmocka_unit_test_teardown(test_gavel_simulation, tear_down),
        cmocka_unit_test_teardown(test_gavel_multi_gpu, tear_down),
        cmocka_unit_test_teardown(test_gavel_physical, tear_down),
        cmocka_unit_test_teardown(test_gavel_physical_by_medians, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
