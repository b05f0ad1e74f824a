/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the time of a GPU is divided, on a million random states: fair shares compared with a
 * reference that raises the level from demand to demand in long double, and by their properties,
 * which are exact; and the speeds of tenants by the form and the capacity.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "ref/refslow.h"
#include "support/interference_fixture.h"

#define STATES  1000000u
#define TENANTS 8u

static uint64_t draws;

static uint64_t below(uint64_t limit)
{
    return hs_mix64(draws++, 17) % limit;
}

/* Values are often equal and often exactly at a limit. */
static uint64_t draw_q32(void)
{
    static const uint64_t often[] = {0, HS_Q32_ONE, HS_Q32_ONE / 2, HS_Q32_ONE / 3, 1};
    return below(3) == 0 ? often[below(5)] : below(HS_Q32_ONE + 1);
}

static void copy_claims(struct hs_fair_share *to, const struct hs_fair_share *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (struct hs_fair_share){.demand_q32 = from[i].demand_q32,
                                       .weight_q32 = from[i].weight_q32};
}

/* The sum is at most the capacity, to a unit a tenant, and all of it is used if demanded; no tenant
 * gets more than its demand, nor less than its part of the weights unless its demand is less. */
static void expect_fair(const struct hs_fair_share *s, uint32_t count, uint64_t capacity_q32)
{
    uint64_t wanted = 0, given = 0, weights = 0;
    for (uint32_t i = 0; i < count; i++) {
        wanted += s[i].demand_q32;
        given += s[i].given_q32;
        weights += s[i].weight_q32;
        assert_true(s[i].given_q32 <= s[i].demand_q32);
    }
    assert_true(given < capacity_q32 + count);
    assert_true(given >= (wanted < capacity_q32 ? wanted : capacity_q32));
    for (uint32_t i = 0; i < count; i++) {
        hs_u128 part = (hs_u128)s[i].weight_q32 * capacity_q32 / weights;
        assert_true(s[i].given_q32 == s[i].demand_q32 || s[i].given_q32 >= (uint64_t)part);
    }
}

static void expect_reference(const struct hs_fair_share *s, uint32_t count, uint64_t capacity_q32)
{
    long double demand[TENANTS], weight[TENANTS], given[TENANTS];
    for (uint32_t i = 0; i < count; i++) {
        demand[i] = (long double)s[i].demand_q32;
        weight[i] = (long double)s[i].weight_q32;
    }
    ref_fill((int)count, demand, weight, (long double)capacity_q32, given);
    for (uint32_t i = 0; i < count; i++)
        if (!(fabsl((long double)s[i].given_q32 - fminl(given[i], demand[i])) < 1.5L))
            fail_msg("%u of %u: %.0Lf, reference %.3Lf", i, count, (long double)s[i].given_q32,
                     given[i]);
}

static void shares_are_max_min_fair(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < STATES; n++) {
        struct hs_fair_share claims[TENANTS], s[TENANTS], turned[TENANTS], fewer[TENANTS];
        const uint32_t count = 1 + (uint32_t)below(TENANTS);
        const uint64_t capacity_q32 = HS_Q32_ONE / 10 + below(2 * HS_Q32_ONE);
        const bool is_even = below(2) == 0;
        for (uint32_t i = 0; i < count; i++)
            claims[i] =
                (struct hs_fair_share){.demand_q32 = draw_q32(),
                                       .weight_q32 = is_even ? HS_Q32_ONE : 1 + below(HS_Q32_ONE)};
        copy_claims(s, claims, count);
        hs_share_fairly(s, count, capacity_q32);
        expect_fair(s, count, capacity_q32);
        expect_reference(s, count, capacity_q32);
        for (uint32_t i = 0; i < count; i++)
            copy_claims(&turned[count - 1 - i], &claims[i], 1);
        hs_share_fairly(turned, count, capacity_q32);
        copy_claims(fewer, claims, count - 1);
        hs_share_fairly(fewer, count - 1, capacity_q32);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(turned[count - 1 - i].given_q32, s[i].given_q32);
            /* the last tenant takes from the others, to within rounding */
            assert_true(i + 1 == count || s[i].given_q32 <= fewer[i].given_q32 + 1);
        }
    }
}

/* The RTX 3090's form, and its capacity of whole GPUs and parts. One more tenant makes no other
 * faster, except by rounding. */
static void speeds_conserve_time(void **state)
{
    static const double form[] = {0.926, 1.366, 1.674};
    static const double capacities[] = {1, 0.87, 1.07, 1.4};
    struct hs_interference *m[4];
    (void)state;
    for (int c = 0; c < 4; c++)
        m[c] = interference_of_form(
            form, &(struct hs_interference_options){.gamma = 1, .capacity = capacities[c]});
    for (uint32_t n = 0; n < STATES; n++) {
        struct hs_tenant tenants[TENANTS] = {{0}};
        struct hs_fair_share s[TENANTS], fewer[TENANTS];
        const uint32_t count = 2 + (uint32_t)below(TENANTS - 1), c = n % 4;
        const double capacity = capacities[c];
        double used = 0;
        for (uint32_t i = 0; i < count; i++)
            tenants[i] =
                (struct hs_tenant){.profile = HS_NO_PROFILE, .util_pm = (int32_t)below(1001)};
        hs_interference_speeds(m[c], 0, tenants, count, s);
        hs_interference_speeds(m[c], 0, tenants, count - 1, fewer);
        for (uint32_t i = 0; i < count; i++) {
            const double speed = (double)s[i].speed_q32 / (double)HS_Q32_ONE;
            const double need = tenants[i].util_pm / 1000.0, part = capacity / count;
            const double of_form = (double)HS_Q20_ONE / (double)hs_interference_slowdown_q20(
                                                            m[c], 0, tenants, count, i, NULL);
            used += need * speed;
            assert_true(s[i].speed_q32 <= HS_Q32_ONE);
            assert_true(speed >= fmin(of_form, part / fmax(need, 1e-9)) - 1e-6);
            if (i + 1 < count && s[i].speed_q32 > fewer[i].speed_q32 + 4096)
                fail_msg("state %u: tenant %u of %u is %.9f, without the last %.9f", n, i, count,
                         speed, (double)fewer[i].speed_q32 / (double)HS_Q32_ONE);
        }
        assert_true(used <= capacity * (1 + 1e-6));
    }
    for (int c = 0; c < 4; c++)
        hs_interference_free(m[c]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_max_min_fair),
        cmocka_unit_test(speeds_conserve_time),
    };
    return cmocka_run_group_tests(tests, interference_open, interference_close);
}
