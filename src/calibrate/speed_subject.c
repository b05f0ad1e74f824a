/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate speed`: speeds of jobs and families on each GPU type, how gangs scale and what
 * being spread costs them, from throughputs. One set of measurements has the speeds of single GPUs
 * and one has gangs, which may be the same: quotients of two campaigns mean nothing. Only quotients
 * of one job's speeds are used: steps a second mean nothing across jobs. Means are geometric, so
 * that it does not matter which type is the reference; those of gangs, over the jobs of a family,
 * are plain. Errors are of times, because times are what a simulation is about: predicted /
 * measured - 1.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "calibrate/calibration.h"

#define NOTES_MAX  160u
#define SHARE_MAX  1.0    /* a share above 1 is noise: measured, noted, and taken as 1 */
#define FACTOR_MAX 1000.0 /* between two types; as in speed.json */
/* Noise reaches 1.02 on the mean of a family (ResNet-50 on two K80), other hosts 1.2 and more
 * (Gavel's simulation file, V100). */
#define LINEAR_MAX 1.1

struct job_speed {
    const char *profile, *model, *dataset, *batch, *family;
    double speed[HS_MEASURE_GPUS_MAX]; /* relative to the reference; 0 = not measured */
};

struct family_speed {
    const char *name;
    uint32_t jobs;
    double speed[HS_MEASURE_GPUS_MAX]; /* geometric mean over its jobs */
};

/* Texts belong to the measurements and the catalogue. */
struct speed_table {
    const char *types[HS_MEASURE_GPUS_MAX]; /* the reference, then the others, fastest first */
    struct job_speed *jobs;
    struct family_speed *families;
    uint32_t type_count, job_count, family_count;
    uint32_t left_out; /* jobs that were not measured on the reference */
};

/* What predicts the speed of a job on a type from that on another. */
enum {
    SPEEDS_TABLE_FAMILY,  /* geometric mean of the family, the job itself in it */
    SPEEDS_TABLE_SCALAR,  /* of all jobs */
    SPEEDS_UNSEEN_BATCH,  /* nearest other batch of its model and dataset */
    SPEEDS_UNSEEN_FAMILY, /* the others of its family */
    SPEEDS_UNSEEN_SCALAR, /* the jobs of all other families */
    SPEEDS_SCHEMES
};

#define GANG_SIZES 16u

/* Mean over the jobs of a family. */
struct gang_curve {
    const char *family, *gpu;
    uint32_t count, jobs; /* sizes; jobs of the size with most */
    struct {
        uint32_t gpus, n;
        double value;
    } sizes[GANG_SIZES]; /* ascending */
};

enum { SCALING, SPREAD, GANG_SHARES };
static const struct {
    const char *title, *key, *value_key, *what;
} gang_shares[GANG_SHARES] = {
    /* thr(n) / (n thr(1)), on as few nodes as possible */
    [SCALING] = {"scaling efficiency of gangs on as few nodes as possible", "scaling", "efficiency",
                 "scaling efficiency"},
    [SPREAD] = {"throughput of spread gangs relative to those", "spread", "factor",
                "throughput when spread"},
};

struct gang_curves {
    struct gang_curve *curves;
    uint32_t count;
};

static const struct {
    const char *protocol, *fallback, *name;
} schemes[SPEEDS_SCHEMES] = {
    [SPEEDS_TABLE_FAMILY] = {"in the table", "family", "its family's mean, itself included"},
    [SPEEDS_TABLE_SCALAR] = {"in the table", "scalar", "one mean for all jobs"},
    [SPEEDS_UNSEEN_BATCH] = {"unseen job", "batch", "unseen: nearest batch of the model"},
    [SPEEDS_UNSEEN_FAMILY] = {"unseen job", "family", "unseen: mean of its family"},
    [SPEEDS_UNSEEN_SCALAR] = {"unseen family", "scalar", "unseen family: mean of the others"},
};

struct speed_study {
    struct hs_measurements *single, *multi; /* may be the same; multi NULL = there are no gangs */
    /* Gangs of which only the cost of spreading is used, or NULL. */
    struct hs_measurements *placed;
    struct hs_score spread; /* a job's factor by the mean of the others of its curve */
    struct speed_table table;
    struct gang_curves gangs[GANG_SHARES];
    char notes[NOTES_MAX][256]; /* what the reader of the figures must know */
    uint32_t note_count;
};

HS_PRINTF(2, 3)
static void note(struct speed_study *s, const char *fmt, ...)
{
    va_list args;
    if (s->note_count == NOTES_MAX)
        return;
    va_start(args, fmt);
    (void)vsnprintf(s->notes[s->note_count++], sizeof s->notes[0], fmt, args);
    va_end(args);
}

/* ---- predictions ---- */

static double observed_speed(const struct speed_table *table, uint32_t job, uint32_t type,
                             uint32_t reference)
{
    const double *speed = table->jobs[job].speed;
    return speed[type] > 0 && speed[reference] > 0 ? speed[type] / speed[reference] : NAN;
}

/* 0 for a job without a batch. */
static int64_t batch_of(const struct job_speed *job)
{
    int64_t batch;
    return hs_parse_int64(job->batch, strlen(job->batch), &batch) ? batch : 0;
}

/* As the simulator chooses (model/speed.c): nearest by ratio, ties to the smaller. */
static double nearest_batch(const struct speed_table *table, const struct job_speed *of,
                            uint32_t type, uint32_t reference)
{
    double best = NAN, best_ratio = HUGE_VAL;
    int64_t best_batch = 0, own = batch_of(of);
    for (uint32_t j = 0; j < table->job_count; j++) {
        const struct job_speed *job = &table->jobs[j];
        double speed = observed_speed(table, j, type, reference);
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

static double predicted_speed(const struct speed_table *table, int scheme, uint32_t job,
                              uint32_t type, uint32_t reference)
{
    const struct job_speed *of = &table->jobs[job];
    double sum = 0;
    uint32_t n = 0;
    if (scheme == SPEEDS_UNSEEN_BATCH)
        return nearest_batch(table, of, type, reference);
    for (uint32_t j = 0; j < table->job_count; j++) {
        double speed = observed_speed(table, j, type, reference);
        bool is_family = strcmp(table->jobs[j].family, of->family) == 0;
        if (isnan(speed) || (scheme == SPEEDS_TABLE_FAMILY && !is_family) ||
            (scheme == SPEEDS_UNSEEN_FAMILY && (!is_family || j == job)) ||
            (scheme == SPEEDS_UNSEEN_SCALAR && is_family))
            continue;
        sum += log(speed);
        n++;
    }
    return n > 0 ? exp(sum / n) : NAN;
}

static void error_of(const struct speed_table *table, int scheme, uint32_t type, uint32_t reference,
                     struct hs_score *score)
{
    struct hs_predictions list = {0};
    for (uint32_t j = 0; j < table->job_count; j++) {
        double observed = observed_speed(table, j, type, reference);
        double predicted = predicted_speed(table, scheme, j, type, reference);
        if (!isnan(observed) && !isnan(predicted))
            hs_predictions_add(&list, 1, observed / predicted);
    }
    hs_predictions_score(&list, score);
}

/* ---- the tables ---- */

/* Returns the family by the catalogue or, if that has none, by the measurements. */
static const char *family_of(const struct hs_solo *solo, const struct hs_catalogue *catalogue)
{
    enum hs_match match;
    if (catalogue == NULL)
        return solo->family;
    uint32_t id = hs_catalogue_match(catalogue, solo->model, solo->dataset, solo->batch,
                                     solo->precision, &match);
    bool has_family = id != HS_NO_PROFILE && catalogue->profiles[id].family[0] != '\0';
    return has_family ? catalogue->profiles[id].family : solo->family;
}

/* Types by how many others they are faster than, by the mean over the jobs on both; names decide
 * between equals. */
static void rank_types(struct speed_table *table, const struct hs_measurements *m,
                       uint32_t order[HS_MEASURE_GPUS_MAX])
{
    uint32_t wins[HS_MEASURE_GPUS_MAX] = {0};
    for (uint32_t a = 0; a < m->gpu_count; a++) {
        bool is_measured = false;
        for (uint32_t b = 0; b < m->gpu_count; b++) {
            double sum = 0;
            for (uint32_t j = 0; j < table->job_count; j++) {
                const double *speed = table->jobs[j].speed;
                if (speed[a] > 0 && speed[b] > 0)
                    sum += log(speed[a] / speed[b]);
            }
            wins[a] += sum > 0;
        }
        for (uint32_t j = 0; j < table->job_count; j++)
            is_measured = is_measured || table->jobs[j].speed[a] > 0;
        if (!is_measured)
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
}

static void add_families(struct speed_table *table)
{
    for (uint32_t j = 0; j < table->job_count; j++) {
        uint32_t f = 0;
        while (f < table->family_count &&
               strcmp(table->families[f].name, table->jobs[j].family) != 0)
            f++;
        struct family_speed *family = &table->families[f];
        if (f == table->family_count) {
            table->family_count++;
            family->name = table->jobs[j].family;
            for (uint32_t t = 0; t < table->type_count; t++) {
                double speed = predicted_speed(table, SPEEDS_TABLE_FAMILY, j, t, 0);
                family->speed[t] = isnan(speed) ? 0 : speed;
            }
        }
        family->jobs++;
    }
}

/* Types in order and speeds relative to the first, without which a job cannot be compared. */
static void build_table(struct speed_table *table, const struct hs_measurements *m,
                        const struct hs_catalogue *catalogue, const char *reference,
                        struct hs_arena *arena)
{
    uint32_t order[HS_MEASURE_GPUS_MAX] = {0}, kept = 0;
    *table = (struct speed_table){
        .jobs = hs_arena_alloc(arena, (uint64_t)m->solo_count * sizeof *table->jobs),
        .families = hs_arena_alloc(arena, (uint64_t)m->solo_count * sizeof *table->families)};
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        uint32_t j = 0;
        if (solo->gpus != 1 || solo->is_spread || solo->dropped != 0)
            continue;
        while (j < table->job_count && strcmp(table->jobs[j].profile, solo->key) != 0)
            j++;
        if (j == table->job_count)
            table->jobs[table->job_count++] =
                (struct job_speed){.profile = solo->key,
                                   .model = solo->model,
                                   .dataset = solo->dataset,
                                   .batch = solo->batch,
                                   .family = family_of(solo, catalogue)};
        table->jobs[j].speed[solo->gpu] = solo->speed;
    }
    rank_types(table, m, order);
    for (uint32_t t = 0; t < table->type_count; t++) {
        const uint32_t type = order[t];
        if (reference != NULL && hs_model_same_name(m->gpus[type], reference)) {
            memmove(order + 1, order, t * sizeof *order); /* it comes first */
            order[0] = type;
        }
    }
    for (uint32_t t = 0; t < table->type_count; t++)
        table->types[t] = m->gpus[order[t]];
    for (uint32_t j = 0; j < table->job_count; j++) {
        struct job_speed job = table->jobs[j];
        double measured[HS_MEASURE_GPUS_MAX], base = job.speed[order[0]];
        memcpy(measured, job.speed, sizeof measured);
        memset(job.speed, 0, sizeof job.speed);
        for (uint32_t t = 0; t < table->type_count; t++)
            job.speed[t] = measured[order[t]] / base;
        if (base > 0)
            table->jobs[kept++] = job;
    }
    table->left_out = table->job_count - kept;
    table->job_count = kept;
    add_families(table);
}

/* ---- gangs ---- */

/* The speed of a solo's job on other GPUs of its type; 0 if it was not measured. */
static double find_speed(const struct hs_measurements *m, const struct hs_solo *of, uint32_t gpus,
                         bool is_spread)
{
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        if (solo->gpu == of->gpu && solo->gpus == gpus && solo->is_spread == is_spread &&
            solo->dropped == 0 && strcmp(solo->key, of->key) == 0)
            return solo->speed;
    }
    return 0;
}

/* Adds a value to its sum, which becomes a mean later. */
static enum hs_status add_value(struct gang_curves *list, const char *family, const char *gpu,
                                uint32_t gpus, double value)
{
    uint32_t i = 0, at = 0;
    while (i < list->count &&
           (strcmp(list->curves[i].family, family) != 0 || strcmp(list->curves[i].gpu, gpu) != 0))
        i++;
    if (i == list->count)
        list->curves[list->count++] = (struct gang_curve){.family = family, .gpu = gpu};
    struct gang_curve *c = &list->curves[i];
    while (at < c->count && c->sizes[at].gpus < gpus)
        at++;
    if (at == c->count || c->sizes[at].gpus != gpus) {
        if (c->count == GANG_SIZES)
            return HS_E_LIMIT;
        memmove(&c->sizes[at + 1], &c->sizes[at], (c->count++ - at) * sizeof *c->sizes);
        memset(&c->sizes[at], 0, sizeof *c->sizes);
        c->sizes[at].gpus = gpus;
    }
    c->sizes[at].n++;
    c->sizes[at].value += value;
    c->jobs = c->sizes[at].n > c->jobs ? c->sizes[at].n : c->jobs;
    return HS_OK;
}

/* GPU types on which the mean of a family is beyond linear are left out, their gangs marked: their
 * baselines come from other hosts. */
static void drop_types(struct speed_study *s)
{
    struct hs_measurements *m = s->multi;
    for (uint32_t g = 0; g < m->gpu_count; g++) {
        bool is_beyond_linear = false;
        for (uint32_t i = 0; i < s->gangs[SCALING].count; i++) {
            const struct gang_curve *c = &s->gangs[SCALING].curves[i];
            for (uint32_t k = 0; strcmp(c->gpu, m->gpus[g]) == 0 && k < c->count; k++)
                is_beyond_linear = is_beyond_linear || c->sizes[k].value > LINEAR_MAX;
        }
        if (!is_beyond_linear)
            continue;
        for (int share = 0; share < GANG_SHARES; share++) {
            struct gang_curves *list = &s->gangs[share];
            uint32_t kept = 0;
            for (uint32_t i = 0; i < list->count; i++)
                if (strcmp(list->curves[i].gpu, m->gpus[g]) != 0)
                    list->curves[kept++] = list->curves[i];
            list->count = kept;
        }
        for (uint32_t i = 0; i < m->solo_count; i++)
            if (m->solos[i].gpu == g && m->solos[i].gpus > 1)
                m->solos[i].dropped |= HS_DROPPED(SUPERLINEAR);
        note(s,
             "%s: gangs are faster than as many single GPUs: other hosts, neither scaling nor "
             "spread is used",
             m->gpus[g]);
    }
}

/* Counts the gangs of both sets. */
static uint32_t gang_count(const struct speed_study *s)
{
    return (s->multi != NULL ? s->multi->solo_count : 0) +
           (s->placed != NULL ? s->placed->solo_count : 0);
}

/* How far the factor of each job is from the mean of the others of its family, type and size. */
static void score_spread(struct speed_study *s, const struct hs_measurements *m,
                         const struct hs_catalogue *catalogue, struct hs_predictions *list)
{
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *gang = &m->solos[i];
        const double spread =
            gang->gpus < 2 || gang->is_spread ? 0 : find_speed(m, gang, gang->gpus, true);
        for (uint32_t c = 0; spread > 0 && gang->dropped == 0 && c < s->gangs[SPREAD].count; c++) {
            const struct gang_curve *curve = &s->gangs[SPREAD].curves[c];
            const double own = spread / gang->speed;
            if (strcmp(curve->gpu, m->gpus[gang->gpu]) != 0 ||
                strcmp(curve->family, family_of(gang, catalogue)) != 0)
                continue;
            for (uint32_t k = 0; k < curve->count; k++)
                if (curve->sizes[k].gpus == gang->gpus && curve->sizes[k].n > 1)
                    hs_predictions_add(list, own,
                                       (curve->sizes[k].value * curve->sizes[k].n - own) /
                                           (curve->sizes[k].n - 1));
        }
    }
}

static enum hs_status build_gangs(struct speed_study *s, const struct hs_catalogue *catalogue,
                                  struct hs_arena *arena)
{
    struct hs_measurements *const sets[] = {s->multi, s->placed};
    for (int share = 0; share < GANG_SHARES; share++)
        s->gangs[share].curves =
            hs_arena_alloc(arena, gang_count(s) * sizeof *s->gangs[share].curves);
    for (uint32_t i = 0; i < HS_COUNT_OF(sets); i++)
        if (sets[i] != NULL) {
            /* HS_E_LIMIT past GANG_SIZES sizes. */
            for (uint32_t j = 0; j < sets[i]->solo_count; j++) {
                const struct hs_solo *gang = &sets[i]->solos[j];
                if (gang->gpus < 2 || gang->is_spread || gang->dropped != 0)
                    continue;
                const char *gpu = sets[i]->gpus[gang->gpu], *family = family_of(gang, catalogue);
                double single = find_speed(sets[i], gang, 1, false);
                double spread = find_speed(sets[i], gang, gang->gpus, true);
                if (single > 0 && !sets[i]->is_spread_only)
                    HS_TRY(add_value(&s->gangs[SCALING], family, gpu, gang->gpus,
                                     gang->speed / (gang->gpus * single)));
                if (spread > 0)
                    HS_TRY(add_value(&s->gangs[SPREAD], family, gpu, gang->gpus,
                                     spread / gang->speed));
            }
        }
    for (int share = 0; share < GANG_SHARES; share++)
        for (uint32_t i = 0; i < s->gangs[share].count; i++) {
            struct gang_curve *c = &s->gangs[share].curves[i];
            for (uint32_t k = 0; k < c->count; k++)
                c->sizes[k].value /= c->sizes[k].n;
        }
    return HS_OK;
}

/* ---- fits ---- */

static enum hs_status choose_sets(struct speed_study *s, struct hs_calibrate_run *run)
{
    for (uint32_t i = 0; i < run->sets; i++) {
        bool has_gangs = false;
        if (run->set[i].is_spread_only) {
            s->placed = &run->set[i];
            continue;
        }
        for (uint32_t k = 0; k < run->set[i].solo_count; k++)
            has_gangs = has_gangs || run->set[i].solos[k].gpus > 1;
        struct hs_measurements **slot = has_gangs ? &s->multi : &s->single;
        if (*slot != NULL)
            return hs_fail(run->diag, HS_E_USAGE, NULL,
                           "calibrate them one by one, or put them into one CSV if they are of one "
                           "campaign",
                           "speed: two sets of %s: %s and %s",
                           has_gangs ? "gangs" : "single-GPU speeds", (*slot)->files[0].name,
                           run->set[i].files[0].name);
        *slot = &run->set[i];
    }
    if (s->single == NULL)
        s->single = s->multi;
    return HS_OK;
}

/* A baseline raised to the best pair makes its type look faster; pairs show it, but not how far. */
static void note_raised(struct speed_study *s, struct hs_arena *arena)
{
    const struct hs_measurements *m = s->single;
    bool *is_raised = hs_arena_alloc(arena, m->solo_count * sizeof *is_raised);
    for (uint32_t p = 0; p < m->pair_count; p++)
        if ((m->pairs[p].dropped & HS_DROPPED(CLIPPED)) != 0)
            is_raised[m->pairs[p].own] = true;
    for (uint32_t g = 0; g < m->gpu_count; g++) {
        uint32_t raised = 0, jobs = 0;
        for (uint32_t i = 0; i < m->solo_count; i++) {
            bool is_counted =
                m->solos[i].gpu == g && m->solos[i].gpus <= 1 && !m->solos[i].is_spread;
            raised += is_counted && is_raised[i];
            jobs += is_counted;
        }
        if (raised > 0)
            note(s,
                 "%s: the speed alone of %" PRIu32 " of %" PRIu32
                 " jobs equals that of their best pair: raised to it, and perhaps too high",
                 m->gpus[g], raised, jobs);
    }
}

static void clip_curves(struct speed_study *s)
{
    for (int share = 0; share < GANG_SHARES; share++)
        for (uint32_t i = 0; i < s->gangs[share].count; i++) {
            struct gang_curve *c = &s->gangs[share].curves[i];
            bool is_clipped = false;
            for (uint32_t k = 0; k < c->count; k++) {
                is_clipped = is_clipped || c->sizes[k].value > SHARE_MAX;
                c->sizes[k].value = fmin(c->sizes[k].value, SHARE_MAX);
            }
            if (is_clipped)
                note(s, "%s, %s: %s above 1 is noise or other hosts, taken as 1", c->gpu, c->family,
                     gang_shares[share].what);
        }
}

/* One job is not a thousand times as fast on one GPU type as on another: its rates are of different
 * things, and model files hold no such factor. */
static enum hs_status check_table(const struct speed_table *table, const char *reference,
                                  struct hs_diag *diag)
{
    if (reference != NULL && !hs_model_same_name(table->types[0], reference))
        return hs_fail(diag, HS_E_USAGE, NULL, table->types[0],
                       "reference: no job alone was measured on a GPU type '%s'", reference);
    for (uint32_t j = 0; j < table->job_count; j++)
        for (uint32_t t = 0; t < table->type_count; t++) {
            double speed = table->jobs[j].speed[t];
            if (speed > 0 && (speed > FACTOR_MAX || speed * FACTOR_MAX < 1))
                return hs_fail(diag, HS_E_INPUT, NULL,
                               "a job needs the same unit, steps or samples a second, everywhere",
                               "%s: its rate on %s is %.3g times that on %s",
                               table->jobs[j].profile, table->types[t], speed, table->types[0]);
        }
    return HS_OK;
}

static enum hs_status fit(struct hs_calibrate_run *run, void *study)
{
    struct speed_study *s = study;
    struct speed_table *table = &s->table;
    const struct hs_catalogue *catalogue = run->options.profiles != NULL ? &run->catalogue : NULL;
    HS_TRY(choose_sets(s, run));
    for (uint32_t i = 0; i < run->sets; i++) {
        struct hs_measurements *m = &run->set[i];
        for (uint32_t k = 0; k < m->solo_count; k++)
            if (m->solos[k].is_spread && m->solos[k].gpus == 1)
                m->solos[k].dropped |= HS_DROPPED(REPEATED);
    }
    build_table(table, s->single, catalogue, run->options.reference, &run->arena);
    if (table->job_count == 0)
        return hs_fail(run->diag, HS_E_INPUT, NULL, "rates of jobs alone on one GPU are needed",
                       "no speed of a single-GPU job is left to compare");
    HS_TRY(check_table(table, run->options.reference, run->diag));
    if (gang_count(s) > 0)
        HS_TRY(build_gangs(s, catalogue, &run->arena));
    if (table->left_out > 0)
        note(s, "jobs left out because they were not measured on %s: %" PRIu32, table->types[0],
             table->left_out);
    note_raised(s, &run->arena);
    if (s->multi != NULL)
        drop_types(s);
    struct hs_predictions spread = {0};
    if (s->multi != NULL)
        score_spread(s, s->multi, catalogue, &spread);
    if (s->placed != NULL)
        score_spread(s, s->placed, catalogue, &spread);
    hs_predictions_score(&spread, &s->spread);
    clip_curves(s);
    for (uint32_t i = 0; i < run->sets; i++) { /* rows are jobs alone here */
        const struct hs_measurements *m = &run->set[i];
        run->counts[i] = (struct hs_clean_counts){.read = m->solo_count};
        for (uint32_t k = 0; k < m->solo_count; k++) {
            run->counts[i].kept += m->solos[k].dropped == 0;
            hs_clean_count(m->solos[k].dropped, run->counts[i].dropped);
        }
    }
    return HS_OK;
}

/* ---- the table ---- */

static void say_speeds(struct hs_output *out, const struct speed_table *table, const double *speed)
{
    for (uint32_t t = 0; t < table->type_count; t++)
        hs_say_row(out, "%14.3f", speed[t] > 0 ? speed[t] : (double)NAN);
    hs_say(out, "\n");
}

static void say(const struct hs_calibrate_run *run, const void *study)
{
    const struct speed_study *s = study;
    const struct speed_table *table = &s->table;
    struct hs_output *out = run->out;
    hs_calibrate_say_counts(run, run->sets);
    hs_say(out, "\n%-32s%-15s", "speed of a job", "family");
    for (uint32_t t = 0; t < table->type_count; t++)
        hs_say(out, "%14s", table->types[t]); /* A100-4g.20gb, and a space */
    hs_say(out, "\n");
    for (uint32_t j = 0; j < table->job_count; j++) {
        hs_say(out, "  %-30s%-15s", table->jobs[j].profile, table->jobs[j].family);
        say_speeds(out, table, table->jobs[j].speed);
    }
    for (uint32_t f = 0; f < table->family_count; f++) {
        hs_say(out, "  mean of %5" PRIu32 "%-17s%-15s", table->families[f].jobs, " jobs",
               table->families[f].name);
        say_speeds(out, table, table->families[f].speed);
    }
    hs_say(out, "\nerror of the time if a speed is not measured, %% (mean and 95 %% of n jobs)\n");
    for (uint32_t r = 0; r < table->type_count; r++)
        for (uint32_t t = r + 1; t < table->type_count; t++) {
            hs_say(out, "  time on %s from time on %s\n", table->types[t], table->types[r]);
            for (int scheme = 0; scheme < SPEEDS_SCHEMES; scheme++) {
                struct hs_score score;
                error_of(table, scheme, t, r, &score);
                hs_say_row(out, "    %-40s%5u%8.1f%8.1f\n", schemes[scheme].name, score.n,
                           100 * score.mae, 100 * score.p95);
            }
        }
    for (int share = 0; share < GANG_SHARES; share++) {
        const struct gang_curves *list = &s->gangs[share];
        if (list->count > 0)
            hs_say(out, "\n%s\n", gang_shares[share].title);
        for (uint32_t i = 0; i < list->count; i++) {
            const struct gang_curve *c = &list->curves[i];
            hs_say(out, "  %-10s%-16s%3" PRIu32 " jobs", c->gpu, c->family, c->jobs);
            for (uint32_t k = 0; k < c->count; k++)
                hs_say_row(out, "%6u GPUs%6.3f", c->sizes[k].gpus, c->sizes[k].value);
            hs_say(out, "\n");
        }
    }
    if (s->spread.n > 0) {
        hs_say_score_head(out, "throughput of a spread gang");
        hs_say_score(out, "unseen job: mean of the others", &s->spread);
    }
    for (uint32_t i = 0; i < s->note_count; i++)
        hs_say(out, "%snote: %s\n", i == 0 ? "\n" : "", s->notes[i]);
}

/* ---- the model file ---- */

static void write_speeds(struct hs_jsonw *w, const struct speed_table *table, const double *speed)
{
    hs_jsonw_put(w, "speed={");
    for (uint32_t t = 0; t < table->type_count; t++)
        if (speed[t] > 0)
            hs_jsonw_put(w, "%s=%.6g", table->types[t], speed[t]);
    hs_jsonw_put(w, "} }");
}

/* Writes the GPU types of which only gangs were measured. */
static void write_other_types(const struct speed_study *s, struct hs_jsonw *w)
{
    const struct gang_curve *curves = s->gangs[SPREAD].curves;
    for (uint32_t i = 0; i < s->gangs[SPREAD].count; i++) {
        bool is_listed = false;
        for (uint32_t t = 0; t < s->table.type_count; t++)
            is_listed |= hs_model_same_name(s->table.types[t], curves[i].gpu);
        for (uint32_t k = 0; k < i; k++)
            is_listed |= strcmp(curves[k].gpu, curves[i].gpu) == 0;
        if (!is_listed)
            hs_jsonw_text(w, curves[i].gpu);
    }
}

static void write(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w)
{
    const struct speed_study *s = study;
    const struct speed_table *table = &s->table;
    (void)run;
    hs_jsonw_put(w, "notes=[");
    for (uint32_t i = 0; i < s->note_count; i++)
        hs_jsonw_text(w, s->notes[i]);
    hs_jsonw_put(w, "] types=[");
    for (uint32_t t = 0; t < table->type_count; t++)
        hs_jsonw_text(w, table->types[t]);
    write_other_types(s, w);
    hs_jsonw_put(w, "] reference=%s jobs=[", table->types[0]);
    for (uint32_t j = 0; j < table->job_count; j++) {
        hs_jsonw_put(w, "=!{ profile=%s family=%s", table->jobs[j].profile, table->jobs[j].family);
        write_speeds(w, table, table->jobs[j].speed);
    }
    hs_jsonw_put(w, "] families=[");
    for (uint32_t f = 0; f < table->family_count; f++) {
        hs_jsonw_put(w, "=!{ family=%s jobs=%u", table->families[f].name, table->families[f].jobs);
        write_speeds(w, table, table->families[f].speed);
    }
    hs_jsonw_put(w, "]");
    for (int share = 0; share < GANG_SHARES; share++) {
        hs_jsonw_put(w, "%s=[", gang_shares[share].key);
        for (uint32_t i = 0; i < s->gangs[share].count; i++) {
            const struct gang_curve *c = &s->gangs[share].curves[i];
            hs_jsonw_put(w, "=!{ family=%s gpu=%s jobs=%u gpus=[", c->family, c->gpu, c->jobs);
            for (uint32_t k = 0; k < c->count; k++)
                hs_jsonw_put(w, "=%u", c->sizes[k].gpus);
            hs_jsonw_put(w, "] %s=[", gang_shares[share].value_key);
            for (uint32_t k = 0; k < c->count; k++)
                hs_jsonw_put(w, "=%.6g", c->sizes[k].value);
            hs_jsonw_put(w, "] }");
        }
        hs_jsonw_put(w, "]");
    }
    hs_jsonw_put(w, "spread_holdout=[");
    if (s->spread.n > 0)
        hs_score_write(w, "unseen job", &s->spread);
    hs_jsonw_put(w, "] holdout=[");
    for (int scheme = 0; scheme < SPEEDS_SCHEMES; scheme++)
        for (uint32_t r = 0; r < table->type_count; r++)
            for (uint32_t t = 0; t < table->type_count; t++) {
                struct hs_score score;
                error_of(table, scheme, t, r, &score);
                if (t != r && score.n > 0)
                    hs_jsonw_put(w,
                                 "={ protocol=%s fallback=%s gpu=%s reference=%s n=%u mape=%.6g "
                                 "p95=%.6g }",
                                 schemes[scheme].protocol, schemes[scheme].fallback,
                                 table->types[t], table->types[r], score.n, score.mae, score.p95);
            }
    hs_jsonw_put(w, "]");
}

/* ---- rows for plots ---- */

/* Speeds relative to the reference, observed and predicted, under every protocol. */
static void write_rows(const void *study, struct hs_csvw *w)
{
    const struct speed_table *table = &((const struct speed_study *)study)->table;
    for (int scheme = 0; scheme < SPEEDS_SCHEMES; scheme++)
        for (uint32_t t = 1; t < table->type_count; t++)
            for (uint32_t j = 0; j < table->job_count; j++) {
                double observed = observed_speed(table, j, t, 0);
                double predicted = predicted_speed(table, scheme, j, t, 0);
                if (!isnan(observed) && !isnan(predicted))
                    hs_csvw_row(w, "%s %s %s %s %s %.6g %.6g", schemes[scheme].protocol,
                                schemes[scheme].fallback, table->types[t], table->jobs[j].profile,
                                table->jobs[j].family, observed, predicted);
            }
}

const struct hs_calibration hs_calibration_speed = {
    .name = "speed",
    .summary = "how fast jobs run on each GPU type, alone, in gangs and spread",
    .data = "throughputs of jobs alone: a JSON of Gavel's, or your CSV; one with single GPUs, one "
            "with gangs, or one with both",
    .steps = HS_CLEAN(COPIED),   /* the others are about pairs */
    .always = HS_CLEAN(CLIPPED), /* to note them */
    .rows = "protocol,fallback,gpu,job,family,observed,predicted",
    .study_size = sizeof(struct speed_study),
    .needs_catalogue = true,
    .fit = fit,
    .say = say,
    .write = write,
    .write_rows = write_rows,
};
