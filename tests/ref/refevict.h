/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of classes, notices, quotas that are lent within cohorts, and reclaim, from
 * MODEL.md 16. GPUs held, free or lent are counted anew from all jobs each time. In microseconds.
 *
 *     struct evict s = {.order = EVICT_FIFO, .vc_count = 1, .quotas = {{.parent = -1, ...}}};
 *     bool all_done = evict_simulate(&s, &world, horizon_us);
 *     free(world.segments);
 *
 * Readings of the text where it leaves room:
 *   - A submission or an end makes every virtual cluster decide, the end of a notice its own, or
 *     under reclaim all.
 *   - A job that a decision stops does not wait before the next one.
 *   - A job that a virtual cluster may never hold is rejected.
 *   - A job whose claim cannot be met claims all the same.
 */
#ifndef HORUS_TESTS_REFEVICT_H
#define HORUS_TESTS_REFEVICT_H

#include <stdbool.h>
#include <stdint.h>

#include "reftasks.h"

#define EVICT_VCS_MAX    4
#define EVICT_QUOTAS_MAX 8 /* virtual clusters, then cohorts */
#define EVICT_TIMES_MAX  20000

enum evict_order { EVICT_FIFO, EVICT_SJF, EVICT_QSSF, EVICT_SRTF };

struct evict_quota {
    int parent;       /* a quota; -1 = none */
    int gpus;         /* its own */
    int borrow, lend; /* limits; -1 = none */
};

struct evict {
    enum evict_order order;
    bool skips;                      /* scan=fit; srtf always */
    bool has_classes, class_evicts;  /* srtf: the same */
    bool has_levels, level_preempts; /* likewise */
    int64_t ageing_us, grace_us;
    bool reclaims;
    int vc_count, quota_count;
    struct evict_quota quotas[EVICT_QUOTAS_MAX];
};

/* False if the jobs are not all done by the horizon. */
bool evict_simulate(const struct evict *s, struct ref_world *w, int64_t horizon_us);

#endif
