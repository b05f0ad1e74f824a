/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_heads.h.
 */
#include "policies/kit_heads.h"

static bool is_before(const struct hs_heads *h, const struct hs_view *v, struct hs_head a,
                      struct hs_head b)
{
    return hs_order_is_before(h->order, v, a.job, b.job);
}

void hs_heads_add(struct hs_heads *h, const struct hs_view *v, struct hs_head head)
{
    uint32_t at = h->count++;
    for (; at > 0 && is_before(h, v, head, h->at[(at - 1) / 2]); at = (at - 1) / 2)
        h->at[at] = h->at[(at - 1) / 2];
    h->at[at] = head;
}

void hs_heads_replace_first(struct hs_heads *h, const struct hs_view *v, struct hs_head head)
{
    if (head.job == HS_NO_JOB)
        head = h->at[--h->count];
    uint32_t at = 0;
    for (uint32_t below = 1; below < h->count; below = 2 * at + 1) {
        if (below + 1 < h->count && is_before(h, v, h->at[below + 1], h->at[below]))
            below++;
        if (is_before(h, v, head, h->at[below]))
            break;
        h->at[at] = h->at[below];
        at = below;
    }
    h->at[at] = head;
}
