/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Binds field by field, so that the first fault of the line is the one that is told.
 */
#include "data/csvhead.h"

#include <stdio.h>
#include <string.h>

static enum hs_status refuse_unknown(const char *name, const struct hs_csv_head *head,
                                     const struct hs_place *place, struct hs_diag *diag)
{
    char hint[128];
    const char *nearest = hs_nearest(name, head->names, head->count);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    else
        (void)snprintf(hint, sizeof hint, "%s", head->hint);
    return hs_fail(diag, HS_E_INPUT, place, hint, "unknown column '%s'", name);
}

static enum hs_status bind_field(const struct hs_csv *csv, const char *name, uint32_t field,
                                 const struct hs_csv_head *head, uint32_t *at, struct hs_diag *diag)
{
    if (strncmp(name, head->notes, strlen(head->notes)) == 0)
        return HS_OK;
    struct hs_place place = hs_csv_place(csv, field);
    for (uint32_t c = 0; c < head->count; c++) {
        if (strcmp(head->names[c], name) != 0)
            continue;
        if (at[c] != UINT32_MAX)
            return hs_fail(diag, HS_E_INPUT, &place, "remove one of them",
                           "column '%s' appears twice", name);
        at[c] = field;
        return HS_OK;
    }
    return refuse_unknown(name, head, &place, diag);
}

enum hs_status hs_csv_bind(const struct hs_csv *csv, const struct hs_csv_row *header,
                           const struct hs_csv_head *head, uint32_t *at, struct hs_diag *diag)
{
    for (uint32_t c = 0; c < head->count; c++)
        at[c] = UINT32_MAX;
    for (uint32_t f = 0; f < header->count; f++)
        HS_TRY(bind_field(csv, header->fields[f], f, head, at, diag));
    return HS_OK;
}
