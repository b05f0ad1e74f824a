/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heapsort: no allocation, and the order is total, so any sort gives the same result.
 */
#include "policies/kit_sort.h"

static bool is_before(const struct hs_sort_entry *a, const struct hs_sort_entry *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us;
    return a->rank < b->rank;
}

static void sift_down(struct hs_sort_entry *a, uint32_t root, uint32_t count)
{
    struct hs_sort_entry moved = a[root];
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= count)
            break;
        if (child + 1 < count && is_before(&a[child], &a[child + 1]))
            child++;
        if (!is_before(&moved, &a[child]))
            break;
        a[root] = a[child];
        root = child;
    }
    a[root] = moved;
}

void hs_sort(struct hs_sort_entry *entries, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(entries, i, count);
    for (uint32_t end = count; end > 1;) {
        struct hs_sort_entry largest = entries[0];
        entries[0] = entries[--end];
        entries[end] = largest;
        sift_down(entries, 0, end);
    }
}
