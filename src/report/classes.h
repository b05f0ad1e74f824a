/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which classes of jobs a completed job belongs to: all; its GPU count; the quintile of its user
 * among all users by GPU time; its recorded outcome; what its user asked for, where any job asks
 * for something; its virtual cluster.
 *
 * Users and VCs stand in arrays by the engine's ids: memory follows them, not jobs.
 */
#ifndef HORUS_REPORT_CLASSES_H
#define HORUS_REPORT_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "horus/observe.h"
#include "report/report.h"
#include "report/sample.h"

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
};
_Static_assert(HS_CLASS_VCS_MAX <= UINT8_MAX, "a sample holds them in a byte");

/* GPU count, outcome and what the user asked for together: of one kind are jobs that share all
 * classes but those of user and VC. */
enum { HS_KINDS = HS_CLASS_GPUS_COUNT * HS_OUTCOME_COUNT * HS_JOB_CLASS_COUNT };
_Static_assert(HS_KINDS <= UINT8_MAX, "a sample holds it in a byte");

/* Each end of a job looks one up: apart from what is only added up behind the last. */
struct hs_user_account {
    hs_u128 milli_us; /* thousandths of GPUs held x time, all jobs */
    uint64_t jobs;    /* completed */
};
struct hs_user_share {
    hs_u128 need, stay; /* sums of thousandths x isolated and x JCT, for the fairness index */
};

struct hs_classes {
    struct hs_user_account *users;
    uint8_t *quintiles;           /* by user, once they are ranked; */
    struct hs_user_share *shares; /* likewise */
    uint32_t user_count, user_cap;
    struct hs_intern vcs;
    uint32_t *vc_of; /* by the engine's ids: VC + 1; 0 = no job of it yet */
    uint32_t vc_of_cap;
    bool has_kind[HS_KINDS]; /* a completed job is of it */
    uint32_t seen; /* after the last job: bit k: one is in class k; of those before the VCs */
    bool has_users, has_vcs; /* somebody had a name */
};

HS_MUST_USE enum hs_status hs_classes_open(struct hs_classes *c);
/* Books the GPU time of a job that ended. */
HS_MUST_USE enum hs_status hs_classes_book(struct hs_classes *c, const struct hs_job_record *job);
/* And of one that is done, of which it tells the user and the classes. */
HS_MUST_USE enum hs_status hs_classes_book_done(struct hs_classes *c,
                                                const struct hs_job_record *job,
                                                struct hs_job_place *place);
/* After the last job: ranks the users, and tells which classes there are. */
HS_MUST_USE enum hs_status hs_classes_settle(struct hs_classes *c);
uint32_t hs_classes_count(const struct hs_classes *c);
/* Is every completed job in class `index`? Its figures are then those of all. */
bool hs_classes_is_all(const struct hs_classes *c, uint32_t index);
/* The classes of the jobs of a kind, a bit each, of those that are not all; HS_CLASS_ALL itself is
 * among them. Of every job two more where the jobs have them: the quintile of its user and its VC.
 * After the last job. */
uint32_t hs_classes_of_kind(const struct hs_classes *c, uint32_t kind);
bool hs_classes_has_vcs(const struct hs_classes *c); /* and several */
/* HS_CLASS_GPUS + this: the class of a gang of so many GPUs. */
uint32_t hs_class_of_gpus(uint32_t gpus);
/* kind and name of class `index` > 0. */
void hs_classes_name(const struct hs_classes *c, uint32_t index, struct hs_class *out);
/* Jain's index over users of need / stay, the GPU-time-weighted inverse slowdown; NaN with fewer
 * than two. */
double hs_classes_jain(const struct hs_classes *c);
void hs_classes_close(struct hs_classes *c);

#endif
