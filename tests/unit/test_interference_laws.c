/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The laws of the sharing model (goal A11 of make calibrate-report), over grids and random sets: S
 * >= 1 and finite, S = 1 beside an idle job, monotone in each utilization, the same in any order, S
 * <= n for k <= 1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/interference_fixture.h"

#define ONE          HS_Q20_ONE
#define TENANTS_MOST 8u

static struct hs_tenant of_util(int32_t util_pm)
{
    return (struct hs_tenant){.profile = HS_NO_PROFILE, .util_pm = util_pm};
}

/* k <= 1 with exponents on both sides of 1, as a user's own data might give; for larger k the same
 * laws except S <= n. */
static const double forms[][3] = {{0.677, 1.016, 1.763}, {1, 1, 1},   {0.49, 1, 1},
                                  {1, 0.2, 2.5},         {1, 2, 0.3}, {5, 1, 2}};
#define FORMS (sizeof forms / sizeof forms[0])

static struct hs_interference_options variant(uint32_t i)
{
    static const double gammas[] = {1, 1.43, 0.5};
    return (struct hs_interference_options){.gamma = gammas[i]};
}
#define VARIANTS 3

/* Every pair of utilizations in steps of half a per cent. */
static void test_laws_of_pairs(void **state)
{
    (void)state;
    for (uint32_t f = 0; f < FORMS * 3; f++) {
        const double *form = forms[f % FORMS];
        struct hs_interference_options options = variant(f / FORMS);
        struct hs_interference *m = interference_of_form(form, &options);
        uint64_t above[201] = {0};
        for (int32_t u = 0; u <= 200; u++) {
            uint64_t left = 0;
            for (int32_t v = 0; v <= 200; v++) {
                struct hs_tenant tenants[2] = {of_util(5 * u), of_util(5 * v)};
                uint64_t s = hs_interference_slowdown_q20(m, 0, tenants, 2, 0, NULL);
                bool is_bounded = form[0] > 1 || options.gamma > 1 || s <= 2 * ONE;
                bool is_idle = u == 0 || v == 0;
                if (s < ONE || s < left || s < above[v] || !is_bounded || (is_idle && s != ONE))
                    fail_msg("form %u at %d, %d: %llu", f, (int)u * 5, (int)v * 5,
                             (unsigned long long)s);
                left = s;
                above[v] = s;
            }
        }
        hs_interference_free(m);
    }
}

/* A set of 2..8 tenants of the table, of none, idle, unknown; the last `plain_count` are bare
 * utilizations only. */
static uint32_t draw_set(uint64_t seed, bool is_general, struct hs_tenant *tenants)
{
    uint32_t count = 2 + (uint32_t)(hs_mix64(seed, 99) % (TENANTS_MOST - 1));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t draw = hs_mix64(seed, i);
        static const int32_t edges[] = {0, 1, 999, 1000, -1};
        tenants[i] = (struct hs_tenant){.util_pm = 0};
        tenants[i].util_pm = (int32_t)((draw >> 8) % 1001);
        if (draw % 4 == 0)
            tenants[i].util_pm = edges[(draw >> 8) % (is_general ? 4 : 5)];
        tenants[i].profile = is_general ? HS_NO_PROFILE : (uint32_t)(draw >> 40) % 6;
        tenants[i].away_q32 = draw % 8 == 5 ? draw >> 33 : 0; /* up to half of the time */
    }
    return count;
}

static void reverse_and_turn(struct hs_tenant *tenants, uint32_t count, uint32_t turn)
{
    struct hs_tenant copy[HS_TENANTS_MAX];
    memcpy(copy, tenants, count * sizeof *tenants);
    for (uint32_t i = 0; i < count; i++)
        tenants[i] = copy[(turn + count - 1 - i) % count];
}

static void check_order(const struct hs_interference *m, uint32_t type,
                        const struct hs_tenant *tenants, uint32_t count)
{
    uint64_t s = hs_interference_slowdown_q20(m, type, tenants, count, 0, NULL);
    struct hs_tenant others[HS_TENANTS_MAX];
    assert_true(s >= ONE && s <= (uint64_t)count * 1000 * ONE * 2);
    for (uint32_t turn = 0; turn + 1 < count; turn++) {
        memcpy(others, tenants + 1, (count - 1) * sizeof *tenants);
        reverse_and_turn(others, count - 1, turn);
        others[count - 1] = tenants[0];
        assert_int_equal(hs_interference_slowdown_q20(m, type, others, count, count - 1, NULL), s);
    }
}

/* Finite, >= 1 and the same in any order: for tables, forms, unknown and idle jobs, and for any
 * residuals. */
static void test_laws_of_any_set(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < 2 * VARIANTS; v++) {
        struct hs_interference_options options = variant(v % VARIANTS);
        options.noise = v < VARIANTS ? 0 : 2;
        options.seed = v;
        struct hs_interference *m = interference_of_text(interference_tables, &options);
        for (uint64_t seed = 0; seed < 1500; seed++) {
            struct hs_tenant tenants[HS_TENANTS_MAX];
            uint32_t count = draw_set(seed, false, tenants);
            check_order(m, (uint32_t)(seed % INTERFERENCE_TYPES), tenants, count);
        }
        hs_interference_free(m);
    }
}

/* General form: a higher utilization or a new co-runner lowers no slowdown; S <= n for k <= 1. */
static void check_set(const struct hs_interference *m, const double *form, double gamma,
                      struct hs_tenant *tenants, uint32_t count)
{
    uint64_t s = hs_interference_slowdown_q20(m, 0, tenants, count, 0, NULL);
    if (form[0] <= 1 && gamma <= 1)
        assert_true(s <= count * ONE);
    assert_true(hs_interference_slowdown_q20(m, 0, tenants, count - 1, 0, NULL) <= s);
    for (uint32_t i = 0; i < count; i++) {
        int32_t util_pm = tenants[i].util_pm;
        for (int32_t more = util_pm + 1; more <= 1000; more += 1 + (1000 - more) / 3) {
            tenants[i].util_pm = more;
            uint64_t raised = hs_interference_slowdown_q20(m, 0, tenants, count, 0, NULL);
            if (raised < s)
                fail_msg("%u tenants, %u raised from %d to %d: %llu below %llu", count, i,
                         (int)util_pm, (int)more, (unsigned long long)raised,
                         (unsigned long long)s);
        }
        tenants[i].util_pm = util_pm;
    }
}

static void test_laws_of_general_sets(void **state)
{
    (void)state;
    for (uint32_t f = 0; f < FORMS; f++)
        for (uint32_t v = 0; v < VARIANTS; v++) {
            struct hs_interference_options options = variant(v);
            struct hs_interference *m = interference_of_form(forms[f], &options);
            for (uint64_t seed = 0; seed < 200; seed++) {
                struct hs_tenant tenants[HS_TENANTS_MAX];
                uint32_t count = draw_set(seed, true, tenants);
                check_set(m, forms[f], options.gamma, tenants, count);
            }
            hs_interference_free(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_of_pairs),
        cmocka_unit_test(test_laws_of_any_set),
        cmocka_unit_test(test_laws_of_general_sets),
    };
    return cmocka_run_group_tests(tests, interference_open, interference_close);
}
