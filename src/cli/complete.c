/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion scripts for two shells: the tables as case statements of words that may stand for a
 * value, then functions that read them. A word that begins with '@' is a kind of words: @file,
 * @dir, @policy, @command, @setting, @list (several with commas between), @none (anything). No word
 * of a table has a blank or a quote in it.
 */
#include <string.h>

#include "base/io.h"
#include "cli/help.h"
#include "horus/version.h"

#define OPERANDS_MAX 8u /* completed at most, of a verb that takes many */

/* The functions of a shell: a file of configs/ behind its first comment. */
static void say_functions(struct hs_output *out, const char *name)
{
    const struct hs_builtin *file = hs_builtin_find(name);
    const char *begin = strstr(file->data, "\n\n") + 2;
    hs_output_put(out, begin, file->len - (size_t)(begin - file->data));
}

/* One word, a blank before all but the first. */
static void say_word(struct hs_output *out, bool *is_first, const char *word, size_t len)
{
    hs_say(out, "%s%.*s", *is_first ? "" : " ", (int)len, word);
    *is_first = false;
}

/* The alternatives at a position of `text`, which is a unit or the operands of a verb. */
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
        if (is_dir && has_files) /* completion of files has the directories */
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
    const char *word;
    for (size_t i = 0; word_at != NULL && (word = word_at(i)) != NULL; i++)
        say_word(out, &is_first, word, strlen(word));
}

static void complete_option(struct hs_output *out, const struct hs_option *option)
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

static void complete_verbs(struct hs_output *out)
{
    const struct hs_verb *verb;
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        hs_say(out, "%s%s", i > 0 ? " " : "", verb->name);
}

/* What may stand for a value, where it is words. */
static const char *const *words_of(const struct hs_param *p)
{
    static const char *const flags[] = {"yes", "no", NULL}, *const files[] = {"@file", NULL};
    if (p->type == HS_PARAM_FLAG)
        return flags;
    return p->type == HS_PARAM_FILE ? files : p->type == HS_PARAM_CHOICE ? p->choices : NULL;
}

static void complete_policies(struct hs_output *out)
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
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++) {
            const char *const *words = words_of(p);
            if (words == NULL)
                continue;
            hs_say(out, "    '%s %s') echo '", policy->name, p->key);
            for (size_t w = 0; words[w] != NULL; w++)
                hs_say(out, "%s%s", w > 0 ? " " : "", words[w]);
            hs_say(out, "' ;;\n");
        }
    hs_say(out, "    esac\n}\n\n");
}

static void complete_keys(struct hs_output *out)
{
    const struct hs_verb *verb;
    hs_say(out, "# COMMAND: the keys of its configuration\n_horus_keys()\n{\n    case $1 in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        bool is_first = true;
        if (hs_option_find(verb->options, "set") == NULL)
            continue;
        hs_say(out, "    %s) echo '", verb->name);
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            if (!o->is_local)
                say_word(out, &is_first, o->param.key, strlen(o->param.key));
        hs_say(out, "' ;;\n");
    }
    hs_say(out, "    esac\n}\n\n");
}
/* ---- bash 4.3 and later. ':' and '=' separate words for readline, not for horus: the words are
 * taken from the line itself, and of each candidate what readline believes to be an earlier word is
 * cut off ---- */

void hs_complete_bash(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    char name[64];
    (void)columns;
    hs_say(out, "# bash completion of horus " HS_VERSION ", made by 'horus help --form=bash'.\n"
                "# To try it: source <(horus help --form=bash)\n\n_horus_commands='");
    complete_verbs(out);
    hs_say(out, "'\n\n# COMMAND: its options, '=' behind those with a value\n"
                "_horus_options()\n{\n    case $1 in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "    %s) echo '", verb->name);
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            hs_say(out, "--%s%s ", hs_option_long_name(&o->param, name, sizeof name),
                   o->param.type != HS_PARAM_FLAG ? "=" : "");
        hs_say(out, "--help' ;;\n");
    }
    hs_say(out, "    *) echo '--help --version' ;;\n    esac\n}\n\n"
                "# COMMAND OPTION: what its value may be; nothing for a flag\n"
                "_horus_value()\n{\n    case \"$1 $2\" in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
            if (o->param.type == HS_PARAM_FLAG)
                continue;
            hs_say(out, "    ");
            if (o->letter != 0)
                hs_say(out, "'%s -%c' | ", verb->name, o->letter);
            hs_say(out, "'%s --%s') echo '", verb->name,
                   hs_option_long_name(&o->param, name, sizeof name));
            complete_option(out, o);
            hs_say(out, "' ;;\n");
        }
    hs_say(out, "    esac\n}\n\n# COMMAND NUMBER: what its operand of that number, from 0, may be\n"
                "_horus_operand()\n{\n    case \"$1 $2\" in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        for (uint32_t at = 0; at < verb->operands_max && at < OPERANDS_MAX; at++) {
            hs_say(out, "    '%s %u') echo '", verb->name, at);
            say_parts(out, verb->operands, at, verb->word_at);
            hs_say(out, "' ;;\n");
        }
    hs_say(out, "    esac\n}\n\n");
    complete_keys(out);
    complete_policies(out);
    say_functions(out, "completion.bash");
}

/* ---- zsh: one function a verb that calls _arguments with its options, and one for all values
 * ---- */

/* Inside single quotes, with a backslash before what _arguments or _describe would read. */
static void put_quoted(struct hs_output *out, const char *text, const char *special)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            hs_say(out, "'\\''");
            continue;
        }
        if (strchr(special, *c) != NULL)
            hs_say(out, "\\");
        hs_output_put(out, c, 1);
    }
}

/* '(-c --cluster)'{-c+,--cluster=}'[help]:SPEC: _horus_value @file' */
static void zsh_option(struct hs_output *out, const struct hs_option *o)
{
    char name[64], choices[256];
    bool is_flag = o->param.type == HS_PARAM_FLAG;
    (void)hs_option_long_name(&o->param, name, sizeof name);
    hs_say(out, " \\\n        ");
    if (o->is_repeated)
        hs_say(out, o->letter != 0 ? "'*'" : "'*");
    else if (o->letter != 0)
        hs_say(out, "'(-%c --%s)'", o->letter, name);
    else
        hs_say(out, "'");
    if (o->letter != 0)
        hs_say(out, "{-%c%s,--%s%s}'", o->letter, is_flag ? "" : "+", name, is_flag ? "" : "=");
    else
        hs_say(out, "--%s%s", name, is_flag ? "" : "=");
    hs_say(out, "[");
    put_quoted(out, o->param.help, "[]\\");
    hs_say(out, "]");
    if (!is_flag) {
        hs_say(out, ":");
        put_quoted(out, hs_option_metavar(&o->param, choices, sizeof choices), ":\\");
        hs_say(out, ": _horus_value ");
        complete_option(out, o);
    }
    hs_say(out, "'");
}

void hs_complete_zsh(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    (void)columns;
    hs_say(out, "#compdef horus\n"
                "# zsh completion of horus " HS_VERSION ", made by 'horus help --form=zsh'.\n"
                "# To try it: source <(horus help --form=zsh)\n\n_horus_commands='");
    complete_verbs(out);
    hs_say(out, "'\ntypeset -ga _horus_described\n_horus_described=(\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "    '%s:", verb->name);
        put_quoted(out, verb->summary, ":\\");
        hs_say(out, "'\n");
    }
    hs_say(out, ")\n\n");
    complete_keys(out);
    complete_policies(out);
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "_horus_command_%s()\n{\n    _arguments -s -S", verb->name);
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            zsh_option(out, o);
        hs_say(out, " \\\n        '(- *)'{-h,--help}'[help]: :(all)'");
        for (uint32_t at = 0; at < verb->operands_max && at < OPERANDS_MAX; at++) {
            hs_say(out, " \\\n        '%u:operand: _horus_value ", at + 1);
            say_parts(out, verb->operands, at, verb->word_at);
            hs_say(out, "'");
        }
        hs_say(out, "\n}\n\n");
    }
    say_functions(out, "completion.zsh");
}
