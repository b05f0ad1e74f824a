#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Completion as a shell calls it. bash: the script is sourced, COMP_LINE, COMP_POINT, COMP_WORDS and
# COMP_CWORD are set as readline splits the line, the function that `complete` names is called, and
# COMPREPLY holds the words to insert. zsh, if installed: a real one in a pseudo-terminal.
subject=completion
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

is() { # NAME EXPECTED SEEN
    verdict "$1" "$([ "$2" = "$3" ] || printf 'expected: %s\nseen:     %s' "$2" "$3")"
}

"$HORUS" help --form=bash >"$work/horus.bash"
"$HORUS" help --form=zsh >"$work/_horus"
mkdir "$work/here" "$work/here/results" && : >"$work/here/sample.csv" && : >"$work/here/spare.json"
cd "$work/here" || exit 1
# shellcheck disable=SC1091
source "$work/horus.bash"

# As readline splits: runs of characters between blanks and the word breaks, which are words, too.
split() { # LINE
    local at rest=$1
    COMP_WORDS=()
    while [ -n "$rest" ]; do
        at=${rest%%[![:space:]]*}
        rest=${rest#"$at"}
        [ -n "$rest" ] || { COMP_WORDS+=(''); break; }
        at=${rest%%[!:=]*}
        [ -n "$at" ] || at=${rest%%[[:space:]:=]*}
        COMP_WORDS+=("$at")
        rest=${rest#"$at"}
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
}

reply() { # LINE: what would be offered behind it, sorted, on one line
    local COMP_WORDBREAKS=$' \t\n"\'><=;|&(:' COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS COMP_CWORD
    local COMPREPLY=() name
    split "$1"
    name=$(complete -p horus)
    name=${name#*-F }
    "${name%% *}" horus "${COMP_WORDS[COMP_CWORD]}" ''
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ' | sed 's/ $//'
}

all_verbs=$("$HORUS" help --form=json | jq -r '.[].name' | sort)
all_policies=$("$HORUS" policies --json | jq -r '.[].name' | sort)
in_line() { tr '\n' ' ' | sed 's/ $//'; }

is "commands and files come first" \
    "$(printf '%s\n' "$all_verbs" results sample.csv spare.json | sort | in_line)" "$(reply 'horus ')"
is "a command that has begun" "compare" "$(reply 'horus com')"
is "a file in the place of a command" "sample.csv" "$(reply 'horus sam')"
is "an option" "--tie-jitter=" "$(reply 'horus run sample.csv --tie')"
is "without a command the options of run" "--tie-jitter=" "$(reply 'horus sample.csv --tie')"
is "a flag has no =" "--dry-run" "$(reply 'horus run --dry')"
is "choices after =" "fast full off" "$(reply 'horus run --check=')"
is "choices that have begun" "fast full" "$(reply 'horus run --check=f')"
is "choices after a blank" "fast full off" "$(reply 'horus run --check ')"
is "a file as the value of a flag" "sample.csv" "$(reply 'horus run -c sam')"
is "an operand behind options with values" "sample.csv spare.json" \
    "$(reply 'horus run -c spare.json --check full -q s')"
is "an operand behind --" "sample.csv" "$(reply 'horus run -- sa')"
is "nothing behind the last operand" "" "$(reply 'horus run sample.csv s')"
is "words of an operand" "assign convert info validate" "$(reply 'horus trace ')"
is "and the file behind them" "sample.csv" "$(reply 'horus trace info sam')"
is "directories alone for runs" "results" "$(reply 'horus verify ')"
is "a trace or a run" "results" "$(reply 'horus compare r')"
is "policies" "$(printf '%s' "$all_policies" | in_line)" "$(reply 'horus run -p ')"
is "policies of which one has begun" "salus salus-fair salus-fifo salus-pack salus-rr salus-srtf" \
    "$(reply 'horus compare -p fifo -p sal')"
is "policies as an operand" "tiresias" "$(reply 'horus policies t')"
# The text before ':' and '=' is not part of readline's word.
is "parameters of a policy" "ageing= class= cost_table= grace= placement= pred= pred_file= pred_last= pred_sigma= pred_unknown= preempt_cost= priority= reclaim= scan= types=" \
    "$(reply 'horus run -p fifo:')"
is "a parameter behind another" "placement=" "$(reply 'horus run --policy=fifo:scan=fit,pl' |
    sed 's/^fit,//')"
is "values of a parameter" "conservative easy fit strict" "$(reply 'horus run -p fifo:scan=')"
is "values of a second parameter" "easy" "$(reply 'horus run -p fifo:pred=noisy,scan=e')"
is "a flag of a policy" "no yes" "$(reply 'horus run -p gandiva:pack=')"
is "a file of a policy" "sample.csv" "$(reply 'horus run -p fifo:pred_file=sam')"
is "an unknown policy has nothing" "" "$(reply 'horus run -p nosuch:')"
is "words of a list" "jobs" "$(reply 'horus run --outputs=jo')"
is "words of a list behind a comma" "jobs,series" "$(reply 'horus run --outputs=jobs,ser')"
is "formats of traces" "helios" "$(reply 'horus run --format hel')"
is "keys of --set" "tie_jitter=" "$(reply 'horus run --set tie')"
is "values of --set" "fast full" "$(reply 'horus run --set check=f')"
is "topics of help" "formats" "$(reply 'horus help fo')"
is "options before a command" "--help --version" "$(reply 'horus --')"
cd "$top" || exit 1

if command -v shellcheck >/dev/null; then
    is "shellcheck passes over the bash script" "" "$(shellcheck -s bash "$work/horus.bash" 2>&1)"
else
    skip "shellcheck over the bash script: shellcheck is not installed"
fi

if command -v fish >/dev/null; then
    "$HORUS" help --form=fish >"$work/horus.fish"
    is "fish reads its script" "" "$(fish --no-execute "$work/horus.fish" 2>&1)"
    fish_offers() { fish -c "source $work/horus.fish; complete -C '$1'" 2>/dev/null | cut -f1 | sort | paste -sd' '; }
    is "fish: commands" "report rerun" "$(fish_offers 'horus re')"
    is "fish: an option" "--tie-jitter" "$(fish_offers 'horus run --tie-j' | tr -d =)"
    is "fish: choices" "--check=fast --check=full" "$(fish_offers 'horus run --check=f')"
    is "fish: an action" "validate" "$(fish_offers 'horus trace val')"
else
    skip "fish: it is not installed"
fi

# A pseudo-terminal with a zsh in it: the line and two tabs are typed, its output is read until every word
# has appeared, for half a minute at most: a busy machine is slow.
zsh_shows() { # LINE WORD...
    (
        cd "$work/here" || exit 1
        zsh -f -c '
            zmodload zsh/zpty
            zpty -b z zsh -f -i
            zpty -w z "PS1=; PS2=; unsetopt zle_bracketed_paste; stty columns 200"
            zpty -w z "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; zstyle \":completion:*\" menu no; LISTMAX=1000"
            zpty -w z "print REA\"\"DY" # the typed line differs from the awaited one
            while zpty -r z line "*READY*"; do [[ $line == *READY* ]] && break; done
            zpty -w -n z "$2"$'"'\\t\\t'"'
            deadline=$(( SECONDS + 30 ))
            text= missing=yes words=("${@:3}")
            while (( SECONDS < deadline )) && [[ -n $missing ]]; do
                if zpty -r -t z line; then text+=$line; else sleep 0.05; fi
                missing=
                for word in $words; do [[ $text == *"$word"* ]] || missing=yes; done
            done
            zpty -d z
            print -r -- $text' zsh "$work" "$@"
    ) 2>/dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g'
}

if ! command -v zsh >/dev/null; then
    skip "zsh: it is not installed"
    exit $failed
fi
is "zsh reads its script" "" "$(zsh -n "$work/_horus" 2>&1)"
shows() { # NAME LINE WORD...
    local name=$1 line=$2 seen word missing=
    shift 2
    seen=$(zsh_shows "$line" "$@")
    for word; do
        case $seen in *"$word"*) ;; *) missing="$missing $word" ;; esac
    done
    is "zsh: $name" "" "${missing:+$missing are missing in: $seen}"
}
shows "commands" "horus " compare "Replay a trace" policies
shows "an option is finished" "horus run --tie-j" --tie-jitter=
shows "choices" "horus run --check=" fast full off
shows "policies" "horus run -p sal" salus-fair salus-rr
shows "parameters of a policy" "horus run -p fifo:p" placement pred_sigma
shows "values of a parameter" "horus run -p fifo:pred=noisy,scan=" easy fit strict
exit $failed
