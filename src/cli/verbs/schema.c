/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus schema [SUBJECT]`: JSON Schema (draft 2020-12) of what horus reads, from the tables of
 * options and policies: types, ranges, choices, defaults. It refuses what horus refuses of one
 * value; conditions between values (each rises above the one before it) a schema cannot express.
 * Workload files are as workload_read.c reads them, cluster files as cluster_json.c does.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "base/timeparse.h"
#include "cli/help.h"
#include "data/json.h"
#include "model/cluster.h"
#include "workload/workload.h"

#define COUNT_OF(a) ((uint32_t)(sizeof(a) / sizeof *(a)))
#define EXACT_MAX   9007199254740991.0 /* 2^53 - 1: no larger number is read */

/* ---- writing ---- */

/* "type", and "properties", which is left open, with "$schema", by which editors find the schema;
 * horus ignores it. */
static void begin_properties(struct hs_jsonw *w)
{
    hs_jsonw_put(w, "type=object properties={ $schema={ description=%s }",
                 "where this schema is, for editors");
}

/* {"$ref": ...} on one line. */
static void put_ref(struct hs_jsonw *w, const char *prefix, const char *name)
{
    char ref[160];
    (void)snprintf(ref, sizeof ref, "%s%s", prefix, name);
    hs_jsonw_put(w, "=!{ $ref=%s }", ref);
}

/* ---- regular expressions ---- */

#define REGEX_SIZE 16384

/* A regular expression that grows; assert()ed to fit. */
struct regex {
    size_t len;
    char text[REGEX_SIZE];
};

static void add(struct regex *r, const char *text, size_t len)
{
    assert(r->len + len < sizeof r->text);
    memcpy(r->text + r->len, text, len);
    r->len += len;
    r->text[r->len] = '\0';
}

static void regex_put(struct regex *r, const char *pattern)
{
    add(r, pattern, strlen(pattern));
}

static void regex_begin(struct regex *r)
{
    r->len = 0;
    regex_put(r, "^(");
}

static void regex_put_word(struct regex *r, const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr("\\.+*?()[]{}|^$", word[i]) != NULL)
            add(r, "\\", 1);
        add(r, word + i, 1);
    }
}

static void regex_end(struct regex *r, bool or_empty)
{
    regex_put(r, or_empty ? ")?$" : ")$");
}

/* What the texts of a parameter look like; as a parameter of a policy it has no comma. */
static void regex_put_param(struct regex *r, const struct hs_param *p)
{
    static const char *const patterns[] = {[HS_PARAM_FLAG] = "no|yes|off|on|false|true|0|1",
                                           [HS_PARAM_INT] = "[0-9]+",
                                           [HS_PARAM_REAL] = HS_PATTERN_NUMBER "%?",
                                           [HS_PARAM_DURATION] = HS_PATTERN_TIME,
                                           [HS_PARAM_SIZE_MIB] = HS_PATTERN_SIZE,
                                           [HS_PARAM_CHOICE] = "",
                                           [HS_PARAM_TEXT] = "[^,\\n]*",
                                           [HS_PARAM_DURATIONS] =
                                               HS_PATTERN_TIME "(/" HS_PATTERN_TIME "){0,7}",
                                           [HS_PARAM_FILE] = "[^,\\n]*"};
    bool is_number =
        p->type == HS_PARAM_INT || p->type == HS_PARAM_REAL || p->type == HS_PARAM_DURATION;
    if (is_number && (!(p->max > p->min) || p->min < 0))
        regex_put(r, "-?");
    regex_put(r, patterns[p->type]);
    for (size_t i = 0; p->type == HS_PARAM_CHOICE && p->choices[i] != NULL; i++) {
        regex_put(r, i > 0 ? "|" : "");
        regex_put_word(r, p->choices[i], strlen(p->choices[i]));
    }
}

/* ---- values: a number may stand as a JSON number or as text with its unit; "minimum" is about the
 * one, "pattern" about the other, so both stand side by side ---- */

static void member_types(struct hs_jsonw *w, const char *const *types)
{
    if (types[1] == NULL) {
        hs_jsonw_member_text(w, "type", types[0]);
        return;
    }
    hs_jsonw_put(w, "type=![");
    for (; *types != NULL; types++)
        hs_jsonw_text(w, *types);
    hs_jsonw_end_array(w);
}

static void number_value(struct hs_jsonw *w, const struct hs_param *p, const char *const *types)
{
    bool has_range = p->max > p->min;
    bool is_time = p->type == HS_PARAM_DURATION || p->type == HS_PARAM_DURATIONS;
    double most = is_time ? 9e12 : EXACT_MAX; /* durations are microseconds of 64 bits */
    double least = p->type == HS_PARAM_SIZE_MIB ? 0 : -most;
    struct regex r;
    regex_begin(&r);
    regex_put_param(&r, p);
    regex_end(&r, false);
    member_types(w, types);
    hs_jsonw_put(w, "minimum=%g maximum=%g pattern=%s", has_range ? p->min : least,
                 has_range ? p->max : most, r.text);
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

/* Members of an open object: type, range, pattern, choices and default of a value. Texts are those
 * of policies: those of options have a vocabulary. */
static void put_param(struct hs_jsonw *w, const struct hs_param *p)
{
    static const char *const numbers[] = {"number", "string", NULL};
    static const char *const integers[] = {"integer", "string", NULL};
    static const char *const texts[] = {"string", "number", "boolean", NULL};
    static const char *const lists[] = {"number", "string", "array", NULL};
    struct hs_param one = *p;
    switch (p->type) {
    case HS_PARAM_FLAG:
        hs_jsonw_put(w, "enum=![");
        hs_jsonw_bool(w, true);
        hs_jsonw_put(w, "=false =yes =no =on =off =true");
        hs_jsonw_text(w, "false");
        hs_jsonw_put(w, "=1 =0 =#1 =#0 ]");
        break;
    case HS_PARAM_INT:
    case HS_PARAM_REAL:
    case HS_PARAM_DURATION:
    case HS_PARAM_SIZE_MIB:
        number_value(w, p, p->type == HS_PARAM_INT ? integers : numbers);
        break;
    case HS_PARAM_CHOICE:
        hs_jsonw_put(w, "enum=![");
        for (const char *const *c = p->choices; *c != NULL; c++)
            hs_jsonw_text(w, *c);
        hs_jsonw_end_array(w);
        break;
    case HS_PARAM_DURATIONS: /* one, as number or text, or several: "7/30/60" or [7, 30, 60] */
        number_value(w, p, lists);
        hs_jsonw_put(w, "minItems=#1 maxItems=%g items={", (double)HS_DURATIONS_MAX);
        one.type = HS_PARAM_DURATION;
        number_value(w, &one, numbers);
        hs_jsonw_end_object(w);
        break;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
        number_value(w, p, texts);
        break;
    }
    member_default(w, p);
}

/* ---- texts of options ---- */

/* "a|b", or "(a|b)(,(a|b))*" for a list. */
static void put_words(struct regex *r, const char *(*word_at)(size_t), bool is_list)
{
    const char *word;
    for (int round = 0; round < (is_list ? 2 : 1); round++) {
        regex_put(r, round > 0 ? "(,(" : is_list ? "(" : "");
        for (size_t i = 0; (word = word_at(i)) != NULL; i++) {
            regex_put(r, i > 0 ? "|" : "");
            regex_put_word(r, word, strlen(word));
        }
        regex_put(r, round > 0 ? "))*" : is_list ? ")" : "");
    }
}

/* The texts of an option as an expression, and the JSON type of its numbers; false: any text. */
static bool text_pattern(const struct hs_option *option, struct regex *r, const char **number)
{
    char name[256];
    struct hs_metavar_part part;
    const char *unit = hs_option_metavar(&option->param, name, sizeof name);
    *number = "number";
    regex_begin(r);
    for (uint32_t i = 0; hs_metavar_part(unit, 0, i, &part); i++) {
        const struct hs_metavar *known = part.known;
        bool has_words = known != NULL && known->kind == HS_METAVAR_WORD && option->word_at != NULL;
        regex_put(r, i > 0 ? "|" : "");
        if (part.is_literal)
            regex_put_word(r, part.text, part.len);
        else if (has_words)
            put_words(r, option->word_at, strcmp(known->name, "LIST") == 0);
        else if (known != NULL && known->pattern != NULL)
            regex_put(r, known->pattern);
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
    struct regex r;
    const char *types[4] = {"string"}, *number;
    uint32_t count = 1;
    bool has_pattern = text_pattern(option, &r, &number);
    if (number != NULL)
        types[count++] = number;
    if (has_null)
        types[count++] = "null";
    member_types(w, types);
    if (number != NULL)
        hs_jsonw_put(w, "minimum=%g maximum=%g", has_pattern ? 0 : -EXACT_MAX, EXACT_MAX);
    if (has_pattern) {
        regex_end(&r, has_null);
        hs_jsonw_member_text(w, "pattern", r.text);
    } else if (!has_null) {
        hs_jsonw_member_u64(w, "minLength", 1);
    }
}

static void one_value(struct hs_jsonw *w, const struct hs_option *option, bool has_null)
{
    if (option->param.type != HS_PARAM_TEXT && option->param.type != HS_PARAM_FILE)
        put_param(w, &option->param);
    else if (strcmp(option->param.key, "policy") == 0)
        hs_jsonw_member_text(w, "$ref", "#/$defs/policy");
    else
        text_value(w, option, has_null);
}

/* description and value of the key of an option: of a repeated one, a value or a list of them. */
static void put_option(struct hs_jsonw *w, const struct hs_option *option)
{
    bool has_null = option->param.preset == NULL;
    hs_jsonw_member_text(w, "description", option->param.help);
    if (!option->is_repeated) {
        one_value(w, option, has_null);
        if (option->param.type == HS_PARAM_TEXT)
            member_default(w, &option->param);
        return;
    }
    hs_jsonw_put(w, "anyOf=[ ={");
    one_value(w, option, false);
    hs_jsonw_put(w, "} ={ type=array items={");
    one_value(w, option, false);
    hs_jsonw_put(w, "} }");
    if (has_null) {
        hs_jsonw_put(w, "={ enum=![");
        hs_jsonw_null(w);
        hs_jsonw_put(w, "= ] }");
    }
    hs_jsonw_end_array(w);
}

/* ---- policies: each as text, "fifo:scan=fit", and as an object ---- */

/* "scan=(strict|fit)|placement=(...)"; '-' and '_' are the same in keys of such a text. */
static void put_params(struct regex *r, const struct hs_param *params)
{
    for (const struct hs_param *p = params; p->key != NULL; p++) {
        regex_put(r, p != params ? "|" : "");
        for (const char *c = p->key; *c != '\0'; c++)
            if (*c == '_')
                regex_put(r, "[-_]");
            else
                regex_put_word(r, c, 1);
        regex_put(r, "=(");
        regex_put_param(r, p);
        regex_put(r, ")");
    }
}

static void put_policy(struct hs_jsonw *w, const struct hs_policy_ops *policy)
{
    const struct hs_param *params = policy->params;
    struct regex r;
    regex_begin(&r);
    regex_put_word(&r, policy->name, strlen(policy->name));
    regex_put(&r, "(:");
    if (params != NULL && params->key != NULL) {
        regex_put(&r, "((");
        put_params(&r, params);
        regex_put(&r, ")(,(");
        put_params(&r, params);
        regex_put(&r, "))*,?)?");
    }
    regex_put(&r, ")?");
    regex_end(&r, false);
    hs_jsonw_put(w, "description=%s anyOf=[ ={ type=string pattern=%s }", policy->summary, r.text);
    hs_jsonw_put(w, "={ type=object properties={ name={ const=%s }", policy->name);
    for (const struct hs_param *p = params; p != NULL && p->key != NULL; p++) {
        hs_jsonw_put(w, "%s={ description=%s", p->key, p->help);
        put_param(w, p);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_put(w, "} required=![ =name ] additionalProperties=false } ]");
}

/* "policy_horus-s": a name in a reference; "horus+" is "policy_horus_plus". */
static void def_name(const struct hs_policy_ops *policy, char *name, size_t size)
{
    size_t len = strcspn(policy->name, "+");
    (void)snprintf(name, size, "policy_%.*s%s", (int)len, policy->name,
                   policy->name[len] != '\0' ? "_plus" : "");
}

/* Members "policy" and "policy_NAME" of an open "$defs". */
static void put_policies(struct hs_jsonw *w)
{
    const struct hs_policy_ops *policy;
    char name[96];
    hs_jsonw_put(w, "policy={ anyOf=[");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        def_name(policy, name, sizeof name);
        put_ref(w, "#/$defs/", name);
    }
    hs_jsonw_put(w, "] }");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        def_name(policy, name, sizeof name);
        hs_jsonw_member_object(w, name);
        put_policy(w, policy);
        hs_jsonw_end_object(w);
    }
}

/* ---- configurations ---- */

static void begin_document(struct hs_jsonw *w, const char *title, const char *description)
{
    hs_jsonw_put(w,
                 "={ $schema=https://json-schema.org/draft/2020-12/schema title=%s description=%s",
                 title, description);
}

/* Members of an open object: every key of a configuration of that verb, and no other. */
static void put_keys(struct hs_jsonw *w, const struct hs_verb *verb)
{
    begin_properties(w);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        if (o->is_local)
            continue;
        hs_jsonw_member_object(w, o->param.key);
        put_option(w, o);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_put(w, "} additionalProperties=false");
}

/* ---- experiments ---- */

#define OF_KEYS   "#/$defs/keys/properties/"
#define OF_POLICY "^policy\\."

/* A list of values, or where has_range "1..5", too. */
static void put_list(struct hs_jsonw *w, const char *key, bool has_range)
{
    hs_jsonw_put(
        w, has_range ? "%s={ anyOf=[ ={ type=array minItems=#1" : "%s={ type=array minItems=#1",
        key);
    hs_jsonw_key(w, "items");
    if (strcmp(key, OF_POLICY) != 0)
        put_ref(w, OF_KEYS, key);
    else /* of a parameter of a policy: any type */
        hs_jsonw_put(w, "=!{ type=[ =string =number =boolean ] }");
    if (has_range)
        hs_jsonw_put(w, "} ={ type=string pattern=%s } ]",
                     "^([0-9]+(\\.\\.[0-9]+)?(,[0-9]+(\\.\\.[0-9]+)?)*)$");
    hs_jsonw_end_object(w);
}

static void put_axes(struct hs_jsonw *w, const struct hs_verb *verb, const char *name,
                     const char *description, bool has_ranges)
{
    hs_jsonw_put(w, "%s={ description=%s type=object properties={", name, description);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
        if (!o->is_local)
            put_list(w, o->param.key, has_ranges && o->param.type == HS_PARAM_INT);
    hs_jsonw_put(w, "} patternProperties={");
    put_list(w, OF_POLICY, false);
    hs_jsonw_put(w, "} additionalProperties=false }");
}

static void experiment_schema(struct hs_jsonw *w, const struct hs_verb *verb)
{
    begin_document(w, "horus sweep EXPERIMENT.json", verb->summary);
    begin_properties(w);
    hs_jsonw_put(w, "name={ description=%s type=string pattern=%s }",
                 "of the directory of the results", "^[^/\\n]{1,200}$");
    hs_jsonw_put(w, "config={ description=%s $ref=#/$defs/keys }",
                 "keys of a run that hold for all points");
    put_axes(w, verb, "grid", "lists of values, each combined with each", true);
    put_axes(w, verb, "zip", "lists of one length, which advance together", false);
    hs_jsonw_put(w, "list={ description=%s type=array minItems=#1 items={ type=object properties={",
                 "points, one by one");
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
        if (!o->is_local) {
            hs_jsonw_key(w, o->param.key);
            put_ref(w, OF_KEYS, o->param.key);
        }
    hs_jsonw_put(w, "} patternProperties={ %s={ } } additionalProperties=false } } }", OF_POLICY);
    hs_jsonw_put(w, "additionalProperties=false anyOf=[ =!{ required=[ =grid ] } "
                    "=!{ required=[ =zip ] } =!{ required=[ =list ] } ] $defs={ keys={");
    put_keys(w, verb);
    hs_jsonw_end_object(w);
    put_policies(w);
    hs_jsonw_end_object(w);
}

/* ---- files: an object is a table of its members ---- */

/* What a member is: a number is in [min, max], a list has min to max (0: any number of) items of
 * `ref`. */
enum kind { NAME, DATE, NUMBER, INTEGER, LIST, OBJECT };

struct member {
    const char *key, *description;
    enum kind kind;
    double min, max;
    const char *ref; /* of "$defs" */
};

struct object {
    const char *name;
    const struct member *members;
    uint32_t count, first_required, required; /* so many of them must be there, from the first */
};

static void put_definition(struct hs_jsonw *w, const char *ref)
{
    char text[64];
    (void)snprintf(text, sizeof text, "#/$defs/%s", ref);
    hs_jsonw_member_text(w, "$ref", text);
}

#define NAME_WORDS "type=string minLength=#1 maxLength=#255"

static void put_members(struct hs_jsonw *w, const struct member *m, uint32_t count)
{
    for (; count > 0; count--, m++) {
        hs_jsonw_put(w, "%s={ description=%s", m->key, m->description);
        switch (m->kind) {
        case NUMBER:
        case INTEGER:
            hs_jsonw_put(w, "type=%s minimum=%g maximum=%g",
                         m->kind == NUMBER ? "number" : "integer", m->min, m->max);
            break;
        case LIST:
            hs_jsonw_put(w, "type=array minItems=%g", m->min);
            if (m->max > 0)
                hs_jsonw_put(w, "maxItems=%g", m->max);
            hs_jsonw_put(w, "items={");
            put_definition(w, m->ref);
            hs_jsonw_end_object(w);
            break;
        case OBJECT:
            put_definition(w, m->ref);
            break;
        case NAME:
            hs_jsonw_put(w, NAME_WORDS);
            break;
        case DATE:
            hs_jsonw_put(w, NAME_WORDS " pattern=%s", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
            break;
        }
        hs_jsonw_end_object(w);
    }
}

static void put_required(struct hs_jsonw *w, const struct member *members, uint32_t count)
{
    hs_jsonw_put(w, "required=![");
    for (uint32_t i = 0; i < count; i++)
        hs_jsonw_text(w, members[i].key);
    hs_jsonw_end_array(w);
}

static void put_file_object(struct hs_jsonw *w, const struct object *object)
{
    hs_jsonw_put(w, "%s={ type=object properties={", object->name);
    put_members(w, object->members, object->count);
    hs_jsonw_end_object(w);
    put_required(w, object->members + object->first_required, object->required);
    hs_jsonw_put(w, "additionalProperties=false }");
}

#define OBJECT_OF(table, first, required)                                                          \
    {                                                                                              \
#table, table, COUNT_OF(table), first, required                                            \
    }

/* ---- workloads ---- */

static const struct member arrivals[] = {
    {"first", "the first day", DATE, 0, 0, NULL},
    {"jobs_per_day", "mean", NUMBER, 1e-6, 1e9, NULL},
    {"weekdays", "weights from Monday", LIST, 7, 7, "weight"},
    {"hours", "weights from midnight", LIST, 24, 24, "weight"},
    {"modulation", "how the rate moves around that profile", OBJECT, 0, 0, "modulation"},
    {"outages", "spans in which no job comes", OBJECT, 0, 0, "outages"},
    {"batches", "runs of submissions of one user", OBJECT, 0, 0, "batches"},
};
static const struct member modulation[] = {
    {"cv", "coefficient of variation over hours", NUMBER, 0, 10, NULL},
    {"hours", "after which the quick part has forgotten all but 1/e", NUMBER, 1e-3, 1e6, NULL},
    {"slow_hours", "the same of the slow part", NUMBER, 1e-3, 1e6, NULL},
    {"slow_share", "of the slow part in the variance", NUMBER, 0, 1, NULL},
};
static const struct member outages[] = {
    {"per_day", "how many", NUMBER, 0, 1, NULL},
    {"hours", "how long, rounded up", LIST, 2, HS_QUANTILE_FN_POINTS_MAX, "point"},
};
static const struct member batches[] = {
    {"jobs", "of a batch, rounded up", LIST, 2, HS_QUANTILE_FN_POINTS_MAX, "point"},
    {"gap_s", "between two of them", LIST, 2, HS_QUANTILE_FN_POINTS_MAX, "point"},
    {"same_size", "chance that a member has the GPUs of the batch", NUMBER, 0, 1, NULL},
    {"duration_correlation", "of normal scores of durations", NUMBER, 0, 1, NULL},
};
static const struct member bucket[] = {
    {"name", "of these sizes", NAME, 0, 0, NULL},
    {"gpus", "[GPUs, share of jobs], or with thousandths of each GPU behind", LIST, 1,
     HS_WORKLOAD_SIZES_MAX, "size"},
    {"duration_s", "rounded up to whole seconds", LIST, 2, HS_QUANTILE_FN_POINTS_MAX, "point"},
    {"states", "[rank, completed, cancelled, failed] up to ranks of duration", LIST, 1,
     HS_QUANTILE_FN_POINTS_MAX, "state"},
    {"retries", "mean over all of these jobs", NUMBER, 0, HS_WORKLOAD_RETRIES_MAX, NULL},
    {"batch_max", "jobs of a batch of such jobs at most", INTEGER, 1, HS_WORKLOAD_BATCH_MAX, NULL},
};
static const struct member users[] = {
    {"count", "how many", INTEGER, 1, HS_WORKLOAD_USERS_MAX, NULL},
    {"sigma", "of the logarithm of their weights", NUMBER, 0, 10, NULL},
};
static const struct member vc[] = {
    {"name", "of the virtual cluster", NAME, 0, 0, NULL},
    {"share", "weight for all jobs", NUMBER, 0, 1e15, NULL},
    {"shares", "weights, one for each of sizes", LIST, 1, HS_WORKLOAD_BUCKETS_MAX, "weight"},
    {"gpus_max", "jobs of more GPUs are not submitted to it", INTEGER, 1, 65535, NULL},
};
static const struct member retries[] = {
    {"time_s", "until an attempt fails", LIST, 2, HS_QUANTILE_FN_POINTS_MAX, "point"},
    {"max", "retries of a job", INTEGER, 1, HS_WORKLOAD_RETRIES_MAX, NULL},
};
static const struct member workload[] = {
    {"name", "of the workload", NAME, 0, 0, NULL},
    {"arrivals", "when jobs come", OBJECT, 0, 0, "arrivals"},
    {"sizes", "sizes that share a distribution of durations", LIST, 1, HS_WORKLOAD_BUCKETS_MAX,
     "bucket"},
    {"users", "log-normal weights", OBJECT, 0, 0, "users"},
    {"vcs", "virtual clusters", LIST, 1, HS_WORKLOAD_VCS_MAX, "vc"},
    {"retries", "of failed jobs", OBJECT, 0, 0, "retries"},
};
static const struct object workload_objects[] = {
    OBJECT_OF(arrivals, 0, 2), OBJECT_OF(modulation, 0, 2), OBJECT_OF(outages, 0, 2),
    OBJECT_OF(batches, 0, 2),  OBJECT_OF(bucket, 0, 3),     OBJECT_OF(users, 0, 2),
    OBJECT_OF(vc, 0, 1),       OBJECT_OF(retries, 0, 1),
};

/* [probability, value] and the like: `first` is the largest that the first number may be. */
static void put_row(struct hs_jsonw *w, const char *name, double first, double least, double most)
{
    hs_jsonw_put(w,
                 "%s={ type=array minItems=%g maxItems=%g prefixItems=[ ={ type=number "
                 "minimum=#0 maximum=%g } ] items={ $ref=#/$defs/weight } }",
                 name, least, most, first);
}

static void workload_schema(struct hs_jsonw *w)
{
    const double weight_max = 1e15, gpus_max = 65535;
    begin_properties(w);
    put_members(w, workload, COUNT_OF(workload));
    hs_jsonw_end_object(w);
    put_required(w, workload, 3);
    hs_jsonw_put(w,
                 "additionalProperties=false $defs={ weight={ type=number minimum=#0 "
                 "maximum=%g }",
                 weight_max);
    put_row(w, "point", 1, 2, 2);
    put_row(w, "state", 1, 1 + HS_WORKLOAD_STATES, 1 + HS_WORKLOAD_STATES);
    put_row(w, "size", gpus_max, 2, 3);
    for (uint32_t i = 0; i < COUNT_OF(workload_objects); i++)
        put_file_object(w, &workload_objects[i]);
    hs_jsonw_end_object(w);
}

/* ---- clusters ---- */

static const struct member cluster_name[] = {{"name", "of the cluster", NAME, 0, 0, NULL}};
static const struct member cluster_nodes[] = {
    {"nodes", "groups of equal nodes: one rack", LIST, 1, 0, "group"},
    {"racks", "racks of nodes", LIST, 1, 0, "rack"},
};
static const struct member gpu_memory[] = {
    {"mem_mib", "memory of a GPU, MiB", INTEGER, 1, HS_MEM_MIB_MAX, NULL}};
static const struct member group[] = {
    {"count", "nodes of this kind", INTEGER, 1, HS_NODES_MAX, NULL},
    {"gpus", "GPUs per node", INTEGER, 1, HS_NODE_GPUS_MAX, NULL},
    {"type", "GPU type: one of gpu_types, or without them a well-known one such as V100", NAME, 0,
     0, NULL},
    {"cpus", "CPU cores per node", INTEGER, 1, HS_NODE_CPUS_MAX, NULL},
    {"mem_mib", "memory of a node, MiB", INTEGER, 1, HS_MEM_MIB_MAX, NULL},
    {"vc", "the virtual cluster that owns the nodes: one of vcs", NAME, 0, 0, NULL},
    {"name", "of the node, or of the first of them", NAME, 0, 0, NULL},
};
static const struct member rack[] = {{"nodes", "groups of equal nodes", LIST, 1, 0, "group"}};
static const struct object cluster_objects[] = {OBJECT_OF(group, 1, 1), OBJECT_OF(rack, 0, 1)};

static void cluster_schema(struct hs_jsonw *w)
{
    begin_properties(w);
    put_members(w, cluster_name, COUNT_OF(cluster_name));
    hs_jsonw_put(w,
                 "gpu_types={ description=%s type=object minProperties=#1 maxProperties=%g "
                 "propertyNames={ " NAME_WORDS " } additionalProperties={ type=object properties={",
                 "the GPU types by name; then every node names one", (double)HS_GPU_TYPES_MAX);
    put_members(w, gpu_memory, COUNT_OF(gpu_memory));
    hs_jsonw_put(w,
                 "speed={ description=%s type=number exclusiveMinimum=#0 maximum=%g } } "
                 "additionalProperties=false } }",
                 "1: the GPUs on which the trace was recorded", (double)HS_GPU_SPEED_MAX);
    put_members(w, cluster_nodes, COUNT_OF(cluster_nodes));
    hs_jsonw_put(w,
                 "vcs={ description=%s type=object minProperties=#1 propertyNames={ " NAME_WORDS
                 " } additionalProperties={ type=integer minimum=#0 maximum=%g } } } "
                 "additionalProperties=false oneOf=[ ={ required=![ =nodes ] } "
                 "={ required=![ =racks ] } ] $defs={",
                 "GPUs of each virtual cluster, for --vc", (double)UINT32_MAX);
    for (uint32_t i = 0; i < COUNT_OF(cluster_objects); i++)
        put_file_object(w, &cluster_objects[i]);
    hs_jsonw_end_object(w);
}

/* ---- the verb ---- */

static bool is_experimental(const struct hs_verb *verb)
{
    return strcmp(verb->operands, "EXPERIMENT.json") == 0;
}

static const char cluster_subject[] = "cluster", workload_subject[] = "workload";

/* The subjects that have a schema: commands (the first is the default), then files. */
static const char *subject_at(size_t index)
{
    const struct hs_verb *verb;
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        if (((hs_option_find(verb->options, "config") != NULL) || is_experimental(verb)) &&
            index-- == 0)
            return verb->name;
    return index == 0 ? cluster_subject : index == 1 ? workload_subject : NULL;
}

static enum hs_status schema(struct hs_call *call)
{
    struct hs_jsonw w;
    const char *name = call->operand_count > 0 ? call->operands[0] : subject_at(0), *subject;
    char list[96] = "one of";
    uint32_t index;
    for (size_t i = 0; (subject = subject_at(i)) != NULL; i++)
        hs_append(list, sizeof list, "%s %s", i > 0 ? "," : "", subject);
    HS_TRY(
        hs_word_find_at(subject_at, name, "schema: there is none of", list, &index, &call->diag));
    subject = subject_at(index);
    const struct hs_verb *verb = hs_verb_find(subject);
    hs_jsonw_begin(&w, &call->out);
    if (subject == workload_subject) {
        begin_document(&w, "horus generate --workload FILE",
                       "What the jobs of a cluster are like.");
        workload_schema(&w);
    } else if (subject == cluster_subject) {
        begin_document(&w, "horus -c CLUSTER.json", "Nodes, GPUs and virtual clusters.");
        cluster_schema(&w);
    } else if (is_experimental(verb)) {
        experiment_schema(&w, verb);
    } else {
        char title[128];
        (void)snprintf(title, sizeof title, "horus %s --config", verb->name);
        begin_document(&w, title, verb->summary);
        put_keys(&w, verb);
        if (hs_option_find(verb->options, "policy") != NULL) {
            hs_jsonw_member_object(&w, "$defs");
            put_policies(&w);
            hs_jsonw_end_object(&w);
        }
    }
    hs_jsonw_end_object(&w);
    hs_jsonw_finish(&w);
    return HS_OK;
}

static const struct hs_option options_table[] = {HS_OPTIONS_END};

const struct hs_verb hs_verb_schema = {
    .name = "schema",
    .operands = "[SUBJECT]",
    .word_at = subject_at,
    .summary = "JSON Schema of a configuration, experiment, cluster or workload.",
    .details =
        "SUBJECT is a command that takes --config: run (if none is named), compare, trace; sweep, "
        "for its experiment; cluster, for -c; or workload, for generate. Draft 2020-12. An editor "
        "that knows JSON Schema "
        "completes keys and marks mistakes in a file that names it: \"$schema\": "
        "\"run.schema.json\". Comments are no JSON: take them out for other validators.",
    .examples = {"schema > run.schema.json", "schema sweep > sweep.schema.json"},
    .options = options_table,
    .operands_max = 1,
    .run = schema,
};
