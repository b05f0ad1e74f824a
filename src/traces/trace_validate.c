/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace validate`: one pass over the rows in file order, whatever is wrong with them. The
 * messages of readers and parsers are caught, the first of each kind kept, and listed at the end,
 * with the load that the trace offers a cluster and the jobs that can never fit it. Memory: the
 * sort window, 16 to 32 bytes a job id, the names of GPU types and VCs.
 */
#include <stdio.h>
#include <string.h>

#include "base/sample.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/memory.h"
#include "traces/reader.h"
#include "traces/reorder.h"
#include "traces/trace_report.h"

/* ---- job ids seen before ---- */

/* Hashes of job ids, 16 to 32 bytes an id. Two different ids of one 64-bit hash would be taken for
 * a repetition: odds below 1e-6 for ten million jobs. */
struct idset {
    uint64_t *hashes; /* open addressing; 0 = empty */
    uint64_t size, count;
};

#define SIZE_MIN 1024

static bool insert(uint64_t *hashes, uint64_t size, uint64_t hash)
{
    uint64_t at = hash & (size - 1);
    while (hashes[at] != 0) {
        if (hashes[at] == hash)
            return false;
        at = (at + 1) & (size - 1);
    }
    hashes[at] = hash;
    return true;
}

static void grow(struct idset *set)
{
    uint64_t size = set->size > 0 ? set->size * 2 : SIZE_MIN;
    uint64_t *hashes = hs_alloc_zeroed(size, sizeof *hashes);
    for (uint64_t i = 0; i < set->size; i++)
        if (set->hashes[i] != 0)
            insert(hashes, size, set->hashes[i]);
    hs_free(set->hashes);
    set->hashes = hashes;
    set->size = size;
}

/* false: it was there. */
static bool idset_add(struct idset *set, const char *id)
{
    if (set->count * 2 >= set->size)
        grow(set);
    uint64_t hash = hs_hash_of(id, strlen(id));
    bool is_new = insert(set->hashes, set->size, hash != 0 ? hash : 1);
    set->count += is_new;
    return is_new;
}

/* ---- offered load ---- */

#define HS_UNFIT_SHOWN 3

struct load_sum {
    hs_u128 gpu_us;
    uint64_t jobs;
};

struct offered_load {
    const struct hs_trace_capacity *cluster; /* NULL: demand alone */
    struct hs_intern types, vcs;             /* id 0: none named */
    struct load_sum *by_type, *by_vc;
    uint32_t by_type_cap, by_vc_cap;
    struct load_sum all;
    int64_t first_us, last_us;
    uint64_t unfit;
    char unfit_texts[HS_UNFIT_SHOWN][512];
};

/* GPUs of the pools of this name, or of several joined by '|'; false if there is none. */
static bool find_pools(const struct hs_trace_pool *pools, uint32_t count, const char *names,
                       uint64_t *gpus)
{
    bool is_known = false;
    *gpus = 0;
    for (const char *name = names; *name != '\0'; name += *name == '|') {
        size_t len = strcspn(name, "|");
        for (uint32_t i = 0; i < count; i++)
            if (strlen(pools[i].name) == len && memcmp(pools[i].name, name, len) == 0) {
                *gpus += pools[i].gpus;
                is_known = true;
            }
        name += len;
    }
    return is_known;
}

static void add_to(struct hs_intern *names, struct load_sum **sums, uint32_t *cap, const char *name,
                   const struct hs_trace_job *job)
{
    uint32_t id = hs_intern_get(names, name);
    hs_grow((void **)sums, cap, (uint64_t)id + 1, sizeof **sums, HS_INTERN_MAX);
    (*sums)[id].gpu_us += hs_trace_job_gpu_us(job);
    (*sums)[id].jobs++;
}

/* The smallest pool the job is bound to; name: what to call it. NULL when it names an unknown one.
 */
static bool find_bound(const struct hs_trace_capacity *c, const struct hs_trace_job *job,
                       uint64_t *gpus, const char **kind, const char **name)
{
    *gpus = c->gpus;
    *kind = "the cluster";
    *name = "";
    const char *vc = job->vc ? job->vc : ""; /* which is none of them */
    const char *names[2] = {job->gpu_type, c->vc_count > 0 ? vc : NULL};
    const struct hs_trace_pool *pools[2] = {c->types, c->vcs};
    uint32_t counts[2] = {c->type_count, c->vc_count};
    static const char *const kinds[2] = {"GPU type", "VC"};
    for (int i = 0; i < 2; i++) {
        if (!names[i])
            continue;
        uint64_t bound;
        bool is_known = find_pools(pools[i], counts[i], names[i], &bound);
        if (!is_known || bound < *gpus) {
            *gpus = bound;
            *kind = kinds[i];
            *name = names[i];
        }
        if (!is_known)
            return false;
    }
    return true;
}

static void note_unfit(struct offered_load *load, const struct hs_trace_job *job)
{
    uint64_t gpus;
    const char *kind, *name;
    bool is_known = find_bound(load->cluster, job, &gpus, &kind, &name);
    if (is_known && job->gpus_min <= gpus)
        return;
    if (load->unfit < HS_UNFIT_SHOWN) {
        char *text = load->unfit_texts[load->unfit];
        size_t size = sizeof load->unfit_texts[0];
        if (is_known)
            snprintf(text, size, "line %lld: job '%s' wants %u GPUs, %s%s%s has %llu",
                     (long long)job->line, job->id, job->gpus_min, kind, name[0] ? " " : "", name,
                     (unsigned long long)gpus);
        else if (name[0] == '\0')
            snprintf(text, size, "line %lld: job '%s' names no %s", (long long)job->line, job->id,
                     kind);
        else
            snprintf(text, size, "line %lld: job '%s' wants %s '%.100s', which the cluster lacks",
                     (long long)job->line, job->id, kind, name);
    }
    load->unfit++;
}

static void load_add(struct offered_load *load, const struct hs_trace_job *job)
{
    if (job->submit_us < load->first_us)
        load->first_us = job->submit_us;
    if (job->submit_us > load->last_us)
        load->last_us = job->submit_us;
    load->all.gpu_us += hs_trace_job_gpu_us(job);
    load->all.jobs++;
    if (load->cluster)
        note_unfit(load, job);
    add_to(&load->types, &load->by_type, &load->by_type_cap, job->gpu_type, job);
    add_to(&load->vcs, &load->by_vc, &load->by_vc_cap, job->vc, job);
}

/* gpus 0: not known, so only the demand is printed. */
static void say_row(const struct offered_load *load, const char *kind, const char *name,
                    const struct load_sum *sum, uint64_t gpus, struct hs_output *out)
{
    uint64_t span_s = (uint64_t)(load->last_us - load->first_us) / 1000000;
    uint64_t gpu_s = (uint64_t)(sum->gpu_us / 1000000);
    char have[24] = "-";
    if (gpus > 0)
        snprintf(have, sizeof have, "%llu", (unsigned long long)gpus);
    /* 100 gpu_s fits as long as a trace asks for less than 5e9 GPU-years. */
    hs_say(out, "%-9s %-16s %9s %12llu %16s %8s\n", kind, name, have, (unsigned long long)sum->jobs,
           hs_figure_ratio(gpu_s, span_s, 1).text,
           gpus > 0 ? hs_figure_ratio(gpu_s * 100, span_s * gpus, 1).text : "-");
}

static void say_pools(const struct offered_load *load, const char *kind,
                      const struct hs_intern *names, const struct load_sum *sums,
                      const struct hs_trace_pool *pools, uint32_t pool_count, struct hs_output *out)
{
    for (uint32_t id = 1; id < names->count; id++) {
        const char *name = hs_intern_text(names, id);
        uint64_t gpus;
        (void)find_pools(pools, pool_count, name, &gpus);
        say_row(load, kind, name, &sums[id], gpus, out);
    }
    if (names->count > 1 && sums[0].jobs > 0)
        say_row(load, kind, "(none)", &sums[0], 0, out);
}

static void load_say(const struct offered_load *load, struct hs_output *out)
{
    const struct hs_trace_capacity *c = load->cluster;
    if (load->all.jobs == 0 || load->last_us <= load->first_us)
        return;
    hs_say(out, "\noffered load over the span of the submissions\n");
    hs_say(out, "%-9s %-16s %9s %12s %16s %8s\n", "", "", "GPUs", "jobs", "mean GPUs wanted",
           "load %");
    say_row(load, "all", "", &load->all, c ? c->gpus : 0, out);
    say_pools(load, "GPU type", &load->types, load->by_type, c ? c->types : NULL,
              c ? c->type_count : 0, out);
    say_pools(load, "VC", &load->vcs, load->by_vc, c ? c->vcs : NULL, c ? c->vc_count : 0, out);
    if (!c)
        return;
    hs_say(out, "\n%llu jobs can never fit the cluster%s\n", (unsigned long long)load->unfit,
           load->unfit > 0 ? ": a run rejects them" : "");
    for (uint64_t i = 0; i < load->unfit && i < HS_UNFIT_SHOWN; i++)
        hs_say(out, "    %s\n", load->unfit_texts[i]);
}

/* ---- the pass ---- */

struct trace_validation {
    const struct hs_trace_options *options;
    struct hs_diag *diag;   /* of the caller */
    struct hs_diag catcher; /* of the reader */
    struct hs_reader reader;
    struct hs_reorder held;
    struct idset ids;
    struct offered_load load;
    struct hs_fractions utils;
    struct hs_arena texts;
    const char *shown[HS_FAULT_COUNT][HS_FAULTS_SHOWN]; /* first line of each message */
    uint64_t jobs, late;
    int64_t newest_us;     /* latest submission so far */
    int64_t handed_out_us; /* submission that a run would have handed out last */
    int64_t latest_us;     /* by how much a row came late, at most */
    bool is_open;          /* the header was understood: faults are those of rows */
    bool is_cut_short;     /* the file could not be read to its end */
};

/* Warnings, notes and whatever is not about a row go to the caller as they are. */
static void catch_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct trace_validation *d = ctx;
    const struct hs_faults *faults = &d->reader.faults;
    if (severity != HS_ERROR || !faults->is_row_bad || !d->is_open) {
        *(severity == HS_ERROR ? &d->diag->errors : &d->diag->warnings) += severity != HS_NOTE;
        if (severity >= d->diag->least)
            d->diag->emit(d->diag->ctx, severity, text, len);
        return;
    }
    const char *end = memchr(text, '\n', len);
    uint64_t nth = faults->counts[faults->kind] - 1;
    if (nth < HS_FAULTS_SHOWN)
        d->shown[faults->kind][nth] =
            hs_arena_text(&d->texts, text, end ? (size_t)(end - text) : len);
}

/* Pushes the time of the job through the window that a run would use. */
static void check_order(struct trace_validation *d, const struct hs_trace_job *job)
{
    if (d->jobs > 0 && job->submit_us < d->newest_us) {
        d->late++;
        if (d->newest_us - job->submit_us > d->latest_us)
            d->latest_us = d->newest_us - job->submit_us;
    }
    if (d->jobs == 0 || job->submit_us > d->newest_us)
        d->newest_us = job->submit_us;
    if (d->options->sort_window == HS_SORT_ALL)
        return;
    if (job->submit_us < d->handed_out_us) {
        struct hs_place place = hs_reader_place(&d->reader, "submit_time");
        d->reader.faults.is_row_bad = true;
        (void)hs_trace_bad_row(
            &d->reader.faults, HS_FAULT_ORDER, &place, NULL,
            "job '%s' comes %s s late, past the %llu rows held back", job->id,
            hs_figure_seconds((uint64_t)(d->handed_out_us - job->submit_us)).text,
            (unsigned long long)d->options->sort_window);
        return;
    }
    struct hs_trace_job *time_only = hs_reorder_room(&d->held);
    *time_only = (struct hs_trace_job){.id = "", .submit_us = job->submit_us};
    hs_reorder_push(&d->held);
    if (d->held.count < d->options->sort_window)
        return;
    const struct hs_trace_job *first = hs_reorder_pop(&d->held);
    if (first != NULL)
        d->handed_out_us = first->submit_us;
}

static void examine(struct trace_validation *d, const struct hs_trace_job *job)
{
    check_order(d, job);
    if (!idset_add(&d->ids, job->id)) {
        struct hs_place place = hs_reader_place(&d->reader, "job_id");
        (void)hs_trace_bad_row(&d->reader.faults, HS_FAULT_DUPLICATE, &place, NULL,
                               "job id '%s' was seen before", job->id);
    }
    d->jobs++;
    if (job->gpus > 0)
        hs_fractions_count(&d->utils, job->gpu_util_pm);
    load_add(&d->load, job);
}

/* Reads on over every bad row. A file that cannot be read to its end is one more fault. */
static enum hs_status examine_all(struct trace_validation *d)
{
    struct hs_trace_job job;
    for (;;) {
        enum hs_status status = hs_reader_next(&d->reader, &job);
        if (status == HS_END)
            return HS_OK;
        if (status == HS_E_INPUT && d->reader.faults.is_row_bad)
            continue;
        if (status == HS_E_INPUT) {
            d->is_cut_short = true;
            d->reader.faults.total += d->reader.faults.counts[HS_FAULT_STRUCTURE] == 0;
            return HS_OK;
        }
        HS_TRY(status);
        examine(d, &job);
    }
}

static void say_faults(const struct trace_validation *d, struct hs_output *out)
{
    const struct hs_faults *faults = &d->reader.faults;
    for (int kind = 0; kind < HS_FAULT_COUNT; kind++) {
        if (faults->counts[kind] == 0)
            continue;
        hs_say(out, "\n%llu %s\n", (unsigned long long)faults->counts[kind],
               hs_fault_text((enum hs_fault)kind));
        for (int i = 0; i < HS_FAULTS_SHOWN && d->shown[kind][i]; i++)
            hs_say(out, "    %s\n", d->shown[kind][i]);
        hs_say(out, "    repair: %s\n", hs_fault_repair((enum hs_fault)kind));
    }
    if (d->is_cut_short)
        hs_say(out, "\nthe file cannot be read to its end: rows and jobs are those before it\n");
}

static uint64_t say_report(struct trace_validation *d, struct hs_output *out)
{
    const struct hs_reader *r = &d->reader;
    const struct hs_trace_counts counts = {.rows = r->counts.rows,
                                           .accepted = d->jobs,
                                           .rounded = r->counts.rounded,
                                           .drop_texts = hs_drop_texts,
                                           .drops = r->counts.drops,
                                           .drop_kinds = HS_DROP_COUNT};
    hs_say_intake(out, hs_input_path(r->input), r->format->name, &counts);
    if (d->late > 0)
        hs_say(out, "out of order %llu rows, at most %s s late\n", (unsigned long long)d->late,
               hs_figure_seconds((uint64_t)d->latest_us).text);
    say_faults(d, out);
    load_say(&d->load, out);
    uint64_t faults = r->faults.total;
    hs_say(out, "\n%llu fault%s\n", (unsigned long long)faults, faults == 1 ? "" : "s");
    return faults;
}

enum hs_status hs_trace_validate(const struct hs_trace_options *options,
                                 const struct hs_trace_capacity *cluster, struct hs_output *out,
                                 struct hs_diag *diag)
{
    struct trace_validation *d = hs_alloc_zeroed(1, sizeof *d);
    d->options = options;
    d->diag = diag;
    d->handed_out_us = INT64_MIN;
    hs_diag_init(&d->catcher, catch_message, d);
    hs_reorder_init(&d->held);
    d->load =
        (struct offered_load){.cluster = cluster, .first_us = INT64_MAX, .last_us = INT64_MIN};
    hs_intern_init(&d->load.types);
    hs_intern_init(&d->load.vcs);
    enum hs_status status = hs_reader_open(&d->reader, options, HS_ERROR, &d->catcher);
    d->is_open = status == HS_OK;
    if (status == HS_OK)
        status = examine_all(d);
    if (status == HS_OK) {
        hs_fractions_warn(&d->utils, NULL, "gpu_util", "jobs", diag);
        status = say_report(d, out) > 0 ? HS_E_INPUT : HS_OK;
    }
    hs_reader_close(&d->reader);
    hs_reorder_free(&d->held);
    hs_free(d->ids.hashes);
    hs_intern_free(&d->load.types);
    hs_intern_free(&d->load.vcs);
    hs_free(d->load.by_type);
    hs_free(d->load.by_vc);
    hs_arena_free(&d->texts);
    hs_free(d);
    return status;
}
