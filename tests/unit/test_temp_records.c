/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records written in any order are read back by their numbers, block by block; no file remains.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/run/observers.h"
#include "support/sink.h"

static struct sink sink;

struct record {
    uint64_t number, square;
};

/* Every record from 0 on is read, twice; returns their number. */
static uint64_t expect_all(struct hs_temp_records *s)
{
    uint64_t next = 0;
    for (int pass = 0; pass < 2; pass++) {
        void *block;
        uint32_t count;
        enum hs_status status;
        next = 0;
        while ((status = hs_temp_records_next(s, &block, &count, &sink.diag)) == HS_OK)
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
        struct hs_temp_records s;
        sink_init(&sink);
        hs_temp_records_open(&s, sizeof(struct record), scratch_path("."));
        for (uint64_t n = 0; n < counts[c]; n++) {
            uint64_t number = n * 7919 % counts[c];
            const struct record record = {number, number * number};
            assert_int_equal(hs_temp_records_put_at(&s, number, &record, &sink.diag), HS_OK);
        }
        assert_int_equal(expect_all(&s), counts[c]);
        hs_temp_records_close(&s);
    }
}

/* Keeps every second record, with half its number. */
static void drop_odd(struct hs_temp_records *s)
{
    void *block;
    uint32_t count;
    while (hs_temp_records_next(s, &block, &count, &sink.diag) == HS_OK) {
        struct record *to = block;
        for (const struct record *r = block, *end = r + count; r < end; r++)
            if (r->number % 2 == 0)
                *to++ = (struct record){r->number / 2, r->square / 4};
        assert_int_equal(
            hs_temp_records_keep(s, (uint32_t)(to - (struct record *)block), &sink.diag), HS_OK);
    }
}

static void put_one_after_the_other(void **state)
{
    (void)state;
    static const uint64_t counts[] = {10, 50000}; /* in the buffer, in the file */
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct hs_temp_records s;
        sink_init(&sink);
        hs_temp_records_open(&s, sizeof(struct record), scratch_path("."));
        for (uint64_t n = 0; n < counts[c]; n++) {
            void *place = NULL;
            assert_int_equal(hs_temp_records_add(&s, &place, &sink.diag), HS_OK);
            *(struct record *)place = (struct record){n, n * n};
        }
        assert_int_equal(expect_all(&s), counts[c]);
        drop_odd(&s);
        assert_int_equal(expect_all(&s), counts[c] / 2);
        drop_odd(&s);
        assert_int_equal(expect_all(&s), (counts[c] / 2 + 1) / 2);
        hs_temp_records_close(&s);
    }
}

/* Records that were never written are zeros. */
static void gaps_are_zeros(void **state)
{
    (void)state;
    struct hs_temp_records s;
    const struct record two = {2, 4};
    void *block;
    uint32_t count;
    sink_init(&sink);
    hs_temp_records_open(&s, sizeof two, scratch_path("."));
    assert_int_equal(hs_temp_records_put_at(&s, 2, &two, &sink.diag), HS_OK);
    assert_int_equal(hs_temp_records_next(&s, &block, &count, &sink.diag), HS_OK);
    assert_int_equal(count, 3);
    assert_int_equal(((const struct record *)block)[1].square, 0);
    assert_int_equal(((const struct record *)block)[2].square, 4);
    hs_temp_records_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_in_any_order),
        cmocka_unit_test(put_one_after_the_other),
        cmocka_unit_test(gaps_are_zeros),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close); /* it must be empty */
}
