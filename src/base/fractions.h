/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fractions written where per cent are expected: 0.45 is a figure in range, and a busy GPU becomes
 * an idle one in silence. One figure below 1 % may be true; all of them never are.
 *
 *     hs_fractions_count(&seen, job->gpu_util_pm);
 *     hs_fractions_warn(&seen, NULL, "gpu_util", "jobs", diag);
 */
#ifndef HORUS_BASE_FRACTIONS_H
#define HORUS_BASE_FRACTIONS_H

#include <stdint.h>

#include "base/diag.h"

struct hs_fractions {
    uint64_t rows;    /* with a figure or without */
    uint64_t told;    /* with a figure */
    uint64_t nonzero; /* above 0 */
    uint64_t above_1; /* above 1 per cent */
};

static inline void hs_fractions_count(struct hs_fractions *seen, int32_t per_mille) /* -1 = none */
{
    seen->rows++;
    if (per_mille < 0)
        return;
    seen->told++;
    seen->nonzero += per_mille > 0;
    seen->above_1 += per_mille > 10;
}

/* One warning if all figures are at most 1: of three rows, or of all there are. */
void hs_fractions_warn(const struct hs_fractions *seen, const struct hs_place *place,
                       const char *column, const char *rows, struct hs_diag *diag);

#endif
