/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refshare.h.
 */
#include "refshare.h"

#include <stddef.h>
#include <string.h>

/* ---- jobs on GPUs ---- */

static int node_of(const struct share_scenario *s, int gpu)
{
    int node = 0;
    while (gpu >= s->node_gpus[node])
        gpu -= s->node_gpus[node++];
    return node;
}

static int type_of(const struct share_scenario *s, int gpu)
{
    return s->node_type[node_of(s, gpu)];
}

static bool may_use(const struct share_scenario *s, const struct share_job *j, int type)
{
    return (j->type < 0 || j->type == type) &&
           (s->type_mem_mib[type] == 0 || j->mem_mib <= s->type_mem_mib[type]);
}

/* Number of all GPUs; or of those that the job may use. */
static int gpus_for(const struct share_scenario *s, const struct share_job *j)
{
    int count = 0;
    for (int n = 0; n < s->node_count; n++)
        if (j == NULL || may_use(s, j, s->node_type[n]))
            count += s->node_gpus[n];
    return count;
}

static bool sits_on(const struct share_job *j, int gpu)
{
    for (int i = 0; j->is_placed && i < j->gpus; i++)
        if (j->held[i] == gpu)
            return true;
    return false;
}

static int tenants_of(const struct share_scenario *s, int gpu)
{
    int count = 0;
    for (int j = 0; j < s->job_count; j++)
        count += sits_on(&s->jobs[j], gpu);
    return count;
}

/* Whether the job placed last is to be killed (MODEL.md 5): there is no room for it beside the
 * earlier ones. */
static bool is_overflowing(const struct share_scenario *s, const struct share_job *job)
{
    for (int i = 0; i < job->gpus; i++) {
        int gpu = job->held[i], before = 0;
        int64_t used_mib = job->mem_mib, mem_mib = s->type_mem_mib[type_of(s, gpu)];
        for (int j = 0; j < s->job_count; j++)
            if (sits_on(&s->jobs[j], gpu) && s->jobs[j].placing < job->placing) {
                used_mib += s->jobs[j].mem_mib;
                before++;
            }
        if (mem_mib > 0 && before > 0 && used_mib > mem_mib - s->rules.reserve_mib)
            return true;
    }
    return false;
}

/* ---- predictions ---- */

static int64_t known_pm(int util_pm)
{
    return util_pm < 0 ? 1000 : util_pm;
}

static int64_t estimate_mib(const struct share_job *j)
{
    int64_t seen_mib = j->mem_mib * 5 / 4;
    return j->ooms > 0 && seen_mib > j->predicted_mib ? seen_mib : j->predicted_mib;
}

static bool is_loner(const struct share_scenario *s, const struct share_job *j)
{
    return j->ooms >= s->oom_retries || j->gpus > s->rules.share_up_to;
}

/* ---- time ---- */

static uint64_t rate_q32(const struct share_scenario *s, const struct share_job *j)
{
    uint64_t slowest_q32 = UINT64_MAX;
    for (int i = 0; i < j->gpus; i++) {
        uint64_t speed_q32 = s->type_speed_q32[type_of(s, j->held[i])];
        if (tenants_of(s, j->held[i]) > 1) {
            uint64_t inverse_q32 = (UINT64_C(1) << 52) / s->slowdown_q20;
            speed_q32 = (uint64_t)((hs_u128)speed_q32 * inverse_q32 >> 32);
        }
        slowest_q32 = speed_q32 < slowest_q32 ? speed_q32 : slowest_q32;
    }
    return slowest_q32;
}

static int64_t next_of(const struct share_scenario *s, const struct share_job *j, int64_t now_us)
{
    if (!j->is_submitted)
        return j->submit_us;
    if (!j->is_placed)
        return REF_NEVER;
    hs_u128 left = ref_work(j->duration_us) - j->done;
    int64_t end_us = ref_finish_us(now_us, left, rate_q32(s, j));
    return j->oom_us < end_us ? j->oom_us : end_us;
}

static int64_t next_instant(const struct share_scenario *s, int64_t now_us)
{
    int64_t next_us = REF_NEVER;
    for (int j = 0; j < s->job_count; j++) {
        int64_t at_us = next_of(s, &s->jobs[j], now_us);
        next_us = at_us < next_us ? at_us : next_us;
    }
    return next_us;
}

static void pass_time(struct share_scenario *s, int64_t dt_us)
{
    for (int j = 0; j < s->job_count; j++) {
        struct share_job *job = &s->jobs[j];
        if (job->is_placed)
            job->done = ref_worked(job->done, ref_work(job->duration_us), rate_q32(s, job), dt_us);
    }
}

/* ---- ends ---- */

static void leave(struct share_scenario *s, int job, int64_t now_us, bool is_oom)
{
    struct share_job *j = &s->jobs[job];
    struct share_segment *g = &s->segments[s->segment_count++];
    *g = (struct share_segment){.job = job,
                                .start_us = j->since_us,
                                .end_us = now_us,
                                .done_ns = ref_work_ns(j->done),
                                .gpu_count = j->gpus,
                                .most_tenants = j->most_tenants,
                                .is_oom = is_oom};
    memcpy(g->gpus, j->held, sizeof g->gpus);
    j->is_placed = false;
    j->is_over = !is_oom;
    if (is_oom) {
        j->ooms++;
        j->lost_ns += ref_work_ns(j->done);
        j->done = 0;
    } else {
        j->end_us = now_us;
    }
}

static void relieve(struct share_scenario *s)
{
    for (int j = 0; j < s->job_count; j++)
        if (s->jobs[j].is_placed && !is_overflowing(s, &s->jobs[j]))
            s->jobs[j].oom_us = REF_NEVER;
}

static void end_what_is_due(struct share_scenario *s, int64_t now_us)
{
    for (int job = 0; job < s->job_count; job++) {
        struct share_job *j = &s->jobs[job];
        if (j->is_placed && j->done == ref_work(j->duration_us))
            leave(s, job, now_us, false);
        else if (j->is_placed && j->oom_us == now_us && is_overflowing(s, j))
            leave(s, job, now_us, true);
    }
    relieve(s);
}

static void submit_what_is_due(struct share_scenario *s, int64_t now_us)
{
    for (int job = 0; job < s->job_count; job++) {
        struct share_job *j = &s->jobs[job];
        if (j->is_submitted || j->submit_us != now_us)
            continue;
        j->is_submitted = true;
        j->is_rejected = j->is_over = j->gpus > gpus_for(s, j);
    }
}

/* ---- the policy ---- */

static bool goes_before(const struct share_scenario *s, int a, int b)
{
    int64_t util_a = known_pm(s->jobs[a].util_pm), util_b = known_pm(s->jobs[b].util_pm);
    if (s->order == SHARE_WINDOW_UTIL && util_a != util_b)
        return util_a < util_b;
    return s->jobs[a].submit_us != s->jobs[b].submit_us
               ? s->jobs[a].submit_us < s->jobs[b].submit_us
               : a < b;
}

static int sort_waiting(const struct share_scenario *s, int *order)
{
    int count = 0;
    for (int j = 0; j < s->job_count; j++) {
        if (!s->jobs[j].is_submitted || s->jobs[j].is_placed || s->jobs[j].is_over)
            continue;
        int at = count++;
        for (; at > 0 && goes_before(s, j, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
    return count;
}

static int64_t lag_q20(const struct share_scenario *s, int type)
{
    uint64_t fastest_q32 = 0;
    for (int n = 0; n < s->node_count; n++)
        if (s->type_speed_q32[s->node_type[n]] > fastest_q32)
            fastest_q32 = s->type_speed_q32[s->node_type[n]];
    return (int64_t)(((fastest_q32 - s->type_speed_q32[type]) << 20) / fastest_q32);
}

static int fill_gpus(const struct share_scenario *s, const struct share_job *newcomer,
                     struct place_gpu *gpus)
{
    int count = gpus_for(s, NULL);
    for (int g = 0; g < count; g++) {
        int node = node_of(s, g), type = s->node_type[node];
        gpus[g] = (struct place_gpu){.node = node,
                                     .rack = s->node_rack[node],
                                     .mem_mib = s->type_mem_mib[type],
                                     .lag_q20 = lag_q20(s, type),
                                     .is_barred = !may_use(s, newcomer, type)};
        for (int j = 0; j < s->job_count; j++) {
            const struct share_job *tenant = &s->jobs[j];
            if (!sits_on(tenant, g))
                continue;
            gpus[g].tenants++;
            gpus[g].util_pm += known_pm(tenant->util_pm);
            gpus[g].used_mib += estimate_mib(tenant);
            gpus[g].has_loner |= is_loner(s, tenant);
        }
    }
    return count;
}

static void sort_ids(int *ids, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && ids[k] < ids[k - 1]; k--) {
            int swap = ids[k];
            ids[k] = ids[k - 1];
            ids[k - 1] = swap;
        }
}

static bool try_start(struct share_scenario *s, struct share_job *j, int64_t now_us)
{
    struct place_gpu gpus[PLACE_GPUS_MAX];
    const struct place_request request = {.gpus = j->gpus,
                                          .util_pm = known_pm(j->util_pm),
                                          .peak_pm = known_pm(j->peak_pm),
                                          .mem_mib = estimate_mib(j),
                                          .is_loner = j->ooms >= s->oom_retries};
    int count = fill_gpus(s, j, gpus);
    if (!place_find(&s->rules, gpus, count, &request, j->held))
        return false;
    sort_ids(j->held, j->gpus);
    j->is_placed = true;
    j->start_us = j->start_us < 0 ? now_us : j->start_us;
    j->since_us = now_us;
    j->most_tenants = 0;
    j->placing = ++s->placings;
    j->oom_us = is_overflowing(s, j) ? now_us + s->oom_delay_us : REF_NEVER;
    return true;
}

/* Starts one job; false if there is none to start. */
static bool start_one(struct share_scenario *s, int64_t now_us)
{
    int order[SHARE_JOBS_MAX], count = sort_waiting(s, order);
    bool is_window = s->order == SHARE_WINDOW_UTIL || s->order == SHARE_WINDOW_SUBMIT;
    int reach = is_window ? s->look_ahead : s->order == SHARE_STRICT ? 1 : count;
    for (int i = 0; i < count && i < reach; i++)
        if (try_start(s, &s->jobs[order[i]], now_us))
            return true;
    return false;
}

static void schedule(struct share_scenario *s, int64_t now_us)
{
    while (start_one(s, now_us))
        continue;
    relieve(s);
    for (int j = 0; j < s->job_count; j++)
        for (int i = 0; s->jobs[j].is_placed && i < s->jobs[j].gpus; i++) {
            int tenants = tenants_of(s, s->jobs[j].held[i]);
            if (tenants > s->jobs[j].most_tenants)
                s->jobs[j].most_tenants = tenants;
        }
}

void share_play(struct share_scenario *s)
{
    int64_t now_us = 0, next_us;
    s->segment_count = 0;
    for (int j = 0; j < s->job_count; j++) {
        s->jobs[j].start_us = s->jobs[j].end_us = -1;
        s->jobs[j].lost_ns = 0;
        s->jobs[j].ooms = 0;
        s->jobs[j].done = 0;
        s->jobs[j].is_rejected = s->jobs[j].is_submitted = s->jobs[j].is_placed =
            s->jobs[j].is_over = false;
    }
    while ((next_us = next_instant(s, now_us)) != REF_NEVER) {
        pass_time(s, next_us - now_us);
        now_us = next_us;
        end_what_is_due(s, now_us);
        submit_what_is_due(s, now_us);
        schedule(s, now_us);
    }
}
