/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lucid's measurements through our reader and cleaning rules, against the calibration study and its
 * table of cleaned rows (derived/lucid_trackC.csv). The files may not be redistributed: they are
 * read from $HORUS_DATA/calibration, or ../shared/data/calibration; where there are none the tests
 * are skipped with a message.
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

#include "base/fmt.h"
#include "data/csv.h"
#include "support/data.h"
#include "support/measured.h"

#define LUCID_STEPS (HS_CLEAN(WRITTEN_IN) | HS_CLEAN(OVERLAP) | HS_CLEAN(REBASE))

static struct measured t;

static int tear_down(void **state)
{
    (void)state;
    hs_measure_free(&t.m);
    return 0;
}

/* The calibration study: 1388 pairs, mean 0.937, sd 0.125, min 0.444, max 1.498, 66 configurations.
 */
static void test_lucid_as_published(void **state)
{
    double sum = 0, squares = 0, low = 9, high = 0;
    (void)state;
    measured_data(&t, "lucid");
    assert_string_equal(t.m.format, "lucid");
    assert_int_equal(t.m.gpu_count, 1);
    assert_string_equal(t.m.gpus[0], "RTX3090");
    assert_int_equal(t.m.solo_count, 66);
    assert_int_equal(t.m.pair_count, 2 * 1388);
    assert_int_equal(t.m.pair_ids, 1388);
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        sum += t.m.pairs[i].speed;
        squares += t.m.pairs[i].speed * t.m.pairs[i].speed;
        low = fmin(low, t.m.pairs[i].speed);
        high = fmax(high, t.m.pairs[i].speed);
    }
    double mean = sum / t.m.pair_count, sd = sqrt(squares / t.m.pair_count - mean * mean);
    assert_true(fabs(mean - 0.937) < 0.0005);
    assert_true(fabs(sd - 0.125) < 0.0005);
    assert_true(low == 0.444 && high == 1.498);

    /* single_data.csv: ResNet18,CIFAR-10,128,1,5699.482,78.0,43.667,4036.0,2 */
    const struct hs_solo *solo =
        measured_solo(&t, "ResNet18/CIFAR-10/128/amp", "RTX3090", 1, false);
    assert_true(solo->speed == 5699.482 && solo->util == 0.78 && solo->mem_mib == 4036);
    assert_true(fabs(solo->bw_util - 0.43667) < 1e-12);
    assert_string_equal(solo->family, "ResNet18");

    assert_int_equal(t.m.file_count, 2);
    assert_string_equal(t.m.files[0].name, "single_data.csv");
    assert_string_equal(t.m.files[1].name, "colocate_info.csv");
    assert_int_equal(t.m.files[0].rows, 66);
    assert_int_equal(t.m.files[1].rows, 1388);
    assert_int_equal(t.m.files[0].bytes, 3516); /* as the data area lists it */
    assert_int_equal(t.m.files[1].bytes, 116099);
}

/* Trap 1: 318 rows of PPO and TD3; without them 2458 rows (the calibration study). */
static void test_lucid_written_in(void **state)
{
    (void)state;
    measured_data(&t, "lucid");
    measured_clean(&t, HS_CLEAN(WRITTEN_IN));
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_WRITTEN_IN], 318);
    assert_int_equal(t.counts.kept, 2458);
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        const char *model = t.m.solos[t.m.pairs[i].own].model;
        bool is_rl = strcmp(model, "PPO") == 0 || strcmp(model, "TD3") == 0;
        assert_int_equal(t.m.pairs[i].dropped != 0, is_rl);
    }
}

/* Trap 2: 1109 pairs remain, 20.1 % do not. */
static void test_lucid_overlap(void **state)
{
    (void)state;
    measured_data(&t, "lucid");
    measured_clean(&t, HS_CLEAN(OVERLAP));
    assert_int_equal(t.counts.kept, 2 * 1109);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_NO_OVERLAP], 2 * (1388 - 1109));
    /* "10.2 % by more than 20 points": 141 or 142 of 1388 */
    hs_clean(&t.m, HS_CLEAN(OVERLAP), 0.2, &t.counts);
    assert_true(fabs(t.counts.dropped[HS_DROPPED_BIT_NO_OVERLAP] / 2.0 / 1388 - 0.102) < 0.0005);
}

/* Trap 3: re-based but not filtered, 2162 rows (the calibration study); ResNet18 b64 amp has the
 * lowest baseline, 0.82, MobileNetV3 b64 the highest, 1.21. */
static void test_lucid_rebase(void **state)
{
    double low = 9, high = 0;
    const char *lowest = "", *highest = "";
    (void)state;
    measured_data(&t, "lucid");
    measured_clean(&t, HS_CLEAN(WRITTEN_IN) | HS_CLEAN(REBASE));
    assert_int_equal(t.counts.kept, 2162);
    /* 6 runs a configuration. */
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_BASELINE], 46 * 6);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_NO_BASELINE], 20); /* NeuMF */
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        const struct hs_pair *row = &t.m.pairs[i];
        double base = row->speed / row->rebased;
        if (row->dropped != 0)
            continue;
        if (base < low)
            lowest = t.m.solos[row->own].key;
        if (base > high)
            highest = t.m.solos[row->own].key;
        low = fmin(low, base);
        high = fmax(high, base);
    }
    assert_string_equal(lowest, "ResNet18/CIFAR-10/64/amp");
    assert_string_equal(highest, "MobileNetV3/ImageNet/64/fp32");
    assert_true(fabs(low - 0.82) < 0.005 && fabs(high - 1.21) < 0.005);
}

/* Without a baseline to re-base on, NeuMF is dropped because it ran only beside itself. */
static void test_lucid_lone(void **state)
{
    (void)state;
    measured_data(&t, "lucid");
    measured_clean(&t, HS_CLEAN(LONE));
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_LONE], 20);
    assert_int_equal(t.counts.kept, 2776 - 20);
    for (uint32_t i = 0; i < t.m.pair_count; i++)
        assert_int_equal(t.m.pairs[i].dropped != 0,
                         strcmp(t.m.solos[t.m.pairs[i].own].model, "NeuMF") == 0);
}

struct reference {
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[8];
};

enum { PID, CFG, OCFG, U, OU, SPEED, BASE, RS };

static double reference_number(const struct reference *r, uint32_t column)
{
    double value;
    const char *text = r->row.fields[r->at[column]];
    assert_true(hs_parse_double(text, strlen(text), &value));
    return value;
}

/* The configuration as the reference writes it: "ResNet18|64|1". */
static void config_name(const struct hs_solo *solo, char *out, size_t size)
{
    snprintf(out, size, "%s|%s|%d", solo->model, solo->batch, strcmp(solo->precision, "amp") == 0);
}

static bool is_reference(const struct reference *r, const struct hs_pair *row)
{
    char own[64], other[64];
    config_name(&t.m.solos[row->own], own, sizeof own);
    config_name(&t.m.solos[row->other], other, sizeof other);
    return row->pair == (uint32_t)reference_number(r, PID) &&
           strcmp(own, r->row.fields[r->at[CFG]]) == 0 &&
           strcmp(other, r->row.fields[r->at[OCFG]]) == 0 &&
           fabs(row->speed - reference_number(r, SPEED)) < 1e-12;
}

/* Finds the row of the reference among ours, each taken once; its figures have six decimals. */
static void expect_reference_row(const struct reference *r, bool *taken)
{
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        const struct hs_pair *row = &t.m.pairs[i];
        if (row->dropped != 0 || taken[i] || !is_reference(r, row))
            continue;
        taken[i] = true;
        assert_true(fabs(t.m.solos[row->own].util - reference_number(r, U)) < 1e-9);
        assert_true(fabs(t.m.solos[row->other].util - reference_number(r, OU)) < 1e-9);
        assert_true(fabs(row->rebased - reference_number(r, RS)) < 5.1e-7);
        assert_true(fabs(row->speed / row->rebased - reference_number(r, BASE)) < 5.1e-7);
        return;
    }
    fail_msg("row %s %s %s of the reference is not among ours", r->row.fields[r->at[PID]],
             r->row.fields[r->at[CFG]], r->row.fields[r->at[OCFG]]);
}

static uint32_t compare_with_reference(void)
{
    static const char *const columns[] = {"pid", "cfg", "ocfg", "u", "ou", "speed", "base", "rs"};
    struct reference r;
    uint32_t n = 0;
    bool *taken = calloc(t.m.pair_count, sizeof *taken);

    assert_non_null(taken);
    const char *path = data_path("calibration", "derived/lucid_trackC.csv");
    assert_int_equal(hs_input_open(&r.input, path, &t.sink.diag), HS_OK);
    hs_csv_open(&r.csv, r.input, ',', &t.sink.diag);
    assert_int_equal(hs_csv_next(r.csv, &r.row), HS_OK);
    for (uint32_t c = 0; c < 8; c++) {
        r.at[c] = hs_csv_column(&r.row, columns[c]);
        assert_int_not_equal(r.at[c], UINT32_MAX);
    }
    for (; hs_csv_next(r.csv, &r.row) == HS_OK; n++)
        expect_reference_row(&r, taken);
    hs_csv_close(r.csv);
    hs_input_close(r.input);
    free(taken);
    return n;
}

static uint32_t model_pairs(void)
{
    struct hs_intern names;
    hs_intern_init(&names);
    uint32_t first = names.count;
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        const char *a = t.m.solos[t.m.pairs[i].own].model, *b = t.m.solos[t.m.pairs[i].other].model;
        char name[256];
        bool is_ordered = strcmp(a, b) <= 0;
        snprintf(name, sizeof name, "%s+%s", is_ordered ? a : b, is_ordered ? b : a);
        if (t.m.pairs[i].dropped == 0)
            (void)hs_intern_get(&names, name);
    }
    uint32_t n = names.count - first;
    hs_intern_free(&names);
    return n;
}

/* A1: 1836 directed rows of 918 pairs and 35 pairs of models, sd of rs 0.1236, row by row. */
static void expect_track_c(void)
{
    double sum = 0, squares = 0;
    assert_int_equal(t.counts.kept, 1836);
    assert_int_equal(t.counts.rebased, 1836 - 44); /* base 1.0 in the reference: LSTM b128 */
    assert_int_equal(measured_pairs(&t, "RTX3090", UINT32_MAX, false), 918);
    assert_int_equal(model_pairs(), 35);
    for (uint32_t i = 0; i < t.m.pair_count; i++) {
        if (t.m.pairs[i].dropped != 0)
            continue;
        sum += t.m.pairs[i].rebased;
        squares += t.m.pairs[i].rebased * t.m.pairs[i].rebased;
    }
    double mean = sum / t.counts.kept;
    double sd = sqrt((squares - t.counts.kept * mean * mean) / (t.counts.kept - 1));
    assert_true(fabs(sd - 0.1236) < 0.00005);
    assert_int_equal(compare_with_reference(), 1836);
}

static void test_lucid_track_c(void **state)
{
    (void)state;
    measured_data(&t, "lucid");
    measured_clean(&t, LUCID_STEPS);
    expect_track_c();
}

/* The default and all steps together give the same rows on Lucid but for the window; so does a
 * second cleaning. The window drops the 564 rows of two models that the reference (lucid_trackC)
 * has with u + v > 1.1. */
static void test_lucid_all_steps(void **state)
{
    (void)state;
    measured_data(&t, "lucid");
    measured_clean(&t, HS_CLEAN_DEFAULT & ~HS_CLEAN(WINDOW));
    expect_track_c();
    for (int again = 0; again < 2; again++) {
        measured_clean(&t, HS_CLEAN_ALL & ~HS_CLEAN(WINDOW));
        expect_track_c();
    }
    measured_clean(&t, HS_CLEAN_ALL);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_WINDOW], 564);
    assert_int_equal(t.counts.kept, 1836 - 564);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_MIXED_CAMPAIGN], 0);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_CLIPPED], 0);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_CONTRADICTED], 0);
    measured_clean(&t, 0);
    assert_int_equal(t.counts.kept, 2776);
    assert_int_equal(t.counts.rebased, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_lucid_as_published, tear_down),
        cmocka_unit_test_teardown(test_lucid_written_in, tear_down),
        cmocka_unit_test_teardown(test_lucid_overlap, tear_down),
        cmocka_unit_test_teardown(test_lucid_rebase, tear_down),
        cmocka_unit_test_teardown(test_lucid_lone, tear_down),
        cmocka_unit_test_teardown(test_lucid_track_c, tear_down),
        cmocka_unit_test_teardown(test_lucid_all_steps, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
