#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the unfinished points of a sweep with GNU parallel, on one machine or on several that share
# a file system, and gathers. Killed or failed points: the same command again runs what is missing.
#   scripts/sweep-parallel.sh EXPERIMENT.json [-o DIR] [--set KEY=VALUE]... [-j K] [--sshlogin HOSTS]
# -o and --set are those of `horus sweep`; -j and --sshlogin those of parallel: K points at a time on
# each host (default: one a CPU), a host is [NUMBER/][USER@]NAME, `:` is this machine, with commas
# between. HORUS=PATH is the program. DIR/parallel.log has a line a run of the last time.
# Exit 0: every point is done; 1: some are not.
#
# No --resume or --resume-failed: parallel's log identifies points by their position in a list, and would
# skip one with a deleted run or an edited experiment. The list is of unfinished points.
set -eu
# shellcheck source-path=SCRIPTDIR source=sweep-common.sh
. "$(dirname "$0")/sweep-common.sh"

options=()
while [ $# -gt 0 ]; do
    take "$@"
    if [ "$taken" -eq 0 ]; then
        case $1 in -j | --sshlogin) [ $# -ge 2 ] || usage ;; *) usage ;; esac
        options+=("$1" "$2")
        taken=2
    fi
    shift "$taken"
done
parallel --version 2>/dev/null | grep -q '^GNU parallel' || {
    say "needs GNU parallel: package parallel"
    exit 2
}
begin
ask_pending
if [ -n "$pending" ]; then
    mkdir -p "$dir"
    [ ! -t 2 ] || options+=(--bar)
    # Outside Debian parallel prints a notice that requests a citation; scripts/README.md repeats it.
    tr , '\n' <<<"$pending" |
        awk -F - '{ for (i = $1; i <= $NF; i++) print i }' |
        parallel --will-cite --quote --joblog "$dir/parallel.log" --workdir . "${options[@]}" \
            "$horus" sweep "$experiment" -o "$dir" "${settings[@]}" --index '{}' >/dev/null || :
fi
finish
