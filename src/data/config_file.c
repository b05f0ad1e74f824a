/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The configuration as JSON, in and out. JSON values become the text that the option would have on
 * the command line, so that there is one parser of values; what is printed reads back the same.
 */
#include <string.h>

#include "base/fmt.h"
#include "data/config_private.h"
#include "data/json.h"
#include "data/json_private.h"
#include "data/param.h"
#include "data/policyspec.h"

#define ERRORS_MAX 20
#define EXACT_MAX  INT64_C(9007199254740991) /* 2^53 - 1, the largest integer that JSON keeps */

struct reading {
    struct hs_config *config;
    const struct hs_json_doc *doc;
    struct hs_diag *diag;
};

static enum hs_status value_fail(const struct reading *r, const struct hs_json *value,
                                 const char *hint, const char *what)
{
    struct hs_place place = hs_json_place(r->doc, value);
    return hs_fail(r->diag, HS_E_INPUT, &place, hint, "%s", what);
}

static enum hs_status no_memory(struct hs_diag *diag)
{
    return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the configuration");
}

/* A text, number or boolean as text in the arena. */
static enum hs_status scalar_text(const struct reading *r, const struct hs_json *value,
                                  const char **out)
{
    char digits[HS_FMT_MAX];
    const char *text = digits;
    double number = hs_json_number(value);
    int64_t integer;
    size_t len;

    switch (hs_json_kind(value)) {
    case HS_JSON_TEXT:
        text = hs_json_text(value);
        len = strlen(text);
        break;
    case HS_JSON_BOOL:
        text = hs_json_bool(value) ? "true" : "false";
        len = strlen(text);
        break;
    case HS_JSON_NUMBER:
        if (number > (double)EXACT_MAX || number < -(double)EXACT_MAX)
            return value_fail(r, value, "write it in double quotes",
                              "a number beyond 2^53 is not exact in JSON");
        len = hs_json_int(value, &integer) ? hs_fmt_i64(digits, integer)
                                           : hs_fmt_double(digits, number);
        break;
    default:
        return value_fail(r, value, NULL, "expected a text, a number, true or false");
    }
    *out = hs_arena_text(r->config->arena, text, len);
    return *out != NULL ? HS_OK : no_memory(r->diag);
}

/* *out becomes *out + separator + text; the first text alone if *out is NULL. */
static enum hs_status text_append(const struct reading *r, const char **out, char separator,
                                  const char *text)
{
    size_t held = *out != NULL ? strlen(*out) + 1 : 0, len = strlen(text);
    char *joined = hs_arena_alloc(r->config->arena, held + len + 1);
    if (joined == NULL)
        return no_memory(r->diag);
    if (*out != NULL) {
        memcpy(joined, *out, held - 1);
        joined[held - 1] = separator;
    }
    memcpy(joined + held, text, len);
    *out = joined;
    return HS_OK;
}

/* From the key to the end of the value, where that is on the same line. */
static struct hs_place member_place(const struct reading *r, const struct hs_json *member)
{
    struct hs_place key = hs_json_place_key(r->doc, member), value = hs_json_place(r->doc, member);
    if (key.line == value.line)
        key.span = value.column + value.span - key.column;
    return key;
}

/* {"name": "fifo", "scan": "fit", "cost": [7, 30, 60]} as "fifo:scan=fit,cost=7/30/60". Each
 * parameter is vetted where it stands. */
static enum hs_status policy_text(const struct reading *r, const struct hs_option *option,
                                  const struct hs_json *object, const char **out)
{
    enum hs_status worst = HS_OK;
    const struct hs_json *name = hs_json_get(object, "name");
    if (hs_json_text(name) == NULL || hs_json_text(name)[0] == '\0')
        return value_fail(r, name != NULL ? name : object,
                          "{\"name\": \"fifo\", \"scan\": \"fit\"}", "a policy needs a name");
    struct hs_place place = hs_json_place(r->doc, name);
    HS_TRY(scalar_text(r, name, out));
    HS_TRY(hs_config_vet(option, *out, &place, r->diag));
    const char *alone = *out, *one;
    for (const struct hs_json *m = hs_json_first(object); m != NULL; m = hs_json_next(m)) {
        const char *text = NULL, *part;
        bool is_list = hs_json_kind(m) == HS_JSON_ARRAY;
        if (m == name)
            continue;
        if (!is_list)
            HS_TRY(scalar_text(r, m, &text));
        for (const struct hs_json *e = is_list ? hs_json_first(m) : NULL; e != NULL;
             e = hs_json_next(e)) {
            HS_TRY(scalar_text(r, e, &part));
            HS_TRY(text_append(r, &text, '/', part));
        }
        if (text == NULL)
            return value_fail(r, m, NULL, "an empty list is no value of a policy's parameter");
        if (strpbrk(text, ",\n") != NULL || strpbrk(hs_json_key(m), "=,:\n"))
            return value_fail(r, m, NULL, "no comma or line end may stand in a policy's parameter");
        *out = hs_policyspec_set(r->config->arena, *out, hs_json_key(m), text, false);
        one = hs_policyspec_set(r->config->arena, alone, hs_json_key(m), text, false);
        if (*out == NULL || one == NULL)
            return no_memory(r->diag);
        place = member_place(r, m);
        enum hs_status status = hs_config_vet(option, one, &place, r->diag);
        worst = status != HS_OK ? status : worst;
    }
    return worst;
}

static enum hs_status one_text(const struct reading *r, const struct hs_option *option,
                               const struct hs_json *value, const char **out)
{
    if (hs_json_kind(value) == HS_JSON_OBJECT && hs_config_is_policy(option))
        return policy_text(r, option, value, out);
    if (hs_json_kind(value) == HS_JSON_BOOL && option->param.type == HS_PARAM_TEXT)
        return value_fail(r, value, NULL, "expected a text or a number, not true or false");
    struct hs_place place = hs_json_place(r->doc, value);
    HS_TRY(scalar_text(r, value, out));
    return hs_config_vet(option, *out, &place, r->diag);
}

static bool is_empty(const struct hs_json *value)
{
    return hs_json_kind(value) == HS_JSON_NULL ||
           (hs_json_kind(value) == HS_JSON_TEXT && hs_json_text(value)[0] == '\0');
}

static enum hs_status option_text(const struct reading *r, const struct hs_option *option,
                                  const struct hs_json *value, const char **out)
{
    bool is_durations = option->param.type == HS_PARAM_DURATIONS;
    const char *part;

    *out = NULL;
    if (option->param.type == HS_PARAM_TEXT && is_empty(value)) {
        struct hs_place place = hs_json_place(r->doc, value);
        if (option->param.preset != NULL) /* something must stand */
            return hs_fail(r->diag, HS_E_INPUT, &place, option->param.help, "'%s' is empty",
                           option->param.key);
        *out = "";
        return HS_OK;
    }
    if (hs_json_kind(value) != HS_JSON_ARRAY)
        return one_text(r, option, value, out);
    if (!is_durations && !option->is_repeated)
        return value_fail(r, value, NULL, "expected one value, not a list");
    for (const struct hs_json *e = hs_json_first(value); e != NULL; e = hs_json_next(e)) {
        HS_TRY(one_text(r, option, e, &part));
        if (part[0] == '\0')
            return value_fail(r, e, NULL, "an empty text in a list");
        HS_TRY(text_append(r, out, is_durations ? '/' : '\n', part));
    }
    if (*out == NULL)
        *out = "";
    return HS_OK;
}

static enum hs_status member_read(const struct reading *r, const struct hs_json *member)
{
    const struct hs_option *options = r->config->options;
    size_t index = hs_config_find(r->config, hs_json_key(member));
    const char *text;

    if (index == HS_OPTIONS_MAX || options[index].is_local) {
        struct hs_place key = hs_json_place_key(r->doc, member);
        return hs_config_unknown(r->config, hs_json_key(member), &key, r->diag);
    }
    HS_TRY(option_text(r, &options[index], member, &text));
    struct hs_place place = hs_json_place(r->doc, member);
    return hs_config_store(r->config, index, text, HS_FROM_FILE, &place, r->diag);
}

static enum hs_status members_read(const struct reading *r, const struct hs_json *root)
{
    unsigned errors = 0;

    if (hs_json_kind(root) != HS_JSON_OBJECT)
        return value_fail(r, root, NULL, "a configuration is an object: {\"key\": value, ...}");
    for (const struct hs_json *m = hs_json_first(root); m != NULL; m = hs_json_next(m)) {
        if (strcmp(hs_json_key(m), "$schema") == 0) /* for editors */
            continue;
        enum hs_status status = member_read(r, m);
        if (status == HS_E_MEMORY)
            return status;
        errors += status != HS_OK;
        if (errors == ERRORS_MAX && hs_json_next(m) != NULL) {
            hs_report(r->diag, HS_NOTE, NULL, NULL, "the rest of %s was not checked",
                      r->config->file);
            break;
        }
    }
    return errors > 0 ? HS_E_INPUT : HS_OK;
}

enum hs_status hs_config_load(struct hs_config *config, const char *path, struct hs_diag *diag)
{
    struct hs_json_doc *doc;

    config->file = hs_arena_text(config->arena, path, strlen(path));
    if (config->file == NULL)
        return no_memory(diag);
    HS_TRY(hs_json_load(&doc, path, diag));
    enum hs_status status = members_read(&(struct reading){config, doc, diag}, hs_json_root(doc));
    hs_json_close(doc);
    return status;
}

enum hs_status hs_config_load_object(struct hs_config *config, const struct hs_json_doc *doc,
                                     const struct hs_json *object, struct hs_diag *diag)
{
    return members_read(&(struct reading){config, doc, diag}, object);
}

/* The parameter of a policy: which one, and so what it may be, is known when a policy is named. */
static bool is_policy_key(const struct hs_config *config, const char *key)
{
    static const char prefix[] = "policy.";
    return strncmp(key, prefix, sizeof prefix - 1) == 0 && key[sizeof prefix - 1] != '\0' &&
           hs_config_find(config, "policy") != HS_OPTIONS_MAX;
}

enum hs_status hs_config_pair(const struct hs_config *config, const struct hs_json_doc *doc,
                              const char *key, const struct hs_json *value,
                              const struct hs_json *place_of, const char **pair,
                              struct hs_diag *diag)
{
    struct hs_config checked = *config; /* its value goes nowhere: a default hides none */
    const struct reading r = {&checked, doc, diag};
    const struct hs_place place = hs_json_place(doc, value);
    const char *text;
    *pair = hs_arena_text(config->arena, key, strlen(key));
    if (*pair == NULL)
        return no_memory(diag);
    if (is_policy_key(config, key)) {
        HS_TRY(scalar_text(&r, value, &text));
        return text_append(&r, pair, '=', text);
    }
    size_t index = hs_config_find(config, key);
    if (index == HS_OPTIONS_MAX || config->options[index].is_local) {
        struct hs_place at = hs_json_place_key(doc, place_of);
        return hs_config_unknown(config, key, &at, diag);
    }
    checked.origin[index] = HS_FROM_FLAG;
    HS_TRY(option_text(&r, &config->options[index], value, &text));
    HS_TRY(hs_config_store(&checked, index, text, HS_FROM_FILE, &place, diag));
    return text_append(&r, pair, '=', text);
}

/* ---- printing ---- */

static void put(struct hs_output *out, const char *text)
{
    hs_output_put(out, text, strlen(text));
}

/* A repeated option's values are lines: printed as a list when there are several. */
static void put_lines(struct hs_output *out, const char *text)
{
    put(out, "[");
    for (size_t len;; text += len + 1) {
        len = strcspn(text, "\n");
        hs_json_put_text(out, text, len);
        if (text[len] == '\0')
            break;
        put(out, ", ");
    }
    put(out, "]");
}

static void put_text(struct hs_output *out, const struct hs_option *option, const char *text)
{
    if (text == NULL)
        put(out, "null");
    else if (option->is_repeated && strchr(text, '\n') != NULL)
        put_lines(out, text);
    else
        hs_json_put_text(out, text, strlen(text));
}

static void put_value(struct hs_output *out, const struct hs_option *option, const void *base)
{
    const struct hs_param *param = &option->param;
    const void *at = (const char *)base + param->offset;
    char text[512]; /* the longest: eight durations of 22 characters, or a choice */
    size_t len = param->type == HS_PARAM_TEXT ? 0 : hs_param_print(param, base, text, sizeof text);
    bool is_number = param->type == HS_PARAM_REAL;

    if (param->type == HS_PARAM_INT)
        is_number = *(const int64_t *)at <= EXACT_MAX && *(const int64_t *)at >= -EXACT_MAX;
    if (param->type == HS_PARAM_TEXT)
        put_text(out, option, *(const char *const *)at);
    else if (param->type == HS_PARAM_FLAG)
        put(out, *(const bool *)at ? "true" : "false");
    else if (is_number)
        hs_output_put(out, text, len);
    else
        hs_json_put_text(out, text, len);
}

/* A comment ends with its line: what would end it early is left out. */
static void put_origin(struct hs_output *out, const struct hs_config *config, size_t index)
{
    put(out, "  // from ");
    switch (config->origin[index]) {
    case HS_FROM_DEFAULT:
        put(out, "default");
        break;
    case HS_FROM_FILE:
        for (const char *c = config->file; *c != '\0'; c++)
            hs_output_put(out, (unsigned char)*c < 0x20 ? "?" : c, 1);
        break;
    case HS_FROM_SET:
        put(out, "--set");
        break;
    case HS_FROM_FLAG:
        put(out, "--");
        for (const char *c = config->options[index].param.key; *c != '\0'; c++)
            hs_output_put(out, *c == '_' ? "-" : c, 1);
        break;
    }
}

void hs_config_print(const struct hs_config *config, struct hs_output *out)
{
    const struct hs_option *options = config->options;
    size_t last = 0;

    for (size_t i = 0; options[i].param.key != NULL; i++)
        if (!options[i].is_local)
            last = i;
    put(out, "{\n");
    for (size_t i = 0; options[i].param.key != NULL; i++) {
        if (options[i].is_local)
            continue;
        put(out, "  ");
        hs_json_put_text(out, options[i].param.key, strlen(options[i].param.key));
        put(out, ": ");
        put_value(out, &options[i], config->base);
        put(out, i < last ? "," : "");
        put_origin(out, config, i);
        put(out, "\n");
    }
    put(out, "}\n");
}
