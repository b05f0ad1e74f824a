/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/stages.h"

#include <math.h>
#include <string.h>

#include "base/fixed.h"
#include "base/rng.h"

#define NS_PER_MS   1e6
#define MS_MAX      1e7 /* of a stage: within 3 hours, so that sums of eight fit */
#define SLOTS       8u
#define ROWS_MAX    65535u
#define FACTOR_UNIT 1000 /* overheads have three decimals */

struct stage_row {
    const char *model;
    uint32_t gpus;
    struct hs_stage_times times[2]; /* by enum hs_stages_source */
};

struct hs_stages {
    struct hs_arena arena;
    struct stage_row *rows; /* row 0: HS_STAGES_UNKNOWN */
    uint32_t count;
    int64_t overhead[HS_STAGES_MEMBERS]; /* of 1 to 4 members, thousandths */
};

/* ---- reading ---- */

static void read_overhead(struct hs_jsoncheck *check, const struct hs_json *root,
                          struct hs_stages *m)
{
    const struct hs_json *list = hs_json_get(root, "overhead");
    uint32_t count = 0;
    bool is_good = list != NULL && hs_json_kind(list) == HS_JSON_ARRAY &&
                   hs_json_count(list) == HS_STAGES_MEMBERS;
    for (const struct hs_json *at = is_good ? hs_json_first(list) : NULL; at != NULL;
         at = hs_json_next(at)) {
        is_good = is_good && hs_json_number(at) >= 1 && hs_json_number(at) <= FACTOR_UNIT;
        m->overhead[count++] = is_good ? llrint(hs_json_number(at) * FACTOR_UNIT) : FACTOR_UNIT;
    }
    if (!is_good)
        hs_jsoncheck_fault(check, list != NULL ? list : root, NULL,
                           "overhead is a list of factors of at least 1, for 1 to %u jobs",
                           HS_STAGES_MEMBERS);
}

static void read_row(struct hs_jsoncheck *check, const struct hs_json *at, struct hs_stages *m)
{
    double gpus = 1, ms[1 + HS_STAGE_COUNT] = {1};
    const struct hs_model_number numbers[] = {{"gpus", 1, INT32_MAX, &gpus},
                                              {"iteration_ms", 1e-3, MS_MAX, &ms[0]},
                                              {"data_ms", 0, MS_MAX, &ms[1]},
                                              {"gpu_ms", 0, MS_MAX, &ms[2]},
                                              {"network_ms", 0, MS_MAX, &ms[3]}};
    struct stage_row *row = &m->rows[m->count];
    if (!hs_jsoncheck_object(check, at, "a row",
                             "model gpus iteration_ms data_ms gpu_ms network_ms"))
        return;
    row->model = hs_modelfile_name(check, &m->arena, at, "model");
    hs_modelfile_numbers(check, at, numbers, HS_COUNT_OF(numbers));
    row->gpus = (uint32_t)gpus;
    row->times[HS_STAGES_TRUE].iteration_ns = llrint(ms[0] * NS_PER_MS);
    for (uint32_t s = 0; s < HS_STAGE_COUNT; s++)
        row->times[HS_STAGES_TRUE].stage_ns[s] = llrint(ms[1 + s] * NS_PER_MS);
    row->times[HS_STAGES_PREDICTED] = row->times[HS_STAGES_TRUE];
    for (uint32_t i = 1; row->model != NULL && i < m->count; i++)
        if (m->rows[i].gpus == row->gpus && hs_model_same_name(m->rows[i].model, row->model))
            hs_jsoncheck_fault(check, at, NULL, "model '%s' appears twice with %u GPUs", row->model,
                               row->gpus);
    m->count += row->model != NULL;
}

static void read_file(struct hs_jsoncheck *check, struct hs_stages *m)
{
    const struct hs_json *root = hs_json_root(check->doc);
    (void)hs_jsoncheck_object(check, root, "a model of stages", "kind format notes overhead rows");
    read_overhead(check, root, m);
    const struct hs_json *list = hs_json_get(root, "rows"),
                         *at = hs_jsoncheck_first(check, root, "rows", true);
    if (hs_json_count(list) >= ROWS_MAX) {
        hs_jsoncheck_fault(check, list, NULL, "more than %u rows", ROWS_MAX - 1);
        return;
    }
    m->rows = hs_arena_alloc(&m->arena, (hs_json_count(list) + 1) * sizeof *m->rows);
    const struct hs_stage_times unknown = {1000000000, {0, 1000000000, 0}};
    m->rows[m->count++] = (struct stage_row){.model = "", .gpus = 1, .times = {unknown, unknown}};
    for (; at != NULL; at = hs_json_next(at))
        read_row(check, at, m);
}

enum hs_status hs_stages_load(struct hs_stages **out, const char *path,
                              const struct hs_speed_predictor *how, struct hs_diag *diag)
{
    struct hs_stages *m = hs_alloc_zeroed(1, sizeof *m);
    *out = m;
    struct hs_jsoncheck check;
    if (hs_modelfile_open(&check, path, HS_MODEL_STAGES, diag) == HS_OK)
        read_file(&check, m);
    const bool is_noisy = how != NULL && how->kind == HS_SPEED_PREDICTOR_NOISY;
    for (uint32_t i = 1; is_noisy && i < m->count; i++) {
        struct stage_row *row = &m->rows[i];
        const uint64_t seed = hs_seed_of(hs_seed_of(how->seed, "stage-noise"), row->model);
        for (uint32_t stage = 0; stage < HS_STAGE_COUNT; stage++) {
            const double z = hs_normal_of(seed, (uint64_t)row->gpus * HS_STAGE_COUNT + stage);
            row->times[HS_STAGES_PREDICTED].stage_ns[stage] =
                llrint((double)row->times[HS_STAGES_TRUE].stage_ns[stage] * exp(how->sigma * z));
        }
    }
    return hs_jsoncheck_close(&check);
}

void hs_stages_free(struct hs_stages *m)
{
    if (m == NULL)
        return;
    hs_arena_free(&m->arena);
    hs_free(m);
}

/* ---- queries ---- */

uint32_t hs_stages_row(const struct hs_stages *m, const char *model, const char *other,
                       uint32_t gpus)
{
    const char *const names[] = {model, other};
    for (uint32_t n = 0; n < 2; n++) {
        uint32_t best = HS_STAGES_UNKNOWN;
        for (uint32_t i = 1; names[n] != NULL && names[n][0] != '\0' && i < m->count; i++) {
            const uint32_t at = m->rows[i].gpus, of = m->rows[best].gpus;
            if (!hs_model_same_name(m->rows[i].model, names[n]))
                continue;
            if (best == HS_STAGES_UNKNOWN || (at <= gpus ? of > gpus || at > of : at < of))
                best = i;
        }
        if (best != HS_STAGES_UNKNOWN)
            return best;
    }
    return HS_STAGES_UNKNOWN;
}

const struct hs_stage_times *hs_stages_times(const struct hs_stages *m, uint32_t row,
                                             enum hs_stages_source source)
{
    return &m->rows[row < m->count ? row : HS_STAGES_UNKNOWN].times[source];
}

int64_t hs_stages_overhead_pm(const struct hs_stages *m)
{
    return m->overhead[0];
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* When a slot may end by one stage of a job of the order; -1: there is no such job. */
static int64_t end_of(const struct hs_stage_times *const *order, uint32_t count, uint32_t index,
                      uint32_t stage, int64_t from)
{
    index %= HS_STAGES_MEMBERS;
    return index < count ? from + order[index]->stage_ns[stage] : -1;
}

/* Of one order, without overhead. */
static int64_t order_period_ns(const struct hs_stage_times *const *order, uint32_t count)
{
    int64_t f[SLOTS + 1] = {0};
    for (uint32_t i = 0; i < SLOTS; i++) {
        f[i + 1] = larger(end_of(order, count, i + 1, HS_STAGE_NETWORK, f[i]),
                          end_of(order, count, i + 2, HS_STAGE_GPU, f[i]));
        if (i >= 1)
            f[i + 1] = larger(f[i + 1], end_of(order, count, i + 3, HS_STAGE_DATA, f[i - 1]));
        if (f[i + 1] < 0)
            f[i + 1] = f[i];
        if (i < HS_STAGES_MEMBERS)
            continue;
        const int64_t now = f[i + 1] - f[i - 3], before = f[i] - f[i - 4];
        if ((now > before ? now - before : before - now) * 1000 <= before)
            return now;
    }
    return f[SLOTS] - f[SLOTS - HS_STAGES_MEMBERS];
}

/* The best or worst over the orders of those from `from` on. */
static int64_t extreme_ns(const struct hs_stage_times **order, uint32_t count, uint32_t from,
                          bool is_worst)
{
    if (from + 1 >= count)
        return order_period_ns(order, count);
    int64_t extreme = is_worst ? 0 : INT64_MAX;
    for (uint32_t i = from; i < count; i++) {
        const struct hs_stage_times *first = order[i];
        order[i] = order[from];
        order[from] = first;
        const int64_t period = extreme_ns(order, count, from + 1, is_worst);
        extreme = (period > extreme) == is_worst ? period : extreme;
        order[from] = order[i];
        order[i] = first;
    }
    return extreme;
}

int64_t hs_stages_period_ns(const struct hs_stages *m, const uint32_t *rows, uint32_t count,
                            enum hs_stages_source source, bool is_worst)
{
    const struct hs_stage_times *order[HS_STAGES_MEMBERS];
    int64_t least = 0;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = hs_stages_times(m, rows[i], source);
        least = larger(least, order[i]->iteration_ns);
    }
    if (count < 2)
        return least;
    const int64_t *a = order[0]->stage_ns, *b = order[1]->stage_ns;
    int64_t period = extreme_ns(order, count, 0, is_worst);
    if (count == 2) {
        const int64_t halves = larger(a[HS_STAGE_DATA], b[HS_STAGE_GPU] + b[HS_STAGE_NETWORK]) +
                               larger(b[HS_STAGE_DATA], a[HS_STAGE_GPU] + a[HS_STAGE_NETWORK]);
        period = (halves > period) == is_worst ? halves : period;
    }
    const int64_t alone = m->overhead[0] * m->overhead[0];
    return larger(least, (period * m->overhead[count - 1] * FACTOR_UNIT + alone - 1) / alone);
}

static uint64_t rate_q32(int64_t iteration_ns, int64_t period_ns)
{
    return (uint64_t)(((hs_u128)(uint64_t)iteration_ns << 32) / (uint64_t)period_ns);
}

/* As the released simulator reads milliseconds and divides them. */
static double seconds(const struct hs_stage_times *times, uint32_t stage)
{
    return (double)times->stage_ns[stage] / 1e6 / 1000;
}

/* Returns the number of gaps of length `gap` that the stage fills, one in each iteration of the
 * other job; *rest is the part of the stage that remains. Infinite if there are no gaps. */
static double fill(double stage, double gap, double *rest)
{
    *rest = stage > 0 && gap > 0 ? fmod(stage, gap) : 0;
    if (gap <= 0)
        return stage > 0 ? HUGE_VAL : 0;
    return floor(stage / gap);
}

/* How many iterations of the guaranteed job c one of the job takes that runs in what c leaves:
 * AntMan in the released simulator, from its stages alone (antman_calc_iter_time of run_sim.py). In
 * seconds and double precision as there, where what rounding leaves of a stage counts as one more
 * iteration. */
static double iterations_beside(const struct hs_stage_times *own, const struct hs_stage_times *c)
{
    const double data = seconds(c, HS_STAGE_DATA), gpu = seconds(c, HS_STAGE_GPU),
                 network = seconds(c, HS_STAGE_NETWORK);
    double own_gpu = seconds(own, HS_STAGE_GPU), own_network = seconds(own, HS_STAGE_NETWORK);
    double rest, iterations = fill(seconds(own, HS_STAGE_DATA), gpu + network, &rest);
    if (rest > 0) {
        iterations++;
        own_gpu -= fmin(own_gpu, fmin(network, gpu + network - rest));
    }
    iterations += fill(own_gpu, data + network, &rest);
    if (rest > 0) {
        iterations++;
        if (rest < data)
            own_network -= fmin(own_network, data + gpu - rest);
    }
    iterations += fill(own_network, data + gpu, &rest);
    return iterations + (rest > data);
}

static uint64_t beside_q32(const struct hs_stages *m, const struct hs_tenant *tenants,
                           uint32_t count, uint32_t self)
{
    const struct hs_stage_times *own = hs_stages_times(m, tenants[self].stages, HS_STAGES_TRUE);
    double iteration_ns = (double)own->iteration_ns;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_stage_times *c = hs_stages_times(m, tenants[i].stages, HS_STAGES_TRUE);
        if (!tenants[i].yields)
            iteration_ns = fmax(iteration_ns, iterations_beside(own, c) * (double)c->iteration_ns);
    }
    const uint64_t q32 =
        iteration_ns < 0x1p62 ? rate_q32(own->iteration_ns, (int64_t)iteration_ns) : 0;
    return q32 > 0 ? q32 : 1; /* next to nothing */
}

static int64_t group_period_ns(const struct hs_stages *m, bool is_worst,
                               const struct hs_tenant *tenants, uint32_t count)
{
    uint32_t rows[HS_STAGES_MEMBERS] = {0};
    for (uint32_t i = 0; i < count && i < HS_STAGES_MEMBERS; i++)
        rows[i] = tenants[i].stages;
    return hs_stages_period_ns(m, rows, count, HS_STAGES_TRUE, is_worst);
}

void hs_stages_speeds(const struct hs_stages *m, bool is_worst, const struct hs_tenant *tenants,
                      uint32_t count, struct hs_fair_share *shares)
{
    bool is_background = false;
    for (uint32_t i = 0; i < count; i++)
        is_background = is_background || tenants[i].yields;
    const int64_t period = is_background ? 0 : group_period_ns(m, is_worst, tenants, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_stage_times *own = hs_stages_times(m, tenants[i].stages, HS_STAGES_TRUE);
        shares[i] = (struct hs_fair_share){.speed_q32 = HS_Q32_ONE};
        if (!is_background)
            shares[i].speed_q32 = rate_q32(own->iteration_ns, period);
        else if (tenants[i].yields)
            shares[i].speed_q32 = beside_q32(m, tenants, count, i);
    }
}

bool hs_stages_are_within(const struct hs_stages *m, bool is_worst, const struct hs_tenant *tenants,
                          uint32_t count)
{
    int64_t used[HS_STAGE_COUNT] = {0};
    if (count < 2)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (tenants[i].yields)
            return true;
        for (uint32_t s = 0; s < HS_STAGE_COUNT; s++)
            used[s] += hs_stages_times(m, tenants[i].stages, HS_STAGES_TRUE)->stage_ns[s];
    }
    const int64_t period = group_period_ns(m, is_worst, tenants, count);
    return used[HS_STAGE_GPU] <= period && used[HS_STAGE_NETWORK] <= period &&
           used[HS_STAGE_DATA] <= 2 * period + period / 500; /* the order may not be steady yet */
}
