/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A condition under which a comparison has failed, for scripts and CI:
 *
 *     mean_jct>+1%            a policy's mean JCT is more than 1 % above that of the first policy
 *     gpu_utilization<-5%@sjf that of sjf is more than 5 % below it
 *     ooms>0                  a value itself, of any policy, in the unit of the metric
 */
#ifndef HORUS_CLI_FAILIF_H
#define HORUS_CLI_FAILIF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

struct hs_failif {
    const char *text;
    uint32_t metric, policy; /* indices; policy UINT32_MAX = of whomever it can be about */
    bool is_more;            /* fails above the limit, not below */
    bool is_relative;        /* to the first policy: limit 0.01 is +1 % */
    double limit;
};

/* What the words of a condition may name; policies[0] is the reference. */
struct hs_failif_names {
    const char *const *metrics, *const *policies;
    uint32_t metric_count, policy_count;
};

/* HS_E_USAGE with what was expected; text is borrowed. */
HS_MUST_USE enum hs_status hs_failif_parse(const char *text, const struct hs_failif_names *names,
                                           struct hs_failif *condition, struct hs_diag *diag);
/* Is it about that policy? */
bool hs_failif_concerns(const struct hs_failif *condition, uint32_t policy);

/* Figures of a policy: its mean, that of the first, and the ratio of the two (NaN = none). */
struct hs_failif_figures {
    double mean, first, ratio;
};
/* What the limit is held against: the mean, or its change, 0.01 = +1 %. A change from 0 to more is
 * infinite, from 0 to 0 none; NaN where there is nothing to judge. */
double hs_failif_figure(const struct hs_failif *condition, const struct hs_failif_figures *figures);
bool hs_failif_holds(const struct hs_failif *condition, double figure); /* false for NaN */

#endif
