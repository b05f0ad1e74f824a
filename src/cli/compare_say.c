/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reader sees of a comparison.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/compare.h"

static enum hs_status add_column(struct hs_compare *c, const char *name, uint32_t count)
{
    const char *names[HS_METRICS_MAX];
    char hint[96] = "results/README.md lists the metrics";
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(c->columns[i], name) == 0)
            return hs_fail(&c->call->diag, HS_E_USAGE, NULL, "leave one out",
                           "metrics: '%s' is given twice", name);
    if (hs_compare_metric(c, name) != UINT32_MAX) {
        c->columns[count] = name;
        return HS_OK;
    }
    for (uint32_t m = 0; m < c->metrics->count; m++)
        names[m] = c->metrics->metrics[m].name;
    const char *nearest = hs_nearest(name, names, c->metrics->count);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    return hs_fail(&c->call->diag, HS_E_USAGE, NULL, hint, "metrics: unknown metric '%s'", name);
}

enum hs_status hs_compare_read_columns(struct hs_compare *c)
{
    const char *text = c->options->metrics;
    if (text == NULL)
        return HS_OK;
    c->columns = hs_arena_alloc(&c->call->arena, (strlen(text) + 2) * sizeof *c->columns);
    for (uint32_t count = 0; c->columns != NULL; count++) {
        size_t len = strcspn(text, ",");
        const char *name = hs_arena_text(&c->call->arena, text, len);
        if (name == NULL)
            break;
        HS_TRY(add_column(c, name, count));
        if (text[len] == '\0')
            return HS_OK;
        text += len + 1;
    }
    return hs_fail(&c->call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
}

static void say_head(const struct hs_compare *c, struct hs_output *out)
{
    const struct hs_setup *setup = &c->policies[0].setup;
    hs_say(out,
           "%s on %s: %" PRIu32 " GPUs, %" PRIu32 " nodes; %" PRIu32 " polic%s, %" PRIu32
           " run%s each\n\n",
           c->options->run.trace, c->options->run.cluster, setup->cluster.gpu_count,
           setup->cluster.node_count, c->policy_count, c->policy_count > 1 ? "ies" : "y",
           c->pair_count, c->pair_count > 1 ? "s" : "");
}

/* In order of importance: a narrow terminal loses the last ones. */
static const char *const main_metrics[] = {
    "mean_jct", "mean_wait", "mean_pending",      "makespan",         "ooms",
    "p99_jct",  "p99_wait",  "mean_run_slowdown", "p99_run_slowdown", "gpu_utilization_loaded",
    NULL};

static void say_table(const struct hs_compare *c, struct hs_output *out)
{
    const struct hs_terminal *terminal = &c->call->terminal;
    const size_t count = c->metrics->count;
    struct hs_table_row rows[HS_COMPARED_MAX];
    struct hs_summary *means = hs_alloc_zeroed(c->policy_count, sizeof *means);
    if (means == NULL)
        return; /* the files are written: only the view of them is lacking */
    for (uint32_t p = 0; p < c->policy_count; p++) {
        memcpy(means[p].metrics, c->metrics->metrics, sizeof means[p].metrics);
        means[p].count = c->metrics->count;
        for (uint32_t m = 0; m < count; m++)
            means[p].metrics[m].value = c->means[p * count + m].value;
        rows[p] = (struct hs_table_row){.label = c->policies[p].spec,
                                        .summary = &means[p],
                                        .ratios = p > 0 ? c->ratios + p * count : NULL,
                                        .means = c->means};
    }
    hs_table_print(out,
                   &(struct hs_run_table){.rows = rows,
                                          .row_count = c->policy_count,
                                          .metrics = c->columns != NULL ? c->columns : main_metrics,
                                          .shows_all = c->columns != NULL,
                                          .columns = terminal->columns,
                                          .use_utf8 = terminal->use_utf8,
                                          .use_color = terminal->use_color});
    hs_free(means);
}

/* How the lines below the values are to be read. */
static void say_legend(const struct hs_compare *c, struct hs_output *out)
{
    if (c->pair_count == 1)
        hs_say(out, "\nratios      to %s; *: best\n", c->policies[0].spec);
    else if (c->policy_count == 1)
        hs_say(out, "\nintervals   95 %% of the mean over %" PRIu32 " runs\n", c->pair_count);
    else
        hs_say(out,
               "\nratios      to %s over %" PRIu32
               " pairs of runs; intervals 95 %%, +- that of a mean; *: best\n",
               c->policies[0].spec, c->pair_count);
}

static void say_orders(const struct hs_compare *c, struct hs_output *out)
{
    struct hs_compare_neighbours orders[HS_COMPARED_MAX];
    uint32_t count = hs_compare_order(c, HS_ORDER_METRIC, orders);
    for (uint32_t i = 0; i < count && c->pair_count > 1; i++)
        hs_say(out, "%-11s %s before %s by mean JCT in %" PRIu32 " of %" PRIu32 " pairs of runs\n",
               i == 0 ? "order" : "", c->policies[orders[i].first].spec,
               c->policies[orders[i].second].spec, orders[i].agree, orders[i].cells);
}

void hs_compare_say(const struct hs_compare *c, const char *dir)
{
    struct hs_output *out = &c->call->out;
    say_head(c, out);
    say_table(c, out);
    say_legend(c, out);
    say_orders(c, out);
    for (uint32_t p = 0; p < c->policy_count; p++)
        hs_say(out, "%-11s %s: %s; may: %s\n", p == 0 ? "knows" : "", c->policies[p].spec,
               c->policies[p].setup.card.knows, c->policies[p].setup.card.can);
    hs_say(out, "files       %s/\n", dir);
}
