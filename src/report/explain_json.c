/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same as JSON: exact seconds, GPU-seconds for a run.
 */
#include "base/fixed.h"
#include "report/explain_data.h"
#include "report/exact.h"

static void put_waits(struct hs_jsonw *w, const char *key, const int64_t us[EXPLAIN_CAUSES])
{
    hs_jsonw_key(w, key);
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    for (int c = 0; c < EXPLAIN_CAUSES; c++) {
        hs_jsonw_key(w, explain_cause_names[c]);
        hs_jsonw_seconds(w, us[c]);
    }
    hs_jsonw_end_object(w);
}

static void put_seconds(struct hs_jsonw *w, const char *key, int64_t us)
{
    hs_jsonw_key(w, key);
    if (us < 0)
        hs_jsonw_null(w);
    else
        hs_jsonw_seconds(w, us);
}

static void put_head(const struct hs_explain *x, const struct explain_job *job, struct hs_jsonw *w)
{
    hs_jsonw_member_text(w, "job_id", job->id);
    hs_jsonw_member_text(w, "policy", x->policy);
    hs_jsonw_member_text(w, "user", hs_intern_text(&x->texts, job->user));
    hs_jsonw_member_text(w, "vc", hs_intern_text(&x->texts, job->vc_name));
    hs_jsonw_member_text(w, "model", hs_intern_text(&x->texts, job->model));
    hs_jsonw_member_text(w, "status", hs_intern_text(&x->texts, job->status));
    hs_jsonw_member_u64(w, "gpus", job->gpus);
    hs_jsonw_key(w, "gpu_share");
    hs_jsonw_double(w, job->gpu_milli / (double)HS_GPU_MILLI);
    put_seconds(w, "submission_time", job->submit_us);
    put_seconds(w, "starting_time", job->start_us);
    put_seconds(w, "end_time", job->end_us);
    put_seconds(w, "isolated", job->isolated_us);
    put_seconds(w, "pending", job->pending_us);
    put_seconds(w, "run", job->run_us);
    put_seconds(w, "overhead", job->overhead_us);
    put_seconds(w, "colocated", job->colocated_us);
    hs_jsonw_key(w, "waits");
    hs_jsonw_object(w);
    put_waits(w, "first", job->wait_us[EXPLAIN_FIRST]);
    put_waits(w, "preempted", job->wait_us[EXPLAIN_PREEMPTED]);
    put_waits(w, "failed", job->wait_us[EXPLAIN_FAILED]);
    hs_jsonw_end_object(w);
}

/* For the GPUs of any stage; NULL: out of memory. */
static char *room_for_gpus(const struct hs_explain *x, size_t *size)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < x->stage_count; i++) {
        const uint32_t segment = x->stages[i].segment;
        if (segment != EXPLAIN_NONE && x->segments[segment].ranges > most)
            most = x->segments[segment].ranges;
    }
    *size = ((size_t)most + 1) * EXPLAIN_RANGE_SIZE;
    return hs_alloc_zeroed(*size, 1);
}

static void put_stages(const struct hs_explain *x, char *gpus, size_t gpus_size, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "life");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < x->stage_count; i++) {
        const struct explain_stage *stage = &x->stages[i];
        hs_jsonw_object(w);
        put_seconds(w, "from", stage->from_us);
        put_seconds(w, "to", stage->to_us);
        if (stage->segment == EXPLAIN_NONE) {
            put_waits(w, "waits", stage->wait_us);
        } else {
            const struct explain_segment *s = &x->segments[stage->segment];
            explain_gpus(x, s, gpus, gpus_size);
            hs_jsonw_member_text(w, "gpus", gpus);
            hs_jsonw_key(w, "mean_rate");
            if (s->rate_ppb < 0)
                hs_jsonw_null(w);
            else
                hs_jsonw_double(w, (double)s->rate_ppb / 1e9);
            hs_jsonw_member_u64(w, "tenants", s->tenants);
            hs_jsonw_member_text(w, "ended_by", explain_end_names[s->ended_by]);
        }
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void put_list(const struct hs_explain *x, const char *key, const char *what,
                     const struct explain_list *list, struct hs_jsonw *w)
{
    hs_jsonw_key(w, key);
    hs_jsonw_object(w);
    hs_jsonw_member_u64(w, "jobs", list->count);
    hs_jsonw_key(w, "named");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < list->named; i++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "job_id", x->jobs[list->jobs[i]].id);
        put_seconds(w, what, list->us[i]);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

/* Decimal of at most six places; an empty cell is null. */
static enum hs_status put_number(struct hs_jsonw *w, const char *key, const struct hs_rowfile *f,
                                 uint32_t column)
{
    int64_t millionths;
    HS_TRY(hs_rowfile_decimal(f, column, HS_US_PER_S, "a number", &millionths));
    put_seconds(w, key, millionths);
    return HS_OK;
}

static enum hs_status put_decision(void *ctx, const struct hs_rowfile *f)
{
    struct hs_jsonw *w = ctx;
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    HS_TRY(put_number(w, "time", f, EXPLAIN_D_TIME));
    hs_jsonw_member_text(w, "action", hs_rowfile_text(f, EXPLAIN_D_ACTION));
    hs_jsonw_member_text(w, "gpus", hs_rowfile_text(f, EXPLAIN_D_SET));
    HS_TRY(put_number(w, "value", f, EXPLAIN_D_VALUE));
    hs_jsonw_member_text(w, "trigger", hs_rowfile_text(f, EXPLAIN_D_TRIGGER));
    hs_jsonw_member_text(w, "because", hs_rowfile_text(f, EXPLAIN_D_BECAUSE));
    hs_jsonw_end_object(w);
    return HS_OK;
}

enum hs_status explain_json_job(const struct hs_explain *x, uint32_t job,
                                const struct explain_around *around, struct hs_output *out)
{
    struct hs_jsonw w;
    size_t gpus_size;
    char *gpus = room_for_gpus(x, &gpus_size);
    if (gpus == NULL)
        return hs_fail(x->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    hs_jsonw_begin(&w, out);
    hs_jsonw_object(&w);
    put_head(x, &x->jobs[job], &w);
    put_stages(x, gpus, gpus_size, &w);
    hs_free(gpus);
    put_list(x, "overtaken_by", "starting_time", &around->overtaken, &w);
    put_list(x, "gpus_held_before_by", "end_time", &around->freed, &w);
    put_list(x, "beside", "seconds", &around->beside, &w);
    hs_jsonw_key(&w, "decisions");
    if (x->has_decisions) {
        hs_jsonw_array(&w);
        HS_TRY(explain_each_decision(x, job, put_decision, &w));
        hs_jsonw_end_array(&w);
    } else {
        hs_jsonw_null(&w);
    }
    hs_jsonw_end_object(&w);
    hs_jsonw_finish(&w);
    return HS_OK;
}

static void put_gpu_seconds(struct hs_jsonw *w, const char *key, const explain_waits waits)
{
    hs_jsonw_key(w, key);
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    for (int c = 0; c < EXPLAIN_CAUSES; c++) {
        hs_jsonw_key(w, explain_cause_names[c]);
        hs_jsonw_double(w, hs_exact_double(waits[c], HS_US_PER_S));
    }
    hs_jsonw_end_object(w);
}

void explain_json_run(const struct hs_explain *x, struct hs_output *out)
{
    struct hs_jsonw w;
    uint32_t jobs[EXPLAIN_LONGEST], count = explain_longest(x, jobs);
    hs_jsonw_begin(&w, out);
    hs_jsonw_object(&w);
    hs_jsonw_member_text(&w, "policy", x->policy);
    hs_jsonw_member_u64(&w, "jobs", x->job_count);
    put_gpu_seconds(&w, "gpu_seconds", x->total);
    hs_jsonw_key(&w, "intervals");
    hs_jsonw_array(&w);
    for (uint32_t i = 0; i < EXPLAIN_INTERVALS; i++) {
        hs_jsonw_object(&w);
        put_seconds(&w, "from", explain_interval_us(x, i));
        put_seconds(&w, "to", explain_interval_us(x, i + 1));
        put_gpu_seconds(&w, "gpu_seconds", x->interval[i]);
        hs_jsonw_end_object(&w);
    }
    hs_jsonw_end_array(&w);
    hs_jsonw_key(&w, "longest");
    hs_jsonw_array(&w);
    for (uint32_t i = 0; i < count; i++) {
        const struct explain_job *job = &x->jobs[jobs[i]];
        hs_jsonw_object(&w);
        hs_jsonw_member_text(&w, "job_id", job->id);
        hs_jsonw_member_u64(&w, "gpus", job->gpus);
        put_seconds(&w, "pending", job->pending_us);
        put_waits(&w, "first", job->wait_us[EXPLAIN_FIRST]);
        put_waits(&w, "preempted", job->wait_us[EXPLAIN_PREEMPTED]);
        put_waits(&w, "failed", job->wait_us[EXPLAIN_FAILED]);
        hs_jsonw_end_object(&w);
    }
    hs_jsonw_end_array(&w);
    hs_jsonw_end_object(&w);
    hs_jsonw_finish(&w);
}
