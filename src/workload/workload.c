/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shipped workloads, derived values, quantile functions, and reading and writing of workload
 * files (format: configs/README.md).
 */
#include "workload/workload.h"

#include <math.h>
#include <stdio.h>

#include "base/fmt.h"
#include "data/json.h"

#define SUFFIX ".json"

enum hs_status hs_workload_path(const char *name, char *path, size_t size, struct hs_diag *diag)
{
    enum { MANY = 32 };
    size_t len = strlen(name), suffix = strlen(SUFFIX);
    if (strchr(name, '/') != NULL || strncmp(name, HS_BUILTIN, strlen(HS_BUILTIN)) == 0 ||
        (len > suffix && strcmp(name + len - suffix, SUFFIX) == 0)) {
        if (snprintf(path, size, "%s", name) < (int)size)
            return HS_OK;
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the path of the workload is too long");
    }
    char names[MANY][HS_SHIPPED_NAME_MAX], list[640] = "shipped are ", hint[HS_HINT_SIZE];
    const char *known[MANY];
    size_t count = 0;
    for (; count < MANY && hs_builtin_shipped(HS_WORKLOADS, count, names[count]); count++) {
        known[count] = names[count];
        if (strcmp(name, known[count]) == 0) {
            (void)snprintf(path, size, "%s%s%s%s", HS_BUILTIN, HS_WORKLOADS, name, SUFFIX);
            return HS_OK;
        }
        hs_append(list, sizeof list, "%s%s", count > 0 ? ", " : "", known[count]);
    }
    hs_append(list, sizeof list, "; a path ends in .json");
    return hs_fail(diag, HS_E_USAGE, NULL, hs_did_you_mean(hint, name, known, count, list),
                   "unknown workload '%s'", name);
}

void hs_workload_free(struct hs_workload *workload)
{
    hs_arena_free(&workload->arena);
}

double hs_workload_gpu_seconds(const struct hs_workload *workload)
{
    const double round_up = 0.5; /* to whole seconds, on average */
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
    uint32_t low = 0, high = curve->count - 1; /* rank is between these points */
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
        return to; /* the last bit may be rounded up */
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
 * Reduces a histogram to few points between which the logarithm of the value is linear. Each step
 * of the distribution function, from the share below a value to the share up to it, is two
 * constraints; a segment is extended as far as a line from its start satisfies all of them (the
 * swinging door of Bristol, ISA 1990), so that one pass finds points within the tolerance. */

#define RANK_STEP    1e-7 /* between points with equal value */
#define NOISE_KS     1.36 /* / sqrt(n): 95 % of samples of size n are nearer to their source */
#define NOISE_PART   .1
#define LEAST_OFF    .001
#define STEP         .001 /* relative tolerance of a value */
#define FROM_NOTHING .5   /* the logarithm needs a value above 0 */
#define TAIL_PART    .01  /* share of jobs above a value, which determine the mean */

struct door {
    double *rank, *value;
    uint32_t count;
    double tolerance;
    bool is_rounded_up;
    double x, y;       /* start of the segment: logarithm of the value, rank */
    double low, high;  /* slopes that satisfy all constraints so far */
    double last_value; /* of the constraints; initially the value at the start */
    bool is_fresh;     /* no constraint yet */
};

static void put(struct door *d, double rank, double value)
{
    double least = d->count > 0 ? d->rank[d->count - 1] + RANK_STEP : 0;
    if (d->count == HS_QUANTILE_FN_POINTS_MAX)
        return; /* replaces the last one */
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

/* Values must ascend. */
static void constrain(struct door *d, double value, double rank)
{
    if (passes(d, value, rank))
        return;
    if (!d->is_fresh) { /* ends the segment at the last constraint */
        double at = d->y + (d->low + d->high) / 2 * (log(d->last_value) - d->x);
        put(d, at, d->last_value);
        begin_stretch(d, d->last_value, at);
        if (passes(d, value, rank))
            return;
    }
    put(d, rank, value); /* the start was too high: level, and exact from here on */
    begin_stretch(d, value, rank);
}

/* Returns the value up to which the distribution function is level before its step at `value`. */
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

/* ---- files ----
 * Reading is strict: unknown content is an error with its place, and all errors of the file are
 * reported at once. Weights are divided by their sum when read. Written ranks and shares are
 * rounded to 1e-7, values to seven digits, for human readers. */

#define PATH_SIZE    4096
#define WEIGHT_MAX   1e15
#define HOURS_MAX    1e6
#define SECONDS_MAX  1e9
#define OUTAGE_MAX_H 168
#define BATCH_MAX    1e6
#define PER_DAY_MAX  1e9
#define MILLI        1000

struct workload_reader {
    struct hs_jsoncheck check;
    struct hs_workload *workload;
};

static void *room(struct workload_reader *r, uint64_t count, size_t size)
{
    return hs_arena_alloc(&r->workload->arena, count * size + 1);
}

/* Tells whether object is an object with only these keys; silent if absent. what: for messages. */
static bool is_object(struct workload_reader *r, const struct hs_json *object, const char *what,
                      const char *keys)
{
    return object != NULL && hs_jsoncheck_object(&r->check, object, what, keys);
}

/* Tells whether list has 1..most members. */
static bool is_list(struct workload_reader *r, const struct hs_json *list, const char *what,
                    uint32_t most, const char *of)
{
    if (!hs_jsoncheck_filled(&r->check, list, HS_JSON_ARRAY, what))
        return false;
    if (hs_json_count(list) <= most)
        return true;
    hs_jsoncheck_fault(&r->check, list, NULL, "more than %u %s", most, of);
    return false;
}

static bool is_within(const struct hs_json *value, double min, double max)
{
    double number = hs_json_number(value);
    return hs_json_kind(value) == HS_JSON_NUMBER && number >= min && number <= max;
}

static const char *read_name(struct workload_reader *r, const struct hs_json *object,
                             const char *what)
{
    const char *name = hs_jsoncheck_text(&r->check, object, "name");
    if (name == NULL) {
        if (hs_json_get(object, "name") == NULL)
            hs_jsoncheck_fault(&r->check, object, NULL, "%s has no \"name\"", what);
        return "";
    }
    return hs_arena_text(&r->workload->arena, name, strlen(name));
}

/* Returns preset if absent. */
static double read_number(struct workload_reader *r, const struct hs_json *object, const char *key,
                          double min, double max, double preset)
{
    double number = preset;
    if (hs_json_get(object, key) != NULL)
        (void)hs_jsoncheck_number(&r->check, object, key, min, max, &number);
    return number;
}

/* Reads a list of numbers, or sets zeros; false if its length differs or the sum is 0. */
static bool read_weights(struct workload_reader *r, const struct hs_json *list, const char *what,
                         double *weights, uint32_t count)
{
    uint32_t i = 0;
    double sum = 0;
    if (!hs_jsoncheck_kind(&r->check, list, HS_JSON_ARRAY, what))
        return false;
    if (hs_json_count(list) != count) {
        hs_jsoncheck_fault(&r->check, list, NULL, "%s must have %u numbers, not %u", what, count,
                           hs_json_count(list));
        return false;
    }
    for (const struct hs_json *v = hs_json_first(list); v != NULL; v = hs_json_next(v)) {
        if (!is_within(v, 0, WEIGHT_MAX)) {
            hs_jsoncheck_fault(&r->check, v, NULL, "a weight of %s must be a number from 0", what);
            return false;
        }
        weights[i++] = hs_json_number(v);
        sum += hs_json_number(v);
    }
    if (sum <= 0)
        hs_jsoncheck_fault(&r->check, list, NULL, "all weights of %s are 0", what);
    return sum > 0;
}

static void divide_by_sum(double *weights, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    for (uint32_t i = 0; i < count; i++)
        weights[i] /= sum;
}

/* ---- curves ---- */

static bool read_point(struct workload_reader *r, const struct hs_json *point, const char *key,
                       double max, struct hs_quantile_fn *curve)
{
    const struct hs_json *rank = hs_json_first(point), *value = hs_json_next(rank);
    uint32_t i = curve->count;
    if (hs_json_kind(point) != HS_JSON_ARRAY || hs_json_count(point) != 2 ||
        !is_within(rank, 0, 1) || !is_within(value, 0, max)) {
        hs_jsoncheck_fault(&r->check, point, NULL,
                           "a point of %s must be [probability, value], value at most %g", key,
                           max);
        return false;
    }
    curve->rank[i] = hs_json_number(rank);
    curve->value[i] = hs_json_number(value);
    if (i == 0 ? curve->rank[i] > 0 : curve->rank[i] <= curve->rank[i - 1]) {
        hs_jsoncheck_fault(&r->check, rank, NULL, "probabilities of %s must ascend from 0 to 1",
                           key);
        return false;
    }
    if (i > 0 && curve->value[i] < curve->value[i - 1]) {
        hs_jsoncheck_fault(&r->check, value, NULL, "values of %s must not fall", key);
        return false;
    }
    curve->count++;
    return true;
}

static void read_curve(struct workload_reader *r, const struct hs_json *object, const char *key,
                       double max, struct hs_quantile_fn *curve)
{
    const struct hs_json *list = hs_json_get(object, key);
    uint32_t count = hs_json_count(list);
    if (list == NULL) {
        hs_jsoncheck_fault(&r->check, object, "a list of [probability, value]", "\"%s\" is missing",
                           key);
        return;
    }
    if (!hs_jsoncheck_kind(&r->check, list, HS_JSON_ARRAY, key))
        return;
    if (count < 2 || count > HS_QUANTILE_FN_POINTS_MAX) {
        hs_jsoncheck_fault(&r->check, list, NULL, "%s must have 2..%d points", key,
                           HS_QUANTILE_FN_POINTS_MAX);
        return;
    }
    curve->rank = room(r, count, sizeof *curve->rank);
    curve->value = room(r, count, sizeof *curve->value);
    for (const struct hs_json *p = hs_json_first(list); p != NULL; p = hs_json_next(p))
        if (!read_point(r, p, key, max, curve))
            return;
    if (curve->rank[count - 1] < 1)
        hs_jsoncheck_fault(&r->check, list, NULL, "probabilities of %s must end with 1", key);
}

/* ---- arrivals ---- */

static void read_profile(struct workload_reader *r, const struct hs_json *object, const char *key,
                         double *weights, uint32_t count)
{
    const struct hs_json *list = hs_json_get(object, key);
    if (list == NULL || !read_weights(r, list, key, weights, count))
        for (uint32_t i = 0; i < count; i++)
            weights[i] = 1;
    divide_by_sum(weights, count);
}

static void read_arrivals(struct workload_reader *r, const struct hs_json *object)
{
    struct hs_jsoncheck *c = &r->check;
    struct hs_workload_arrivals *a = &r->workload->arrivals;
    struct hs_workload_modulation *m = &a->modulation;
    const double least = 1e-6, least_hours = 1e-3, cv_max = 10;
    if (!is_object(r, object, "arrivals",
                   "first jobs_per_day weekdays hours modulation outages batches"))
        return;
    const char *date = hs_jsoncheck_text(c, object, "first");
    if (date == NULL || strlen(date) != strlen("2020-04-01") ||
        !hs_parse_datetime_us(date, strlen(date), &a->first_us, NULL) || a->first_us < 0)
        hs_jsoncheck_fault(c, hs_json_get(object, "first"), "\"first\": \"2020-04-01\"",
                           "first must be a date from 1970 on");
    (void)hs_jsoncheck_number(c, object, "jobs_per_day", least, PER_DAY_MAX, &a->jobs_per_day);
    read_profile(r, object, "weekdays", a->weekdays, HS_WORKLOAD_WEEKDAYS);
    read_profile(r, object, "hours", a->hours, HS_WORKLOAD_HOURS);
    const struct hs_json *part = hs_json_get(object, "modulation");
    if (is_object(r, part, "modulation", "cv hours slow_hours slow_share")) {
        (void)hs_jsoncheck_number(c, part, "cv", 0, cv_max, &m->cv);
        (void)hs_jsoncheck_number(c, part, "hours", least_hours, HOURS_MAX, &m->hours);
        m->slow_share = read_number(r, part, "slow_share", 0, 1, 0);
        if (m->slow_share > 0)
            (void)hs_jsoncheck_number(c, part, "slow_hours", least_hours, HOURS_MAX,
                                      &m->slow_hours);
    }
    part = hs_json_get(object, "outages");
    if (is_object(r, part, "outages", "per_day hours")) {
        (void)hs_jsoncheck_number(c, part, "per_day", 0, 1, &a->outages.per_day);
        read_curve(r, part, "hours", OUTAGE_MAX_H, &a->outages.hours);
    }
    part = hs_json_get(object, "batches");
    if (is_object(r, part, "batches", "jobs gap_s same_size duration_correlation whole")) {
        const struct hs_json *whole = hs_json_get(part, "whole");
        read_curve(r, part, "jobs", BATCH_MAX, &a->batches.jobs);
        read_curve(r, part, "gap_s", SECONDS_MAX, &a->batches.gap_s);
        a->batches.same_size = read_number(r, part, "same_size", 0, 1, 1);
        a->batches.duration_correlation = read_number(r, part, "duration_correlation", 0, 1, 0);
        a->batches.is_whole = whole != NULL && hs_jsoncheck_kind(c, whole, HS_JSON_BOOL, "whole") &&
                              hs_json_bool(whole);
    }
}

/* ---- sizes ---- */

/* Parses [4, 0.1], [0.5, 0.1] or [4, 0.1, 500]. */
static bool parse_size(const struct hs_json *entry, struct hs_workload_size *size)
{
    const struct hs_json *gpus = hs_json_first(entry), *share = hs_json_next(gpus);
    const struct hs_json *milli = hs_json_next(share);
    int64_t whole, thousandths = MILLI;
    if (hs_json_kind(entry) != HS_JSON_ARRAY || hs_json_count(entry) > 3 ||
        !is_within(share, 0, WEIGHT_MAX))
        return false;
    if (milli != NULL &&
        !(hs_json_int(milli, &thousandths) && thousandths >= 1 && thousandths <= MILLI))
        return false;
    if (!hs_json_int(gpus, &whole)) {
        double part = hs_json_number(gpus) * MILLI;
        if (!is_within(gpus, 0, 1) || milli != NULL || fabs(part - round(part)) > 1e-6)
            return false;
        whole = 1;
        thousandths = (int64_t)llround(part);
    }
    *size =
        (struct hs_workload_size){(uint32_t)whole, (uint32_t)thousandths, hs_json_number(share)};
    return whole >= 1 && whole <= HS_JOB_GPUS_MAX && thousandths >= 1;
}

static void read_gpus(struct workload_reader *r, const struct hs_json *object,
                      struct hs_workload_bucket *bucket)
{
    const struct hs_json *list = hs_json_get(object, "gpus");
    if (!is_list(r, list, "gpus", HS_WORKLOAD_SIZES_MAX, "sizes"))
        return;
    bucket->sizes = room(r, hs_json_count(list), sizeof *bucket->sizes);
    for (const struct hs_json *e = hs_json_first(list); e != NULL; e = hs_json_next(e)) {
        struct hs_workload_size *size = &bucket->sizes[bucket->size_count];
        if (!parse_size(e, size)) {
            hs_jsoncheck_fault(&r->check, e, "[4, 0.1], or [0.5, 0.1] for half a GPU",
                               "a size must be [GPUs, share of jobs]");
            return;
        }
        bucket->share += size->share;
        bucket->size_count++;
    }
}

static void read_states(struct workload_reader *r, const struct hs_json *list,
                        struct hs_workload_bucket *bucket)
{
    enum { WIDTH = 1 + HS_WORKLOAD_STATES };
    double before = 0;
    if (list == NULL || !hs_jsoncheck_filled(&r->check, list, HS_JSON_ARRAY, "states"))
        return;
    bucket->states = room(r, hs_json_count(list), sizeof *bucket->states);
    for (const struct hs_json *e = hs_json_first(list); e != NULL; e = hs_json_next(e)) {
        double row[WIDTH];
        if (!read_weights(r, e, "a row of states", row, WIDTH))
            return;
        if (row[0] <= before || row[0] > 1 || row[1] + row[2] + row[3] <= 0) {
            hs_jsoncheck_fault(&r->check, e, "[rank, completed, cancelled, failed]",
                               "ranks of states must ascend to 1, each with a share above 0");
            return;
        }
        before = row[0];
        divide_by_sum(row + 1, HS_WORKLOAD_STATES);
        bucket->states[bucket->state_count++] =
            (struct hs_workload_states){row[0], {row[1], row[2], row[3]}};
    }
    if (before < 1)
        hs_jsoncheck_fault(&r->check, list, NULL, "the last rank of states must be 1");
}

static void read_sizes(struct workload_reader *r, const struct hs_json *list)
{
    struct hs_workload *w = r->workload;
    double sum = 0;
    if (!is_list(r, list, "sizes", HS_WORKLOAD_BUCKETS_MAX, "sizes"))
        return;
    w->buckets = room(r, hs_json_count(list), sizeof *w->buckets);
    for (const struct hs_json *b = hs_json_first(list); b != NULL; b = hs_json_next(b))
        if (is_object(r, b, "one of sizes", "name gpus duration_s states retries batch_max")) {
            struct hs_workload_bucket *bucket = &w->buckets[w->bucket_count++];
            bucket->name = read_name(r, b, "one of sizes");
            read_gpus(r, b, bucket);
            read_curve(r, b, "duration_s", SECONDS_MAX, &bucket->duration_s);
            read_states(r, hs_json_get(b, "states"), bucket);
            bucket->retries = read_number(r, b, "retries", 0, HS_WORKLOAD_RETRIES_MAX, 0);
            bucket->batch_max = (uint32_t)hs_jsoncheck_int(&r->check, b, "batch_max", 1,
                                                           HS_WORKLOAD_BATCH_MAX, UINT32_MAX);
        }
    for (uint32_t i = 0; i < w->bucket_count; i++)
        sum += w->buckets[i].share;
    if (sum <= 0) {
        hs_jsoncheck_fault(&r->check, list, NULL, "all shares of sizes are 0");
        return;
    }
    for (uint32_t i = 0; i < w->bucket_count; i++) {
        w->buckets[i].share /= sum;
        for (uint32_t s = 0; s < w->buckets[i].size_count; s++)
            w->buckets[i].sizes[s].share /= sum;
    }
}

static void read_vc(struct workload_reader *r, const struct hs_json *object)
{
    struct hs_workload *w = r->workload;
    const struct hs_json *shares = hs_json_get(object, "shares");
    double share = 0;
    if (!is_object(r, object, "one of vcs", "name share shares gpus_max"))
        return;
    struct hs_workload_vc *vc = &w->vcs[w->vc_count++];
    vc->name = read_name(r, object, "one of vcs");
    vc->gpus_max = (uint32_t)hs_jsoncheck_int(&r->check, object, "gpus_max", 1, HS_JOB_GPUS_MAX, 0);
    vc->shares = room(r, w->bucket_count, sizeof *vc->shares);
    if (shares != NULL) {
        (void)read_weights(r, shares, "shares", vc->shares, w->bucket_count);
        return;
    }
    (void)hs_jsoncheck_number(&r->check, object, "share", 0, WEIGHT_MAX, &share);
    for (uint32_t b = 0; b < w->bucket_count; b++)
        vc->shares[b] = share;
}

static void read_vcs(struct workload_reader *r, const struct hs_json *list)
{
    struct hs_workload *w = r->workload;
    if (list == NULL || !is_list(r, list, "vcs", HS_WORKLOAD_VCS_MAX, "vcs"))
        return;
    w->vcs = room(r, hs_json_count(list), sizeof *w->vcs);
    for (const struct hs_json *v = hs_json_first(list); v != NULL; v = hs_json_next(v))
        read_vc(r, v);
    if (r->check.status != HS_OK)
        return;
    for (uint32_t b = 0; b < w->bucket_count; b++) { /* each size needs a VC that accepts it */
        const struct hs_workload_bucket *bucket = &w->buckets[b];
        for (uint32_t s = 0; s < bucket->size_count; s++) {
            double sum = 0;
            for (uint32_t v = 0; v < w->vc_count; v++)
                if (w->vcs[v].gpus_max == 0 || w->vcs[v].gpus_max >= bucket->sizes[s].gpus)
                    sum += w->vcs[v].shares[b];
            if (sum <= 0 && bucket->sizes[s].share > 0)
                hs_jsoncheck_fault(&r->check, list, "see shares and gpus_max",
                                   "none of vcs takes jobs of %u GPUs", bucket->sizes[s].gpus);
        }
    }
    if (w->users > 0 && w->users < w->vc_count)
        hs_jsoncheck_fault(&r->check, list, "a user stays in one VC",
                           "%u users are fewer than %u vcs", w->users, w->vc_count);
}

static void read_retries(struct workload_reader *r, const struct hs_json *root)
{
    const struct hs_json *object = hs_json_get(root, "retries");
    struct hs_workload *w = r->workload;
    if (is_object(r, object, "retries", "max time_s")) {
        w->retries.max =
            (uint32_t)hs_jsoncheck_int(&r->check, object, "max", 1, HS_WORKLOAD_RETRIES_MAX, 1);
        read_curve(r, object, "time_s", SECONDS_MAX, &w->retries.time_s);
    }
    for (uint32_t b = 0; r->check.status == HS_OK && b < w->bucket_count; b++) {
        double failed = hs_bucket_state_share(&w->buckets[b], HS_OUTCOME_FAILED);
        if (w->buckets[b].retries > w->retries.max * failed)
            hs_jsoncheck_fault(&r->check, root, "only failed jobs are retried, each \"max\" times",
                               "sizes '%s': a mean of %g retries is not possible",
                               w->buckets[b].name, w->buckets[b].retries);
    }
}

static void read_root(struct workload_reader *r, const struct hs_json *root)
{
    struct hs_jsoncheck *c = &r->check;
    struct hs_workload *w = r->workload;
    const struct hs_json *users = hs_json_get(root, "users");
    const double sigma_max = 10;
    if (!is_object(r, root, "a workload", "$schema name arrivals sizes users vcs retries"))
        return;
    w->name = read_name(r, root, "a workload");
    if (hs_json_get(root, "arrivals") == NULL || hs_json_get(root, "sizes") == NULL) {
        hs_jsoncheck_fault(c, root, "configs/README.md, Workloads",
                           "a workload needs \"arrivals\" and \"sizes\"");
        return;
    }
    read_arrivals(r, hs_json_get(root, "arrivals"));
    read_sizes(r, hs_json_get(root, "sizes"));
    if (is_object(r, users, "users", "count sigma duration_correlation outcome_correlation")) {
        w->users = (uint32_t)hs_jsoncheck_int(c, users, "count", 1, HS_WORKLOAD_USERS_MAX, 0);
        (void)hs_jsoncheck_number(c, users, "sigma", 0, sigma_max, &w->users_sigma);
        if (hs_json_get(users, "count") == NULL)
            hs_jsoncheck_fault(c, users, NULL, "\"count\" is missing");
        w->users_duration_correlation = read_number(r, users, "duration_correlation", 0, 1, 0);
        w->users_outcome_correlation = read_number(r, users, "outcome_correlation", 0, 1, 0);
    }
    if (c->status == HS_OK) {
        read_vcs(r, hs_json_get(root, "vcs"));
        read_retries(r, root);
    }
}

enum hs_status hs_workload_load(struct hs_workload *workload, const char *name,
                                struct hs_diag *diag)
{
    struct workload_reader r = {.workload = workload, .check.diag = diag};
    char path[PATH_SIZE];
    uint64_t bytes;
    *workload = (struct hs_workload){0};
    HS_TRY(hs_workload_path(name, path, sizeof path, diag));
    HS_TRY(hs_json_load(&r.check.doc, path, diag));
    workload->hash = hs_json_hash(r.check.doc, &bytes);
    read_root(&r, hs_json_root(r.check.doc));
    hs_json_close(r.check.doc);
    if (r.check.status != HS_OK)
        hs_workload_free(workload);
    return r.check.status;
}

/* ---- writing ---- */

#define RANK_UNIT 1e7
#define DIGITS    7

static double rank7(double rank)
{
    return round(rank * RANK_UNIT) / RANK_UNIT;
}

static double value7(double value)
{
    double unit = value > 0 ? pow(10, DIGITS - ceil(log10(value))) : 1;
    return unit > 1 ? round(value * unit) / unit : round(value);
}

static void put_curve(struct hs_jsonw *w, const char *key, const struct hs_quantile_fn *curve)
{
    hs_jsonw_put(w, "%s=![", key);
    for (uint32_t i = 0; i < curve->count; i++)
        hs_jsonw_put(w, "=[ =%g =%g ]", rank7(curve->rank[i]), value7(curve->value[i]));
    hs_jsonw_put(w, "]");
}

static void put_shares(struct hs_jsonw *w, const char *key, const double *shares, uint32_t count)
{
    hs_jsonw_put(w, "%s=![", key);
    for (uint32_t i = 0; i < count; i++)
        hs_jsonw_put(w, "=%g", rank7(shares[i]));
    hs_jsonw_put(w, "]");
}

static void put_arrivals(struct hs_jsonw *w, const struct hs_workload_arrivals *arrivals)
{
    const struct hs_workload_modulation *m = &arrivals->modulation;
    const struct hs_workload_batches *b = &arrivals->batches;
    char date[HS_FMT_MAX];
    (void)hs_fmt_datetime(date, arrivals->first_us);
    date[sizeof "2020-04-01" - 1] = '\0';
    hs_jsonw_put(w, "arrivals={ first=%s jobs_per_day=%g", date, value7(arrivals->jobs_per_day));
    put_shares(w, "weekdays", arrivals->weekdays, HS_WORKLOAD_WEEKDAYS);
    put_shares(w, "hours", arrivals->hours, HS_WORKLOAD_HOURS);
    if (m->cv > 0) {
        hs_jsonw_put(w, "modulation=!{ cv=%g hours=%g", value7(m->cv), value7(m->hours));
        if (m->slow_share > 0)
            hs_jsonw_put(w, "slow_hours=%g slow_share=%g", value7(m->slow_hours),
                         value7(m->slow_share));
        hs_jsonw_put(w, "}");
    }
    if (arrivals->outages.per_day > 0) {
        hs_jsonw_put(w, "outages=!{ per_day=%g", value7(arrivals->outages.per_day));
        put_curve(w, "hours", &arrivals->outages.hours);
        hs_jsonw_put(w, "}");
    }
    if (b->jobs.count > 0) {
        hs_jsonw_put(w, "batches={");
        put_curve(w, "jobs", &b->jobs);
        put_curve(w, "gap_s", &b->gap_s);
        hs_jsonw_put(w, "same_size=%g duration_correlation=%g whole=%d }", value7(b->same_size),
                     value7(b->duration_correlation), b->is_whole);
    }
    hs_jsonw_put(w, "}");
}

static void put_bucket(struct hs_jsonw *w, const struct hs_workload_bucket *bucket)
{
    hs_jsonw_put(w, "={ name=%s gpus=![", bucket->name);
    for (uint32_t i = 0; i < bucket->size_count; i++) {
        const struct hs_workload_size *size = &bucket->sizes[i];
        if (size->gpus == 1 && size->gpu_milli < MILLI)
            hs_jsonw_put(w, "=[ =%g =%g ]", (double)size->gpu_milli / MILLI, rank7(size->share));
        else if (size->gpu_milli < MILLI)
            hs_jsonw_put(w, "=[ =%u =%g =%u ]", size->gpus, rank7(size->share), size->gpu_milli);
        else
            hs_jsonw_put(w, "=[ =%u =%g ]", size->gpus, rank7(size->share));
    }
    hs_jsonw_put(w, "]");
    put_curve(w, "duration_s", &bucket->duration_s);
    if (bucket->state_count > 0) {
        hs_jsonw_put(w, "states=![");
        for (uint32_t i = 0; i < bucket->state_count; i++) {
            const struct hs_workload_states *row = &bucket->states[i];
            hs_jsonw_put(w, "=[ =%g =%g =%g =%g ]", rank7(row->rank), rank7(row->share[0]),
                         rank7(row->share[1]), rank7(row->share[2]));
        }
        hs_jsonw_put(w, "]");
    }
    if (bucket->retries > 0)
        hs_jsonw_put(w, "retries=%g", value7(bucket->retries));
    if (bucket->batch_max < UINT32_MAX)
        hs_jsonw_put(w, "batch_max=%u", bucket->batch_max);
    hs_jsonw_put(w, "}");
}

void hs_workload_write(const struct hs_workload *workload, const char *about, struct hs_output *out)
{
    struct hs_jsonw w;
    hs_say(out, "// %s\n", about);
    hs_jsonw_begin(&w, out);
    hs_jsonw_put(&w, "={ name=%s", workload->name);
    put_arrivals(&w, &workload->arrivals);
    hs_jsonw_put(&w, "sizes=[");
    for (uint32_t i = 0; i < workload->bucket_count; i++)
        put_bucket(&w, &workload->buckets[i]);
    hs_jsonw_put(&w, "]");
    if (workload->users > 0)
        hs_jsonw_put(&w,
                     "users=!{ count=%u sigma=%g duration_correlation=%g outcome_correlation=%g }",
                     workload->users, value7(workload->users_sigma),
                     value7(workload->users_duration_correlation),
                     value7(workload->users_outcome_correlation));
    if (workload->vc_count > 0) {
        hs_jsonw_put(&w, "vcs=[");
        for (uint32_t i = 0; i < workload->vc_count; i++) {
            const struct hs_workload_vc *vc = &workload->vcs[i];
            hs_jsonw_put(&w, "=!{ name=%s", vc->name);
            put_shares(&w, "shares", vc->shares, workload->bucket_count);
            if (vc->gpus_max > 0)
                hs_jsonw_put(&w, "gpus_max=%u", vc->gpus_max);
            hs_jsonw_put(&w, "}");
        }
        hs_jsonw_put(&w, "]");
    }
    if (workload->retries.max > 0) {
        hs_jsonw_put(&w, "retries={ max=%u", workload->retries.max);
        put_curve(&w, "time_s", &workload->retries.time_s);
        hs_jsonw_put(&w, "}");
    }
    hs_jsonw_put(&w, "}");
    hs_jsonw_finish(&w);
}
