/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables as words for shells. No word of a table has a blank or a quote in it.
 */
#include "cli/complete.h"

#include <string.h>

#include "cli/help.h"
#include "cli/metavar.h"
#include "cli/options.h"
#include "horus/policy.h"

void hs_complete_lines(struct hs_output *out, const char *const *lines)
{
    for (; *lines != NULL; lines++)
        hs_say(out, "%s\n", *lines);
}

/* One word, a blank before all but the first. */
static void say_word(struct hs_output *out, bool *is_first, const char *word, size_t len)
{
    hs_say(out, "%s%.*s", *is_first ? "" : " ", (int)len, word);
    *is_first = false;
}

static void say_words(struct hs_output *out, bool *is_first, const char *(*word_at)(size_t))
{
    const char *word;
    for (size_t i = 0; word_at != NULL && (word = word_at(i)) != NULL; i++)
        say_word(out, is_first, word, strlen(word));
}

/* What `text`, a unit or the operands of a verb, has at the position. */
static void say_parts(struct hs_output *out, const char *text, uint32_t position,
                      const char *(*word_at)(size_t))
{
    static const char *const kinds[] = {
        [HS_METAVAR_FREE] = "@none",       [HS_METAVAR_FILE] = "@file",
        [HS_METAVAR_DIR] = "@dir",         [HS_METAVAR_POLICY] = "@policy",
        [HS_METAVAR_COMMAND] = "@command", [HS_METAVAR_SETTING] = "@setting"};
    struct hs_metavar_part part;
    bool is_first = true, has_files = false;
    for (uint32_t i = 0; hs_metavar_part(text, position, i, &part); i++) {
        bool is_dir = part.known != NULL && part.known->kind == HS_METAVAR_DIR;
        has_files = has_files || (part.known != NULL && part.known->kind == HS_METAVAR_FILE);
        if (is_dir && has_files) /* among which the directories are */
            continue;
        if (part.is_literal)
            say_word(out, &is_first, part.text, part.len);
        else if (part.known == NULL || (part.known->kind == HS_METAVAR_WORD && word_at == NULL))
            say_word(out, &is_first, "@none", 5);
        else if (part.known->kind != HS_METAVAR_WORD)
            say_word(out, &is_first, kinds[part.known->kind], strlen(kinds[part.known->kind]));
        else if (strcmp(part.known->name, "LIST") == 0)
            say_word(out, &is_first, "@list", 5);
    }
    say_words(out, &is_first, word_at);
}

void hs_complete_option(struct hs_output *out, const struct hs_option *option)
{
    char choices[256];
    if (option->param.type == HS_PARAM_FLAG)
        return;
    if (option->param.type == HS_PARAM_CHOICE) {
        bool is_first = true;
        for (const char *const *c = option->param.choices; *c != NULL; c++)
            say_word(out, &is_first, *c, strlen(*c));
        return;
    }
    say_parts(out, hs_option_metavar(&option->param, choices, sizeof choices), 0, option->word_at);
}

void hs_complete_operand(struct hs_output *out, const struct hs_verb *verb, uint32_t position)
{
    say_parts(out, verb->operands, position, verb->word_at);
}

void hs_complete_verbs(struct hs_output *out)
{
    const struct hs_verb *verb;
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        hs_say(out, "%s%s", i > 0 ? " " : "", verb->name);
}

static void say_values(struct hs_output *out, const struct hs_policy_ops *policy)
{
    for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++) {
        if (p->type != HS_PARAM_CHOICE && p->type != HS_PARAM_FLAG && p->type != HS_PARAM_FILE)
            continue;
        hs_say(out, "    '%s %s') echo '", policy->name, p->key);
        if (p->type == HS_PARAM_FLAG)
            hs_say(out, "yes no");
        if (p->type == HS_PARAM_FILE)
            hs_say(out, "@file");
        for (size_t i = 0; p->type == HS_PARAM_CHOICE && p->choices[i] != NULL; i++)
            hs_say(out, "%s%s", i > 0 ? " " : "", p->choices[i]);
        hs_say(out, "' ;;\n");
    }
}

void hs_complete_policies(struct hs_output *out)
{
    const struct hs_policy_ops *policy;
    hs_say(out, "_horus_policies='");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        hs_say(out, "%s%s", i > 0 ? " " : "", policy->name);
    hs_say(out, "'\n\n# POLICY: its parameters\n_horus_params()\n{\n    case $1 in\n");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        hs_say(out, "    '%s') echo '", policy->name);
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++)
            hs_say(out, "%s%s", p != policy->params ? " " : "", p->key);
        hs_say(out, "' ;;\n");
    }
    hs_say(out, "    esac\n}\n\n# POLICY PARAMETER: its values, where they are words\n"
                "_horus_choices()\n{\n    case \"$1 $2\" in\n");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        say_values(out, policy);
    hs_say(out, "    esac\n}\n\n");
}

void hs_complete_keys(struct hs_output *out)
{
    const struct hs_verb *verb;
    hs_say(out, "# COMMAND: the keys of its configuration\n_horus_keys()\n{\n    case $1 in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        bool is_first = true, has_set = hs_verb_has_option(verb, "set");
        for (const struct hs_option *o = verb->options; has_set && o->param.key != NULL; o++) {
            if (o->is_local)
                continue;
            if (is_first)
                hs_say(out, "    %s) echo '%s", verb->name, o->param.key);
            else
                hs_say(out, " %s", o->param.key);
            is_first = false;
        }
        if (!is_first)
            hs_say(out, "' ;;\n");
    }
    hs_say(out, "    esac\n}\n\n");
}
