/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes of nodes in a run, in order of time: events of machines, from the copy in its directory
 * or drawn again, and begins and ends of reservations; and which of them stopped a job.
 */
#include <stdlib.h>

#include "base/fixed.h"
#include "report/explain/explain.h"
#include "report/stats/exact.h"

/* As the engine orders an instant; a stable order by number within a kind. */
static int compare_changes(const void *a, const void *b)
{
    const struct explain_change *x = a, *y = b;
    const int times = hs_order(x->at_us, y->at_us), kinds = hs_order(x->kind, y->kind);
    return times != 0 ? times : kinds != 0 ? kinds : hs_order(x->number, y->number);
}

/* Times by the clock of the trace count from its first submission. */
static void add_change(struct explain *x, int64_t at_us, bool is_dated, enum explain_kind kind,
                       uint32_t subject, enum hs_machine_change change)
{
    at_us -= is_dated ? x->epoch_us : 0;
    if (at_us > x->end_us)
        return;
    hs_grow(x->changes, x->change_cap, (uint64_t)x->change_count + 1, UINT32_MAX / 2);
    x->changes[x->change_count] = (struct explain_change){.at_us = at_us > 0 ? at_us : 0,
                                                          .subject = subject,
                                                          .number = x->change_count,
                                                          .kind = kind,
                                                          .change = change};
    x->change_count++;
}

static void add_machines(struct explain *x, const struct hs_machines *machines)
{
    const int64_t until_us = x->end_us + (machines->is_dated ? x->epoch_us : 0);
    const struct hs_machine_event *e;
    struct hs_machine_feed *feed;
    bool *is_known = hs_alloc_zeroed(x->cluster.node_count + UINT64_C(1), sizeof *is_known);
    for (uint32_t i = 0; i < machines->count; i++) { /* absent until its first event */
        e = &machines->events[i];
        if (!is_known[e->node] && e->change == HS_MACHINE_ADD)
            add_change(x, 0, false, EXPLAIN_MACHINE, e->node, HS_MACHINE_REMOVE);
        is_known[e->node] = true;
    }
    hs_free(is_known);
    hs_machine_feed_open(&feed, machines, &x->cluster, &x->arena);
    for (; (e = hs_machine_feed_next(feed)) != NULL && e->at_us <= until_us;
         hs_machine_feed_advance(feed))
        add_change(x, e->at_us, machines->is_dated, EXPLAIN_MACHINE, e->node, e->change);
    hs_machine_feed_close(feed);
}

enum hs_status explain_load_changes(struct explain *x)
{
    const struct hs_json *config = x->manifest.config;
    const char *faults = hs_json_text(hs_json_get(config, "faults"));
    const double origin_s = hs_json_number(hs_json_get(hs_json_root(x->manifest.doc), "origin"));
    struct hs_machines machines = {0};
    struct hs_reservations *r = &x->reservations;
    char path[HS_PATH_SIZE];
    int64_t seed = 0;
    x->epoch_us = origin_s > 0 ? (int64_t)(origin_s * HS_US_PER_S + 0.5) : 0;
    if (faults != NULL && hs_json_int(hs_json_get(config, "seed"), &seed)) {
        machines.law.seed = (uint64_t)seed;
        HS_TRY(hs_machines_parse_law(&machines, faults, &x->arena, x->diag));
    } else if (hs_runmanifest_kept(&x->manifest, HS_KEPT_EVENTS, path) != NULL) {
        HS_TRY(hs_machines_load(&machines, path, &x->cluster, &x->arena, x->diag));
    }
    if (hs_runmanifest_kept(&x->manifest, HS_KEPT_RESERVATIONS, path) != NULL)
        HS_TRY(hs_reservations_load(r, path, &x->cluster, x->diag));
    if ((machines.is_dated || r->is_dated) && !(origin_s > 0))
        hs_report(x->diag, HS_WARNING, &(struct hs_place){.file = x->dir}, NULL,
                  "the run states no date of its first submission: events and reservations by date "
                  "are taken as of the wrong time");
    if (hs_machines_are_any(&machines))
        add_machines(x, &machines);
    for (uint32_t i = 0; i < r->count; i++) {
        add_change(x, r->of[i].start_us, r->is_dated, EXPLAIN_WINDOW_BEGIN, i, HS_MACHINE_UP);
        add_change(x, r->of[i].end_us, r->is_dated, EXPLAIN_WINDOW_END, i, HS_MACHINE_UP);
    }
    if (x->change_count > 0)
        qsort(x->changes, x->change_count, sizeof *x->changes, compare_changes);
    return HS_OK;
}
