/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which workloads there are, what follows from one, and quantile functions.
 */
#include "workload/workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/io.h"

#define FOLDER "workloads/"
#define SUFFIX ".json"

bool hs_workload_shipped(size_t index, char *name, size_t size)
{
    const struct hs_builtin *file;
    const size_t folder = strlen(FOLDER), around = folder + strlen(SUFFIX);
    for (size_t i = 0; (file = hs_builtin_at(i)) != NULL; i++) {
        size_t len = strlen(file->name);
        if (strncmp(file->name, FOLDER, folder) != 0 || len <= around || index-- > 0)
            continue;
        (void)snprintf(name, size, "%.*s", (int)(len - around), file->name + folder);
        return true;
    }
    return false;
}

static enum hs_status find_shipped(const char *name, char *path, size_t size, struct hs_diag *diag)
{
    enum { MANY = 32 };
    char names[MANY][HS_WORKLOAD_NAME_MAX], list[640] = "shipped are ", hint[HS_HINT_SIZE];
    const char *known[MANY];
    size_t count = 0;
    for (; count < MANY && hs_workload_shipped(count, names[count], sizeof names[count]); count++) {
        known[count] = names[count];
        if (strcmp(name, known[count]) == 0) {
            (void)snprintf(path, size, "%s%s%s%s", HS_BUILTIN, FOLDER, name, SUFFIX);
            return HS_OK;
        }
        hs_append(list, sizeof list, "%s%s", count > 0 ? ", " : "", known[count]);
    }
    hs_append(list, sizeof list, "; a path ends in .json");
    return hs_fail(diag, HS_E_USAGE, NULL, hs_did_you_mean(hint, name, known, count, list),
                   "unknown workload '%s'", name);
}

enum hs_status hs_workload_path(const char *name, char *path, size_t size, struct hs_diag *diag)
{
    size_t len = strlen(name), suffix = strlen(SUFFIX);
    if (strchr(name, '/') == NULL && strncmp(name, HS_BUILTIN, strlen(HS_BUILTIN)) != 0 &&
        (len <= suffix || strcmp(name + len - suffix, SUFFIX) != 0))
        return find_shipped(name, path, size, diag);
    if (snprintf(path, size, "%s", name) < (int)size)
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the path of the workload is too long");
}

void hs_workload_free(struct hs_workload *workload)
{
    hs_arena_free(&workload->arena);
}

double hs_workload_gpu_seconds(const struct hs_workload *workload)
{
    const double round_up = 0.5; /* to whole seconds, on the average */
    double sum = 0;
    for (uint32_t b = 0; b < workload->bucket_count; b++) {
        const struct hs_workload_bucket *bucket = &workload->buckets[b];
        double mean_s = hs_quantile_fn_mean(&bucket->duration_s) + round_up;
        for (uint32_t i = 0; i < bucket->size_count; i++)
            sum += bucket->sizes[i].share * mean_s * bucket->sizes[i].gpus *
                   bucket->sizes[i].gpu_milli / 1000;
    }
    return sum;
}

double hs_bucket_state_share(const struct hs_workload_bucket *bucket, enum hs_outcome outcome)
{
    double share = 0, before = 0;
    if (outcome == HS_OUTCOME_UNKNOWN)
        return bucket->state_count == 0 ? 1 : 0;
    for (uint32_t i = 0; i < bucket->state_count; i++) {
        const struct hs_workload_states *row = &bucket->states[i];
        share += (row->rank - before) * row->share[outcome - HS_OUTCOME_COMPLETED];
        before = row->rank;
    }
    return share;
}

/* ---- quantile functions ---- */

double hs_quantile_fn_at(const struct hs_quantile_fn *curve, double rank)
{
    uint32_t low = 0, high = curve->count - 1; /* rank lies between these points */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->rank[middle] < rank)
            low = middle;
        else
            high = middle;
    }
    double part = (rank - curve->rank[low]) / (curve->rank[high] - curve->rank[low]);
    double from = curve->value[low], to = curve->value[high];
    if (from >= to || part >= 1)
        return to; /* to the last bit: it may be rounded up */
    return from > 0 ? from * exp(part * log(to / from)) : part * to;
}

double hs_quantile_fn_mean(const struct hs_quantile_fn *curve)
{
    double sum = 0;
    for (uint32_t i = 0; i + 1 < curve->count; i++) {
        double low = curve->value[i], high = curve->value[i + 1];
        double width = curve->rank[i + 1] - curve->rank[i];
        if (low >= high)
            sum += width * low;
        else if (low > 0)
            sum += width * (high - low) / log(high / low);
        else
            sum += width * high / 2;
    }
    return sum;
}

/* ---- quantile functions from histograms ----
 * A histogram to few points between which the logarithm of the value is straight. Each step of the
 * distribution function, from the share below a value to the share up to it, is two constraints; a
 * stretch is drawn as far as a line from its begin passes all of them (the swinging door of
 * Bristol, ISA 1990), so that one pass finds the points and none is missed by more than the
 * tolerance. */

#define RANK_STEP    1e-7 /* between points that stand above each other */
#define NOISE_KS     1.36 /* / sqrt(n): 95 % of samples of n are nearer to their source */
#define NOISE_PART   .1
#define LEAST_OFF    .001
#define STEP         .001 /* of a value that is taken as it is: what is as good as it */
#define FROM_NOTHING .5   /* above 0 the logarithm has to begin somewhere */
#define TAIL_PART    .01  /* of the jobs beyond a value, which decide about the mean */

struct door {
    double *rank, *value;
    uint32_t count;
    double tolerance;
    bool is_rounded_up;
    double x, y;       /* where the stretch begins: logarithm of the value, rank */
    double low, high;  /* slopes that pass all constraints so far */
    double last_value; /* of them; that of the begin before the first */
    bool is_fresh;     /* no constraint yet */
};

static void put(struct door *d, double rank, double value)
{
    double least = d->count > 0 ? d->rank[d->count - 1] + RANK_STEP : 0;
    if (d->count == HS_QUANTILE_FN_POINTS_MAX)
        return; /* the last one is put in the place of this */
    d->rank[d->count] = rank > least ? rank : least;
    d->value[d->count++] = value;
}

static void begin_stretch(struct door *d, double value, double rank)
{
    d->x = log(value);
    d->y = rank;
    d->low = 0;
    d->high = INFINITY;
    d->last_value = value;
    d->is_fresh = true;
}

static bool passes(struct door *d, double value, double rank)
{
    double tolerance = fmin(d->tolerance, TAIL_PART * (1 - rank));
    double width = log(value) - d->x;
    double low = fmax(d->low, (rank - tolerance - d->y) / width);
    double high = fmin(d->high, (rank + tolerance - d->y) / width);
    if (low > high)
        return false;
    d->low = low;
    d->high = high;
    d->last_value = value;
    d->is_fresh = false;
    return true;
}

/* Values ascend. */
static void constrain(struct door *d, double value, double rank)
{
    if (passes(d, value, rank))
        return;
    if (!d->is_fresh) { /* ends the stretch at the last constraint */
        double at = d->y + (d->low + d->high) / 2 * (log(d->last_value) - d->x);
        put(d, at, d->last_value);
        begin_stretch(d, d->last_value, at);
        if (passes(d, value, rank))
            return;
    }
    put(d, rank, value); /* the begin was too high for it: level, and exact from here */
    begin_stretch(d, value, rank);
}

/* Up to where the distribution function is level before it steps up at a value. */
static double foot(const struct door *d, uint64_t value)
{
    double at = d->is_rounded_up ? (double)value - 1 : (double)value * (1 - STEP);
    return at > 0 ? at : FROM_NOTHING;
}

void hs_quantile_fn_of(const struct hs_loghist *values, bool is_rounded_up, struct hs_arena *arena,
                       struct hs_quantile_fn *curve)
{
    double all = (double)values->count;
    struct door door = {.rank = hs_arena_alloc(arena, HS_QUANTILE_FN_POINTS_MAX * sizeof(double)),
                        .value = hs_arena_alloc(arena, HS_QUANTILE_FN_POINTS_MAX * sizeof(double)),
                        .is_rounded_up = is_rounded_up,
                        .tolerance = fmax(LEAST_OFF, NOISE_PART * NOISE_KS / sqrt(all))};
    struct door *d = &door;
    uint32_t at = 0;
    uint64_t value, count, sum = 0, before = 0;
    for (; hs_loghist_next(values, &at, &value, &count); before = value) {
        double rank = (double)sum / all, upto = (double)(sum + count) / all;
        if (sum == 0) {
            put(d, 0, (double)value);
            if (count < values->count)
                put(d, upto, (double)value);
            begin_stretch(d, value > 0 ? (double)value : FROM_NOTHING, upto);
        } else {
            if (before == 0) {
                put(d, rank, foot(d, value));
                begin_stretch(d, foot(d, value), rank);
            } else if (foot(d, value) > (double)before) {
                constrain(d, foot(d, value), rank);
            }
            constrain(d, (double)value, upto);
        }
        sum += count;
    }
    while (d->count > 1 && d->rank[d->count - 1] > 1 - RANK_STEP)
        d->count--;
    if (d->count == HS_QUANTILE_FN_POINTS_MAX)
        d->count--;
    put(d, 1, (double)values->max);
    d->rank[d->count - 1] = 1;
    *curve = (struct hs_quantile_fn){d->rank, d->value, d->count};
}
