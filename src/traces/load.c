/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Offered load: GPU time asked for, over GPUs times the span of the submissions. O(1) a job.
 */
#include "traces/load.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "traces/say.h"

/* GPUs of the pools of this name, or of several joined by '|'; false if there is none. */
static bool find_pools(const struct hs_doctor_pool *pools, uint32_t count, const char *names,
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

enum hs_status hs_load_init(struct hs_load *load, const struct hs_doctor_cluster *cluster)
{
    *load = (struct hs_load){.cluster = cluster, .first_us = INT64_MAX, .last_us = INT64_MIN};
    HS_TRY(hs_intern_init(&load->types));
    return hs_intern_init(&load->vcs);
}

static enum hs_status add_to(struct hs_intern *names, struct hs_load_sum **sums, uint32_t *cap,
                             const char *name, const struct hs_trace_job *job)
{
    uint32_t id;
    HS_TRY(hs_intern_get(names, name, &id));
    HS_TRY(hs_grow((void **)sums, cap, (uint64_t)id + 1, sizeof **sums, HS_INTERN_MAX));
    (*sums)[id].gpu_us += hs_trace_job_gpu_us(job);
    (*sums)[id].jobs++;
    return HS_OK;
}

/* The smallest pool the job is bound to; name: what to call it. NULL when it names an unknown one.
 */
static bool find_bound(const struct hs_doctor_cluster *c, const struct hs_trace_job *job,
                       uint64_t *gpus, const char **kind, const char **name)
{
    *gpus = c->gpus;
    *kind = "the cluster";
    *name = "";
    const char *vc = job->vc ? job->vc : ""; /* which is none of them */
    const char *names[2] = {job->gpu_type, c->vc_count > 0 ? vc : NULL};
    const struct hs_doctor_pool *pools[2] = {c->types, c->vcs};
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

static void note_unfit(struct hs_load *load, const struct hs_trace_job *job)
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

enum hs_status hs_load_add(struct hs_load *load, const struct hs_trace_job *job)
{
    if (job->submit_us < load->first_us)
        load->first_us = job->submit_us;
    if (job->submit_us > load->last_us)
        load->last_us = job->submit_us;
    load->all.gpu_us += hs_trace_job_gpu_us(job);
    load->all.jobs++;
    if (load->cluster)
        note_unfit(load, job);
    HS_TRY(add_to(&load->types, &load->by_type, &load->by_type_cap, job->gpu_type, job));
    return add_to(&load->vcs, &load->by_vc, &load->by_vc_cap, job->vc, job);
}

/* gpus 0: not known, so only the demand is printed. */
static void say_row(const struct hs_load *load, const char *kind, const char *name,
                    const struct hs_load_sum *sum, uint64_t gpus, struct hs_output *out)
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

static void say_pools(const struct hs_load *load, const char *kind, const struct hs_intern *names,
                      const struct hs_load_sum *sums, const struct hs_doctor_pool *pools,
                      uint32_t pool_count, struct hs_output *out)
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

void hs_load_say(const struct hs_load *load, struct hs_output *out)
{
    const struct hs_doctor_cluster *c = load->cluster;
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

void hs_load_free(struct hs_load *load)
{
    hs_intern_free(&load->types);
    hs_intern_free(&load->vcs);
    hs_free(load->by_type);
    hs_free(load->by_vc);
}
