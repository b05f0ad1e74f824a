/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window over an input. Every byte is copied once (a memcpy of each chunk, some 2 % of a CSV
 * parse); in return rows and elements are contiguous wherever the chunks end.
 */
#include "data/window.h"

#include <string.h>

#include "base/memory.h"

enum hs_status hs_window_more(struct hs_window *window, uint32_t keep)
{
    const char *data;
    size_t len;

    if (window->is_done)
        return HS_END;
    if (window->is_broken)
        return HS_E_IO;
    enum hs_status status = hs_input_read(window->input, &data, &len);
    if (status != HS_OK) {
        window->is_done = status == HS_END;
        window->is_broken = status != HS_END;
        return status;
    }
    uint32_t held = window->end - keep;
    status = hs_grow((void **)&window->bytes, &window->cap, (uint64_t)held + len, 1, window->max);
    if (status != HS_OK) {
        window->is_broken = true;
        return hs_fail(window->diag, status, NULL, NULL, "%s: no memory for %llu bytes",
                       hs_input_path(window->input), (unsigned long long)held + len);
    }
    memmove(window->bytes, window->bytes + keep, held);
    memcpy(window->bytes + held, data, len);
    window->end = held + (uint32_t)len;
    return HS_OK;
}

void hs_window_free(struct hs_window *window)
{
    hs_free(window->bytes);
    window->bytes = NULL;
}
