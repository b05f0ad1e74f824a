/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * EASY backfill: the first job in order holds a reservation at the time when enough GPUs will be
 * free, counting GPUs and thousandths of them; a later job starts if it ends by then or fits beside
 * it. By the estimates of the run times (hs_view_estimate_us); a running job that has outrun its
 * own is expected to end now.
 *
 * Jobs wait in classes of those that want as many GPUs, or as large a share of as many: whether one
 * of a class may start depends on its run time alone, so the next that may is one descent. A pass
 * merges the classes by the order of their jobs. O(classes + jobs that may start x (log classes +
 * log n)), whatever the number of those that wait.
 *
 *     HS_TRY(hs_easy_init(&e, v));                    // the scratch of a job begins with its link
 *     hs_easy_add(&e, v, job, hs_view_submit_us(v, job));
 *     hs_easy_scan(&e, v, p, placer);                 // who starts is taken over at once
 */
#ifndef HORUS_POLICIES_KIT_EASY_H
#define HORUS_POLICIES_KIT_EASY_H

#include "policies/kit_order.h"
#include "policies/kit_place.h"

#define HS_EASY_CLASSES 1024u

/* The first of a VC takes in whoever finds no place in the table: all kinds of jobs. A class stays
 * when it is empty. */
struct hs_easy_class {
    struct hs_order jobs;
    uint32_t vc, gpus, milli; /* of each GPU */
    uint32_t next;            /* of the VC: its number + 1; 0 = none */
    bool is_used;
};

struct hs_easy_head {
    hs_job_id job;
    uint32_t set; /* number */
};

struct hs_easy {
    struct hs_easy_class *classes; /* one a VC, and behind them the table */
    struct hs_easy_head *heads;    /* scratch of a pass: a heap, first job in order on top */
    struct hs_order *running;      /* per VC: those that were started, by their expected end */
    bool *is_awake;                /* per VC: something happened since its last pass */
    uint32_t vcs;
};

HS_MUST_USE enum hs_status hs_easy_init(struct hs_easy *e, const struct hs_view *v);
/* A job that waits from now on. */
void hs_easy_add(struct hs_easy *e, const struct hs_view *v, hs_job_id job, int64_t key);
/* The end of a job, whether it was started or turned away. */
void hs_easy_remove(struct hs_easy *e, const struct hs_view *v, hs_job_id job);
void hs_easy_scan(struct hs_easy *e, const struct hs_view *v, struct hs_plan *p,
                  enum hs_placer placer);
/* NULL, or the rule broken: orders valid, all waiting jobs wait. */
const char *hs_easy_check(const struct hs_easy *e, const struct hs_view *v);

#endif
