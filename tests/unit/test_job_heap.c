/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorted arrays of jobs: in order, and without a loss.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "policies/lib/job_queue.h"

#define MOST 200

/* Few keys and submissions, so that the rank decides often; the rank identifies the job. */
static void arrays_come_out_in_order_and_whole(void **state)
{
    (void)state;
    struct hs_rng rng;
    hs_rng_open(&rng, 17, "sort");
    for (uint32_t count = 0; count < MOST; count++) {
        struct hs_job_place entries[MOST];
        for (uint32_t i = 0; i < count; i++)
            entries[i] = (struct hs_job_place){.key = (int64_t)hs_rng_below(&rng, 5) - 2,
                                               .submit_us = (int64_t)hs_rng_below(&rng, 5),
                                               .rank = i * 7 % count,
                                               .job = i};
        hs_sort(entries, count);
        bool is_seen[MOST] = {false};
        for (uint32_t i = 0; i < count; i++) {
            const struct hs_job_place *a = &entries[i == 0 ? 0 : i - 1], *b = &entries[i];
            assert_true(a->key <= b->key);
            assert_true(a->key < b->key || a->submit_us <= b->submit_us);
            assert_true(a->key < b->key || a->submit_us < b->submit_us || a->rank <= b->rank);
            assert_false(is_seen[b->job]);
            is_seen[b->job] = true;
        }
    }
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_come_out_in_order_and_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
