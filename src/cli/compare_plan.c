/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From options to cells. Every policy is set up once, so that whatever can be refused is refused
 * before the first simulation.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "cli/compare.h"
#include "cli/run_begin.h"
#include "cli/seedlist.h"
#include "cli/simulate.h"
#include "data/param.h"

#define SPEC_MAX 1000u /* bytes */

static enum hs_status no_memory(struct hs_compare *c)
{
    return hs_fail(&c->call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
}

static bool has_namesake(const struct hs_compare *c, const struct hs_compared *policy)
{
    for (uint32_t i = 0; i < c->policy_count; i++)
        if (strcmp(c->policies[i].label, policy->label) == 0)
            return true;
    return false;
}

/* "pack:scan=fit,x=1" -> "pack-scan=fit-x=1": safe in a path, and readable. */
static void make_label(const struct hs_compare *c, struct hs_compared *policy)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._=+";
    char base[HS_LABEL_SIZE - 12]; /* behind it the number of a namesake */
    size_t len = 0;
    for (const char *p = policy->spec; *p != '\0' && len + 1 < sizeof base; p++)
        base[len++] = strchr(safe, *p) != NULL ? *p : '-';
    base[len] = '\0';
    (void)snprintf(policy->label, sizeof policy->label, "%s", base);
    for (uint32_t number = 2; has_namesake(c, policy); number++)
        (void)snprintf(policy->label, sizeof policy->label, "%s-%" PRIu32, base, number);
}

static enum hs_status add_policy(struct hs_compare *c, const char *spec, size_t len)
{
    struct hs_diag *diag = &c->call->diag;
    struct hs_compared *policy = &c->policies[c->policy_count];
    if (len == 0 || len > SPEC_MAX)
        return hs_fail(diag, HS_E_USAGE, NULL, "-p NAME[:KEY=VALUE,...]",
                       "compare: a policy has 1 to %u bytes, not %zu", SPEC_MAX, len);
    if (c->policy_count == HS_COMPARED_MAX)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "compare: more than %u policies",
                       HS_COMPARED_MAX);
    policy->spec = hs_arena_text(&c->call->arena, spec, len);
    if (policy->spec == NULL)
        return no_memory(c);
    for (uint32_t i = 0; i < c->policy_count; i++)
        if (strcmp(c->policies[i].spec, policy->spec) == 0)
            return hs_fail(diag, HS_E_USAGE, NULL, "leave one out",
                           "compare: policy '%s' is given twice", policy->spec);
    make_label(c, policy);
    c->policy_count++;
    return HS_OK;
}

static enum hs_status list_policies(struct hs_compare *c)
{
    const char *specs = c->options->run.policy;
    if (specs == NULL)
        return hs_fail(&c->call->diag, HS_E_USAGE, NULL,
                       "one -p each, e.g. -p fifo -p sjf; 'horus policies' lists them",
                       "compare: which policies?");
    for (size_t len;; specs += len + 1) {
        len = strcspn(specs, "\n");
        HS_TRY(add_policy(c, specs, len));
        if (specs[len] == '\0')
            return HS_OK;
    }
}

/* The options and configuration of `horus run`, with this policy. */
static void fill_options(struct hs_compare *c, struct hs_compared *policy)
{
    const struct hs_config *from = &c->call->config;
    policy->options = c->options->run;
    policy->options.policy = policy->spec;
    policy->options.output = NULL;
    policy->options.force = false;
    policy->config = (struct hs_config){.options = hs_run_option_table,
                                        .base = &policy->options,
                                        .arena = from->arena,
                                        .file = from->file};
    for (uint32_t i = 0; hs_run_option_table[i].param.key != NULL; i++)
        policy->config.origin[i] = hs_config_origin(from, hs_run_option_table[i].param.key);
}

void hs_compare_cell_options(const struct hs_compare *c, const struct hs_cell *cell,
                             struct hs_run_options *options, struct hs_config *config)
{
    *options = c->policies[cell->policy].options;
    options->seed = cell->seed;
    options->assign_seed = cell->assign_seed;
    *config = c->policies[cell->policy].config;
    config->base = options;
}

struct seeds {
    const int64_t *list, *assigned;
    uint32_t count, assigned_count;
    int64_t seed, assign_seed; /* without a list */
};

static enum hs_status read_seeds(struct hs_compare *c, struct seeds *seeds)
{
    struct hs_call *call = c->call;
    const struct hs_compare_options *o = c->options;
    HS_TRY(hs_run_refuse_both(
        call, o->seeds != NULL && hs_config_origin(&call->config, "seed") == HS_FROM_FLAG,
        "--seeds", "--seed"));
    HS_TRY(hs_run_refuse_both(call, o->assignments != NULL && o->run.assign_seed != 0,
                              "--assignments", "--assign-seed"));
    *seeds = (struct seeds){
        .count = 1, .assigned_count = 1, .seed = o->run.seed, .assign_seed = o->run.assign_seed};
    seeds->list = &seeds->seed;
    seeds->assigned = &seeds->assign_seed;
    if (o->seeds != NULL)
        HS_TRY(hs_seedlist_parse(o->seeds, "--seeds", 0, &call->arena, &seeds->list, &seeds->count,
                                 &call->diag));
    if (o->assignments != NULL)
        HS_TRY(hs_seedlist_parse(o->assignments, "--assignments", 1, &call->arena, &seeds->assigned,
                                 &seeds->assigned_count, &call->diag));
    return HS_OK;
}

static void fill_cell(const struct hs_compare *c, struct hs_cell *cell, uint32_t policy,
                      int64_t seed, int64_t assign_seed)
{
    *cell = (struct hs_cell){.policy = policy,
                             .seed = seed,
                             .assign_seed = assign_seed,
                             .assignment = assign_seed != 0 ? assign_seed : seed};
    (void)snprintf(cell->name, sizeof cell->name, "%s-s%" PRId64 "-a%" PRId64,
                   c->policies[policy].label, seed, cell->assignment);
}

static enum hs_status list_cells(struct hs_compare *c)
{
    struct seeds seeds;
    HS_TRY(read_seeds(c, &seeds));
    uint64_t pairs = (uint64_t)seeds.count * seeds.assigned_count;
    uint64_t count = pairs * c->policy_count;
    if (count > HS_CELLS_MAX)
        return hs_fail(&c->call->diag, HS_E_USAGE, NULL, "compare in parts",
                       "compare: %" PRIu64 " runs are more than %u", count, HS_CELLS_MAX);
    if (count < 2)
        return hs_fail(&c->call->diag, HS_E_USAGE, NULL, "a second -p, or --seeds 1..5",
                       "compare: there is one run only");
    c->pair_count = (uint32_t)pairs;
    c->cell_count = (uint32_t)count;
    c->cells = hs_arena_alloc(&c->call->arena, count * sizeof *c->cells);
    if (c->cells == NULL)
        return no_memory(c);
    struct hs_cell *cell = c->cells;
    for (uint32_t p = 0; p < c->policy_count; p++)
        for (uint32_t s = 0; s < seeds.count; s++)
            for (uint32_t a = 0; a < seeds.assigned_count; a++)
                fill_cell(c, cell++, p, seeds.list[s], seeds.assigned[a]);
    return HS_OK;
}

static enum hs_status alloc_results(struct hs_compare *c)
{
    struct hs_arena *arena = &c->call->arena;
    uint64_t metrics = c->metrics->count;
    c->values = hs_arena_alloc(arena, c->cell_count * metrics * sizeof *c->values);
    c->means = hs_arena_alloc(arena, c->policy_count * metrics * sizeof *c->means);
    c->ratios = hs_arena_alloc(arena, c->policy_count * metrics * sizeof *c->ratios);
    return c->values != NULL && c->means != NULL && c->ratios != NULL ? HS_OK : no_memory(c);
}

static bool are_alike(const struct hs_setup *a, const struct hs_setup *b)
{
    char mine[256], other[256];
    const struct hs_param *param = a->policy->params;
    if (a->policy != b->policy)
        return false;
    for (; param->key != NULL; param++) {
        (void)hs_param_print(param, a->policy_state, mine, sizeof mine);
        (void)hs_param_print(param, b->policy_state, other, sizeof other);
        if (strcmp(mine, other) != 0)
            return false;
    }
    return true;
}

/* "horus" and "horus:look_ahead=5" are two names of one thing: allowed, for scripts that vary it.
 */
static void note_alike(const struct hs_compare *c, const struct hs_compared *policy)
{
    for (const struct hs_compared *p = c->policies; p < policy; p++)
        if (are_alike(&p->setup, &policy->setup))
            hs_report(&c->call->diag, HS_NOTE, NULL, NULL,
                      "policies '%s' and '%s' have the same parameters", p->spec, policy->spec);
}

enum hs_status hs_compare_plan(struct hs_compare *c, struct hs_call *call)
{
    memset(c, 0, sizeof *c);
    c->call = call;
    c->options = call->options;
    c->policies = hs_arena_alloc(&call->arena, HS_COMPARED_MAX * sizeof *c->policies);
    c->metrics = hs_arena_alloc(&call->arena, sizeof *c->metrics);
    hs_runlog_open(&c->log, &call->diag);
    HS_TRY(hs_oncelog_open(&c->once, &c->log.diag));
    if (c->policies == NULL || c->metrics == NULL)
        return no_memory(c);
    if (c->options->run.trace != NULL && strcmp(c->options->run.trace, "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "put the trace into a file",
                       "compare reads the trace several times: standard input cannot be");
    HS_TRY(list_policies(c));
    HS_TRY(list_cells(c));
    if (c->options->run.trace == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "horus compare TRACE -p fifo -p sjf",
                       "compare: TRACE is missing");
    c->once.diag.least = c->options->run.verbose ? HS_NOTE : HS_WARNING;
    for (; c->policies_open < c->policy_count; c->policies_open++) {
        struct hs_compared *policy = &c->policies[c->policies_open];
        fill_options(c, policy);
        policy->options.seed = c->cells[0].seed;
        policy->options.assign_seed = c->cells[0].assign_seed;
        enum hs_status status =
            hs_setup_open(&policy->setup, &policy->options, &policy->config, &c->once.diag);
        if (status == HS_OK)
            status = hs_simulate_check(&policy->setup, &c->once.diag);
        if (status != HS_OK) {
            hs_setup_close(&policy->setup);
            return status;
        }
        note_alike(c, policy);
    }
    HS_TRY(hs_simulate_metrics(&c->policies[0].setup, c->metrics, &call->diag));
    HS_TRY(hs_compare_read_columns(c));
    HS_TRY(hs_compare_read_conditions(c));
    return alloc_results(c);
}

void hs_compare_close(struct hs_compare *c)
{
    for (uint32_t p = 0; p < c->policies_open; p++)
        hs_setup_close(&c->policies[p].setup);
    hs_oncelog_close(&c->once);
    hs_runlog_close(&c->log);
}

uint32_t hs_compare_metric(const struct hs_compare *c, const char *name)
{
    for (uint32_t m = 0; m < c->metrics->count; m++)
        if (strcmp(c->metrics->metrics[m].name, name) == 0)
            return m;
    return UINT32_MAX;
}

enum hs_status hs_compare_dir(const struct hs_compare *c, char *path, size_t size)
{
    struct hs_diag *diag = &c->call->diag;
    uint64_t hash = 0, part;
    for (uint32_t p = 0; p < c->policy_count; p++) {
        HS_TRY(hs_setup_hash(&c->policies[p].setup, &part, diag));
        hash = hs_mix64(hash, part);
    }
    for (uint32_t i = 0; i < c->pair_count; i++) {
        hash = hs_mix64(hash, (uint64_t)c->cells[i].seed);
        hash = hs_mix64(hash, (uint64_t)c->cells[i].assignment);
    }
    HS_TRY(hs_workload_hash(&c->options->run, &part, diag));
    hash = hs_mix64(hash, part);
    (void)snprintf(path, size, "results/compare-%s-%012" PRIx64, c->policies[0].setup.workload,
                   hash >> 16);
    return HS_OK;
}
