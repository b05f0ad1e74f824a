/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See label.h.
 */
#include "engine/label.h"

/* Jobs that were given a profile bear the names of the catalogue; others have their own. */
static bool is_of_catalogue(const struct hs_trace_job *r)
{
    return r->profile_from == HS_PROFILE_FROM_DRAW ||
           r->profile_from == HS_PROFILE_FROM_UTILIZATION;
}

static enum hs_status name_traits(struct hs_engine *e, const struct hs_trace_job *r,
                                  struct hs_job_traits *traits)
{
    HS_TRY(hs_intern_get(&e->names, r->model, &traits->model));
    HS_TRY(hs_intern_get(&e->names, r->dataset, &traits->dataset));
    HS_TRY(hs_intern_get(&e->names, r->batch, &traits->batch));
    return hs_intern_get(&e->names, r->precision, &traits->precision);
}

/* All but the names. */
static bool are_alike(const struct hs_job_traits *a, const struct hs_trace_job *r)
{
    return a->step_ns == r->step_us * HS_NS_PER_US &&
           a->gpu_mem_persistent_mib == r->gpu_mem_persistent_mib &&
           a->checkpoint_mib == r->checkpoint_mib;
}

static bool have_same_names(const struct hs_job_traits *a, const struct hs_job_traits *b)
{
    return a->model == b->model && a->dataset == b->dataset && a->batch == b->batch &&
           a->precision == b->precision;
}

/* Those of the first job of the same profile, if they are the same; the run keeps them. kind: row
 * of usual_traits. */
static HS_APART enum hs_status traits_learn(struct hs_engine *e, const struct hs_trace_job *r,
                                            uint64_t kind, uint32_t *at)
{
    struct hs_job_traits traits = {0};
    HS_TRY(hs_grow((void **)&e->usual_traits, &e->usual_traits_cap, kind + 1,
                   sizeof *e->usual_traits, 2 * (HS_PROFILES_MAX + 1)));
    const uint32_t usual = e->usual_traits[kind];
    bool is_usual = usual != 0 && are_alike(&e->jobs.traits[usual], r);
    if (usual == 0 || !is_of_catalogue(r)) {
        HS_TRY(name_traits(e, r, &traits));
        is_usual = is_usual && have_same_names(&traits, &e->jobs.traits[usual]);
    } else if (!is_usual) {
        traits = e->jobs.traits[usual]; /* its names: no need to look them up */
    }
    if (is_usual) {
        e->jobs.traits[usual].users++;
        *at = usual;
        return HS_OK;
    }
    HS_TRY(hs_jobs_add_traits(&e->jobs, at));
    traits.step_ns = r->step_us * HS_NS_PER_US;
    traits.gpu_mem_persistent_mib = r->gpu_mem_persistent_mib;
    traits.checkpoint_mib = r->checkpoint_mib;
    traits.users = usual == 0 ? 2 : 1;
    if (usual == 0)
        e->usual_traits[kind] = *at;
    e->jobs.traits[*at] = traits;
    return HS_OK;
}

/* Nearly all jobs of a profile of the catalogue are alike. */
static inline enum hs_status traits_find(struct hs_engine *e, const struct hs_trace_job *r,
                                         uint32_t *at)
{
    const bool has_its_names = is_of_catalogue(r);
    const uint64_t row = r->profile != HS_NO_PROFILE ? r->profile + UINT64_C(1) : 0;
    const uint64_t kind = 2 * row + has_its_names;
    const uint32_t usual = kind < e->usual_traits_cap ? e->usual_traits[kind] : 0;
    struct hs_job_traits *traits = &e->jobs.traits[usual];
    if (HS_UNLIKELY(usual == 0 || !has_its_names || !are_alike(traits, r)))
        return traits_learn(e, r, kind, at);
    traits->users++;
    *at = usual;
    return HS_OK;
}

static bool has_wishes(const struct hs_trace_job *r)
{
    const uint64_t told = (uint64_t)(~r->deadline_us | ~r->preempt_cost_us);
    const uint32_t range = (r->gpus_min ^ r->gpus) | (r->gpus_max ^ r->gpus);
    return (told | range | (uint32_t)r->priority) != 0;
}

static HS_APART enum hs_status wishes_add(struct hs_engine *e, const struct hs_trace_job *r,
                                          uint32_t *at)
{
    bool is_elastic =
        (r->gpus_min > 0 && r->gpus_min != r->gpus) || (r->gpus_max > 0 && r->gpus_max != r->gpus);
    if (!is_elastic && r->deadline_us < 0 && r->preempt_cost_us == -1 && r->priority == 0)
        return HS_OK;
    HS_TRY(hs_jobs_add_wishes(&e->jobs, at));
    e->jobs.wishes[*at] = (struct hs_job_wishes){
        .deadline_us = r->deadline_us < 0 ? -1 : r->deadline_us - e->figures.epoch_us,
        .preempt_cost_us = r->preempt_cost_us,
        .gpus_min = r->gpus_min,
        .gpus_max = r->gpus_max,
        .priority = r->priority,
    };
    return HS_OK;
}

static inline enum hs_status name_find(struct hs_engine *e, const char *name, uint64_t word,
                                       uint32_t *id)
{
    return hs_intern_get_word(&e->names, name, word != 0 ? word : hs_name_word(name), id);
}

enum hs_status hs_label_fill(struct hs_engine *e, uint32_t slot, const struct hs_trace_job *r)
{
    struct hs_job_label *label = &e->jobs.labels[slot];
    HS_TRY(hs_jobs_set_id(label, r->id));
    HS_TRY(name_find(e, r->user, r->user_word, &label->user));
    HS_TRY(name_find(e, r->vc, r->vc_word, &label->vc_name));
    HS_TRY(traits_find(e, r, &label->traits));
    if (HS_UNLIKELY(has_wishes(r)))
        HS_TRY(wishes_add(e, r, &label->wishes));
    label->profile = r->profile;
    label->outcome = (uint8_t)r->outcome;
    label->job_class = (uint8_t)r->job_class;
    label->profile_from = (uint8_t)r->profile_from;
    return HS_OK;
}
