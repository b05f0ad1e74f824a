/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See reftasks.h.
 */
#include "reftasks.h"

#include <stdlib.h>
#include <string.h>

void ref_list_add(struct ref_list *list, int task)
{
    list->jobs[list->count++] = task;
}

void ref_list_remove(struct ref_list *list, int task)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++)
        if (list->jobs[i] != task)
            list->jobs[kept++] = list->jobs[i];
    list->count = kept;
}

void ref_begin(struct ref_world *w)
{
    w->now_us = -1;
    w->segments = NULL;
    w->segment_count = 0;
    for (int i = 0; i < w->count; i++) {
        struct ref_task *t = &w->tasks[i];
        t->start_us = t->finish_us = -1;
        t->preemptions = 0;
        t->left_us = t->duration_us;
        t->owed_us = 0;
        t->is_rejected = t->is_live = t->is_holding = false;
        memset(t->on_node, 0, sizeof t->on_node);
    }
}

int ref_gpus(const struct ref_world *w)
{
    return ref_sum(w->node_gpus, w->nodes);
}

void ref_free_gpus(const struct ref_world *w, int *free_gpus)
{
    for (int n = 0; n < w->nodes; n++) {
        free_gpus[n] = w->node_gpus[n];
        for (int i = 0; i < w->count; i++)
            free_gpus[n] -= w->tasks[i].on_node[n];
    }
}

int64_t ref_next_us(const struct ref_world *w)
{
    int64_t next_us = INT64_MAX;
    for (int i = 0; i < w->count; i++) {
        const struct ref_task *t = &w->tasks[i];
        int64_t at_us = t->submit_us > w->now_us ? t->submit_us
                        : t->is_holding          ? w->now_us + t->owed_us + t->left_us
                                                 : INT64_MAX;
        next_us = at_us < next_us ? at_us : next_us;
    }
    return next_us;
}

void ref_advance(struct ref_world *w, int64_t to_us)
{
    int64_t passed_us = to_us - w->now_us;
    for (int i = 0; i < w->count; i++) {
        struct ref_task *t = &w->tasks[i];
        if (!t->is_holding)
            continue;
        int64_t paid_us = t->owed_us < passed_us ? t->owed_us : passed_us;
        t->owed_us -= paid_us;
        t->left_us -= passed_us - paid_us;
    }
    w->now_us = to_us;
}

static bool is_over(const struct ref_task *t)
{
    return t->is_holding && t->left_us == 0 && t->owed_us == 0;
}

bool ref_has_finish(const struct ref_world *w)
{
    for (int i = 0; i < w->count; i++)
        if (is_over(&w->tasks[i]))
            return true;
    return false;
}

static void release(struct ref_world *w, int task)
{
    struct ref_task *t = &w->tasks[task];
    memset(t->on_node, 0, sizeof t->on_node);
    t->is_holding = false;
    w->segments = realloc(w->segments, sizeof *w->segments * (size_t)(w->segment_count + 1));
    w->segments[w->segment_count++] = (struct ref_segment){task, t->gpus, t->since_us, w->now_us};
}

int ref_finish_one(struct ref_world *w)
{
    for (int i = 0; i < w->count; i++) {
        if (!is_over(&w->tasks[i]))
            continue;
        release(w, i);
        w->tasks[i].is_live = false;
        w->tasks[i].finish_us = w->now_us;
        return i;
    }
    return -1;
}

int ref_submit_one(struct ref_world *w, int after)
{
    for (int i = after + 1; i < w->count; i++) {
        struct ref_task *t = &w->tasks[i];
        if (t->submit_us != w->now_us)
            continue;
        t->is_rejected = t->gpus > ref_gpus(w);
        t->is_live = !t->is_rejected;
        return i;
    }
    return -1;
}

void ref_hold(struct ref_world *w, int task, const int *taken)
{
    struct ref_task *t = &w->tasks[task];
    memcpy(t->on_node, taken, sizeof t->on_node);
    t->is_holding = true;
    t->since_us = w->now_us;
    if (t->start_us < 0)
        t->start_us = w->now_us;
}

bool ref_try_start(struct ref_world *w, int task)
{
    int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX];
    ref_free_gpus(w, free_gpus);
    if (!ref_place(w->placer, w->node_gpus, w->nodes, free_gpus, w->tasks[task].gpus, taken))
        return false;
    ref_hold(w, task, taken);
    return true;
}

void ref_preempt(struct ref_world *w, int task)
{
    struct ref_task *t = &w->tasks[task];
    release(w, task);
    t->preemptions++;
    t->owed_us += ref_cost_of(w->cost, w->cost_table_us, t->gpus, t->cost_us);
}
