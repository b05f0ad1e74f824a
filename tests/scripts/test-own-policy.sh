#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Policies outside the tree: configs/policies/shortest.c, built with the installed headers alone, and
# shortest.py give the schedule of the equivalent built-in sjf; libraries and commands that are no policy
# are refused. HORUS_LONG=1: also one that hangs.
subject=own-policy
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"
example=$top/configs/policies/shortest.c
cd "$work" || exit 1
make -s -C "$top" install-headers DESTDIR= PREFIX="$work/usr" >/dev/null
flags=$(PKG_CONFIG_PATH=$work/usr/lib/pkgconfig pkg-config --cflags horus)

build() { # NAME [SED]: the example, changed
    sed "${2-}" "$example" >"$1.c"
    # shellcheck disable=SC2086 # a list
    cc -Wall -Wextra -Werror -std=c11 -shared -fPIC $flags -o "$1.so" "$1.c"
}

refuses() { # NAME POLICY PATTERN [CODE]
    local said status
    said=$("$HORUS" run jobs.csv -c 16x8:V100 -p "$2" -o refused 2>&1)
    status=$?
    verdict "$1" "$([ $status -eq "${4-3}" ] && [[ $said =~ $3 ]] && [ ! -e refused ] || echo "exit code $status: $said")"
}

"$HORUS" generate --like philly -n 10000 --load 0.9 -c 16x8:V100 -o jobs.csv -q
succeeds "the example builds without a warning" build shortest
for policy in sjf ./shortest.so; do
    "$HORUS" run jobs.csv -c 16x8:V100 -p $policy -o "out-$(basename $policy .so)" --check=full -q >/dev/null
done
succeeds "schedules 10,000 jobs as sjf does" cmp out-sjf/jobs.csv out-shortest/jobs.csv
succeeds "and holds GPUs at the same times" cmp out-sjf/segments.csv out-shortest/segments.csv
succeeds "has its own parameters" sh -c '"$HORUS" policies ./shortest.so | grep -q "^  pred_file"'
succeeds "its run is repeated" sh -c '"$HORUS" rerun out-shortest'
build shortest 's/shortest job first"/another summary"/'
verdict "a library that was built again is told" "$("$HORUS" rerun out-shortest 2>&1 | grep -q 'shortest.so' || echo silence)"

refuses "no file" ./none.so 'cannot be loaded'
refuses "no library" ./jobs.csv 'cannot be loaded'
build nothing '/HS_POLICY_PLUGIN/d; s/^static const struct hs_policy_ops/const struct hs_policy_ops/'
refuses "no policy" ./nothing.so "exports no 'horus_policy'"
build taken 's/\.name = "shortest"/.name = "sjf"/'
refuses "a name that is taken" ./taken.so 'horus has a policy of its name'
build halved 's/^    \.decide = .*//; s/^static enum hs_status shortest_decide/enum hs_status shortest_decide/'
refuses "no decide" ./halved.so 'decide or semantics is missing'
sed -i 's/HS_VERSION "/HS_VERSION "9/' usr/include/horus/horus/version.h
build newer
refuses "another version" ./newer.so 'built for horus 9'

if ! command -v python3 >/dev/null; then
    skip "a policy in another language: no python3"
    exit $failed
fi
succeeds "a command decides" "$HORUS" run jobs.csv -c 16x8:V100 -p "exec:python3 $top/configs/policies/shortest.py" \
    -o out-command --check=full -q
succeeds "as sjf does" cmp out-sjf/segments.csv out-command/segments.csv
succeeds "its run is repeated too" sh -c '"$HORUS" rerun out-command'

# A command in shell: its declaration, then an answer for each instant, the last one repeatedly.
answers() { # DECLARATION ANSWER...
    printf '#!/bin/sh\necho "%s"\nread -r cluster\n' "${1//\"/\\\"}"
    printf 'read -r instant\necho "%s"\n' "${@:2}" | sed 's/"\([a-z]*\)"/\\"\1\\"/g; s/echo \\"/echo "/; s/\\"$/"/'
    printf 'while read -r instant; do echo "{}"; done\n'
}
command_refused() { # NAME PATTERN CODE DECLARATION ANSWER...
    answers "${@:4}" >command.sh
    refuses "$1" 'exec:sh command.sh' "$2" "$3"
}
named='{"name": "own"}'
refuses "a command that says nothing" exec:true 'ended without an answer' 6
refuses "a command that is none" exec:./none.sh 'ended without an answer' 6
refuses "a word that is no JSON" 'exec:echo hallo' 'no JSON object.*standard error' 6
refuses "JSON with a fault" "exec:echo '{]'" 'expected' 6
refuses "an early end" "exec:echo '$named'" 'has ended|ended without' 6
[ -z "${HORUS_LONG:-}" ] || refuses "a command that hangs" "exec:sleep 1000" "no answer within 60 s" 6
command_refused "no name" 'has no "name"' 6 '{}'
command_refused "a name that is taken" 'has a policy of its name' 6 '{"name": "sjf"}'
command_refused "unknown knowledge" '"knows" is a list' 6 '{"name": "own", "knows": ["everything"]}'
command_refused "a job that is not there" 'submitted and' 6 "$named" '{"do": [{"start": 5}]}'
command_refused "an unknown action" 'unknown member "kill"' 6 "$named" '{"do": [{"kill": 0}]}'
command_refused "an action of no job" 'an action is "start"' 6 "$named" '{"do": [{"cost": 0}]}'
command_refused "nodes by another word" 'unknown member "nodes"' 6 "$named" '{"do": [{"start": 0, "nodes": [[0, 1]]}]}'
command_refused "a list by another word" 'unknown member "doo": there are do strict' 6 "$named" '{"doo": []}'
command_refused "no list of actions" '"do" is no list' 6 "$named" '{"do": 1}'
command_refused "a node that is not there" '"on" is no list' 6 "$named" '{"do": [{"start": 0, "on": [[16, 1]]}]}'
command_refused "another gang size" 'whole or not at all' 6 "$named" '{"do": [{"start": 0, "on": [[0, 8], [1, 8]]}]}'
command_refused "a preemption that it may not" 'did not declare' 6 "$named" '{"do": [{"preempt": 0}]}'
command_refused "a timer in the past" '"timer" is no time' 6 "$named" '{"do": [{"timer": -1}]}'
command_refused "jobs that never start" 'waiting although nothing is left' 6 "$named" '{}'
exit $failed
