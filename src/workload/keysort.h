/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorts pairs by a 64-bit key, in room that the caller has: the generator does it for every few
 * thousand jobs, and the library's qsort would ask for memory each time.
 */
#ifndef HORUS_WORKLOAD_KEYSORT_H
#define HORUS_WORKLOAD_KEYSORT_H

#include <stdint.h>

struct hs_keyed {
    uint64_t key, value;
};

/* Ascending; equal keys stay in order. spare has room for as many. O(count). */
void hs_keysort(struct hs_keyed *items, struct hs_keyed *spare, uint32_t count);
/* A key whose order is that of the numbers, none of them NaN. */
uint64_t hs_key_of(double number);

#endif
