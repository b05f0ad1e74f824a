/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The warnings of a run on standard error at its end: what was left out, assumed, ignored or cut,
 * and whether the load distinguishes policies.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/fixed.h"
#include "cli/simulate.h"
#include "data/param_table.h"
#include "report/run/run_table.h"

bool hs_run_is_cut(const struct hs_run_result *result)
{
    return result->figures.stop == HS_STOP_EVENTS || result->figures.stop == HS_STOP_POLL;
}

const char *hs_run_cut_text(const struct hs_run_result *result, char text[HS_RUN_CUT_SIZE])
{
    const struct hs_run_options *options = result->setup->options;
    const char *at = HS_SECONDS(result->figures.end_us);
    if (result->figures.stop == HS_STOP_EVENTS)
        (void)snprintf(text, HS_RUN_CUT_SIZE, "--max-events=%" PRId64 " at %s s of the simulation",
                       options->max_events, at);
    else
        (void)snprintf(text, HS_RUN_CUT_SIZE,
                       "--max-wall=%ss at %s s of the simulation: not deterministic, a faster "
                       "machine gets further",
                       HS_SECONDS(options->max_wall_us), at);
    return text;
}

void hs_warn_of_rows(const struct hs_trace_counts *counts, bool has_order, struct hs_diag *diag)
{
    for (int i = 0; i < HS_DROP_COUNT; i++)
        hs_warn_some(diag, NULL, counts->drops[i], counts->rows, "rows left out: %s",
                     hs_drop_texts[i]);
    hs_warn_some(diag, NULL, has_order ? counts->reordered : 0, counts->rows,
                 "rows came late and were put in order of submission");
    hs_warn_some(diag, NULL, counts->rounded, counts->accepted,
                 "jobs had their GPUs rounded up: " HS_ROUNDED_TEXT);
}

void hs_warn_of_profiles(const struct hs_assign_counts *assigned,
                         const struct hs_retry_counts *retries, uint64_t jobs, struct hs_diag *diag)
{
    hs_warn_some(diag, NULL, assigned->inexact, jobs,
                 "jobs name a batch, dataset or precision that the catalogue does not have, "
                 "e.g. '%s': %s stands for it",
                 assigned->inexact_example, assigned->inexact_instead);
    hs_warn_some(diag,
                 "add its row to the catalogue (--profiles); by default an assumed profile is "
                 "drawn for them, --assign=columns leaves them without one",
                 assigned->unknown_model, jobs,
                 "jobs name a model that the catalogue does not know, e.g. '%s'",
                 assigned->unknown_example);
    hs_fractions_warn(&assigned->utils, NULL, "gpu_util", "jobs", diag);
    hs_warn_some(diag, NULL, assigned->deadlines_drawn, jobs,
                 "jobs have a deadline by draw (--deadlines), not of the trace");
    hs_warn_some(diag, NULL, assigned->losses_drawn, jobs,
                 "jobs have a loss curve by draw (--losses), not of the trace");
    hs_warn_some(diag, NULL, retries->jobs, jobs,
                 "jobs fail %" PRIu64 " times before their recorded run: %.1f h of run time on top "
                 "of the trace's",
                 retries->failures, (double)retries->added_us / 3600e6);
}

enum hs_status hs_check_rejected(const char *trace, const char *policy, double rejected,
                                 double jobs, struct hs_diag *diag)
{
    if (!(jobs > 0 && rejected >= jobs))
        return HS_OK;
    return hs_fail(
        diag, HS_E_INPUT, &(struct hs_place){.file = trace},
        "is it the right cluster? `horus trace validate TRACE -c CLUSTER` says which jobs "
        "do not fit, and why",
        "every one of %.0f jobs was rejected under '%s': nothing ran", jobs, policy);
}

/* Warns of columns of the trace in which jobs differ and that the policy did not read; not if
 * nothing ran. */
static void warn_of_ignored(const struct hs_setup *setup, const struct hs_run_result *result,
                            struct hs_diag *diag)
{
    const struct hs_assign_counts *a = &result->intake.assigned;
    const struct hs_engine_figures *f = &result->figures;
    const uint64_t jobs = result->intake.trace.accepted;
    uint64_t largest = 0, classes = jobs - a->classes[HS_JOB_CLASS_AUTO];
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++)
        largest = a->classes[i] > largest ? a->classes[i] : largest;
    const struct {
        const char *column;
        uint64_t jobs;
        bool is_telling;
        const char *hint;
    } columns[] = {{"priority", a->with_priority,
                    !f->reads_priority && setup->card.policy_semantics.priority == NULL &&
                        a->least_priority < a->most_priority,
                    hs_param_find(setup->policy->params, "priority") != NULL
                        ? "its parameter priority=order puts jobs of higher priority first"
                        : NULL},
                   {"deadline", a->with_deadline, !f->reads_deadline, NULL},
                   {"class", classes, !f->reads_class && largest < jobs,
                    hs_param_find(setup->policy->params, "class") != NULL
                        ? "its parameter class=order puts guaranteed jobs first"
                        : NULL}};
    for (size_t i = 0; i < HS_COUNT_OF(columns) && f->finished > 0; i++)
        if (columns[i].is_telling)
            hs_warn_some(diag, columns[i].hint, columns[i].jobs, jobs,
                         "jobs have a %s: policy '%s' ignores it", columns[i].column,
                         setup->policy->name);
}

static void warn_of_unused(const struct hs_setup *setup, const struct hs_reservation *of,
                           struct hs_diag *diag)
{
    if (of != NULL)
        hs_report(diag, HS_WARNING,
                  &(struct hs_place){.file = setup->options->reservations, .line = of->line}, NULL,
                  "reserved for user '%s', but no job of the run is of that user", of->user);
}

void hs_run_note_demand(const struct hs_setup *setup, const struct hs_run_result *result,
                        struct hs_diag *diag)
{
    const int jobs_min = 100;
    const struct hs_intake *intake = &result->intake;
    const double span_us = (double)(intake->last_us - intake->first_us);
    const double gpus = (double)setup->cluster.gpu_count;
    const double load = (double)intake->demand_us / HS_GPU_MILLI / gpus / span_us;
    const bool is_idle = hs_summary_get(&result->summary, "max_wait") == 0 &&
                         hs_summary_get(&result->summary, "mean_queueing_delay") == 0 &&
                         result->figures.unfinished == 0;
    if (span_us <= 0 || result->figures.jobs - intake->rejected < jobs_min)
        return;
    if (is_idle)
        hs_report(diag, HS_NOTE, NULL, "--load=2 submits the jobs in half the time",
                  "no job waited: they ask for %.0f %% of the GPUs over the span of their "
                  "submissions, so that policies which order jobs cannot differ",
                  100 * load);
    else if (load > 1)
        hs_report(diag, HS_NOTE, NULL, "--load below 1 submits them in more time",
                  "jobs ask for %.0f %% of the GPUs over the span of their submissions: the queue "
                  "grows to its end, and waits with the length of the trace",
                  100 * load);
}

#define LONG_LEFT_S 2.0

/* Returns the key of the parameter that can be set to `fluid`, which replaces turns played one by
 * one; NULL if the policy has none or it is set so already. */
static const char *fluid_key(const struct hs_setup *setup)
{
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++) {
        if (p->type != HS_PARAM_CHOICE)
            continue;
        int32_t value;
        memcpy(&value, (const char *)setup->policy_state + p->offset, sizeof value);
        for (int32_t i = 0; p->choices[i] != NULL; i++)
            if (strcmp(p->choices[i], "fluid") == 0 && i != value)
                return p->key;
    }
    return NULL;
}

bool hs_run_note_length(const struct hs_setup *setup, double used_s, double share, uint64_t events,
                        struct hs_diag *diag)
{
    const double left_s = share > 0 ? used_s / share * (1 - share) : 0;
    char hint[HS_HINT_SIZE];
    if (left_s < LONG_LEFT_S)
        return false;
    const char *key = fluid_key(setup);
    (void)snprintf(hint, sizeof hint, "%s%s%s--max-wall=1min ends it, --max-jobs takes fewer jobs",
                   key != NULL ? "the policy's parameter " : "", key != NULL ? key : "",
                   key != NULL ? "=fluid makes it cheaper, " : "");
    hs_report(
        diag, HS_NOTE, NULL, hint,
        "this run takes long: %.1f %% is done after %.0f s of CPU time, so that about %s more "
        "are left; '%s' takes %.1f us an event",
        100 * share, used_s, HS_TIME(left_s), setup->policy->name, 1e6 * used_s / (double)events);
    return true;
}

void hs_run_warn(const struct hs_setup *setup, const struct hs_run_result *result,
                 struct hs_diag *diag)
{
    const struct hs_intake *intake = &result->intake;
    const struct hs_engine_figures *figures = &result->figures;
    const uint64_t jobs = intake->trace.accepted;
    hs_setup_warn(setup, &intake->assigned, diag);
    hs_warn_of_rows(&intake->trace, true, diag);
    hs_warn_of_profiles(&intake->assigned, &intake->retries, jobs, diag);
    if (figures->reads_loss)
        hs_warn_some(diag, "--losses=draw draws one for each",
                     jobs - intake->assigned.with_loss - intake->assigned.losses_drawn, jobs,
                     "jobs have no loss curve: the same stands for all of them");
    hs_warn_some(diag, "\"speed\" of the GPU type in the cluster file, or --models with its speeds",
                 intake->assigned.ran_unknown, jobs,
                 "jobs ran on a GPU type on which their speed is not known, e.g. '%s': their run "
                 "times are taken for those of the reference type",
                 intake->assigned.ran_example);
    for (uint64_t i = 0; i < intake->rejected && i < HS_REJECTED_SHOWN; i++)
        hs_report(diag, HS_WARNING, NULL, NULL, "job %s", intake->rejections[i]);
    hs_warn_some(diag,
                 "they have status rejected in jobs.csv; `horus trace validate TRACE` prints a "
                 "cluster for them",
                 intake->rejected, jobs, "jobs were rejected");
    if (figures->mem_capped > 0)
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs have more GPU memory by their profile than any "
                  "GPU that they may use: it is capped at the GPU's%s",
                  figures->mem_capped, figures->jobs,
                  setup->is_sharing ? ", which they do not share" : "");
    hs_warn_some(diag, "'horus policies' tells which policies may divide GPUs",
                 figures->shares_rounded, figures->jobs,
                 "jobs want a share of a GPU and get whole GPUs: policy '%s' does not divide them",
                 setup->policy->name);
    hs_warn_some(diag, "the policy's pred_unknown was taken for them", figures->unnamed,
                 figures->jobs, "jobs are not in the file of estimates");
    warn_of_unused(setup, figures->unused, diag);
    if (result->summary.overhead_share > 0.5)
        hs_report(
            diag, HS_WARNING, NULL,
            "longer quanta or rounds, fewer preemptions or a smaller cost leave more for work "
            "('horus policies' and --startup)",
            "%.0f %% of the GPU time of the jobs paid for starts, switches, preemptions and "
            "moves, not for work",
            100 * result->summary.overhead_share);
    if (figures->has_shared_turns)
        hs_report(diag, HS_WARNING, NULL, "mode=exact plays all, an event each",
                  "policy '%s' has played exact_turns turns one by one: from then on shares of "
                  "time stand for them",
                  setup->policy->name);
    if (hs_run_is_cut(result))
        hs_report(diag, HS_WARNING, NULL, "jobs of the trace that come later are in no file",
                  "the run was cut by %s", HS_RUN_CUT(result));
    hs_warn_some(diag, NULL, result->cut_ties, (uint64_t)setup->options->tie_jitter,
                 "runs with random ties were cut by --max-events or --max-wall");
    if (figures->unfinished > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "jobs not finished at the end of the simulation: %" PRIu64, figures->unfinished);
    warn_of_ignored(setup, result, diag);
}
