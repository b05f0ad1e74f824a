/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Help texts, made from the verb and option tables alone.
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "data/param.h"
#include "traces/format.h"

#define SYNOPSIS_INDENT 26u

static const struct hs_exit_code exit_codes[] = {
    {"0", "ok"},
    {"1", "comparison or verification failed"},
    {"2", "usage"},
    {"3", "bad input"},
    {"4", "I/O"},
    {"5", "memory or limit"},
    {"6", "internal invariant"},
    {"130/143", "after SIGINT/SIGTERM"},
};
#define EXIT_CODE_COUNT (sizeof exit_codes / sizeof *exit_codes)

const struct hs_exit_code *hs_exit_code_at(size_t index)
{
    return index < EXIT_CODE_COUNT ? &exit_codes[index] : NULL;
}

static const char *const program_examples[] = {
    "traces/sample.csv", "run cluster_log.csv -c 133x8:V100 -p sjf:scan=fit", "policies srtf"};

const char *hs_program_example_at(size_t index)
{
    return index < sizeof program_examples / sizeof *program_examples ? program_examples[index]
                                                                      : NULL;
}

static void say_examples(struct hs_output *out, const struct hs_verb *verb)
{
    hs_say(out, "\nExamples:\n");
    for (size_t i = 0; i < HS_EXAMPLES && verb->examples[i] != NULL; i++)
        hs_say(out, "  horus %s\n", verb->examples[i]);
}

/* "  -p, --policy=SPEC": returns the column reached. */
static uint32_t say_synopsis(struct hs_output *out, const struct hs_option *option, bool is_brief)
{
    char name[64], choices[256], text[512], letter[8] = "    ";
    const struct hs_param *param = &option->param;
    const char *metavar = hs_option_metavar(param, choices, sizeof choices);
    if (option->letter != 0)
        (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    if (is_brief && param->type == HS_PARAM_CHOICE)
        metavar = "WHAT";
    (void)snprintf(text, sizeof text, "  %s--%s%s%s", letter,
                   hs_option_long_name(param, name, sizeof name), *metavar != '\0' ? "=" : "",
                   metavar);
    hs_say(out, "%s", text);
    return (uint32_t)strlen(text);
}

const char *hs_option_preset(const struct hs_param *param)
{
    if (param->type == HS_PARAM_FLAG || param->preset == NULL)
        return NULL;
    return *param->preset != '\0' ? param->preset : "none";
}

const char *hs_option_range(const struct hs_param *param, char *text, size_t size)
{
    text[0] = '\0';
    if (param->max > param->min)
        (void)hs_param_expects(param, text, size);
    return text;
}

static void say_option(struct hs_output *out, const struct hs_option *option, bool is_brief,
                       uint32_t columns)
{
    const struct hs_param *param = &option->param;
    uint32_t at = say_synopsis(out, option, is_brief);
    if (at + 2 > SYNOPSIS_INDENT) {
        hs_say(out, "\n");
        at = 0;
    }
    hs_say(out, "%*s", (int)(SYNOPSIS_INDENT - at), "");

    char text[1024], range[256];
    const char *preset = hs_option_preset(param);
    int n = snprintf(text, sizeof text, "%s", param->help);
    if (preset != NULL && n > 0 && (size_t)n < sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, " [%s]", preset);
    (void)hs_option_range(param, range, sizeof range);
    if (!is_brief && range[0] != '\0' && n > 0 && (size_t)n < sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, "; %s", range);
    if (!is_brief && param->source != NULL && n > 0 && (size_t)n < sizeof text)
        (void)snprintf(text + n, sizeof text - (size_t)n, "; source: %s", param->source);
    hs_say_wrapped(out, text, SYNOPSIS_INDENT, columns);
}

bool hs_verb_has_option(const struct hs_verb *verb, const char *key)
{
    const struct hs_option *o = verb->options;
    while (o->param.key != NULL && strcmp(o->param.key, key) != 0)
        o++;
    return o->param.key != NULL;
}

void hs_help_verb(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    hs_say(out, "usage: horus %s%s%s%s\n%s\n\n", verb->name,
           verb->options->param.key != NULL ? " [options]" : "", *verb->operands != '\0' ? " " : "",
           verb->operands, verb->summary);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
        if (o->in_short_help)
            say_option(out, o, true, columns);
    hs_say(out, "  -h, --help [all]        this text; all: every option, its range and default\n");
    say_examples(out, verb);
}

void hs_help_verb_all(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    hs_say(out, "usage: horus %s [options] %s\n%s\n", verb->name, verb->operands, verb->summary);
    if (verb->details != NULL) {
        hs_say(out, "\n");
        hs_say_wrapped(out, verb->details, 0, columns);
    }
    const char *group = NULL;
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        if (o->group != NULL && (group == NULL || strcmp(group, o->group) != 0))
            hs_say(out, "\n%s:\n", o->group);
        group = o->group;
        say_option(out, o, false, columns);
    }
    say_examples(out, verb);
    if (hs_verb_has_option(verb, "config"))
        hs_say(out,
               "\nTIME is 90s, 15min, 2h or 7d, a bare number is seconds; SIZE is 500MiB or 16GiB, "
               "a bare number\nis MiB. In a --config file and for --set, --max-jobs=9 is the key "
               "max_jobs with the value 9.\n");
}

/* "0 ok, 1 comparison or verification failed, ..." */
static void say_exit_codes(struct hs_output *out, uint32_t columns)
{
    char text[512] = "Exit codes:";
    size_t len = strlen(text);
    for (size_t i = 0; i < EXIT_CODE_COUNT && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, " %s %s%s", exit_codes[i].code,
                                exit_codes[i].meaning, i + 1 < EXIT_CODE_COUNT ? "," : ".");
    hs_say_wrapped(out, text, 0, columns);
}

void hs_help_program(struct hs_output *out, uint32_t columns)
{
    hs_say(out, "usage: horus COMMAND [options]        horus TRACE [options] is horus run "
                "TRACE\n" HS_PROGRAM_SUMMARY "\n\n");
    const struct hs_verb *verb;
    const char *example;
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        hs_say(out, "  %-10s %-26s %s\n", verb->name, verb->operands, verb->summary);
    hs_say(out, "\nExamples:\n");
    for (size_t i = 0; (example = hs_program_example_at(i)) != NULL; i++)
        hs_say(out, "  horus %s\n", example);
    hs_say(out,
           "\n'horus COMMAND --help' tells more; 'horus help formats' lists the trace formats.\n");
    say_exit_codes(out, columns);
}

void hs_help_formats(struct hs_output *out, uint32_t columns)
{
    hs_say(out, "Trace formats, recognised by content (--format overrides); .gz and .zst are read\n"
                "as they are, - is standard input.\n\n");
    const struct hs_trace_format *format;
    for (size_t i = 0; (format = hs_trace_format_at(i)) != NULL; i++) {
        hs_say(out, "  %-12s %s\n%14s ", format->name, format->summary, "");
        hs_say_wrapped(out, format->columns, 15, columns);
    }
}
