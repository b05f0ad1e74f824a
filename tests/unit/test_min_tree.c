/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tournament of least load against a look at all items.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "engine/state.h"
#include "policies/antman/antman.h"

#define GPUS  37
#define BELOW 8

/* All that hs_view_alloc reads. */
static struct hs_engine engine = {.is_initialising = true};
static const struct hs_view view = {.engine = &engine};

static uint32_t plain_first(const uint32_t *load, const struct hs_gpu_room *room,
                            const struct hs_gpu_room *need)
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
    struct hs_min_tree t = {0};
    struct hs_gpu_room room[GPUS] = {{0}}, need = {0};
    uint32_t load[GPUS];
    hs_rng_open(&rng, 3, "least");
    hs_min_tree_init(&t, &view, GPUS, BELOW);
    assert_int_equal(hs_min_tree_first(&t, &need), HS_NO_GPU);
    for (uint32_t g = 0; g < GPUS; g++)
        load[g] = HS_MIN_TREE_CLOSED;
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t g = (uint32_t)hs_rng_below(&rng, GPUS), open = 0;
        bool is_closed = hs_rng_below(&rng, 3) == 0;
        load[g] = is_closed ? HS_MIN_TREE_CLOSED : (uint32_t)hs_rng_below(&rng, BELOW + 3);
        room[g].memory = (uint32_t)hs_rng_below(&rng, 6);
        room[g].time = (uint32_t)hs_rng_below(&rng, 6);
        hs_min_tree_set(&t, g, load[g], &room[g]);
        for (uint32_t i = 0; i < GPUS; i++)
            open += load[i] < BELOW;
        assert_int_equal(t.count, open);
        for (uint32_t n = 0; n < 49; n++) {
            need = (struct hs_gpu_room){n % 7, n / 7};
            assert_int_equal(hs_min_tree_first(&t, &need), plain_first(load, room, &need));
        }
    }
    hs_rng_close(&rng);
    hs_arena_free(&engine.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_is_the_least_with_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
