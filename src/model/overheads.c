/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of overheads by model: rows of model, key and value (model/modelfile.h). The key of a
 * restart is the size of the gang, its value microseconds. The key of a memory limit is millionths
 * of the peak, its value millionths of the speed without a limit: the file has four and six
 * decimals, so both compare exactly.
 */
#include "model/overheads.h"

#include <stdint.h>

#include "base/diag.h"
#include "base/fixed.h"
#include "base/fmt.h"
#include "model/modelfile.h"

#define OTHERS       "*"              /* the model of rows for all models that have none */
#define SECONDS_MAX  1000000          /* as --startup */
#define ONE          INT64_C(1000000) /* the whole peak; the full speed */
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
        .others = "a model, or " OTHERS " for all that have no row",
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

static const char *read_limit(const char *text, size_t len, int64_t *out)
{
    if (!hs_parse_decimal_us(text, len, ONE / 100, out))
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
        .others = "a model, or " OTHERS " for all that have no row",
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
