/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of restarts: rows by model (model/modelrows), told apart by the size of the gang.
 */
#include "model/restart.h"

#include "base/fixed.h"
#include "base/timeparse.h"
#include "model/modelrows.h"

#define SECONDS_MAX  1000000 /* as --startup */
#define SECONDS_HINT "seconds, for example 7 or 4.5"

static const char *read_gpus(const char *text, size_t len, int64_t *out)
{
    bool is_count = hs_parse_int64(text, len, out) && *out >= 1 && *out <= INT32_MAX;
    return is_count ? NULL : "not a number of GPUs";
}

static const char *read_seconds(const char *text, size_t len, int64_t *out)
{
    if (!hs_parse_decimal_us(text, len, HS_US_PER_S, out))
        return "not a number";
    bool is_span = *out >= 0 && *out <= SECONDS_MAX * HS_US_PER_S;
    return is_span ? NULL : "not from 0 to a million seconds";
}

enum hs_status hs_restart_load(struct hs_restart **table, const char *path, struct hs_diag *diag)
{
    static const struct hs_modelrows_spec spec = {
        .what = "table of restarts",
        .head = "the columns are model, gpus, restart_s, and source for notes",
        .others = "a model, or " HS_RESTART_OTHERS " for all that have no row",
        .twice = "there twice for this number of GPUs",
        .key = {"gpus", "the size of the gang, at least 1", read_gpus},
        .value = {"restart_s", SECONDS_HINT, read_seconds}};
    struct hs_modelrows *rows;
    enum hs_status status = hs_modelrows_load(&rows, path, &spec, diag);
    *table = (struct hs_restart *)rows;
    return status;
}

int64_t hs_restart_us(const struct hs_restart *table, const char *model, const char *other,
                      uint32_t gpus)
{
    const char *const names[] = {model, other};
    const struct hs_modelrow *row =
        hs_modelrows_find((const struct hs_modelrows *)table, names, 2, gpus);
    return row != NULL ? row->value : -1;
}

void hs_restart_free(struct hs_restart *table)
{
    hs_modelrows_free((struct hs_modelrows *)table);
}
