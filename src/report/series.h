/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * series.csv, tidy: time,metric,key,value. Three samplings: the timeline's intervals (written at
 * the end), fixed intervals (time-weighted means, written as they pass), or every change.
 */
#ifndef HORUS_REPORT_SERIES_H
#define HORUS_REPORT_SERIES_H

#include <stdint.h>

#include "base/diag.h"
#include "data/csvwrite.h"
#include "horus/observe.h"
#include "report/timeline.h"

struct hs_series {
    struct hs_csvw csv;
    int64_t sample_us; /* 0, -1 or the interval */
    uint64_t gpus;     /* of the cluster: utilization is a share of them */
    int64_t time_us, start_us;
    uint64_t value[HS_CH_SERIES];
    hs_u128 sum[HS_CH_SERIES]; /* of the interval begun at start_us */
    bool has_value;
};

HS_MUST_USE enum hs_status hs_series_open(struct hs_series *s, const char *path, int64_t sample_us,
                                          uint64_t gpus, struct hs_diag *diag);
struct hs_observer hs_series_observer(struct hs_series *s);
/* timeline: closed at end_us. Writes what is left; the file stays open for hs_csvw_close(). */
void hs_series_finish(struct hs_series *s, int64_t end_us, const struct hs_timeline *timeline);

#endif
