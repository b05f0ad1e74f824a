/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of the CSV files of a run and of jobs.swf.
 */
#include <inttypes.h>

#include "base/fixed.h"
#include "report/run/observers.h"
#include "report/stats/exact.h"

#define MILLIONTHS  UINT64_C(1000000)
#define NANO        UINT64_C(1000000000)
#define SPARK_WIDTH 60u /* less than HS_SPARKLINE_SIZE */

/* ---- parts of rows ---- */

/* A share as text; "" if the whole is 0. */
#define SHARE(part, whole)                                                                         \
    HS_RATIO((whole) > 0 ? hs_exact_scaled(part, whole, MILLIONTHS) : 0,                           \
             (whole) > 0 ? MILLIONTHS : 0, 6)

/* ---- jobs.csv ---- */

/* One row per job, in order of job ends; first the 13 columns of evalys' JobSet, then ours.
 *
 * A job's finish directly follows its last segment, so the list of the last segment's GPUs belongs
 * to the job that ends if the segment is of that job: one list serves all jobs. */
struct jobs_state {
    struct hs_row_file file;
    uint32_t *gpus; /* GPUs of the last segment, and 1 + the index of its job */
    uint32_t gpu_count, gpus_cap;
    uint64_t gpus_of;
    bool has_deadlines; /* columns behind all others, from the first job with a deadline on */
};

/* Writes a time; an empty field if negative. */
static void put_time(struct hs_csvw *w, int64_t us)
{
    us >= 0 ? hs_csvw_seconds(w, us) : hs_csvw_empty(w);
}

/* Writes a time over the isolated run time; empty for a job without work or without an end. */
static void put_slowdown(struct hs_csvw *w, const struct hs_job_record *job, int64_t us)
{
    const bool has_one = job->finish_us >= 0 && job->work_us > 0;
    hs_csvw_ratio(w, (uint64_t)us, has_one ? (uint64_t)job->work_us : 0, 6);
}

/* Writes thousandths; an empty field if negative. */
static void put_milli(struct hs_csvw *w, int32_t value)
{
    if (value < 0)
        hs_csvw_empty(w);
    else if ((uint32_t)value % HS_GPU_MILLI == 0)
        hs_csvw_u64(w, value != 0);
    else
        hs_csvw_ratio(w, (uint64_t)value, HS_GPU_MILLI, 3);
}

/* Returns the recorded outcome if the job completed, else its state. */
static const char *status_of(const struct hs_job_record *job)
{
    switch (job->state) {
    case HS_JOB_DONE:
        return hs_outcome_text(job->outcome);
    case HS_JOB_FAILED:
        return "failed";
    case HS_JOB_REJECTED:
        return "rejected";
    default:
        return "unfinished";
    }
}

/* The columns of jobs.csv after the id, in order, with the expression that writes each. end_us: end
 * of the job, or of the run. No trace has a requested time. */
#define COLUMNS(COLUMN)                                                                            \
    COLUMN("workload_name", hs_csvw_text(w, workload))                                             \
    COLUMN("submission_time", hs_csvw_seconds(w, job->submit_us))                                  \
    COLUMN("requested_number_of_resources", hs_csvw_u64(w, job->gpus))                             \
    COLUMN("requested_time", hs_csvw_empty(w))                                                     \
    COLUMN("success", hs_csvw_u64(w, job->state == HS_JOB_DONE))                                   \
    COLUMN("starting_time", put_time(w, job->first_start_us))                                      \
    COLUMN("execution_time", put_time(w, has_run ? job->finish_us - job->first_start_us : -1))     \
    COLUMN("finish_time", put_time(w, job->finish_us))                                             \
    COLUMN("waiting_time", put_time(w, has_started ? job->first_start_us - job->submit_us : -1))   \
    COLUMN("turnaround_time", put_time(w, has_ended ? job->finish_us - job->submit_us : -1))       \
    COLUMN("stretch", put_slowdown(w, job, job->finish_us - job->submit_us))                       \
    COLUMN("allocated_resources",                                                                  \
           hs_csvw_ids(w, f->gpus, f->gpus_of == job->index + 1 ? f->gpu_count : 0))               \
    COLUMN("user", hs_csvw_text(w, job->user))                                                     \
    COLUMN("vc", hs_csvw_text(w, job->vc))                                                         \
    COLUMN("status", hs_csvw_text(w, status_of(job)))                                              \
    COLUMN("model", hs_csvw_text(w, job->model))                                                   \
    COLUMN("batch", hs_csvw_text(w, job->batch))                                                   \
    COLUMN("gpu_type", hs_csvw_text(w, job->gpu_type))                                             \
    COLUMN("nodes", hs_csvw_u64(w, job->nodes_spanned))                                            \
    COLUMN("isolated", hs_csvw_seconds(w, job->work_us))                                           \
    COLUMN("run", hs_csvw_seconds(w, job->run_us))                                                 \
    COLUMN("queueing_delay", hs_csvw_seconds(w, end_us - job->submit_us - job->run_us))            \
    COLUMN("colocated", hs_csvw_seconds(w, job->colocated_us))                                     \
    COLUMN("overhead", hs_csvw_seconds(w, job->overhead_us))                                       \
    COLUMN("lost", hs_csvw_ratio(w, (uint64_t)job->lost_ns, NANO, 9))                              \
    COLUMN("slowdown", put_slowdown(w, job, job->finish_us - job->submit_us))                      \
    COLUMN("preemptions", hs_csvw_u64(w, job->preemptions))                                        \
    COLUMN("migrations", hs_csvw_u64(w, job->migrations))                                          \
    COLUMN("ooms", hs_csvw_u64(w, job->ooms))                                                      \
    COLUMN("gpu_seconds", job->gpu_milli == HS_GPU_MILLI                                           \
                              ? hs_csvw_seconds(w, job->gpu_us)                                    \
                              : hs_csvw_ratio(w, (uint64_t)job->gpu_us * job->gpu_milli, NANO, 9)) \
    COLUMN("predicted_util", put_milli(w, job->predicted_util_pm))                                 \
    COLUMN("gpu_util", put_milli(w, job->gpu_util_pm))                                             \
    COLUMN("dataset", hs_csvw_text(w, job->dataset))                                               \
    COLUMN("precision", hs_csvw_text(w, job->precision))                                           \
    COLUMN("profile_from", hs_csvw_text(w, hs_profile_from_text(job->profile_from)))               \
    COLUMN("run_slowdown", put_slowdown(w, job, job->run_us))                                      \
    COLUMN("attempts", hs_csvw_u64(w, UINT64_C(1) + job->retries))                                 \
    COLUMN("estimate", put_time(w, job->estimate_us))                                              \
    COLUMN("class", hs_csvw_text(w, hs_job_class_text(job->job_class)))                            \
    COLUMN("first_progress", put_time(w, job->first_progress_us))                                  \
    COLUMN("switches", hs_csvw_u64(w, job->switches))                                              \
    COLUMN("host_mib_seconds", hs_csvw_seconds(w, job->host_mib_us)) /* the same decimals */       \
    COLUMN("gpu_share", put_milli(w, (int32_t)job->gpu_milli))                                     \
    COLUMN("gpu_util_from", hs_csvw_text(w, hs_figure_from_text(job->util_from)))                  \
    COLUMN("gpu_mem_from", hs_csvw_text(w, hs_figure_from_text(job->mem_from)))

#define NAME(name, written)  "," name
#define WRITE(name, written) written;

static enum hs_status on_job_segment(void *ctx, const struct hs_segment *segment)
{
    struct jobs_state *f = ctx;
    hs_grow(f->gpus, f->gpus_cap, segment->gpu_count, (uint64_t)HS_NODES_MAX * HS_NODE_GPUS_MAX);
    if (segment->gpu_count > 0)
        memcpy(f->gpus, segment->gpus, segment->gpu_count * sizeof *f->gpus);
    f->gpu_count = segment->gpu_count;
    f->gpus_of = segment->job->index + 1;
    return HS_OK;
}

static enum hs_status on_job_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct jobs_state *f = ctx;
    struct hs_csvw *w = &f->file.csv;
    const char *workload = f->file.report->options.workload_name;
    const int64_t end_us = job->finish_us >= 0 ? job->finish_us : now_us;
    const bool has_started = job->first_start_us >= 0, has_ended = job->finish_us >= 0,
               has_run = has_started && has_ended;
    if (job->deadline_us >= 0 && !f->has_deadlines) {
        HS_TRY(hs_csvw_widen(w, HS_DEADLINE_COLUMNS, ",,,,", f->file.report->diag));
        f->has_deadlines = true;
    }
    hs_csvw_text(w, job->id);
    COLUMNS(WRITE)
    hs_extras_put(f->file.report->extras, w);
    if (f->has_deadlines) { /* lateness only of a job that did its work; it may be negative */
        const uint64_t den = job->value_most_milli >= 0 ? 1000 : 0;
        put_time(w, job->deadline_us);
        if (job->deadline_us >= 0 && job->state == HS_JOB_DONE)
            hs_csvw_seconds(w, job->finish_us - job->deadline_us);
        else
            hs_csvw_empty(w);
        hs_csvw_ratio(w, (uint64_t)job->value_milli, den, 3);
        hs_csvw_ratio(w, (uint64_t)job->value_most_milli, den, 3);
    }
    hs_csvw_end(w);
    return HS_OK;
}

static void jobs_free(void *state)
{
    hs_free(((struct jobs_state *)state)->gpus);
}

static const struct hs_row_format jobs_file = {
    .output = HS_OUT_JOBS,
    .name = "jobs.csv",
    .header = "job_id" COLUMNS(NAME),
    .state_size = sizeof(struct jobs_state),
    .observer = {.on_segment = on_job_segment, .on_finish = on_job_finish},
    .free = jobs_free};

/* ---- segments.csv ---- */

/* One row per uninterrupted placement, in order of ends: the exact Gantt chart. mean_rate is work
 * over time held, computed from integers: work rebuilt from it has an error of at most half a
 * nanosecond per second held. */
static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_csvw *w = &((struct hs_row_file *)ctx)->csv;
    uint64_t held_ns = (uint64_t)((segment->end_us - segment->start_us) * HS_NS_PER_US);
    hs_csvw_text(w, segment->job->id);
    hs_csvw_seconds(w, segment->start_us);
    hs_csvw_seconds(w, segment->end_us);
    hs_csvw_ids(w, segment->gpus, segment->gpu_count);
    hs_csvw_ratio(w, (uint64_t)segment->done_ns, held_ns, 9);
    hs_csvw_u64(w, segment->max_tenants);
    hs_csvw_text(w, hs_segment_end_text(segment->ended_by));
    hs_csvw_end(w);
    return HS_OK;
}

static const struct hs_row_format segments_file = {
    .output = HS_OUT_SEGMENTS,
    .name = "segments.csv",
    .header = "job_id,start,end,allocated_resources,mean_rate,tenants,ended_by",
    .state_size = sizeof(struct hs_row_file),
    .observer = {.on_segment = on_segment}};

/* ---- decisions.csv ---- */

/* One row per action of the policy, with its trigger. */
struct decisions_state {
    struct hs_row_file file;
    char by_order[160], by_preemption[160]; /* default reasons if the policy gives none */
};

static const struct {
    enum hs_event_kind kind;
    const char *word;
} trigger_words[] = {
    {HS_EVENT_FINISH, "finish"}, {HS_EVENT_STOPPED, "oom"},   {HS_EVENT_SUBMIT, "submit"},
    {HS_EVENT_PROGRESS, "paid"}, {HS_EVENT_MEMORY, "memory"}, {HS_EVENT_STEP, "step"},
    {HS_EVENT_TIMER, "timer"},   {HS_EVENT_NODE, "node"},
};

/* The meaning of an action's value, and its default reason; actions not listed have neither. */
enum { VALUE_NONE, VALUE_SECONDS, VALUE_SHARE, VALUE_COUNT };
enum { REASON_NONE, REASON_ORDER, REASON_PREEMPTION };
static const struct {
    uint8_t value, reason;
} actions[] = {
    [HS_DECISION_START] = {VALUE_SECONDS, REASON_ORDER},
    [HS_DECISION_RESUME] = {VALUE_SECONDS, REASON_ORDER},
    [HS_DECISION_MIGRATE] = {VALUE_SECONDS, REASON_PREEMPTION},
    [HS_DECISION_PREEMPT] = {VALUE_SECONDS, REASON_PREEMPTION},
    [HS_DECISION_SUSPEND] = {VALUE_SECONDS, REASON_PREEMPTION},
    [HS_DECISION_KILL] = {VALUE_NONE, REASON_PREEMPTION},
    [HS_DECISION_SHARE] = {VALUE_SHARE, REASON_NONE},
    [HS_DECISION_THROTTLE] = {VALUE_SHARE, REASON_NONE},
    [HS_DECISION_LIMIT] = {VALUE_COUNT, REASON_NONE},
    [HS_DECISION_ADD_OVERHEAD] = {VALUE_SECONDS, REASON_NONE},
};

static enum hs_status on_decision(void *ctx, int64_t now_us, const struct hs_decision *decision)
{
    struct decisions_state *d = ctx;
    struct hs_csvw *w = &d->file.csv;
    const char *const reasons[] = {
        [REASON_NONE] = "", [REASON_ORDER] = d->by_order, [REASON_PREEMPTION] = d->by_preemption};
    hs_csvw_seconds(w, now_us);
    hs_csvw_text(w, decision->job->id);
    hs_csvw_text(w, hs_decision_text(decision->kind));
    hs_csvw_u64(w, decision->gpu_count);
    hs_csvw_ids(w, decision->gpus, decision->gpu_count);
    switch (actions[decision->kind].value) {
    case VALUE_SECONDS:
        hs_csvw_seconds(w, (int64_t)decision->value);
        break;
    case VALUE_SHARE:
        hs_csvw_ratio(w, decision->value, UINT64_C(1) << 32, 6);
        break;
    case VALUE_COUNT:
        hs_csvw_u64(w, decision->value);
        break;
    default:
        hs_csvw_empty(w);
    }
    char text[128], *to = text; /* "finish submit", each word followed by a blank */
    for (size_t i = 0; i < HS_COUNT_OF(trigger_words); i++)
        if (decision->triggers >> trigger_words[i].kind & 1)
            to += snprintf(to, (size_t)(text + sizeof text - to), "%s ", trigger_words[i].word);
    to[to > text ? -1 : 0] = '\0';
    hs_csvw_text(w, text);
    hs_csvw_text(w, decision->plan_reason != NULL ? decision->plan_reason
                                                  : reasons[actions[decision->kind].reason]);
    hs_csvw_end(w);
    return HS_OK;
}

static void decisions_open(void *state)
{
    struct decisions_state *d = state;
    const struct hs_semantics *semantics = d->file.report->options.semantics;
    if (semantics == NULL)
        return;
    (void)snprintf(d->by_order, sizeof d->by_order, "its turn: order %s, scan %s", semantics->order,
                   semantics->scan);
    (void)snprintf(d->by_preemption, sizeof d->by_preemption, "preemption %s",
                   semantics->preemption);
}

static const struct hs_row_format decisions_file = {
    .output = HS_OUT_DECISIONS,
    .name = "decisions.csv",
    .header = "time,job_id,action,gpus,allocated_resources,value,trigger,because",
    .state_size = sizeof(struct decisions_state),
    .observer = {.on_decision = on_decision},
    .open = decisions_open};

/* ---- the state over time ----
 * Integrals are sums of (value x microseconds) in 128 bits: no rounding for any length of run; a
 * mean in series.csv is an integral divided once, printed with six decimals. */

/* Sets the marks up to now_us; where they would not fit, every second one is dropped. */
static HS_APART void set_marks(struct hs_timeline *t, int64_t now_us)
{
    for (; now_us - t->width_us >= HS_TIMELINE_MARKS * t->width_us; t->width_us *= 2) {
        t->used /= 2;
        for (uint32_t k = 0; k < t->used; k++)
            memcpy(t->marks[k], t->marks[2 * k + 1], sizeof t->marks[k]);
    }
    for (; now_us - t->width_us >= (int64_t)t->used * t->width_us; t->used++) {
        const int64_t at_us = (int64_t)(t->used + 1) * t->width_us;
        for (uint32_t c = 0; c < t->marked; c++)
            t->marks[t->used][c] = hs_timeline_integral(t, (int)c, at_us);
    }
    t->next_mark_us = (int64_t)(t->used + 1) * t->width_us;
}

void hs_timeline_advance(struct hs_timeline *t, int64_t now_us)
{
    set_marks(t, now_us);
    for (int c = 0; c < HS_CHANNELS; c++)
        t->sum[c] = hs_timeline_integral(t, c, now_us);
    t->time_us = now_us;
}

HS_INLINE void channel_change(struct hs_timeline *t, int channel, uint64_t value)
{
    const int64_t more = (int64_t)(value - t->value[channel]);
    t->less[channel] += (hs_u128)((hs_i128)more * t->time_us);
    t->value[channel] = value;
}

#define SET_CHANNEL(name, metric, key, expression)                                                 \
    if (t->value[HS_CH_##name] != (expression))                                                    \
        channel_change(t, HS_CH_##name, expression);
void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *now)
{
    if (now->is_still) /* integrated with the next one */
        return;
    const uint64_t is_loaded = now->pending + now->suspended > 0;
    if (HS_UNLIKELY(now->time_us >= t->next_mark_us))
        set_marks(t, now->time_us);
    t->time_us = now->time_us;
    HS_SERIES_CHANNELS(SET_CHANNEL)
    SET_CHANNEL(LOADED, , , is_loaded)
    SET_CHANNEL(HELD_LOADED, , , is_loaded * now->gpus_held)
    SET_CHANNEL(UTIL_MODEL_LOADED, , , is_loaded * now->load_pm_q32)
    SET_CHANNEL(UTIL_SUM_LOADED, , , is_loaded * now->solo_pm_q32)
}

/* Number of intervals of the run; the last may be shorter. */
static uint32_t intervals_of(const struct hs_timeline *t)
{
    return t->used + ((int64_t)t->used * t->width_us < t->time_us ? 1 : 0);
}

/* Start of interval k; for k == count the end. */
static int64_t start_us_of(const struct hs_timeline *t, uint32_t k)
{
    int64_t start = (int64_t)k * t->width_us;
    return start < t->time_us ? start : t->time_us;
}

/* The integral of a channel over interval k. */
static hs_u128 part_of(const struct hs_timeline *t, enum hs_channel channel, uint32_t k)
{
    hs_u128 before = k > 0 ? t->marks[k - 1][channel] : 0;
    return (k < t->used ? t->marks[k][channel] : t->sum[channel]) - before;
}

void hs_timeline_draw(const struct hs_timeline *t, uint32_t gpus, char text[HS_SPARKLINE_SIZE])
{
    static const char levels[] = "0123456789abcdef";
    const uint32_t count = intervals_of(t), width = count < SPARK_WIDTH ? count : SPARK_WIDTH;
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t from = (uint32_t)((uint64_t)i * count / width),
                       to = (uint32_t)((uint64_t)(i + 1) * count / width);
        hs_u128 held = 0;
        for (uint32_t k = from; k < to; k++)
            held += part_of(t, HS_CH_GPUS_HELD, k);
        const hs_u128 full = (hs_u128)(uint64_t)(start_us_of(t, to) - start_us_of(t, from)) * gpus;
        const uint64_t level = full > 0 ? hs_exact_scaled(held, full, 15) : 0;
        text[i] = levels[level < 15 ? level : 15];
    }
    text[width] = '\0';
}

/* ---- series.csv ---- */

/* Columns time,metric,key,value. Three kinds of sampling: the timeline's intervals (written at the
 * end), fixed intervals (time-weighted means, written during the run), or every change. */
struct series_state {
    struct hs_row_file file;
    int64_t start_us;             /* start of the fixed interval */
    hs_u128 before[HS_CH_SERIES]; /* integrals up to start_us */
    bool has_rows;
};

/* Number of channels that the file has. */
static int channels_of(const struct series_state *s)
{
    return s->file.report->options.has_events ? HS_CH_SERIES : HS_CH_GPUS_OUT;
}

/* A value of an instant is written as of so long a time: put_mean then keeps its last digits. */
#define INSTANT_US 1000000

/* Writes integral / dt_us, dt_us > 0: utilization as a share, thousandths as GPUs, else counts. */
static void put_mean(struct series_state *s, int64_t time_us, int channel, hs_u128 integral,
                     int64_t dt_us)
{
#define NAMES(name, metric, key, expression) {metric, key},
    static const char *const names[HS_CH_SERIES][2] = {HS_SERIES_CHANNELS(NAMES)};
    struct hs_csvw *w = &s->file.csv;
    hs_u128 den = (hs_u128)(uint64_t)dt_us;
    if (channel == HS_CH_UTIL_MODEL || channel == HS_CH_UTIL_SUM) {
        den *= s->file.report->options.cluster->gpu_count * UINT64_C(1000);
        integral >>= 32; /* from Q32; error below 1 per mille x us */
    } else if (channel == HS_CH_GPUS_ALLOCATED)
        den *= 1000;
    hs_csvw_seconds(w, time_us); /* a template would be 4 % of a run of fifo */
    hs_csvw_text(w, names[channel][0]);
    hs_csvw_text(w, names[channel][1]);
    hs_csvw_text(w, SHARE(integral, den));
    hs_csvw_end(w);
}

/* Writes the rows of [start, until), begins a new interval. The timeline is at the last change. */
static void end_interval(struct series_state *s, int64_t until_us)
{
    const struct hs_timeline *t = &s->file.report->timeline;
    for (int c = 0; c < channels_of(s); c++) {
        const hs_u128 sum = hs_timeline_integral(t, c, until_us);
        put_mean(s, s->start_us, c, sum - s->before[c], until_us - s->start_us);
        s->before[c] = sum;
    }
    s->start_us = until_us;
}

/* Returns HS_E_LIMIT if its rows plus `more` exceed the limit of the report. Called before writing,
 * as the next instant may be years away. */
static enum hs_status check_rows(const struct hs_row_file *file, uint64_t more)
{
    const struct hs_report *r = file->report;
    if (r->options.max_rows == 0 || file->csv.rows + more <= r->options.max_rows)
        return HS_OK;
    return hs_fail(r->diag, HS_E_LIMIT, NULL, "--max-rows N allows more",
                   "%s has more than %" PRIu64 " rows", file->format->name, r->options.max_rows);
}

static enum hs_status end_intervals(struct series_state *s, int64_t now_us)
{
    const int64_t sample_us = s->file.report->options.sample_us;
    HS_TRY(check_rows(&s->file,
                      (uint64_t)((now_us - s->start_us) / sample_us) * (uint64_t)channels_of(s)));
    while (now_us - s->start_us >= sample_us && s->file.csv.out.error == 0)
        end_interval(s, s->start_us + sample_us);
    return HS_OK;
}

/* Called before the timeline advances to the instant. */
static enum hs_status on_instant(void *state, const struct hs_instant *now)
{
    struct series_state *s = state;
    const struct hs_report *r = s->file.report;
    if (r->options.sample_us > 0)
        return end_intervals(s, now->time_us);
#define PUT_CHANGE(name, metric, key, expression)                                                  \
    if ((!s->has_rows && HS_CH_##name < channels_of(s)) ||                                         \
        (expression) != r->timeline.value[HS_CH_##name])                                           \
        put_mean(s, now->time_us, HS_CH_##name, (hs_u128)(expression)*INSTANT_US, INSTANT_US);
    HS_SERIES_CHANNELS(PUT_CHANGE)
    s->has_rows = true;
    return check_rows(&s->file, 0);
}

static void series_open(void *state)
{
    struct series_state *s = state;
    if (s->file.report->options.sample_us != 0)
        return;
    s->file.observer.on_instant = NULL;
    s->file.report->timeline.marked = HS_CH_SERIES;
}

static enum hs_status series_finish(void *state, int64_t end_us)
{
    struct series_state *s = state;
    struct hs_timeline *t = &s->file.report->timeline;
    if (s->file.report->options.sample_us > 0) {
        HS_TRY(end_intervals(s, end_us));
        if (end_us > s->start_us)
            end_interval(s, end_us);
    }
    if (s->file.report->options.sample_us != 0)
        return check_rows(&s->file, 0);
    hs_timeline_advance(t, end_us);
    for (uint32_t k = 0; k < intervals_of(t); k++) {
        int64_t start_us = start_us_of(t, k);
        int64_t dt_us = start_us_of(t, k + 1) - start_us;
        for (int c = 0; c < channels_of(s); c++)
            put_mean(s, start_us, c, part_of(t, (enum hs_channel)c, k), dt_us);
    }
    return check_rows(&s->file, 0);
}

static const struct hs_row_format series_file = {.output = HS_OUT_SERIES,
                                                 .name = "series.csv",
                                                 .header = "time,metric,key,value",
                                                 .state_size = sizeof(struct series_state),
                                                 .observer = {.on_instant = on_instant},
                                                 .open = series_open,
                                                 .finish = series_finish};

/* ---- nodes.csv ---- */

#define FULL_PM 1000u

struct node_gpu {
    int64_t since_us; /* the account is complete up to this time */
    uint32_t node;
    uint32_t tenants;
    uint32_t util_pm; /* sum over the tenants; unknown counts 0 */
    bool is_divided;  /* its jobs have shares of it, which does not count as sharing */
};

struct node_account {
    uint64_t held_us, shared_us; /* GPU x us */
    hs_u128 util_pm_us;
    uint64_t placements;
};

/* One row per node. The account of a GPU is updated when its tenants change, so that a shared GPU
 * counts once as held. Utilization is approximated by min(100 %, sum of the tenants' solo
 * utilizations), as observers do not receive the joint model's value for a single GPU. O(gang) per
 * placement, memory O(GPUs). */
struct nodes_state {
    struct hs_row_file file;
    struct node_gpu *gpus;
    struct node_account *accounts;
    bool has_util; /* the utilization of at least one job is known */
};

/* Updates the GPU's account to now, then adds or removes (+1, -1) a tenant. */
static struct node_gpu *book(struct nodes_state *n, uint32_t index, int64_t now_us,
                             const struct hs_job_record *job, int change)
{
    struct node_gpu *gpu = &n->gpus[index];
    struct node_account *account = &n->accounts[gpu->node];
    uint64_t dt = (uint64_t)(now_us - gpu->since_us);
    gpu->since_us = now_us;
    if (gpu->tenants > 0) {
        account->held_us += dt;
        account->shared_us += gpu->tenants > 1 && !gpu->is_divided ? dt : 0;
        account->util_pm_us += (hs_u128)dt * (gpu->util_pm < FULL_PM ? gpu->util_pm : FULL_PM);
    }
    gpu->tenants += (uint32_t)change;
    if (job->gpu_util_pm > 0)
        gpu->util_pm += (uint32_t)(change * job->gpu_util_pm);
    return gpu;
}

static enum hs_status on_node_start(void *ctx, int64_t now_us, const struct hs_job_record *job,
                                    const uint32_t *gpus, uint32_t gpu_count)
{
    struct nodes_state *n = ctx;
    uint32_t node = UINT32_MAX;
    n->has_util = n->has_util || job->gpu_util_pm >= 0;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct node_gpu *gpu = book(n, gpus[i], now_us, job, 1);
        gpu->is_divided = job->gpu_milli < HS_GPU_MILLI;
        n->accounts[gpu->node].placements += gpu->node != node;
        node = gpu->node;
    }
    return HS_OK;
}

static enum hs_status on_node_segment(void *ctx, const struct hs_segment *segment)
{
    for (uint32_t i = 0; i < segment->gpu_count; i++)
        (void)book(ctx, segment->gpus[i], segment->end_us, segment->job, -1);
    return HS_OK;
}

static void nodes_open(void *state)
{
    struct nodes_state *n = state;
    const struct hs_cluster *cluster = n->file.report->options.cluster;
    n->gpus = hs_alloc_zeroed(cluster->gpu_count, sizeof *n->gpus);
    n->accounts = hs_alloc_zeroed(cluster->node_count, sizeof *n->accounts);
    for (uint32_t i = 0; i < cluster->node_count; i++)
        for (uint32_t g = 0; g < cluster->nodes[i].gpus; g++)
            n->gpus[cluster->nodes[i].first_gpu + g].node = i;
}

static enum hs_status nodes_finish(void *state, int64_t end_us)
{
    const struct nodes_state *n = state;
    const struct hs_cluster *cluster = n->file.report->options.cluster;
    struct hs_csvw *w = &((struct hs_row_file *)state)->csv;
    (void)end_us;
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        const struct hs_node *node = &cluster->nodes[i];
        const struct node_account *account = &n->accounts[i];
        const hs_u128 capacity_us = (hs_u128)node->gpus * (uint64_t)n->file.report->span_us;
        const hs_u128 full_us = n->has_util ? capacity_us * FULL_PM : 0;
        hs_csvw_row(w, "%u %s %s %u %u %" PRIu64 " %s %s %s %s", i, node->name,
                    cluster->types[node->type].name, node->rack, node->gpus, account->placements,
                    HS_SECONDS((int64_t)account->held_us), HS_SECONDS((int64_t)account->shared_us),
                    SHARE(account->held_us, capacity_us), SHARE(account->util_pm_us, full_us));
    }
    return HS_OK;
}

static void nodes_free(void *state)
{
    struct nodes_state *n = state;
    hs_free(n->gpus);
    hs_free(n->accounts);
}

static const struct hs_row_format nodes_file = {
    .output = HS_OUT_NODES,
    .name = "nodes.csv",
    .header = "node,name,gpu_type,rack,gpus,placements,gpu_seconds,shared_gpu_seconds,allocation,"
              "utilization",
    .state_size = sizeof(struct nodes_state),
    .observer = {.on_start = on_node_start, .on_segment = on_node_segment},
    .open = nodes_open,
    .finish = nodes_finish,
    .free = nodes_free};

/* ---- jobs.swf ----
 * The schedule in the Standard Workload Format, version 2.2, of the Parallel Workloads Archive
 * (Chapin et al., JSSPP 1999; D. Feitelson, "The Standard Workload Format",
 * www.cs.huji.ac.il/labs/parallel/workload/swf.html): one line per job in order of submission, 18
 * numbers, -1 = unknown. A processor is a GPU.
 *
 * Jobs end in another order than they are submitted: the numbers of each are stored in a file, at
 * its position. Memory O(users + virtual clusters).
 *
 * Times are rounded to the nearest second, and durations are differences of rounded times:
 * submission + wait + run is the rounded end, and at no second do jobs hold more GPUs than they did
 * at some moment (rounding preserves the order of times). */

/* Defined by the format: an unknown field, and the values of field 11. */
#define UNKNOWN         (-1)
#define STATUS_FAILED   0
#define STATUS_DONE     1
#define STATUS_CANCELED 5

struct swf_state {
    struct hs_row_file file;
    struct hs_temp_records records; /* fields of each job */
    struct hs_intern users, vcs;    /* numbered in order of submission */
    uint64_t gpus_of;               /* 1 + index of the job of the last segment, and its GPUs */
    uint32_t gpu_count;
};

/* Fields of a line, in order; those not listed are unknown. */
enum {
    JOB_NUMBER,
    SUBMIT_TIME,
    WAIT_TIME,
    RUN_TIME,
    ALLOCATED_PROCESSORS,
    REQUESTED_PROCESSORS = 7,
    STATUS = 10,
    USER,
    GROUP,
    QUEUE = 14,
    PARTITION,
    FIELDS = 18
};

static int64_t rounded(int64_t us)
{
    return (us + HS_US_PER_S / 2) / HS_US_PER_S;
}

/* For a completed job the outcome in the trace is used; a trace may state none. */
static int64_t swf_status(const struct hs_job_record *job)
{
    const bool is_done = job->state == HS_JOB_DONE;
    if (job->state == HS_JOB_FAILED || (is_done && job->outcome == HS_OUTCOME_FAILED))
        return STATUS_FAILED;
    if (job->state == HS_JOB_REJECTED || (is_done && job->outcome == HS_OUTCOME_CANCELLED))
        return STATUS_CANCELED;
    return is_done ? STATUS_DONE : UNKNOWN;
}

/* Numbers names from 1; an empty name is unknown. */
static int64_t number_of(struct hs_intern *names, const char *name)
{
    const uint32_t number = hs_intern_get(names, name);
    return number > 0 ? (int64_t)number : UNKNOWN;
}

static enum hs_status on_swf_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct swf_state *s = ctx;
    (void)now_us;
    (void)hs_intern_get(&s->users, job->user);
    (void)hs_intern_get(&s->vcs, job->vc);
    return HS_OK;
}

static enum hs_status on_swf_segment(void *ctx, const struct hs_segment *segment)
{
    struct swf_state *s = ctx;
    s->gpus_of = segment->job->index + 1;
    s->gpu_count = segment->gpu_count;
    return HS_OK;
}

/* A job's end directly follows its last segment. */
static enum hs_status on_swf_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct swf_state *s = ctx;
    const struct hs_report *r = s->file.report;
    const int64_t submit_s = rounded(job->submit_us), start_s = rounded(job->first_start_us);
    int64_t field[FIELDS];
    (void)now_us;
    for (int i = 0; i < FIELDS; i++)
        field[i] = UNKNOWN;
    field[JOB_NUMBER] = (int64_t)job->index + 1;
    field[SUBMIT_TIME] = submit_s;
    if (job->first_start_us >= 0)
        field[WAIT_TIME] = start_s - submit_s;
    if (job->first_start_us >= 0 && job->finish_us >= 0)
        field[RUN_TIME] = rounded(job->finish_us) - start_s;
    if (s->gpus_of == job->index + 1)
        field[ALLOCATED_PROCESSORS] = s->gpu_count;
    field[REQUESTED_PROCESSORS] = job->gpus;
    field[STATUS] = swf_status(job);
    field[USER] = number_of(&s->users, job->user);
    field[GROUP] = field[QUEUE] = number_of(&s->vcs, job->vc);
    for (uint32_t i = 0; i < r->options.cluster->type_count; i++)
        if (strcmp(r->options.cluster->types[i].name, job->gpu_type) == 0)
            field[PARTITION] = i + 1;
    return hs_temp_records_put_at(&s->records, job->index, field, r->diag);
}

/* Writes a user's name without characters that end the comment line. */
static void put_name(struct hs_output *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        hs_output_put(out, (unsigned char)*c < 0x20 ? "?" : c, 1);
    hs_output_put(out, "\n", 1);
}

static enum hs_status swf_finish(void *state, int64_t end_us)
{
    struct swf_state *s = state;
    struct hs_output *out = &s->file.csv.out;
    const struct hs_report_options *options = &s->file.report->options;
    const struct hs_cluster *cluster = options->cluster;
    const uint32_t queues = s->vcs.count - 1; /* without the empty name */
    void *block;
    uint32_t count;
    enum hs_status status = HS_END;
    (void)end_us;
    hs_say(out, "; Computer: GPUs of a simulated cluster\n"
                "; Conversion: horus, a simulator; the workload is ");
    put_name(out, options->workload_name);
    hs_say(out,
           "; MaxJobs: %" PRIu64 "\n; MaxRecords: %" PRIu64
           "\n; Preemption: %s\n; MaxNodes: %" PRIu32 "\n; MaxProcs: %" PRIu32 "\n",
           s->records.count, s->records.count, options->is_preemptive ? "TS" : "No",
           cluster->node_count, cluster->gpu_count);
    if (queues > 0)
        hs_say(out, "; MaxQueues: %" PRIu32 "\n; Queues: virtual clusters, which are groups too\n",
               queues);
    for (uint32_t i = 1; i <= queues; i++) {
        hs_say(out, "; Queue: %" PRIu32 " ", i);
        put_name(out, hs_intern_text(&s->vcs, i));
    }
    hs_say(out, "; MaxPartitions: %" PRIu32 "\n; Partitions: GPU types\n", cluster->type_count);
    for (uint32_t i = 0; i < cluster->type_count; i++) {
        hs_say(out, "; Partition: %" PRIu32 " ", i + 1);
        put_name(out, cluster->types[i].name);
    }
    hs_say(out, "; Note: a processor is a GPU; allocated are those of the last placement\n"
                "; Note: run time is from first start to end, whatever came between\n"
                "; Note: times are differences of instants rounded to the second\n");
    while (out->error == 0 && (status = hs_temp_records_next(&s->records, &block, &count,
                                                             s->file.report->diag)) == HS_OK) {
        const int64_t(*field)[FIELDS] = block;
        for (uint32_t i = 0; i < count; i++) {
            for (int f = 0; f < FIELDS; f++)
                hs_say(out, f > 0 ? " %" PRId64 : "%" PRId64, field[i][f]);
            hs_output_put(out, "\n", 1);
        }
    }
    s->file.csv.rows = s->records.count;
    return status == HS_END ? HS_OK : status;
}

static void swf_open(void *state)
{
    struct swf_state *s = state;
    hs_temp_records_open(&s->records, FIELDS * sizeof(int64_t),
                         s->file.report->options.dir->beside.tmp);
    hs_intern_init(&s->users);
    hs_intern_init(&s->vcs);
}

static void swf_free(void *state)
{
    struct swf_state *s = state;
    hs_temp_records_close(&s->records);
    hs_intern_free(&s->users);
    hs_intern_free(&s->vcs);
}

static const struct hs_row_format swf_file = {.output = HS_OUT_SWF,
                                              .name = "jobs.swf",
                                              .header = "; Version: 2.2",
                                              .state_size = sizeof(struct swf_state),
                                              .observer = {.on_submit = on_swf_submit,
                                                           .on_segment = on_swf_segment,
                                                           .on_finish = on_swf_finish},
                                              .open = swf_open,
                                              .finish = swf_finish,
                                              .free = swf_free};

const struct hs_row_format *const hs_row_formats[HS_ROW_FILES] = {
    &jobs_file, &segments_file, &series_file, &decisions_file, &nodes_file, &swf_file};
