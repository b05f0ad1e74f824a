/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus policies [NAME]`: the policies, what each knows and may do, and the parameters of one, as
 * text, Markdown, JSON or a manual page; all from the policy records.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "cli/help.h"
#include "cli/option_rows.h"
#include "cli/setup.h"
#include "data/json.h"
#include "data/param_table.h"

#define PARAM_INDENT 17
#define KNOWS_LEGEND                                                                               \
    "knows: duration, true run times; utilization and slowdown, as --predictor tells them; "       \
    "memory, as --memory-predictor does; deadline, of the trace; rate, measured while running; "   \
    "estimate, run times with noise or from a file; history, run times of finished jobs, by user " \
    "and GPUs; model, the tensor sizes of what a job trains."

struct policies_options {
    bool json, markdown, man;
};

/* What a policy knows and may do with its default parameters, and what other parameters add:
 * HS_KNOWS_x, HS_CAN_x. The record has the most; .needs() is the answer for given parameters. The
 * same in words: "nothing (some parameters: duration)"; in a list, where room is scarce,
 * "nothing +". */
struct scope {
    uint32_t can, knows, more_can, more_knows;
    char knows_text[256], can_text[256];
};

typedef void bits_name(uint32_t bits, char *text, size_t size);

static void bits_text(bits_name *name, uint32_t bits, uint32_t more, bool is_short, char text[256])
{
    char added[128];
    name(bits, text, 256);
    name(more, added, sizeof added);
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
    bits_text(hs_setup_knows_text, s.knows, s.more_knows, is_short, s.knows_text);
    bits_text(hs_setup_can_text, s.can, s.more_can, is_short, s.can_text);
    return s;
}

static const char *or_dash(const char *text)
{
    return text != NULL && *text != '\0' ? text : "-";
}

/* As a paragraph under the name of a parameter. */
static void say_below(struct hs_output *out, const char *label, const char *text, uint32_t columns)
{
    char line[512];
    (void)snprintf(line, sizeof line, "%s%s", label, text);
    hs_say(out, "%*s", PARAM_INDENT, "");
    hs_say_wrapped(out, line, PARAM_INDENT, columns);
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

/* A row of the list, or the widths of its columns. */
enum { NAME, KNOWS, CAN, WHAT, COLUMNS };

/* What a policy does is on a line of its own where it does not fit beside the other columns. */
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
    if (row[WHAT][0] == '\0')
        return;
    hs_say(out, "%-*s", (int)below, "");
    hs_say_wrapped(out, row[WHAT], below, columns);
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
    hs_say(out, "\n+: more with some parameters; 'horus policies NAME' lists those of one.\n");
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

static void bits_json(struct hs_jsonw *w, const char *key, uint32_t bits, bits_name *name)
{
    char text[128];
    hs_jsonw_put(w, "%s=[", key);
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        if ((bits & bit) == 0)
            continue;
        name(bit, text, sizeof text);
        hs_jsonw_text(w, text);
    }
    hs_jsonw_put(w, "]");
}

static void policy_json(struct hs_jsonw *w, const struct hs_policy_ops *policy,
                        struct hs_arena *arena)
{
    const struct scope scope = scope_of(policy, false, arena);
    hs_jsonw_put(w, "={ name=%s summary=%s cite=%s", policy->name, policy->summary, policy->cite);
    bits_json(w, "knows", scope.knows, hs_setup_knows_text);
    bits_json(w, "may", scope.can, hs_setup_can_text);
    bits_json(w, "knows_with_some_parameters", scope.more_knows, hs_setup_knows_text);
    bits_json(w, "may_with_some_parameters", scope.more_can, hs_setup_can_text);
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
    hs_say(out, "# DESCRIPTION\n\nA policy is named with *-p* _NAME_ or "
                "*-p* _NAME:KEY=VALUE,..._; a list of values is written 1/2/3. What a policy does "
                "not declare to know, it cannot read.\n\n");
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
    FLAG("json", json, "Output", "everything as JSON", LOCAL, SHORT),
    FLAG("markdown", markdown, "Output", "a Markdown table", LOCAL, SHORT),
    FLAG("man", man, "Output", "source of the manual page horus-policies(7), for scdoc(1)", LOCAL),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_policies = {
    .name = "policies",
    .operands = "[POLICY]",
    .summary = "The policies, what each knows, the parameters of one.",
    .examples = {"policies", "policies srtf", "policies --json"},
    .options = options_table,
    .options_size = sizeof(struct policies_options),
    .operands_max = 1,
    .run = policies,
};
