/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The doubt about a column of per cent.
 */
#include "base/fractions.h"

#include <inttypes.h>

#define ROWS_MIN 3u /* fewer may all be idle by chance, unless they are the whole file */

void hs_fractions_warn(const struct hs_fractions *seen, const struct hs_place *place,
                       const char *column, const char *rows, struct hs_diag *diag)
{
    if (seen->above_1 > 0 || seen->nonzero == 0)
        return;
    if (seen->nonzero < ROWS_MIN && seen->nonzero < seen->rows)
        return;
    hs_report(diag, HS_WARNING, place, "write 45 for 0.45",
              "%s is at most 1 in all %" PRIu64 " %s that have it: per cent are expected; "
              "are these fractions?",
              column, seen->told, rows);
}
