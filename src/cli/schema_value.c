/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schema of one value. A number may stand as a JSON number or as text with its unit; "minimum"
 * is about the one, "pattern" about the other, so both stand side by side.
 */
#include <assert.h>
#include <string.h>

#include "base/timeparse.h"
#include "cli/metavar.h"
#include "cli/options.h"
#include "cli/schema.h"

#define EXACT_MAX 9007199254740991.0 /* 2^53 - 1: no larger number is read */

/* ---- regular expressions ---- */

static void add(struct hs_regex *r, const char *text, size_t len)
{
    assert(r->len + len < sizeof r->text);
    memcpy(r->text + r->len, text, len);
    r->len += len;
    r->text[r->len] = '\0';
}

void hs_regex_put(struct hs_regex *r, const char *pattern)
{
    add(r, pattern, strlen(pattern));
}

void hs_regex_begin(struct hs_regex *r)
{
    r->len = 0;
    hs_regex_put(r, "^(");
}

void hs_regex_put_word(struct hs_regex *r, const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr("\\.+*?()[]{}|^$", word[i]) != NULL)
            add(r, "\\", 1);
        add(r, word + i, 1);
    }
}

void hs_regex_end(struct hs_regex *r, bool or_empty)
{
    hs_regex_put(r, or_empty ? ")?$" : ")$");
}

static void put_sign(struct hs_regex *r, const struct hs_param *p)
{
    bool has_range = p->max > p->min;
    if (!has_range || p->min < 0)
        hs_regex_put(r, "-?");
}

void hs_regex_put_param(struct hs_regex *r, const struct hs_param *p)
{
    switch (p->type) {
    case HS_PARAM_FLAG:
        hs_regex_put(r, "no|yes|off|on|false|true|0|1");
        break;
    case HS_PARAM_INT:
        put_sign(r, p);
        hs_regex_put(r, "[0-9]+");
        break;
    case HS_PARAM_REAL:
        put_sign(r, p);
        hs_regex_put(r, HS_PATTERN_NUMBER "%?");
        break;
    case HS_PARAM_DURATION:
        put_sign(r, p);
        hs_regex_put(r, HS_PATTERN_TIME);
        break;
    case HS_PARAM_SIZE_MIB:
        hs_regex_put(r, HS_PATTERN_SIZE);
        break;
    case HS_PARAM_CHOICE:
        for (size_t i = 0; p->choices[i] != NULL; i++) {
            hs_regex_put(r, i > 0 ? "|" : "");
            hs_regex_put_word(r, p->choices[i], strlen(p->choices[i]));
        }
        break;
    case HS_PARAM_DURATIONS:
        hs_regex_put(r, HS_PATTERN_TIME "(/" HS_PATTERN_TIME "){0,7}");
        break;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
        hs_regex_put(r, "[^,\\n]*");
        break;
    }
}

static void member_pattern(struct hs_jsonw *w, const struct hs_param *p)
{
    struct hs_regex r;
    hs_regex_begin(&r);
    hs_regex_put_param(&r, p);
    hs_regex_end(&r, false);
    hs_jsonw_member_text(w, "pattern", r.text);
}

/* ---- values ---- */

static void member_number(struct hs_jsonw *w, const char *key, double value)
{
    hs_jsonw_key(w, key);
    hs_jsonw_double(w, value);
}

static void member_types(struct hs_jsonw *w, const char *const *types)
{
    hs_jsonw_key(w, "type");
    if (types[1] == NULL) {
        hs_jsonw_text(w, types[0]);
        return;
    }
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (; *types != NULL; types++)
        hs_jsonw_text(w, *types);
    hs_jsonw_end_array(w);
}

/* Durations are kept in microseconds of 64 bits. */
static void member_range(struct hs_jsonw *w, const struct hs_param *p)
{
    bool has_range = p->max > p->min;
    bool is_time = p->type == HS_PARAM_DURATION || p->type == HS_PARAM_DURATIONS;
    double most = is_time ? 9e12 : EXACT_MAX;
    member_number(w, "minimum", has_range ? p->min : p->type == HS_PARAM_SIZE_MIB ? 0 : -most);
    member_number(w, "maximum", has_range ? p->max : most);
}

static void number_value(struct hs_jsonw *w, const struct hs_param *p)
{
    const char *types[] = {p->type == HS_PARAM_INT ? "integer" : "number", "string", NULL};
    member_types(w, types);
    member_range(w, p);
    member_pattern(w, p);
}

static void flag_value(struct hs_jsonw *w)
{
    static const char *const words[] = {"yes", "no", "on", "off", "true", "false", "1", "0"};
    hs_jsonw_key(w, "enum");
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    hs_jsonw_bool(w, true);
    hs_jsonw_bool(w, false);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hs_jsonw_text(w, words[i]);
    hs_jsonw_u64(w, 1);
    hs_jsonw_u64(w, 0);
    hs_jsonw_end_array(w);
}

static void choice_value(struct hs_jsonw *w, const char *const *choices)
{
    hs_jsonw_key(w, "enum");
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (; *choices != NULL; choices++)
        hs_jsonw_text(w, *choices);
    hs_jsonw_end_array(w);
}

/* One, as number or text, or several: "7/30/60" or [7, 30, 60]. */
static void durations_value(struct hs_jsonw *w, const struct hs_param *p)
{
    static const char *const types[] = {"number", "string", "array", NULL};
    struct hs_param one = *p;
    one.type = HS_PARAM_DURATION;
    member_types(w, types);
    member_range(w, p);
    member_pattern(w, p);
    member_number(w, "minItems", 1);
    member_number(w, "maxItems", HS_DURATIONS_MAX);
    hs_jsonw_key(w, "items");
    hs_jsonw_object(w);
    number_value(w, &one);
    hs_jsonw_end_object(w);
}

static void member_default(struct hs_jsonw *w, const struct hs_param *p)
{
    int64_t integer;
    double real;
    if (p->preset == NULL || *p->preset == '\0')
        return;
    size_t len = strlen(p->preset);
    hs_jsonw_key(w, "default");
    if (p->type == HS_PARAM_FLAG)
        hs_jsonw_bool(w, strchr("yot1", p->preset[0]) != NULL && strcmp(p->preset, "off") != 0);
    else if (p->type == HS_PARAM_INT && hs_parse_int64(p->preset, len, &integer))
        hs_jsonw_i64(w, integer);
    else if (p->type == HS_PARAM_REAL && hs_parse_double(p->preset, len, &real))
        hs_jsonw_double(w, real);
    else
        hs_jsonw_text(w, p->preset);
}

void hs_schema_param(struct hs_jsonw *w, const struct hs_param *p, bool is_of_policy)
{
    static const char *const texts[] = {"string", "number", "boolean", NULL};
    switch (p->type) {
    case HS_PARAM_FLAG:
        flag_value(w);
        break;
    case HS_PARAM_INT:
    case HS_PARAM_REAL:
    case HS_PARAM_DURATION:
    case HS_PARAM_SIZE_MIB:
        number_value(w, p);
        break;
    case HS_PARAM_CHOICE:
        choice_value(w, p->choices);
        break;
    case HS_PARAM_DURATIONS:
        durations_value(w, p);
        break;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
        assert(is_of_policy && "texts of options have a vocabulary");
        member_types(w, texts);
        member_range(w, p);
        member_pattern(w, p);
        break;
    }
    (void)is_of_policy;
    member_default(w, p);
}

/* ---- texts of options ---- */

/* "a|b", or "(a|b)(,(a|b))*" for a list. */
static void put_words(struct hs_regex *r, const char *(*word_at)(size_t), bool is_list)
{
    const char *word;
    for (int round = 0; round < (is_list ? 2 : 1); round++) {
        hs_regex_put(r, round > 0 ? "(,(" : is_list ? "(" : "");
        for (size_t i = 0; (word = word_at(i)) != NULL; i++) {
            hs_regex_put(r, i > 0 ? "|" : "");
            hs_regex_put_word(r, word, strlen(word));
        }
        hs_regex_put(r, round > 0 ? "))*" : is_list ? ")" : "");
    }
}

/* Which texts, and which numbers, may stand there. Any text: false. */
static bool text_pattern(const struct hs_option *option, struct hs_regex *r, const char **number)
{
    char name[256];
    struct hs_metavar_part part;
    const char *unit = hs_option_metavar(&option->param, name, sizeof name);
    *number = "number";
    hs_regex_begin(r);
    for (uint32_t i = 0; hs_metavar_part(unit, 0, i, &part); i++) {
        const struct hs_metavar *known = part.known;
        bool has_words = known != NULL && known->kind == HS_METAVAR_WORD && option->word_at != NULL;
        hs_regex_put(r, i > 0 ? "|" : "");
        if (part.is_literal)
            hs_regex_put_word(r, part.text, part.len);
        else if (has_words)
            put_words(r, option->word_at, strcmp(known->name, "LIST") == 0);
        else if (known != NULL && known->pattern != NULL)
            hs_regex_put(r, known->pattern);
        else
            return false;
        if (i == 0)
            *number = known != NULL ? known->number : NULL;
    }
    return true;
}

/* has_null: the value may be absent. */
static void text_value(struct hs_jsonw *w, const struct hs_option *option, bool has_null)
{
    struct hs_regex r;
    const char *types[4] = {"string"}, *number;
    uint32_t count = 1;
    bool has_pattern = text_pattern(option, &r, &number);
    if (number != NULL)
        types[count++] = number;
    if (has_null)
        types[count++] = "null";
    member_types(w, types);
    if (number != NULL) {
        member_number(w, "minimum", has_pattern ? 0 : -EXACT_MAX);
        member_number(w, "maximum", EXACT_MAX);
    }
    if (has_pattern) {
        hs_regex_end(&r, has_null);
        hs_jsonw_member_text(w, "pattern", r.text);
    } else if (!has_null) {
        hs_jsonw_member_u64(w, "minLength", 1);
    }
}

static void one_value(struct hs_jsonw *w, const struct hs_option *option, bool has_null)
{
    if (option->param.type != HS_PARAM_TEXT && option->param.type != HS_PARAM_FILE)
        hs_schema_param(w, &option->param, false);
    else if (strcmp(option->param.key, "policy") == 0)
        hs_jsonw_member_text(w, "$ref", "#/$defs/policy");
    else
        text_value(w, option, has_null);
}

static void alternative(struct hs_jsonw *w, const struct hs_option *option, bool is_list)
{
    hs_jsonw_object(w);
    if (is_list) {
        hs_jsonw_member_text(w, "type", "array");
        hs_jsonw_key(w, "items");
        hs_jsonw_object(w);
    }
    one_value(w, option, false);
    if (is_list)
        hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

void hs_schema_option(struct hs_jsonw *w, const struct hs_option *option)
{
    bool has_null = option->param.preset == NULL;
    hs_jsonw_member_text(w, "description", option->param.help);
    if (!option->is_repeated) {
        one_value(w, option, has_null);
        if (option->param.type == HS_PARAM_TEXT)
            member_default(w, &option->param);
        return;
    }
    hs_jsonw_key(w, "anyOf");
    hs_jsonw_array(w);
    alternative(w, option, false);
    alternative(w, option, true);
    if (has_null) {
        hs_jsonw_object(w);
        hs_jsonw_key(w, "enum");
        hs_jsonw_on_one_line(w);
        hs_jsonw_array(w);
        hs_jsonw_null(w);
        hs_jsonw_text(w, "");
        hs_jsonw_end_array(w);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}
