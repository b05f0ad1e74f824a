/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The memory formula of Horus (policies/horus.md 2.3, after its re-implementation by ITU): 4 bytes
 * for each activation of the batch, each parameter and one gradient a parameter and sample.
 * Nothing of it is fitted, so every measured row tests it: what is told as its error is the root
 * mean square of ln(formula / measured) on the other rows, times the estimate.
 */
#include <math.h>
#include <string.h>

#include "base/timeparse.h"
#include "model/predictor_private.h"

#define BYTES_PER_MIB 1048576.0
/* SD of the log ratio on 18 measured points of an A100, for a catalogue that has none to compare
 * (policies/horus.md 2.3). */
#define LN_ERROR 0.665

/* Rounded up; 0 where a feature or the batch is unknown. */
static double formula_mib(const struct hs_profile *row)
{
    double batch, outputs = row->features[HS_FEATURE_OUTPUTS],
                  params = row->features[HS_FEATURE_PARAMS];
    if (isnan(outputs) || isnan(params) ||
        !hs_parse_double(row->batch, strlen(row->batch), &batch) || batch <= 0)
        return 0;
    double bytes = 4 * (outputs * batch + params + batch * params);
    return fmin(ceil(bytes / BYTES_PER_MIB), UINT32_MAX);
}

static double residual_ln(const struct hs_profile *row)
{
    double mib = formula_mib(row);
    return mib > 0 && row->mem_mib > 0 ? log(mib / row->mem_mib) : NAN;
}

void hs_predictor_guess_memory(const struct hs_catalogue *catalogue,
                               struct hs_profile_guess *guesses)
{
    double squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        double residual = residual_ln(&catalogue->profiles[i]);
        if (isnan(residual))
            continue;
        squares += residual * residual;
        count++;
    }
    for (uint32_t i = 0; i < catalogue->count; i++) {
        double mib = formula_mib(&catalogue->profiles[i]);
        double error = hs_predictor_other_rms(squares, count, residual_ln(&catalogue->profiles[i]));
        guesses[i].mem_mib = (uint32_t)mib;
        guesses[i].mem_error_mib =
            (uint32_t)fmin(round(mib * (isnan(error) ? LN_ERROR : error)), UINT32_MAX);
    }
}
