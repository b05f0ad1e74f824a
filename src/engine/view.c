/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's view (horus/view.h): jobs, nodes, free GPUs, predictions, models, estimates of run
 * times. Each query is checked against what the policy declared; O(1) unless its header says
 * otherwise.
 */
#include <string.h>

#include "base/fixed.h"
#include "base/io.h"
#include "base/rng.h"
#include "base/fmt.h"
#include "data/csvread.h"
#include "engine/plan_build.h"
#include "engine/progress.h"
#include "engine/state.h"
#include "horus/policy.h"
#include "horus/view.h"

/* NULL: it has none. */
static const struct hs_profile *profile_of(const struct hs_view *v, hs_job_id job)
{
    const struct hs_catalogue *catalogue = v->engine->config.catalogue;
    uint32_t profile = hs_lookup_identity(v, job)->profile;
    return catalogue != NULL && profile < catalogue->count ? &catalogue->profiles[profile] : NULL;
}

/* The name in the trace has precedence: a table may have a variant that the catalogue lacks. */
int64_t hs_view_restart_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_profile *profile = profile_of(v, job);
    if (e->config.restart == NULL)
        return -1;
    return hs_restart_us(e->config.restart,
                         hs_intern_text(&e->names, hs_lookup_training_profile(v, job)->model),
                         profile != NULL ? profile->model : NULL, hs_lookup_job(v, job)->gpus);
}

/* The value of the trace has precedence here, too. */
uint32_t hs_view_checkpoint_mib(const struct hs_view *v, hs_job_id job)
{
    uint32_t told_mib = hs_lookup_training_profile(v, job)->checkpoint_mib;
    const struct hs_profile *profile = profile_of(v, job);
    if (told_mib > 0 || profile == NULL)
        return told_mib;
    return profile->checkpoint_mib;
}

/* Saved once and read once, whatever the size of the gang: a data-parallel job has one state, the
 * same on each of its GPUs (Gandiva saves one copy: Xiao et al., OSDI'18). */
int64_t hs_view_checkpoint_us(const struct hs_view *v, hs_job_id job)
{
    int64_t per_s = v->engine->config.storage_mib_per_s, mib = hs_view_checkpoint_mib(v, job);
    if (mib == 0 || per_s <= 0)
        return -1;
    return (2 * mib * HS_US_PER_S + per_s - 1) / per_s;
}

int32_t hs_view_skew_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MODEL, "tensor sizes"))
        return -1;
    const struct hs_profile *profile = profile_of(v, job);
    return profile != NULL ? profile->skew_pm : -1;
}

#define NUMBERS_MAX (1u << 24)
#define MILLIONTHS  INT64_C(1000000)

static bool is_in_init(struct hs_engine *e, const char *what)
{
    return e->is_initialising ||
           hs_plan_refuse(&e->plan, HS_NO_JOB, "%s is for its init only", what);
}

enum hs_status hs_view_estimate_by(const struct hs_view *v, const struct hs_estimator *how)
{
    static const struct {
        uint32_t knows;
        const char *what;
    } needs[] = {
        [HS_ESTIMATE_ORACLE] = {HS_KNOWS_DURATION, "true run times as estimates"},
        [HS_ESTIMATE_NOISY] = {HS_KNOWS_ESTIMATE, "estimates of run times"},
        [HS_ESTIMATE_FILE] = {HS_KNOWS_ESTIMATE, "estimates of run times"},
        [HS_ESTIMATE_ROLLING] = {HS_KNOWS_HISTORY, "run times of finished jobs"},
    };
    struct hs_engine *e = v->engine;
    if (!is_in_init(e, "to say where estimates come from") ||
        !hs_lookup_may_know(v, HS_NO_JOB, needs[how->from].knows, needs[how->from].what))
        return e->plan.refused;
    if ((how->from == HS_ESTIMATE_FILE) != (how->file != NULL))
        return hs_fail(e->diag, HS_E_USAGE, NULL, "pred=file,pred_file=FILE",
                       how->file == NULL ? "policy '%s': run times come from a file: from which?"
                                         : "policy '%s': a file of run times is given, but they "
                                           "come from elsewhere",
                       e->policy->name);
    hs_estimator_close(e->estimation);
    e->estimation = NULL;
    e->estimates_are_true = how->from == HS_ESTIMATE_ORACLE; /* computed from the job */
    if (e->estimates_are_true)
        return HS_OK;
    return hs_estimator_open(&e->estimation, how, e->config.seed, e->diag);
}

int64_t hs_view_estimate_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    if (v->engine->estimates_are_true)
        return hs_lookup_job(v, job)->work_ns / HS_NS_PER_US;
    if (HS_LIKELY(v->engine->estimation != NULL && job < jobs->slots.high))
        return jobs->estimates_us[job];
    if (v->engine->estimation != NULL)
        (void)hs_lookup_default(v, job);
    else
        hs_plan_refuse(&v->engine->plan, job,
                       "it asked for an estimate of the run time, but never said where from");
    return 0;
}

/* ---- files of numbers ---- */

struct numbers {
    int64_t *values;
    uint32_t count, cap;
};

static enum hs_status read_number(struct numbers *n, const struct hs_csv *csv,
                                  const struct hs_csv_row *row, struct hs_diag *diag)
{
    struct hs_place place = hs_csv_place(csv, row->count > 1 ? 1 : 0);
    int64_t value;
    if (row->count != 1)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "expected one number a line");
    if (!hs_parse_decimal_us(row->fields[0], row->lengths[0], MILLIONTHS, &value)) {
        bool is_name = strchr("+-.0123456789", row->fields[0][0]) == NULL;
        if (row->line == 1 && is_name) /* a header */
            return HS_OK;
        return hs_fail(diag, HS_E_INPUT, &place, NULL,
                       is_name ? "not a number: '%.64s'"
                               : "not a number, or too large a one: '%.64s'",
                       row->fields[0]);
    }
    if (value < 0)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "negative: '%.64s'", row->fields[0]);
    if (n->count == NUMBERS_MAX)
        return hs_fail(diag, HS_E_LIMIT, &place, NULL, "no room for more than %u numbers",
                       n->count);
    hs_grow((void **)&n->values, &n->cap, (uint64_t)n->count + 1, sizeof *n->values, NUMBERS_MAX);
    n->values[n->count++] = value;
    return HS_OK;
}

enum hs_status hs_view_numbers(const struct hs_view *v, const char *path, const int64_t **values,
                               uint32_t *count)
{
    struct hs_engine *e = v->engine;
    struct numbers n = {0};
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    enum hs_status status;
    *values = NULL;
    *count = 0;
    if (!is_in_init(e, "to read a file"))
        return e->plan.refused;
    HS_TRY(hs_input_open(&input, path, e->diag));
    hs_csv_open(&csv, input, ',', e->diag);
    while ((status = hs_csv_next(csv, &row)) == HS_OK &&
           (status = read_number(&n, csv, &row, e->diag)) == HS_OK)
        ;
    hs_csv_close(csv);
    hs_input_close(input);
    if (status == HS_END && n.count == 0)
        return hs_fail(e->diag, HS_E_INPUT, &(struct hs_place){.file = path},
                       "one number a line, perhaps under a header", "there is no number in it");
    if (status == HS_END) {
        status = HS_OK;
        const uint64_t bytes = (uint64_t)n.count * sizeof *n.values;
        *values = memcpy(hs_arena_alloc(&e->arena, bytes), n.values, bytes);
        *count = n.count;
    }
    hs_free(n.values);
    return status;
}

/* What a handle, node or GPU that does not exist is answered from, after the fault is on record. */
static const struct hs_job default_record = {.ask = {.gpu_milli = HS_GPU_MILLI}};
static const struct hs_job_identity no_identity = {.profile = HS_NO_PROFILE};
static const struct hs_job_needs no_needs = {.later_ns = HS_TIME_MAX};
static const struct hs_node nowhere = {.name = ""};

const struct hs_job *hs_lookup_default(const struct hs_view *v, hs_job_id job)
{
    hs_plan_refuse(&v->engine->plan, job, "it asked about a job that is not there");
    return &default_record;
}

const struct hs_job_identity *hs_lookup_identity(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job) != &default_record ? &v->engine->jobs.identities[job]
                                                    : &no_identity;
}

const struct hs_training_profile *hs_lookup_training_profile(const struct hs_view *v, hs_job_id job)
{
    return &v->engine->jobs.training[hs_lookup_identity(v, job)->training];
}

static const struct hs_job_request *lookup_request(const struct hs_view *v, hs_job_id job)
{
    return &v->engine->jobs.request[hs_lookup_identity(v, job)->request];
}

const struct hs_job_needs *hs_lookup_needs(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    return j != &default_record ? hs_needs_of(&v->engine->jobs, j) : &no_needs;
}

const struct hs_node *hs_view_node(const struct hs_view *v, uint32_t node)
{
    if (HS_LIKELY(node < v->engine->cluster->node_count))
        return &v->engine->cluster->nodes[node];
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about node %u, which is not there", node);
    return &nowhere;
}

uint32_t hs_lookup_vc(const struct hs_view *v, uint32_t vc)
{
    if (HS_LIKELY(vc < v->engine->cluster->vc_count))
        return vc;
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB,
                   "it asked about virtual cluster %u, which is not there", vc);
    return 0;
}

bool hs_lookup_may_know(const struct hs_view *v, hs_job_id job, uint32_t need, const char *what)
{
    return HS_LIKELY((v->engine->knows & need) != 0) ||
           hs_plan_refuse(&v->engine->plan, job,
                          "it asked for the %s, which it did not declare to know", what);
}

int64_t hs_view_now_us(const struct hs_view *v)
{
    return v->engine->now_us;
}

void *hs_view_alloc(const struct hs_view *v, uint64_t bytes)
{
    struct hs_engine *e = v->engine;
    return e->is_initialising ? hs_arena_alloc(&e->arena, bytes) : NULL;
}

static HS_COLD void *no_scratch(const struct hs_view *v, hs_job_id job)
{
    (void)hs_lookup_default(v, job);
    return v->engine->no_scratch;
}

/* Called at every step of a search: the refusal is a function of its own, so that the rest is
 * inlined. */
HS_EXPANDED void *hs_view_scratch(const struct hs_view *v, hs_job_id job)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    return HS_LIKELY(job < jobs->slots.high) ? jobs->scratch + (size_t)job * jobs->scratch_size
                                             : no_scratch(v, job);
}

unsigned char *hs_view_scratches(const struct hs_view *v, size_t *size)
{
    *size = v->engine->jobs.scratch_size;
    return v->engine->jobs.scratch;
}

void hs_view_expect(const struct hs_view *v, hs_job_id job)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    if (job >= jobs->slots.high)
        return;
    hs_prefetch(&jobs->jobs[job], sizeof *jobs->jobs);
    hs_prefetch(jobs->scratch + (size_t)job * jobs->scratch_size, jobs->scratch_size);
}

enum hs_job_state hs_view_state(const struct hs_view *v, hs_job_id job)
{
    return (enum hs_job_state)hs_lookup_job(v, job)->state;
}

uint32_t hs_view_gpus(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->gpus;
}

uint32_t hs_view_gpus_held(const struct hs_view *v, hs_job_id job)
{
    return hs_placement_of(&v->engine->jobs, hs_lookup_job(v, job))->gpus_held;
}

uint32_t hs_view_gpus_max(const struct hs_view *v, hs_job_id job)
{
    uint32_t most = lookup_request(v, job)->gpus_max;
    return most > 0 ? most : hs_lookup_job(v, job)->gpus;
}

uint32_t hs_view_vc(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->ask.vc;
}

int32_t hs_view_priority(const struct hs_view *v, hs_job_id job)
{
    return lookup_request(v, job)->priority;
}

int64_t hs_view_submit_us(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->submit_us;
}

int64_t hs_view_first_start_us(const struct hs_view *v, hs_job_id job)
{
    return hs_run_of(&v->engine->jobs, hs_lookup_job(v, job))->first_start_us;
}

uint64_t hs_view_rank(const struct hs_view *v, hs_job_id job)
{
    uint64_t index = hs_lookup_job(v, job)->index, seed = v->engine->config.jitter_seed;
    return seed != 0 ? hs_mix64(seed, index) : index;
}

int64_t hs_view_attained_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_jobs *jobs = &v->engine->jobs;
    int64_t since =
        j->state == HS_JOB_RUNNING ? v->engine->now_us - hs_placement_of(jobs, j)->synced_us : 0;
    return hs_run_of(jobs, j)->attained_us + since;
}

int64_t hs_view_cost_left_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    bool pays = j->state == HS_JOB_STARTING || j->state == HS_JOB_MIGRATING;
    const struct hs_jobs *jobs = &v->engine->jobs;
    return hs_run_of(jobs, j)->cost_left_us -
           (pays ? v->engine->now_us - hs_placement_of(jobs, j)->synced_us : 0);
}

int64_t hs_view_preempt_cost_us(const struct hs_view *v, hs_job_id job)
{
    return lookup_request(v, job)->preempt_cost_us;
}

bool hs_view_is_constrained(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->is_constrained;
}

uint32_t hs_view_ooms(const struct hs_view *v, hs_job_id job)
{
    return hs_sharing_overhead_of(&v->engine->jobs, hs_lookup_job(v, job))->ooms;
}

uint32_t hs_view_attempt(const struct hs_view *v, hs_job_id job)
{
    return v->engine->jobs.histories[hs_lookup_identity(v, job)->history].attempt;
}

int64_t hs_view_duration_us(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_DURATION, "run time"))
        return 0;
    return hs_lookup_job(v, job)->work_ns / HS_NS_PER_US;
}

int64_t hs_view_remaining_us(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_DURATION, "remaining run time"))
        return 0;
    const struct hs_work work = hs_lookup_work(v, job);
    return hs_work_eta_us(&work, HS_Q32_ONE);
}

int64_t hs_view_finish_us(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_DURATION, "finish time"))
        return INT64_MAX;
    const struct hs_job *j = hs_lookup_job(v, job);
    const int64_t finish_us = hs_placement_of(&v->engine->jobs, j)->finish_us;
    bool pays = j->state == HS_JOB_STARTING || j->state == HS_JOB_MIGRATING;
    if (!pays)
        return finish_us;
    const struct hs_work work = hs_work_of(&v->engine->jobs, j);
    int64_t work_us = hs_work_eta_us(&work, hs_rate_placed(v->engine, j));
    return work_us < HS_TIME_MAX - finish_us ? finish_us + work_us : HS_TIME_MAX;
}

int32_t hs_view_util_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_UTILIZATION, "utilization"))
        return -1;
    return hs_lookup_needs(v, job)->estimate.util_pm;
}

int32_t hs_view_util_peak_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_UTILIZATION, "peak utilization"))
        return -1;
    return hs_lookup_needs(v, job)->estimate.util_peak_pm;
}

uint64_t hs_view_slowdown_q32(const struct hs_view *v, int32_t own_pm, int32_t beside_pm)
{
    const struct hs_predictor *p = v->engine->config.predictor;
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_UTILIZATION, "slowdown") || p == NULL)
        return HS_Q32_ONE;
    return hs_predictor_slowdown_q20(p, own_pm, beside_pm) << 12;
}

uint32_t hs_view_gpu_mem_mib(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MEMORY, "GPU memory"))
        return 0;
    return hs_lookup_needs(v, job)->estimate.mem_mib;
}

uint64_t hs_view_rate_q32(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_RATE, "measured rate"))
        return 0;
    return hs_placement_of(&v->engine->jobs, hs_lookup_job(v, job))->rate_q32;
}

uint32_t hs_view_node_free(const struct hs_view *v, uint32_t node)
{
    return hs_view_node(v, node) == &nowhere ? 0 : hs_free_of_node(v->engine->free_index, node);
}

uint64_t hs_view_total_gpus(const struct hs_view *v, uint32_t vc)
{
    return v->engine->cluster->vcs[hs_lookup_vc(v, vc)].gpus;
}

uint64_t hs_view_free_gpus(const struct hs_view *v, uint32_t vc)
{
    return hs_free_total(v->engine->free_index, hs_lookup_vc(v, vc));
}

uint64_t hs_view_gang_room(const struct hs_view *v, uint32_t vc)
{
    return hs_free_gang_room(v->engine->free_index, hs_lookup_vc(v, vc));
}

uint64_t hs_view_free_for(const struct hs_view *v, hs_job_id job)
{
    return hs_free_for(v->engine->free_index, &hs_lookup_job(v, job)->ask);
}

uint32_t hs_view_best_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_best(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus);
}

uint32_t hs_view_best_busy(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_best_busy(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus);
}

uint32_t hs_view_worst_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_worst(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus);
}

uint32_t hs_view_first_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t from)
{
    return hs_free_first(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus, from);
}

uint32_t hs_view_idle_node(const struct hs_view *v, hs_job_id job, uint32_t size, uint32_t from)
{
    return hs_free_idle(v->engine->free_index, &hs_lookup_job(v, job)->ask, size, from);
}

uint32_t hs_view_node_size(const struct hs_view *v, hs_job_id job, uint32_t most)
{
    return hs_free_node_size(v->engine->free_index, &hs_lookup_job(v, job)->ask, most);
}

uint32_t hs_view_node_count(const struct hs_view *v, hs_job_id job, uint32_t size)
{
    return hs_free_node_count(v->engine->free_index, &hs_lookup_job(v, job)->ask, size, false);
}

uint32_t hs_view_idle_count(const struct hs_view *v, hs_job_id job, uint32_t size)
{
    return hs_free_node_count(v->engine->free_index, &hs_lookup_job(v, job)->ask, size, true);
}

uint32_t hs_view_rack_first(const struct hs_view *v, uint32_t rack)
{
    return v->engine->cluster->rack_first[rack];
}

uint32_t hs_view_rack_free(const struct hs_view *v, uint32_t rack)
{
    if (HS_LIKELY(rack < v->engine->cluster->rack_count))
        return hs_free_of_rack(v->engine->free_index, rack);
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about rack %u, which is not there", rack);
    return 0;
}

uint32_t hs_view_idle_rack(const struct hs_view *v, hs_job_id job, uint32_t size, uint32_t count,
                           uint32_t from)
{
    return hs_free_idle_rack(v->engine->free_index, &hs_lookup_job(v, job)->ask, size, count, from);
}
