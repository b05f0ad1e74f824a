/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --tie-jitter K: how much of each metric is decided by ties. One run goes by rule, K more with
 * seeded random ties; here their metrics are gathered.
 */
#ifndef HORUS_CLI_JITTER_H
#define HORUS_CLI_JITTER_H

#include <stdint.h>

#include "report/report.h"

/* Seed of run k >= 0 under the run's seed; never 0, which means "by rule". */
uint64_t hs_jitter_seed(uint64_t seed, uint32_t k);

/* Adds the figures of one more run with random ties to summary->spreads. */
void hs_jitter_add(struct hs_summary *summary, const struct hs_summary *run);

#endif
