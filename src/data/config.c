/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of options and their origins; reading and writing them as JSON, and policy specs
 * ("fifo:scan=fit,round=60s"), whose single parameters --set and --vary change.
 */
#include "data/config.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/fmt.h"
#include "data/json.h"
#include "data/param_table.h"

#define NO_OPTION     HS_OPTIONS_MAX
#define FLAG_SIZE     66
#define POLICY_PREFIX "policy."

char *hs_option_long_name(const struct hs_param *param, char *name, size_t size)
{
    (void)snprintf(name, size, "%s", param->key);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
    return name;
}

enum hs_status hs_config_init(struct hs_config *config, const struct hs_option *options, void *base,
                              struct hs_arena *arena)
{
    *config = (struct hs_config){.options = options, .base = base, .arena = arena};
    for (size_t i = 0; options[i].param.key != NULL; i++) {
        const struct hs_param one[2] = {options[i].param, {0}};
        assert(i < HS_OPTIONS_MAX);
        HS_TRY(hs_param_defaults(one, base, arena));
    }
    return HS_OK;
}

static const char *copied(struct hs_arena *arena, const char *text)
{
    return text != NULL ? hs_arena_text(arena, text, strlen(text)) : NULL;
}

void hs_config_copy(struct hs_config *config, const struct hs_config *of, void *base, size_t size,
                    struct hs_arena *arena)
{
    *config = *of;
    config->base = memcpy(base, of->base, size);
    config->arena = arena;
    config->file = copied(arena, of->file);
    config->policy_sets = copied(arena, of->policy_sets);
    for (const struct hs_option *o = of->options; o->param.key != NULL; o++) {
        if (o->param.type != HS_PARAM_TEXT && o->param.type != HS_PARAM_FILE)
            continue;
        const char **text = (const char **)((char *)base + o->param.offset);
        *text = copied(arena, *text);
    }
}

static size_t option_find(const struct hs_config *config, const char *key)
{
    for (size_t i = 0; config->options[i].param.key != NULL; i++) {
        const struct hs_param one[2] = {config->options[i].param, {0}};
        if (hs_param_find(one, key) != NULL)
            return i;
    }
    return NO_OPTION;
}

static enum hs_status key_unknown(const struct hs_config *config, const char *key,
                                  const struct hs_place *place, struct hs_diag *diag)
{
    const char *names[HS_OPTIONS_MAX], *hint = "it is about one call: give it on the command line";
    char nearest[HS_HINT_SIZE];
    size_t count = 0;

    for (const struct hs_option *o = config->options; o->param.key != NULL; o++)
        if (!o->is_local)
            names[count++] = o->param.key;
    if (option_find(config, key) == NO_OPTION)
        hint = hs_did_you_mean(nearest, key, names, count, "--print-config shows every key");
    return hs_fail(diag, place != NULL ? HS_E_INPUT : HS_E_USAGE, place, hint, "unknown key '%s'",
                   key);
}

static const char *current_text(const struct hs_config *config, size_t index)
{
    const struct hs_param *param = &config->options[index].param;
    const void *at = (const char *)config->base + param->offset;
    return param->type == HS_PARAM_TEXT ? *(const char *const *)at : NULL;
}

static bool is_policy(const struct hs_option *option)
{
    return option->param.type == HS_PARAM_TEXT && strcmp(option->param.key, "policy") == 0;
}

/* Appends separator + text to *out; if *out is NULL, the text alone. */
static void text_append(struct hs_arena *arena, const char **out, char separator, const char *text)
{
    size_t held = *out != NULL ? strlen(*out) + 1 : 0, len = strlen(text);
    char *joined = hs_arena_alloc(arena, held + len + 1);
    if (*out != NULL) {
        memcpy(joined, *out, held - 1);
        joined[held - 1] = separator;
    }
    memcpy(joined + held, text, len);
    *out = joined;
}

static enum hs_status value_vet(const struct hs_option *option, const char *text,
                                const struct hs_place *place, struct hs_diag *diag)
{
    if (option->param.type != HS_PARAM_TEXT || option->check == NULL || text[0] == '\0')
        return HS_OK;
    const struct hs_place *where = diag->where;
    diag->where = place;
    enum hs_status status = option->check(text, diag);
    diag->where = where;
    return status == HS_E_USAGE && place != NULL ? HS_E_INPUT : status;
}

static enum hs_status value_store(struct hs_config *config, size_t index, const char *value,
                                  enum hs_origin origin, const struct hs_place *place,
                                  struct hs_diag *diag)
{
    const struct hs_option *option = &config->options[index];
    struct hs_param one[2] = {option->param, {0}};
    struct hs_durations hidden; /* the largest kind of value */
    const char *held = current_text(config, index);
    char flag[FLAG_SIZE] = "--";

    if (origin == HS_FROM_FLAG) { /* messages name the flag as typed */
        (void)hs_option_long_name(&option->param, flag + 2, sizeof flag - 2);
        one[0].key = flag;
    }
    if (origin < config->origin[index]) {
        one[0].offset = 0;
        return hs_param_set(one, &hidden, config->arena, NULL, one[0].key, value, place, diag);
    }
    if (option->is_repeated && origin >= HS_FROM_SET && origin == config->origin[index] &&
        held != NULL) {
        text_append(config->arena, &held, '\n', value);
        value = held;
    }
    if (is_policy(option) && config->policy_sets != NULL && value[0] != '\0')
        value =
            hs_policyspec_merge(config->arena, value, config->policy_sets, origin == HS_FROM_FLAG);
    HS_TRY(hs_param_set(one, config->base, config->arena, NULL, one[0].key, value, place, diag));
    config->origin[index] = origin;
    return HS_OK;
}

enum hs_status hs_config_set(struct hs_config *config, const char *key, const char *value,
                             enum hs_origin origin, struct hs_diag *diag)
{
    size_t index = option_find(config, key);
    if (index == NO_OPTION || (config->options[index].is_local && origin != HS_FROM_FLAG))
        return key_unknown(config, key, NULL, diag);
    HS_TRY(value_vet(&config->options[index], value, NULL, diag));
    return value_store(config, index, value, origin, NULL, diag);
}

enum hs_origin hs_config_origin(const struct hs_config *config, const char *key)
{
    size_t index = option_find(config, key);
    return index != NO_OPTION ? config->origin[index] : HS_FROM_DEFAULT;
}

enum hs_status hs_config_check(const struct hs_config *config, const char *verb,
                               struct hs_diag *diag)
{
    for (const struct hs_option *o = config->options; o->param.key != NULL; o++) {
        const void *value = (const char *)config->base + o->param.offset;
        if (o->param.type == HS_PARAM_TEXT && o->param.preset != NULL &&
            *(const char *const *)value == NULL)
            return hs_fail(diag, HS_E_USAGE, NULL, o->param.help, "%s: '%s' is empty", verb,
                           o->param.key);
    }
    return HS_OK;
}

enum hs_status hs_config_set_pair(struct hs_config *config, const char *pair, struct hs_diag *diag)
{
    const char *equals = strchr(pair, '=');
    if (equals == NULL || equals == pair)
        return hs_fail(diag, HS_E_USAGE, NULL, "--set load=2 or --set policy.scan=fit",
                       "--set needs key=value, not '%s'", pair);
    char *key = hs_arena_text(config->arena, pair, (size_t)(equals - pair));
    const char *value = equals + 1;
    if (strchr(key, '.') == NULL)
        return hs_config_set(config, key, value, HS_FROM_SET, diag);
    if (strncmp(key, POLICY_PREFIX, sizeof POLICY_PREFIX - 1) != 0)
        return key_unknown(config, key, NULL, diag);
    key += sizeof POLICY_PREFIX - 1; /* for the policy named so far and for one named later */
    size_t index = option_find(config, "policy");
    if (index == NO_OPTION || !is_policy(&config->options[index]))
        return key_unknown(config, "policy", NULL, diag);
    if (key[0] == '\0' || strpbrk(value, ",\n") != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "--set policy.key=value, one key at a time",
                       "'policy.%s=%s' is not one parameter", key, value);
    const char *sets = config->policy_sets != NULL ? config->policy_sets : "";
    const char *held = current_text(config, index);
    enum hs_origin origin = config->origin[index];
    config->policy_sets = hs_policyspec_set(config->arena, sets, key, value, false);
    if (held == NULL)
        return HS_OK;
    held = hs_policyspec_set(config->arena, held, key, value, origin == HS_FROM_FLAG);
    memcpy((char *)config->base + config->options[index].param.offset, &held, sizeof held);
    config->origin[index] = origin > HS_FROM_SET ? origin : HS_FROM_SET;
    return HS_OK;
}

/* ---- the JSON of a configuration ---- */

#define ERRORS_MAX 20
#define EXACT_MAX  9007199254740991.0 /* 2^53 - 1, the largest exact integer in JSON */

static bool is_exact(double number)
{
    return number <= EXACT_MAX && number >= -EXACT_MAX;
}

struct config_reading {
    struct hs_config *config;
    const struct hs_json_doc *doc;
    struct hs_diag *diag;
};

static enum hs_status value_fail(const struct config_reading *r, const struct hs_json *value,
                                 const char *hint, const char *what)
{
    return hs_fail(r->diag, HS_E_INPUT, HS_AT(hs_json_place(r->doc, value)), hint, "%s", what);
}

/* Returns a text, number or boolean as text in the arena. */
static enum hs_status scalar_text(const struct config_reading *r, const struct hs_json *value,
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
        if (hs_control_find(text, len) < len)
            return value_fail(r, value, NULL, "a line end or another control character");
        break;
    case HS_JSON_BOOL:
        text = hs_json_bool(value) ? "true" : "false";
        len = strlen(text);
        break;
    case HS_JSON_NUMBER:
        if (!is_exact(number))
            return value_fail(r, value, "write it in double quotes",
                              "a number beyond 2^53 is not exact in JSON");
        len = hs_json_int(value, &integer) ? hs_fmt_i64(digits, integer)
                                           : hs_fmt_double(digits, number);
        break;
    default:
        return value_fail(r, value, NULL, "expected a text, a number, true or false");
    }
    *out = hs_arena_text(r->config->arena, text, len);
    return HS_OK;
}

/* Converts {"name": "fifo", "scan": "fit", "cost": [7, 30, 60]} to "fifo:scan=fit,cost=7/30/60".
 * Each parameter is checked at its place. */
static enum hs_status policy_text(const struct config_reading *r, const struct hs_option *option,
                                  const struct hs_json *object, const char **out)
{
    enum hs_status worst = HS_OK;
    const struct hs_json *name = hs_json_get(object, "name");
    if (hs_json_text(name) == NULL || hs_json_text(name)[0] == '\0')
        return value_fail(r, name != NULL ? name : object,
                          "{\"name\": \"fifo\", \"scan\": \"fit\"}", "a policy needs a name");
    struct hs_place place = hs_json_place(r->doc, name);
    HS_TRY(scalar_text(r, name, out));
    HS_TRY(value_vet(option, *out, &place, r->diag));
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
            text_append(r->config->arena, &text, '/', part);
        }
        if (text == NULL)
            return value_fail(r, m, NULL, "an empty list is no value of a policy's parameter");
        if (strpbrk(text, ",\n") != NULL || strpbrk(hs_json_key(m), "=,:\n"))
            return value_fail(r, m, NULL, "a policy's parameter cannot have a comma or a line end");
        *out = hs_policyspec_set(r->config->arena, *out, hs_json_key(m), text, false);
        one = hs_policyspec_set(r->config->arena, alone, hs_json_key(m), text, false);
        /* From the key to the end of the value, if that is on the same line. */
        struct hs_place end = hs_json_place(r->doc, m);
        place = hs_json_place_key(r->doc, m);
        if (place.line == end.line)
            place.span = end.column + end.span - place.column;
        enum hs_status status = value_vet(option, one, &place, r->diag);
        worst = status != HS_OK ? status : worst;
    }
    return worst;
}

static enum hs_status one_text(const struct config_reading *r, const struct hs_option *option,
                               const struct hs_json *value, const char **out)
{
    if (hs_json_kind(value) == HS_JSON_OBJECT && is_policy(option))
        return policy_text(r, option, value, out);
    if (hs_json_kind(value) == HS_JSON_BOOL && option->param.type == HS_PARAM_TEXT)
        return value_fail(r, value, NULL, "expected a text or a number, not true or false");
    HS_TRY(scalar_text(r, value, out));
    return value_vet(option, *out, HS_AT(hs_json_place(r->doc, value)), r->diag);
}

static enum hs_status option_text(const struct config_reading *r, const struct hs_option *option,
                                  const struct hs_json *value, const char **out)
{
    bool is_durations = option->param.type == HS_PARAM_DURATIONS;
    const char *part;

    *out = NULL;
    bool is_empty = hs_json_kind(value) == HS_JSON_NULL ||
                    (hs_json_kind(value) == HS_JSON_TEXT && hs_json_text(value)[0] == '\0');
    if (option->param.type == HS_PARAM_TEXT && is_empty) {
        if (option->param.preset != NULL) /* a value is required */
            return hs_fail(r->diag, HS_E_INPUT, HS_AT(hs_json_place(r->doc, value)),
                           option->param.help, "'%s' is empty", option->param.key);
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
        text_append(r->config->arena, out, is_durations ? '/' : '\n', part);
    }
    if (*out == NULL)
        *out = "";
    return HS_OK;
}

/* Sets a value for `key` in the configuration, and returns it as text. place_of: the place for
 * messages about the key. */
static enum hs_status member_read(const struct config_reading *r, const char *key,
                                  const struct hs_json *value, const struct hs_json *place_of,
                                  const char **text)
{
    const struct hs_option *options = r->config->options;
    size_t index = option_find(r->config, key);
    struct hs_place place = hs_json_place_key(r->doc, place_of);

    if (index == NO_OPTION || options[index].is_local)
        return key_unknown(r->config, key, &place, r->diag);
    HS_TRY(option_text(r, &options[index], value, text));
    place = hs_json_place(r->doc, value);
    return value_store(r->config, index, *text, HS_FROM_FILE, &place, r->diag);
}

static enum hs_status members_read(const struct config_reading *r, const struct hs_json *root)
{
    const char *text;
    unsigned errors = 0;

    if (hs_json_kind(root) != HS_JSON_OBJECT)
        return value_fail(r, root, NULL, "a configuration is an object: {\"key\": value, ...}");
    for (const struct hs_json *m = hs_json_first(root); m != NULL; m = hs_json_next(m)) {
        if (strcmp(hs_json_key(m), "$schema") == 0) /* for editors */
            continue;
        enum hs_status status = member_read(r, hs_json_key(m), m, m, &text);
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
    HS_TRY(hs_json_load(&doc, path, diag));
    enum hs_status status =
        members_read(&(struct config_reading){config, doc, diag}, hs_json_root(doc));
    hs_json_close(doc);
    return status;
}

enum hs_status hs_config_load_object(struct hs_config *config, const struct hs_json_doc *doc,
                                     const struct hs_json *object, struct hs_diag *diag)
{
    return members_read(&(struct config_reading){config, doc, diag}, object);
}

enum hs_status hs_config_pair(const struct hs_config *config, const struct hs_json_doc *doc,
                              const char *key, const struct hs_json *value,
                              const struct hs_json *place_of, const char **pair,
                              struct hs_diag *diag)
{
    struct hs_config checked = *config; /* a copy: the value is not stored */
    const struct config_reading r = {&checked, doc, diag};
    const char *text;
    *pair = hs_arena_text(config->arena, key, strlen(key));
    for (size_t i = 0; i < HS_OPTIONS_MAX; i++)
        checked.origin[i] = HS_FROM_FLAG;
    /* a parameter of a policy can be checked only when a policy is named */
    if (strncmp(key, POLICY_PREFIX, sizeof POLICY_PREFIX - 1) == 0 &&
        key[sizeof POLICY_PREFIX - 1] != '\0' && option_find(config, "policy") != NO_OPTION)
        HS_TRY(scalar_text(&r, value, &text));
    else
        HS_TRY(member_read(&r, key, value, place_of, &text));
    text_append(config->arena, pair, '=', text);
    return HS_OK;
}

/* ---- printing ---- */

const char *hs_option_next(const char **rest, struct hs_arena *arena)
{
    if (*rest == NULL)
        return NULL;
    size_t len = strcspn(*rest, "\n");
    const char *value = hs_arena_text(arena, *rest, len);
    *rest = (*rest)[len] != '\0' ? *rest + len + 1 : NULL;
    return value;
}

/* Several values of a repeated option are a list. */
static void put_value(struct hs_jsonw *w, const struct hs_config *config,
                      const struct hs_option *option, bool is_on_one_line)
{
    const struct hs_param *param = &option->param;
    const void *at = (const char *)config->base + param->offset;
    const char *value = param->type == HS_PARAM_TEXT ? *(const char *const *)at : NULL, *line;
    char text[512]; /* the longest: eight durations of 22 characters, or a choice */

    if (param->type == HS_PARAM_FLAG) {
        hs_jsonw_put(w, "=%d", *(const bool *)at);
    } else if (param->type == HS_PARAM_INT && is_exact((double)*(const int64_t *)at)) {
        hs_jsonw_put(w, "=%" PRId64, *(const int64_t *)at);
    } else if (param->type == HS_PARAM_REAL) {
        hs_jsonw_put(w, "=%g", *(const double *)at);
    } else if (option->is_repeated && value != NULL && strchr(value, '\n') != NULL) {
        hs_jsonw_put(w, is_on_one_line ? "=![" : "=[");
        while ((line = hs_option_next(&value, config->arena)) != NULL)
            hs_jsonw_text(w, line);
        hs_jsonw_put(w, "]");
    } else if (param->type == HS_PARAM_TEXT) {
        hs_jsonw_text(w, value);
    } else {
        (void)hs_param_print(param, config->base, text, sizeof text);
        hs_jsonw_text(w, text);
    }
}

void hs_config_json(void *ctx, struct hs_jsonw *w)
{
    const struct hs_config *config = ctx;
    hs_jsonw_put(w, "={");
    for (size_t i = 0; config->options[i].param.key != NULL; i++) {
        const struct hs_option *o = &config->options[i];
        if (o->is_local || (o->param.type == HS_PARAM_TEXT && current_text(config, i) == NULL))
            continue;
        hs_jsonw_key(w, o->param.key);
        put_value(w, config, o, false);
    }
    hs_jsonw_put(w, "}");
}

void hs_config_print(const struct hs_config *config, struct hs_output *out)
{
    const struct hs_option *options = config->options;
    char flag[FLAG_SIZE];
    struct hs_jsonw w;
    size_t last = 0;

    for (size_t i = 0; options[i].param.key != NULL; i++)
        if (!options[i].is_local)
            last = i;
    hs_say(out, "{\n");
    for (size_t i = 0; i <= last; i++) {
        const char *const origins[] = {"default", config->file, "--set", flag};
        if (options[i].is_local)
            continue;
        hs_say(out, "  \"%s\": ", options[i].param.key);
        hs_jsonw_begin(&w, out);
        put_value(&w, config, &options[i], true);
        (void)hs_option_long_name(&options[i].param, flag, sizeof flag);
        hs_say(out, "%s  // from %s", i < last ? "," : "",
               config->origin[i] == HS_FROM_FLAG ? "--" : "");
        /* a comment ends with its line: control characters are replaced */
        for (const char *c = origins[config->origin[i]]; *c != '\0'; c++)
            hs_output_put(out, (unsigned char)*c < 0x20 ? "?" : c, 1);
        hs_say(out, "\n");
    }
    hs_say(out, "}\n");
}

/* ---- names of policies with parameters ---- */

const char *hs_policyspec_set(struct hs_arena *arena, const char *specs, const char *key,
                              const char *value, bool is_weak)
{
    size_t lines = 1;
    for (const char *p = specs; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    const size_t size = strlen(specs) + lines * (strlen(key) + strlen(value) + 3) + 1;
    char *text = hs_arena_alloc(arena, size);
    for (;; specs++) { /* a policy: its name, its other parameters in order, then the new one */
        size_t len = strcspn(specs, ":\n");
        char before = ':';
        bool is_kept = false;
        hs_append(text, size, "%.*s", (int)len, specs);
        for (specs += len; *specs == ':' || *specs == ','; specs += len) {
            len = strcspn(++specs, ",\n");
            bool is_key = hs_param_is_key(specs, key, '=');
            is_kept |= is_key && is_weak;
            if (len == 0 || (is_key && !is_weak))
                continue;
            hs_append(text, size, "%c%.*s", before, (int)len, specs);
            before = ',';
        }
        if (!is_kept)
            hs_append(text, size, "%c%s=%s", before, key, value);
        if (*specs == '\0')
            return text;
        hs_append(text, size, "\n");
    }
}

const char *hs_policyspec_merge(struct hs_arena *arena, const char *specs, const char *from,
                                bool is_weak)
{
    const char *list = strchr(from, ':');
    for (list = list != NULL ? list + 1 : ""; *list != '\0';) {
        size_t len = strcspn(list, ",");
        char *key = hs_arena_text(arena, list, len);
        char *equals = strchr(key, '=');
        if (equals != NULL) {
            *equals = '\0';
            specs = hs_policyspec_set(arena, specs, key, equals + 1, is_weak);
        }
        list += len + (list[len] == ',');
    }
    return specs;
}
