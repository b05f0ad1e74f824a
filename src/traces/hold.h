/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports that may wait: who reads ahead of what is asked for lets them stay here until the row
 * that they are of is asked for. What nobody asks for is never said.
 *
 *     hs_hold_init(&hold, diag);
 *     ... &hold.diag ...                                    // passed on at once, while
 *     hold.is_holding = true;                               // from now on kept,
 *     hs_hold_release(&hold);                               // and said
 */
#ifndef HORUS_TRACES_HOLD_H
#define HORUS_TRACES_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

struct hs_hold {
    struct hs_diag diag; /* to report to; does not move */
    struct hs_diag *target;
    bool is_holding;
    char *reports; /* of each its severity, its text and a NUL */
    uint32_t len, cap;
};

void hs_hold_init(struct hs_hold *hold, struct hs_diag *target);
void hs_hold_release(struct hs_hold *hold);
void hs_hold_free(struct hs_hold *hold);

#endif
