/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window over an input. Every byte is copied once (a memcpy of each chunk, some 2 % of a CSV
 * parse); in return rows and elements are contiguous wherever the chunks end.
 */
#include "data/window.h"

#include <string.h>

#include "base/memory.h"

/* Room for one more piece behind bytes[0, end). */
static void room_make(struct hs_window *window)
{
    uint64_t need = window->end + HS_INPUT_PIECE;
    if (HS_LIKELY(need <= window->cap))
        return;
    uint64_t cap = 2 * need < window->max ? 2 * need : window->max;
    char *bytes = need <= cap ? hs_alloc_zeroed(cap + HS_WINDOW_MARGIN, 1) : NULL;
    if (window->end > 0)
        memcpy(bytes, window->bytes, window->end);
    hs_free(window->bytes);
    window->bytes = bytes;
    window->cap = (uint32_t)cap;
}

enum hs_status hs_window_more(struct hs_window *window, uint32_t keep)
{
    size_t len = 0;
    if (keep > 0)
        memmove(window->bytes, window->bytes + keep, window->end - keep);
    window->end -= keep;
    if (window->is_done || window->is_broken)
        return window->is_done ? HS_END : HS_E_IO;
    room_make(window);
    enum hs_status status = hs_input_read_to(window->input, window->bytes + window->end, &len);
    window->end += (uint32_t)len;
    window->is_done = status == HS_END;
    window->is_broken = status != HS_OK && status != HS_END;
    return status;
}

void hs_window_free(struct hs_window *window)
{
    hs_free(window->bytes);
    window->bytes = NULL;
}
