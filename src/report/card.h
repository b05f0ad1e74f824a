/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The semantics card in files: one order of fields for summary.json, summary.csv and the manifest.
 */
#ifndef HORUS_REPORT_CARD_H
#define HORUS_REPORT_CARD_H

#include <stdint.h>

#include "data/csvwrite.h"
#include "data/json.h"
#include "report/report.h"

/* As one JSON object; fields that are not stated are null. */
void hs_card_write_json(const struct hs_card *card, struct hs_jsonw *w);

/* As columns: the header, and the fields of the row in the same order. */
#define HS_CARD_COLUMNS                                                                            \
    "workload,cluster,seed,policy,order,scan,placement,preemption,preempt_cost,gang,ties,"         \
    "locality,vc,interference,knows,can,profiles,predictor,speeds"
void hs_card_write_csv(const struct hs_card *card, struct hs_csvw *w);

#endif
