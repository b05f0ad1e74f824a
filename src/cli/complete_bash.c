/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion for bash 4.3 and later: tables as case statements, then the functions that read them.
 * ':' and '=' separate words for readline, not for horus: the words are taken from the line itself,
 * and of each candidate what readline believes to be an earlier word is cut off.
 */
#include "cli/complete.h"
#include "cli/help.h"
#include "horus/version.h"

static const char *const functions[] = {
    "# WORDS PREFIX VALUE: adds to `found` the words that VALUE begins, PREFIX before each",
    "_horus_offer()",
    "{",
    "    local word prefix=$2 value=$3 path",
    "    for word in $1; do",
    "        case $word in",
    "        @none) ;;",
    "        @file | @dir)",
    "            compopt -o filenames 2>/dev/null",
    "            while IFS= read -r path; do found+=(\"$prefix$path\"); done < <(",
    "                if [ \"$word\" = @dir ]; then",
    "                    compgen -d -- \"$value\"",
    "                else",
    "                    compgen -f -- \"$value\"",
    "                fi",
    "            )",
    "            ;;",
    "        @command) _horus_offer \"$_horus_commands\" \"$prefix\" \"$value\" ;;",
    "        @policy) _horus_offer_policy \"$prefix\" \"$value\" ;;",
    "        @setting) _horus_offer_setting \"$prefix\" \"$value\" ;;",
    "        @list)",
    "            prefix=$prefix${value%\"${value##*,}\"}",
    "            value=${value##*,}",
    "            ;;",
    "        *) [[ $word == \"$value\"* ]] && found+=(\"$prefix$word\") ;;",
    "        esac",
    "    done",
    "}",
    "",
    "# PREFIX VALUE: name, or name:key=value,key=value",
    "_horus_offer_policy()",
    "{",
    "    local name=${2%%:*} list before last keys",
    "    if [[ $2 != *:* ]]; then",
    "        _horus_offer \"$_horus_policies\" \"$1\" \"$2\"",
    "        return",
    "    fi",
    "    list=${2#*:}",
    "    last=${list##*,}",
    "    before=$1$name:${list%\"$last\"}",
    "    if [[ $last == *=* ]]; then",
    "        _horus_offer \"$(_horus_choices \"$name\" \"${last%%=*}\")\" \"$before${last%%=*}=\" "
    "\\",
    "            \"${last#*=}\"",
    "        return",
    "    fi",
    "    keys=$(_horus_params \"$name\")",
    "    [ -z \"$keys\" ] || _horus_offer \"${keys// /= }=\" \"$before\" \"$last\"",
    "}",
    "",
    "# PREFIX VALUE: key=value of a configuration",
    "_horus_offer_setting()",
    "{",
    "    local key=${2%%=*} keys",
    "    if [[ $2 == *=* ]]; then",
    "        _horus_offer \"$(_horus_value \"$verb\" \"--${key//_/-}\")\" \"$1$key=\" \"${2#*=}\"",
    "        return",
    "    fi",
    "    keys=$(_horus_keys \"$verb\")",
    "    [ -z \"$keys\" ] || _horus_offer \"${keys// /= }=\" \"$1\" \"$2\"",
    "}",
    "",
    "# Reads the words before the last one into `verb`, `operand` (its number) and `option` (whose",
    "# value is asked for).",
    "_horus_walk()",
    "{",
    "    local i is_ended=no",
    "    for ((i = 1; i + 1 < ${#words[@]}; i++)); do",
    "        case $is_ended:${words[i]} in",
    "        no:--) is_ended=yes ;;",
    "        no:--*=*) ;;",
    "        no:-?*)",
    "            [ -n \"$(_horus_value \"$verb\" \"${words[i]}\")\" ] || continue",
    "            i=$((i + 1))",
    "            [ \"$((i + 1))\" -lt ${#words[@]} ] || option=${words[i - 1]}",
    "            ;;",
    "        *)",
    "            if [ -n \"$verb\" ]; then",
    "                operand=$((operand + 1))",
    "            elif [[ \" $_horus_commands \" == *\" ${words[i]} \"* ]]; then",
    "                verb=${words[i]}",
    "            else",
    "                verb=run",
    "                operand=1",
    "            fi",
    "            ;;",
    "        esac",
    "    done",
    "}",
    "",
    "_horus()",
    "{",
    "    local IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT} words=() found=()",
    "    local verb='' operand=0 option='' word breaks='' cut=''",
    "    read -ra words <<<\"$line\"",
    "    [[ $line != *[[:space:]] ]] || words+=('')",
    "    word=${words[${#words[@]} - 1]}",
    "    _horus_walk",
    "    if [ -n \"$option\" ]; then",
    "        _horus_offer \"$(_horus_value \"$verb\" \"$option\")\" '' \"$word\"",
    "    elif [[ $word == --*=* ]]; then",
    "        _horus_offer \"$(_horus_value \"$verb\" \"${word%%=*}\")\" \"${word%%=*}=\" "
    "\"${word#*=}\"",
    "    elif [[ $word == -* ]]; then",
    "        _horus_offer \"$(_horus_options \"$verb\")\" '' \"$word\"",
    "    elif [ -z \"$verb\" ]; then",
    "        _horus_offer '@command @file' '' \"$word\"",
    "    else",
    "        _horus_offer \"$(_horus_operand \"$verb\" \"$operand\")\" '' \"$word\"",
    "    fi",
    "    [[ $COMP_WORDBREAKS != *:* ]] || breaks+=:",
    "    [[ $COMP_WORDBREAKS != *=* ]] || breaks+='='",
    "    [[ -z $breaks || $word != *[$breaks]* ]] || cut=${word%\"${word##*[\"$breaks\"]}\"}",
    "    COMPREPLY=(\"${found[@]#\"$cut\"}\")",
    "    [[ \"${found[*]}\" != *= ]] || compopt -o nospace 2>/dev/null",
    "}",
    "",
    "complete -F _horus horus",
    NULL,
};

static void say_options(struct hs_output *out)
{
    char name[64];
    const struct hs_verb *verb;
    hs_say(out, "# COMMAND: its options, '=' behind those with a value\n"
                "_horus_options()\n{\n    case $1 in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "    %s) echo '", verb->name);
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            hs_say(out, "--%s%s ", hs_option_long_name(&o->param, name, sizeof name),
                   o->param.type != HS_PARAM_FLAG ? "=" : "");
        hs_say(out, "--help' ;;\n");
    }
    hs_say(out, "    *) echo '--help --version' ;;\n    esac\n}\n\n");
}

static void say_values(struct hs_output *out)
{
    char name[64];
    const struct hs_verb *verb;
    hs_say(out, "# COMMAND OPTION: what its value may be; nothing for a flag\n"
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
            hs_complete_option(out, o);
            hs_say(out, "' ;;\n");
        }
    hs_say(out, "    esac\n}\n\n");
}

static void say_operands(struct hs_output *out)
{
    const struct hs_verb *verb;
    hs_say(out, "# COMMAND NUMBER: what its operand of that number, from 0, may be\n"
                "_horus_operand()\n{\n    case \"$1 $2\" in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        for (uint32_t at = 0; at < verb->operands_max && at < HS_COMPLETE_OPERANDS; at++) {
            hs_say(out, "    '%s %u') echo '", verb->name, at);
            hs_complete_operand(out, verb, at);
            hs_say(out, "' ;;\n");
        }
    hs_say(out, "    esac\n}\n\n");
}

void hs_complete_bash(struct hs_output *out)
{
    hs_say(out, "# bash completion of horus " HS_VERSION ", made by 'horus help --form=bash'.\n"
                "# To try it: source <(horus help --form=bash)\n\n_horus_commands='");
    hs_complete_verbs(out);
    hs_say(out, "'\n\n");
    say_options(out);
    say_values(out);
    say_operands(out);
    hs_complete_keys(out);
    hs_complete_policies(out);
    hs_complete_lines(out, functions);
}
