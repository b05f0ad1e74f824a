# SPDX-License-Identifier: GPL-3.0-or-later
#
# zsh completion: the functions behind the tables that `horus help --form=zsh` prints (src/cli/help.c).
# This comment is left out of the script.

# WORDS...: what the value may be
_horus_value()
{
    local word
    local -a values
    for word; do
        case $word in
        @none) _message value ;;
        @file) _files ;;
        @dir) _files -/ ;;
        @command) compadd -- ${=_horus_commands} ;;
        @policy) _horus_policy ;;
        @setting) _horus_setting ;;
        @list) compset -P '*,' ;;
        *) values+=($word) ;;
        esac
    done
    (( ! $#values )) || compadd -- $values
}

# name, or name:key=value,key=value
_horus_policy()
{
    local name=${PREFIX%%:*} key
    if [[ $PREFIX != *:* ]]; then
        compadd -- ${=_horus_policies}
        return
    fi
    compset -P 1 '*:'
    compset -P '*,'
    if [[ $PREFIX == *=* ]]; then
        key=${PREFIX%%=*}
        compset -P 1 '*='
        _horus_value ${=$(_horus_choices $name $key)}
    else
        compadd -S = -- ${=$(_horus_params $name)}
    fi
}

# key=value of a configuration
_horus_setting()
{
    if [[ $PREFIX == *=* ]]; then
        compset -P 1 '*='
        _message value
    else
        compadd -S = -- ${=$(_horus_keys $_horus_verb)}
    fi
}

_horus()
{
    local _horus_verb=run
    if (( CURRENT == 2 )); then
        _describe -t commands command _horus_described
        _files
        return
    fi
    if (( $+functions[_horus_command_$words[2]] )); then
        _horus_verb=$words[2]
        shift words
        (( CURRENT-- ))
    fi
    _horus_command_$_horus_verb
}

if [ "$funcstack[1]" = _horus ]; then
    _horus "$@"
else
    compdef _horus horus
fi
