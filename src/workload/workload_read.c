/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads a workload file (configs/README.md documents the form). Strict: whatever is not understood
 * is an error at its place, and all errors of the file are shown in one go. Weights are divided by
 * their sum here, so that nobody else has to.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "data/jsoncheck.h"
#include "workload/workload_private.h"

#define COUNT_OF(a)  ((uint32_t)(sizeof(a) / sizeof *(a)))
#define WEIGHT_MAX   1e15
#define HOURS_MAX    1e6
#define SECONDS_MAX  1e9
#define OUTAGE_MAX_H 168
#define BATCH_MAX    1e6
#define PER_DAY_MAX  1e9
#define MILLI        1000

struct reader {
    struct hs_jsoncheck check;
    struct hs_workload *workload;
};

/* Zeroed; NULL when out of memory, which is noted. */
static void *room(struct reader *r, uint64_t count, size_t size)
{
    void *memory = hs_arena_alloc(&r->workload->arena, count * size + 1);
    if (memory == NULL)
        hs_jsoncheck_note(&r->check, HS_E_MEMORY);
    return memory;
}

static bool is_within(const struct hs_json *value, double min, double max)
{
    double number = hs_json_number(value);
    return hs_json_kind(value) == HS_JSON_NUMBER && number >= min && number <= max;
}

static const char *read_name(struct reader *r, const struct hs_json *object, const char *what)
{
    const char *name = hs_jsoncheck_text(&r->check, object, "name");
    if (name == NULL) {
        if (hs_json_get(object, "name") == NULL)
            hs_jsoncheck_fault(&r->check, object, NULL, "%s has no \"name\"", what);
        return "";
    }
    char *copy = hs_arena_text(&r->workload->arena, name, strlen(name));
    if (copy == NULL)
        hs_jsoncheck_note(&r->check, HS_E_MEMORY);
    return copy;
}

/* Absent: preset. */
static double read_number(struct reader *r, const struct hs_json *object, const char *key,
                          double min, double max, double preset)
{
    double number = preset;
    if (hs_json_get(object, key) != NULL)
        (void)hs_jsoncheck_number(&r->check, object, key, min, max, &number);
    return number;
}

/* Numbers of a list, or zeros; false if the list is not so long, or they sum to nothing. */
static bool read_weights(struct reader *r, const struct hs_json *list, const char *what,
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

static bool read_point(struct reader *r, const struct hs_json *point, const char *key, double max,
                       struct hs_curve *curve)
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

static void read_curve(struct reader *r, const struct hs_json *object, const char *key, double max,
                       struct hs_curve *curve)
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
    if (count < 2 || count > HS_CURVE_POINTS_MAX) {
        hs_jsoncheck_fault(&r->check, list, NULL, "%s must have 2..%d points", key,
                           HS_CURVE_POINTS_MAX);
        return;
    }
    curve->rank = room(r, count, sizeof *curve->rank);
    curve->value = room(r, count, sizeof *curve->value);
    if (curve->rank == NULL || curve->value == NULL)
        return;
    for (const struct hs_json *p = hs_json_first(list); p != NULL; p = hs_json_next(p))
        if (!read_point(r, p, key, max, curve))
            return;
    if (curve->rank[count - 1] < 1)
        hs_jsoncheck_fault(&r->check, list, NULL, "probabilities of %s must end with 1", key);
}

/* ---- arrivals ---- */

static void read_modulation(struct reader *r, const struct hs_json *object)
{
    static const char *const keys[] = {"cv", "hours", "slow_hours", "slow_share"};
    struct hs_workload_modulation *m = &r->workload->arrivals.modulation;
    const double least = 1e-3, cv_max = 10;
    if (object == NULL || !hs_jsoncheck_kind(&r->check, object, HS_JSON_OBJECT, "modulation"))
        return;
    hs_jsoncheck_keys(&r->check, object, keys, COUNT_OF(keys), "modulation");
    (void)hs_jsoncheck_number(&r->check, object, "cv", 0, cv_max, &m->cv);
    (void)hs_jsoncheck_number(&r->check, object, "hours", least, HOURS_MAX, &m->hours);
    m->slow_share = read_number(r, object, "slow_share", 0, 1, 0);
    if (m->slow_share > 0)
        (void)hs_jsoncheck_number(&r->check, object, "slow_hours", least, HOURS_MAX,
                                  &m->slow_hours);
}

static void read_outages(struct reader *r, const struct hs_json *object)
{
    static const char *const keys[] = {"per_day", "hours"};
    struct hs_workload_outages *o = &r->workload->arrivals.outages;
    if (object == NULL || !hs_jsoncheck_kind(&r->check, object, HS_JSON_OBJECT, "outages"))
        return;
    hs_jsoncheck_keys(&r->check, object, keys, COUNT_OF(keys), "outages");
    (void)hs_jsoncheck_number(&r->check, object, "per_day", 0, 1, &o->per_day);
    read_curve(r, object, "hours", OUTAGE_MAX_H, &o->hours);
}

static void read_batches(struct reader *r, const struct hs_json *object)
{
    static const char *const keys[] = {"jobs", "gap_s", "same_size", "duration_correlation"};
    struct hs_workload_batches *b = &r->workload->arrivals.batches;
    if (object == NULL || !hs_jsoncheck_kind(&r->check, object, HS_JSON_OBJECT, "batches"))
        return;
    hs_jsoncheck_keys(&r->check, object, keys, COUNT_OF(keys), "batches");
    read_curve(r, object, "jobs", BATCH_MAX, &b->jobs);
    read_curve(r, object, "gap_s", SECONDS_MAX, &b->gap_s);
    b->same_size = read_number(r, object, "same_size", 0, 1, 1);
    b->duration_correlation = read_number(r, object, "duration_correlation", 0, 1, 0);
}

static void read_first(struct reader *r, const struct hs_json *object)
{
    const char *date = hs_jsoncheck_text(&r->check, object, "first");
    char midnight[32];
    if (date != NULL) {
        int len = snprintf(midnight, sizeof midnight, "%s 00:00:00", date);
        if (len < (int)sizeof midnight &&
            hs_parse_datetime_us(midnight, (size_t)len, &r->workload->arrivals.first_us) &&
            r->workload->arrivals.first_us >= 0)
            return;
    }
    hs_jsoncheck_fault(&r->check, hs_json_get(object, "first"), "\"first\": \"2020-04-01\"",
                       "first must be a date from 1970 on");
}

static void read_profile(struct reader *r, const struct hs_json *object, const char *key,
                         double *weights, uint32_t count)
{
    const struct hs_json *list = hs_json_get(object, key);
    if (list == NULL || !read_weights(r, list, key, weights, count))
        for (uint32_t i = 0; i < count; i++)
            weights[i] = 1;
    divide_by_sum(weights, count);
}

static void read_arrivals(struct reader *r, const struct hs_json *object)
{
    static const char *const keys[] = {"first",      "jobs_per_day", "weekdays", "hours",
                                       "modulation", "outages",      "batches"};
    struct hs_workload_arrivals *a = &r->workload->arrivals;
    const double least = 1e-6;
    if (!hs_jsoncheck_kind(&r->check, object, HS_JSON_OBJECT, "arrivals"))
        return;
    hs_jsoncheck_keys(&r->check, object, keys, COUNT_OF(keys), "arrivals");
    read_first(r, object);
    (void)hs_jsoncheck_number(&r->check, object, "jobs_per_day", least, PER_DAY_MAX,
                              &a->jobs_per_day);
    read_profile(r, object, "weekdays", a->weekdays, HS_WORKLOAD_WEEKDAYS);
    read_profile(r, object, "hours", a->hours, HS_WORKLOAD_HOURS);
    read_modulation(r, hs_json_get(object, "modulation"));
    read_outages(r, hs_json_get(object, "outages"));
    read_batches(r, hs_json_get(object, "batches"));
}

/* ---- sizes ---- */

/* [4, 0.1], [0.5, 0.1] or [4, 0.1, 500]. */
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

static void read_gpus(struct reader *r, const struct hs_json *object,
                      struct hs_workload_bucket *bucket)
{
    const struct hs_json *list = hs_json_get(object, "gpus");
    if (!hs_jsoncheck_filled(&r->check, list, HS_JSON_ARRAY, "gpus"))
        return;
    if (hs_json_count(list) > HS_WORKLOAD_SIZES_MAX) {
        hs_jsoncheck_fault(&r->check, list, NULL, "more than %d sizes", HS_WORKLOAD_SIZES_MAX);
        return;
    }
    bucket->sizes = room(r, hs_json_count(list), sizeof *bucket->sizes);
    if (bucket->sizes == NULL)
        return;
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

static void read_states(struct reader *r, const struct hs_json *list,
                        struct hs_workload_bucket *bucket)
{
    enum { WIDTH = 1 + HS_WORKLOAD_STATES };
    double before = 0;
    if (list == NULL || !hs_jsoncheck_filled(&r->check, list, HS_JSON_ARRAY, "states"))
        return;
    bucket->states = room(r, hs_json_count(list), sizeof *bucket->states);
    if (bucket->states == NULL)
        return;
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

static void read_bucket(struct reader *r, const struct hs_json *object)
{
    static const char *const keys[] = {"name",   "gpus",    "duration_s",
                                       "states", "retries", "batch_max"};
    if (!hs_jsoncheck_kind(&r->check, object, HS_JSON_OBJECT, "one of sizes"))
        return;
    struct hs_workload_bucket *bucket = &r->workload->buckets[r->workload->bucket_count++];
    hs_jsoncheck_keys(&r->check, object, keys, COUNT_OF(keys), "one of sizes");
    bucket->name = read_name(r, object, "one of sizes");
    read_gpus(r, object, bucket);
    read_curve(r, object, "duration_s", SECONDS_MAX, &bucket->duration_s);
    read_states(r, hs_json_get(object, "states"), bucket);
    bucket->retries = read_number(r, object, "retries", 0, HS_WORKLOAD_RETRIES_MAX, 0);
    bucket->batch_max = (uint32_t)hs_jsoncheck_int(&r->check, object, "batch_max", 1,
                                                   HS_WORKLOAD_BATCH_MAX, UINT32_MAX);
}

static void read_sizes(struct reader *r, const struct hs_json *list)
{
    struct hs_workload *w = r->workload;
    double sum = 0;
    if (!hs_jsoncheck_filled(&r->check, list, HS_JSON_ARRAY, "sizes"))
        return;
    if (hs_json_count(list) > HS_WORKLOAD_BUCKETS_MAX) {
        hs_jsoncheck_fault(&r->check, list, NULL, "more than %d sizes", HS_WORKLOAD_BUCKETS_MAX);
        return;
    }
    w->buckets = room(r, hs_json_count(list), sizeof *w->buckets);
    if (w->buckets == NULL)
        return;
    for (const struct hs_json *b = hs_json_first(list); b != NULL; b = hs_json_next(b))
        read_bucket(r, b);
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

static void read_users(struct reader *r, const struct hs_json *object)
{
    static const char *const keys[] = {"count", "sigma"};
    const double sigma_max = 10;
    if (object == NULL || !hs_jsoncheck_kind(&r->check, object, HS_JSON_OBJECT, "users"))
        return;
    hs_jsoncheck_keys(&r->check, object, keys, COUNT_OF(keys), "users");
    r->workload->users =
        (uint32_t)hs_jsoncheck_int(&r->check, object, "count", 1, HS_WORKLOAD_USERS_MAX, 0);
    (void)hs_jsoncheck_number(&r->check, object, "sigma", 0, sigma_max, &r->workload->users_sigma);
    if (hs_json_get(object, "count") == NULL)
        hs_jsoncheck_fault(&r->check, object, NULL, "\"count\" is missing");
}

static void read_vc(struct reader *r, const struct hs_json *object)
{
    static const char *const keys[] = {"name", "share", "shares", "gpus_max"};
    struct hs_workload *w = r->workload;
    const struct hs_json *shares = hs_json_get(object, "shares");
    double share = 0;
    if (!hs_jsoncheck_kind(&r->check, object, HS_JSON_OBJECT, "one of vcs"))
        return;
    struct hs_workload_vc *vc = &w->vcs[w->vc_count++];
    hs_jsoncheck_keys(&r->check, object, keys, COUNT_OF(keys), "one of vcs");
    vc->name = read_name(r, object, "one of vcs");
    vc->gpus_max = (uint32_t)hs_jsoncheck_int(&r->check, object, "gpus_max", 1, HS_JOB_GPUS_MAX, 0);
    vc->shares = room(r, w->bucket_count, sizeof *vc->shares);
    if (vc->shares == NULL)
        return;
    if (shares != NULL) {
        (void)read_weights(r, shares, "shares", vc->shares, w->bucket_count);
        return;
    }
    (void)hs_jsoncheck_number(&r->check, object, "share", 0, WEIGHT_MAX, &share);
    for (uint32_t b = 0; b < w->bucket_count; b++)
        vc->shares[b] = share;
}

/* Somebody must take the jobs of each size. */
static void check_vcs(struct reader *r, const struct hs_json *list)
{
    struct hs_workload *w = r->workload;
    for (uint32_t b = 0; b < w->bucket_count; b++) {
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

static void read_vcs(struct reader *r, const struct hs_json *list)
{
    struct hs_workload *w = r->workload;
    if (list == NULL || !hs_jsoncheck_filled(&r->check, list, HS_JSON_ARRAY, "vcs"))
        return;
    if (hs_json_count(list) > HS_WORKLOAD_VCS_MAX) {
        hs_jsoncheck_fault(&r->check, list, NULL, "more than %d vcs", HS_WORKLOAD_VCS_MAX);
        return;
    }
    w->vcs = room(r, hs_json_count(list), sizeof *w->vcs);
    if (w->vcs == NULL)
        return;
    for (const struct hs_json *v = hs_json_first(list); v != NULL; v = hs_json_next(v))
        read_vc(r, v);
    if (r->check.status == HS_OK)
        check_vcs(r, list);
}

static void read_retries(struct reader *r, const struct hs_json *root)
{
    static const char *const keys[] = {"max", "time_s"};
    const struct hs_json *object = hs_json_get(root, "retries");
    struct hs_workload *w = r->workload;
    if (object != NULL && hs_jsoncheck_kind(&r->check, object, HS_JSON_OBJECT, "retries")) {
        hs_jsoncheck_keys(&r->check, object, keys, COUNT_OF(keys), "retries");
        w->retries.max =
            (uint32_t)hs_jsoncheck_int(&r->check, object, "max", 1, HS_WORKLOAD_RETRIES_MAX, 1);
        read_curve(r, object, "time_s", SECONDS_MAX, &w->retries.time_s);
    }
    for (uint32_t b = 0; r->check.status == HS_OK && b < w->bucket_count; b++) {
        double failed = hs_bucket_state_share(&w->buckets[b], HS_OUTCOME_FAILED);
        if (w->buckets[b].retries > w->retries.max * failed)
            hs_jsoncheck_fault(&r->check, root, "only failed jobs are retried, each \"max\" times",
                               "sizes '%s': a mean of %g retries is out of reach",
                               w->buckets[b].name, w->buckets[b].retries);
    }
}

static void read_root(struct reader *r, const struct hs_json *root)
{
    static const char *const keys[] = {"$schema", "name", "arrivals", "sizes",
                                       "users",   "vcs",  "retries"};
    if (!hs_jsoncheck_kind(&r->check, root, HS_JSON_OBJECT, "a workload"))
        return;
    hs_jsoncheck_keys(&r->check, root, keys, COUNT_OF(keys), "a workload");
    r->workload->name = read_name(r, root, "a workload");
    if (hs_json_get(root, "arrivals") == NULL || hs_json_get(root, "sizes") == NULL) {
        hs_jsoncheck_fault(&r->check, root, "configs/README.md, Workloads",
                           "a workload needs \"arrivals\" and \"sizes\"");
        return;
    }
    read_arrivals(r, hs_json_get(root, "arrivals"));
    read_sizes(r, hs_json_get(root, "sizes"));
    read_users(r, hs_json_get(root, "users"));
    if (r->check.status == HS_OK) {
        read_vcs(r, hs_json_get(root, "vcs"));
        read_retries(r, root);
    }
}

enum hs_status hs_workload_read(struct hs_workload *workload, const char *path,
                                struct hs_diag *diag)
{
    struct reader r = {.workload = workload, .check.diag = diag};
    HS_TRY(hs_json_load(&r.check.doc, path, diag));
    read_root(&r, hs_json_root(r.check.doc));
    if (r.check.status == HS_E_MEMORY)
        hs_report(diag, HS_ERROR, NULL, NULL, "no memory for a workload");
    hs_json_close(r.check.doc);
    return r.check.status;
}
