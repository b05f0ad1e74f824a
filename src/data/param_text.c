/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters as text: their values, so that hs_param_set reads them back to the same, and what
 * may stand for a value, for help and for messages.
 */
#include "data/param.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/fmt.h"

#define US_PER_SEC  INT64_C(1000000)
#define US_PER_HOUR (3600 * US_PER_SEC)
#define US_PER_DAY  (24 * US_PER_HOUR)
#define MIB_PER_GIB 1024

struct text {
    char *data;
    size_t len, room; /* room without the NUL */
};

static void text_add(struct text *t, const char *data, size_t len)
{
    if (len > t->room - t->len)
        len = t->room - t->len;
    memcpy(t->data + t->len, data, len);
    t->len += len;
    t->data[t->len] = '\0';
}

static void text_puts(struct text *t, const char *data)
{
    text_add(t, data, strlen(data));
}

static void text_i64(struct text *t, int64_t value)
{
    char digits[HS_FMT_MAX];
    text_add(t, digits, hs_fmt_i64(digits, value));
}

static void text_double(struct text *t, double value)
{
    char digits[HS_FMT_MAX];
    text_add(t, digits, hs_fmt_double(digits, value));
}

/* In the largest unit that is exact. */
static void text_duration(struct text *t, int64_t us)
{
    char digits[HS_FMT_MAX];
    if (us != 0 && us % US_PER_DAY == 0) {
        text_i64(t, us / US_PER_DAY);
        text_puts(t, "d");
    } else if (us != 0 && us % US_PER_HOUR == 0) {
        text_i64(t, us / US_PER_HOUR);
        text_puts(t, "h");
    } else {
        text_add(t, digits, hs_fmt_seconds(digits, us));
        text_puts(t, "s");
    }
}

static void text_size(struct text *t, int64_t mib)
{
    bool is_gib = mib != 0 && mib % MIB_PER_GIB == 0;
    text_i64(t, is_gib ? mib / MIB_PER_GIB : mib);
    text_puts(t, is_gib ? "GiB" : "MiB");
}

static struct text text_begin(char *data, size_t size)
{
    assert(size > 0);
    data[0] = '\0';
    return (struct text){.data = data, .room = size - 1};
}

size_t hs_param_print(const struct hs_param *param, const void *base, char *text, size_t size)
{
    const void *at = (const char *)base + param->offset;
    const struct hs_durations *durations = at;
    struct text t = text_begin(text, size);

    switch (param->type) {
    case HS_PARAM_FLAG:
        text_puts(&t, *(const bool *)at ? "yes" : "no");
        break;
    case HS_PARAM_INT:
        text_i64(&t, *(const int64_t *)at);
        break;
    case HS_PARAM_REAL:
        text_double(&t, *(const double *)at);
        break;
    case HS_PARAM_DURATION:
        text_duration(&t, *(const int64_t *)at);
        break;
    case HS_PARAM_SIZE_MIB:
        text_size(&t, *(const int64_t *)at);
        break;
    case HS_PARAM_CHOICE:
        text_puts(&t, param->choices[*(const int32_t *)at]);
        break;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
        text_puts(&t, *(const char *const *)at != NULL ? *(const char *const *)at : "");
        break;
    case HS_PARAM_DURATIONS:
        for (uint32_t i = 0; i < durations->count; i++) {
            text_puts(&t, i > 0 ? "/" : "");
            text_duration(&t, durations->us[i]);
        }
        break;
    }
    return t.len;
}

/* One end of the range, in the notation of the parameter. */
static void text_bound(struct text *t, const struct hs_param *param, double bound)
{
    bool is_exact = bound > -9e18 && bound < 9e18;
    if (param->type == HS_PARAM_REAL || !is_exact)
        text_double(t, bound);
    else if (param->type == HS_PARAM_INT)
        text_i64(t, (int64_t)bound);
    else if (param->type == HS_PARAM_SIZE_MIB)
        text_size(t, (int64_t)bound);
    else if (bound > -9e12 && bound < 9e12)
        text_duration(t, (int64_t)(bound * (double)US_PER_SEC));
    else
        text_double(t, bound);
}

static void text_range(struct text *t, const struct hs_param *param, const char *before,
                       const char *between)
{
    text_puts(t, before);
    text_bound(t, param, param->min);
    text_puts(t, between);
    text_bound(t, param, param->max);
}

static void text_choices(struct text *t, const struct hs_param *param)
{
    for (size_t i = 0; param->choices[i] != NULL; i++) {
        text_puts(t, i > 0 ? "|" : "");
        text_puts(t, param->choices[i]);
    }
}

size_t hs_param_expects(const struct hs_param *param, char *text, size_t size)
{
    static const char *const names[] = {
        [HS_PARAM_FLAG] = "yes|no",   [HS_PARAM_INT] = "integer",
        [HS_PARAM_REAL] = "number",   [HS_PARAM_DURATION] = "duration",
        [HS_PARAM_SIZE_MIB] = "size", [HS_PARAM_CHOICE] = "",
        [HS_PARAM_TEXT] = "text",     [HS_PARAM_DURATIONS] = "duration/duration/...",
        [HS_PARAM_FILE] = "file",
    };
    struct text t = text_begin(text, size);
    if (param->type == HS_PARAM_CHOICE) {
        text_choices(&t, param);
    } else if (param->max > param->min && param->type != HS_PARAM_DURATIONS) {
        text_range(&t, param, "", "..");
    } else {
        text_puts(&t, names[param->type]);
    }
    return t.len;
}

size_t hs_param_wants(const struct hs_param *param, char *text, size_t size)
{
    static const struct {
        const char *noun, *example;
    } words[] = {
        [HS_PARAM_FLAG] = {"yes or no", ""},
        [HS_PARAM_INT] = {"an integer", ""},
        [HS_PARAM_REAL] = {"a number", ""},
        [HS_PARAM_DURATION] = {"a duration", " such as 90s, 15min, 2h or 7d"},
        [HS_PARAM_SIZE_MIB] = {"a size", " such as 512MiB or 16GiB"},
        [HS_PARAM_CHOICE] = {"", ""},
        [HS_PARAM_TEXT] = {"text", ""},
        [HS_PARAM_DURATIONS] = {"one to eight durations", " such as 7s/30s/60s"},
        [HS_PARAM_FILE] = {"the path of a file", ""},
    };
    struct text t = text_begin(text, size);

    text_puts(&t, words[param->type].noun);
    bool is_list = param->type == HS_PARAM_DURATIONS, has_range = param->max > param->min;
    if (param->type == HS_PARAM_CHOICE)
        text_choices(&t, param);
    if (is_list || !has_range)
        text_puts(&t, words[param->type].example);
    if (has_range)
        text_range(&t, param, is_list ? ", each from " : " from ", " to ");
    if (param->is_rising)
        text_puts(&t, " and above the one before it");
    return t.len;
}
