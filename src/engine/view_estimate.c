/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of the policy's window that looks at estimates and at files of its own. Which knowledge
 * a source of estimates needs is decided here.
 */
#include "engine/view_estimate.h"

#include <string.h>

#include "base/io.h"
#include "base/timeparse.h"
#include "data/csvread.h"
#include "engine/lookup.h"
#include "engine/plan.h"
#include "horus/policy.h"

#define NUMBERS_MAX (1u << 24)
#define MILLIONTHS  INT64_C(1000000)

/* ---- estimates ---- */

static struct hs_estimate_facts facts_of(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_label *label = hs_label_of(&e->jobs, job);
    return (struct hs_estimate_facts){.index = job->index,
                                      .id = hs_id_of(label),
                                      .user = label->user,
                                      .gpus = job->gpus,
                                      .attempt = hs_history_of(&e->jobs, job)->attempt,
                                      .run_us = job->work_ns / HS_NS_PER_US};
}

void hs_estimate_submitted(struct hs_engine *e, struct hs_job *job)
{
    if (e->estimation == NULL)
        return;
    const struct hs_estimate_facts facts = facts_of(e, job);
    e->jobs.estimates_us[hs_slot_of(&e->jobs, job)] = hs_estimator_us(e->estimation, &facts);
}

enum hs_status hs_estimate_done(struct hs_engine *e, const struct hs_job *job)
{
    if (e->estimation == NULL)
        return HS_OK;
    const struct hs_estimate_facts facts = facts_of(e, job);
    return hs_estimator_learn(e->estimation, &facts, hs_run_of(&e->jobs, job)->attained_us);
}

int64_t hs_estimate_told_us(const struct hs_engine *e, const struct hs_job *job)
{
    if (!e->estimates_are_true)
        return e->jobs.has_estimates ? e->jobs.estimates_us[hs_slot_of(&e->jobs, job)] : -1;
    /* rejected by no plan: it was turned away before anybody heard of it */
    bool is_misfit = job->state == HS_JOB_REJECTED && (job->plan & HS_PLAN_ENDED) == 0;
    return is_misfit ? -1 : job->work_ns / HS_NS_PER_US;
}

static bool is_in_init(struct hs_engine *e, const char *what)
{
    if (e->is_initialising)
        return true;
    hs_plan_refuse(&e->plan, HS_NO_JOB, "%s is for its init only", what);
    return false;
}

enum hs_status hs_view_estimate_by(const struct hs_view *v, const struct hs_estimator *how)
{
    static const struct {
        uint32_t knows;
        const char *what;
    } needs[] = {
        [HS_ESTIMATE_ORACLE] = {HS_KNOWS_DURATION, "true run times as estimates"},
        [HS_ESTIMATE_NOISY] = {HS_KNOWS_ESTIMATE, "estimates of run times"},
        [HS_ESTIMATE_FILE] = {HS_KNOWS_ESTIMATE, "estimates of run times"},
        [HS_ESTIMATE_ROLLING] = {HS_KNOWS_HISTORY, "run times of finished jobs"},
    };
    struct hs_engine *e = v->engine;
    if (!is_in_init(e, "to say where estimates come from") ||
        !hs_lookup_may_know(v, HS_NO_JOB, needs[how->from].knows, needs[how->from].what))
        return e->plan.refused;
    if ((how->from == HS_ESTIMATE_FILE) != (how->file != NULL))
        return hs_fail(e->diag, HS_E_USAGE, NULL, "pred=file,pred_file=FILE",
                       how->file == NULL ? "policy '%s': run times come from a file: from which?"
                                         : "policy '%s': a file of run times is given, but they "
                                           "come from elsewhere",
                       e->policy->name);
    hs_estimator_close(e->estimation);
    e->estimation = NULL;
    e->estimates_are_true = how->from == HS_ESTIMATE_ORACLE; /* the job knows: nothing is kept */
    if (e->estimates_are_true)
        return HS_OK;
    return hs_estimator_open(&e->estimation, how, e->config.seed, e->diag);
}

int64_t hs_view_estimate_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    if (v->engine->estimates_are_true)
        return hs_lookup_job(v, job)->work_ns / HS_NS_PER_US;
    if (HS_LIKELY(v->engine->estimation != NULL && job < jobs->slots.high))
        return jobs->estimates_us[job];
    if (v->engine->estimation != NULL)
        (void)hs_lookup_nobody(v, job);
    else
        hs_plan_refuse(&v->engine->plan, job,
                       "it asked for an estimate of the run time, but never said where from");
    return 0;
}

/* ---- files of numbers ---- */

struct numbers {
    int64_t *values;
    uint32_t count, cap;
};

static enum hs_status read_number(struct numbers *n, const struct hs_csv *csv,
                                  const struct hs_csv_row *row, struct hs_diag *diag)
{
    struct hs_place place = hs_csv_place(csv, row->count > 1 ? 1 : 0);
    int64_t value;
    if (row->count != 1)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "expected one number a line");
    if (!hs_parse_decimal_us(row->fields[0], row->lengths[0], MILLIONTHS, &value)) {
        bool is_name = strchr("+-.0123456789", row->fields[0][0]) == NULL;
        if (row->line == 1 && is_name) /* a header */
            return HS_OK;
        return hs_fail(diag, HS_E_INPUT, &place, NULL,
                       is_name ? "not a number: '%.64s'"
                               : "not a number, or too large a one: '%.64s'",
                       row->fields[0]);
    }
    if (value < 0)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "negative: '%.64s'", row->fields[0]);
    enum hs_status status = hs_grow((void **)&n->values, &n->cap, (uint64_t)n->count + 1,
                                    sizeof *n->values, NUMBERS_MAX);
    if (status != HS_OK)
        return hs_fail(diag, status, &place, NULL, "no room for more than %u numbers", n->count);
    n->values[n->count++] = value;
    return HS_OK;
}

static enum hs_status read_numbers(struct numbers *n, const char *path, struct hs_diag *diag)
{
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    HS_TRY(hs_input_open(&input, path, diag));
    enum hs_status status = hs_csv_open(&csv, input, ',', diag);
    if (status == HS_OK) {
        while ((status = hs_csv_next(csv, &row)) == HS_OK &&
               (status = read_number(n, csv, &row, diag)) == HS_OK)
            ;
        hs_csv_close(csv);
    }
    hs_input_close(input);
    if (status == HS_END && n->count == 0)
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path},
                       "one number a line, perhaps under a header", "there is no number in it");
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_view_numbers(const struct hs_view *v, const char *path, const int64_t **values,
                               uint32_t *count)
{
    struct hs_engine *e = v->engine;
    struct numbers n = {0};
    *values = NULL;
    *count = 0;
    if (!is_in_init(e, "to read a file"))
        return e->plan.refused;
    enum hs_status status = read_numbers(&n, path, e->diag);
    int64_t *kept = NULL;
    if (status == HS_OK) {
        kept = hs_arena_alloc(&e->arena, (uint64_t)n.count * sizeof *kept);
        status = kept != NULL ? HS_OK : HS_E_MEMORY;
    }
    if (status == HS_OK) {
        memcpy(kept, n.values, n.count * sizeof *kept);
        *values = kept;
        *count = n.count;
    }
    hs_free(n.values);
    return status;
}
