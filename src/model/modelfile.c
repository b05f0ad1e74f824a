/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What model files have in common: their head (kind, format), the names and the general form of
 * slowdowns in them, and the set of files of a run by kind. A set reads the kind of each file and
 * no more: the model that loads the file checks it.
 *
 * Powers of the form are tabulated in Q30, products taken in 128 bits and rounded once, to the
 * nearest: an excess is at most k, for every pair of utilizations, and exactly k at 100 % beside
 * 100 %.
 */
#include "model/modelfile.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "horus/compiler.h"

/* ---- names ---- */

static const char *skip_ignored(const char *text)
{
    return text + strspn(text, "-_ \t");
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool hs_profile_fold(const char *text, char *folded, size_t size)
{
    size_t len = 0;
    for (text = skip_ignored(text); *text != '\0'; text = skip_ignored(text + 1)) {
        if (len + 1 >= size)
            return false;
        folded[len++] = fold(*text);
    }
    folded[len] = '\0';
    return true;
}

bool hs_model_same_name(const char *a, const char *b)
{
    for (a = skip_ignored(a), b = skip_ignored(b); fold(*a) == fold(*b);
         a = skip_ignored(a + 1), b = skip_ignored(b + 1))
        if (*a == '\0')
            return true;
    return false;
}

/* ---- the head ---- */

const char *const hs_model_kinds[HS_MODEL_COUNT] = {"interference", "utilization", "predictor",
                                                    "speed"};
static const char *const shipped[HS_MODEL_COUNT] = {
    "builtin:models/interference.json", "builtin:models/utilization.json",
    "builtin:models/predictor.json", "builtin:models/speed.json"};

/* HS_MODEL_COUNT if it has none that is known. */
static enum hs_model_kind read_kind(struct hs_jsoncheck *check, const struct hs_json *root)
{
    const struct hs_json *value = hs_json_get(root, "kind");
    if (value == NULL)
        hs_jsoncheck_fault(check, root, "model files are written by 'horus calibrate'",
                           "not a model file: \"kind\" is missing");
    const char *text = hs_jsoncheck_text(check, root, "kind");
    if (text == NULL)
        return HS_MODEL_COUNT;
    for (uint32_t kind = 0; kind < HS_MODEL_COUNT; kind++)
        if (strcmp(text, hs_model_kinds[kind]) == 0)
            return (enum hs_model_kind)kind;
    char hint[HS_HINT_SIZE];
    hs_jsoncheck_fault(check, value,
                       hs_did_you_mean(hint, text, hs_model_kinds, HS_MODEL_COUNT,
                                       "kinds: interference utilization predictor speed"),
                       "unknown kind of model file '%s'", text);
    return HS_MODEL_COUNT;
}

static enum hs_status open_file(struct hs_jsoncheck *check, const char *path,
                                enum hs_model_kind *kind, struct hs_diag *diag)
{
    *check = (struct hs_jsoncheck){.diag = diag};
    *kind = HS_MODEL_COUNT;
    HS_TRY(hs_json_load(&check->doc, path, diag));
    const struct hs_json *root = hs_json_root(check->doc);
    if (!hs_jsoncheck_kind(check, root, HS_JSON_OBJECT, "a model file"))
        return check->status;
    *kind = read_kind(check, root);
    if (*kind == HS_MODEL_COUNT)
        return check->status;
    const struct hs_json *value = hs_json_get(root, "format");
    int64_t format;
    if (value == NULL)
        hs_jsoncheck_fault(check, root, NULL, "\"format\" is missing");
    else if (!hs_json_int(value, &format) || format != HS_MODEL_FORMAT)
        hs_jsoncheck_fault(check, value, "write the file again with 'horus calibrate'",
                           "this horus reads model files of format %d only", HS_MODEL_FORMAT);
    return check->status;
}

enum hs_status hs_modelfile_open(struct hs_jsoncheck *check, const char *path,
                                 enum hs_model_kind kind, struct hs_diag *diag)
{
    enum hs_model_kind found;
    HS_TRY(open_file(check, path, &found, diag));
    if (found != kind)
        hs_jsoncheck_fault(check, hs_json_get(hs_json_root(check->doc), "kind"), NULL,
                           "a model file of kind '%s' where '%s' is needed", hs_model_kinds[found],
                           hs_model_kinds[kind]);
    return check->status;
}

const char *hs_modelfile_name(struct hs_jsoncheck *check, struct hs_arena *arena,
                              const struct hs_json *object, const char *key)
{
    if (hs_json_get(object, key) == NULL)
        hs_jsoncheck_fault(check, object, NULL, "\"%s\" is missing", key);
    const char *text = hs_jsoncheck_text(check, object, key);
    return text != NULL ? hs_arena_text(arena, text, strlen(text)) : NULL;
}

void hs_modelfile_numbers(struct hs_jsoncheck *check, const struct hs_json *object,
                          const struct hs_model_number *numbers, uint32_t count)
{
    for (const struct hs_model_number *n = numbers; object != NULL && n < numbers + count; n++)
        (void)hs_jsoncheck_number(check, object, n->key, n->min, n->max, n->to);
}

/* ---- the set ---- */

static enum hs_status add_file(struct hs_modelset *set, bool given[HS_MODEL_COUNT],
                               const char *path, struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    enum hs_model_kind kind;
    if (strcmp(path, "-") == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "write it to a file first",
                       "a model file cannot come from standard input: it is read twice");
    enum hs_status status = open_file(&check, path, &kind, diag);
    if (status == HS_OK && given[kind]) {
        hs_jsoncheck_fault(&check, hs_json_get(hs_json_root(check.doc), "kind"), NULL,
                           "two model files of kind '%s': this one and %s", hs_model_kinds[kind],
                           set->path[kind]);
        status = check.status;
    }
    hs_json_close(check.doc);
    HS_TRY(status);
    given[kind] = true;
    set->path[kind] = path;
    return HS_OK;
}

enum hs_status hs_modelset_init(struct hs_modelset *set, const char *files, struct hs_diag *diag)
{
    *set = (struct hs_modelset){0};
    memcpy(set->path, shipped, sizeof shipped);
    bool given[HS_MODEL_COUNT] = {false};
    enum hs_status status = HS_OK;
    for (const char *at = files != NULL && files[0] != '\0' ? files : NULL;
         at != NULL && status == HS_OK;) {
        size_t len = strcspn(at, ",");
        if (len == 0)
            status = hs_fail(diag, HS_E_USAGE, NULL, "paths are separated by single commas",
                             "a model file without a name in '%s'", files);
        else
            status = add_file(set, given, hs_arena_text(&set->arena, at, len), diag);
        at = at[len] == ',' ? at + len + 1 : NULL;
    }
    if (status != HS_OK)
        hs_modelset_free(set);
    return status;
}

void hs_modelset_free(struct hs_modelset *set)
{
    hs_arena_free(&set->arena);
    *set = (struct hs_modelset){0};
}

/* ---- the general form ---- */

#define FULL_PM   1000
#define Q30_SHIFT 30
#define K_MAX     1e6 /* keeps k_q20 within 40 bits, and so the product within 100 */

static uint32_t power_q30(int32_t util_pm, double exponent)
{
    double share = (double)util_pm / FULL_PM;
    return (uint32_t)(pow(share, exponent) * (double)(UINT32_C(1) << Q30_SHIFT) + 0.5);
}

static int32_t clamp_pm(int32_t util_pm)
{
    return util_pm < 0 ? 0 : util_pm > FULL_PM ? FULL_PM : util_pm;
}

void hs_pairform_init(struct hs_pairform *form, double k, double alpha, double beta)
{
    assert(k >= 0 && k <= K_MAX && alpha > 0 && beta > 0);
    form->k = k;
    form->alpha = alpha;
    form->beta = beta;
    form->k_q20 = (uint64_t)(k * (double)HS_Q20_ONE + 0.5);
    for (int32_t pm = 0; pm <= FULL_PM; pm++) {
        form->own_q30[pm] = power_q30(pm, alpha);
        form->other_q30[pm] = power_q30(pm, beta);
    }
}

bool hs_pairform_read(struct hs_pairform *form, struct hs_jsoncheck *check,
                      const struct hs_json *object, double k_max, double exponent_min,
                      double exponent_max)
{
    double k, alpha, beta;
    bool is_good = hs_jsoncheck_number(check, object, "k", 0, k_max, &k);
    is_good &= hs_jsoncheck_number(check, object, "alpha", exponent_min, exponent_max, &alpha);
    is_good &= hs_jsoncheck_number(check, object, "beta", exponent_min, exponent_max, &beta);
    if (is_good)
        hs_pairform_init(form, k, alpha, beta);
    return is_good;
}

uint64_t hs_pairform_excess_q20(const struct hs_pairform *form, int32_t own_pm, int32_t other_pm)
{
    uint64_t powers_q60 =
        (uint64_t)form->own_q30[clamp_pm(own_pm)] * form->other_q30[clamp_pm(other_pm)];
    hs_u128 half = (hs_u128)1 << (2 * Q30_SHIFT - 1);
    return (uint64_t)(((hs_u128)powers_q60 * form->k_q20 + half) >> (2 * Q30_SHIFT));
}
