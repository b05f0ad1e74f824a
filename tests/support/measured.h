/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fixture of the tests of measurements: reads a file, prints its jobs and rows as text, or reads
 * the published data if it is present.
 *
 *     static struct measured t;
 *     measured_good(&t, "a.csv");
 *     measured_expect_pairs(&t, "A/D/1/fp32 > B/D/1/fp32 #0 0.75\n"
 *                               "B/D/1/fp32 > A/D/1/fp32 #0 0.5\n");
 */
#ifndef HORUS_TESTS_MEASURED_H
#define HORUS_TESTS_MEASURED_H

#include <stdint.h>

#include "calibrate/measure.h"
#include "support/sink.h"

struct measured {
    struct sink sink;
    struct hs_measurements m;
    struct hs_clean_counts counts;
    char shown[8192];
};

void measured_put(const char *name, const char *text); /* a file of the scratch folder */

/* Each forgets earlier data and messages. */
void measured_good(struct measured *t, const char *path); /* no message is allowed */
void measured_fail(struct measured *t, const char *path, enum hs_status status);
void measured_bad(struct measured *t, const char *path, const char *said); /* HS_E_INPUT */

/* One line a job: key, GPU type, "x4" and "spread", then its measurements alone. */
void measured_expect_solos(struct measured *t, const char *text);
/* One line a row: own > other #pair speed, then the measurements of the pair, the reader's mark. */
void measured_expect_pairs(struct measured *t, const char *text);

/* Reads calibration/NAME of the data folder; without it the test is skipped, with a message. */
void measured_data(struct measured *t, const char *name);
void measured_clean(struct measured *t, uint32_t steps);
uint32_t measured_gpu(const struct measured *t, const char *name);
const struct hs_solo *measured_solo(const struct measured *t, const char *key, const char *gpu,
                                    uint32_t gpus, bool is_spread);
/* Number of jobs alone with one of these marks. */
uint32_t measured_solos(const struct hs_measurements *m, uint32_t marks);
/* One-GPU pairs (both directions are one) with a row that has, or has not, one of these marks. */
uint32_t measured_pairs(const struct measured *t, const char *gpu, uint32_t marks, bool has);

#endif
