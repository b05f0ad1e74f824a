# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the launchers sweep-parallel.sh and sweep-slurm.sh share; they source it. Which points are
# done is asked of `horus sweep` alone, which looks at the runs themselves: no launcher's own record
# is believed.

say() { echo "$(basename "$0"): $*" >&2; }

usage() {
    sed -n 's/^#   /usage: /p' "$0" >&2
    exit 2
}

# shellcheck disable=SC2034 # for the scripts that source this
# The program: $HORUS, else that of this tree, else that in PATH; by its absolute name, since another
# machine's shell looks for it.
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

# Of what both take, EXPERIMENT.json -o DIR --set KEY=VALUE, the next; taken: how many words it was,
# 0 if none of these.
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

# Sets horus and, unless -o gave it, dir: the program knows where the sweep would go.
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

# Writes the tables of the sweep and says how it stands; the script's last command.
finish() {
    sweep --gather || exit
    ask_pending
    [ -z "$pending" ] && return
    say "not done: $pending (horus sweep $experiment -o $dir --status says why); the same command again resumes"
    exit 1
}
