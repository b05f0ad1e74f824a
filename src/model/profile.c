/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The catalogue of profiles: read from CSV, indexed by key (model, dataset, batch, precision),
 * searched for the nearest batch, extended by rows that are needed but were never measured. O(1)
 * per look-up.
 */
#include "model/profile.h"

#include <math.h>
#include <stdio.h>

#include "base/sample.h"
#include "data/csv.h"

/* ---- names ---- */

static const char *skip_ignored(const char *text)
{
    while (*text == '-' || *text == '_' || *text == ' ' || *text == '\t')
        text++;
    return text;
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
                                                    "speed",        "host",        "stages"};
static const char *const shipped[HS_MODEL_COUNT] = {
    "builtin:models/interference.json", "builtin:models/utilization.json",
    "builtin:models/predictor.json",    "builtin:models/speed.json",
    "builtin:models/host.json",         "builtin:models/stages.json"};

static enum hs_status open_file(struct hs_jsoncheck *check, const char *path,
                                enum hs_model_kind *kind, struct hs_diag *diag)
{
    *check = (struct hs_jsoncheck){.diag = diag};
    *kind = HS_MODEL_COUNT;
    check->status = hs_json_load(&check->doc, path, diag);
    HS_TRY(check->status);
    const struct hs_json *root = hs_json_root(check->doc);
    if (!hs_jsoncheck_kind(check, root, HS_JSON_OBJECT, "a model file"))
        return check->status;
    const struct hs_json *value = hs_json_get(root, "kind");
    if (value == NULL)
        hs_jsoncheck_fault(check, root, "model files are written by 'horus calibrate'",
                           "not a model file: \"kind\" is missing");
    const char *text = hs_jsoncheck_text(check, root, "kind");
    for (uint32_t k = 0; text != NULL && k < HS_MODEL_COUNT; k++)
        if (strcmp(text, hs_model_kinds[k]) == 0)
            *kind = (enum hs_model_kind)k;
    char hint[HS_HINT_SIZE];
    if (text != NULL && *kind == HS_MODEL_COUNT)
        hs_jsoncheck_fault(check, value,
                           hs_did_you_mean(hint, text, hs_model_kinds, HS_MODEL_COUNT,
                                           "kinds: interference utilization predictor speed host"),
                           "unknown kind of model file '%s'", text);
    if (*kind == HS_MODEL_COUNT)
        return check->status;
    value = hs_json_get(root, "format");
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

static enum hs_status add_file(struct hs_modelset *set, const char *path, struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    enum hs_model_kind kind;
    if (strcmp(path, "-") == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "write it to a file first",
                       "a model file cannot come from standard input: it is read twice");
    if (open_file(&check, path, &kind, diag) == HS_OK && set->path[kind] != shipped[kind])
        hs_jsoncheck_fault(&check, hs_json_get(hs_json_root(check.doc), "kind"), NULL,
                           "two model files of kind '%s': this one and %s", hs_model_kinds[kind],
                           set->path[kind]);
    HS_TRY(hs_jsoncheck_close(&check));
    set->path[kind] = path;
    return HS_OK;
}

enum hs_status hs_modelset_init(struct hs_modelset *set, const char *files, struct hs_diag *diag)
{
    *set = (struct hs_modelset){0};
    memcpy(set->path, shipped, sizeof shipped);
    enum hs_status status = HS_OK;
    for (const char *at = files != NULL && files[0] != '\0' ? files : NULL;
         at != NULL && status == HS_OK;) {
        size_t len = strcspn(at, ",");
        if (len == 0)
            status = hs_fail(diag, HS_E_USAGE, NULL, "paths are separated by single commas",
                             "a model file without a name in '%s'", files);
        else
            status = add_file(set, hs_arena_text(&set->arena, at, len), diag);
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

/* ---- the general form: an excess is at most k, for every pair of utilizations ---- */

#define FULL_PM   1000
#define Q30_SHIFT 30
#define K_MAX     1e6 /* keeps k_q20 within 40 bits, and the product within 100 */

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

/* ---- the catalogue ---- */

/* Returns false if the names are too long for a key. */
static bool key_of(const char *model, const char *dataset, const char *batch, const char *precision,
                   char key[HS_PROFILE_KEY_MAX])
{
    int len = snprintf(key, HS_PROFILE_KEY_MAX, "%s/%s/%s/%s", model, dataset, batch, precision);
    return len > 0 && len < (int)HS_PROFILE_KEY_MAX;
}

uint32_t hs_catalogue_find(const struct hs_catalogue *catalogue, const char *key)
{
    char folded[HS_PROFILE_KEY_MAX];
    if (catalogue->count == 0 || !hs_profile_fold(key, folded, sizeof folded))
        return HS_NO_PROFILE;
    uint32_t id = hs_intern_find(&catalogue->keys, folded);
    return id == UINT32_MAX || id == 0 ? HS_NO_PROFILE : id - 1;
}

/* Adds the row under its unique key; its texts must belong to the catalogue. */
static void add(struct hs_catalogue *c, const struct hs_profile *row, const char *key)
{
    char folded[HS_PROFILE_KEY_MAX];
    (void)hs_profile_fold(key, folded, sizeof folded);
    (void)hs_intern_get(&c->keys, folded);
    struct hs_profile *added = hs_push(c->profiles, c->count, c->cap, HS_PROFILES_MAX);
    *added = *row;
    added->key = hs_arena_text(&c->arena, key, strlen(key));
}

enum hs_status hs_catalogue_add(struct hs_catalogue *catalogue, uint32_t like, const char *batch,
                                const char *precision, uint32_t *id, struct hs_diag *diag)
{
    struct hs_profile row = catalogue->profiles[like];
    char key[HS_PROFILE_KEY_MAX];
    if (!key_of(row.model, row.dataset, batch, precision, key) ||
        catalogue->count == HS_PROFILES_MAX)
        return hs_fail(diag, HS_E_LIMIT, NULL, NULL, "too many profiles");
    *id = hs_catalogue_find(catalogue, key);
    if (*id != HS_NO_PROFILE)
        return HS_OK;
    row.batch = hs_arena_text(&catalogue->arena, batch, strlen(batch));
    row.precision = hs_arena_text(&catalogue->arena, precision, strlen(precision));
    row.util_pm = row.util_peak_pm = row.bw_util_pm = row.sharing_score = -1;
    row.mem_mib = row.mem_persistent_mib = row.checkpoint_mib = 0;
    row.step_ms = row.host_ms = row.cpus = NAN;
    *id = catalogue->count;
    add(catalogue, &row, key);
    return HS_OK;
}

/* ---- the search ---- */

/* The requested names; NULL is stored as "". */
struct wanted {
    const char *model, *dataset, *batch, *precision;
};

static bool agrees(const char *wanted, const char *known)
{
    return wanted[0] == '\0' || hs_model_same_name(wanted, known);
}

static uint32_t first_with(const struct hs_catalogue *catalogue, const struct wanted *w)
{
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        if (hs_model_same_name(w->model, p->model) && agrees(w->dataset, p->dataset) &&
            agrees(w->precision, p->precision) && agrees(w->batch, p->batch))
            return i;
    }
    return HS_NO_PROFILE;
}

int64_t hs_batch_of(const char *text)
{
    int64_t batch;
    return hs_parse_int64(text, strlen(text), &batch) && batch > 0 && batch <= INT32_MAX ? batch
                                                                                         : 0;
}

/* Tells whether a is nearer to `to` than b by ratio, ties to the smaller; 0 (no batch) is last. */
static bool is_nearer(int64_t a, int64_t b, int64_t to)
{
    if (a == 0 || b == 0 || to == 0)
        return b == 0 && a != 0 && to != 0;
    /* max(a, to) / min(a, to) < max(b, to) / min(b, to), multiplied out: exact below 2^62. */
    int64_t left = (a > to ? a : to) * (b < to ? b : to);
    int64_t right = (b > to ? b : to) * (a < to ? a : to);
    return left < right || (left == right && a < b);
}

/* A dataset or precision unknown for the model is ignored. */
static uint32_t nearest_batch(const struct hs_catalogue *catalogue, struct wanted w)
{
    int64_t to = hs_batch_of(w.batch), best_batch = 0;
    w.batch = "";
    struct wanted dataset_only = w;
    dataset_only.precision = "";
    if (first_with(catalogue, &dataset_only) == HS_NO_PROFILE)
        w.dataset = "";
    if (first_with(catalogue, &w) == HS_NO_PROFILE)
        w.precision = "";
    uint32_t best = HS_NO_PROFILE;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        if (!hs_model_same_name(w.model, p->model) || !agrees(w.dataset, p->dataset) ||
            !agrees(w.precision, p->precision))
            continue;
        int64_t batch = hs_batch_of(p->batch);
        bool is_better = best == HS_NO_PROFILE || is_nearer(batch, best_batch, to);
        /* a row without measured utilization is used only if there is no other */
        if (best != HS_NO_PROFILE && (p->util_pm >= 0) != (catalogue->profiles[best].util_pm >= 0))
            is_better = p->util_pm >= 0;
        if (is_better) {
            best = i;
            best_batch = batch;
        }
    }
    return best;
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

uint32_t hs_catalogue_match(const struct hs_catalogue *catalogue, const char *model,
                            const char *dataset, const char *batch, const char *precision,
                            enum hs_match *match)
{
    const struct wanted w = {text_of(model), text_of(dataset), text_of(batch), text_of(precision)};
    char key[HS_PROFILE_KEY_MAX];
    uint32_t found = HS_NO_PROFILE;
    *match = HS_MATCH_NONE;
    if (w.model[0] == '\0')
        return HS_NO_PROFILE;
    if (key_of(w.model, w.dataset, w.batch, w.precision, key))
        found = hs_catalogue_find(catalogue, key);
    if (found != HS_NO_PROFILE) {
        *match = HS_MATCH_EXACT;
        return found;
    }
    found = first_with(catalogue, &w);
    *match = found != HS_NO_PROFILE ? HS_MATCH_PART : HS_MATCH_BATCH;
    if (found == HS_NO_PROFILE)
        found = nearest_batch(catalogue, w);
    if (found == HS_NO_PROFILE)
        *match = HS_MATCH_NONE;
    return found;
}

/* ---- the file ---- */

#define SOURCE_PREFIX "source_" /* columns with sources, for readers */

#define COLUMN_LIST(X)                                                                             \
    X(MODEL, "model")                                                                              \
    X(DATASET, "dataset")                                                                          \
    X(BATCH, "batch")                                                                              \
    X(PRECISION, "precision")                                                                      \
    X(FAMILY, "family")                                                                            \
    X(DISTRIBUTED, "distributed")                                                                  \
    X(GPU, "gpu")                                                                                  \
    X(UTIL, "util")                                                                                \
    X(UTIL_PEAK, "util_peak")                                                                      \
    X(BW_UTIL, "bw_util")                                                                          \
    X(MEM, "mem_mib")                                                                              \
    X(MEM_PERSISTENT, "mem_persistent_mib")                                                        \
    X(STEP, "step_ms")                                                                             \
    X(HOST, "host_ms")                                                                             \
    X(CHECKPOINT, "checkpoint_mib")                                                                \
    X(CPUS, "cpus")                                                                                \
    X(SHARING_SCORE, "sharing_score")                                                              \
    X(SKEW, "skew")                                                                                \
    X(KIND, "kind")

#define COLUMN_ENUM(name, text) name,
#define COLUMN_TEXT(name, text) text,
enum column { COLUMN_LIST(COLUMN_ENUM) FEATURES, COLUMN_COUNT = FEATURES + HS_FEATURE_COUNT };
static const char *const column_names[COLUMN_COUNT] = {COLUMN_LIST(COLUMN_TEXT)
                                                           HS_FEATURE_LIST(COLUMN_TEXT)};
#undef COLUMN_ENUM
#undef COLUMN_TEXT

struct profile_reader {
    struct hs_csv_table table;
    struct hs_catalogue *catalogue;
    struct hs_fractions utils;
};

static enum hs_status fail_field(const struct profile_reader *r, enum column c, const char *hint,
                                 const char *is)
{
    return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, c), hint, "%s %s: '%.64s'",
                       column_names[c], is, hs_csv_cell(&r->table, c));
}

/* NaN if the field is empty. */
static enum hs_status read_number(const struct profile_reader *r, enum column c, double max,
                                  double *value)
{
    const char *text = hs_csv_cell(&r->table, c);
    char more[64];
    *value = NAN;
    if (text[0] == '\0')
        return HS_OK;
    if (!hs_parse_double(text, strlen(text), value))
        return fail_field(r, c, "a number, or nothing where it is unknown", "is not a number");
    if (*value < 0)
        return fail_field(r, c, "leave the field empty where the figure is unknown", "is negative");
    if (*value <= max)
        return HS_OK;
    (void)snprintf(more, sizeof more, "is more than %.0f", max);
    return fail_field(r, c, max == 100 ? "it is a percentage, 0 to 100" : NULL, more);
}

/* Converts percent to per mille; `unknown` if the field is empty. */
static enum hs_status read_percent(const struct profile_reader *r, enum column c, int32_t unknown,
                                   int32_t *pm)
{
    double percent;
    HS_TRY(read_number(r, c, 100, &percent));
    *pm = isnan(percent) ? unknown : (int32_t)floor(percent * 10 + 0.5);
    return HS_OK;
}

/* Rounded up, so that what is considered to fit does fit. */
static enum hs_status read_mib(const struct profile_reader *r, enum column c, uint32_t *mib)
{
    double value;
    HS_TRY(read_number(r, c, (double)(1u << 30), &value));
    *mib = isnan(value) ? 0 : (uint32_t)ceil(value);
    return HS_OK;
}

static enum hs_status read_text(const struct profile_reader *r, enum column c, const char **text)
{
    const char *field = hs_csv_cell(&r->table, c);
    if (strchr(field, '/') != NULL)
        return fail_field(r, c, "'/' separates the parts of a profile's key", "contains '/'");
    *text = hs_arena_text(&r->catalogue->arena, field, strlen(field));
    return HS_OK;
}

static enum hs_status read_figures(struct profile_reader *r, struct hs_profile *p)
{
    const char *distributed = hs_csv_cell(&r->table, DISTRIBUTED),
               *kind = hs_csv_cell(&r->table, KIND);
    double score;
    HS_TRY(read_percent(r, UTIL, -1, &p->util_pm));
    if (p->util_pm >= 0) /* a row without it affects no other */
        hs_fractions_count(&r->utils, p->util_pm);
    HS_TRY(read_percent(r, UTIL_PEAK, p->util_pm, &p->util_peak_pm));
    HS_TRY(read_percent(r, BW_UTIL, -1, &p->bw_util_pm));
    if (p->util_peak_pm < p->util_pm)
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, UTIL_PEAK),
                           "a peak is at least the mean", "util_peak is below util");
    HS_TRY(read_mib(r, MEM, &p->mem_mib));
    HS_TRY(read_mib(r, MEM_PERSISTENT, &p->mem_persistent_mib));
    if (p->mem_mib > 0 && p->mem_persistent_mib > p->mem_mib)
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, MEM_PERSISTENT),
                           "what stays between iterations is part of mem_mib",
                           "mem_persistent_mib is more than mem_mib");
    HS_TRY(read_mib(r, CHECKPOINT, &p->checkpoint_mib));
    HS_TRY(read_number(r, STEP, HUGE_VAL, &p->step_ms));
    HS_TRY(read_number(r, HOST, HUGE_VAL, &p->host_ms));
    HS_TRY(read_number(r, CPUS, HUGE_VAL, &p->cpus));
    HS_TRY(read_percent(r, SKEW, -1, &p->skew_pm));
    HS_TRY(read_number(r, SHARING_SCORE, 2, &score));
    p->sharing_score = isnan(score) ? -1 : (int32_t)score;
    for (uint32_t f = 0; f < HS_FEATURE_COUNT; f++)
        HS_TRY(read_number(r, (enum column)(FEATURES + f), HUGE_VAL, &p->features[f]));
    p->is_distributed = strcmp(distributed, "yes") == 0;
    if (!p->is_distributed && distributed[0] != '\0' && strcmp(distributed, "no") != 0)
        return fail_field(r, DISTRIBUTED, "yes or no", "is neither yes nor no");
    p->is_inference = strcmp(kind, "inference") == 0;
    if (!p->is_inference && kind[0] != '\0' && strcmp(kind, "training") != 0)
        return fail_field(r, KIND, "training or inference", "is neither training nor inference");
    return HS_OK;
}

/* A second row with a key is an error, as one of them would never be used. */
static enum hs_status read_row(struct profile_reader *r, struct hs_diag *diag)
{
    struct hs_catalogue *catalogue = r->catalogue;
    struct hs_profile p;
    char key[HS_PROFILE_KEY_MAX];
    if (catalogue->count == HS_PROFILES_MAX)
        return hs_fail(diag, HS_E_LIMIT, HS_AT(hs_csv_place(r->table.csv, 0)), NULL,
                       "more than %u profiles", HS_PROFILES_MAX);
    int64_t batch;
    HS_TRY(read_text(r, MODEL, &p.model));
    HS_TRY(read_text(r, DATASET, &p.dataset));
    HS_TRY(read_text(r, BATCH, &p.batch));
    HS_TRY(read_text(r, PRECISION, &p.precision));
    HS_TRY(read_text(r, FAMILY, &p.family));
    HS_TRY(read_text(r, GPU, &p.gpu));
    if (p.model[0] == '\0')
        return hs_csv_fail(r->table.csv, r->table.at[MODEL], "every row names its model",
                           "the model's name is empty");
    if (p.batch[0] != '\0' &&
        (!hs_parse_int64(p.batch, strlen(p.batch), &batch) || batch < 1 || batch > INT32_MAX))
        return fail_field(r, BATCH, "samples per step, at least 1; empty for a model without",
                          "is not a positive number");
    if (!key_of(p.model, p.dataset, p.batch, p.precision, key))
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, MODEL), NULL,
                           "model, dataset, batch and precision have more than %zu bytes together",
                           sizeof key - 4);
    const uint32_t other = hs_catalogue_find(catalogue, key);
    if (other != HS_NO_PROFILE)
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, MODEL),
                           "names are compared without case, '-', '_' and blanks",
                           "profile '%s' appears twice: it is the same as '%s'", key,
                           catalogue->profiles[other].key);
    HS_TRY(read_figures(r, &p));
    add(catalogue, &p, key);
    return HS_OK;
}

enum hs_status hs_catalogue_load(struct hs_catalogue *catalogue, const char *path,
                                 struct hs_diag *diag)
{
    static const struct hs_csv_head head = {
        .what = "catalogue",
        .names = column_names,
        .count = COLUMN_COUNT,
        .required = MODEL + 1,
        .notes = SOURCE_PREFIX,
        .hint = "configs/README.md lists the columns; notes go into columns named source_..."};
    *catalogue = (struct hs_catalogue){0};
    hs_intern_init(&catalogue->keys);
    struct profile_reader r = {.catalogue = catalogue};
    enum hs_status status = hs_csv_table_open(&r.table, path, &head, diag);
    while (status == HS_OK && (status = hs_csv_table_next(&r.table)) == HS_OK)
        status = read_row(&r, diag);
    if (status == HS_END) {
        hs_fractions_warn(&r.utils, HS_AT({.file = path}), "util", "rows", diag);
        catalogue->input_hash = hs_input_hash(r.table.input);
        catalogue->input_bytes = hs_input_bytes(r.table.input);
    }
    status = hs_csv_table_close(&r.table, status);
    if (status != HS_OK)
        hs_catalogue_free(catalogue);
    return status;
}

void hs_catalogue_free(struct hs_catalogue *catalogue)
{
    hs_intern_free(&catalogue->keys);
    hs_free(catalogue->profiles);
    hs_arena_free(&catalogue->arena);
    *catalogue = (struct hs_catalogue){0};
}
