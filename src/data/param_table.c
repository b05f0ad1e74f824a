/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of parameters are parsed and checked completely before anything is stored; they are
 * printed such that hs_param_set reads the same value. A new type must be added to the switches and
 * tables of this file.
 */
#include "data/param_table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/fmt.h"

#define NAMES_MAX  64
#define PERCENT    100.0
#define US_PER_SEC INT64_C(1000000)

/* ---- reading ---- */

/* "25%" is 0.25, unless the unit of the parameter is percent. */
static bool real_parse(const struct hs_param *param, const char *text, double *out)
{
    size_t len = strlen(text);
    bool has_percent = len > 0 && text[len - 1] == '%';
    if (!hs_parse_double(text, len - has_percent, out))
        return false;
    if (has_percent && (param->unit == NULL || strcmp(param->unit, "%") != 0))
        *out /= PERCENT;
    return true;
}

static bool is_within(const struct hs_param *param, double value)
{
    return !(param->max > param->min) ||
           (value >= param->min && value <= param->max &&
            (value == 0 || param->floor == 0 || value >= param->floor));
}

static bool durations_parse(const struct hs_param *param, const char *text,
                            struct hs_durations *out)
{
    *out = (struct hs_durations){0};
    for (;; text++) {
        size_t len = strcspn(text, "/");
        if (out->count == HS_DURATIONS_MAX ||
            !hs_parse_duration_us(text, len, &out->us[out->count]) ||
            !is_within(param, (double)out->us[out->count] / (double)US_PER_SEC))
            return false;
        if (param->is_rising && out->count > 0 && out->us[out->count] <= out->us[out->count - 1])
            return false;
        out->count++;
        text += len;
        if (*text == '\0')
            return true;
    }
}

union value {
    bool flag;
    int64_t integer;
    double real;
    int32_t choice;
    const char *text;
    struct hs_durations durations;
};

static const struct {
    const char *expects, *noun, *example; /* in a table of options; in a sentence */
    size_t size;
} types[] = {
    [HS_PARAM_FLAG] = {"yes|no", "yes or no", "", sizeof(bool)},
    [HS_PARAM_INT] = {"integer", "an integer", "", sizeof(int64_t)},
    [HS_PARAM_REAL] = {"number", "a number", "", sizeof(double)},
    [HS_PARAM_DURATION] = {"duration", "a duration", " such as 90s, 15min, 2h or 7d",
                           sizeof(int64_t)},
    [HS_PARAM_SIZE_MIB] = {"size", "a size", " such as 512MiB or 16GiB", sizeof(int64_t)},
    [HS_PARAM_CHOICE] = {"", "", "", sizeof(int32_t)},
    [HS_PARAM_TEXT] = {"text", "text", "", sizeof(char *)},
    [HS_PARAM_DURATIONS] = {"duration/duration/...", "one to eight durations",
                            " such as 7s/30s/60s", sizeof(struct hs_durations)},
    [HS_PARAM_FILE] = {"file", "the path of a file", "", sizeof(char *)},
};

static bool value_parse(const struct hs_param *param, const char *text, struct hs_arena *arena,
                        union value *value)
{
    static const char *const flags[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    size_t len = strlen(text);
    bool is_good = false;

    switch (param->type) {
    case HS_PARAM_FLAG:
        for (uint32_t i = 0; i < HS_COUNT_OF(flags) && !is_good; i++) {
            is_good = strcmp(text, flags[i]) == 0;
            value->flag = i % 2 != 0;
        }
        break;
    case HS_PARAM_INT:
        is_good =
            hs_parse_int64(text, len, &value->integer) && is_within(param, (double)value->integer);
        break;
    case HS_PARAM_REAL:
        is_good = real_parse(param, text, &value->real) && is_within(param, value->real);
        break;
    case HS_PARAM_DURATION:
        is_good = hs_parse_duration_us(text, len, &value->integer) &&
                  is_within(param, (double)value->integer / (double)US_PER_SEC);
        break;
    case HS_PARAM_SIZE_MIB:
        is_good = hs_parse_size_mib(text, len, &value->integer) &&
                  is_within(param, (double)value->integer);
        break;
    case HS_PARAM_CHOICE:
        for (int32_t i = 0; param->choices[i] != NULL && !is_good; i++) {
            is_good = strcmp(text, param->choices[i]) == 0;
            value->choice = i;
        }
        break;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
        value->text = len > 0 ? hs_arena_text(arena, text, len) : NULL;
        return true;
    case HS_PARAM_DURATIONS:
        is_good = durations_parse(param, text, &value->durations);
        break;
    }
    return is_good;
}

static enum hs_status value_set(const struct hs_param *param, void *base, struct hs_arena *arena,
                                const char *text)
{
    union value value;
    if (!value_parse(param, text, arena, &value))
        return HS_E_INPUT;
    memcpy((char *)base + param->offset, &value, types[param->type].size);
    return HS_OK;
}

enum hs_status hs_param_defaults(const struct hs_param *table, void *base, struct hs_arena *arena)
{
    const struct hs_param *p = table;
    for (; p != NULL && p->key != NULL; p++) {
        enum hs_status status = value_set(p, base, arena, p->preset != NULL ? p->preset : "");
        assert(status != HS_E_INPUT && "a preset that is not a value of its parameter");
        HS_TRY(status);
    }
    if (p != NULL && p->min > 0) /* HS_PARAM_END */
        *(int32_t *)(void *)((char *)base + p->offset) = (int32_t)p->min;
    return HS_OK;
}

/* ---- finding ---- */

bool hs_param_is_key(const char *text, const char *key, char end)
{
    for (; *key != '\0'; text++, key++)
        if ((*text == '-' ? '_' : *text) != (*key == '-' ? '_' : *key))
            return false;
    return *text == end;
}

const struct hs_param *hs_param_find(const struct hs_param *table, const char *key)
{
    for (const struct hs_param *p = table; p != NULL && p->key != NULL; p++)
        if (hs_param_is_key(key, p->key, '\0'))
            return p;
    return NULL;
}

/* ---- values as text ---- */

#define US_PER_HOUR (3600 * US_PER_SEC)
#define US_PER_DAY  (24 * US_PER_HOUR)
#define MIB_PER_GIB 1024

/* Uses the largest exact unit. */
static void put_duration(char *text, size_t size, int64_t us)
{
    if (us != 0 && us % US_PER_DAY == 0)
        hs_append(text, size, "%" PRId64 "d", us / US_PER_DAY);
    else if (us != 0 && us % US_PER_HOUR == 0)
        hs_append(text, size, "%" PRId64 "h", us / US_PER_HOUR);
    else
        hs_append(text, size, "%ss", HS_SECONDS(us));
}

static void put_size(char *text, size_t size, int64_t mib)
{
    bool is_gib = mib != 0 && mib % MIB_PER_GIB == 0;
    hs_append(text, size, "%" PRId64 "%s", is_gib ? mib / MIB_PER_GIB : mib,
              is_gib ? "GiB" : "MiB");
}

size_t hs_param_print(const struct hs_param *param, const void *base, char *text, size_t size)
{
    const void *at = (const char *)base + param->offset;
    const struct hs_durations *durations = at;
    text[0] = '\0';

    switch (param->type) {
    case HS_PARAM_FLAG:
        hs_append(text, size, "%s", *(const bool *)at ? "yes" : "no");
        break;
    case HS_PARAM_INT:
        hs_append(text, size, "%" PRId64, *(const int64_t *)at);
        break;
    case HS_PARAM_REAL:
        hs_append(text, size, "%s", HS_DIGITS(*(const double *)at));
        break;
    case HS_PARAM_DURATION:
        put_duration(text, size, *(const int64_t *)at);
        break;
    case HS_PARAM_SIZE_MIB:
        put_size(text, size, *(const int64_t *)at);
        break;
    case HS_PARAM_CHOICE:
        hs_append(text, size, "%s", param->choices[*(const int32_t *)at]);
        break;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
        hs_append(text, size, "%s",
                  *(const char *const *)at != NULL ? *(const char *const *)at : "");
        break;
    case HS_PARAM_DURATIONS:
        for (uint32_t i = 0; i < durations->count; i++) {
            hs_append(text, size, "%s", i > 0 ? "/" : "");
            put_duration(text, size, durations->us[i]);
        }
        break;
    }
    return strlen(text);
}

static void put_bound(char *text, size_t size, const struct hs_param *param, double bound)
{
    bool is_exact = bound > -9e18 && bound < 9e18;
    if (param->type == HS_PARAM_REAL || !is_exact)
        hs_append(text, size, "%s", HS_DIGITS(bound));
    else if (param->type == HS_PARAM_INT)
        hs_append(text, size, "%" PRId64, (int64_t)bound);
    else if (param->type == HS_PARAM_SIZE_MIB)
        put_size(text, size, (int64_t)bound);
    else if (bound > -9e12 && bound < 9e12)
        put_duration(text, size, (int64_t)(bound * (double)US_PER_SEC));
    else
        hs_append(text, size, "%s", HS_DIGITS(bound));
}

static void put_range(char *text, size_t size, const struct hs_param *param, const char *before,
                      const char *between)
{
    hs_append(text, size, "%s", before);
    put_bound(text, size, param, param->floor > 0 ? param->floor : param->min);
    hs_append(text, size, "%s", between);
    put_bound(text, size, param, param->max);
}

static void put_choices(char *text, size_t size, const struct hs_param *param)
{
    for (size_t i = 0; param->choices[i] != NULL; i++)
        hs_append(text, size, "%s%s", i > 0 ? "|" : "", param->choices[i]);
}

void hs_param_expects(const struct hs_param *param, char *text, size_t size)
{
    text[0] = '\0';
    if (param->type == HS_PARAM_CHOICE)
        put_choices(text, size, param);
    else if (param->max > param->min && param->type != HS_PARAM_DURATIONS)
        put_range(text, size, param, param->floor > 0 ? "0s," : "", "..");
    else
        hs_append(text, size, "%s", types[param->type].expects);
}

/* The same in a sentence: "(must be) a number from 0 to 1". */
static void put_wanted(const struct hs_param *param, char *text, size_t size)
{
    (void)snprintf(text, size, "%s%s", param->floor > 0 ? "0s or " : "", types[param->type].noun);
    bool is_list = param->type == HS_PARAM_DURATIONS, has_range = param->max > param->min;
    if (param->type == HS_PARAM_CHOICE)
        put_choices(text, size, param);
    if (is_list || !has_range)
        hs_append(text, size, "%s", types[param->type].example);
    if (has_range)
        put_range(text, size, param, is_list ? ", each from " : " from ", " to ");
    if (param->is_rising)
        hs_append(text, size, " and above the one before it");
}

/* ---- setting ---- */

/* The prefix "policy 'fifo': " if the subject has a name. */
struct subject {
    const char *what, *colon;
};

static struct subject subject_of(const char *what)
{
    bool is_named = what != NULL && what[0] != '\0';
    return (struct subject){is_named ? what : "", is_named ? ": " : ""};
}

#define KEYS_SIZE 512
static const char *list_keys(const struct hs_param *table, char text[KEYS_SIZE])
{
    (void)snprintf(text, KEYS_SIZE, "it has no parameters");
    for (const struct hs_param *p = table; p != NULL && p->key != NULL; p++)
        hs_append(p == table ? memset(text, 0, KEYS_SIZE) : text, KEYS_SIZE, "%s %s",
                  p == table ? "the parameters are" : ",", p->key);
    return text;
}

enum hs_status hs_param_set(const struct hs_param *table, void *base, struct hs_arena *arena,
                            const char *what, const char *key, const char *value,
                            const struct hs_place *place, struct hs_diag *diag)
{
    const struct hs_param *param = hs_param_find(table, key);
    const enum hs_status status = param != NULL ? value_set(param, base, arena, value) : HS_E_INPUT;
    if (status != HS_E_INPUT)
        return status;
    const enum hs_status fault = place == NULL || place->file == NULL ? HS_E_USAGE : HS_E_INPUT;
    const struct subject subject = subject_of(what);
    const char *names[NAMES_MAX], *advice = NULL;
    union value any;
    char hint[HS_HINT_SIZE], text[KEYS_SIZE] = "";
    size_t count = 0;
    if (param != NULL) {
        put_wanted(param, text, sizeof text);
        if (param->type == HS_PARAM_CHOICE) {
            while (param->choices[count] != NULL)
                count++;
            advice = hs_did_you_mean(hint, value, param->choices, count, NULL);
        } else if (strstr(text, types[param->type].example) == NULL) {
            struct hs_param without_range = *param;
            without_range.min = without_range.max = without_range.floor = 0;
            if (!value_parse(&without_range, value, arena, &any))
                advice = types[param->type].example + 1; /* " such as" */
        }
        return hs_fail(diag, fault, place, advice, "%s%s'%s' must be %s, not '%s'", subject.what,
                       subject.colon, param->key, text, value);
    }
    for (const struct hs_param *p = table; p != NULL && p->key != NULL && count < NAMES_MAX; p++)
        names[count++] = p->key;
    return hs_fail(diag, fault, place,
                   hs_did_you_mean(hint, key, names, count, list_keys(table, text)),
                   "%s%sunknown parameter '%s'", subject.what, subject.colon, key);
}

static bool is_preset(const struct hs_param *param, const void *base, struct hs_arena *arena)
{
    struct hs_durations preset; /* the largest type */
    struct hs_param alone[] = {*param, {0}};
    char value[256], default_value[256];
    alone[0].offset = 0;
    if (hs_param_defaults(alone, &preset, arena) != HS_OK)
        return false;
    (void)hs_param_print(param, base, value, sizeof value);
    (void)hs_param_print(alone, &preset, default_value, sizeof default_value);
    return strcmp(value, default_value) == 0;
}

/* Whether the first condition of "key=a|b or other=c" holds; sets its key and that one's value. */
static bool holds(const struct hs_param *table, const void *base, const char *with, char key[32],
                  char value[64])
{
    char words[64];
    const size_t length = strcspn(with, "="), end = strcspn(with, " ");
    assert(length < 32 && end - length <= sizeof words);
    (void)snprintf(key, 32, "%.*s", (int)length, with);
    (void)snprintf(words, sizeof words, "%.*s", (int)(end - length - 1), with + length + 1);
    const struct hs_param *other = hs_param_find(table, key);
    assert(other != NULL && "only_with names no parameter of the table");
    (void)hs_param_print(other, base, value, 64);
    return hs_is_listed(words, '|', value);
}

enum hs_status hs_param_set_list(const struct hs_param *table, void *base, struct hs_arena *arena,
                                 const char *what, const char *list, struct hs_diag *diag)
{
    struct subject subject = subject_of(what);
    uint64_t given = 0; /* one bit for each of the first 64 */
    char hint[KEYS_SIZE];

    for (size_t len; *list != '\0'; list += len + (list[len] == ',')) {
        len = strcspn(list, ",");
        char *pair = hs_arena_text(arena, list, len);
        char *equals = strchr(pair, '=');
        if (equals == NULL || equals == pair)
            return hs_fail(diag, HS_E_USAGE, NULL, list_keys(table, hint),
                           "%s%sexpected key=value, with a list as 1/2/3, not '%s'", subject.what,
                           subject.colon, pair);
        *equals = '\0';
        HS_TRY(hs_param_set(table, base, arena, what, pair, equals + 1, NULL, diag));
        size_t index = (size_t)(hs_param_find(table, pair) - table);
        uint64_t bit = index < 64 ? UINT64_C(1) << index : 0;
        if ((given & bit) != 0)
            return hs_fail(diag, HS_E_USAGE, NULL, "leave one out", "%s%s'%s' is given twice",
                           subject.what, subject.colon, pair);
        given |= bit;
    }
    /* Warns of given parameters without effect: a mistake that no result would show. Not of the
     * default value, as in a list of all parameters. */
    for (size_t i = 0; given >> i != 0; i++) {
        const char *with = table[i].only_with, *at = with, *next;
        char key[32], value[64];
        if ((given >> i & 1) == 0 || with == NULL || is_preset(&table[i], base, arena))
            continue;
        while (!holds(table, base, at, key, value) && (next = strstr(at, " or ")) != NULL)
            at = next + strlen(" or ");
        if (!holds(table, base, at, key, value))
            hs_report(diag, HS_WARNING, NULL, with, "%s%s'%s' has no effect: %s is %s",
                      subject.what, subject.colon, table[i].key, key, value);
    }
    return HS_OK;
}
