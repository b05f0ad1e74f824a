/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One function a cleaning step, for clean.c alone: each looks at all rows and adds its mark.
 */
#ifndef HORUS_CALIBRATE_CLEAN_RULES_H
#define HORUS_CALIBRATE_CLEAN_RULES_H

#include "calibrate/clean.h"

typedef enum hs_status hs_clean_rule(struct hs_measurements *m, double tolerance);

/* By HS_CLEAN_BIT_x, in the order in which they are applied. */
extern hs_clean_rule *const hs_clean_rules[HS_CLEAN_COUNT];

/* Reasons that no step can take back: there is no speed in such a row. */
#define HS_CLEAN_UNUSABLE                                                                          \
    (HS_DROPPED(FAILED) | HS_DROPPED(NOT_MEASURED) | HS_DROPPED(NO_SOLO) | HS_DROPPED(NEGATIVE) |  \
     HS_DROPPED(REPEATED))

#endif
