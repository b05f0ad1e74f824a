/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stretch of an input held in one piece: what is being read and the line around it, so that a
 * message can quote it, never the whole file.
 */
#ifndef HORUS_DATA_WINDOW_H
#define HORUS_DATA_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/io.h"

#define HS_WINDOW_MARGIN 64u

struct hs_window {
    struct hs_input *input;
    struct hs_diag *diag;
    char *bytes;
    uint32_t end; /* bytes[0, end) are held; HS_WINDOW_MARGIN bytes behind may be read, too */
    uint32_t cap, max;
    bool is_done, is_broken;
};

/* Moves bytes[keep, end) to the front and appends the next bytes of the input. Whatever it returns,
 * offsets into the window are smaller by `keep` then. HS_END: there are no more. Failures are
 * reported; a failed input fails again as HS_E_IO, so that no caller can take it for one bad row
 * after another. */
HS_MUST_USE enum hs_status hs_window_more(struct hs_window *window, uint32_t keep);
void hs_window_free(struct hs_window *window);

#endif
