/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tournament of least load against a look at everybody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "policies/kit_least.h"

#define GPUS  37
#define BELOW 8

static void *blocks[2];
static uint32_t block_count;

/* In place of the engine's. */
void *hs_view_alloc(const struct hs_view *v, uint64_t bytes)
{
    (void)v;
    assert_in_range(block_count, 0, 1);
    blocks[block_count] = calloc(1, bytes);
    assert_non_null(blocks[block_count]);
    return blocks[block_count++];
}

static uint32_t plain_first(const uint32_t *load, const struct hs_room *room,
                            const struct hs_room *need)
{
    uint32_t best = HS_NO_GPU;
    for (uint32_t g = 0; g < GPUS; g++)
        if (load[g] < BELOW && room[g].memory >= need->memory && room[g].time >= need->time &&
            (best == HS_NO_GPU || load[g] < load[best]))
            best = g;
    return best;
}

static void the_first_is_the_least_with_room(void **state)
{
    (void)state;
    struct hs_rng rng;
    struct hs_least t = {0};
    struct hs_room room[GPUS] = {{0}}, need = {0};
    uint32_t load[GPUS];
    assert_int_equal(hs_rng_open(&rng, 3, "least"), HS_OK);
    assert_int_equal(hs_least_init(&t, NULL, GPUS, BELOW), HS_OK);
    assert_int_equal(hs_least_first(&t, &need), HS_NO_GPU);
    for (uint32_t g = 0; g < GPUS; g++)
        load[g] = HS_LEAST_CLOSED;
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t g = (uint32_t)hs_rng_below(&rng, GPUS), open = 0;
        bool is_closed = hs_rng_below(&rng, 3) == 0;
        load[g] = is_closed ? HS_LEAST_CLOSED : (uint32_t)hs_rng_below(&rng, BELOW + 3);
        room[g].memory = (uint32_t)hs_rng_below(&rng, 6);
        room[g].time = (uint32_t)hs_rng_below(&rng, 6);
        hs_least_set(&t, g, load[g], &room[g]);
        for (uint32_t i = 0; i < GPUS; i++)
            open += load[i] < BELOW;
        assert_int_equal(t.count, open);
        for (uint32_t n = 0; n < 49; n++) {
            need = (struct hs_room){n % 7, n / 7};
            assert_int_equal(hs_least_first(&t, &need), plain_first(load, room, &need));
        }
    }
    hs_rng_close(&rng);
    free(blocks[0]);
    free(blocks[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_is_the_least_with_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
