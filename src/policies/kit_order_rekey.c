/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Members of an ordered set that get other keys.
 */
#include "policies/kit_order.h"

void hs_order_rekey(struct hs_order *set, const struct hs_view *v, hs_job_id job, int64_t key)
{
    struct hs_order_link *link = hs_order_link_of(set, v, job);
    if (link->key == key)
        return;
    hs_job_id before = hs_order_prev(set, v, job), after = hs_order_next(set, v, job);
    link->key = key;
    if ((before == HS_NO_JOB || hs_order_is_before(set, v, before, job)) &&
        (after == HS_NO_JOB || hs_order_is_before(set, v, job, after)))
        return;
    hs_order_remove(set, v, job); /* by its links, not by its key */
    hs_order_add(set, v, job, key);
}

/* Members that are no longer behind the one before them are taken out, chained by their links, and
 * added again when all keys are new. */
void hs_order_rekey_all(struct hs_order *set, const struct hs_view *v, hs_order_key_of *key_of,
                        const void *ctx)
{
    hs_job_id out = HS_NO_JOB, before = HS_NO_JOB, next;
    for (hs_job_id job = hs_order_first(set, v); job != HS_NO_JOB; job = next) {
        struct hs_order_link *link = hs_order_link_of(set, v, job);
        next = hs_order_next(set, v, job);
        link->key = key_of(v, job, ctx);
        if (before == HS_NO_JOB || hs_order_is_before(set, v, before, job)) {
            before = job;
            continue;
        }
        hs_order_remove(set, v, job);
        link->left = out;
        out = job;
    }
    for (hs_job_id job = out; job != HS_NO_JOB; job = next) {
        next = hs_order_link_of(set, v, job)->left;
        hs_order_add(set, v, job, hs_order_link_of(set, v, job)->key);
    }
}
