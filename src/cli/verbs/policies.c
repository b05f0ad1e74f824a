/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus policies [NAME]`: the policies, the knowledge and capabilities of each, and the parameters
 * of one, as text, Markdown, JSON or a manual page; all from the policy records. `horus schema
 * [SUBJECT]`: JSON Schema (draft 2020-12) of what horus reads, from the tables of options and
 * policies: types, ranges, choices, defaults. It refuses what horus refuses about a single value;
 * conditions between values (such as ascending order) cannot be expressed. The schemas of cluster
 * and workload files are in configs/schemas/.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/option_rows.h"
#include "cli/simulate.h"
#include "data/param_table.h"

#define PARAM_INDENT 17
#define KNOWS_LEGEND                                                                               \
    "knows: duration: true run times; utilization: of jobs, and slowdowns, by --predictor; "       \
    "memory: by --memory-predictor; speed, scaling: on GPU types and numbers of GPUs, by "         \
    "--speed-predictor; pairs: speeds of two jobs on a GPU, by --speed-predictor; rate: progress " \
    "measured while a job runs; estimate: run times with noise or from a file; history: run "      \
    "times of finished jobs, by user and GPUs; model: tensor sizes of the trained model; loss: "   \
    "that of its epochs so far; profile: measured in a profiling run; host: speeds by CPUs and "   \
    "host memory; stages: times of the stages of an iteration."

struct policies_options {
    bool json, markdown, man;
};

/* Knowledge and capabilities of a policy with its default parameters, and what other parameters
 * add: HS_KNOWS_x, HS_CAN_x. The record has the maximum; .needs() gives those for given parameters.
 * The same in words: "nothing (some parameters: duration)"; short, in a list: "nothing +". */
struct scope {
    uint32_t can, knows, more_can, more_knows;
    char knows_text[256], can_text[256];
};

static void bits_text(const char *const *words, uint32_t bits, uint32_t more, bool is_short,
                      char text[256])
{
    char added[128];
    hs_bits_text(bits, words, text, 256);
    hs_bits_text(more, words, added, sizeof added);
    if (more != 0 && is_short)
        hs_append(text, 256, " +");
    else if (more != 0)
        hs_append(text, 256, " (some parameters: %s)", added);
}

static struct scope scope_of(const struct hs_policy_ops *policy, bool is_short,
                             struct hs_arena *arena)
{
    struct scope s = {.can = policy->can, .knows = policy->knows};
    void *state = hs_arena_alloc(arena, policy->state_size + 1);
    if (policy->needs != NULL && hs_param_defaults(policy->params, state, arena) == HS_OK)
        policy->needs(state, &s.can, &s.knows);
    s.more_can = policy->can & ~s.can;
    s.more_knows = policy->knows & ~s.knows;
    bits_text(hs_knows_words, s.knows, s.more_knows, is_short, s.knows_text);
    bits_text(hs_can_words, s.can, s.more_can, is_short, s.can_text);
    return s;
}

static const char *or_dash(const char *text)
{
    return text != NULL && *text != '\0' ? text : "-";
}

/* Prints a paragraph below the name of a parameter. */
static void say_below(struct hs_output *out, const char *label, const char *text, uint32_t columns)
{
    hs_say(out, "%*s", PARAM_INDENT, "");
    hs_say_wrapped(out, HS_TEXT("%s%s", label, text), PARAM_INDENT, columns);
}

static void say_policy(struct hs_output *out, const struct hs_policy_ops *policy,
                       struct hs_arena *arena, bool is_markdown, uint32_t columns)
{
    char expects[256];
    const struct scope scope = scope_of(policy, false, arena);
    hs_say(out,
           is_markdown ? "### %s\n%s\n\nKnows: %s. May: %s. Source: %s\n\n"
                       : "%s: %s\nknows: %s\nmay: %s\nsource: %s\n\n",
           policy->name, policy->summary, scope.knows_text, scope.can_text, or_dash(policy->cite));
    if (policy->params == NULL || policy->params->key == NULL) {
        hs_say(out, "no parameters\n");
        return;
    }
    if (is_markdown)
        hs_say(out, "| parameter | values | unit | default | meaning | source |\n"
                    "| --- | --- | --- | --- | --- | --- |\n");
    for (const struct hs_param *p = policy->params; p->key != NULL; p++) {
        hs_param_expects(p, expects, sizeof expects);
        if (is_markdown) {
            for (char *c = expects; *c != '\0'; c++)
                if (*c == '|')
                    *c = '/'; /* a bar would end the cell */
            hs_say(out, "| `%s` | %s | %s | `%s` | %s | %s |\n", p->key, expects, or_dash(p->unit),
                   or_dash(p->preset), p->help, or_dash(p->source));
            continue;
        }
        hs_say(out, "  %-14s %s%s%s [%s]\n", p->key, expects, p->unit != NULL ? " " : "",
               p->unit != NULL ? p->unit : "", or_dash(p->preset));
        say_below(out, "", p->help, columns);
        if (p->source != NULL)
            say_below(out, "source: ", p->source, columns);
    }
}

/* ---- the list ---- */

/* Columns of the list. */
enum { NAME, KNOWS, CAN, WHAT, COLUMNS };

/* The summary of a policy is on a separate line if it does not fit beside the other columns. */
static void say_row(struct hs_output *out, const char *const row[COLUMNS],
                    const uint32_t width[COLUMNS], uint32_t columns)
{
    const uint32_t below = width[NAME] + 1, at_can = below + width[KNOWS] + 1;
    hs_say(out, "%-*s %-*s ", (int)width[NAME], row[NAME], (int)width[KNOWS], row[KNOWS]);
    if (at_can + width[CAN] + 1 + width[WHAT] <= columns) {
        hs_say(out, "%-*s %s\n", (int)width[CAN], row[CAN], row[WHAT]);
        return;
    }
    hs_say_wrapped(out, row[CAN], at_can, columns);
    if (row[WHAT][0] != '\0') {
        hs_say(out, "%-*s", (int)below, "");
        hs_say_wrapped(out, row[WHAT], below, columns);
    }
}

static void say_list(struct hs_output *out, struct hs_arena *arena, uint32_t columns)
{
    const struct hs_policy_ops *policy;
    uint32_t width[COLUMNS] = {0};
    for (int is_shown = 0; is_shown <= 1; is_shown++) { /* widths first */
        const bool is_wide = width[NAME] + width[KNOWS] + width[CAN] + width[WHAT] + 3 <= columns;
        if (is_shown)
            say_row(out, (const char *[]){"policy", "knows", "may", is_wide ? "what" : ""}, width,
                    columns);
        for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
            const struct scope scope = scope_of(policy, true, arena);
            const char *const row[COLUMNS] = {policy->name, scope.knows_text, scope.can_text,
                                              policy->summary};
            if (is_shown)
                say_row(out, row, width, columns);
            for (int c = 0; c < COLUMNS; c++)
                if (strlen(row[c]) > width[c])
                    width[c] = (uint32_t)strlen(row[c]);
        }
    }
    hs_say(out, "\n+: more with some parameters; 'horus policies NAME' lists the parameters of a "
                "policy.\n");
    hs_say_wrapped(out, KNOWS_LEGEND, 0, columns);
}

static void list_markdown(struct hs_output *out, struct hs_arena *arena)
{
    const struct hs_policy_ops *policy;
    hs_say(out, "| policy | what | knows | may | parameters |\n"
                "| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        const struct scope scope = scope_of(policy, false, arena);
        hs_say(out, "| `%s` | %s | %s | %s | ", policy->name, policy->summary, scope.knows_text,
               scope.can_text);
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++)
            hs_say(out, "%s`%s`", p != policy->params ? ", " : "", p->key);
        hs_say(out, " |\n");
    }
}

/* ---- JSON ---- */

static void bits_json(struct hs_jsonw *w, const char *key, uint32_t bits, const char *const *words)
{
    hs_jsonw_put(w, "%s=[", key);
    for (size_t i = 0; words[i] != NULL; i++)
        if ((bits & (1u << i)) != 0)
            hs_jsonw_text(w, words[i]);
    hs_jsonw_put(w, "]");
}

static void policy_json(struct hs_jsonw *w, const struct hs_policy_ops *policy,
                        struct hs_arena *arena)
{
    const struct scope scope = scope_of(policy, false, arena);
    hs_jsonw_put(w, "={ name=%s summary=%s cite=%s", policy->name, policy->summary, policy->cite);
    bits_json(w, "knows", scope.knows, hs_knows_words);
    bits_json(w, "may", scope.can, hs_can_words);
    bits_json(w, "knows_with_some_parameters", scope.more_knows, hs_knows_words);
    bits_json(w, "may_with_some_parameters", scope.more_can, hs_can_words);
    hs_jsonw_put(w, "parameters=[");
    for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++) {
        hs_jsonw_put(w, "={");
        hs_param_json(w, p);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "] }");
}

static void say_json(struct hs_output *out, const struct hs_policy_ops *one, struct hs_arena *arena)
{
    struct hs_jsonw w;
    const struct hs_policy_ops *policy;
    hs_jsonw_begin(&w, out);
    if (one != NULL) {
        policy_json(&w, one, arena);
    } else {
        hs_jsonw_put(&w, "=[");
        for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
            policy_json(&w, policy, arena);
        hs_jsonw_put(&w, "]");
    }
    hs_jsonw_finish(&w);
}

/* ---- manual page ---- */

static void man_policies(struct hs_output *out, struct hs_arena *arena)
{
    const struct hs_policy_ops *policy;
    char expects[256];
    hs_man_title(out, "-policies", 7, "scheduling policies of horus and their parameters");
    hs_say(out,
           "# DESCRIPTION\n\nA policy is named with *-p* _NAME_ or *-p* _NAME:KEY=VALUE,..._; a "
           "list of values is written 1/2/3. A policy can read only what it declares to know.\n\n");
    hs_man_say(out, "%t\n\n", KNOWS_LEGEND);
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        const struct scope scope = scope_of(policy, false, arena);
        hs_man_say(out, "# %t\n\n%.\n\nKnows: %. May: %.", policy->name, policy->summary,
                   scope.knows_text, scope.can_text);
        if (policy->cite != NULL)
            hs_man_say(out, " Source: %.", policy->cite);
        hs_say(out, "\n\n");
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++) {
            hs_param_expects(p, expects, sizeof expects);
            hs_man_say(out, "*%t*=_%t_%s%s\n\t%. Default: *%t*.", p->key, expects,
                       p->unit != NULL ? " " : "", p->unit != NULL ? p->unit : "", p->help,
                       p->preset != NULL && *p->preset != '\0' ? p->preset : "none");
            if (p->source != NULL)
                hs_man_say(out, " Source: %.", p->source);
            hs_say(out, "\n\n");
        }
    }
    hs_say(out, "# SEE ALSO\n\n*horus*(1), *horus-run*(1), *horus-compare*(1)\n");
}

/* ---- the verb ---- */

static enum hs_status policies(struct hs_call *call)
{
    const struct policies_options *options = call->options;
    const struct hs_policy_ops *one = NULL;
    if (options->json + options->markdown + options->man > 1)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave the others out",
                       "policies: more than one of --json, --markdown and --man");
    if (options->man && call->operand_count == 1)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave the name out",
                       "policies: the manual page has all policies");
    if (call->operand_count == 1)
        HS_TRY(
            hs_setup_find_policy(call->operands[0], strlen(call->operands[0]), &one, &call->diag));
    if (options->man)
        man_policies(&call->out, &call->arena);
    else if (options->json)
        say_json(&call->out, one, &call->arena);
    else if (one != NULL)
        say_policy(&call->out, one, &call->arena, options->markdown, call->terminal.columns);
    else if (options->markdown)
        list_markdown(&call->out, &call->arena);
    else
        say_list(&call->out, &call->arena, call->terminal.columns);
    return HS_OK;
}

#define OWNER struct policies_options
static const struct hs_option options_table[] = {
    FLAG("json", json, "Output", "print everything as JSON", LOCAL, SHORT),
    FLAG("markdown", markdown, "Output", "print a Markdown table", LOCAL, SHORT),
    FLAG("man", man, "Output",
         "print the source of the manual page horus-policies(7), for scdoc(1)", LOCAL),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_policies = {
    .name = "policies",
    .operands = "[POLICY]",
    .summary = "List the policies, or the parameters of one.",
    .examples = {"policies", "policies srtf", "policies --json"},
    .options = options_table,
    .options_size = sizeof(struct policies_options),
    .operands_max = 1,
    .run = policies,
};

/* ==== clusters ==== */

static enum hs_status clusters(struct hs_call *call)
{
    char name[HS_SHIPPED_NAME_MAX];
    hs_say(&call->out, "%-20s%8s%8s%6s  %s\n", "cluster", "nodes", "GPUs", "VCs", "shape");
    for (uint32_t i = 0; hs_builtin_shipped("clusters/", i, name); i++) {
        struct hs_cluster cluster;
        HS_TRY(hs_cluster_load(&cluster, name, &call->diag));
        hs_say(&call->out, "%-20s%8" PRIu32 "%8" PRIu32 "%6" PRIu32 "  ", name, cluster.node_count,
               cluster.gpu_count, cluster.own_vc_count);
        /* "8x8:V100,4x2" of runs of like nodes. */
        for (uint32_t first = 0, end; first < cluster.node_count; first = end) {
            const struct hs_node *node = &cluster.nodes[first];
            for (end = first; end < cluster.node_count; end++)
                if (cluster.nodes[end].gpus != node->gpus || cluster.nodes[end].type != node->type)
                    break;
            hs_say(&call->out, "%s%" PRIu32 "x%" PRIu32 ":%s", first > 0 ? "," : "", end - first,
                   node->gpus, cluster.types[node->type].name);
        }
        hs_say(&call->out, "\n");
        hs_cluster_free(&cluster);
    }
    return HS_OK;
}

static const struct hs_option clusters_table[] = {HS_OPTIONS_END};

const struct hs_verb hs_verb_clusters = {
    .name = "clusters",
    .operands = "",
    .summary = "List the clusters that -c takes by name.",
    .examples = {"clusters", "run traces/sample.csv -c philly-8gpu"},
    .options = clusters_table,
    .run = clusters,
};

/* ==== schema ==== */

#define EXACT_MAX 9007199254740991.0 /* 2^53 - 1: the largest number read */

/* ---- writing ---- */

/* Writes "type", and "properties", which is left open, with "$schema", by which editors find the
 * schema; horus ignores it. */
static void begin_properties(struct hs_jsonw *w)
{
    hs_jsonw_put(w, "type=object properties={ $schema={ description=%s }",
                 "where this schema is, for editors");
}

/* Writes {"$ref": ...} on one line. */
static void put_ref(struct hs_jsonw *w, const char *prefix, const char *name)
{
    const char *ref = HS_TEXT("%s%s", prefix, name);
    hs_jsonw_put(w, "=!{ $ref=%s }", ref);
}

/* ---- regular expressions ---- */

#define REGEX_SIZE 8192

/* Escapes special characters of the word with backslashes. */
static const char *escaped(const char *word, size_t len, char text[128])
{
    text[0] = '\0';
    for (size_t i = 0; i < len; i++)
        hs_append(text, 128, "%s%c", strchr("\\.+*?()[]{}|^$", word[i]) != NULL ? "\\" : "",
                  word[i]);
    return text;
}

/* Writes the pattern of a parameter's texts; for a policy they contain no comma. */
static void put_param_pattern(char r[REGEX_SIZE], const struct hs_param *p)
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
    char word[128];
    bool is_number =
        p->type == HS_PARAM_INT || p->type == HS_PARAM_REAL || p->type == HS_PARAM_DURATION;
    if (is_number && (!(p->max > p->min) || p->min < 0))
        hs_append(r, REGEX_SIZE, "-?");
    hs_append(r, REGEX_SIZE, "%s", patterns[p->type]);
    for (size_t i = 0; p->type == HS_PARAM_CHOICE && p->choices[i] != NULL; i++)
        hs_append(r, REGEX_SIZE, "%s%s", i > 0 ? "|" : "",
                  escaped(p->choices[i], strlen(p->choices[i]), word));
}

/* ---- values: a number may be a JSON number or a text with a unit; "minimum" applies to the
 * former, "pattern" to the latter, so both are present ---- */

static void member_types(struct hs_jsonw *w, const char *const *types)
{
    if (types[1] == NULL) {
        hs_jsonw_put(w, "type=%s", types[0]);
        return;
    }
    hs_jsonw_put(w, "type=![");
    for (; *types != NULL; types++)
        hs_jsonw_text(w, *types);
    hs_jsonw_put(w, "]");
}

static void number_value(struct hs_jsonw *w, const struct hs_param *p, const char *const *types)
{
    bool has_range = p->max > p->min;
    bool is_time = p->type == HS_PARAM_DURATION || p->type == HS_PARAM_DURATIONS;
    double most = is_time ? 9e12 : EXACT_MAX; /* durations are 64-bit microseconds */
    double least = p->type == HS_PARAM_SIZE_MIB ? 0 : -most;
    char r[REGEX_SIZE] = "^(";
    put_param_pattern(r, p);
    hs_append(r, REGEX_SIZE, ")$");
    member_types(w, types);
    hs_jsonw_put(w, "minimum=%g maximum=%g pattern=%s", has_range ? p->min : least,
                 has_range ? p->max : most, r);
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
        hs_jsonw_put(w, "=%d",
                     strchr("yot1", p->preset[0]) != NULL && strcmp(p->preset, "off") != 0);
    else if (p->type == HS_PARAM_INT && hs_parse_int64(p->preset, len, &integer))
        hs_jsonw_put(w, "=%" PRId64, integer);
    else if (p->type == HS_PARAM_REAL && hs_parse_double(p->preset, len, &real))
        hs_jsonw_put(w, "=%g", real);
    else
        hs_jsonw_text(w, p->preset);
}

/* Writes members of an open object: type, range, pattern, choices and default of a value. Texts are
 * those of policies; options have a vocabulary. */
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
        hs_jsonw_put(w, "=%d", true);
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
        hs_jsonw_put(w, "]");
        break;
    case HS_PARAM_DURATIONS: /* one, as number or text, or several: "7/30/60" or [7, 30, 60] */
        number_value(w, p, lists);
        hs_jsonw_put(w, "minItems=#1 maxItems=%g items={", (double)HS_DURATIONS_MAX);
        one.type = HS_PARAM_DURATION;
        number_value(w, &one, numbers);
        hs_jsonw_put(w, "}");
        break;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
        number_value(w, p, texts);
        break;
    }
    member_default(w, p);
}

/* ---- texts of options ---- */

/* Gets the pattern of an option's texts, and the JSON type of its numbers; false: any text. */
static bool text_pattern(const struct hs_option *option, char r[REGEX_SIZE], const char **number)
{
    char name[256], words[REGEX_SIZE] = ""; /* "a|b", or for a list "(a|b)(,(a|b))*" */
    static const struct hs_metavar unknown = {.offers = ""};
    struct hs_metavar_part part;
    const char *unit = hs_option_metavar(&option->param, name, sizeof name), *word;
    for (size_t i = 0; option->word_at != NULL && (word = option->word_at(i)) != NULL; i++)
        hs_append(words, sizeof words, "%s%s", i > 0 ? "|" : "", escaped(word, strlen(word), name));
    *number = "number";
    for (uint32_t i = 0; hs_metavar_part(unit, 0, i, &part); i++) {
        const struct hs_metavar *known = part.known != NULL ? part.known : &unknown;
        bool is_list = strcmp(known->offers, "@list") == 0;
        bool has_words = is_list || strcmp(known->offers, "@word") == 0;
        hs_append(r, REGEX_SIZE, "%s", i > 0 ? "|" : "");
        if (part.is_literal)
            hs_append(r, REGEX_SIZE, "%s", escaped(part.text, part.len, name));
        else if (has_words && option->word_at != NULL)
            hs_append(r, REGEX_SIZE, is_list ? "(%s)(,(%s))*" : "%s", words, words);
        else if (known->pattern != NULL)
            hs_append(r, REGEX_SIZE, "%s", known->pattern);
        else
            return false;
        if (i == 0)
            *number = known->number;
    }
    return true;
}

/* has_null: the value may be absent. */
static void one_value(struct hs_jsonw *w, const struct hs_option *option, bool has_null)
{
    if (option->param.type != HS_PARAM_TEXT && option->param.type != HS_PARAM_FILE) {
        put_param(w, &option->param);
        return;
    }
    if (strcmp(option->param.key, "policy") == 0) {
        hs_jsonw_put(w, "$ref=%s", "#/$defs/policy");
        return;
    }
    char r[REGEX_SIZE] = "^(";
    const char *types[4] = {"string"}, *number;
    uint32_t count = 1;
    bool has_pattern = text_pattern(option, r, &number);
    if (number != NULL)
        types[count++] = number;
    if (has_null)
        types[count++] = "null";
    member_types(w, types);
    if (number != NULL)
        hs_jsonw_put(w, "minimum=%g maximum=%g", has_pattern ? 0 : -EXACT_MAX, EXACT_MAX);
    if (has_pattern) {
        hs_append(r, REGEX_SIZE, has_null ? ")?$" : ")$");
        hs_jsonw_put(w, "pattern=%s", r);
    } else if (!has_null) {
        hs_jsonw_put(w, "minLength=#1");
    }
}

/* ---- policies: each as text, "fifo:scan=fit", and as an object ---- */

static void put_policy(struct hs_jsonw *w, const struct hs_policy_ops *policy)
{
    const struct hs_param *params = policy->params;
    char r[2 * REGEX_SIZE], pairs[REGEX_SIZE] = "", name[128];
    /* "scan=(strict|fit)|placement=(...)"; '-' and '_' are equal in keys of such a text */
    for (const struct hs_param *p = params; p != NULL && p->key != NULL; p++) {
        hs_append(pairs, sizeof pairs, "%s", p != params ? "|" : "");
        for (const char *c = p->key; *c != '\0'; c++)
            hs_append(pairs, sizeof pairs, *c == '_' ? "[-_]" : "%c", *c);
        hs_append(pairs, sizeof pairs, "=(");
        put_param_pattern(pairs, p);
        hs_append(pairs, sizeof pairs, ")");
    }
    assert(strlen(pairs) + 1 < sizeof pairs);
    (void)snprintf(r, sizeof r, pairs[0] != '\0' ? "^(%s(:((%s)(,(%s))*,?)?)?)$" : "^(%s(:)?)$",
                   escaped(policy->name, strlen(policy->name), name), pairs, pairs);
    hs_jsonw_put(w, "description=%s anyOf=[ ={ type=string pattern=%s }", policy->summary, r);
    hs_jsonw_put(w, "={ type=object properties={ name={ const=%s }", policy->name);
    for (const struct hs_param *p = params; p != NULL && p->key != NULL; p++) {
        hs_jsonw_put(w, "%s={ description=%s", p->key, p->help);
        put_param(w, p);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "} required=![ =name ] additionalProperties=false } ]");
}

/* Builds "policy_horus-s", a name in a reference; "horus+" is "policy_horus_plus". */
static void def_name(const struct hs_policy_ops *policy, char *name, size_t size)
{
    size_t len = strcspn(policy->name, "+");
    (void)snprintf(name, size, "policy_%.*s%s", (int)len, policy->name,
                   policy->name[len] != '\0' ? "_plus" : "");
}

/* Writes members "policy" and "policy_NAME" of an open "$defs". */
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
        hs_jsonw_put(w, "%s={", name);
        put_policy(w, policy);
        hs_jsonw_put(w, "}");
    }
}

/* ---- configurations ---- */

static void begin_document(struct hs_jsonw *w, const char *title, const char *description)
{
    hs_jsonw_put(w,
                 "={ $schema=https://json-schema.org/draft/2020-12/schema title=%s description=%s",
                 title, description);
}

/* Writes members of an open object: every key of a configuration of that verb, and no other. */
static void put_keys(struct hs_jsonw *w, const struct hs_verb *verb)
{
    begin_properties(w);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        if (o->is_local)
            continue;
        const bool has_null = o->param.preset == NULL;
        hs_jsonw_put(w, "%s={ description=%s", o->param.key, o->param.help);
        if (o->is_repeated) { /* a value or a list of them */
            hs_jsonw_put(w, "anyOf=[ ={");
            one_value(w, o, false);
            hs_jsonw_put(w, "} ={ type=array items={");
            one_value(w, o, false);
            hs_jsonw_put(w, has_null ? "} } ={ enum=![ =%s = ] } ]" : "} } ]", (const char *)NULL);
        } else {
            one_value(w, o, has_null);
            if (o->param.type == HS_PARAM_TEXT)
                member_default(w, &o->param);
        }
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "} additionalProperties=false");
}

/* ---- experiments ---- */

#define OF_KEYS   "#/$defs/keys/properties/"
#define OF_POLICY "^policy\\."

/* Writes a list of values; with has_range also "1..5". */
static void put_list(struct hs_jsonw *w, const char *key, bool has_range)
{
    hs_jsonw_put(
        w, has_range ? "%s={ anyOf=[ ={ type=array minItems=#1" : "%s={ type=array minItems=#1",
        key);
    hs_jsonw_key(w, "items");
    if (strcmp(key, OF_POLICY) != 0)
        put_ref(w, OF_KEYS, key);
    else /* a parameter of a policy: any type */
        hs_jsonw_put(w, "=!{ type=[ =string =number =boolean ] }");
    if (has_range)
        hs_jsonw_put(w, "} ={ type=string pattern=%s } ]",
                     "^([0-9]+(\\.\\.[0-9]+)?(,[0-9]+(\\.\\.[0-9]+)?)*)$");
    hs_jsonw_put(w, "}");
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
                 "of the directory of the results",
                 "^[^./\\x00-\\x1f\\x7f][^/\\x00-\\x1f\\x7f]{0,199}$");
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
    hs_jsonw_put(w, "}");
    put_policies(w);
    hs_jsonw_put(w, "}");
}

/* ---- the verb ---- */

static bool is_experimental(const struct hs_verb *verb)
{
    return strcmp(verb->operands, "EXPERIMENT.json") == 0;
}

/* Subjects with a schema: commands (the first is the default), then files. */
static const char *subject_at(size_t index)
{
    const struct hs_verb *verb;
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        if (((hs_option_find(verb->options, "config") != NULL) || is_experimental(verb)) &&
            index-- == 0)
            return verb->name;
    return index == 0 ? "cluster" : index == 1 ? "workload" : NULL;
}

static enum hs_status schema(struct hs_call *call)
{
    struct hs_jsonw w;
    const char *name = call->operand_count > 0 ? call->operands[0] : subject_at(0), *subject;
    char list[96] = "one of";
    uint32_t index;
    for (size_t i = 0; (subject = subject_at(i)) != NULL; i++)
        hs_append(list, sizeof list, "%s %s", i > 0 ? "," : "", subject);
    HS_TRY(hs_word_find_at(subject_at, name, "schema: unknown subject", list, &index, &call->diag));
    const struct hs_verb *verb = hs_verb_find(subject_at(index));
    if (verb == NULL) {
        const struct hs_builtin *file =
            hs_builtin_find(HS_TEXT("schemas/%s.schema.json", subject_at(index)));
        hs_output_put(&call->out, file->data, file->len);
        return HS_OK;
    }
    hs_jsonw_begin(&w, &call->out);
    if (is_experimental(verb)) {
        experiment_schema(&w, verb);
    } else {
        begin_document(&w, HS_TEXT("horus %s --config", verb->name), verb->summary);
        put_keys(&w, verb);
        if (hs_option_find(verb->options, "policy") != NULL) {
            hs_jsonw_put(&w, "$defs={");
            put_policies(&w);
            hs_jsonw_put(&w, "}");
        }
    }
    hs_jsonw_put(&w, "}");
    hs_jsonw_finish(&w);
    return HS_OK;
}

static const struct hs_option schema_table[] = {HS_OPTIONS_END};

const struct hs_verb hs_verb_schema = {
    .name = "schema",
    .operands = "[SUBJECT]",
    .word_at = subject_at,
    .summary = "Print a JSON Schema: config, experiment, cluster, workload.",
    .details = "SUBJECT is a command with --config: run (the default), compare or trace; or sweep, "
               "for its experiment; cluster, for -c; or workload, for generate. The schema is of "
               "draft 2020-12. An editor that supports JSON Schema completes keys and marks "
               "mistakes in a file that names it: \"$schema\": \"run.schema.json\". Remove // "
               "comments for other validators: JSON has none.",
    .examples = {"schema > run.schema.json", "schema sweep > sweep.schema.json"},
    .options = schema_table,
    .operands_max = 1,
    .run = schema,
};
