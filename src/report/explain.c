/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See explain.h: opening, finding, and the small texts that all tellings share.
 */
#include "report/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "report/explain_data.h"
#include "report/report.h"

#define NEAREST_AMONG 100000u /* of a larger trace the first ones */

enum hs_status hs_explain_load(struct hs_explain **explain, const char *dir, struct hs_diag *diag)
{
    struct hs_explain *x = hs_alloc_zeroed(1, sizeof *x);
    *explain = x;
    if (x == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    x->dir = dir;
    x->diag = diag;
    x->watched = EXPLAIN_NONE;
    return explain_load(x);
}

enum hs_status hs_explain_find(const struct hs_explain *x, const char *id, uint32_t *job,
                               struct hs_diag *diag)
{
    uint32_t name = hs_intern_find(&x->ids, id);
    if (name != 0 && name != UINT32_MAX) {
        *job = name - 1;
        return HS_OK;
    }
    uint32_t count = x->job_count < NEAREST_AMONG ? x->job_count : NEAREST_AMONG;
    const char **names = hs_alloc_zeroed((uint64_t)count + 1, sizeof *names);
    char hint[128] = "the first column of jobs.csv has the ids";
    for (uint32_t i = 0; names != NULL && i < count; i++)
        names[i] = x->jobs[i].id;
    const char *nearest = names != NULL ? hs_nearest(id, names, count) : NULL;
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    hs_free(names);
    return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = x->dir}, hint,
                   "the run has no job '%s'", id);
}

void hs_explain_close(struct hs_explain *x)
{
    if (x == NULL)
        return;
    hs_runmanifest_close(&x->manifest);
    if (x->has_cluster)
        hs_cluster_free(&x->cluster);
    hs_intern_free(&x->ids);
    hs_intern_free(&x->texts);
    hs_free(x->jobs);
    hs_free(x->segments);
    hs_free(x->ranges);
    hs_free(x->classes);
    hs_free(x->stages);
    hs_free(x);
}

/* ---- texts ---- */

void explain_length(char *text, int64_t us)
{
    hs_table_time(text, (double)us / (double)HS_US_PER_S);
}

void explain_seconds(char text[EXPLAIN_SECONDS_SIZE], int64_t us)
{
    text[hs_fmt_seconds(text, us)] = '\0';
}

void explain_gpus(const struct hs_explain *x, const struct explain_segment *s, char *text,
                  size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = s->first_range; i < s->first_range + s->ranges; i++) {
        const struct explain_range *r = &x->ranges[i];
        if (used + EXPLAIN_RANGE_SIZE > size) {
            (void)snprintf(text + used, size - used, " ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, r->first == r->last ? "%s%u" : "%s%u-%u",
                                 used > 0 ? " " : "", r->first, r->last);
    }
}

void explain_bar(struct hs_output *out, const struct hs_explain_style *style, double share,
                 uint32_t cells)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    uint32_t eighths = (uint32_t)(share * cells * 8 + 0.5);
    if (!style->use_utf8)
        eighths = (eighths + 4) / 8 * 8; /* whole cells */
    hs_say(out, "%s", eighths > 0 ? "  " : "");
    for (uint32_t i = 0; i < eighths / 8; i++)
        hs_say(out, "%s", style->use_utf8 ? "█" : "#");
    hs_say(out, "%s", parts[eighths % 8]);
}

void explain_say_causes(const struct hs_explain *x, const bool is_met[EXPLAIN_CAUSES],
                        struct hs_output *out)
{
    static const char *const texts[EXPLAIN_CAUSES] = {
        "fewer GPUs were free than it wanted",
        "enough were free, but not on one node, which could have held it",
        "enough were free, on more nodes than one, and no node could hold all of it",
        "its virtual cluster could not take so many",
        "it would have fitted: the policy put others first, or let it wait by choice"};
    hs_say(out, "\n");
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        if (is_met[c])
            hs_say(out, "  %-13s  %s\n", explain_cause_names[c], texts[c]);
    if (x->is_sharing)
        hs_say(
            out,
            "  Jobs may share GPUs under this policy. A GPU counts as free while nobody is on it:\n"
            "  who waits for room beside others waits for capacity here.\n");
}

/* ---- decisions.csv ---- */

enum hs_status explain_each_decision(const struct hs_explain *x, uint32_t job,
                                     explain_tell_decision *tell, void *ctx)
{
    static const char *const columns[] = {
        "time",  "job_id",  "action",  "gpus", "allocated_resources",
        "value", "trigger", "because", NULL};
    char path[EXPLAIN_PATH_SIZE];
    struct hs_rowfile f;
    (void)snprintf(path, sizeof path, "%s/decisions.csv", x->dir); /* as long as jobs.csv's */
    enum hs_status s = hs_rowfile_open(&f, path, columns, x->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
        if (strcmp(hs_rowfile_text(&f, EXPLAIN_D_JOB), x->jobs[job].id) == 0)
            s = tell(ctx, &f);
    hs_rowfile_close(&f);
    return s == HS_END ? HS_OK : s;
}

static enum hs_status vet_decision(void *ctx, const struct hs_rowfile *f)
{
    int64_t number;
    (void)ctx;
    HS_TRY(hs_rowfile_decimal(f, EXPLAIN_D_TIME, HS_US_PER_S, "a time in seconds", &number));
    return hs_rowfile_decimal(f, EXPLAIN_D_VALUE, HS_US_PER_S, "a number", &number);
}

enum hs_status explain_vet_decisions(const struct hs_explain *x, uint32_t job)
{
    return x->has_decisions ? explain_each_decision(x, job, vet_decision, NULL) : HS_OK;
}

uint32_t explain_longest(const struct hs_explain *x, uint32_t jobs[EXPLAIN_LONGEST])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->job_count; i++) {
        int64_t us = x->jobs[i].pending_us;
        if (us == 0)
            continue;
        uint32_t at = count < EXPLAIN_LONGEST ? count++ : EXPLAIN_LONGEST;
        for (; at > 0 && x->jobs[jobs[at - 1]].pending_us < us; at--)
            if (at < EXPLAIN_LONGEST)
                jobs[at] = jobs[at - 1];
        if (at < EXPLAIN_LONGEST)
            jobs[at] = i;
    }
    return count;
}
