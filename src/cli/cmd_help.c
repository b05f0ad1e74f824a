/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus help [COMMAND|formats] [--form=FORM]`: what the tables say, in any form.
 */
#include <stddef.h>
#include <string.h>

#include "cli/help.h"

enum form { FORM_TEXT, FORM_MARKDOWN, FORM_JSON, FORM_MAN, FORM_BASH, FORM_ZSH };
static const char *const forms[] = {"text", "markdown", "json", "man", "bash", "zsh", NULL};

struct help_options {
    int32_t form;
};

static enum hs_status no_such_form(struct hs_call *call, enum form form, const char *topic)
{
    return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave one out", "help: '%s' has no form '%s'",
                   topic, forms[form]);
}

static enum hs_status help_program(struct hs_call *call, enum form form)
{
    struct hs_output *out = &call->out;
    switch (form) {
    case FORM_TEXT:
        hs_help_program(out, call->terminal.columns);
        break;
    case FORM_MARKDOWN:
        hs_markdown_program(out);
        break;
    case FORM_JSON:
        hs_tables_json(out, NULL);
        break;
    case FORM_MAN:
        hs_man_program(out);
        break;
    case FORM_BASH:
        hs_complete_bash(out);
        break;
    case FORM_ZSH:
        hs_complete_zsh(out);
        break;
    }
    return HS_OK;
}

static enum hs_status help_formats(struct hs_call *call, enum form form)
{
    if (form == FORM_MAN)
        hs_man_formats(&call->out);
    else if (form == FORM_TEXT)
        hs_help_formats(&call->out, call->terminal.columns);
    else
        return no_such_form(call, form, "formats");
    return HS_OK;
}

static enum hs_status help_verb(struct hs_call *call, enum form form, const struct hs_verb *verb)
{
    switch (form) {
    case FORM_TEXT:
        hs_help_verb_all(&call->out, verb, call->terminal.columns);
        break;
    case FORM_MARKDOWN:
        hs_markdown_verb(&call->out, verb);
        break;
    case FORM_JSON:
        hs_tables_json(&call->out, verb);
        break;
    case FORM_MAN:
        hs_man_verb(&call->out, verb);
        break;
    case FORM_BASH:
    case FORM_ZSH:
        return no_such_form(call, form, verb->name);
    }
    return HS_OK;
}

static enum hs_status help(struct hs_call *call)
{
    const struct help_options *options = call->options;
    const enum form form = (enum form)options->form;
    if (call->operand_count == 0)
        return help_program(call, form);
    const char *topic = call->operands[0];
    if (strcmp(topic, "formats") == 0)
        return help_formats(call, form);
    const struct hs_verb *verb = hs_verb_find(topic);
    if (verb == NULL)
        return hs_verb_unknown(topic, &call->diag);
    return help_verb(call, form, verb);
}

static const struct hs_option options_table[] = {
    {.param = {.key = "form",
               .type = HS_PARAM_CHOICE,
               .offset = offsetof(struct help_options, form),
               .preset = "text",
               .choices = forms,
               .help = "Markdown table, JSON, source of a manual page for scdoc(1), or completion "
                       "for a shell"},
     .group = "Output",
     .in_short_help = true,
     .is_local = true},
    {.param = {.key = NULL}},
};

const struct hs_verb hs_verb_help = {
    .name = "help",
    .operands = "[COMMAND|formats]",
    .summary = "All options of a command; the trace formats.",
    .details = "The forms bash and zsh are whole completion scripts: source <(horus help "
               "--form=bash). Manual pages: horus help --form=man | scdoc >horus.1, and so with "
               "each command; 'make install' does both.",
    .examples = {"help run", "help run --form=markdown", "help --form=zsh"},
    .options = options_table,
    .options_size = sizeof(struct help_options),
    .operands_max = 1,
    .run = help,
};
