/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loads the files of a run: job n of jobs.csv has id n + 1 in `ids`. Ids must be unique, because
 * segments identify jobs only by them.
 *
 * Replays the run in order of time from its segments: free GPUs, allocations of each virtual
 * cluster, waiting jobs. Between two events nothing changes, and the time is added to the cause of
 * every class of waiting jobs, by the rule of the engine (engine/engine.c). O(events x classes with
 * a waiting job).
 *
 * Then finds the jobs that overtook, preceded or shared GPUs with one job, each in one pass over
 * the segments; O(segments x segments of the job that overlap).
 */
#include "report/explain/explain.h"

#include <stdlib.h>

#include "base/fixed.h"
#include "model/freeindex.h"
#include "report/stats/exact.h"

const char *const explain_cause_names[EXPLAIN_CAUSES] = {"resources", "fragmentation", "constraint",
                                                         "quota", "priority"};

#define ROWS_MAX      (UINT32_MAX / 2)
#define NEAREST_AMONG 100000u /* of a larger trace only the first ones */

static const char *config_text(const struct explain *x, const char *key)
{
    return hs_json_text(hs_json_get(x->manifest.config, key));
}

static const char *or_unknown(const char *text)
{
    return text != NULL ? text : "?";
}

/* ---- jobs.csv ---- */

struct explain_job_cells {
    struct explain_job job;
    const char *success;
};
#define AT(field) offsetof(struct explain_job_cells, field)

static const struct hs_rowcell job_cells[] = {
    {"job_id", HS_ROWCELL_TEXT, AT(job.id)},
    {"submission_time", HS_ROWCELL_TIME, AT(job.submit_us)},
    {"starting_time", HS_ROWCELL_TIME_OR_NONE, AT(job.start_us)},
    {"isolated", HS_ROWCELL_TIME, AT(job.isolated_us)},
    {"run", HS_ROWCELL_TIME, AT(job.run_us)},
    {"queueing_delay", HS_ROWCELL_TIME, AT(job.pending_us)},
    {"overhead", HS_ROWCELL_TIME, AT(job.overhead_us)},
    {"colocated", HS_ROWCELL_TIME, AT(job.colocated_us)},
    {"lost", HS_ROWCELL_NANO, AT(job.lost_ns)},
    {"requested_number_of_resources", HS_ROWCELL_COUNT32, AT(job.gpus)},
    {"gpu_share", HS_ROWCELL_SHARE, AT(job.gpu_milli)},
    {"preemptions", HS_ROWCELL_COUNT, AT(job.preemptions)},
    {"migrations", HS_ROWCELL_COUNT, AT(job.migrations)},
    {"ooms", HS_ROWCELL_COUNT, AT(job.ooms)},
    {"switches", HS_ROWCELL_COUNT, AT(job.switches)},
    {"success", HS_ROWCELL_TEXT, AT(success)},
    {"user", HS_ROWCELL_TEXT, AT(job.user)},
    {"vc", HS_ROWCELL_TEXT, AT(job.vc_name)},
    {"model", HS_ROWCELL_TEXT, AT(job.model)},
    {"profile_from", HS_ROWCELL_TEXT, AT(job.profile_from)},
    {"status", HS_ROWCELL_TEXT, AT(job.status)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static const char *keep_text(struct explain *x, const char *text)
{
    return hs_intern_text(&x->texts, hs_intern_get(&x->texts, text));
}

static enum hs_status add_job(void *ctx, const struct hs_rowfile *f)
{
    struct explain *x = ctx;
    struct explain_job_cells cells = {.job = {.first_segment = EXPLAIN_NONE, .may_wait = true}};
    struct explain_job *job = &cells.job;
    uint32_t name = hs_intern_get(&x->ids, hs_rowfile_text(f, 0));
    if (name != x->job_count + 1)
        return hs_csv_fail(f->csv, f->at[0], "give every job of the trace an id of its own",
                           "job id '%s' is not unique, so its segments cannot be distinguished",
                           hs_rowfile_text(f, 0));
    HS_TRY(hs_rowfile_read(f, &cells));
    job->id = hs_intern_text(&x->ids, name);
    job->user = keep_text(x, job->user);
    job->vc_name = keep_text(x, job->vc_name);
    job->model = keep_text(x, job->model);
    job->profile_from = keep_text(x, job->profile_from);
    job->status = keep_text(x, job->status);
    job->is_done = strcmp(cells.success, "1") == 0;
    job->end_us = job->submit_us + job->run_us + job->pending_us;
    job->last_end_us = job->submit_us;
    job->vc = hs_cluster_vc(&x->cluster, job->vc_name);
    const uint32_t vc = job->vc == UINT32_MAX ? 0 : job->vc; /* rejected: it never waits */
    for (; job->class < x->class_count; job->class ++)       /* few classes */
        if (x->classes[job->class].vc == vc && x->classes[job->class].gpus == job->gpus &&
            x->classes[job->class].gpu_milli == job->gpu_milli)
            break;
    if (job->class == x->class_count) {
        hs_grow(x->classes, x->class_cap, (uint64_t)x->class_count + 1, ROWS_MAX);
        x->classes[x->class_count++] =
            (struct explain_class){.vc = vc, .gpus = job->gpus, .gpu_milli = job->gpu_milli};
    }
    if (x->job_count == 0 || job->submit_us < x->begin_us)
        x->begin_us = job->submit_us;
    if (x->job_count == 0 || job->end_us > x->end_us)
        x->end_us = job->end_us;
    hs_spill_grow(&x->spill, (void **)&x->jobs, &x->job_cap, (uint64_t)x->job_count + 1,
                  sizeof *x->jobs);
    hs_spill_step(&x->spill);
    x->jobs[x->job_count++] = *job;
    return HS_OK;
}

/* ---- segments.csv ---- */

static enum hs_status add_segment(void *ctx, const struct hs_rowfile *f)
{
    struct explain *x = ctx;
    HS_TRY(hs_schedule_add(&x->schedule, f));
    const uint32_t index = x->schedule.segment_count - 1, id = x->schedule.segments[index].job;
    if (id == UINT32_MAX)
        return hs_rowfile_bad(f, "job_id", "a job of jobs.csv");
    struct explain_job *job = &x->jobs[id];
    if (job->vc == UINT32_MAX)
        return hs_rowfile_bad(f, "job_id", "a job of a virtual cluster that the cluster has");
    if (job->first_segment == EXPLAIN_NONE)
        job->first_segment = index;
    return HS_OK;
}

static bool is_window_for(const struct explain *x, uint32_t window, const struct explain_job *job)
{
    const struct hs_reservation *of = &x->reservations.of[window];
    return (of->user[0] == '\0' || strcmp(of->user, job->user) == 0) &&
           (of->vc_index == UINT32_MAX || of->vc_index == job->vc);
}

/* ---- decisions.csv ---- */

#define DECISION(field) offsetof(struct explain_decision, field)

static const struct hs_rowcell decision_cells[] = {
    {"job_id", HS_ROWCELL_TEXT, DECISION(job)},
    {"time", HS_ROWCELL_TIME_OR_NONE, DECISION(time_us)},
    {"value", HS_ROWCELL_NUMBER, DECISION(value)},
    {"action", HS_ROWCELL_TEXT, DECISION(action)},
    {"allocated_resources", HS_ROWCELL_TEXT, DECISION(gpus)},
    {"trigger", HS_ROWCELL_TEXT, DECISION(trigger)},
    {"because", HS_ROWCELL_TEXT, DECISION(plan_reason)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status add_decision(void *ctx, const struct hs_rowfile *f)
{
    struct explain *x = ctx;
    struct explain_decision d;
    if (strcmp(hs_rowfile_text(f, 0), x->jobs[x->watched].id) != 0)
        return HS_OK;
    HS_TRY(hs_rowfile_read(f, &d));
    d.action = keep_text(x, d.action);
    d.gpus = keep_text(x, d.gpus);
    d.trigger = keep_text(x, d.trigger);
    d.plan_reason = keep_text(x, d.plan_reason);
    *hs_push(x->decisions, x->decision_count, x->decision_cap, ROWS_MAX) = d;
    return HS_OK;
}

/* ---- changes of nodes: events of machines, from the copy in the directory or drawn again, and
 * begins and ends of reservations ---- */

/* Orders changes as the engine does within an instant; by number within a kind. */
static int compare_changes(const void *a, const void *b)
{
    const struct explain_change *x = a, *y = b;
    return 4 * HS_ORDER(x->at_us, y->at_us) + 2 * HS_ORDER(x->kind, y->kind) +
           HS_ORDER(x->number, y->number);
}

/* Times by the clock of the trace count from its first submission. */
static void add_change(struct explain *x, int64_t at_us, bool is_dated, enum explain_kind kind,
                       uint32_t subject, enum hs_machine_change change)
{
    at_us -= is_dated ? x->epoch_us : 0;
    if (at_us > x->end_us)
        return;
    hs_grow(x->changes, x->change_cap, (uint64_t)x->change_count + 1, UINT32_MAX / 2);
    x->changes[x->change_count] = (struct explain_change){.at_us = at_us > 0 ? at_us : 0,
                                                          .subject = subject,
                                                          .number = x->change_count,
                                                          .kind = kind,
                                                          .change = change};
    x->change_count++;
}

static void add_machines(struct explain *x, const struct hs_machines *machines)
{
    const int64_t until_us = x->end_us + (machines->is_dated ? x->epoch_us : 0);
    const struct hs_machine_event *e;
    struct hs_machine_feed *feed;
    bool *is_known = hs_alloc_zeroed(x->cluster.node_count + UINT64_C(1), sizeof *is_known);
    for (uint32_t i = 0; i < machines->count; i++) { /* absent until its first event */
        e = &machines->events[i];
        if (!is_known[e->node] && e->change == HS_MACHINE_ADD)
            add_change(x, 0, false, EXPLAIN_MACHINE, e->node, HS_MACHINE_REMOVE);
        is_known[e->node] = true;
    }
    hs_free(is_known);
    hs_machine_feed_open(&feed, machines, &x->cluster, &x->arena);
    for (; (e = hs_machine_feed_next(feed)) != NULL && e->at_us <= until_us;
         hs_machine_feed_advance(feed))
        add_change(x, e->at_us, machines->is_dated, EXPLAIN_MACHINE, e->node, e->change);
    hs_machine_feed_close(feed);
}

static enum hs_status load_changes(struct explain *x)
{
    const struct hs_json *config = x->manifest.config;
    const char *faults = hs_json_text(hs_json_get(config, "faults"));
    const double origin_s = hs_json_number(hs_json_get(hs_json_root(x->manifest.doc), "origin"));
    struct hs_machines machines = {0};
    struct hs_reservations *r = &x->reservations;
    char path[HS_PATH_SIZE];
    int64_t seed = 0;
    x->epoch_us = origin_s > 0 ? (int64_t)(origin_s * HS_US_PER_S + 0.5) : 0;
    if (faults != NULL && hs_json_int(hs_json_get(config, "seed"), &seed)) {
        machines.law.seed = (uint64_t)seed;
        HS_TRY(hs_machines_parse_law(&machines, faults, &x->arena, x->diag));
    } else if (hs_runmanifest_kept(&x->manifest, HS_KEPT_EVENTS, path) != NULL) {
        HS_TRY(hs_machines_load(&machines, path, &x->cluster, &x->arena, x->diag));
    }
    if (hs_runmanifest_kept(&x->manifest, HS_KEPT_RESERVATIONS, path) != NULL)
        HS_TRY(hs_reservations_load(r, path, &x->cluster, x->diag));
    if ((machines.is_dated || r->is_dated) && !(origin_s > 0))
        hs_report(x->diag, HS_WARNING, HS_AT({.file = x->dir}), NULL,
                  "the run states no date of its first submission: events and reservations by date "
                  "are taken as of the wrong time");
    if (hs_machines_are_any(&machines))
        add_machines(x, &machines);
    for (uint32_t i = 0; i < r->count; i++) {
        add_change(x, r->of[i].start_us, r->is_dated, EXPLAIN_WINDOW_BEGIN, i, HS_MACHINE_UP);
        add_change(x, r->of[i].end_us, r->is_dated, EXPLAIN_WINDOW_END, i, HS_MACHINE_UP);
    }
    if (x->change_count > 0)
        qsort(x->changes, x->change_count, sizeof *x->changes, compare_changes);
    return HS_OK;
}

static enum hs_status load(struct explain *x)
{
    const struct hs_place place = {.file = x->dir};
    char path[HS_PATH_SIZE];
    HS_TRY(hs_runmanifest_open(&x->manifest, x->dir, x->diag));
    HS_TRY(hs_runmanifest_need(&x->manifest, "jobs.csv", "explain"));
    HS_TRY(hs_runmanifest_need(&x->manifest, "segments.csv", "explain"));
    const struct hs_json *assumptions = x->manifest.assumptions;
    x->may_borrow = strstr(x->manifest.can, "borrow") != NULL;
    x->is_sharing = strstr(x->manifest.can, "co-locate") != NULL;
    x->policy = config_text(x, "policy");
    x->order = or_unknown(hs_json_text(hs_json_get(assumptions, "order")));
    x->scan = or_unknown(hs_json_text(hs_json_get(assumptions, "scan")));
    x->has_decisions = hs_runmanifest_file(&x->manifest, "decisions.csv") != NULL;
    const char *spec = config_text(x, "cluster"), *vc = config_text(x, "vc"),
               *date = config_text(x, "vc_date");
    if (spec == NULL)
        return hs_fail(x->diag, HS_E_INPUT, &place, NULL, "the manifest names no cluster");
    const char *kept = hs_runmanifest_kept(&x->manifest, HS_KEPT_CLUSTER, path);
    HS_TRY(hs_cluster_load(&x->cluster, kept != NULL ? kept : spec, x->diag));
    x->has_cluster = true;
    const double overcommit = hs_json_number(hs_json_get(x->manifest.config, "overcommit"));
    if (overcommit > 0)
        HS_TRY(hs_cluster_overcommit(&x->cluster, overcommit, x->diag));
    for (uint32_t i = 0; i < x->manifest.input_count; i++)
        if (strcmp(x->manifest.inputs[i].role, "cluster") == 0 &&
            x->manifest.inputs[i].hash != x->cluster.input_hash)
            hs_report(x->diag, HS_WARNING, &place, "causes are found with the changed cluster",
                      "'%s' was changed after the run", kept != NULL ? kept : spec);
    if (vc != NULL && strcmp(vc, "ignore") != 0)
        HS_TRY(hs_cluster_set_vcs(&x->cluster,
                                  strcmp(vc, "quota") == 0 ? HS_VC_QUOTA : HS_VC_PARTITION,
                                  config_text(x, "vc_file"), date != NULL ? date : "", x->diag));
    x->schedule = (struct hs_schedule){.spill = &x->spill,
                                       .ids = &x->ids,
                                       .gpu_count = x->cluster.gpu_count,
                                       .expected_gpus = "a list of ascending GPUs of the cluster",
                                       .expected_ended_by = "an end that a segment can have"};
    HS_TRY(hs_rowfile_each(&x->manifest, "jobs.csv", job_cells, add_job, x));
    HS_TRY(load_changes(x));
    HS_TRY(hs_rowfile_each(&x->manifest, "segments.csv", hs_schedule_cells, add_segment, x));
    x->manifest.keeps_quiet = true; /* decisions.csv is read for one job only */
    return HS_OK;
}

/* ---- lists of jobs ---- */

/* Inserts into the first `room` entries, in order of sign x us, then of insertion. */
static void list_insert(struct explain_list *list, uint32_t room, uint32_t job, int64_t us,
                        int sign)
{
    uint32_t at = list->named < room ? list->named++ : room;
    list->count++;
    for (; at > 0 && sign * list->us[at - 1] > sign * us; at--)
        if (at < room) {
            list->us[at] = list->us[at - 1];
            list->jobs[at] = list->jobs[at - 1];
        }
    if (at < room) {
        list->us[at] = us;
        list->jobs[at] = job;
    }
}

/* ---- the replay ---- */

/* In the order in which events at one time are handled: ends before starts. */
enum kind { GIVE, CHANGE, GO, TAKE, WAIT };

struct event {
    int64_t us;
    uint32_t subject; /* a segment; for waits a job; a change of nodes */
    uint8_t kind, phase;
};

struct replay {
    struct explain *x;
    struct hs_arena arena;
    struct hs_free *free_index;
    struct event *events;
    uint64_t count;
    struct hs_part *parts;
    int32_t *tenants;  /* by GPU */
    uint32_t *milli;   /* by GPU: shares of it that are held */
    uint32_t *node_of; /* by GPU */
    uint64_t *held;    /* thousandths of GPUs held, by virtual cluster */
    uint32_t *largest; /* largest node of its pool, by virtual cluster */
    uint32_t *active;  /* classes with a waiting job */
    uint32_t active_count;
    uint32_t interval; /* interval of the run that contains now_us */
    int64_t now_us;
    uint8_t *hidden_by; /* by node: a bit for each reason why its GPUs are not for jobs */
    /* By lack: free GPUs of nodes with it, by virtual cluster of a partition. */
    uint64_t *hidden[EXPLAIN_LACKS];
    bool is_watching;   /* the watched job waits now */
    int64_t *headed_us; /* by job: time that it headed the line of the watched job */
    uint8_t *head_cause;
};

/* ---- events ---- */

static void add_event(struct replay *r, int64_t us, enum kind kind, enum explain_phase phase,
                      uint32_t subject)
{
    r->events[r->count++] = (struct event){
        .us = us, .subject = subject, .kind = (uint8_t)kind, .phase = (uint8_t)phase};
}

/* Adds a wait since the end of the job's last segment. */
static void add_wait(struct replay *r, uint32_t index, int64_t to_us)
{
    const struct explain_job *job = &r->x->jobs[index];
    if (to_us <= job->last_end_us)
        return;
    add_event(r, job->last_end_us, WAIT, job->phase, index);
    add_event(r, to_us, GO, job->phase, index);
}

static void add_placement(struct replay *r, uint32_t index)
{
    const struct hs_placed *s = &r->x->schedule.segments[index];
    struct explain_job *job = &r->x->jobs[s->job];
    job->is_wrong = job->is_wrong || s->start_us < job->last_end_us;
    add_wait(r, s->job, s->start_us);
    if (s->end_us > s->start_us) {
        add_event(r, s->start_us, TAKE, job->phase, index);
        add_event(r, s->end_us, GIVE, job->phase, index);
    }
    job->held_us += s->end_us - s->start_us;
    job->last_end_us = s->end_us;
    job->phase = s->ended_by == HS_SEGMENT_OOM || s->ended_by == HS_SEGMENT_FAILURE ||
                         s->ended_by == HS_SEGMENT_FAULT || s->ended_by == HS_SEGMENT_DRAIN
                     ? EXPLAIN_FAILED
                     : EXPLAIN_PREEMPTED;
    job->may_wait = s->ended_by != HS_SEGMENT_FINISH && s->ended_by != HS_SEGMENT_KILL;
}

static int event_compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return 4 * HS_ORDER(x->us, y->us) + 2 * HS_ORDER(x->kind, y->kind) +
           HS_ORDER(x->subject, y->subject);
}

/* ---- state ---- */

static void open_state(struct replay *r)
{
    const struct hs_cluster *c = &r->x->cluster;
    const bool is_partition = c->vc_mode == HS_VC_PARTITION;
    r->tenants = hs_arena_alloc(&r->arena, (uint64_t)c->gpu_count * sizeof *r->tenants);
    r->milli = hs_arena_alloc(&r->arena, (uint64_t)c->gpu_count * sizeof *r->milli);
    r->node_of = hs_arena_alloc(&r->arena, (uint64_t)c->gpu_count * sizeof *r->node_of);
    const uint64_t quotas = c->quotas != NULL ? c->quota_count : c->vc_count;
    r->held = hs_arena_alloc(&r->arena, quotas * sizeof *r->held);
    r->largest = hs_arena_alloc(&r->arena, (uint64_t)c->vc_count * sizeof *r->largest);
    r->active = hs_arena_alloc(&r->arena, ((uint64_t)r->x->class_count + 1) * sizeof *r->active);
    for (uint32_t vc = 0; vc < c->vc_count; vc++)
        r->largest[vc] = is_partition ? 0 : c->max_node_gpus;
    for (uint32_t n = 0; n < c->node_count; n++) {
        const struct hs_node *node = &c->nodes[n];
        for (uint32_t i = 0; i < node->gpus; i++)
            r->node_of[node->first_gpu + i] = n;
        if (is_partition && node->gpus > r->largest[node->vc])
            r->largest[node->vc] = node->gpus;
    }
    if (r->x->watched != EXPLAIN_NONE) {
        r->headed_us = hs_arena_alloc(&r->arena, (uint64_t)r->x->job_count * sizeof *r->headed_us);
        r->head_cause = hs_arena_alloc(&r->arena, r->x->job_count);
    }
    r->hidden_by = hs_arena_alloc(&r->arena, c->node_count + UINT64_C(1));
    for (int k = 0; k < EXPLAIN_LACKS; k++)
        r->hidden[k] = hs_arena_alloc(&r->arena, (uint64_t)c->vc_count * sizeof *r->hidden[k]);
    hs_free_init(&r->free_index, c, is_partition, 0, &r->arena);
    hs_part_init(&r->parts, r->free_index, c, &r->arena);
}

/* Adds so many free GPUs of the node to those that are hidden. */
static void count_hidden(struct replay *r, uint32_t node, uint64_t gpus)
{
    const struct hs_cluster *c = &r->x->cluster;
    for (int k = 0; k < EXPLAIN_LACKS; k++)
        if ((r->hidden_by[node] >> k & 1) != 0)
            r->hidden[k][c->vc_mode == HS_VC_PARTITION ? c->nodes[node].vc : 0] += gpus;
}

static void hide_node(struct replay *r, uint32_t node, enum explain_lack why, bool is_hidden)
{
    const uint32_t free = hs_free_of_node(r->free_index, node);
    count_hidden(r, node, 0 - (uint64_t)free);
    r->hidden_by[node] &= (uint8_t) ~(1u << why);
    r->hidden_by[node] |= (uint8_t)((uint32_t)is_hidden << why);
    count_hidden(r, node, free);
    if (why == EXPLAIN_OUT)
        hs_free_set_out(r->free_index, node, is_hidden);
    else
        hs_free_set_aside(r->free_index, node, is_hidden);
}

static void change_nodes(struct replay *r, const struct explain_change *c)
{
    const bool begins = c->kind == EXPLAIN_WINDOW_BEGIN;
    if (c->kind == EXPLAIN_MACHINE) {
        if (c->change != HS_MACHINE_SLOW)
            hide_node(r, c->subject, EXPLAIN_OUT,
                      c->change != HS_MACHINE_UP && c->change != HS_MACHINE_ADD);
        return;
    }
    const struct hs_reservation *of = &r->x->reservations.of[c->subject];
    for (uint32_t i = 0; i < of->count; i++)
        hide_node(r, of->nodes[i], EXPLAIN_RESERVED, begins);
    if (r->is_watching && begins && !is_window_for(r->x, c->subject, &r->x->jobs[r->x->watched]))
        r->x->stages[r->x->stage_count - 1].window = c->subject;
}

/* A GPU is free while no job is on it, whatever the number of jobs. */
static void move_segment(struct replay *r, const struct hs_placed *s, bool takes)
{
    uint32_t vc = r->x->jobs[s->job].vc, milli = r->x->jobs[s->job].gpu_milli;
    const struct hs_ask ask = {.vc = vc, .type_mask = UINT64_MAX};
    const int64_t held = (int64_t)s->gpus * milli;
    hs_quota_change(&r->x->cluster, r->held, vc, takes ? held : -held);
    for (uint32_t i = s->range_first; i < s->range_first + s->range_count; i++)
        for (uint32_t gpu = r->x->schedule.ranges[i].first; gpu <= r->x->schedule.ranges[i].last;
             gpu++) {
            if (milli < HS_GPU_MILLI) {
                r->milli[gpu] += takes ? milli : 0 - milli;
                const uint32_t shares = r->milli[gpu];
                hs_part_set(r->parts, gpu,
                            shares > 0 && shares < HS_GPU_MILLI ? HS_GPU_MILLI - shares : 0);
            }
            if (takes && ++r->tenants[gpu] == 1) {
                hs_free_take(r->free_index, r->node_of[gpu], 1, &ask);
                count_hidden(r, r->node_of[gpu], UINT64_MAX);
            } else if (!takes && --r->tenants[gpu] == 0) {
                hs_free_give(r->free_index, r->node_of[gpu], 1, &ask);
                count_hidden(r, r->node_of[gpu], 1);
            }
        }
}

static enum explain_cause cause_of(const struct replay *r, const struct explain_class *class)
{
    const struct hs_cluster *c = &r->x->cluster;
    const uint64_t gpus = class->gpus;
    const uint64_t room_milli =
        r->x->may_borrow ? UINT64_MAX : hs_quota_left(c, r->held, class->vc);
    const bool is_share = class->gpu_milli < HS_GPU_MILLI; /* each worker has such a share */
    if ((is_share ? 1 : gpus) * class->gpu_milli > room_milli)
        return EXPLAIN_QUOTA;
    if (is_share && (hs_free_total(r->free_index, class->vc) > 0 ||
                     class->gpu_milli <= hs_part_most(r->parts, class->vc)))
        return EXPLAIN_PRIORITY;
    if (is_share)
        return class->gpu_milli <= hs_part_all(r->parts, class->vc) ? EXPLAIN_FRAGMENTATION
                                                                    : EXPLAIN_RESOURCES;
    if (gpus > hs_free_total(r->free_index, class->vc))
        return EXPLAIN_RESOURCES;
    if (gpus <= hs_free_max(r->free_index, class->vc))
        return EXPLAIN_PRIORITY;
    return gpus > r->largest[class->vc] ? EXPLAIN_CONSTRAINT : EXPLAIN_FRAGMENTATION;
}

/* ---- accounting of waits ---- */

int64_t explain_interval_us(const struct explain *x, uint32_t interval)
{
    hs_u128 span = (hs_u128)(uint64_t)(x->end_us - x->begin_us);
    return x->begin_us + (int64_t)(uint64_t)(span * interval / EXPLAIN_INTERVALS);
}

/* The first by submission of the waiting jobs without room, of those that share its pool; NULL:
 * none. O(classes with a waiting job). */
static const struct explain_job *head_of(const struct replay *r, const struct explain_job *job,
                                         enum explain_cause *cause)
{
    const struct explain *x = r->x;
    const struct explain_job *head = NULL;
    for (uint32_t i = 0; i < r->active_count; i++) {
        const struct explain_class *class = &x->classes[r->active[i]];
        const enum explain_cause why = cause_of(r, class);
        const struct explain_job *first = &x->jobs[class->first - 1];
        const bool is_rival =
            class->vc == job->vc || (x->cluster.vc_mode != HS_VC_PARTITION && why != EXPLAIN_QUOTA);
        if (!is_rival || why == EXPLAIN_PRIORITY ||
            (head != NULL && head->submit_us <= first->submit_us))
            continue;
        head = first;
        *cause = why;
    }
    return head;
}

/* Returns the first reservation of others than the watched job's owner that is open, or is to
 * come. */
static uint32_t window_of(const struct replay *r, bool is_to_come)
{
    const struct explain *x = r->x;
    const int64_t now_us = r->now_us + (x->reservations.is_dated ? x->epoch_us : 0);
    for (uint32_t i = 0; i < x->reservations.count; i++) {
        const struct hs_reservation *of = &x->reservations.of[i];
        if ((is_to_come ? now_us < of->start_us : of->start_us <= now_us && now_us < of->end_us) &&
            !is_window_for(x, i, &x->jobs[x->watched]))
            return i;
    }
    return EXPLAIN_NONE;
}

/* Tells what the watched job waits for, for that time. */
static void watch_wait(struct replay *r, int64_t us)
{
    struct explain *x = r->x;
    const struct explain_job *job = &x->jobs[x->watched];
    struct explain_stage *stage = &x->stages[x->stage_count - 1];
    const struct hs_cluster *c = &x->cluster;
    const uint32_t pool = c->vc_mode == HS_VC_PARTITION ? job->vc : 0;
    const enum explain_cause cause = cause_of(r, &x->classes[job->class]);
    enum explain_cause head_cause = cause;
    const struct explain_job *head = head_of(r, job, &head_cause);
    for (int k = 0; k < EXPLAIN_LACKS; k++)
        if (cause < EXPLAIN_QUOTA && r->hidden[k][pool] > 0 &&
            hs_free_total(r->free_index, job->vc) + r->hidden[k][pool] >= job->gpus)
            stage->lack_us[k] += us;
    if (head == NULL && cause == EXPLAIN_PRIORITY && window_of(r, true) != EXPLAIN_NONE) {
        stage->lack_us[EXPLAIN_RESERVED] += us; /* it fits, but not until that begins */
        stage->window = window_of(r, true);
    }
    if (head != NULL) {
        r->headed_us[head - x->jobs] += us;
        r->head_cause[head - x->jobs] = (uint8_t)head_cause;
    }
}

static void pass_time(struct replay *r, int64_t until_us)
{
    struct explain *x = r->x;
    while (r->now_us < until_us) {
        const int64_t end_us = explain_interval_us(x, r->interval + 1);
        if (end_us <= r->now_us && r->interval + 1 < EXPLAIN_INTERVALS) {
            r->interval++;
            continue;
        }
        const int64_t to_us = until_us < end_us ? until_us : end_us, us = to_us - r->now_us;
        for (uint32_t i = 0; i < r->active_count; i++) {
            struct explain_class *class = &x->classes[r->active[i]];
            const enum explain_cause cause = cause_of(r, class);
            const hs_u128 gpu_us =
                (hs_u128)((uint64_t) class->waiting * class->gpus) * (uint64_t)us;
            class->sum_us[cause] += us;
            x->total[cause] += gpu_us;
            x->interval[r->interval][cause] += gpu_us;
        }
        if (r->is_watching)
            watch_wait(r, us);
        r->now_us = to_us;
    }
}

/* At the start of a wait subtracts, and at its end adds, the sums of the job's class. */
static void job_waits(struct replay *r, uint32_t index, enum explain_phase phase, bool begins)
{
    struct explain_job *job = &r->x->jobs[index];
    struct explain_class *class = &r->x->classes[job->class];
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        job->wait_us[phase][c] += begins ? -class->sum_us[c] : class->sum_us[c];
    if (begins) {
        job->previous = class->last;
        job->next = 0;
    }
    *(job->previous != 0 ? &r->x->jobs[job->previous - 1].next : &class->first) =
        begins ? index + 1 : job->next;
    *(job->next != 0 ? &r->x->jobs[job->next - 1].previous : &class->last) =
        begins ? index + 1 : job->previous;
    if (begins && class->waiting++ == 0)
        r->active[r->active_count++] = job->class;
    else if (!begins && --class->waiting == 0)
        for (uint32_t i = 0; i < r->active_count; i++)
            if (r->active[i] == job->class)
                r->active[i] = r->active[--r->active_count];
}

static void watch(struct replay *r, const struct event *e)
{
    struct explain *x = r->x;
    bool is_wait = e->kind == WAIT || e->kind == GO;
    if (e->kind == CHANGE)
        return;
    uint32_t job = is_wait ? e->subject : x->schedule.segments[e->subject].job;
    if (job != x->watched)
        return;
    const int64_t *sum_us = x->classes[x->jobs[job].class].sum_us;
    bool begins = e->kind == WAIT || e->kind == TAKE;
    if (begins) {
        hs_grow(x->stages, x->stage_cap, (uint64_t)x->stage_count + 1, UINT32_MAX / 2);
        x->stages[x->stage_count++] =
            (struct explain_stage){.from_us = e->us,
                                   .segment = is_wait ? EXPLAIN_NONE : e->subject,
                                   .window = is_wait ? window_of(r, false) : EXPLAIN_NONE};
    }
    r->is_watching = e->kind == WAIT;
    struct explain_stage *stage = &x->stages[x->stage_count - 1];
    stage->to_us = e->us;
    for (int c = 0; is_wait && c < EXPLAIN_CAUSES; c++)
        stage->wait_us[c] += begins ? -sum_us[c] : sum_us[c];
}

#define EVENTS_LISTED 1024 /* about a millisecond */

/* Makes the events of the replay, in any order. */
static enum hs_status make_events(struct replay *r)
{
    struct explain *x = r->x;
    /* two events per segment, and two per wait before or after it */
    const uint64_t most =
        4 * (uint64_t)x->schedule.segment_count + 2 * (uint64_t)x->job_count + x->change_count;
    r->events = hs_spill_alloc(&x->spill, most, sizeof *r->events);
    for (uint32_t i = 0; i < x->change_count; i++)
        add_event(r, x->changes[i].at_us, CHANGE, EXPLAIN_FIRST, i);
    for (uint32_t i = 0; i < x->schedule.segment_count; i++, hs_spill_step(&x->spill))
        add_placement(r, i);
    for (uint32_t i = 0; i < x->job_count; i++, hs_spill_step(&x->spill)) {
        const struct explain_job *job = &x->jobs[i];
        if (job->is_wrong || job->held_us != job->run_us || job->last_end_us > job->end_us)
            return hs_fail(
                x->diag, HS_E_INPUT, HS_AT({.file = x->dir}), "`horus verify` checks the run",
                "jobs.csv and segments.csv contradict each other about job '%s'", job->id);
        if (job->may_wait)
            add_wait(r, i, job->end_us);
    }
    return HS_OK;
}

static enum hs_status replay(struct explain *x)
{
    struct replay r = {.x = x, .now_us = x->begin_us};
    const enum hs_status s = make_events(&r);
    if (s == HS_OK) {
        r.events = hs_spill_sort(&x->spill, r.events, r.count, sizeof *r.events, event_compare);
        open_state(&r);
        for (uint64_t i = 0; i < r.count; i++, hs_spill_step(&x->spill)) {
            if (i % EVENTS_LISTED == 0)
                hs_advance(x->diag, "causes", (double)i / (double)r.count);
            const struct event *e = &r.events[i];
            pass_time(&r, e->us);
            watch(&r, e);
            if (e->kind == CHANGE)
                change_nodes(&r, &x->changes[e->subject]);
            else if (e->kind == TAKE || e->kind == GIVE)
                move_segment(&r, &x->schedule.segments[e->subject], e->kind == TAKE);
            else
                job_waits(&r, e->subject, (enum explain_phase)e->phase, e->kind == WAIT);
        }
        struct explain_list *heads = &x->heads;
        for (uint32_t i = 0; x->watched != EXPLAIN_NONE && i < x->job_count; i++)
            if (r.headed_us[i] > 0)
                list_insert(heads, EXPLAIN_NAMED, i, r.headed_us[i], -1);
        for (uint32_t i = 0; i < heads->named; i++)
            x->head_causes[i] = (enum explain_cause)r.head_cause[heads->jobs[i]];
    }
    hs_spill_release(&x->spill, r.events);
    hs_arena_free(&r.arena);
    return s;
}

/* ---- related jobs ---- */

/* Returns the first stage that ends after us. */
static uint32_t stage_after(const struct explain *x, int64_t us)
{
    uint32_t low = 0, high = x->stage_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->stages[middle].to_us <= us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds jobs submitted later that first started while it waited; the earliest are named. */
static void look_for_overtakers(struct explain *x)
{
    const struct explain_job *job = &x->jobs[x->watched];
    const bool is_partition = x->cluster.vc_mode == HS_VC_PARTITION;
    for (uint32_t i = 0; i < x->job_count; i++, hs_spill_step(&x->spill)) {
        const struct explain_job *other = &x->jobs[i];
        bool is_rival = other->gpus > 0 && (!is_partition || other->vc == job->vc);
        if (!is_rival || other->submit_us <= job->submit_us || other->start_us < 0)
            continue;
        const uint32_t k = stage_after(x, other->start_us);
        if (k < x->stage_count && x->stages[k].segment == EXPLAIN_NONE &&
            x->stages[k].from_us <= other->start_us)
            list_insert(&x->overtaken, EXPLAIN_NAMED, i, other->start_us, 1);
    }
}

static bool shares_gpus(const struct explain *x, const struct hs_placed *a,
                        const struct hs_placed *b)
{
    uint32_t i = a->range_first, k = b->range_first;
    while (i < a->range_first + a->range_count && k < b->range_first + b->range_count) {
        if (x->schedule.ranges[i].last < x->schedule.ranges[k].first)
            i++;
        else if (x->schedule.ranges[k].last < x->schedule.ranges[i].first)
            k++;
        else
            return true;
    }
    return false;
}

/* Finds the previous holder of each GPU of its first placement. */
static void look_for_predecessors(struct explain *x)
{
    const struct hs_placed *first = &x->schedule.segments[x->jobs[x->watched].first_segment];
    bool *is_listed = hs_alloc_zeroed((uint64_t)x->job_count + 1, sizeof *is_listed);
    /* per GPU the last segment on it before, plus 1; 0 = none */
    uint32_t *last = hs_alloc_zeroed((uint64_t)x->cluster.gpu_count + 1, sizeof *last);
    for (uint32_t i = 0;
         i < x->schedule.segment_count && x->schedule.segments[i].end_us <= first->start_us;
         i++, hs_spill_step(&x->spill)) {
        const struct hs_placed *s = &x->schedule.segments[i];
        for (uint32_t k = s->range_first; k < s->range_first + s->range_count; k++)
            for (uint32_t gpu = x->schedule.ranges[k].first; gpu <= x->schedule.ranges[k].last;
                 gpu++)
                if (s->job != first->job)
                    last[gpu] = i + 1; /* segments are in order of their ends */
    }
    for (uint32_t k = first->range_first; k < first->range_first + first->range_count; k++)
        for (uint32_t gpu = x->schedule.ranges[k].first; gpu <= x->schedule.ranges[k].last; gpu++) {
            const struct hs_placed *s = last[gpu] > 0 ? &x->schedule.segments[last[gpu] - 1] : NULL;
            x->idle_gpus += s == NULL;
            if (s != NULL && !is_listed[s->job]) {
                list_insert(&x->freed, EXPLAIN_NAMED, s->job, s->end_us, -1);
                is_listed[s->job] = true;
            }
        }
    hs_free(last);
    hs_free(is_listed);
}

static void look_for_partners(struct explain *x)
{
    int64_t *beside_us = hs_alloc_zeroed((uint64_t)x->job_count + 1, sizeof *beside_us);
    for (uint32_t i = 0; i < x->schedule.segment_count; i++, hs_spill_step(&x->spill)) {
        const struct hs_placed *s = &x->schedule.segments[i];
        for (uint32_t k = stage_after(x, s->start_us);
             s->job != x->watched && k < x->stage_count && x->stages[k].from_us < s->end_us; k++) {
            const struct explain_stage *stage = &x->stages[k];
            if (stage->segment == EXPLAIN_NONE ||
                !shares_gpus(x, s, &x->schedule.segments[stage->segment]))
                continue;
            int64_t from = s->start_us > stage->from_us ? s->start_us : stage->from_us;
            int64_t to = s->end_us < stage->to_us ? s->end_us : stage->to_us;
            beside_us[s->job] += to - from;
        }
    }
    for (uint32_t i = 0; i < x->job_count; i++)
        if (beside_us[i] > 0)
            list_insert(&x->beside, EXPLAIN_NAMED, i, beside_us[i], -1);
    hs_free(beside_us);
}

/* ---- opening and closing ---- */

enum hs_status explain_open(struct explain *x, const char *dir, const char *job_id,
                            struct hs_diag *diag)
{
    *x = (struct explain){.dir = dir, .diag = diag};
    hs_intern_init(&x->ids);
    hs_intern_init(&x->texts);
    HS_TRY(load(x));
    const uint32_t name = job_id != NULL ? hs_intern_find(&x->ids, job_id) : 0;
    if (job_id != NULL && (name == 0 || name == UINT32_MAX)) {
        char hint[HS_HINT_SIZE];
        return hs_fail(diag, HS_E_INPUT, HS_AT({.file = dir}),
                       hs_did_you_mean(hint, job_id, x->ids.texts + 1,
                                       x->job_count < NEAREST_AMONG ? x->job_count : NEAREST_AMONG,
                                       "the first column of jobs.csv has the ids"),
                       "the run has no job '%s'", job_id);
    }
    x->watched = name - 1; /* EXPLAIN_NONE if no job is named */
    HS_TRY(replay(x));
    for (uint32_t i = 0; i < x->job_count; i++, hs_spill_step(&x->spill))
        if (x->jobs[i].pending_us > 0)
            list_insert(&x->longest, EXPLAIN_LONGEST, i, x->jobs[i].pending_us, -1);
    if (job_id == NULL)
        return HS_OK;
    look_for_overtakers(x);
    if (x->jobs[x->watched].first_segment != EXPLAIN_NONE)
        look_for_predecessors(x);
    if (x->is_sharing)
        look_for_partners(x);
    return x->has_decisions
               ? hs_rowfile_each(&x->manifest, "decisions.csv", decision_cells, add_decision, x)
               : HS_OK;
}

void explain_close(struct explain *x)
{
    hs_runmanifest_close(&x->manifest);
    if (x->has_cluster)
        hs_cluster_free(&x->cluster);
    hs_intern_free(&x->ids);
    hs_intern_free(&x->texts);
    hs_spill_free(&x->spill);
    hs_reservations_free(&x->reservations);
    hs_arena_free(&x->arena);
    hs_free(x->changes);
    hs_free(x->classes);
    hs_free(x->stages);
    hs_free(x->decisions);
}
