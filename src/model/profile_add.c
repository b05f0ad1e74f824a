/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows that are asked about but were never measured.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/profile.h"
#include "model/profile_private.h"

static enum hs_status add(struct hs_catalogue *c, struct hs_profile *row, uint32_t *id)
{
    char key[HS_PROFILE_KEY_MAX], folded[HS_PROFILE_KEY_MAX];
    int len = snprintf(key, sizeof key, "%s/%s/%s/%s", row->model, row->dataset, row->batch,
                       row->precision);
    if (len < 0 || (size_t)len >= sizeof key || c->count == HS_PROFILES_MAX)
        return HS_E_LIMIT;
    *id = hs_catalogue_find(c, key);
    if (*id != HS_NO_PROFILE)
        return HS_OK;
    HS_TRY(hs_grow((void **)&c->profiles, &c->cap, (uint64_t)c->count + 1, sizeof *c->profiles,
                   HS_PROFILES_MAX));
    row->key = hs_arena_text(&c->arena, key, (size_t)len);
    row->batch = hs_arena_text(&c->arena, row->batch, strlen(row->batch));
    row->precision = hs_arena_text(&c->arena, row->precision, strlen(row->precision));
    if (row->key == NULL || row->batch == NULL || row->precision == NULL ||
        !hs_profile_fold(key, folded, sizeof folded))
        return HS_E_MEMORY;
    uint32_t name;
    HS_TRY(hs_intern_get(&c->keys, folded, &name));
    *id = c->count;
    c->profiles[c->count++] = *row;
    return HS_OK;
}

enum hs_status hs_catalogue_add(struct hs_catalogue *catalogue, uint32_t like, const char *batch,
                                const char *precision, uint32_t *id, struct hs_diag *diag)
{
    struct hs_profile row = catalogue->profiles[like];
    row.batch = batch;
    row.precision = precision;
    row.util_pm = row.util_peak_pm = row.bw_util_pm = -1;
    row.mem_mib = row.mem_persistent_mib = row.checkpoint_mib = 0;
    row.step_ms = row.host_ms = row.cpus = NAN;
    enum hs_status status = add(catalogue, &row, id);
    if (status != HS_OK)
        return hs_fail(diag, status, NULL, NULL, "no room for one more profile");
    return HS_OK;
}
