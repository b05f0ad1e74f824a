/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Generated workloads, measured, and two workloads side by side.
 *
 *     worksource_generate(&a, "venus", 100000, 1);
 *     struct workpair p = worksource_compare_durations(&a, &b, "2-4");
 *     workstat_free(&a);
 */
#ifndef HORUS_TESTS_WORKSOURCE_H
#define HORUS_TESTS_WORKSOURCE_H

#include "base/sample.h"
#include "support/workstat.h"

/* name: a shipped workload or a file's path. An error fails the test, or ends the program. */
void worksource_generate(struct workstat *w, const char *name, uint64_t jobs, uint64_t seed);

/* Writes the workload fitted to such jobs, or to a trace, to path. */
void worksource_fit_generated(const char *name, uint64_t jobs, uint64_t seed, const char *path);
void worksource_fit_trace(const struct hs_trace_options *options, const char *path);

/* A row of a comparison of two workloads. */
struct workpair {
    uint32_t count, other_count; /* number of values compared */
    double ks, noise;            /* noise: of two samples of one distribution, 19 times out of 20 */
};

/* Compares their durations within a range of demands; counts are 0 if one of them has none. */
struct workpair worksource_compare_durations(const struct workstat *a, const struct workstat *b,
                                             const char *gpus);
struct workpair worksource_compare_gaps(const struct workstat *a, const struct workstat *b);
struct workpair worksource_compare_demands(const struct workstat *a, const struct workstat *b);

#endif
