/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reader sees of a comparison.
 */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "cli/compare.h"

static void say_head(const struct hs_compare *c, struct hs_output *out)
{
    const struct hs_setup *setup = &c->policies[0].setup;
    hs_say(out,
           "%s on %s: %" PRIu32 " GPUs, %" PRIu32 " nodes; %" PRIu32 " policies, %" PRIu32
           " run%s each\n\n",
           c->options->run.trace, c->options->run.cluster, setup->cluster.gpu_count,
           setup->cluster.node_count, c->policy_count, c->pair_count, c->pair_count > 1 ? "s" : "");
}

static void say_table(const struct hs_compare *c, struct hs_output *out)
{
    const struct hs_terminal *terminal = &c->call->terminal;
    struct hs_table_row rows[HS_COMPARED_MAX];
    struct hs_summary *means = hs_alloc_zeroed(c->policy_count, sizeof *means);
    if (means == NULL)
        return; /* the files are written: only the view of them is lacking */
    for (uint32_t p = 0; p < c->policy_count; p++) {
        memcpy(means[p].metrics, c->metrics->metrics, sizeof means[p].metrics);
        means[p].count = c->metrics->count;
        for (uint32_t m = 0; m < means[p].count; m++)
            means[p].metrics[m].value = c->means[(size_t)p * means[p].count + m].value;
        rows[p] = (struct hs_table_row){.label = c->policies[p].spec, .summary = &means[p]};
    }
    hs_table_print(out, rows, c->policy_count, terminal->columns, terminal->use_utf8,
                   terminal->use_color);
    hs_free(means);
}

static void say_orders(const struct hs_compare *c, struct hs_output *out)
{
    struct hs_compare_neighbours orders[HS_COMPARED_MAX];
    uint32_t count = hs_compare_order(c, HS_ORDER_METRIC, orders);
    hs_say(out, "\n");
    for (uint32_t i = 0; i < count && c->pair_count > 1; i++)
        hs_say(out, "order       %s before %s by mean JCT in %" PRIu32 " of %" PRIu32 " cells\n",
               c->policies[orders[i].first].spec, c->policies[orders[i].second].spec,
               orders[i].agree, orders[i].cells);
}

void hs_compare_say(const struct hs_compare *c, const char *dir)
{
    struct hs_output *out = &c->call->out;
    say_head(c, out);
    say_table(c, out);
    say_orders(c, out);
    for (uint32_t p = 0; p < c->policy_count; p++)
        hs_say(out, "%-11s %s: %s; may: %s\n", p == 0 ? "knows" : "", c->policies[p].spec,
               c->policies[p].setup.card.knows, c->policies[p].setup.card.can);
    hs_say(out, "files       %s/\n", dir);
}
