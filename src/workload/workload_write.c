/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A workload as the file that workload_read.c reads. Ranks and shares are rounded to 1e-7, values
 * to seven digits: a list of such numbers is read by people too.
 */
#include <math.h>
#include <stdio.h>

#include "base/fmt.h"
#include "data/json.h"
#include "workload/fit.h"

#define RANK_UNIT 1e7
#define DIGITS    7
#define MILLI     1000
#define US_A_DAY  INT64_C(86400000000)

static double rounded_rank(double rank)
{
    return round(rank * RANK_UNIT) / RANK_UNIT;
}

static void put_rank(struct hs_jsonw *w, double rank)
{
    hs_jsonw_double(w, rounded_rank(rank));
}

static void put_value(struct hs_jsonw *w, double value)
{
    double unit = value > 0 ? pow(10, DIGITS - ceil(log10(value))) : 1;
    hs_jsonw_double(w, unit > 1 ? round(value * unit) / unit : round(value));
}

static void put_curve(struct hs_jsonw *w, const char *key, const struct hs_curve *curve)
{
    hs_jsonw_key(w, key);
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < curve->count; i++) {
        hs_jsonw_array(w);
        put_rank(w, curve->rank[i]);
        put_value(w, curve->value[i]);
        hs_jsonw_end_array(w);
    }
    hs_jsonw_end_array(w);
}

static void put_shares(struct hs_jsonw *w, const char *key, const double *shares, uint32_t count)
{
    hs_jsonw_key(w, key);
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < count; i++)
        put_rank(w, shares[i]);
    hs_jsonw_end_array(w);
}

static void member(struct hs_jsonw *w, const char *key, double value)
{
    hs_jsonw_key(w, key);
    put_value(w, value);
}

static void put_arrivals(struct hs_jsonw *w, const struct hs_workload_arrivals *arrivals)
{
    const struct hs_workload_modulation *m = &arrivals->modulation;
    const struct hs_workload_batches *b = &arrivals->batches;
    char date[HS_FMT_MAX];
    (void)hs_fmt_datetime(date, arrivals->first_us);
    date[sizeof "2020-04-01" - 1] = '\0';
    hs_jsonw_key(w, "arrivals");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "first", date);
    member(w, "jobs_per_day", arrivals->jobs_per_day);
    put_shares(w, "weekdays", arrivals->weekdays, HS_WORKLOAD_WEEKDAYS);
    put_shares(w, "hours", arrivals->hours, HS_WORKLOAD_HOURS);
    if (m->cv > 0) {
        hs_jsonw_key(w, "modulation");
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        member(w, "cv", m->cv);
        member(w, "hours", m->hours);
        if (m->slow_share > 0) {
            member(w, "slow_hours", m->slow_hours);
            member(w, "slow_share", m->slow_share);
        }
        hs_jsonw_end_object(w);
    }
    if (arrivals->outages.per_day > 0) {
        hs_jsonw_key(w, "outages");
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        member(w, "per_day", arrivals->outages.per_day);
        put_curve(w, "hours", &arrivals->outages.hours);
        hs_jsonw_end_object(w);
    }
    if (b->jobs.count > 0) {
        hs_jsonw_key(w, "batches");
        hs_jsonw_object(w);
        put_curve(w, "jobs", &b->jobs);
        put_curve(w, "gap_s", &b->gap_s);
        member(w, "same_size", b->same_size);
        member(w, "duration_correlation", b->duration_correlation);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_object(w);
}

static void put_sizes_of(struct hs_jsonw *w, const struct hs_workload_bucket *bucket)
{
    hs_jsonw_key(w, "gpus");
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < bucket->size_count; i++) {
        const struct hs_workload_size *size = &bucket->sizes[i];
        bool is_share = size->gpus == 1 && size->gpu_milli < MILLI;
        hs_jsonw_array(w);
        if (is_share)
            hs_jsonw_double(w, (double)size->gpu_milli / MILLI);
        else
            hs_jsonw_u64(w, size->gpus);
        put_rank(w, size->share);
        if (!is_share && size->gpu_milli < MILLI)
            hs_jsonw_u64(w, size->gpu_milli);
        hs_jsonw_end_array(w);
    }
    hs_jsonw_end_array(w);
}

static void put_states(struct hs_jsonw *w, const struct hs_workload_bucket *bucket)
{
    hs_jsonw_key(w, "states");
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < bucket->state_count; i++) {
        hs_jsonw_array(w);
        put_rank(w, bucket->states[i].rank);
        for (uint32_t s = 0; s < HS_WORKLOAD_STATES; s++)
            put_rank(w, bucket->states[i].share[s]);
        hs_jsonw_end_array(w);
    }
    hs_jsonw_end_array(w);
}

static void put_buckets(struct hs_jsonw *w, const struct hs_workload *workload)
{
    hs_jsonw_key(w, "sizes");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < workload->bucket_count; i++) {
        const struct hs_workload_bucket *bucket = &workload->buckets[i];
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "name", bucket->name);
        put_sizes_of(w, bucket);
        put_curve(w, "duration_s", &bucket->duration_s);
        if (bucket->state_count > 0)
            put_states(w, bucket);
        if (bucket->retries > 0)
            member(w, "retries", bucket->retries);
        if (bucket->batch_max < UINT32_MAX)
            hs_jsonw_member_u64(w, "batch_max", bucket->batch_max);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void put_vcs(struct hs_jsonw *w, const struct hs_workload *workload)
{
    hs_jsonw_key(w, "vcs");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < workload->vc_count; i++) {
        const struct hs_workload_vc *vc = &workload->vcs[i];
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "name", vc->name);
        put_shares(w, "shares", vc->shares, workload->bucket_count);
        if (vc->gpus_max > 0)
            hs_jsonw_member_u64(w, "gpus_max", vc->gpus_max);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

void hs_workload_write(const struct hs_workload *workload, const char *about, struct hs_output *out)
{
    struct hs_jsonw w;
    hs_say(out, "// %s\n", about);
    hs_jsonw_begin(&w, out);
    hs_jsonw_object(&w);
    hs_jsonw_member_text(&w, "name", workload->name);
    put_arrivals(&w, &workload->arrivals);
    put_buckets(&w, workload);
    if (workload->users > 0) {
        hs_jsonw_key(&w, "users");
        hs_jsonw_on_one_line(&w);
        hs_jsonw_object(&w);
        hs_jsonw_member_u64(&w, "count", workload->users);
        member(&w, "sigma", workload->users_sigma);
        hs_jsonw_end_object(&w);
    }
    if (workload->vc_count > 0)
        put_vcs(&w, workload);
    if (workload->retries.max > 0) {
        hs_jsonw_key(&w, "retries");
        hs_jsonw_object(&w);
        hs_jsonw_member_u64(&w, "max", workload->retries.max);
        put_curve(&w, "time_s", &workload->retries.time_s);
        hs_jsonw_end_object(&w);
    }
    hs_jsonw_end_object(&w);
    hs_jsonw_finish(&w);
}
