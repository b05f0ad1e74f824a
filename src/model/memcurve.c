/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curves: rows by model (model/modelrows), told apart by the limit. A limit is millionths of
 * the peak, a speed millionths of that without a limit: what the file can say with four and six
 * decimals, compared exactly.
 */
#include "model/memcurve.h"

#include "base/fixed.h"
#include "base/timeparse.h"
#include "model/modelrows.h"

#define ONE         INT64_C(1000000) /* the whole peak; the full speed */
#define PER_PERCENT (ONE / 100)

static const char *read_limit(const char *text, size_t len, int64_t *out)
{
    if (!hs_parse_decimal_us(text, len, PER_PERCENT, out))
        return "not a number";
    return *out >= 0 && *out <= ONE ? NULL : "not from 0 to 100 %";
}

static const char *read_speed(const char *text, size_t len, int64_t *out)
{
    if (!hs_parse_decimal_us(text, len, ONE, out))
        return "not a number";
    return *out > 0 && *out <= ONE ? NULL : "not above 0 and at most 1";
}

static const char *check(const struct hs_modelrow *before, const struct hs_modelrow *row)
{
    if (row->key == ONE && row->value != ONE)
        return "is not 1 at a limit of the whole peak";
    return before != NULL && row->value < before->value ? "is less than at a lower limit" : NULL;
}

enum hs_status hs_memcurve_load(struct hs_memcurve **table, const char *path, struct hs_diag *diag)
{
    static const struct hs_modelrows_spec spec = {
        .what = "table of memory limits",
        .head = "the columns are model, limit, speed, and source for notes",
        .others = "a model, or " HS_MEMCURVE_OTHERS " for all that have no row",
        .twice = "there twice for this limit",
        .key = {"limit", "per cent of the peak, for example 50", read_limit},
        .value = {"speed",
                  "relative to no limit, for example 0.98; it grows with the limit, up to "
                  "1 at 100",
                  read_speed},
        .check = check};
    struct hs_modelrows *rows;
    enum hs_status status = hs_modelrows_load(&rows, path, &spec, diag);
    *table = (struct hs_memcurve *)rows;
    return status;
}

uint64_t hs_memcurve_q32(const struct hs_memcurve *table, const char *model, uint32_t limit_mib,
                         uint32_t peak_mib)
{
    if (limit_mib >= peak_mib)
        return HS_Q32_ONE;
    const struct hs_modelrow *row = hs_modelrows_find((const struct hs_modelrows *)table, &model, 1,
                                                      (int64_t)limit_mib * ONE / peak_mib);
    if (row == NULL)
        return HS_Q32_ONE;
    return ((uint64_t)row->value * HS_Q32_ONE + (uint64_t)ONE / 2) / (uint64_t)ONE;
}

void hs_memcurve_free(struct hs_memcurve *table)
{
    hs_modelrows_free((struct hs_modelrows *)table);
}
