/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs of a workload, as a stream: same workload, request and seed, same jobs. How many there are
 * and over what span is exact; a request of other jobs or another span makes other jobs.
 *
 *     struct hs_generate_request q = {.name = "venus", .jobs = 100000, .seed = 1};
 *     HS_TRY(hs_generator_open(&g, &q, diag));
 *     struct hs_job_source source = hs_generator_source(g);
 */
#ifndef HORUS_WORKLOAD_GENERATE_H
#define HORUS_WORKLOAD_GENERATE_H

#include "workload/workload.h"

#define HS_GENERATE_PREFIX   "gen:"
#define HS_GENERATE_TEXT_MAX 4096
#define HS_GENERATE_JOBS     10000 /* where neither jobs nor days are given */

struct hs_generate_request {
    const char *name; /* of hs_workload_load */
    uint64_t jobs;    /* 0: as days and rate make them */
    double days;      /* 0: as jobs and rate make them, from four weeks on to whole days if load is
                         0. Rounded to hours */
    double load;      /* 0: the rate of the workload, or jobs / days. Else the rate at which
                         expected GPU time / (gpus x span) is this */
    uint64_t gpus;    /* of the cluster; only load asks for it, 0 = unknown */
    uint64_t seed;
};

/* "gen:philly,n=10000,days=7,load=0.8,gpus=64,seed=1", each after the name may be absent: fills the
 * request and nothing of it that the text does not tell, but for a seed of 1. Writes into text. */
HS_MUST_USE enum hs_status hs_generate_parse(struct hs_generate_request *request, char *text,
                                             struct hs_diag *diag);

struct hs_generator;

HS_MUST_USE enum hs_status hs_generator_open(struct hs_generator **generator,
                                             const struct hs_generate_request *request,
                                             struct hs_diag *diag);
/* Ids are 1, 2, ...; failed jobs of a workload with retries have attempts. */
struct hs_job_source hs_generator_source(struct hs_generator *generator);
enum hs_status hs_generator_next(struct hs_generator *generator, struct hs_trace_job *job);
uint64_t hs_generator_jobs(const struct hs_generator *generator);  /* in all */
uint64_t hs_generator_hours(const struct hs_generator *generator); /* span */
/* Jobs, times and everything else follow from this hash. */
uint64_t hs_generator_hash(const struct hs_generator *generator);
const struct hs_workload *hs_generator_workload(const struct hs_generator *generator);
void hs_generator_close(struct hs_generator *generator); /* NULL is fine */

#endif
