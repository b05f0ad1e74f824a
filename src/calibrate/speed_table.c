/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Speeds of single-GPU jobs relative to the fastest GPU type. Only quotients of one job's speeds
 * are used: steps a second mean nothing across jobs. Means are geometric, so that it does not
 * matter which type is the reference.
 */
#include "calibrate/speed_table.h"

#include <math.h>
#include <string.h>

#include "base/timeparse.h"

const struct hs_speeds_scheme_text hs_speeds_schemes[HS_SPEEDS_SCHEMES] = {
    [HS_SPEEDS_TABLE_FAMILY] = {"in the table", "family", "its family's mean, itself included"},
    [HS_SPEEDS_TABLE_SCALAR] = {"in the table", "scalar", "one mean for all jobs"},
    [HS_SPEEDS_UNSEEN_BATCH] = {"unseen job", "batch", "unseen: nearest batch of the model"},
    [HS_SPEEDS_UNSEEN_FAMILY] = {"unseen job", "family", "unseen: mean of its family"},
    [HS_SPEEDS_UNSEEN_SCALAR] = {"unseen family", "scalar", "unseen family: mean of the others"},
};

const char *hs_speeds_family_of(const struct hs_solo *solo, const struct hs_catalogue *catalogue)
{
    enum hs_match match;
    if (catalogue == NULL)
        return solo->family;
    uint32_t id = hs_catalogue_match(catalogue, solo->model, solo->dataset, solo->batch,
                                     solo->precision, &match);
    bool has_family = id != HS_NO_PROFILE && catalogue->profiles[id].family[0] != '\0';
    return has_family ? catalogue->profiles[id].family : solo->family;
}

/* ---- jobs ---- */

static bool is_single(const struct hs_solo *solo)
{
    return solo->gpus == 1 && !solo->is_spread && solo->dropped == 0;
}

/* Speeds as measured, types in the order of the data. */
static enum hs_status take_jobs(struct hs_speeds *table, const struct hs_measurements *m,
                                const struct hs_catalogue *catalogue, struct hs_intern *keys)
{
    table->jobs = hs_arena_alloc(&table->arena, (uint64_t)m->solo_count * sizeof *table->jobs);
    if (table->jobs == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        uint32_t id;
        if (!is_single(solo))
            continue;
        HS_TRY(hs_intern_get(keys, solo->key, &id));
        struct hs_speeds_job *job = &table->jobs[id - 1]; /* id 0 is the empty text */
        if (id - 1 == table->job_count) {
            table->job_count++;
            *job = (struct hs_speeds_job){.profile = solo->key,
                                          .model = solo->model,
                                          .dataset = solo->dataset,
                                          .batch = solo->batch,
                                          .family = hs_speeds_family_of(solo, catalogue)};
        }
        job->speed[solo->gpu] = solo->speed;
    }
    return HS_OK;
}

static bool is_measured(const struct hs_speeds *table, uint32_t type)
{
    for (uint32_t j = 0; j < table->job_count; j++)
        if (table->jobs[j].speed[type] > 0)
            return true;
    return false;
}

/* Is a faster than b, by the mean over the jobs measured on both? */
static bool is_faster(const struct hs_speeds *table, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (uint32_t j = 0; j < table->job_count; j++) {
        const double *speed = table->jobs[j].speed;
        if (speed[a] > 0 && speed[b] > 0)
            sum += log(speed[a] / speed[b]);
    }
    return sum > 0;
}

/* Types by how many others they are faster than; names decide between equals. */
static void rank_types(struct hs_speeds *table, const struct hs_measurements *m,
                       uint32_t order[HS_SPEEDS_TYPES])
{
    uint32_t wins[HS_SPEEDS_TYPES] = {0};
    for (uint32_t a = 0; a < m->gpu_count; a++)
        for (uint32_t b = 0; b < m->gpu_count; b++)
            wins[a] += is_faster(table, a, b);
    for (uint32_t a = 0; a < m->gpu_count; a++) {
        if (!is_measured(table, a))
            continue;
        uint32_t at = table->type_count++;
        for (; at > 0; at--) {
            uint32_t b = order[at - 1];
            if (wins[b] > wins[a] || (wins[b] == wins[a] && strcmp(m->gpus[b], m->gpus[a]) < 0))
                break;
            order[at] = b;
        }
        order[at] = a;
    }
    for (uint32_t t = 0; t < table->type_count; t++)
        table->types[t] = m->gpus[order[t]];
}

/* Types in order and speeds relative to the first; jobs without it cannot be compared. */
static void normalise(struct hs_speeds *table, const uint32_t order[HS_SPEEDS_TYPES])
{
    uint32_t kept = 0;
    for (uint32_t j = 0; j < table->job_count; j++) {
        struct hs_speeds_job job = table->jobs[j];
        double reference = job.speed[order[0]];
        if (!(reference > 0))
            continue;
        double speed[HS_SPEEDS_TYPES] = {0};
        for (uint32_t t = 0; t < table->type_count; t++)
            speed[t] = job.speed[order[t]] / reference;
        memcpy(job.speed, speed, sizeof speed);
        table->jobs[kept++] = job;
    }
    table->left_out = table->job_count - kept;
    table->job_count = kept;
}

/* ---- means ---- */

static bool is_any(const struct hs_speeds_job *job, const struct hs_speeds_job *of)
{
    (void)job;
    (void)of;
    return true;
}

static bool is_family(const struct hs_speeds_job *job, const struct hs_speeds_job *of)
{
    return strcmp(job->family, of->family) == 0;
}

static bool is_other_of_family(const struct hs_speeds_job *job, const struct hs_speeds_job *of)
{
    return job != of && is_family(job, of);
}

static bool is_other_family(const struct hs_speeds_job *job, const struct hs_speeds_job *of)
{
    return !is_family(job, of);
}

double hs_speeds_observed(const struct hs_speeds *table, uint32_t job, uint32_t type,
                          uint32_t reference)
{
    const double *speed = table->jobs[job].speed;
    return speed[type] > 0 && speed[reference] > 0 ? speed[type] / speed[reference] : NAN;
}

static double mean_of(const struct hs_speeds *table, const struct hs_speeds_job *of,
                      bool (*is_member)(const struct hs_speeds_job *, const struct hs_speeds_job *),
                      uint32_t type, uint32_t reference)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t j = 0; j < table->job_count; j++) {
        double speed = hs_speeds_observed(table, j, type, reference);
        if (isnan(speed) || !is_member(&table->jobs[j], of))
            continue;
        sum += log(speed);
        n++;
    }
    return n > 0 ? exp(sum / n) : NAN;
}

/* 0 for a job without a batch. */
static int64_t batch_of(const struct hs_speeds_job *job)
{
    int64_t batch;
    return hs_parse_int64(job->batch, strlen(job->batch), &batch) ? batch : 0;
}

/* As the simulator chooses (model/speed.c): nearest by ratio, ties to the smaller. */
static double nearest_batch(const struct hs_speeds *table, const struct hs_speeds_job *of,
                            uint32_t type, uint32_t reference)
{
    double best = NAN, best_ratio = HUGE_VAL;
    int64_t best_batch = 0, own = batch_of(of);
    for (uint32_t j = 0; j < table->job_count; j++) {
        const struct hs_speeds_job *job = &table->jobs[j];
        double speed = hs_speeds_observed(table, j, type, reference);
        int64_t batch = batch_of(job);
        if (job == of || isnan(speed) || own <= 0 || batch <= 0 ||
            strcmp(job->model, of->model) != 0 || strcmp(job->dataset, of->dataset) != 0)
            continue;
        double ratio = own > batch ? (double)own / (double)batch : (double)batch / (double)own;
        if (ratio < best_ratio || (ratio <= best_ratio && batch < best_batch)) {
            best = speed;
            best_ratio = ratio;
            best_batch = batch;
        }
    }
    return best;
}

double hs_speeds_predicted(const struct hs_speeds *table, enum hs_speeds_scheme scheme,
                           uint32_t job, uint32_t type, uint32_t reference)
{
    static bool (*const members[HS_SPEEDS_SCHEMES])(const struct hs_speeds_job *,
                                                    const struct hs_speeds_job *) = {
        [HS_SPEEDS_TABLE_FAMILY] = is_family,
        [HS_SPEEDS_TABLE_SCALAR] = is_any,
        [HS_SPEEDS_UNSEEN_FAMILY] = is_other_of_family,
        [HS_SPEEDS_UNSEEN_SCALAR] = is_other_family,
    };
    const struct hs_speeds_job *of = &table->jobs[job];
    if (scheme == HS_SPEEDS_UNSEEN_BATCH)
        return nearest_batch(table, of, type, reference);
    return mean_of(table, of, members[scheme], type, reference);
}

/* ---- families ---- */

static struct hs_speeds_family *find_family(struct hs_speeds *table, const char *name)
{
    uint32_t f = 0;
    while (f < table->family_count && strcmp(table->families[f].name, name) != 0)
        f++;
    if (f == table->family_count)
        table->families[table->family_count++].name = name;
    return &table->families[f];
}

static enum hs_status take_families(struct hs_speeds *table)
{
    table->families =
        hs_arena_alloc(&table->arena, (uint64_t)table->job_count * sizeof *table->families);
    if (table->families == NULL)
        return HS_E_MEMORY;
    for (uint32_t j = 0; j < table->job_count; j++) {
        struct hs_speeds_family *family = find_family(table, table->jobs[j].family);
        for (uint32_t t = 0; family->jobs == 0 && t < table->type_count; t++) {
            double speed = mean_of(table, &table->jobs[j], is_family, t, 0);
            family->speed[t] = isnan(speed) ? 0 : speed;
        }
        family->jobs++;
    }
    return HS_OK;
}

/* ---- all of it ---- */

enum hs_status hs_speeds_build(struct hs_speeds *table, const struct hs_measurements *m,
                               const struct hs_catalogue *catalogue)
{
    uint32_t order[HS_SPEEDS_TYPES] = {0};
    struct hs_intern keys;
    *table = (struct hs_speeds){0};
    enum hs_status status = hs_intern_init(&keys);
    if (status == HS_OK)
        status = take_jobs(table, m, catalogue, &keys);
    hs_intern_free(&keys);
    if (status == HS_OK && table->job_count > 0) {
        rank_types(table, m, order);
        normalise(table, order);
        status = take_families(table);
    }
    if (status != HS_OK)
        hs_speeds_free(table);
    return status;
}

void hs_speeds_free(struct hs_speeds *table)
{
    hs_arena_free(&table->arena);
    *table = (struct hs_speeds){0};
}

enum hs_status hs_speeds_error(const struct hs_speeds *table, enum hs_speeds_scheme scheme,
                               uint32_t type, uint32_t reference, struct hs_score *score)
{
    double *ones = hs_alloc_zeroed((uint64_t)table->job_count * 2 + 1, sizeof *ones);
    uint32_t n = 0;
    if (ones == NULL)
        return HS_E_MEMORY;
    double *ratios = ones + table->job_count;
    for (uint32_t j = 0; j < table->job_count; j++) {
        double observed = hs_speeds_observed(table, j, type, reference);
        double predicted = hs_speeds_predicted(table, scheme, j, type, reference);
        if (isnan(observed) || isnan(predicted))
            continue;
        ones[n] = 1;
        ratios[n++] = observed / predicted;
    }
    enum hs_status status = hs_score(ones, ratios, n, score);
    hs_free(ones);
    return status;
}
