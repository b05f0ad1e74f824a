/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See sharing.h. Sets are pairs, and the sets of three or more that some data have.
 */
#include "calibrate/sharing.h"

#include <math.h>

#include "base/fixed.h"
#include "model/interference.h"

/* The tenants of a measured set. */
struct tenants {
    uint32_t count;
    bool is_itself; /* one job, several times */
    const struct hs_solo *solos[HS_TENANTS_MAX];
    double util[HS_TENANTS_MAX], speed[HS_TENANTS_MAX];
};

struct set_visitor {
    const struct hs_measurements *set; /* all data */
    uint32_t sets;
    const char *gpu, *mode;
    bool borrows; /* utilizations that a campaign lacks from another */
    void (*visit)(void *ctx, const struct hs_measurements *m, const struct tenants *t);
    void *ctx;
};

static bool is_of(const struct hs_measurements *m, uint32_t gpu, const struct set_visitor *v)
{
    return hs_model_same_name(m->gpus[gpu], v->gpu) && strcmp(m->modes[gpu], v->mode) == 0;
}

/* Alone; of another campaign where this one did not measure it. NaN = none did. */
static double util_of(const struct set_visitor *v, const struct hs_solo *solo)
{
    if (isfinite(solo->util) || !v->borrows)
        return solo->util;
    for (const struct hs_measurements *m = v->set; m < v->set + v->sets; m++)
        for (uint32_t i = 0; i < m->solo_count; i++)
            if (isfinite(m->solos[i].util) && strcmp(m->solos[i].key, solo->key) == 0)
                return m->solos[i].util;
    return NAN;
}

static void add_tenant(const struct set_visitor *v, struct tenants *t, const struct hs_solo *solo,
                       double speed)
{
    t->is_itself &= t->count == 0 || solo == t->solos[0];
    t->solos[t->count] = solo;
    t->util[t->count] = util_of(v, solo);
    t->speed[t->count++] = speed;
}

/* All sets whose utilizations are known. */
static void visit_sets(const struct set_visitor *v)
{
    for (const struct hs_measurements *m = v->set; m < v->set + v->sets; m++) {
        for (uint32_t i = 0; i + 1 < m->pair_count; i++) {
            const struct hs_pair *a = &m->pairs[i], *b = a + 1;
            struct tenants t = {.is_itself = true};
            if (a->pair != b->pair || (a->dropped | b->dropped) != 0 || !is_of(m, a->gpu, v))
                continue;
            add_tenant(v, &t, &m->solos[a->own], a->rebased);
            add_tenant(v, &t, &m->solos[b->own], b->rebased);
            if (isfinite(t.util[0] + t.util[1]))
                v->visit(v->ctx, m, &t);
        }
        for (uint32_t i = 0, end; i < m->tenancy_count; i = end) {
            struct tenants t = {.is_itself = true};
            double sum = 0;
            for (end = i; end < m->tenancy_count && m->tenancies[end].set == m->tenancies[i].set;
                 end++) {
                const struct hs_tenancy *row = &m->tenancies[end];
                if (t.count < HS_TENANTS_MAX)
                    add_tenant(v, &t, &m->solos[row->solo], row->speed);
                sum += t.util[t.count - 1] * row->speed;
            }
            if (isfinite(sum) && sum > 0 && end - i == t.count && is_of(m, m->tenancies[i].gpu, v))
                v->visit(v->ctx, m, &t);
        }
    }
}

/* ---- capacities ---- */

static void add_saturated(void *ctx, const struct hs_measurements *m, const struct tenants *t)
{
    struct hs_capacities *capacities = ctx;
    double wanted = 0, used = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        wanted += t->util[i];
        used += t->util[i] * t->speed[i];
    }
    if (t->count - 2 >= HS_CAPACITIES || wanted < HS_SATURATED ||
        (m->windows == HS_WINDOWS_PARTLY_ALONE && !t->is_itself))
        return;
    capacities->c[t->count - 2] += used;
    capacities->sets[t->count - 2]++;
}

void hs_capacities_find(const struct hs_measurements *set, uint32_t sets, const char *gpu,
                        const char *mode, struct hs_capacities *capacities)
{
    *capacities = (struct hs_capacities){0};
    visit_sets(&(struct set_visitor){set, sets, gpu, mode, false, add_saturated, capacities});
    for (uint32_t n = 0; n < HS_CAPACITIES; n++)
        if (capacities->sets[n] > 0) {
            capacities->c[n] /= capacities->sets[n];
            capacities->count = n + 1;
        }
    for (uint32_t n = capacities->count; n-- > 0;)
        if (capacities->sets[n] == 0)
            capacities->c[n] = capacities->c[n + 1];
}

/* ---- checks ---- */

struct check_run {
    const struct hs_sharing_ask *ask;
    struct hs_sharing_check *check;
    struct hs_predictions speeds;
};

/* Speeds by the form, and what the capacity leaves of them. */
static void predict(const struct hs_sharing_ask *ask, const struct tenants *t, double *speeds)
{
    struct hs_fair_share shares[HS_TENANTS_MAX];
    for (uint32_t i = 0; i < t->count; i++) {
        const double u = fmin(1, fmax(HS_UTIL_MIN, t->util[i]));
        double slowdown = 1;
        for (uint32_t j = 0; j < t->count; j++)
            if (j != i)
                slowdown +=
                    exp(ask->theta[HS_GENERAL_LN_K]) * pow(u, ask->theta[HS_GENERAL_ALPHA]) *
                    pow(fmin(1, fmax(HS_UTIL_MIN, t->util[j])), ask->theta[HS_GENERAL_BETA]);
        speeds[i] = 1 / slowdown;
        shares[i].demand_q32 = (uint64_t)(u * speeds[i] * (double)HS_Q32_ONE);
        shares[i].weight_q32 = HS_Q32_ONE;
    }
    const double capacity = isnan(ask->capacity) ? 1 : ask->capacity;
    hs_share_fairly(shares, t->count, (uint64_t)(capacity * (double)HS_Q32_ONE));
    for (uint32_t i = 0; i < t->count; i++)
        if (shares[i].given_q32 < shares[i].demand_q32)
            speeds[i] = (double)shares[i].given_q32 / (double)HS_Q32_ONE /
                        fmin(1, fmax(HS_UTIL_MIN, t->util[i]));
}

static void check_set(void *ctx, const struct hs_measurements *m, const struct tenants *t)
{
    struct check_run *run = ctx;
    double speeds[HS_TENANTS_MAX];
    (void)m;
    if (t->count != run->ask->tenants || (run->ask->is_itself && !t->is_itself))
        return;
    predict(run->ask, t, speeds);
    run->check->sets++;
    for (uint32_t i = 0; i < t->count; i++) {
        run->check->sum_observed += t->speed[i];
        run->check->sum_predicted += speeds[i];
        hs_predictions_add(&run->speeds, t->speed[i], speeds[i]);
    }
}

bool hs_sharing_check(const struct hs_measurements *set, uint32_t sets,
                      const struct hs_sharing_ask *ask, struct hs_sharing_check *check)
{
    struct check_run run = {.ask = ask, .check = check};
    *check = (struct hs_sharing_check){.gpu = ask->gpu,
                                       .mode = ask->mode,
                                       .what = ask->what,
                                       .form_gpu = ask->form_gpu,
                                       .form_mode = ask->form_mode,
                                       .capacity = ask->capacity};
    visit_sets(&(struct set_visitor){set, sets, ask->gpu, ask->mode, true, check_set, &run});
    hs_predictions_score(&run.speeds, &check->speed);
    check->sum_observed /= check->sets;
    check->sum_predicted /= check->sets;
    return check->sets > 0;
}

void hs_sharing_check_write(struct hs_jsonw *w, const struct hs_sharing_check *check)
{
    hs_jsonw_put(w, "=!{ gpu=%s mode=%s form_gpu=%s form_mode=%s", check->gpu, check->mode,
                 check->form_gpu, check->form_mode);
    if (!isnan(check->capacity))
        hs_jsonw_put(w, "capacity=%.6g", check->capacity);
    hs_jsonw_put(w, "sets=%u sum=%.6g sum_predicted=%.6g", check->sets, check->sum_observed,
                 check->sum_predicted);
    hs_score_write_members(w, check->what, &check->speed);
    hs_jsonw_put(w, "}");
}
