/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See csvtexts.h: the first time that a text comes.
 */
#include "data/csvtexts.h"

char *hs_csvtexts_put_new(struct hs_csvtexts *texts, struct hs_csvw *w, char *to, const char *text)
{
    hs_output_wrote(&w->out, to);
    hs_output_room(&w->out, HS_OUTPUT_ROOM); /* a short field is in one piece then */
    const uint64_t before = hs_output_bytes(&w->out);
    hs_csvw_text(w, text);
    const uint64_t len = hs_output_bytes(&w->out) - before;
    if (len <= HS_CSVTEXTS_LONG) {
        struct hs_csvtext *slot = hs_csvtexts_at(texts, text);
        *slot = (struct hs_csvtext){.text = text, .len = (uint32_t)len};
        memcpy(slot->field, w->out.at - len, len);
    }
    return hs_output_room(&w->out, HS_OUTPUT_ROOM);
}
