/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/lib/params.h"

#define SECOND_US INT64_C(1000000)

const char *const hs_estimate_names[] = {"oracle", "noisy", "file", "rolling", NULL};

void hs_estimate_needs(const struct hs_estimate_choice *choice, uint32_t *knows)
{
    static const uint32_t used[] = {[HS_ESTIMATE_ORACLE] = HS_KNOWS_DURATION,
                                    [HS_ESTIMATE_NOISY] = HS_KNOWS_ESTIMATE,
                                    [HS_ESTIMATE_FILE] = HS_KNOWS_ESTIMATE,
                                    [HS_ESTIMATE_ROLLING] = HS_KNOWS_HISTORY};
    *knows &= ~(uint32_t)HS_ESTIMATE_KNOWS | used[choice->from];
}

enum hs_status hs_estimate_open(const struct hs_estimate_choice *choice, const struct hs_view *v)
{
    const struct hs_estimator how = {.from = (enum hs_estimate_from)choice->from,
                                     .file = choice->file,
                                     .sigma = choice->sigma,
                                     .unknown_us = choice->unknown_us,
                                     .last = (uint32_t)choice->last};
    return hs_view_estimate_by(v, &how);
}

int64_t hs_estimate_gpu_time_us(const struct hs_view *v, hs_job_id job)
{
    int64_t us = hs_view_estimate_us(v, job);
    uint32_t gpus = hs_view_gpus(v, job), milli = hs_view_gpu_milli(v, job);
    us = gpus > 0 && us > INT64_MAX / gpus ? INT64_MAX : us * gpus;
    if (milli == HS_GPU_MILLI)
        return us;
    return us / HS_GPU_MILLI * milli + us % HS_GPU_MILLI * milli / HS_GPU_MILLI;
}

enum { COST_FREE, COST_TABLE, COST_JOB, COST_RESTART, COST_CHECKPOINT };
const char *const hs_cost_names[] = {"free", "table", "job", "restart", "checkpoint", NULL};

/* -1: not known. */
static int64_t own_us(const struct hs_preempt_cost *cost, const struct hs_view *v, hs_job_id job)
{
    if (cost->model == COST_JOB)
        return hs_view_preempt_cost_us(v, job);
    if (cost->model != COST_RESTART && cost->model != COST_CHECKPOINT)
        return -1;
    int64_t restart_us = hs_view_restart_us(v, job);
    if (cost->model == COST_RESTART || restart_us < 0)
        return restart_us;
    int64_t checkpoint_us = hs_view_checkpoint_us(v, job);
    return checkpoint_us < 0 ? -1 : checkpoint_us + restart_us;
}

int64_t hs_cost_us(const struct hs_preempt_cost *cost, const struct hs_view *v, hs_job_id job)
{
    const struct hs_durations *table = &cost->table;
    uint32_t gpus = hs_view_gpus(v, job), size_class = gpus <= 1 ? 0 : gpus <= 8 ? 1 : 2;
    int64_t us = cost->model == COST_FREE ? 0 : own_us(cost, v, job);
    if (us >= 0 || table->count == 0)
        return us >= 0 ? us : 0;
    /* the last entry serves all larger gangs */
    return table->us[size_class < table->count ? size_class : table->count - 1];
}

int64_t hs_cost_most_us(const struct hs_preempt_cost *cost)
{
    int64_t most_us = 0;
    for (uint32_t i = 0; i < cost->table.count && cost->model != COST_FREE; i++)
        most_us = cost->table.us[i] > most_us ? cost->table.us[i] : most_us;
    return most_us;
}

const char *hs_cost_text(const struct hs_preempt_cost *cost, bool is_at_events)
{
    static const char *const at_events[] = {
        "restart at every event", "restart at every event, table at a resumption",
        "restart at every event, job at a resumption", "restart at every event and a resumption",
        "restart at every event, checkpoint at a resumption"};
    return is_at_events ? at_events[cost->model] : hs_cost_names[cost->model];
}

const char *const hs_priority_names[] = {"ignore", "order", "preempt", NULL};
const char *const hs_priority_order_names[] = {"ignore", "order", NULL};

const char *const hs_class_names[] = {"ignore", "order", "evict", NULL};
const char *const hs_class_order_names[] = {"ignore", "order", NULL};

const char *hs_priority_text(const struct hs_priority *priority)
{
    static const char *const texts[] = {"priority", "priority and age", "class and priority",
                                        "class, priority and age"};
    const bool has_classes = priority->classes != HS_CLASS_IGNORE;
    if (priority->use == HS_PRIORITY_IGNORE)
        return has_classes ? "class" : NULL;
    return texts[2 * has_classes + (priority->ageing_us > 0)];
}

int64_t hs_compat_first_us(enum hs_compat compat, const struct hs_view *v, hs_job_id job)
{
    if (compat == HS_COMPAT_OFF || hs_view_first_start_us(v, job) >= 0)
        return 0;
    if (compat == HS_COMPAT_HELIOS)
        return SECOND_US;
    if (compat == HS_COMPAT_MURI) /* itertime_overhead_list[0] = 1.015, simulator/jobs.py */
        return hs_view_duration_us(v, job) / 1000 * 15 +
               hs_view_duration_us(v, job) % 1000 * 15 / 1000;
    return 0;
}

const char hs_compat_lost_text[] = "compat=muri: every event costs a restart";

void hs_compat_add_overhead(enum hs_compat compat, const struct hs_view *v, struct hs_plan *p,
                            hs_job_id job)
{
    int64_t cost_us = hs_compat_first_us(compat, v, job);
    if (cost_us <= 0)
        return;
    hs_plan_reason(p, "what the published simulator charges for a start");
    hs_plan_add_overhead(p, job, cost_us);
}

int64_t hs_compat_lost_us(const struct hs_view *v, hs_job_id job, int64_t since_us)
{
    int64_t restart_us = hs_view_restart_us(v, job);
    int64_t known_us = restart_us > 0 ? restart_us : 0;
    return known_us < since_us ? known_us : since_us;
}
