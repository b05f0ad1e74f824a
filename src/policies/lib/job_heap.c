/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See job_heap.h. Heapsort needs no memory, and the order is total: any sort gives the same result.
 */
#include "policies/lib/job_heap.h"

static bool is_entry_before(const struct hs_sort_entry *a, const struct hs_sort_entry *b)
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
        if (child + 1 < count && is_entry_before(&a[child], &a[child + 1]))
            child++;
        if (!is_entry_before(&moved, &a[child]))
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

static bool is_head_before(const struct hs_merge_heap *h, const struct hs_view *v,
                           struct hs_merge_head a, struct hs_merge_head b)
{
    return hs_job_queue_is_before(h->order, v, a.job, b.job);
}

void hs_merge_heap_add(struct hs_merge_heap *h, const struct hs_view *v, struct hs_merge_head head)
{
    uint32_t at = h->count++;
    for (; at > 0 && is_head_before(h, v, head, h->at[(at - 1) / 2]); at = (at - 1) / 2)
        h->at[at] = h->at[(at - 1) / 2];
    h->at[at] = head;
}

void hs_merge_heap_replace_first(struct hs_merge_heap *h, const struct hs_view *v,
                                 struct hs_merge_head head)
{
    if (head.job == HS_NO_JOB)
        head = h->at[--h->count];
    uint32_t at = 0;
    for (uint32_t below = 1; below < h->count; below = 2 * at + 1) {
        if (below + 1 < h->count && is_head_before(h, v, h->at[below + 1], h->at[below]))
            below++;
        if (is_head_before(h, v, head, h->at[below]))
            break;
        h->at[at] = h->at[below];
        at = below;
    }
    h->at[at] = head;
}
