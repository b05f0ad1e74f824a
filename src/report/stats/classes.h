/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The classes of a completed job: all jobs; its GPU count; the quintile of its user among all users
 * by GPU time; its recorded outcome; the class that its user asked for, where any job asks for one;
 * its virtual cluster.
 *
 * Users and VCs stand in arrays by the engine's ids: memory follows them, not jobs.
 */
#ifndef HORUS_REPORT_STATS_CLASSES_H
#define HORUS_REPORT_STATS_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "horus/observe.h"
#include "report/run/summary.h"

/* Indices of classes. */
enum {
    HS_CLASS_ALL = 0,
    HS_CLASS_GPUS = 1, /* 0, 1, 2-4, 5-8, 9-16, 17-32, >32 */
    HS_CLASS_GPUS_COUNT = 7,
    HS_CLASS_QUINTILE = HS_CLASS_GPUS + HS_CLASS_GPUS_COUNT,
    HS_CLASS_QUINTILES = 5,
    HS_CLASS_OUTCOME = HS_CLASS_QUINTILE + HS_CLASS_QUINTILES,
    HS_CLASS_JOB = HS_CLASS_OUTCOME + HS_OUTCOME_COUNT, /* enum hs_job_class */
    HS_CLASS_VC = HS_CLASS_JOB + HS_JOB_CLASS_COUNT,
    /* named VCs; jobs of further ones share the last class, "(others)" */
    HS_CLASS_VCS_MAX = HS_CLASSES_MAX - HS_CLASS_VC,
    /* Jobs of one size, outcome and job class: the statistics count a job once for its cell, and
     * add the cells up to classes. */
    HS_CELLS = HS_CLASS_GPUS_COUNT * HS_OUTCOME_COUNT * HS_JOB_CLASS_COUNT,
    HS_CLASSES_OF_CELL = 4, /* all, GPUs, outcome, job class */
    HS_CLASSES_OF_JOB = HS_CLASSES_OF_CELL + 2
};
_Static_assert(HS_CLASSES_MAX <= UINT8_MAX && HS_CELLS <= UINT8_MAX, "bytes of a sample");

/* What the classes of a completed job are found by. */
struct hs_class_key {
    uint32_t user;
    uint8_t cell;
    uint8_t vc; /* index of a class */
};

struct hs_user_account {
    hs_u128 milli_us;      /* thousandths of GPUs held x time, all jobs */
    hs_u128 need, sojourn; /* sums of thousandths x isolated and x JCT, for the fairness index */
    uint64_t jobs;         /* completed */
    uint8_t quintile;      /* once the users are ranked */
};

struct hs_classes {
    struct hs_user_account *users;
    uint32_t user_count, user_cap;
    struct hs_intern vcs;
    uint32_t *vc_of; /* by the engine's ids: VC + 1; 0 = no job of it yet */
    uint32_t vc_of_cap;
    /* some completed job has a name of that kind, or asks for a class */
    bool has_users, has_vcs, has_job_classes;
};

void hs_classes_open(struct hs_classes *c);
/* Books the GPU time of a job that ended; of a job that is done also fills *key, NULL otherwise. */
void hs_classes_add(struct hs_classes *c, const struct hs_job_record *job,
                    struct hs_class_key *key);
/* After the last job: ranks the users. With fewer users than quintiles there are no such classes.
 */
void hs_classes_rank_users(struct hs_classes *c);
/* After that: the classes of the jobs of a cell; returns how many. */
static inline uint32_t hs_classes_of_cell(const struct hs_classes *c, uint32_t cell,
                                          uint32_t of[HS_CLASSES_OF_CELL])
{
    of[0] = HS_CLASS_ALL;
    of[1] = HS_CLASS_JOB + cell % HS_JOB_CLASS_COUNT;
    of[2] = HS_CLASS_OUTCOME + cell / HS_JOB_CLASS_COUNT % HS_OUTCOME_COUNT;
    of[3] = HS_CLASS_GPUS + cell / HS_JOB_CLASS_COUNT / HS_OUTCOME_COUNT;
    if (c->has_job_classes)
        return 4;
    of[1] = of[3];
    return 3;
}
/* The classes of a job beside those of its cell. */
static inline uint32_t hs_classes_beside(const struct hs_classes *c, const struct hs_class_key *key,
                                         uint32_t of[HS_CLASSES_OF_JOB - HS_CLASSES_OF_CELL])
{
    uint32_t count = 0;
    if (c->has_users)
        of[count++] = HS_CLASS_QUINTILE + c->users[key->user].quintile;
    if (c->has_vcs)
        of[count++] = key->vc;
    return count;
}
/* One more than the largest index of a class that a job can have. */
uint32_t hs_classes_count(const struct hs_classes *c);
/* HS_CLASS_GPUS + this: the class of a gang of so many GPUs. */
uint32_t hs_class_of_gpus(uint32_t gpus);
/* Kind and name of class `index` > 0. c may be NULL below HS_CLASS_VC. */
void hs_classes_name(const struct hs_classes *c, uint32_t index, struct hs_class *out);
/* Jain's index over users of need / sojourn, the GPU-time-weighted inverse slowdown; NaN with fewer
 * than two. */
double hs_classes_jain(const struct hs_classes *c);
void hs_classes_close(struct hs_classes *c);

#endif
