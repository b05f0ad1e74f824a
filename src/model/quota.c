/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quotas that are lent within cohorts, by the rules and the words of Kueue (Kubernetes' job
 * queueing: ClusterQueue, Cohort; its pkg/cache/scheduler/resource_node.go):
 *
 *     subtree  the own GPUs of a cohort and what those in it lend: their subtree less what they
 *              keep; of a VC its quota
 *     kept     what is above the lending limit; 0 where there is none
 *     held     of a VC by its jobs; of a cohort what those in it hold beyond what they keep
 *     room     of the topmost: subtree - held; else what is left of kept, and the room of the
 *              cohort, of which at most the borrowing limit goes beyond what it lends itself
 *
 * And the VCs and cohorts of a JSON.
 */
#include "model/cluster.h"

#include <inttypes.h>

/* ---- the tree ---- */

static int64_t milli_of(uint64_t gpus)
{
    return gpus == UINT64_MAX ? INT64_MAX : (int64_t)(gpus * HS_GPU_MILLI);
}

static int64_t above(int64_t a, int64_t b)
{
    return a > b ? a - b : 0;
}

static uint32_t depth_of(const struct hs_quota *quotas, uint32_t at)
{
    uint32_t depth = 0;
    while ((at = quotas[at].parent) != HS_NO_QUOTA)
        depth++;
    return depth;
}

static void sum_up(struct hs_quota *quotas, uint32_t at, const struct hs_vc *own)
{
    struct hs_quota *q = &quotas[at];
    if (own->lend_gpus != UINT64_MAX)
        q->kept_milli = above(q->subtree_milli, milli_of(own->lend_gpus));
    if (q->parent != HS_NO_QUOTA)
        quotas[q->parent].subtree_milli += q->subtree_milli - q->kept_milli;
}

void hs_quotas_build(struct hs_cluster *c, const struct hs_vc *cohorts, uint32_t count)
{
    uint32_t deepest = 0, all = c->vc_count + count;
    struct hs_quota *quotas = hs_arena_alloc(&c->arena, all * sizeof *quotas);
    for (uint32_t i = 0; i < all; i++) {
        const struct hs_vc *own = i < c->vc_count ? &c->vcs[i] : &cohorts[i - c->vc_count];
        quotas[i] = (struct hs_quota){
            .parent = own->cohort > 0 ? c->vc_count + own->cohort - 1 : HS_NO_QUOTA,
            .subtree_milli = milli_of(i < c->vc_count ? own->quota_gpus : own->gpus),
            .borrow_milli = milli_of(own->borrow_gpus)};
    }
    for (uint32_t i = 0; i < all; i++)
        deepest = depth_of(quotas, i) > deepest ? depth_of(quotas, i) : deepest;
    if (deepest == 0) /* no VC is in a cohort */
        return;
    for (uint32_t depth = deepest + 1; depth-- > 0;)
        for (uint32_t i = 0; i < all; i++)
            if (depth_of(quotas, i) == depth)
                sum_up(quotas, i, i < c->vc_count ? &c->vcs[i] : &cohorts[i - c->vc_count]);
    c->quotas = quotas;
    c->quota_count = all;
    const uint64_t *none = hs_arena_alloc(&c->arena, all * sizeof *none);
    for (uint32_t vc = 0; vc < c->vc_count; vc++)
        c->vcs[vc].most_gpus = (uint64_t)hs_quota_room(c, none, vc, HS_NO_QUOTA) / HS_GPU_MILLI;
}

void hs_quota_charge(const struct hs_cluster *c, uint64_t *held, uint32_t vc, int64_t milli)
{
    for (uint32_t i = vc; milli != 0 && c->quotas[i].parent != HS_NO_QUOTA;
         i = c->quotas[i].parent) {
        const struct hs_quota *q = &c->quotas[i];
        const int64_t now = (int64_t)held[i];
        milli = above(now, q->kept_milli) - above(now - milli, q->kept_milli);
        held[q->parent] += (uint64_t)milli;
    }
}

int64_t hs_quota_room(const struct hs_cluster *c, const uint64_t *held, uint32_t vc, uint32_t top)
{
    const struct hs_quota *q = &c->quotas[vc];
    const int64_t now = (int64_t)held[vc];
    if (vc == top || q->parent == HS_NO_QUOTA)
        return q->subtree_milli - now;
    int64_t room = hs_quota_room(c, held, q->parent, top);
    if (q->borrow_milli < INT64_MAX) {
        const int64_t most =
            q->subtree_milli - q->kept_milli - above(now, q->kept_milli) + q->borrow_milli;
        room = room < most ? room : most;
    }
    return above(q->kept_milli, now) + room;
}

uint64_t hs_quota_left(const struct hs_cluster *c, const uint64_t *held, uint32_t vc)
{
    const uint64_t quota_gpus = c->vcs[vc].quota_gpus;
    if (c->vc_mode != HS_VC_QUOTA || quota_gpus > UINT64_MAX / HS_GPU_MILLI)
        return UINT64_MAX;
    const int64_t room = c->quotas != NULL
                             ? hs_quota_room(c, held, vc, HS_NO_QUOTA)
                             : (int64_t)(quota_gpus * HS_GPU_MILLI) - (int64_t)held[vc];
    return room > 0 ? (uint64_t)room : 0;
}

/* ---- a document ---- */

struct tree_reader {
    struct hs_jsoncheck *check;
    const struct hs_json *cohorts; /* NULL: a cohort is what is named as one */
    struct hs_vc_list *list;
    struct hs_intern names; /* of cohorts: index + 1, as "" is id 0 */
};

static struct hs_vc *add_cohort(struct tree_reader *r, const char *name)
{
    struct hs_vc_list *list = r->list;
    (void)hs_intern_get(&r->names, name);
    struct hs_vc *cohort =
        hs_push(list->cohorts, list->cohort_count, list->cohort_cap, HS_NODES_MAX);
    *cohort = (struct hs_vc){.name = name, .borrow_gpus = UINT64_MAX, .lend_gpus = UINT64_MAX};
    return cohort;
}

static uint32_t read_cohort_of(struct tree_reader *r, const struct hs_json *of)
{
    const char *name = hs_jsoncheck_text(r->check, of, "cohort");
    if (name == NULL)
        return 0;
    const uint32_t id = hs_intern_find(&r->names, name);
    if (id != UINT32_MAX)
        return id;
    if (r->cohorts != NULL) {
        hs_jsoncheck_fault(r->check, hs_json_get(of, "cohort"), "add it to \"cohorts\"",
                           "there is no cohort '%s'", name);
        return 0;
    }
    (void)add_cohort(r, name);
    return r->list->cohort_count;
}

static uint64_t read_limit(struct tree_reader *r, const struct hs_json *of, const char *key,
                           const struct hs_vc *vc)
{
    const int64_t gpus = hs_jsoncheck_int(r->check, of, key, 0, UINT32_MAX, -1);
    const struct hs_json *at = hs_json_get(of, key);
    if (at != NULL && vc->cohort == 0)
        hs_jsoncheck_fault(r->check, at, "add \"cohort\": its name",
                           "\"%s\" of '%s', which is in no cohort", key, vc->name);
    return gpus < 0 ? UINT64_MAX : (uint64_t)gpus;
}

/* Reads a number of GPUs, or an object; is_vc: that has to say how many. */
static void read_entry(struct tree_reader *r, const struct hs_json *of, struct hs_vc *vc,
                       const struct hs_json *all, bool is_vc)
{
    static const char *const keys[] = {"gpus", "cohort", "borrowing_limit", "lending_limit"};
    const bool is_object = hs_json_kind(of) == HS_JSON_OBJECT;
    vc->gpus = (uint64_t)hs_jsoncheck_int(r->check, is_object ? of : all,
                                          is_object ? "gpus" : vc->name, 0, UINT32_MAX, 0);
    if (!is_object)
        return;
    hs_jsoncheck_keys(r->check, of, keys, HS_COUNT_OF(keys),
                      is_vc ? "a virtual cluster" : "a cohort");
    if (is_vc && hs_json_get(of, "gpus") == NULL)
        hs_jsoncheck_fault(r->check, of, NULL, "\"gpus\" of '%s' is missing", vc->name);
    vc->cohort = read_cohort_of(r, of);
    vc->borrow_gpus = read_limit(r, of, "borrowing_limit", vc);
    vc->lend_gpus = read_limit(r, of, "lending_limit", vc);
    if (is_vc && vc->lend_gpus != UINT64_MAX && vc->lend_gpus > vc->gpus)
        hs_jsoncheck_fault(r->check, hs_json_get(of, "lending_limit"), NULL,
                           "'%s' has %" PRIu64 " GPUs and lends at most that, not %" PRIu64,
                           vc->name, vc->gpus, vc->lend_gpus);
}

/* A cohort around itself is reported once, at the first in it. */
static void check_cycles(struct tree_reader *r)
{
    const struct hs_vc *cohorts = r->list->cohorts;
    for (uint32_t i = 0; i < r->list->cohort_count; i++) {
        uint32_t at = cohorts[i].cohort, steps = 0;
        while (at != 0 && at != i + 1 && steps++ < r->list->cohort_count)
            at = cohorts[at - 1].cohort;
        if (at != i + 1)
            continue;
        hs_jsoncheck_fault(r->check, hs_json_get(r->cohorts, cohorts[i].name), NULL,
                           "cohort '%s' is in itself", cohorts[i].name);
        return;
    }
}

static void read_cohorts(struct tree_reader *r)
{
    if (!hs_jsoncheck_filled(r->check, r->cohorts, HS_JSON_OBJECT, "cohorts"))
        return;
    for (const struct hs_json *at = hs_json_first(r->cohorts); at != NULL; at = hs_json_next(at))
        if (hs_jsoncheck_name(r->check, at, hs_json_key(at), "the name of a cohort"))
            (void)add_cohort(r, hs_json_key(at));
    for (uint32_t i = 0; i < r->list->cohort_count; i++) {
        struct hs_vc *cohort = &r->list->cohorts[i];
        read_entry(r, hs_json_get(r->cohorts, cohort->name), cohort, r->cohorts, false);
    }
    check_cycles(r);
}

static void read_vcs(struct tree_reader *r, const struct hs_json *vcs)
{
    if (!hs_jsoncheck_filled(r->check, vcs, HS_JSON_OBJECT, "vcs"))
        return;
    for (const struct hs_json *at = hs_json_first(vcs); at != NULL; at = hs_json_next(at)) {
        const char *name = hs_json_key(at);
        if (!hs_jsoncheck_name(r->check, at, name, "the name of a virtual cluster"))
            continue;
        hs_vc_list_add(r->list, name, 0);
        read_entry(r, at, &r->list->vcs[r->list->count - 1], vcs, true);
    }
}

void hs_vc_list_read(struct hs_vc_list *list, struct hs_jsoncheck *check,
                     const struct hs_json *root)
{
    const struct hs_json *vcs = hs_json_get(root, "vcs");
    struct tree_reader r = {.check = check, .cohorts = hs_json_get(root, "cohorts"), .list = list};
    hs_intern_init(&r.names);
    if (r.cohorts != NULL)
        read_cohorts(&r);
    if (vcs != NULL)
        read_vcs(&r, vcs);
    hs_intern_free(&r.names);
}

void hs_vc_list_add(struct hs_vc_list *list, const char *name, uint64_t gpus)
{
    *hs_push(list->vcs, list->count, list->cap, HS_NODES_MAX) =
        (struct hs_vc){.name = name,
                       .quota_gpus = UINT64_MAX,
                       .gpus = gpus,
                       .borrow_gpus = UINT64_MAX,
                       .lend_gpus = UINT64_MAX};
}

void hs_vc_list_free(struct hs_vc_list *list)
{
    hs_free(list->vcs);
    hs_free(list->cohorts);
}
