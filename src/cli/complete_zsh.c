/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion for zsh: one function a verb that calls _arguments with its options, and one function
 * for all values.
 */
#include <string.h>

#include "cli/complete.h"
#include "cli/help.h"
#include "cli/options.h"
#include "horus/version.h"

static const char *const functions[] = {
    "# WORDS...: what the value may be",
    "_horus_value()",
    "{",
    "    local word",
    "    local -a values",
    "    for word; do",
    "        case $word in",
    "        @none) _message value ;;",
    "        @file) _files ;;",
    "        @dir) _files -/ ;;",
    "        @command) compadd -- ${=_horus_commands} ;;",
    "        @policy) _horus_policy ;;",
    "        @setting) _horus_setting ;;",
    "        @list) compset -P '*,' ;;",
    "        *) values+=($word) ;;",
    "        esac",
    "    done",
    "    (( ! $#values )) || compadd -- $values",
    "}",
    "",
    "# name, or name:key=value,key=value",
    "_horus_policy()",
    "{",
    "    local name=${PREFIX%%:*} key",
    "    if [[ $PREFIX != *:* ]]; then",
    "        compadd -- ${=_horus_policies}",
    "        return",
    "    fi",
    "    compset -P 1 '*:'",
    "    compset -P '*,'",
    "    if [[ $PREFIX == *=* ]]; then",
    "        key=${PREFIX%%=*}",
    "        compset -P 1 '*='",
    "        _horus_value ${=$(_horus_choices $name $key)}",
    "    else",
    "        compadd -S = -- ${=$(_horus_params $name)}",
    "    fi",
    "}",
    "",
    "# key=value of a configuration",
    "_horus_setting()",
    "{",
    "    if [[ $PREFIX == *=* ]]; then",
    "        compset -P 1 '*='",
    "        _message value",
    "    else",
    "        compadd -S = -- ${=$(_horus_keys $_horus_verb)}",
    "    fi",
    "}",
    "",
    "_horus()",
    "{",
    "    local _horus_verb=run",
    "    if (( CURRENT == 2 )); then",
    "        _describe -t commands command _horus_described",
    "        _files",
    "        return",
    "    fi",
    "    if (( $+functions[_horus_command_$words[2]] )); then",
    "        _horus_verb=$words[2]",
    "        shift words",
    "        (( CURRENT-- ))",
    "    fi",
    "    _horus_command_$_horus_verb",
    "}",
    "",
    "if [ \"$funcstack[1]\" = _horus ]; then",
    "    _horus \"$@\"",
    "else",
    "    compdef _horus horus",
    "fi",
    NULL,
};

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
static void say_option(struct hs_output *out, const struct hs_option *o)
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
        hs_complete_option(out, o);
    }
    hs_say(out, "'");
}

static void say_verb(struct hs_output *out, const struct hs_verb *verb)
{
    hs_say(out, "_horus_command_%s()\n{\n    _arguments -s -S", verb->name);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
        say_option(out, o);
    hs_say(out, " \\\n        '(- *)'{-h,--help}'[help]: :(all)'");
    for (uint32_t at = 0; at < verb->operands_max && at < HS_COMPLETE_OPERANDS; at++) {
        hs_say(out, " \\\n        '%u:operand: _horus_value ", at + 1);
        hs_complete_operand(out, verb, at);
        hs_say(out, "'");
    }
    hs_say(out, "\n}\n\n");
}

void hs_complete_zsh(struct hs_output *out)
{
    const struct hs_verb *verb;
    hs_say(out, "#compdef horus\n"
                "# zsh completion of horus " HS_VERSION ", made by 'horus help --form=zsh'.\n"
                "# To try it: source <(horus help --form=zsh)\n\n_horus_commands='");
    hs_complete_verbs(out);
    hs_say(out, "'\ntypeset -ga _horus_described\n_horus_described=(\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "    '%s:", verb->name);
        put_quoted(out, verb->summary, ":\\");
        hs_say(out, "'\n");
    }
    hs_say(out, ")\n\n");
    hs_complete_keys(out);
    hs_complete_policies(out);
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        say_verb(out, verb);
    hs_complete_lines(out, functions);
}
