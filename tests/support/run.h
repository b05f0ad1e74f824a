/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A whole run inside a test: jobs in an array, outcomes in an array, every segment kept, with
 * --check=full always on.
 *
 *     struct hs_test_job jobs[] = {{.gpus = 3, .submit_s = 0, .duration_s = 100}, ...};
 *     struct hs_test_result r;
 *     assert_int_equal(hs_test_run(jobs, 2, "1x4", "fifo:scan=strict", &r), HS_OK);
 *     assert_int_equal(r.jobs[1].start_us, 100 * HS_TEST_S);
 *     hs_test_free(&r);
 */
#ifndef HORUS_TESTS_RUN_H
#define HORUS_TESTS_RUN_H

#include <stdint.h>

#include "engine/engine.h"
#include "horus/observe.h"

#define HS_TEST_S        INT64_C(1000000)
#define HS_TEST_ATTEMPTS 6

struct hs_test_job {
    uint32_t gpus;
    int64_t submit_s, duration_s;
    int64_t submit_us, duration_us; /* added to the seconds */
    const char *id;                 /* NULL: its index */
    const char *user, *vc, *gpu_type, *gpu_type_ran;
    int64_t preempt_cost_s;    /* 0 = not given */
    uint32_t gpu_milli;        /* 0 = 1000 */
    uint32_t cpus, cpus_milli; /* added up */
    uint32_t mem_mib, gpu_mem_mib;
    uint32_t gpus_min, gpus_max; /* 0 = gpus */
    int32_t gpu_util_pm;         /* 0 = not given */
    int32_t priority;
    int64_t deadline_s; /* of the trace clock; 0 = none */
    const struct hs_deadline_option *options;
    uint32_t option_count;
    int64_t step_us; /* mini-batch; 0 = not given */
    int64_t steps;   /* of these in all; 0 = not given */
    double steps_per_s;
    struct hs_loss_curve loss; /* b0 0 = not given */
    uint32_t gpu_mem_persistent_mib, checkpoint_mib;
    uint32_t gpu_mem_later_mib; /* its peak after later_us of isolated run time; 0 = no change */
    int64_t later_us;
    enum hs_job_class job_class;
    uint32_t profile;  /* 1 + row of the catalogue; 0 = none */
    const char *model; /* NULL = not given */
    /* Run times before the last, which is duration_s: each of these attempts fails. */
    int64_t failed_s[HS_TEST_ATTEMPTS - 1];
    uint32_t failures;
};

struct hs_test_outcome {
    enum hs_job_state state;
    int64_t start_us, end_us; /* first start, finish; -1 = none */
    int64_t run_us, overhead_us, lost_ns, done_ns;
    uint32_t preemptions, migrations, ooms, attempts, switches;
    int64_t first_progress_us; /* -1 = never */
    int64_t host_mib_us;
    char reason[256];
};

struct hs_test_segment { /* without padding: tests compare its bytes */
    uint32_t job;        /* index */
    uint32_t gpu_count;
    int64_t start_us, end_us, done_ns;
    uint32_t gpus[16]; /* the first of them */
    uint32_t max_tenants;
    enum hs_segment_end ended_by;
};

struct hs_test_result {
    struct hs_test_outcome *jobs;
    struct hs_test_segment *segments;
    struct hs_instant *instants; /* as reported, in order */
    uint32_t job_count, segment_count, segment_cap, instant_count, instant_cap;
    struct hs_engine_figures figures;
    char message[1024]; /* first error reported */
};

/* Options that differ from a plain run. */
struct hs_test_options {
    enum hs_vc_mode vc;
    const char *vc_file, *reservations; /* files; NULL: none */
    uint64_t seed, jitter_seed;
    int64_t until_us; /* 0 = none */
    int64_t startup_us;
    const char *machines; /* "10 n0 down, 30.5 n0 up, 40 n1 slow 0.5"; by time; NULL = none */
    int64_t checkpoint_s, checkpoint_cost_s, restart_s; /* checkpoint_s -1: Young and Daly */
    const struct hs_fault_law *faults; /* with machines: its means only, no draws */
    double excess;                     /* slowdown beside another job is 1 + this; 0 = none */
    const struct hs_interference *interference; /* instead of it */
    const struct hs_speed *speed;               /* with locality */
    uint64_t rack_q32;
    const struct hs_host *host;
    const struct hs_stages *stages;
    const struct hs_predictor *predictor;
    const struct hs_catalogue *catalogue;
    const struct hs_overheads *restart;
    const struct hs_overheads *memcurve;
    uint32_t storage_mib_per_s;
    uint32_t memory_reserve_mib;
    int64_t oom_delay_s;  /* 0 = 30 */
    uint32_t oom_retries; /* 0 = 2 */
    uint32_t max_tenants; /* 0 = 2 */
    bool scans_shared;    /* without the index of shared GPUs */
    bool checks_fast;     /* --check=fast, of large runs */
    bool keeps_ends_only; /* no segments, no instants: millions of them */
    int64_t fork_us;      /* from then on the policy is: 0 = never */
    const char *fork_to;
    const struct hs_policy_ops *policy; /* instead of a registered one; its defaults */
    const struct hs_observer *observer; /* one more */
};

enum hs_status hs_test_run(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                           const char *policy, struct hs_test_result *result);
enum hs_status hs_test_run_with(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                                const char *policy, const struct hs_test_options *options,
                                struct hs_test_result *result);
void hs_test_free(struct hs_test_result *result);

#endif
