/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See residency.h.
 */
#include "engine/residency.h"

#include "engine/overflow.h"

/* What one tenant takes, and of that what it keeps when others of its lane run. */
struct need {
    uint64_t full_mib, kept_mib;
};

typedef struct need need_fn(const struct hs_engine *e, const struct hs_job *job);

static struct hs_turn turn_of(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    return (struct hs_turn){
        .lane = stay->lane, .unit = stay->unit, .keeps = (enum hs_keeps)stay->keeps};
}

static uint32_t persistent_mib(const struct hs_engine *e, const struct hs_job *job)
{
    return hs_traits_of(&e->jobs, job)->gpu_mem_persistent_mib;
}

static uint32_t kept_of(const struct hs_engine *e, const struct hs_job *job,
                        const struct hs_turn *turn, uint32_t mib)
{
    if (turn->lane == 0 || turn->keeps == HS_KEEPS_ALL)
        return mib;
    if (turn->keeps == HS_KEEPS_NOTHING)
        return 0;
    return persistent_mib(e, job) < mib ? persistent_mib(e, job) : mib;
}

static struct need need_used(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_turn turn = turn_of(e, job);
    uint32_t mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
    return (struct need){.full_mib = mib, .kept_mib = kept_of(e, job, &turn, mib)};
}

/* A job that has to run alone is alone while it has its turn, if the others keep nothing. */
static bool takes_turns_alone(const struct hs_turn *turn)
{
    return turn->lane != 0 && turn->unit == 0 && turn->keeps == HS_KEEPS_NOTHING;
}

static uint32_t full_claim_mib(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t limit_mib = hs_needs_of(&e->jobs, job)->mem_limit_mib;
    return hs_overflow_claim_mib(e, job, limit_mib > 0 ? limit_mib : UINT32_MAX);
}

static struct need need_claimed(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_turn turn = turn_of(e, job);
    bool is_apart = job->is_alone && takes_turns_alone(&turn);
    return (struct need){.full_mib = is_apart ? 0 : full_claim_mib(e, job),
                         .kept_mib = hs_claim_mib(e, job)};
}

uint32_t hs_residency_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                                const struct hs_turn *turn)
{
    static const struct hs_turn outside = {0};
    if (turn == NULL)
        turn = &outside;
    if (job->is_alone)
        return takes_turns_alone(turn) ? 0 : HS_CLAIM_ALONE;
    return kept_of(e, job, turn, full_claim_mib(e, job));
}

uint32_t hs_residency_claim_now_mib(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_turn turn = turn_of(e, job);
    return hs_residency_claim_mib(e, job, &turn);
}

static const struct hs_job *tenant_of(const struct hs_engine *e, uint32_t seat)
{
    return &e->jobs.jobs[e->jobs.seats[seat].job];
}

static const struct hs_job_stay *stay_on(const struct hs_engine *e, uint32_t seat)
{
    return hs_stay_of(&e->jobs, tenant_of(e, seat));
}

/* Where the next of a unit may sit, on the GPU; who is of no unit takes its turns alone. */
static uint32_t next_of_unit(const struct hs_engine *e, uint32_t seat, uint32_t unit)
{
    return unit > 0 ? e->jobs.seats[seat].next_on_gpu : HS_NO_SEAT;
}

/* Does a tenant between the two come from the same lane (and unit)? */
static bool is_repeated(const struct hs_engine *e, uint32_t from, uint32_t seat, bool same_unit)
{
    const struct hs_job_stay *job = stay_on(e, seat);
    if (same_unit && job->unit == 0)
        return false;
    for (uint32_t s = from; s != seat; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job_stay *other = stay_on(e, s);
        if (other->lane == job->lane && (!same_unit || other->unit == job->unit))
            return true;
    }
    return false;
}

/* The largest of a lane's units: the sum over its jobs from this seat on. */
static uint64_t unit_rest_mib(const struct hs_engine *e, uint32_t seat, need_fn *need_of)
{
    const struct hs_job_stay *job = stay_on(e, seat);
    uint64_t rest_mib = 0;
    for (uint32_t s = seat; s != HS_NO_SEAT; s = next_of_unit(e, s, job->unit)) {
        const struct hs_job_stay *other = stay_on(e, s);
        if (other->lane != job->lane || other->unit != job->unit)
            continue;
        const struct need need = need_of(e, tenant_of(e, s));
        if (need.full_mib > need.kept_mib)
            rest_mib += need.full_mib - need.kept_mib;
    }
    return rest_mib;
}

static uint64_t lane_rest_mib(const struct hs_engine *e, uint32_t seat, need_fn *need_of)
{
    uint64_t most_mib = 0;
    for (uint32_t s = seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        if (stay_on(e, s)->lane != stay_on(e, seat)->lane || is_repeated(e, seat, s, true))
            continue;
        uint64_t rest_mib = unit_rest_mib(e, s, need_of);
        most_mib = rest_mib > most_mib ? rest_mib : most_mib;
    }
    return most_mib;
}

static uint64_t taken_mib(const struct hs_engine *e, uint32_t seat, need_fn *need_of)
{
    uint64_t mib = 0;
    if (seat != HS_NO_SEAT && e->jobs.seats[seat].next_on_gpu == HS_NO_SEAT) { /* usually */
        const struct need need = need_of(e, tenant_of(e, seat));
        bool takes_more = stay_on(e, seat)->lane != 0 && need.full_mib > need.kept_mib;
        return takes_more ? need.full_mib : need.kept_mib;
    }
    for (uint32_t s = seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job *job = tenant_of(e, s);
        mib += need_of(e, job).kept_mib;
        if (stay_on(e, s)->lane != 0 && !is_repeated(e, seat, s, false))
            mib += lane_rest_mib(e, s, need_of);
    }
    return mib;
}

uint64_t hs_residency_used_mib(const struct hs_engine *e, uint32_t seat)
{
    return taken_mib(e, seat, need_used);
}

uint64_t hs_residency_claimed_mib(const struct hs_engine *e, uint32_t seat)
{
    return taken_mib(e, seat, need_claimed);
}

/* Jobs of the largest unit of a lane, from this seat on; only_gone: of those that keep nothing. */
static uint32_t largest_unit(const struct hs_engine *e, uint32_t seat, bool only_gone)
{
    uint32_t most = 0;
    for (uint32_t s = seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job_stay *job = stay_on(e, s);
        uint32_t jobs = 0;
        if (job->lane != stay_on(e, seat)->lane)
            continue;
        for (uint32_t t = s; t != HS_NO_SEAT; t = next_of_unit(e, t, job->unit)) {
            const struct hs_job_stay *other = stay_on(e, t);
            bool is_with = other->lane == job->lane && other->unit == job->unit;
            jobs += is_with && (!only_gone || other->keeps == HS_KEEPS_NOTHING);
        }
        most = jobs > most ? jobs : most;
    }
    return most;
}

uint32_t hs_residency_at_once(const struct hs_engine *e, uint32_t seat)
{
    uint32_t jobs = 0;
    for (uint32_t s = seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        if (stay_on(e, s)->lane == 0)
            jobs++;
        else if (!is_repeated(e, seat, s, false))
            jobs += largest_unit(e, s, false);
    }
    return jobs;
}

/* Who keeps something is there all the time; of the others those whose turn it is. */
uint64_t hs_residency_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                   uint32_t seat)
{
    uint32_t jobs = 0;
    for (uint32_t s = seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job_stay *job = stay_on(e, s);
        jobs += job->lane == 0 || job->keeps != HS_KEEPS_NOTHING;
        if (job->lane != 0 && !is_repeated(e, seat, s, false))
            jobs += largest_unit(e, s, true);
    }
    return hs_gpu_capacity_mib(e, gpu, jobs);
}

bool hs_residency_update(struct hs_engine *e, struct hs_job *job)
{
    if (!e->jobs.has_needs)
        return false;
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    uint32_t peak_mib = hs_run_of(&e->jobs, job)->done_ns >= needs->later_ns
                            ? needs->gpu_mem_later_mib
                            : needs->gpu_mem_first_mib;
    bool is_limit = needs->mem_limit_mib > 0 && needs->mem_limit_mib < peak_mib;
    uint32_t mib = is_limit ? needs->mem_limit_mib : peak_mib, before_mib = needs->gpu_mem_mib;
    needs->gpu_mem_peak_mib = peak_mib;
    needs->gpu_mem_mib = mib;
    for (uint32_t s = e->is_whole ? HS_NO_SEAT : hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job)
        hs_residency_recount(e, &e->gpus[e->jobs.seats[s].gpu], (int64_t)mib - before_mib);
    return mib > before_mib;
}

static int64_t host_mib(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    if (stay->is_hosted)
        return (int64_t)persistent_mib(e, job) * stay->gpus_hosted;
    if (!hs_job_is_placed(job))
        return 0;
    int64_t mib = ((int64_t)needs->gpu_mem_peak_mib - needs->gpu_mem_mib) * stay->gpus_held;
    if (stay->lane == 0 || stay->keeps != HS_KEEPS_NOTHING)
        return mib;
    uint64_t away_q32 = stay->is_active ? HS_Q32_ONE - stay->share_q32 : HS_Q32_ONE;
    return mib + (int64_t)hs_q32_mul(away_q32, (uint64_t)persistent_mib(e, job) * stay->gpus_held);
}

void hs_residency_settle_needs(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    stay->mem_factor_q32 = HS_Q32_ONE;
    if (needs->gpu_mem_mib < needs->gpu_mem_peak_mib && e->config.memcurve != NULL)
        stay->mem_factor_q32 = hs_memcurve_q32(
            e->config.memcurve, hs_intern_text(&e->names, hs_traits_of(&e->jobs, job)->model),
            needs->gpu_mem_mib, needs->gpu_mem_peak_mib);
    stay->host_mib = host_mib(e, job);
}
