# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# For scripted tests that kill: the running processes, by /proc alone.
#   . "$top/tests/support/processes.sh"
#   kill -KILL $(processes_of session "$!")

# One PID a line, without processes that have ended but were not waited for.
processes_of() { # parent|session PID
    local stat line state parent session
    for stat in /proc/[0-9]*/stat; do
        { read -r line <"$stat"; } 2>/dev/null || continue
        # shellcheck disable=SC2034 # parent and session are read by the name that is asked for
        read -r state parent _ session _ <<<"${line##*) }" # after the name, which may contain anything
        [ "${!1}" != "$2" ] || [ "$state" = Z ] || echo "${line%% *}"
    done
}
