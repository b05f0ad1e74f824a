/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measured pairs of made-up jobs, every job beside every other and beside itself, with speeds by a
 * function of the test.
 *
 *     static const struct paired_job jobs[] = {{"A/d/1/fp32", 0.5}, {"B/d/1/fp32", 0.25}};
 *     paired_write("pairs.csv", "V100", jobs, 2, queue);        // into the scratch folder
 *     paired_read(&t, jobs, 2, queue);                          // written, read, as a pairset
 */
#ifndef HORUS_TESTS_PAIRED_H
#define HORUS_TESTS_PAIRED_H

#include "calibrate/pairs.h"
#include "support/measured.h"

struct paired_job {
    const char *key;
    double util; /* NaN = not measured */
};

typedef double paired_speed(const struct paired_job *jobs, uint32_t own, uint32_t other);

struct paired {
    struct measured measured;
    struct hs_pairset set; /* of the GPU type "V100" */
};

void paired_write(const char *name, const char *gpu, const struct paired_job *jobs, uint32_t count,
                  paired_speed *speed);
void paired_read(struct paired *p, const struct paired_job *jobs, uint32_t count,
                 paired_speed *speed);
void paired_free(struct paired *p);

/* The closed queue of two jobs, S = 1 + u v. */
double paired_queue(const struct paired_job *jobs, uint32_t own, uint32_t other);

#endif
