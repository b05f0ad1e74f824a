/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Manual pages as sources of scdoc(1), from the same tables as --help.
 */
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/metavar.h"
#include "cli/options.h"
#include "cli/policy_scope.h"
#include "data/param.h"
#include "horus/version.h"
#include "traces/format.h"

/* At the begin of a line more characters are markup than within; one too many escaped is no harm.
 */
void hs_man_put(struct hs_output *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        bool is_markup = strchr("\\*_", *c) != NULL;
        if (is_markup || (c == text && strchr("#-|[].'+~&!", *c) != NULL))
            hs_output_put(out, "\\", 1);
        hs_output_put(out, c, 1);
    }
}

/* A sentence: the final stop is there already, or is added. */
static void put_sentence(struct hs_output *out, const char *text)
{
    size_t len = strlen(text);
    hs_man_put(out, text);
    hs_say(out, len > 0 && text[len - 1] == '.' ? "" : ".");
}

static void put_marked(struct hs_output *out, const char *mark, const char *text)
{
    if (*text == '\0')
        return;
    hs_say(out, "%s", mark);
    hs_man_put(out, text);
    hs_say(out, "%s", mark);
}

/* name: "" for horus itself, "-run" for a command. */
static void put_title(struct hs_output *out, const char *name, int section, const char *summary)
{
    hs_say(out, "horus%s(%d) \"\" \"horus " HS_VERSION "\"\n\n# NAME\n\nhorus%s - ", name, section,
           name);
    size_t len = strlen(summary);
    char text[256];
    (void)snprintf(text, sizeof text, "%.*s",
                   (int)(len > 0 && summary[len - 1] == '.' ? len - 1 : len), summary);
    hs_man_put(out, text);
    hs_say(out, "\n\n");
}

/* Default, range and source of a parameter, behind its help. */
static void put_details(struct hs_output *out, const struct hs_param *param)
{
    char range[256];
    const char *preset = hs_option_preset(param);
    put_sentence(out, param->help);
    if (preset != NULL) {
        hs_say(out, " Default: ");
        put_marked(out, "*", preset);
        hs_say(out, ".");
    }
    if (*hs_option_range(param, range, sizeof range) != '\0') {
        hs_say(out, " Range: ");
        put_sentence(out, range);
    }
    if (param->source != NULL) {
        hs_say(out, " Source: ");
        put_sentence(out, param->source);
    }
}

static void put_option(struct hs_output *out, const struct hs_option *option)
{
    char name[64], choices[256];
    const char *metavar = hs_option_metavar(&option->param, choices, sizeof choices);
    if (option->letter != 0)
        hs_say(out, "*-%c*, ", option->letter);
    hs_say(out, "*--%s*%s", hs_option_long_name(&option->param, name, sizeof name),
           *metavar != '\0' ? "=" : "");
    put_marked(out, "_", metavar);
    hs_say(out, "\n\t");
    put_details(out, &option->param);
    hs_say(out, "\n\n");
}

static void put_options(struct hs_output *out, const struct hs_verb *verb)
{
    const char *group = NULL;
    hs_say(out, "# OPTIONS\n\n");
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        if (o->group != NULL && (group == NULL || strcmp(group, o->group) != 0))
            hs_say(out, "## %s\n\n", o->group);
        group = o->group;
        put_option(out, o);
    }
    hs_say(out, "*-h*, *--help* [*all*]\n\tA dozen lines; with *all* every option, its range and "
                "default.\n\n");
}

static void put_exit_codes(struct hs_output *out)
{
    const struct hs_exit_code *code;
    hs_say(out, "# EXIT STATUS\n\n");
    for (size_t i = 0; (code = hs_exit_code_at(i)) != NULL; i++) {
        hs_say(out, "*%s*\n\t", code->code);
        put_sentence(out, code->meaning);
        hs_say(out, "\n\n");
    }
}

static void put_example(struct hs_output *out, const char *example)
{
    hs_say(out, "\thorus ");
    hs_man_put(out, example);
    hs_say(out, "\n\n");
}

static void put_config(struct hs_output *out)
{
    hs_say(out,
           "# CONFIGURATION\n\n"
           "*--config* reads a JSON file, in which // and block comments may stand. Its keys are "
           "the long options with underscores: *--max-jobs*=9 is \"max\\_jobs\": 9. A policy is a "
           "text or an object, {\"name\": \"fifo\", \"scan\": \"fit\"}. *--set* _KEY=VALUE_ comes "
           "before the file, a flag before both. *--print-config* prints the effective "
           "configuration with the origin of each value; what it prints is itself a file for "
           "*--config*.\n\n");
}

void hs_man_verb(struct hs_output *out, const struct hs_verb *verb)
{
    char name[64];
    (void)snprintf(name, sizeof name, "-%s", verb->name);
    put_title(out, name, 1, verb->summary);
    hs_say(out, "# SYNOPSIS\n\n*horus %s*%s", verb->name,
           verb->options->param.key != NULL ? " [_options_] " : " ");
    hs_man_put(out, verb->operands);
    hs_say(out, "\n\n# DESCRIPTION\n\n");
    put_sentence(out, verb->summary);
    if (verb->details != NULL) {
        hs_say(out, "\n\n");
        hs_man_put(out, verb->details);
    }
    hs_say(out, "\n\n");
    put_options(out, verb);
    if (hs_verb_has_option(verb, "config"))
        put_config(out);
    put_exit_codes(out);
    hs_say(out, "# EXAMPLES\n\n");
    for (size_t i = 0; i < HS_EXAMPLES && verb->examples[i] != NULL; i++)
        put_example(out, verb->examples[i]);
    hs_say(out, "# SEE ALSO\n\n*horus*(1), *horus-policies*(7), *horus-formats*(5)\n");
}

static void put_values(struct hs_output *out)
{
    const struct hs_metavar *metavar;
    hs_say(out, "# VALUES\n\n");
    for (size_t i = 0; (metavar = hs_metavar_at(i)) != NULL; i++) {
        if (metavar->meaning == NULL)
            continue;
        put_marked(out, "_", metavar->name);
        hs_say(out, "\n\t");
        put_sentence(out, metavar->meaning);
        hs_say(out, "\n\n");
    }
}

static void put_surroundings(struct hs_output *out)
{
    hs_say(out,
           "# FILES\n\n"
           "_results/NAME-POLICY-HASH/_\n"
           "\tWhere a run lands unless *--output* names another place. A directory is built under "
           "another name, synced and renamed: without its manifest.json a run is not finished.\n\n"
           "# ENVIRONMENT\n\n"
           "No result depends on the environment. What is shown on a terminal does:\n\n"
           "*COLUMNS*\n\tWidth of tables and help, instead of that of the terminal.\n\n"
           "*NO\\_COLOR*, *TERM*=dumb\n\tNo colour; with a dumb terminal no progress, either.\n\n"
           "*LC\\_ALL*, *LC\\_CTYPE*, *LANG*\n\tBlock characters only in a UTF-8 locale.\n\n"
           "# SIGNALS\n\n"
           "*SIGUSR1*\n\tOne line about how far a run is, on standard error.\n\n"
           "*SIGINT*, *SIGTERM*\n\tThe run ends, what it has begun to write is taken away.\n\n");
}

void hs_man_program(struct hs_output *out)
{
    const struct hs_verb *verb;
    const char *example;
    put_title(out, "", 1, HS_PROGRAM_SUMMARY);
    hs_say(out, "# SYNOPSIS\n\n*horus* _COMMAND_ [_options_]\n\n*horus* _TRACE_ [_options_]\n\n"
                "# DESCRIPTION\n\nReplays traces of jobs on a described cluster under a policy, "
                "and compares policies. The result goes to standard output, everything else to "
                "standard error. *horus* _TRACE_ is *horus run* _TRACE_.\n\n# COMMANDS\n\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "*%s*%s", verb->name, *verb->operands != '\0' ? " " : "");
        hs_man_put(out, verb->operands);
        hs_say(out, "\n\t");
        put_sentence(out, verb->summary);
        hs_say(out, " See *horus-%s*(1).\n\n", verb->name);
    }
    put_values(out);
    put_surroundings(out);
    put_exit_codes(out);
    hs_say(out, "# EXAMPLES\n\n");
    for (size_t i = 0; (example = hs_program_example_at(i)) != NULL; i++)
        put_example(out, example);
    hs_say(out, "# SEE ALSO\n\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        hs_say(out, "*horus-%s*(1), ", verb->name);
    hs_say(out, "*horus-policies*(7), *horus-formats*(5)\n");
}

void hs_man_formats(struct hs_output *out)
{
    const struct hs_trace_format *format;
    put_title(out, "-formats", 5, "trace formats of horus");
    hs_say(out, "# DESCRIPTION\n\nThe format of a trace is recognised by content; *--format* "
                "overrides. Files of gzip and Zstandard are read as they are, - is standard "
                "input.\n\n");
    for (size_t i = 0; (format = hs_trace_format_at(i)) != NULL; i++) {
        hs_say(out, "# %s\n\n", format->name);
        put_sentence(out, format->summary);
        hs_say(out, "\n\n");
        put_sentence(out, format->columns);
        hs_say(out, "\n\n");
    }
    hs_say(out, "# SEE ALSO\n\n*horus*(1), *horus-run*(1), *horus-trace*(1)\n");
}

static void put_policy(struct hs_output *out, const struct hs_policy_ops *policy,
                       struct hs_arena *arena)
{
    char text[256], expects[256];
    const struct hs_policy_scope scope = hs_policy_scope_of(policy, arena);
    hs_say(out, "# ");
    hs_man_put(out, policy->name);
    hs_say(out, "\n\n");
    put_sentence(out, policy->summary);
    hs_policy_knows_text(&scope, false, text, sizeof text);
    hs_say(out, "\n\nKnows: ");
    put_sentence(out, text);
    hs_policy_may_text(&scope, false, text, sizeof text);
    hs_say(out, " May: ");
    put_sentence(out, text);
    if (policy->cite != NULL) {
        hs_say(out, " Source: ");
        put_sentence(out, policy->cite);
    }
    hs_say(out, "\n\n");
    for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++) {
        (void)hs_param_expects(p, expects, sizeof expects);
        put_marked(out, "*", p->key);
        hs_say(out, "=");
        put_marked(out, "_", expects);
        hs_say(out, "%s%s\n\t", p->unit != NULL ? " " : "", p->unit != NULL ? p->unit : "");
        put_sentence(out, p->help);
        hs_say(out, " Default: ");
        put_marked(out, "*", p->preset != NULL && *p->preset != '\0' ? p->preset : "none");
        hs_say(out, ".");
        if (p->source != NULL) {
            hs_say(out, " Source: ");
            put_sentence(out, p->source);
        }
        hs_say(out, "\n\n");
    }
}

void hs_man_policies(struct hs_output *out, struct hs_arena *arena)
{
    const struct hs_policy_ops *policy;
    put_title(out, "-policies", 7, "scheduling policies of horus and their parameters");
    hs_say(out, "# DESCRIPTION\n\nA policy is named with *-p* _NAME_ or "
                "*-p* _NAME:KEY=VALUE,..._; a list of values is written 1/2/3. What a policy does "
                "not declare to know, it cannot read.\n\n");
    hs_man_put(out, HS_POLICY_KNOWS_LEGEND);
    hs_say(out, "\n\n");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        put_policy(out, policy, arena);
    hs_say(out, "# SEE ALSO\n\n*horus*(1), *horus-run*(1), *horus-compare*(1)\n");
}
