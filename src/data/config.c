/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The effective configuration. A value is stored only if its origin is at least as strong as the
 * one it would replace, so files, --set and flags may come in any order; it is checked even when a
 * stronger one hides it. Parameters given by --set policy.key=value stay with the policy, whatever
 * names it afterwards.
 */
#include "data/config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "data/config_private.h"
#include "data/param.h"
#include "data/policyspec.h"

#define NO_OPTION HS_OPTIONS_MAX
#define FLAG_SIZE 66

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

size_t hs_config_find(const struct hs_config *config, const char *key)
{
    for (size_t i = 0; config->options[i].param.key != NULL; i++) {
        const struct hs_param one[2] = {config->options[i].param, {0}};
        if (hs_param_find(one, key) != NULL)
            return i;
    }
    return NO_OPTION;
}

enum hs_status hs_config_unknown(const struct hs_config *config, const char *key,
                                 const struct hs_place *place, struct hs_diag *diag)
{
    const char *names[HS_OPTIONS_MAX];
    char hint[128];
    size_t count = 0, index = hs_config_find(config, key);

    for (const struct hs_option *o = config->options; o->param.key != NULL; o++)
        if (!o->is_local)
            names[count++] = o->param.key;
    const char *nearest = hs_nearest(key, names, count);
    if (index != NO_OPTION)
        (void)snprintf(hint, sizeof hint, "it is about one call: give it on the command line");
    else if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    else
        (void)snprintf(hint, sizeof hint, "--print-config shows every key");
    return hs_fail(diag, place != NULL ? HS_E_INPUT : HS_E_USAGE, place, hint, "unknown key '%s'",
                   key);
}

static enum hs_status no_memory(struct hs_diag *diag)
{
    return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the configuration");
}

static const char *current_text(const struct hs_config *config, size_t index)
{
    const struct hs_param *param = &config->options[index].param;
    const void *at = (const char *)config->base + param->offset;
    return param->type == HS_PARAM_TEXT ? *(const char *const *)at : NULL;
}

bool hs_config_is_policy(const struct hs_option *option)
{
    return option->param.type == HS_PARAM_TEXT && strcmp(option->param.key, "policy") == 0;
}

/* What a text option shall hold when it is given `value`. NULL when out of memory. */
static const char *text_compose(const struct hs_config *config, size_t index, const char *value,
                                enum hs_origin origin)
{
    const struct hs_option *option = &config->options[index];
    const char *held = current_text(config, index);
    bool is_more = option->is_repeated && origin >= HS_FROM_SET &&
                   origin == config->origin[index] && held != NULL;

    if (is_more) {
        size_t len = strlen(held) + strlen(value) + 2;
        char *joined = hs_arena_alloc(config->arena, len);
        if (joined == NULL)
            return NULL;
        (void)snprintf(joined, len, "%s\n%s", held, value);
        value = joined;
    }
    if (hs_config_is_policy(option) && config->policy_sets != NULL && value[0] != '\0')
        value =
            hs_policyspec_merge(config->arena, value, config->policy_sets, origin == HS_FROM_FLAG);
    return value;
}

enum hs_status hs_config_vet(const struct hs_option *option, const char *text,
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

enum hs_status hs_config_store(struct hs_config *config, size_t index, const char *value,
                               enum hs_origin origin, const struct hs_place *place,
                               struct hs_diag *diag)
{
    const struct hs_option *option = &config->options[index];
    struct hs_param one[2] = {option->param, {0}};
    struct hs_durations hidden; /* the largest of all values */
    char flag[FLAG_SIZE] = "--";

    if (origin == HS_FROM_FLAG) { /* messages name what was typed */
        (void)hs_option_long_name(&option->param, flag + 2, sizeof flag - 2);
        one[0].key = flag;
    }
    if (origin < config->origin[index]) {
        one[0].offset = 0;
        return hs_param_set(one, &hidden, config->arena, NULL, one[0].key, value, place, diag);
    }
    if (option->param.type == HS_PARAM_TEXT)
        value = text_compose(config, index, value, origin);
    if (value == NULL)
        return no_memory(diag);
    HS_TRY(hs_param_set(one, config->base, config->arena, NULL, one[0].key, value, place, diag));
    config->origin[index] = origin;
    return HS_OK;
}

enum hs_status hs_config_set(struct hs_config *config, const char *key, const char *value,
                             enum hs_origin origin, struct hs_diag *diag)
{
    size_t index = hs_config_find(config, key);
    if (index == NO_OPTION || (config->options[index].is_local && origin != HS_FROM_FLAG))
        return hs_config_unknown(config, key, NULL, diag);
    HS_TRY(hs_config_vet(&config->options[index], value, NULL, diag));
    return hs_config_store(config, index, value, origin, NULL, diag);
}

enum hs_origin hs_config_origin(const struct hs_config *config, const char *key)
{
    size_t index = hs_config_find(config, key);
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

/* "policy.key=value": for the policy named so far and for one named later. */
static enum hs_status policy_set(struct hs_config *config, const char *key, const char *value,
                                 struct hs_diag *diag)
{
    size_t index = hs_config_find(config, "policy");
    if (index == NO_OPTION || !hs_config_is_policy(&config->options[index]))
        return hs_config_unknown(config, "policy", NULL, diag);
    if (key[0] == '\0' || strpbrk(value, ",\n") != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "--set policy.key=value, one key at a time",
                       "'policy.%s=%s' is not one parameter", key, value);
    const char *sets = config->policy_sets != NULL ? config->policy_sets : "";
    const char *held = current_text(config, index);
    enum hs_origin origin = config->origin[index];

    config->policy_sets = hs_policyspec_set(config->arena, sets, key, value, false);
    if (config->policy_sets == NULL)
        return no_memory(diag);
    if (held == NULL)
        return HS_OK;
    held = hs_policyspec_set(config->arena, held, key, value, origin == HS_FROM_FLAG);
    if (held == NULL)
        return no_memory(diag);
    memcpy((char *)config->base + config->options[index].param.offset, &held, sizeof held);
    config->origin[index] = origin > HS_FROM_SET ? origin : HS_FROM_SET;
    return HS_OK;
}

enum hs_status hs_config_set_pair(struct hs_config *config, const char *pair, struct hs_diag *diag)
{
    const char *equals = strchr(pair, '=');
    if (equals == NULL || equals == pair)
        return hs_fail(diag, HS_E_USAGE, NULL, "--set load=2 or --set policy.scan=fit",
                       "--set needs key=value, not '%s'", pair);
    char *key = hs_arena_text(config->arena, pair, (size_t)(equals - pair));
    if (key == NULL)
        return no_memory(diag);
    char *dot = strchr(key, '.');
    if (dot == NULL)
        return hs_config_set(config, key, equals + 1, HS_FROM_SET, diag);
    *dot = '\0';
    if (strcmp(key, "policy") != 0) {
        *dot = '.';
        return hs_config_unknown(config, key, NULL, diag);
    }
    return policy_set(config, dot + 1, equals + 1, diag);
}
