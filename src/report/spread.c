/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mean and squared deviations are carried run by run (Welford, Technometrics 1962): no second pass,
 * no cancellation when the spread is small beside the mean.
 */
#include "report/spread.h"

#include <math.h>

void hs_spread_add(struct hs_spread *spread, double value)
{
    spread->min = spread->runs == 0 ? value : fmin(spread->min, value);
    spread->max = spread->runs == 0 ? value : fmax(spread->max, value);
    spread->runs++;
    double before = value - spread->mean;
    spread->mean += before / spread->runs;
    spread->squares += before * (value - spread->mean);
}

double hs_spread_deviation(const struct hs_spread *spread)
{
    return spread->runs < 2 ? (double)NAN : sqrt(spread->squares / (spread->runs - 1));
}

static void member_double(struct hs_jsonw *w, const char *key, double value)
{
    hs_jsonw_key(w, key);
    hs_jsonw_double(w, value);
}

void hs_spread_write_json(const struct hs_summary *summary, struct hs_jsonw *w)
{
    if (summary->spread_count == 0)
        return;
    hs_jsonw_key(w, "tie_jitter");
    hs_jsonw_object(w);
    hs_jsonw_member_u64(w, "runs", summary->spreads[0].runs);
    for (uint32_t i = 0; i < summary->spread_count; i++) {
        const struct hs_spread *spread = &summary->spreads[i];
        hs_jsonw_key(w, spread->name);
        hs_jsonw_object(w);
        member_double(w, "mean", spread->mean);
        member_double(w, "deviation", hs_spread_deviation(spread));
        member_double(w, "min", spread->min);
        member_double(w, "max", spread->max);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_object(w);
}
