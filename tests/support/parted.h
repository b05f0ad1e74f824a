/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the engine and the reference of shares (ref/refparts.h): the same cluster and jobs for
 * both, and what the engine does watched while it does it.
 *
 *     parted_cluster(&s, text, sizeof text);             // as JSON
 *     parted_jobs(&s, jobs, count, mine);                // as the reference wants them
 *     options.observer = parted_watch(&w, &s);           // then run the engine
 *     assert_string_equal(w.broken, "");
 *
 * GPU types are X0, X1, ..., virtual clusters v0, v1, ...
 */
#ifndef HORUS_TESTS_PARTED_H
#define HORUS_TESTS_PARTED_H

#include <stddef.h>

#include "ref/refparts.h"
#include "support/run.h"

/* What holds whatever the policy: at most 1000 thousandths of a GPU (hence no share of one that is
 * held whole), workers of a job on different GPUs, of types that will do and with the memory that
 * they want, CPU and host memory of the nodes, pools and quotas of the virtual clusters. And what
 * it adds up to. */
struct parted_watch {
    struct hs_observer observer;
    const struct parts *s;
    int milli[PARTS_GPUS_MAX], tenants[PARTS_GPUS_MAX];
    int64_t cpus_milli[PARTS_NODES_MAX], mem_mib[PARTS_NODES_MAX], vc_milli[PARTS_VCS_MAX];
    int64_t seen_us;
    int64_t held_us, milli_us; /* GPUs, thousandths of them, x time */
    char broken[256];          /* the first rule that was */
};

void parted_cluster(const struct parts *s, char *json, size_t size);
/* Into mine, and that into s. */
void parted_jobs(struct parts *s, const struct hs_test_job *jobs, int count,
                 struct parts_job *mine);
/* From now on it watches one run. */
const struct hs_observer *parted_watch(struct parted_watch *w, const struct parts *s);

#endif
