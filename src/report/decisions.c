/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of decisions.csv. Texts are put together here, not in the engine: what the policy says
 * are static texts, what it was told are bits.
 */
#include "report/decisions.h"

#include <stdio.h>
#include <string.h>

#define SHARE_DECIMALS 6
#define WORD_SIZE      8u

static const struct {
    enum hs_event_kind kind;
    char word[WORD_SIZE];
} trigger_words[] = {
    {HS_EVENT_FINISH, "finish"}, {HS_EVENT_STOPPED, "oom"},   {HS_EVENT_SUBMIT, "submit"},
    {HS_EVENT_PROGRESS, "paid"}, {HS_EVENT_MEMORY, "memory"}, {HS_EVENT_STEP, "step"},
    {HS_EVENT_TIMER, "timer"},
};

/* "finish submit": each word is put with a blank behind it, which the last one gives back. */
static void put_triggers(struct hs_csvw *w, uint32_t triggers)
{
    char *start = hs_output_room(&w->out, sizeof trigger_words + 1), *to = start;
    for (size_t i = 0; i < sizeof trigger_words / sizeof *trigger_words; i++) {
        if ((triggers >> trigger_words[i].kind & 1) == 0)
            continue;
        memcpy(to, trigger_words[i].word, WORD_SIZE);
        to += strlen(trigger_words[i].word);
        *to++ = ' ';
    }
    if (to > start)
        hs_csvw_end_field(w, to - 1);
    else
        hs_csvw_empty(w);
}

static void put_value(struct hs_csvw *w, const struct hs_decision *decision)
{
    switch (decision->kind) {
    case HS_DECISION_START:
    case HS_DECISION_RESUME:
    case HS_DECISION_MIGRATE:
    case HS_DECISION_PREEMPT:
    case HS_DECISION_SUSPEND:
    case HS_DECISION_OWE:
        hs_csvw_seconds(w, (int64_t)decision->value);
        break;
    case HS_DECISION_SHARE:
    case HS_DECISION_THROTTLE:
        hs_csvw_ratio(w, decision->value, UINT64_C(1) << 32, SHARE_DECIMALS);
        break;
    case HS_DECISION_LIMIT:
        hs_csvw_u64(w, decision->value);
        break;
    case HS_DECISION_KILL:
    case HS_DECISION_REJECT:
    case HS_DECISION_PAUSE:
    case HS_DECISION_UNPAUSE:
    case HS_DECISION_BACKGROUND:
    case HS_DECISION_FOREGROUND:
        hs_csvw_empty(w);
        break;
    }
}

/* Of what the policy did without a word. */
static const char *unsaid(const struct hs_decisions *d, enum hs_decision_kind kind)
{
    switch (kind) {
    case HS_DECISION_START:
    case HS_DECISION_RESUME:
        return d->by_order;
    case HS_DECISION_MIGRATE:
    case HS_DECISION_PREEMPT:
    case HS_DECISION_SUSPEND:
    case HS_DECISION_KILL:
        return d->by_preemption;
    default:
        return "";
    }
}

static enum hs_status on_decision(void *ctx, int64_t now_us, const struct hs_decision *decision)
{
    struct hs_decisions *d = ctx;
    struct hs_csvw *w = &d->csv;
    hs_csvw_seconds(w, now_us);
    hs_csvw_text(w, decision->job->id);
    hs_csvw_text(w, hs_decision_text(decision->kind));
    hs_csvw_u64(w, decision->gpu_count);
    hs_csvw_ids(w, decision->gpus, decision->gpu_count);
    put_value(w, decision);
    put_triggers(w, decision->triggers);
    hs_csvw_text(w, decision->because != NULL ? decision->because : unsaid(d, decision->kind));
    hs_csvw_end(w);
    return HS_OK;
}

enum hs_status hs_decisions_open(struct hs_decisions *d, const char *path,
                                 const struct hs_semantics *semantics, struct hs_diag *diag)
{
    d->by_order[0] = d->by_preemption[0] = '\0';
    if (semantics != NULL) {
        (void)snprintf(d->by_order, sizeof d->by_order, "its turn: order %s, scan %s",
                       semantics->order, semantics->scan);
        (void)snprintf(d->by_preemption, sizeof d->by_preemption, "preemption %s",
                       semantics->preemption);
    }
    return hs_csvw_open(&d->csv, path,
                        "time,job_id,action,gpus,allocated_resources,value,trigger,because", diag);
}

struct hs_observer hs_decisions_observer(struct hs_decisions *d)
{
    return (struct hs_observer){.ctx = d, .on_decision = on_decision};
}
