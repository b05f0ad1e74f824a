/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records put in any order come back by their numbers, block by block; nothing is left on the disk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/spool.h"
#include "support/sink.h"

static struct sink sink;

struct record {
    uint64_t number, square;
};

/* Every record from 0 on is there, twice over; returns how many. */
static uint64_t expect_all(struct hs_spool *s)
{
    uint64_t next = 0;
    for (int pass = 0; pass < 2; pass++) {
        void *block;
        uint32_t count;
        enum hs_status status;
        next = 0;
        assert_int_equal(hs_spool_rewind(s, &sink.diag), HS_OK);
        while ((status = hs_spool_next(s, &block, &count, &sink.diag)) == HS_OK)
            for (uint32_t i = 0; i < count; i++, next++) {
                const struct record *record = (const struct record *)block + i;
                assert_int_equal(record->number, next);
                assert_int_equal(record->square, next * next);
            }
        assert_int_equal(status, HS_END);
    }
    return next;
}

/* 7919 is prime and divides none of the counts: n * 7919 % count visits every number once. */
static void put_in_any_order(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 10, 50000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct hs_spool s;
        sink_init(&sink);
        assert_int_equal(hs_spool_open(&s, sizeof(struct record), scratch_path(".")), HS_OK);
        for (uint64_t n = 0; n < counts[c]; n++) {
            uint64_t number = n * 7919 % counts[c];
            const struct record record = {number, number * number};
            assert_int_equal(hs_spool_put_at(&s, number, &record, &sink.diag), HS_OK);
        }
        assert_int_equal(expect_all(&s), counts[c]);
        hs_spool_close(&s);
    }
}

static void put_one_after_the_other(void **state)
{
    (void)state;
    struct hs_spool s;
    sink_init(&sink);
    assert_int_equal(hs_spool_open(&s, sizeof(struct record), scratch_path(".")), HS_OK);
    for (uint64_t n = 0; n < 50000; n++) {
        void *place = NULL;
        assert_int_equal(hs_spool_add(&s, &place, &sink.diag), HS_OK);
        *(struct record *)place = (struct record){n, n * n};
    }
    assert_int_equal(expect_all(&s), 50000);
    hs_spool_close(&s);
}

/* Of every block those with an even number, in memory or in a file, one block or several; then
 * those of these that can be divided by 4, which are all that is left. */
static void what_is_kept_is_read_again(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 10, 50000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct hs_spool s;
        sink_init(&sink);
        assert_int_equal(hs_spool_open(&s, sizeof(struct record), scratch_path(".")), HS_OK);
        for (uint64_t n = 0; n < counts[c]; n++) {
            void *place = NULL;
            assert_int_equal(hs_spool_add(&s, &place, &sink.diag), HS_OK);
            *(struct record *)place = (struct record){n, n * n};
        }
        for (uint64_t step = 1; step <= 4; step *= 2) {
            void *block;
            uint32_t count;
            uint64_t next = 0;
            assert_int_equal(hs_spool_rewind(&s, &sink.diag), HS_OK);
            while (hs_spool_next(&s, &block, &count, &sink.diag) == HS_OK) {
                struct record *records = block;
                uint32_t kept = 0;
                for (uint32_t i = 0; i < count; i++, next += step) {
                    assert_int_equal(records[i].number, next);
                    assert_int_equal(records[i].square, next * next);
                    if (next % (2 * step) == 0)
                        records[kept++] = records[i];
                }
                assert_int_equal(hs_spool_keep(&s, kept, &sink.diag), HS_OK);
            }
            assert_true(next >= counts[c] && next < counts[c] + step);
        }
        hs_spool_close(&s);
    }
}

/* What nobody put is zeros. */
static void gaps_are_zeros(void **state)
{
    (void)state;
    struct hs_spool s;
    const struct record two = {2, 4};
    void *block;
    uint32_t count;
    sink_init(&sink);
    assert_int_equal(hs_spool_open(&s, sizeof two, scratch_path(".")), HS_OK);
    assert_int_equal(hs_spool_put_at(&s, 2, &two, &sink.diag), HS_OK);
    assert_int_equal(hs_spool_rewind(&s, &sink.diag), HS_OK);
    assert_int_equal(hs_spool_next(&s, &block, &count, &sink.diag), HS_OK);
    assert_int_equal(count, 3);
    assert_int_equal(((const struct record *)block)[1].square, 0);
    assert_int_equal(((const struct record *)block)[2].square, 4);
    hs_spool_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_in_any_order),
        cmocka_unit_test(put_one_after_the_other),
        cmocka_unit_test(what_is_kept_is_read_again),
        cmocka_unit_test(gaps_are_zeros),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close); /* it must be empty */
}
