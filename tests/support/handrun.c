/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See handrun.h.
 */
#include "support/handrun.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "horus/policy.h"
#include "report/run/manifest.h"

#define S HS_US_PER_S

static struct hs_gpu_type types[] = {{.name = "V100", .speed_q32 = HS_Q32_ONE}};
static struct hs_node nodes[] = {
    {.name = "n0", .first_gpu = 0, .gpus = 2},
    {.name = "n1", .first_gpu = 2, .gpus = 2},
};

static struct hs_job_record job_a(void)
{
    return (struct hs_job_record){.id = "a",
                                  .user = "u1",
                                  .vc = "v",
                                  .model = "resnet50",
                                  .dataset = "ImageNet",
                                  .precision = "amp",
                                  .batch = "64",
                                  .gpu_type = "V100",
                                  .reason = "",
                                  .index = 0,
                                  .user_index = 1,
                                  .gpus = 2,
                                  .gpu_milli = HS_GPU_MILLI,
                                  .nodes_spanned = 1,
                                  .submit_us = 0,
                                  .first_start_us = -1,
                                  .finish_us = -1,
                                  .first_progress_us = -1,
                                  .work_us = 10 * S,
                                  .deadline_us = -1,
                                  .job_class = HS_JOB_CLASS_GUARANTEED,
                                  .gpu_util_pm = 500,
                                  .predicted_util_pm = 480,
                                  .estimate_us = 8 * S + S / 4,
                                  .profile_from = HS_PROFILE_FROM_TRACE,
                                  .outcome = HS_OUTCOME_COMPLETED};
}

static struct hs_job_record job_like_a(const char *id, uint64_t index, uint32_t gpus,
                                       int64_t submit_us, int64_t work_us)
{
    struct hs_job_record job = job_a();
    job.id = id;
    job.model = job.dataset = job.batch = job.precision = "";
    job.index = index;
    job.gpus = gpus;
    job.submit_us = submit_us;
    job.work_us = work_us;
    job.gpu_util_pm = job.predicted_util_pm = -1;
    job.estimate_us = -1;
    job.job_class = HS_JOB_CLASS_AUTO;
    job.profile_from = HS_PROFILE_FROM_NOWHERE;
    return job;
}

static void submit(const struct hs_report *report, const struct hs_job_record *job)
{
    const struct hs_observer *o;
    const struct hs_submission submission = {.user = job->user,
                                             .vc = job->vc,
                                             .index = job->index,
                                             .work_us = job->work_us,
                                             .gpus = job->gpus,
                                             .gpu_milli = job->gpu_milli,
                                             .profile = job->profile,
                                             .gpu_util_pm = job->gpu_util_pm};
    for (size_t i = 0; (o = hs_report_observer(report, i)) != NULL; i++)
        if (o->on_submit != NULL)
            assert_int_equal(o->on_submit(o->ctx, job->submit_us, &submission), HS_OK);
}

static void start(const struct hs_report *report, struct hs_job_record *job, int64_t now_us,
                  const uint32_t *gpus)
{
    const struct hs_observer *o;
    if (job->first_start_us < 0)
        job->first_start_us = now_us;
    if (job->first_progress_us < 0)
        job->first_progress_us = now_us;
    job->state = HS_JOB_RUNNING;
    for (size_t i = 0; (o = hs_report_observer(report, i)) != NULL; i++)
        if (o->on_start != NULL)
            assert_int_equal(o->on_start(o->ctx, now_us, job, gpus, job->gpus), HS_OK);
}

/* The job makes progress from its first progress on. */
static void stop(const struct hs_report *report, struct hs_job_record *job, int64_t start_us,
                 int64_t end_us, const uint32_t *gpus, enum hs_segment_end why)
{
    const struct hs_observer *o;
    int64_t held_us = end_us - start_us;
    int64_t cost_us = job->first_progress_us > start_us ? job->first_progress_us - start_us : 0;
    job->done_ns += (held_us - cost_us) * HS_NS_PER_US;
    job->run_us += held_us;
    job->overhead_us += cost_us;
    job->gpu_us += held_us * job->gpus;
    job->preemptions += why == HS_SEGMENT_PREEMPT;
    job->switches += why == HS_SEGMENT_SUSPEND;
    const struct hs_segment segment = {.job = job,
                                       .start_us = start_us,
                                       .end_us = end_us,
                                       .done_ns = (held_us - cost_us) * HS_NS_PER_US,
                                       .gpus = gpus,
                                       .gpu_count = job->gpus,
                                       .max_tenants = 1,
                                       .ended_by = why};
    for (size_t i = 0; (o = hs_report_observer(report, i)) != NULL; i++)
        if (o->on_segment != NULL)
            assert_int_equal(o->on_segment(o->ctx, &segment), HS_OK);
}

static void decide(const struct hs_report *report, const struct hs_job_record *job, int64_t now_us,
                   struct hs_decision decision)
{
    const struct hs_observer *o;
    decision.job = job;
    for (size_t i = 0; (o = hs_report_observer(report, i)) != NULL; i++)
        if (o->on_decision != NULL)
            assert_int_equal(o->on_decision(o->ctx, now_us, &decision), HS_OK);
}

static void finish(const struct hs_report *report, struct hs_job_record *job, int64_t now_us,
                   enum hs_job_state state)
{
    const struct hs_observer *o;
    job->state = state;
    job->finish_us = state == HS_JOB_DONE ? now_us : -1;
    for (size_t i = 0; (o = hs_report_observer(report, i)) != NULL; i++) {
        if (o->on_finish != NULL)
            assert_int_equal(o->on_finish(o->ctx, now_us, job), HS_OK);
        if (state == HS_JOB_REJECTED && o->on_reject != NULL)
            assert_int_equal(o->on_reject(o->ctx, now_us, job), HS_OK);
    }
}

static void instant(const struct hs_report *report, struct hs_instant state)
{
    state.milli_held = state.gpus_held * HS_GPU_MILLI;
    const struct hs_observer *o;
    for (size_t i = 0; (o = hs_report_observer(report, i)) != NULL; i++)
        if (o->on_instant != NULL)
            assert_int_equal(o->on_instant(o->ctx, &state), HS_OK);
}

void handrun_cluster(struct hs_cluster *cluster)
{
    *cluster = (struct hs_cluster){.nodes = nodes,
                                   .types = types,
                                   .node_count = 2,
                                   .gpu_count = 4,
                                   .type_count = 1,
                                   .max_node_gpus = 2};
}

void handrun_play(const struct hs_report *r)
{
    static const uint32_t all[] = {0, 1, 2, 3};
    struct hs_job_record a = job_a();
    struct hs_job_record b = job_like_a("b", 1, 4, 1 * S, 4 * S);
    struct hs_job_record c = job_like_a("c", 2, 1, 2 * S, 4 * S);
    struct hs_job_record d = job_like_a("d", 3, 8, 5 * S, 1 * S);
    b.user_index = d.user_index = 2;
    b.user = d.user = "u2";
    b.outcome = HS_OUTCOME_FAILED;
    b.nodes_spanned = 2;
    c.job_class = HS_JOB_CLASS_OPPORTUNISTIC;
    d.job_class = HS_JOB_CLASS_GUARANTEED;
    d.gpu_type = "";
    d.nodes_spanned = 0;
    d.reason = "needs 8 GPUs, the cluster has 4";

    submit(r, &a);
    decide(r, &a, 0,
           (struct hs_decision){.kind = HS_DECISION_START,
                                .triggers = 1u << HS_EVENT_SUBMIT,
                                .gpus = all,
                                .gpu_count = 2});
    start(r, &a, 0, all);
    instant(r, (struct hs_instant){.running = 1,
                                   .gpus_held = 2,
                                   .load_pm_q32 = 1000 * HS_Q32_ONE,
                                   .solo_pm_q32 = 1000});
    submit(r, &b);
    instant(r, (struct hs_instant){.time_us = 1 * S,
                                   .running = 1,
                                   .pending = 1,
                                   .gpus_held = 2,
                                   .gpus_wanted = 4,
                                   .load_pm_q32 = 1000 * HS_Q32_ONE,
                                   .solo_pm_q32 = 1000 * HS_Q32_ONE,
                                   .wait_resources = 4});
    submit(r, &c);
    instant(r, (struct hs_instant){.time_us = 2 * S,
                                   .running = 1,
                                   .pending = 2,
                                   .gpus_held = 2,
                                   .gpus_wanted = 5,
                                   .gpus_fragmented = 2,
                                   .load_pm_q32 = 1000 * HS_Q32_ONE,
                                   .solo_pm_q32 = 1000 * HS_Q32_ONE,
                                   .wait_resources = 4,
                                   .wait_priority = 1});
    submit(r, &d);
    finish(r, &d, 5 * S, HS_JOB_REJECTED);
    stop(r, &a, 0, 10 * S, all, HS_SEGMENT_FINISH);
    finish(r, &a, 10 * S, HS_JOB_DONE);
    start(r, &b, 10 * S, all);
    instant(r, (struct hs_instant){.time_us = 10 * S,
                                   .running = 1,
                                   .pending = 1,
                                   .gpus_held = 4,
                                   .gpus_wanted = 1,
                                   .wait_resources = 1});
    stop(r, &b, 10 * S, 14 * S, all, HS_SEGMENT_FINISH);
    finish(r, &b, 14 * S, HS_JOB_DONE);
    c.first_progress_us = 15 * S;
    decide(r, &c, 14 * S,
           (struct hs_decision){.kind = HS_DECISION_START,
                                .triggers = 1u << HS_EVENT_FINISH | 1u << HS_EVENT_TIMER,
                                .gpus = all,
                                .gpu_count = 1,
                                .value = 1 * S,
                                .plan_reason = "alone, at last"});
    start(r, &c, 14 * S, all);
    instant(r, (struct hs_instant){.time_us = 14 * S, .running = 1, .gpus_held = 1});
    decide(r, &c, 16 * S,
           (struct hs_decision){
               .kind = HS_DECISION_THROTTLE, .gpus = all, .gpu_count = 1, .value = HS_Q32_ONE / 4});
    decide(
        r, &c, 16 * S,
        (struct hs_decision){.kind = HS_DECISION_LIMIT, .gpus = all, .gpu_count = 1, .value = 512});
    decide(r, &c, 16 * S,
           (struct hs_decision){.kind = HS_DECISION_SUSPEND,
                                .triggers = 1u << HS_EVENT_STEP,
                                .gpus = all,
                                .gpu_count = 1});
    stop(r, &c, 14 * S, 16 * S, all, HS_SEGMENT_SUSPEND);
    instant(r, (struct hs_instant){
                   .time_us = 16 * S,
                   .suspended = 1,
                   .gpus_wanted = 1,
                   .wait_priority = 1,
                   .policy_counter = {
                       [HS_POLICY_COUNTER_TRIAL_KEPT] = 1, [HS_POLICY_COUNTER_TRIAL_UNDONE] = 1}});
    c.host_mib_us = 300 * S;
    start(r, &c, 17 * S, all + 3);
    instant(r, (struct hs_instant){
                   .time_us = 17 * S,
                   .running = 1,
                   .gpus_held = 1,
                   .policy_counter = {
                       [HS_POLICY_COUNTER_TRIAL_KEPT] = 1, [HS_POLICY_COUNTER_TRIAL_UNDONE] = 1}});
    stop(r, &c, 17 * S, 18 * S, all + 3, HS_SEGMENT_PREEMPT);
    start(r, &c, 18 * S, all + 2);
    instant(r, (struct hs_instant){
                   .time_us = 18 * S,
                   .running = 1,
                   .gpus_held = 1,
                   .policy_counter = {
                       [HS_POLICY_COUNTER_TRIAL_KEPT] = 2, [HS_POLICY_COUNTER_TRIAL_UNDONE] = 1}});
    stop(r, &c, 18 * S, 20 * S, all + 2, HS_SEGMENT_FINISH);
    c.retries = 2; /* as if two attempts of no length had failed */
    finish(r, &c, 20 * S, HS_JOB_DONE);
    instant(r, (struct hs_instant){
                   .time_us = 20 * S,
                   .policy_counter = {
                       [HS_POLICY_COUNTER_TRIAL_KEPT] = 2, [HS_POLICY_COUNTER_TRIAL_UNDONE] = 1}});
}

static void write_config(void *ctx, struct hs_jsonw *w)
{
    (void)ctx;
    hs_jsonw_put(w, "={");
    hs_jsonw_put(w, "trace=%s", "hand.csv");
    hs_jsonw_put(w, "}");
}

void handrun_write(const char *path, struct hs_summary *summary, struct hs_diag *diag)
{
    static const struct hs_card card = {
        .workload = "handrun", .cluster = "2x2:V100", .seed = 1, .policy = "none"};
    static const struct hs_semantics semantics = {
        .order = "hand", .scan = "none", .preemption = "by hand"};
    struct hs_rundir dir;
    struct hs_cluster cluster;
    struct hs_report *report;
    struct hs_output_file files[8];
    uint32_t count;
    handrun_cluster(&cluster);
    assert_int_equal(hs_rundir_open(&dir, path, false, diag), HS_OK);
    const struct hs_report_options options = {.dir = &dir,
                                              .cluster = &cluster,
                                              .workload_name = "handrun",
                                              .semantics = &semantics,
                                              .outputs = HS_OUT_ALL | HS_OUT_DECISIONS | HS_OUT_SWF,
                                              .sample_us = -1,
                                              .is_preemptive = true};
    assert_int_equal(hs_report_open(&report, &options, diag), HS_OK);
    handrun_play(report);
    assert_int_equal(hs_report_finish(report, HANDRUN_END_US, summary, diag), HS_OK);
    const struct hs_output_file *rows = hs_report_files(report, &count);
    for (uint32_t i = 0; i < count; i++)
        files[i] = rows[i];
    assert_int_equal(hs_summary_write(summary, &card, &dir, files + count, diag), HS_OK);
    hs_report_close(report);
    const struct hs_manifest manifest = {.status = "complete",
                                         .card = &card,
                                         .seed = 1,
                                         .write_config = write_config,
                                         .outputs = files,
                                         .output_count = count + HS_SUMMARY_FILES};
    assert_int_equal(hs_manifest_write(&manifest, &dir, diag), HS_OK);
    assert_int_equal(hs_rundir_close(&dir, HS_OK, diag), HS_OK);
}
