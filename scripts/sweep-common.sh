# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Common code of the launchers sweep-parallel.sh and sweep-slurm.sh; they source it. Only `horus sweep`
# decides which points are done, from the runs themselves: a launcher's own record is never used.

say() { echo "$(basename "$0"): $*" >&2; }

usage() {
    sed -n 's/^#   /usage: /p' "$0" >&2
    exit 2
}

# shellcheck disable=SC2034 # for the scripts that source this
# The program: $HORUS, otherwise that of this tree, otherwise that in PATH; by its absolute name, since a
# shell on another machine looks it up.
find_horus() {
    horus=${HORUS-}
    [ -n "$horus" ] || horus=$(dirname "${BASH_SOURCE[0]}")/../build/release/horus
    [ -x "$horus" ] || [ -n "${HORUS-}" ] || horus=$(command -v horus) || horus=
    [ -x "$horus" ] || {
        say "no program ${HORUS:-horus}; run make, or say where it is: HORUS=/path/to/horus"
        exit 2
    }
    horus=$(realpath "$horus")
}

sweep() { "$horus" sweep "$experiment" -o "$dir" "${settings[@]}" "$@"; }

# Parses the next of the options of both, EXPERIMENT.json -o DIR --set KEY=VALUE; taken: its number of
# words, 0 if it is none of these.
experiment=
dir=
settings=()
# shellcheck disable=SC2034 # taken is for the scripts that source this
take() { # WORD...
    taken=2
    case $1 in
    -o | --set) [ $# -ge 2 ] || usage ;;
    esac
    case $1 in
    -o) dir=$2 ;;
    --set) settings+=("$1" "$2") ;;
    -*) taken=0 ;;
    *)
        [ -z "$experiment" ] || usage
        experiment=$1
        taken=1
        ;;
    esac
}

# Sets horus and, unless -o gave it, dir: the program determines the sweep's directory.
begin() {
    local first words=()
    [ -n "$experiment" ] || usage
    find_horus
    [ -z "$dir" ] || return 0
    first=$("$horus" sweep "$experiment" --list) || exit
    eval "words=(${first%%$'\n'*})" # a shell command: horus sweep EXPERIMENT -o DIR --index 1
    dir=${words[4]}
}

# Sets pending: the unfinished points, "3,7,9-12".
ask_pending() { pending=$(sweep --pending) || exit; }

# Writes the tables of the sweep and prints its state; the script's last command.
finish() {
    sweep --gather || exit
    ask_pending
    [ -z "$pending" ] && return
    say "not done: $pending (horus sweep $experiment -o $dir --status says why); the same command again resumes"
    exit 1
}
