/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One job, told to a person.
 */
#include <inttypes.h>
#include <string.h>

#include "base/fixed.h"
#include "report/explain_data.h"
#include "report/report.h"

#define STAGES_FIRST    14u /* of many the first and the last are shown */
#define STAGES_LAST     6u
#define DECISIONS_SHOWN 24u
#define BAR_CELLS       24u

static const char *text_of(const struct hs_explain *x, uint32_t id)
{
    return hs_intern_text(&x->texts, id);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- headline ---- */

static void say_head(const struct hs_explain *x, const struct explain_job *job,
                     struct hs_output *out)
{
    if (job->gpu_milli < HS_GPU_MILLI)
        hs_say(out, "job %s: 0.%03u of %s%u GPU%s", job->id, job->gpu_milli,
               job->gpus > 1 ? "each of " : "", job->gpus, plural(job->gpus));
    else
        hs_say(out, "job %s: %u GPU%s", job->id, job->gpus, plural(job->gpus));
    if (job->model != 0)
        hs_say(out, ", %s", text_of(x, job->model));
    if (job->user != 0)
        hs_say(out, ", user %s", text_of(x, job->user));
    if (job->vc_name != 0)
        hs_say(out, ", vc %s", text_of(x, job->vc_name));
    hs_say(out, "\nunder %s: order %s, scan %s\n\n", x->policy != NULL ? x->policy : "?",
           x->order != NULL ? x->order : "?", x->scan != NULL ? x->scan : "?");
}

static void say_time(struct hs_output *out, const char *what, int64_t us, const char *remark)
{
    char length[HS_TABLE_TIME_SIZE], seconds[EXPLAIN_SECONDS_SIZE];
    explain_length(length, us);
    explain_seconds(seconds, us);
    hs_say(out, "  %-10s%10s  %16s s%s%s\n", what, length, seconds, remark[0] != '\0' ? "  " : "",
           remark);
}

static void say_account(const struct hs_explain *x, const struct explain_job *job,
                        struct hs_output *out)
{
    int64_t in_system_us = job->end_us - job->submit_us;
    const char *status = text_of(x, job->status);
    say_time(out, "submitted", job->submit_us, "after the first job of the trace");
    say_time(out, "waited", job->pending_us,
             job->start_us < 0 ? "and never started" : "without GPUs, in all");
    say_time(out, "ran", job->run_us, "holding GPUs");
    say_time(out, job->is_done ? "JCT" : "in system", in_system_us, status);
    if (job->isolated_us > 0 && job->is_done)
        hs_say(out, "  %-10s%10.2f  JCT over its run time alone on the reference GPU\n", "slowdown",
               (double)in_system_us / (double)job->isolated_us);
}

/* ---- why it waited ---- */

static void say_share(struct hs_output *out, const struct hs_explain_style *style, int64_t us,
                      int64_t whole_us)
{
    double share = whole_us > 0 ? (double)us / (double)whole_us : 0;
    hs_say(out, "  %5.1f %%", 100 * share);
    explain_bar(out, style, share, BAR_CELLS);
    hs_say(out, "\n");
}

static void say_cause(struct hs_output *out, const struct hs_explain_style *style, const char *name,
                      int64_t us, int64_t whole_us)
{
    char length[HS_TABLE_TIME_SIZE], seconds[EXPLAIN_SECONDS_SIZE];
    explain_length(length, us);
    explain_seconds(seconds, us);
    hs_say(out, "  %-15s%10s  %16s s", name, length, seconds);
    say_share(out, style, us, whole_us);
}

static void say_phase(const struct explain_job *job, enum explain_phase phase, const char *title,
                      const struct hs_explain_style *style, struct hs_output *out)
{
    const int64_t *us = job->wait_us[phase];
    int64_t whole_us = explain_sum_us(us);
    if (whole_us == 0)
        return;
    hs_say(out, "\n%s\n", title);
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        if (us[c] > 0)
            say_cause(out, style, explain_cause_names[c], us[c], job->end_us - job->submit_us);
}

static void say_waits(const struct explain_job *job, const struct hs_explain_style *style,
                      struct hs_output *out)
{
    int64_t jct_us = job->end_us - job->submit_us;
    say_phase(job, EXPLAIN_FIRST,
              job->start_us < 0 ? "why it waited (shares of its time in the system)"
                                : "why it waited before its first start (shares of its time)",
              style, out);
    say_phase(job, EXPLAIN_PREEMPTED, "why it waited again, taken off its GPUs by the policy",
              style, out);
    say_phase(job, EXPLAIN_FAILED, "why it waited again after a failure, or for want of GPU memory",
              style, out);
    if (job->run_us == 0)
        return;
    hs_say(out, "\nwhile it held GPUs\n");
    if (job->overhead_us > 0)
        say_cause(out, style, "overhead", job->overhead_us, jct_us);
    say_cause(out, style, "running", job->run_us - job->overhead_us, jct_us);
    if (job->colocated_us > 0)
        say_cause(out, style, "  beside others", job->colocated_us, jct_us);
}

/* ---- its life ---- */

static void say_stage_causes(const struct explain_stage *stage, struct hs_output *out)
{
    int64_t whole_us = explain_sum_us(stage->wait_us);
    const char *comma = "";
    hs_say(out, "waits  ");
    for (int c = 0; c < EXPLAIN_CAUSES; c++) {
        double share = (double)stage->wait_us[c] / (double)whole_us;
        if (share < 0.005) /* the table above has it */
            continue;
        hs_say(out, "%s%s", comma, explain_cause_names[c]);
        if (share < 0.995)
            hs_say(out, " %.0f %%", 100 * share);
        comma = ", ";
    }
}

static void say_stage(const struct hs_explain *x, const struct explain_stage *stage,
                      int64_t submit_us, struct hs_output *out)
{
    char after[HS_TABLE_TIME_SIZE], length[HS_TABLE_TIME_SIZE], gpus[EXPLAIN_GPUS_SIZE];
    explain_length(after, stage->from_us - submit_us);
    explain_length(length, stage->to_us - stage->from_us);
    hs_say(out, "  %10s%12s  ", after, length);
    if (stage->segment == EXPLAIN_NONE) {
        say_stage_causes(stage, out);
    } else {
        const struct explain_segment *s = &x->segments[stage->segment];
        explain_gpus(x, s, gpus, sizeof gpus);
        hs_say(out, "runs   GPU%s %s", plural(s->gpus), gpus);
        if (s->rate_ppb >= 0)
            hs_say(out, ", rate %.3f", (double)s->rate_ppb / 1e9);
        if (s->tenants > 1)
            hs_say(out, ", up to %u jobs on one", s->tenants);
        hs_say(out, "; %s", explain_end_names[s->ended_by]);
    }
    hs_say(out, "\n");
}

static void say_life(const struct hs_explain *x, const struct explain_job *job,
                     struct hs_output *out)
{
    if (x->stage_count == 0)
        return;
    hs_say(out, "\nits life%11s%12s\n", "after", "for");
    bool is_cut = x->stage_count > STAGES_FIRST + STAGES_LAST + 1;
    for (uint32_t i = 0; i < x->stage_count; i++) {
        if (is_cut && i == STAGES_FIRST) {
            i = x->stage_count - STAGES_LAST;
            hs_say(out, "  %10s  %u more such lines\n", "...", i - STAGES_FIRST);
        }
        say_stage(x, &x->stages[i], job->submit_us, out);
    }
}

/* ---- the others ---- */

/* One a line; `when` stands before the time of each, `then` behind it. */
static void say_names(const struct hs_explain *x, const struct explain_list *list, int64_t sign,
                      int64_t origin_us, const char *when, const char *then, struct hs_output *out)
{
    char length[HS_TABLE_TIME_SIZE];
    for (uint32_t i = 0; i < list->named; i++) {
        const struct explain_job *other = &x->jobs[list->jobs[i]];
        explain_length(length, sign * (list->us[i] - origin_us));
        hs_say(out, "  %-16s %4u GPU%-2s %s%s%s%s%s\n", other->id, other->gpus, plural(other->gpus),
               when, length, then, other->model != 0 ? "  " : "",
               other->model != 0 ? text_of(x, other->model) : "");
    }
    if (list->count > list->named)
        hs_say(out, "  and %u more\n", list->count - list->named);
}

static void say_others(const struct hs_explain *x, const struct explain_job *job,
                       const struct explain_around *around, struct hs_output *out)
{
    const struct explain_list *ahead = &around->overtaken, *before = &around->freed;
    if (job->pending_us > 0)
        hs_say(out, "\novertaken by %u job%s that came later and started while it waited\n",
               ahead->count, plural(ahead->count));
    say_names(x, ahead, 1, job->submit_us, "after ", "", out);
    if (before->count > 0)
        hs_say(out, "\nits first GPUs were held before it by %u job%s, the last to leave first\n",
               before->count, plural(before->count));
    say_names(x, before, -1, job->start_us, "left ", " before it started", out);
    if (before->count > 0 && around->idle_gpus > 0)
        hs_say(out, "  and %u had been idle from the begin\n", around->idle_gpus);
}

static void say_slowed(const struct hs_explain *x, const struct explain_job *job,
                       const struct explain_around *around, struct hs_output *out)
{
    char lost[HS_TABLE_TIME_SIZE];
    if (around->beside.count > 0)
        hs_say(out,
               "\non its GPUs at the same time, in turns or at once: %u job%s, the longest first\n",
               around->beside.count, plural(around->beside.count));
    say_names(x, &around->beside, 1, 0, "for ", "", out);
    if (job->preemptions + job->migrations + job->switches + job->ooms > 0)
        hs_say(out,
               "\nmoved: %" PRIu64 " preemption%s, %" PRIu64 " suspension%s or pauses, %" PRIu64
               " migration%s, %" PRIu64 " time%s out of memory\n",
               job->preemptions, plural(job->preemptions), job->switches, plural(job->switches),
               job->migrations, plural(job->migrations), job->ooms, plural(job->ooms));
    if (job->lost_ns > 0) {
        explain_length(lost, job->lost_ns / HS_NS_PER_US);
        hs_say(out, "lost: %s of work that was done again\n", lost);
    }
}

/* ---- decisions ---- */

struct teller {
    const struct hs_explain *x;
    int64_t submit_us;
    struct hs_output *out;
    uint32_t count;
};

static enum hs_status say_decision(void *ctx, const struct hs_rowfile *f)
{
    struct teller *t = ctx;
    char after[HS_TABLE_TIME_SIZE];
    int64_t us;
    if (t->count == 0)
        hs_say(t->out, "\ndecided%12s  %-13s  %-10s  %s\n", "after", "at a", "action", "because");
    if (t->count++ >= DECISIONS_SHOWN)
        return HS_OK;
    HS_TRY(hs_rowfile_decimal(f, EXPLAIN_D_TIME, HS_US_PER_S, "a time", &us));
    explain_length(after, us - t->submit_us);
    hs_say(t->out, "  %10s  %-13s  %-10s  %s\n", after, hs_rowfile_text(f, EXPLAIN_D_TRIGGER),
           hs_rowfile_text(f, EXPLAIN_D_ACTION), hs_rowfile_text(f, EXPLAIN_D_BECAUSE));
    return HS_OK;
}

static enum hs_status say_decisions(const struct hs_explain *x, uint32_t job, struct hs_output *out)
{
    struct teller t = {.x = x, .submit_us = x->jobs[job].submit_us, .out = out};
    if (!x->has_decisions) {
        hs_say(out,
               "\nWhat the policy decided about it is recorded with `horus run --decisions`.\n");
        return HS_OK;
    }
    HS_TRY(explain_each_decision(x, job, say_decision, &t));
    if (t.count == 0)
        hs_say(out, "\nThe policy decided nothing about it.\n");
    if (t.count > DECISIONS_SHOWN)
        hs_say(out, "  %10s  %u more are in decisions.csv\n", "...", t.count - DECISIONS_SHOWN);
    return HS_OK;
}

enum hs_status hs_explain_say_job(struct hs_explain *x, uint32_t job,
                                  const struct hs_explain_style *style, struct hs_output *out,
                                  struct hs_diag *diag)
{
    struct explain_around around;
    const struct explain_job *j = &x->jobs[job];
    x->watched = job;
    HS_TRY(explain_replay(x));
    if (explain_look_around(x, job, &around) != HS_OK)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    HS_TRY(explain_vet_decisions(x, job));
    if (style->as_json)
        return explain_json_job(x, job, &around, out);
    say_head(x, j, out);
    say_account(x, j, out);
    say_waits(j, style, out);
    say_life(x, j, out);
    say_others(x, j, &around, out);
    say_slowed(x, j, &around, out);
    HS_TRY(say_decisions(x, job, out));
    bool is_met[EXPLAIN_CAUSES] = {false};
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        for (int phase = 0; phase < EXPLAIN_PHASES; phase++)
            is_met[c] = is_met[c] || j->wait_us[phase][c] > 0;
    explain_say_causes(x, is_met, out);
    return HS_OK;
}
