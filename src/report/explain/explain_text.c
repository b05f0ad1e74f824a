/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The output of `horus explain`: one job or a whole run, as text or as JSON with exact seconds, and
 * GPU-seconds for a run.
 */
#include <inttypes.h>

#include "base/fixed.h"
#include "report/explain/explain.h"
#include "report/run/run_table.h"
#include "report/stats/exact.h"

#define STAGES_FIRST    14u /* of many stages only the first and last are shown */
#define STAGES_LAST     6u
#define DECISIONS_SHOWN 24u
#define JOB_BAR_CELLS   24u
#define RUN_BAR_CELLS   30u
#define GPUS_SIZE       44
#define RANGE_SIZE      28u /* a blank, two ids, and a final " ..." */
#define ID_WIDTH_MAX    40u

/* ---- texts ---- */

/* "1.50 h", valid until the end of the block. */
#define LENGTH(us) HS_TIME((double)(us) / (double)HS_US_PER_S)

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static int64_t sum_of_us(const int64_t us[EXPLAIN_CAUSES])
{
    int64_t sum_us = 0;
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        sum_us += us[c];
    return sum_us;
}

/* Formats "0-7 16", truncated with "..." if long. */
static void gpus_text(const struct explain *x, const struct hs_placed *s, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = s->range_first; i < s->range_first + s->range_count; i++) {
        const struct hs_gpu_range *r = &x->schedule.ranges[i];
        if (strlen(text) + RANGE_SIZE > size) {
            hs_append(text, size, " ...");
            return;
        }
        hs_append(text, size, r->first == r->last ? "%s%u" : "%s%u-%u", text[0] != '\0' ? " " : "",
                  r->first, r->last);
    }
}

/* Prints "  12.5 %" and a bar of at most `cells` characters. */
static void say_share(struct hs_output *out, bool use_utf8, double share, uint32_t cells)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    uint32_t eighths = (uint32_t)(share * cells * 8 + 0.5);
    if (!use_utf8)
        eighths = (eighths + 4) / 8 * 8; /* whole cells */
    hs_say(out, "  %5.1f %%%s", 100 * share, eighths > 0 ? "  " : "");
    for (uint32_t i = 0; i < eighths / 8; i++)
        hs_say(out, "%s", use_utf8 ? "█" : "#");
    hs_say(out, "%s\n", parts[eighths % 8]);
}

/* Prints the meaning of the causes that occurred, also if GPUs are shared. */
static void say_causes(const struct explain *x, const bool is_met[EXPLAIN_CAUSES],
                       struct hs_output *out)
{
    static const char *const texts[EXPLAIN_CAUSES] = {
        "insufficient resources: fewer GPUs were free than it requested",
        "enough GPUs were free, but not together on a node that could hold it",
        "placement constraint: enough GPUs were free, but it needs several nodes",
        "its virtual cluster had too few GPUs or too little quota left",
        "head-of-line blocking or lower priority: it would have fitted, but others were first"};
    hs_say(out, "\n");
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        if (is_met[c])
            hs_say(out, "  %-13s  %s\n", explain_cause_names[c], texts[c]);
    if (x->is_sharing)
        hs_say(out,
               "  This policy lets jobs share GPUs. A GPU counts as free only while no job is on "
               "it, so\n  a job that waits for space on a shared GPU waits for resources here.\n");
}

/* ---- a job as text ---- */

static void say_line(struct hs_output *out, const char *what, int64_t us, const char *remark)
{
    hs_say(out, "  %-10s%10s  %16s s%s%s\n", what, LENGTH(us), HS_SECONDS(us),
           remark[0] != '\0' ? "  " : "", remark);
}

/* Tells that the job's model is assumed: the trace does not name it. */
static const char *assumed_text(const struct explain_job *job)
{
    const char *drawn = hs_profile_from_text(HS_PROFILE_FROM_DRAW),
               *by_util = hs_profile_from_text(HS_PROFILE_FROM_UTILIZATION);
    bool is_assumed =
        strcmp(job->profile_from, drawn) == 0 || strcmp(job->profile_from, by_util) == 0;
    return is_assumed ? " (assumed)" : "";
}

static void say_head(const struct explain *x, const struct explain_job *job, struct hs_output *out)
{
    int64_t in_system_us = job->end_us - job->submit_us;
    if (job->gpu_milli < HS_GPU_MILLI)
        hs_say(out, "job %s: 0.%03u of %s%u GPU%s", job->id, job->gpu_milli,
               job->gpus > 1 ? "each of " : "", job->gpus, plural(job->gpus));
    else
        hs_say(out, "job %s: %u GPU%s", job->id, job->gpus, plural(job->gpus));
    if (job->model[0] != '\0')
        hs_say(out, ", %s%s", job->model, assumed_text(job));
    if (job->user[0] != '\0')
        hs_say(out, ", user %s", job->user);
    if (job->vc_name[0] != '\0')
        hs_say(out, ", vc %s", job->vc_name);
    hs_say(out, "\nunder %s: order %s, scan %s\n\n", x->policy != NULL ? x->policy : "?", x->order,
           x->scan);
    say_line(out, "submitted", job->submit_us, "after the first job of the trace");
    say_line(out, "waited", job->pending_us,
             job->start_us < 0 ? "and never started" : "without GPUs, in total");
    say_line(out, "ran", job->run_us, "holding GPUs");
    say_line(out, job->is_done ? "JCT" : "in system", in_system_us, job->status);
    if (job->isolated_us > 0 && job->is_done)
        hs_say(out, "  %-10s%10.2f  JCT / run time alone on the reference GPU\n", "slowdown",
               (double)in_system_us / (double)job->isolated_us);
}

static void say_cause(struct hs_output *out, bool use_utf8, const char *name, int64_t us,
                      const struct explain_job *job)
{
    const int64_t whole_us = job->end_us - job->submit_us;
    hs_say(out, "  %-15s%10s  %16s s", name, LENGTH(us), HS_SECONDS(us));
    say_share(out, use_utf8, whole_us > 0 ? (double)us / (double)whole_us : 0, JOB_BAR_CELLS);
}

static void say_waits(const struct explain_job *job, bool use_utf8, struct hs_output *out)
{
    const char *const titles[EXPLAIN_PHASES] = {
        [EXPLAIN_FIRST] = job->start_us < 0
                              ? "why it waited (shares of its time in the system)"
                              : "why it waited before its first start (shares of its time)",
        [EXPLAIN_PREEMPTED] = "why it waited again after the policy took it off its GPUs",
        [EXPLAIN_FAILED] =
            "why it waited again after a failure, a drain or running out of GPU memory"};
    for (int phase = 0; phase < EXPLAIN_PHASES; phase++) {
        const int64_t *us = job->wait_us[phase];
        if (sum_of_us(us) == 0)
            continue;
        hs_say(out, "\n%s\n", titles[phase]);
        for (int c = 0; c < EXPLAIN_CAUSES; c++)
            if (us[c] > 0)
                say_cause(out, use_utf8, explain_cause_names[c], us[c], job);
    }
    if (job->run_us == 0)
        return;
    hs_say(out, "\nwhile it held GPUs\n");
    if (job->overhead_us > 0)
        say_cause(out, use_utf8, "overhead", job->overhead_us, job);
    say_cause(out, use_utf8, "running", job->run_us - job->overhead_us, job);
    if (job->colocated_us > 0)
        say_cause(out, use_utf8, "  beside others", job->colocated_us, job);
}

/* Prints "resources 80 %, priority 20 %". says_whole: also if one cause is 100 %. */
static void say_mix(struct hs_output *out, const int64_t us[EXPLAIN_CAUSES], bool says_whole)
{
    const int64_t sum_us = sum_of_us(us);
    const char *comma = "";
    for (int c = 0; c < EXPLAIN_CAUSES; c++) {
        if (us[c] * 200 < sum_us) /* below half a per cent */
            continue;
        hs_say(out, "%s%s", comma, explain_cause_names[c]);
        if (says_whole || us[c] * 200 < sum_us * 199)
            hs_say(out, " %.0f %%", 100 * (double)us[c] / (double)sum_us);
        comma = ", ";
    }
}

/* Prints for which GPUs that it could not have a job waited. */
static void say_lacks(const struct explain *x, const struct explain_stage *stage,
                      struct hs_output *out)
{
    const double wait_us = (double)(stage->to_us - stage->from_us);
    if (stage->lack_us[EXPLAIN_OUT] > 0)
        hs_say(out, "; %.0f %% for GPUs out of service",
               100 * (double)stage->lack_us[EXPLAIN_OUT] / wait_us);
    if (stage->lack_us[EXPLAIN_RESERVED] == 0)
        return;
    hs_say(out, "; %.0f %% for reserved GPUs",
           100 * (double)stage->lack_us[EXPLAIN_RESERVED] / wait_us);
    if (stage->window == EXPLAIN_NONE)
        return;
    const struct hs_reservation *of = &x->reservations.of[stage->window];
    hs_say(out, " (line %" PRId64 "%s%s, for %s%s%s)", of->line, of->name[0] != '\0' ? ": " : "",
           of->name, of->user, of->user[0] != '\0' && of->vc[0] != '\0' ? " of " : "", of->vc);
}

/* Returns the failure or drain that ended a placement, or NULL. */
static const struct explain_change *stop_of(const struct explain *x, const struct hs_placed *s)
{
    uint32_t low = 0, high = x->change_count;
    if (s->ended_by != HS_SEGMENT_FAULT && s->ended_by != HS_SEGMENT_DRAIN)
        return NULL;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (x->changes[middle].at_us < s->end_us)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < x->change_count && x->changes[low].at_us == s->end_us; low++) {
        const struct explain_change *c = &x->changes[low];
        const struct hs_node *node = &x->cluster.nodes[c->subject];
        const bool is_drain = c->change == HS_MACHINE_DRAIN;
        if (c->kind != EXPLAIN_MACHINE || c->change == HS_MACHINE_UP ||
            is_drain != (s->ended_by == HS_SEGMENT_DRAIN))
            continue;
        for (uint32_t i = s->range_first; i < s->range_first + s->range_count; i++)
            if (x->schedule.ranges[i].first < node->first_gpu + node->gpus &&
                node->first_gpu <= x->schedule.ranges[i].last)
                return c;
    }
    return NULL;
}

static void say_stages(const struct explain *x, int64_t submit_us, struct hs_output *out)
{
    char gpus[GPUS_SIZE];
    bool is_cut = x->stage_count > STAGES_FIRST + STAGES_LAST + 1;
    if (x->stage_count > 0)
        hs_say(out, "\ntimeline%11s%12s\n", "after", "for");
    for (uint32_t i = 0; i < x->stage_count; i++) {
        if (is_cut && i == STAGES_FIRST) {
            i = x->stage_count - STAGES_LAST;
            hs_say(out, "  %10s  %u more such lines\n", "...", i - STAGES_FIRST);
        }
        const struct explain_stage *stage = &x->stages[i];
        hs_say(out, "  %10s%12s  ", LENGTH(stage->from_us - submit_us),
               LENGTH(stage->to_us - stage->from_us));
        if (stage->segment == EXPLAIN_NONE) {
            hs_say(out, "waits  ");
            say_mix(out, stage->wait_us, false);
            say_lacks(x, stage, out);
        } else {
            const struct hs_placed *s = &x->schedule.segments[stage->segment];
            gpus_text(x, s, gpus, sizeof gpus);
            hs_say(out, "runs   GPU%s %s", plural(s->gpus), gpus);
            if (s->rate_nano >= 0)
                hs_say(out, ", rate %.3f", (double)s->rate_nano / 1e9);
            if (s->tenants > 1)
                hs_say(out, ", up to %u jobs on one", s->tenants);
            hs_say(out, "; %s", hs_segment_end_text(s->ended_by));
            const struct explain_change *stop = stop_of(x, s);
            if (stop != NULL)
                hs_say(out, ": node %s, %s", x->cluster.nodes[stop->subject].name,
                       hs_machine_change_text(stop->change));
        }
        hs_say(out, "\n");
    }
}

/* Prints one job per line; `when` precedes each time, `then` follows it. */
static void say_names(const struct explain *x, const struct explain_list *list, int64_t sign,
                      int64_t origin_us, const char *when, const char *then, struct hs_output *out)
{
    for (uint32_t i = 0; i < list->named; i++) {
        const struct explain_job *other = &x->jobs[list->jobs[i]];
        hs_say(out, "  %-16s %4u GPU%-2s %s%s%s%s%s%s\n", other->id, other->gpus,
               plural(other->gpus), when, LENGTH(sign * (list->us[i] - origin_us)), then,
               other->model[0] != '\0' ? "  " : "", other->model, assumed_text(other));
    }
    if (list->count > list->named)
        hs_say(out, "  and %u more\n", list->count - list->named);
}

static void say_others(const struct explain *x, const struct explain_job *job,
                       struct hs_output *out)
{
    const struct explain_list *ahead = &x->overtaken, *before = &x->freed, *beside = &x->beside;
    if (job->pending_us > 0)
        hs_say(out, "\novertaken by %u job%s submitted later and started while it waited\n",
               ahead->count, plural(ahead->count));
    say_names(x, ahead, 1, job->submit_us, "after ", "", out);
    if (before->count > 0)
        hs_say(out, "\nits first GPUs were used before it by %u job%s, most recent first\n",
               before->count, plural(before->count));
    say_names(x, before, -1, job->start_us, "left ", " before it started", out);
    if (before->count > 0 && x->idle_gpus > 0)
        hs_say(out, "  and %u had been idle since the begin\n", x->idle_gpus);
    if (beside->count > 0)
        hs_say(out, "\nshared its GPUs, time-sliced or concurrently: %u job%s, longest first\n",
               beside->count, plural(beside->count));
    say_names(x, beside, 1, 0, "for ", "", out);
    if (job->preemptions + job->migrations + job->switches + job->ooms > 0)
        hs_say(out,
               "\ninterruptions: %" PRIu64 " preemption%s, %" PRIu64
               " suspension%s or pauses, %" PRIu64 " migration%s, %" PRIu64
               " time%s out of memory\n",
               job->preemptions, plural(job->preemptions), job->switches, plural(job->switches),
               job->migrations, plural(job->migrations), job->ooms, plural(job->ooms));
    if (job->lost_ns > 0)
        hs_say(out, "lost: %s of work that was done again\n", LENGTH(job->lost_ns / HS_NS_PER_US));
}

/* Prints the jobs at the head of the line while the job waited. */
static void say_heads(const struct explain *x, struct hs_output *out)
{
    const struct explain_list *heads = &x->heads;
    if (heads->count == 1 && heads->jobs[0] == x->watched)
        return;
    if (heads->count > 0)
        hs_say(out,
               "\nhead of the queue meanwhile: the first submitted of the jobs that did not fit\n");
    for (uint32_t i = 0; i < heads->named; i++) {
        const struct explain_job *head = &x->jobs[heads->jobs[i]];
        hs_say(out, "  %-16s %4u GPU%-2s for %s, waits for %s%s\n", head->id, head->gpus,
               plural(head->gpus), LENGTH(heads->us[i]), explain_cause_names[x->head_causes[i]],
               heads->jobs[i] == x->watched ? "  (the job itself)" : "");
    }
    if (heads->count > heads->named)
        hs_say(out, "  and %u more\n", heads->count - heads->named);
}

static void say_decisions(const struct explain *x, int64_t submit_us, struct hs_output *out)
{
    if (!x->has_decisions)
        hs_say(out, "\n`horus run --decisions` records the decisions of the policy about it.\n");
    else if (x->decision_count == 0)
        hs_say(out, "\nThe policy made no decision about it.\n");
    else
        hs_say(out, "\ndecided%12s  %-13s  %-10s  %s\n", "after", "at a", "action", "because");
    for (uint32_t i = 0; i < x->decision_count && i < DECISIONS_SHOWN; i++) {
        const struct explain_decision *d = &x->decisions[i];
        hs_say(out, "  %10s  %-13s  %-10s  %s\n", LENGTH(d->time_us - submit_us), d->trigger,
               d->action, d->plan_reason);
    }
    if (x->decision_count > DECISIONS_SHOWN)
        hs_say(out, "  %10s  %u more are in decisions.csv\n", "...",
               x->decision_count - DECISIONS_SHOWN);
}

/* ---- a run as text ---- */

static double gpu_hours(hs_u128 gpu_us)
{
    return (double)gpu_us / (double)HS_US_PER_S / 3600;
}

static hs_u128 sum_of(const explain_waits waits)
{
    hs_u128 sum = 0;
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        sum += waits[c];
    return sum;
}

static void say_longest(const struct explain *x, struct hs_output *out)
{
    const struct explain_list *longest = &x->longest;
    size_t width = strlen("job");
    if (longest->count == 0)
        return;
    for (uint32_t i = 0; i < longest->named; i++) {
        size_t own = strlen(x->jobs[longest->jobs[i]].id); /* or fewer columns */
        width = own > width ? own : width;
    }
    width = width < ID_WIDTH_MAX ? width : ID_WIDTH_MAX;
    hs_say(out, "\nlongest waits\n  %-*s  %5s  %10s  %10s  %s\n", (int)width, "job", "GPUs",
           "submitted", "waited", "why");
    for (uint32_t i = 0; i < longest->named; i++) {
        const struct explain_job *job = &x->jobs[longest->jobs[i]];
        const int64_t again_us = sum_of_us(job->wait_us[EXPLAIN_PREEMPTED]);
        int64_t us[EXPLAIN_CAUSES] = {0};
        for (int phase = 0; phase < EXPLAIN_PHASES; phase++)
            for (int c = 0; c < EXPLAIN_CAUSES; c++)
                us[c] += job->wait_us[phase][c];
        const int64_t sum_us = sum_of_us(us);
        hs_say(out, "  ");
        hs_say_padded(out, job->id, (int)width);
        hs_say(out, "  %5u  %10s  %10s  ", job->gpus, LENGTH(job->submit_us),
               LENGTH(job->pending_us));
        say_mix(out, us, true);
        if (again_us * 200 >= sum_us && again_us > 0)
            hs_say(out, "; %.0f %% after preemptions", 100 * (double)again_us / (double)sum_us);
        hs_say(out, "\n");
    }
    hs_say(out, "`horus explain %s --job %s` explains one job.\n", x->dir,
           x->jobs[longest->jobs[0]].id);
}

/* ---- JSON ---- */

static void put_seconds(struct hs_jsonw *w, const char *key, int64_t us)
{
    hs_jsonw_key(w, key);
    if (us < 0)
        hs_jsonw_text(w, NULL);
    else
        hs_jsonw_seconds(w, us);
}

static void put_waits(struct hs_jsonw *w, const char *key, const int64_t us[EXPLAIN_CAUSES])
{
    hs_jsonw_put(w, "%s=!{", key);
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        put_seconds(w, explain_cause_names[c], us[c]);
    hs_jsonw_put(w, "}");
}

static void put_phases(struct hs_jsonw *w, const struct explain_job *job)
{
    put_waits(w, "first", job->wait_us[EXPLAIN_FIRST]);
    put_waits(w, "preempted", job->wait_us[EXPLAIN_PREEMPTED]);
    put_waits(w, "failed", job->wait_us[EXPLAIN_FAILED]);
}

static void put_stages(const struct explain *x, struct hs_jsonw *w)
{
    hs_jsonw_put(w, "life=[");
    for (uint32_t i = 0; i < x->stage_count; i++) {
        const struct explain_stage *stage = &x->stages[i];
        hs_jsonw_put(w, "={");
        put_seconds(w, "from", stage->from_us);
        put_seconds(w, "to", stage->to_us);
        if (stage->segment == EXPLAIN_NONE) {
            put_waits(w, "waits", stage->wait_us);
            put_seconds(w, "for_gpus_out", stage->lack_us[EXPLAIN_OUT]);
            put_seconds(w, "for_gpus_reserved", stage->lack_us[EXPLAIN_RESERVED]);
        } else {
            const struct hs_placed *s = &x->schedule.segments[stage->segment];
            const size_t size = ((size_t)s->range_count + 1) * RANGE_SIZE;
            char *gpus = hs_alloc_zeroed(size, 1);
            gpus_text(x, s, gpus, size);
            hs_jsonw_put(w, "gpus=%s mean_rate=%g tenants=%u ended_by=%s", gpus,
                         s->rate_nano < 0 ? (double)NAN : (double)s->rate_nano / 1e9, s->tenants,
                         hs_segment_end_text(s->ended_by));
            hs_free(gpus);
            const struct explain_change *stop = stop_of(x, s);
            if (stop != NULL)
                hs_jsonw_put(w, "stopped_by={ node=%s event=%s }",
                             x->cluster.nodes[stop->subject].name,
                             hs_machine_change_text(stop->change));
        }
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "]");
}

static void put_list(const struct explain *x, const char *key, const char *what,
                     const struct explain_list *list, struct hs_jsonw *w)
{
    hs_jsonw_put(w, "%s={ jobs=%u named=[", key, list->count);
    for (uint32_t i = 0; i < list->named; i++) {
        hs_jsonw_put(w, "=!{ job_id=%s", x->jobs[list->jobs[i]].id);
        put_seconds(w, what, list->us[i]);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "] }");
}

static void put_job(const struct explain *x, struct hs_output *out)
{
    const struct explain_job *job = &x->jobs[x->watched];
    struct hs_jsonw w;
    hs_jsonw_begin(&w, out);
    hs_jsonw_put(&w,
                 "={ job_id=%s policy=%s user=%s vc=%s model=%s profile_from=%s status=%s gpus=%u "
                 "gpu_share=%g",
                 job->id, x->policy, job->user, job->vc_name, job->model, job->profile_from,
                 job->status, job->gpus, job->gpu_milli / (double)HS_GPU_MILLI);
    put_seconds(&w, "submission_time", job->submit_us);
    put_seconds(&w, "starting_time", job->start_us);
    put_seconds(&w, "end_time", job->end_us);
    put_seconds(&w, "isolated", job->isolated_us);
    put_seconds(&w, "queueing_delay", job->pending_us);
    put_seconds(&w, "run", job->run_us);
    put_seconds(&w, "overhead", job->overhead_us);
    put_seconds(&w, "colocated", job->colocated_us);
    hs_jsonw_put(&w, "waits={");
    put_phases(&w, job);
    hs_jsonw_put(&w, "}");
    put_stages(x, &w);
    put_list(x, "heads_of_line", "seconds", &x->heads, &w);
    put_list(x, "overtaken_by", "starting_time", &x->overtaken, &w);
    put_list(x, "gpus_held_before_by", "end_time", &x->freed, &w);
    put_list(x, "beside", "seconds", &x->beside, &w);
    if (!x->has_decisions) {
        hs_jsonw_key(&w, "decisions");
        hs_jsonw_text(&w, NULL);
    } else {
        hs_jsonw_put(&w, "decisions=[");
    }
    for (uint32_t i = 0; i < x->decision_count; i++) {
        const struct explain_decision *d = &x->decisions[i];
        hs_jsonw_put(&w, "=!{");
        put_seconds(&w, "time", d->time_us);
        hs_jsonw_put(&w, "action=%s gpus=%s", d->action, d->gpus);
        put_seconds(&w, "value", d->value);
        hs_jsonw_put(&w, "trigger=%s because=%s }", d->trigger, d->plan_reason);
    }
    hs_jsonw_put(&w, x->has_decisions ? "] }" : "}");
    hs_jsonw_finish(&w);
}

static void put_gpu_seconds(struct hs_jsonw *w, const explain_waits waits)
{
    hs_jsonw_put(w, "gpu_seconds=!{");
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        hs_jsonw_put(w, "%s=%g", explain_cause_names[c], hs_exact_double(waits[c], HS_US_PER_S));
    hs_jsonw_put(w, "}");
}

static void put_run(const struct explain *x, struct hs_output *out)
{
    const struct explain_list *longest = &x->longest;
    struct hs_jsonw w;
    hs_jsonw_begin(&w, out);
    hs_jsonw_put(&w, "={ policy=%s jobs=%u", x->policy, x->job_count);
    put_gpu_seconds(&w, x->total);
    hs_jsonw_put(&w, "intervals=[");
    for (uint32_t i = 0; i < EXPLAIN_INTERVALS; i++) {
        hs_jsonw_put(&w, "={");
        put_seconds(&w, "from", explain_interval_us(x, i));
        put_seconds(&w, "to", explain_interval_us(x, i + 1));
        put_gpu_seconds(&w, x->interval[i]);
        hs_jsonw_put(&w, "}");
    }
    hs_jsonw_put(&w, "] longest=[");
    for (uint32_t i = 0; i < longest->named; i++) {
        const struct explain_job *job = &x->jobs[longest->jobs[i]];
        hs_jsonw_put(&w, "={ job_id=%s gpus=%u", job->id, job->gpus);
        put_seconds(&w, "queueing_delay", job->pending_us);
        put_phases(&w, job);
        hs_jsonw_put(&w, "}");
    }
    hs_jsonw_put(&w, "] }");
    hs_jsonw_finish(&w);
}

/* ---- text or JSON ---- */

static void say_job(const struct explain *x, bool use_utf8, struct hs_output *out)
{
    const struct explain_job *job = &x->jobs[x->watched];
    bool is_met[EXPLAIN_CAUSES] = {false};
    say_head(x, job, out);
    say_waits(job, use_utf8, out);
    say_stages(x, job->submit_us, out);
    say_heads(x, out);
    say_others(x, job, out);
    say_decisions(x, job->submit_us, out);
    for (int phase = 0; phase < EXPLAIN_PHASES; phase++)
        for (int c = 0; c < EXPLAIN_CAUSES; c++)
            is_met[c] = is_met[c] || job->wait_us[phase][c] > 0;
    say_causes(x, is_met, out);
}

static void say_run(const struct explain *x, bool use_utf8, struct hs_output *out)
{
    bool is_met[EXPLAIN_CAUSES];
    const hs_u128 sum = sum_of(x->total);
    const double part_h =
        (double)(x->end_us - x->begin_us) / (double)HS_US_PER_S / 3600 / EXPLAIN_INTERVALS;
    const int decimals = gpu_hours(sum) < 10 ? 3 : 1;
    hs_say(out, "%s: %u job%s, %u placement%s, %u GPU%s\nunder %s: order %s, scan %s\n", x->dir,
           x->job_count, plural(x->job_count), x->schedule.segment_count,
           plural(x->schedule.segment_count), x->cluster.gpu_count, plural(x->cluster.gpu_count),
           x->policy != NULL ? x->policy : "?", x->order, x->scan);
    hs_say(out, "\nGPU-hours of waiting (requested GPUs x time), by cause\n");
    for (int c = 0; c < EXPLAIN_CAUSES; c++) {
        hs_say(out, "  %-13s%14.*f", explain_cause_names[c], decimals, gpu_hours(x->total[c]));
        say_share(out, use_utf8, sum > 0 ? (double)x->total[c] / (double)sum : 0, RUN_BAR_CELLS);
        is_met[c] = x->total[c] > 0;
    }
    hs_say(out, "  %-13s%14.*f\n", "all", decimals, gpu_hours(sum));
    if (sum > 0)
        hs_say(out, "\nGPUs requested by waiting jobs, mean of each twelfth of the run\n  %10s",
               "from");
    for (int c = 0; c < EXPLAIN_CAUSES; c++) /* causes that never occurred have no column */
        if (x->total[c] > 0)
            hs_say(out, "%15s", explain_cause_names[c]);
    for (uint32_t i = 0; sum > 0 && i < EXPLAIN_INTERVALS; i++) {
        hs_say(out, "%s  %10s", i == 0 ? "         all\n" : "",
               LENGTH(explain_interval_us(x, i) - x->begin_us));
        for (int c = 0; c < EXPLAIN_CAUSES; c++)
            if (x->total[c] > 0)
                hs_say(out, "%15.1f", gpu_hours(x->interval[i][c]) / part_h);
        hs_say(out, "%12.1f\n", gpu_hours(sum_of(x->interval[i])) / part_h);
    }
    say_longest(x, out);
    say_causes(x, is_met, out);
}

enum hs_status hs_explain(const char *dir, const char *job_id, bool as_json, bool use_utf8,
                          struct hs_output *out, struct hs_diag *diag)
{
    struct explain x;
    const enum hs_status status = explain_open(&x, dir, job_id, diag);
    if (status == HS_OK && as_json)
        job_id != NULL ? put_job(&x, out) : put_run(&x, out);
    else if (status == HS_OK)
        job_id != NULL ? say_job(&x, use_utf8, out) : say_run(&x, use_utf8, out);
    explain_close(&x);
    return status;
}
