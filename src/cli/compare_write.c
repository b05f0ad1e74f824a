/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compare.csv, tidy: a row a policy and metric. order.csv: of policies that are neighbours by their
 * mean JCT, in how many pairs of runs the order of the means holds.
 */
#include <math.h>
#include <stdio.h>

#include "cli/compare.h"
#include "data/csvwrite.h"

static enum hs_status open_file(const struct hs_rundir *dir, const char *name, const char *header,
                                struct hs_csvw *csv, struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    hs_rundir_file(dir, name, path, sizeof path);
    return hs_csvw_open(csv, path, header, diag);
}

static enum hs_status close_file(const char *name, struct hs_csvw *csv, struct hs_output_file *file,
                                 struct hs_diag *diag)
{
    *file = (struct hs_output_file){.name = name,
                                    .hash = hs_output_hash(&csv->out),
                                    .bytes = hs_output_bytes(&csv->out),
                                    .rows = csv->rows};
    return hs_csvw_close(csv, diag);
}

static void put_row(const struct hs_compare *c, uint32_t policy, uint32_t metric,
                    struct hs_csvw *csv)
{
    size_t at = (size_t)policy * c->metrics->count + metric;
    const struct hs_replicated *mean = &c->means[at], *ratio = &c->ratios[at];
    hs_csvw_text(csv, c->policies[policy].spec);
    hs_csvw_text(csv, c->metrics->metrics[metric].name);
    hs_csvw_text(csv, c->metrics->metrics[metric].unit);
    hs_csvw_double(csv, mean->value);
    hs_csvw_double(csv, mean->low);
    hs_csvw_double(csv, mean->high);
    hs_csvw_double(csv, ratio->value);
    hs_csvw_double(csv, ratio->low);
    hs_csvw_double(csv, ratio->high);
    hs_csvw_u64(csv, mean->runs);
    hs_csvw_end(csv);
}

static enum hs_status write_compare(struct hs_compare *c, const struct hs_rundir *dir)
{
    struct hs_csvw csv;
    HS_TRY(open_file(dir, "compare.csv", HS_COMPARE_COLUMNS, &csv, &c->call->diag));
    for (uint32_t p = 0; p < c->policy_count; p++)
        for (uint32_t m = 0; m < c->metrics->count; m++)
            put_row(c, p, m, &csv);
    return close_file("compare.csv", &csv, &c->files[0], &c->call->diag);
}

/* Those with a mean JCT, ascending; equal ones as they were given. */
static uint32_t by_mean(const struct hs_compare *c, uint32_t metric, uint32_t *policies)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < c->policy_count; p++) {
        double mean = c->means[(size_t)p * c->metrics->count + metric].value;
        if (isnan(mean))
            continue;
        uint32_t at = count++;
        for (; at > 0; at--) {
            double before = c->means[(size_t)policies[at - 1] * c->metrics->count + metric].value;
            if (before <= mean)
                break;
            policies[at] = policies[at - 1];
        }
        policies[at] = p;
    }
    return count;
}

static double cell_value(const struct hs_compare *c, uint32_t policy, uint32_t pair,
                         uint32_t metric)
{
    return c->values[((size_t)policy * c->pair_count + pair) * c->metrics->count + metric];
}

uint32_t hs_compare_order(const struct hs_compare *c, const char *metric,
                          struct hs_compare_neighbours *orders)
{
    uint32_t policies[HS_COMPARED_MAX], m = hs_compare_metric(c, metric);
    uint32_t count = m != UINT32_MAX ? by_mean(c, m, policies) : 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        orders[i] = (struct hs_compare_neighbours){policies[i], policies[i + 1], 0, 0};
        for (uint32_t k = 0; k < c->pair_count; k++) {
            double first = cell_value(c, policies[i], k, m);
            double second = cell_value(c, policies[i + 1], k, m);
            orders[i].cells += !isnan(first) && !isnan(second);
            orders[i].agree += first < second;
        }
    }
    return count > 0 ? count - 1 : 0;
}

static enum hs_status write_order(struct hs_compare *c, const struct hs_rundir *dir)
{
    struct hs_compare_neighbours orders[HS_COMPARED_MAX];
    struct hs_csvw csv;
    uint32_t count = hs_compare_order(c, HS_ORDER_METRIC, orders);
    HS_TRY(open_file(dir, "order.csv", HS_ORDER_COLUMNS, &csv, &c->call->diag));
    for (uint32_t i = 0; i < count; i++) {
        hs_csvw_text(&csv, c->policies[orders[i].first].spec);
        hs_csvw_text(&csv, c->policies[orders[i].second].spec);
        hs_csvw_text(&csv, HS_ORDER_METRIC);
        hs_csvw_u64(&csv, orders[i].cells);
        hs_csvw_u64(&csv, orders[i].agree);
        hs_csvw_end(&csv);
    }
    return close_file("order.csv", &csv, &c->files[2], &c->call->diag);
}

enum hs_status hs_compare_write(struct hs_compare *c, const struct hs_rundir *dir)
{
    HS_TRY(write_compare(c, dir));
    return write_order(c, dir);
}
