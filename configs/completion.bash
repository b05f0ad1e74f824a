# SPDX-License-Identifier: GPL-3.0-or-later
#
# bash completion: the functions behind the tables that `horus help --form=bash` prints (src/cli/help.c).
# This comment is left out of the script.
# shellcheck shell=bash disable=SC2154

# WORDS PREFIX VALUE: adds to `found` the words that VALUE begins, PREFIX before each
_horus_offer()
{
    local word prefix=$2 value=$3 path
    for word in $1; do
        case $word in
        @none) ;;
        @file | @dir)
            compopt -o filenames 2>/dev/null
            while IFS= read -r path; do found+=("$prefix$path"); done < <(
                if [ "$word" = @dir ]; then
                    compgen -d -- "$value"
                else
                    compgen -f -- "$value"
                fi
            )
            ;;
        @command) _horus_offer "$_horus_commands" "$prefix" "$value" ;;
        @policy) _horus_offer_policy "$prefix" "$value" ;;
        @setting) _horus_offer_setting "$prefix" "$value" ;;
        @list)
            prefix=$prefix${value%"${value##*,}"}
            value=${value##*,}
            ;;
        *) [[ $word == "$value"* ]] && found+=("$prefix$word") ;;
        esac
    done
}

# PREFIX VALUE: name, or name:key=value,key=value
_horus_offer_policy()
{
    local name=${2%%:*} list before last keys
    if [[ $2 != *:* ]]; then
        _horus_offer "$_horus_policies" "$1" "$2"
        return
    fi
    list=${2#*:}
    last=${list##*,}
    before=$1$name:${list%"$last"}
    if [[ $last == *=* ]]; then
        _horus_offer "$(_horus_choices "$name" "${last%%=*}")" "$before${last%%=*}=" \
            "${last#*=}"
        return
    fi
    keys=$(_horus_params "$name")
    [ -z "$keys" ] || _horus_offer "${keys// /= }=" "$before" "$last"
}

# PREFIX VALUE: key=value of a configuration
_horus_offer_setting()
{
    local key=${2%%=*} keys
    if [[ $2 == *=* ]]; then
        _horus_offer "$(_horus_value "$verb" "--${key//_/-}")" "$1$key=" "${2#*=}"
        return
    fi
    keys=$(_horus_keys "$verb")
    [ -z "$keys" ] || _horus_offer "${keys// /= }=" "$1" "$2"
}

# Reads the words before the last one into `verb`, `operand` (its number) and `option` (whose
# value is asked for).
_horus_walk()
{
    local i is_ended=no
    for ((i = 1; i + 1 < ${#words[@]}; i++)); do
        case $is_ended:${words[i]} in
        no:--) is_ended=yes ;;
        no:--*=*) ;;
        no:-?*)
            [ -n "$(_horus_value "$verb" "${words[i]}")" ] || continue
            i=$((i + 1))
            [ "$((i + 1))" -lt ${#words[@]} ] || option=${words[i - 1]}
            ;;
        *)
            if [ -n "$verb" ]; then
                operand=$((operand + 1))
            elif [[ " $_horus_commands " == *" ${words[i]} "* ]]; then
                verb=${words[i]}
            else
                verb=run
                operand=1
            fi
            ;;
        esac
    done
}

_horus()
{
    local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words=() found=()
    local verb='' operand=0 option='' word breaks='' cut=''
    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=('')
    word=${words[${#words[@]} - 1]}
    _horus_walk
    if [ -n "$option" ]; then
        _horus_offer "$(_horus_value "$verb" "$option")" '' "$word"
    elif [[ $word == --*=* ]]; then
        _horus_offer "$(_horus_value "$verb" "${word%%=*}")" "${word%%=*}=" "${word#*=}"
    elif [[ $word == -* ]]; then
        _horus_offer "$(_horus_options "$verb")" '' "$word"
    elif [ -z "$verb" ]; then
        _horus_offer '@command @file' '' "$word"
    else
        _horus_offer "$(_horus_operand "$verb" "$operand")" '' "$word"
    fi
    [[ $COMP_WORDBREAKS != *:* ]] || breaks+=:
    [[ $COMP_WORDBREAKS != *=* ]] || breaks+='='
    [[ -z $breaks || $word != *[$breaks]* ]] || cut=${word%"${word##*["$breaks"]}"}
    COMPREPLY=("${found[@]#"$cut"}")
    [[ "${found[*]}" != *= ]] || compopt -o nospace 2>/dev/null
}

complete -F _horus horus
