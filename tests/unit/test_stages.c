/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stage times: periods of the shipped file compared with the design of policies, M3 and M4, upper
 * limits of every group (M8), predictions with noise, and bad files.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "model/stages.h"
#include "support/sink.h"

static struct sink sink;
static struct hs_stages *stages;

static int open_all(void **state)
{
    (void)scratch_open(state);
    sink_init(&sink);
    return hs_stages_load(&stages, "builtin:models/stages.json", NULL, &sink.diag) != HS_OK;
}

static int close_all(void **state)
{
    hs_stages_free(stages);
    return scratch_close(state);
}

static uint32_t row(const char *model, uint32_t gpus)
{
    const uint32_t r = hs_stages_row(stages, model, NULL, gpus);
    assert_true(r != HS_STAGES_UNKNOWN);
    return r;
}

/* period: as published, of iterations that take 1.015 alone; the last row is UINT32_MAX. */
static void expect(const uint32_t *rows, double period_ms)
{
    uint32_t count = 0;
    while (count < HS_STAGES_MEMBERS && rows[count] != UINT32_MAX)
        count++;
    const double is =
        (double)hs_stages_period_ns(stages, rows, count, HS_STAGES_TRUE, false) * 1.015 / 1e6;
    assert_true(fabs(is - period_ms) < .006); /* published with two decimals */
}

static void published_periods(void **state)
{
    (void)state;
    const uint32_t bert = row("bert", 1), a2c = row("A2C", 1), dqn = row("dqn", 1),
                   gpt2 = row("GPT-2", 1), vgg16 = row("vgg16", 1);
    const uint32_t none = UINT32_MAX;
    expect((const uint32_t[]){bert, a2c, none}, 691.86); /* M3 */
    expect((const uint32_t[]){dqn, gpt2, none}, 594.90);
    expect((const uint32_t[]){bert, vgg16, none}, 298.76);
    expect((const uint32_t[]){bert, gpt2, none}, 746.90);
    expect((const uint32_t[]){a2c, bert, dqn, none}, 780.30);
    expect((const uint32_t[]){a2c, bert, dqn, gpt2}, 828.75);
    expect((const uint32_t[]){row("gpt2", 8), row("dqn", 8), none}, 624.38); /* M4 */
    const struct hs_tenant pair[] = {{.stages = bert}, {.stages = a2c}};
    struct hs_fair_share shares[2];
    hs_stages_speeds(stages, false, pair, 2, shares);
    assert_true(fabs((double)shares[0].speed_q32 / 0x1p32 - .261) < .0005); /* M3 */
    assert_true(fabs((double)shares[1].speed_q32 / 0x1p32 - .758) < .0005);
}

/* Speed of an opportunistic job beside a guaranteed one, by hand from their stages. */
static void expect_beside(uint32_t own, uint32_t guaranteed, double own_ms, double iteration_ms)
{
    const struct hs_tenant pair[] = {{.stages = guaranteed}, {.stages = own, .yields = true}};
    struct hs_fair_share shares[2];
    hs_stages_speeds(stages, false, pair, 2, shares);
    assert_int_equal(shares[0].speed_q32, HS_Q32_ONE);
    assert_true(fabs((double)shares[1].speed_q32 / 0x1p32 - own_ms / iteration_ms) < 1e-9);
}

/* The rule of AntMan in Muri's simulator (design of policies, 2.5), stages in ms: storage and CPU,
 * GPU, network. */
static void beside_guaranteed(void **state)
{
    (void)state;
    /* (.5, 160, 0) beside (514, 14, 0): data in 1 of 517 ms, the GPU in one more */
    expect_beside(row("bert", 1), row("a2c", 1), 178, 2 * 517);
    /* (446, 8, 0) beside (.6, 410, 0): 446 in 410 + 36, 8 in 13 gaps of .6 and one more */
    expect_beside(row("dqn", 1), row("gpt2", 1), 490, 16 * 426);
    /* (440, 8, .4) beside (114, 72, 40): 4, but .44 mod .112 leaves 7e-18 more than 8 ms of room */
    expect_beside(row("dqn", 4), row("vgg16", 2), 505, 5 * 191);
    /* alone in the background, and beside a job that never leaves the GPU */
    const struct hs_tenant alone = {.stages = row("bert", 1), .yields = true};
    struct hs_fair_share share;
    hs_stages_speeds(stages, false, &alone, 1, &share);
    assert_int_equal(share.speed_q32, HS_Q32_ONE);
    expect_beside(row("bert", 1), HS_STAGES_UNKNOWN, 178, HUGE_VAL);
}

static void nearest_rows(void **state)
{
    (void)state;
    assert_int_equal(row("vgg16", 3), row("vgg16", 2));
    assert_int_equal(row("vgg16", 64), row("vgg16", 32));
    assert_int_equal(hs_stages_row(stages, "none", "", 1), HS_STAGES_UNKNOWN);
    assert_int_equal(hs_stages_row(stages, "none", "vgg16", 1), row("vgg16", 1));
    assert_int_equal(hs_stages_row(stages, NULL, NULL, 1), HS_STAGES_UNKNOWN);
}

/* M8, for all groups of the rows of one gang size, and for jobs without stages. */
static void no_group_is_too_fast(void **state)
{
    (void)state;
    static const char *const models[] = {"a2c",   "bert",  "dqn",          "gpt2", "resnet18",
                                         "vgg16", "vgg19", "shufflenetv2", "none"};
    struct hs_tenant group[HS_STAGES_MEMBERS];
    struct hs_fair_share shares[HS_STAGES_MEMBERS];
    for (uint32_t gpus = 1; gpus <= 32; gpus *= 2) {
        for (uint32_t i = 0; i < 9 * 9 * 9 * 9; i++) {
            const uint32_t of[] = {i % 9, i / 9 % 9, i / 81 % 9, i / 729};
            for (uint32_t k = 0; k < HS_STAGES_MEMBERS; k++)
                group[k] =
                    (struct hs_tenant){.stages = hs_stages_row(stages, models[of[k]], NULL, gpus)};
            for (uint32_t count = 1; count <= HS_STAGES_MEMBERS; count++) {
                assert_true(hs_stages_are_within(stages, false, group, count));
                assert_true(hs_stages_are_within(stages, true, group, count));
                hs_stages_speeds(stages, false, group, count, shares);
                for (uint32_t k = 0; k < count; k++)
                    assert_true(shares[k].speed_q32 > 0 && shares[k].speed_q32 <= HS_Q32_ONE);
            }
        }
    }
}

/* Noise does not change the true stages. */
static void predictions_have_noise(void **state)
{
    (void)state;
    const struct hs_speed_predictor noisy = {HS_SPEED_PREDICTOR_NOISY, .3, 1};
    const uint32_t rows[] = {row("bert", 1), row("a2c", 1)};
    const int64_t before = hs_stages_period_ns(stages, rows, 2, HS_STAGES_TRUE, false);
    assert_true(before == hs_stages_period_ns(stages, rows, 2, HS_STAGES_PREDICTED, false));
    hs_stages_free(stages);
    assert_int_equal(hs_stages_load(&stages, "builtin:models/stages.json", &noisy, &sink.diag),
                     HS_OK);
    assert_true(before == hs_stages_period_ns(stages, rows, 2, HS_STAGES_TRUE, false));
    assert_true(before != hs_stages_period_ns(stages, rows, 2, HS_STAGES_PREDICTED, false));
}

/* In the order B, D, A, C slots begin at f = 0, 999, 2002, 3001, 3001, 5002, 6002 ms: f[5] - f[1]
 * is 4003, f[6] - f[2] 4000, less than a thousandth below it, and is the period; f[8] - f[4] is
 * 4003. The other 23 orders have 4002 and more (the rule of stages.h in a few lines of Python). */
static void period_that_settles(void **state)
{
    static const int of[4][3] = {
        {0, 0, 1000}, {2002, 0, 0}, {2001, 1000, 0}, {2002, 0, 999}}; /* A, B, C, D */
    char text[1024];
    uint32_t rows[4];
    struct hs_stages *m;
    (void)state;
    size_t len = (size_t)snprintf(
        text, sizeof text,
        "{\"kind\": \"stages\", \"format\": 2, \"overhead\": [1, 1, 1, 1], \"rows\": [");
    for (int i = 0; i < 4; i++)
        len += (size_t)snprintf(text + len, sizeof text - len,
                                "%s{\"model\": \"%c\", \"gpus\": 1, \"iteration_ms\": %d, "
                                "\"data_ms\": %d, \"gpu_ms\": %d, \"network_ms\": %d}%s",
                                i > 0 ? "," : "", 'A' + i, of[i][0] + of[i][1] + of[i][2], of[i][0],
                                of[i][1], of[i][2], i == 3 ? "]}" : "");
    sink_init(&sink);
    assert_int_equal(hs_stages_load(&m, scratch_write("stages.json", text, len), NULL, &sink.diag),
                     HS_OK);
    for (int i = 0; i < 4; i++)
        rows[i] = hs_stages_row(m, (char[]){(char)('A' + i), '\0'}, NULL, 1);
    assert_int_equal(hs_stages_period_ns(m, rows, 4, HS_STAGES_TRUE, false), 4000000000);
    hs_stages_free(m);
}

static void bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *overhead, *rows, *says;
    } cases[] = {
        {"[1, 1]", "", "1:45: error: overhead is a list of factors of at least 1"},
        {"[1, 1, 1, 0.5]", "", "overhead is a list of factors of at least 1"},
        {"[1, 1, 1, 1]", "{\"model\": \"A\", \"gpus\": 1}", "iteration_ms"},
        {"[1, 1, 1, 1]", "{\"model\": \"A\", \"x\": 1}", "'x'"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        struct hs_stages *m;
        (void)snprintf(text, sizeof text,
                       "{\"kind\": \"stages\", \"format\": 2, \"overhead\": %s, \"rows\": [%s]}",
                       cases[i].overhead, cases[i].rows);
        sink_init(&sink);
        assert_int_equal(
            hs_stages_load(&m, scratch_write("stages.json", text, strlen(text)), NULL, &sink.diag),
            HS_E_INPUT);
        if (strstr(sink.text, cases[i].says) == NULL)
            fail_msg("%s", sink.text);
        hs_stages_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_periods),
        cmocka_unit_test(beside_guaranteed),
        cmocka_unit_test(nearest_rows),
        cmocka_unit_test(no_group_is_too_fast),
        cmocka_unit_test(predictions_have_noise),
        cmocka_unit_test(period_that_settles),
        cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
