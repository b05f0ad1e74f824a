/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorts jobs by (key, submission, rank), the total order of kit_order.h, where an array is enough:
 * what is sorted anew at each decision, because its keys change.
 */
#ifndef HORUS_POLICIES_KIT_SORT_H
#define HORUS_POLICIES_KIT_SORT_H

#include "horus/policy.h"

struct hs_sort_entry {
    int64_t key;
    int64_t submit_us;
    uint64_t rank;
    uint32_t job; /* or whatever the entry stands for */
};

/* In place, O(count log count). */
void hs_sort(struct hs_sort_entry *entries, uint32_t count);

#endif
