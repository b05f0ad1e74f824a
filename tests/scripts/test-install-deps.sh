#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# scripts/install-deps.sh on a simulated machine: dpkg-query, id, sudo and apt-get are stand-ins that come
# first in PATH and record their calls.
subject=install-deps
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

mkdir "$work/bin"
export PATH="$work/bin:$PATH"

stand_in() { # NAME LINE...
    local file=$work/bin/$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$file"
    chmod +x "$file"
}

case_is() { # NAME STATUS PATTERN-OF-CALLS PATTERN-OF-WORDS GROUP...
    local name=$1 want=$2 calls=$3 words=$4 said status
    shift 4
    echo start >"$work/calls"
    said=$("$top/scripts/install-deps.sh" "$@" 2>&1)
    status=$?
    verdict "$name" "$(
        [ $status -eq "$want" ] && grep -qE "$calls" "$work/calls" && grep -qE "$words" <<<"$said" ||
            printf 'status %d, calls:\n%s\n%s\n' $status "$(cat "$work/calls")" "$said"
    )"
}

stand_in apt-get "echo \"apt-get \$*\" >>'$work/calls'"
stand_in sudo "echo \"sudo \$*\" >>'$work/calls'" 'exit 1'
stand_in id 'echo 1000'

stand_in dpkg-query "echo \"query \$*\" >>'$work/calls'" 'echo installed'
case_is "all present: asks dpkg, calls nothing else" 0 '^query.*slurm-wlm' '' build check lint cov man plot sweep
verdict "all present: no apt-get, no sudo" "$(grep -E '^(apt-get|sudo)' "$work/calls")"

stand_in dpkg-query "case \$* in *libcsv-dev) exit 1 ;; *) echo installed ;; esac"
case_is "a user without sudo gets the exact command" 1 '^sudo -n true' \
    "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends libcsv-dev'$" build
case_is "what tests can do without is no failure" 0 '^sudo -n true' 'their tests are skipped' check --or-skip build
case_is "what they cannot do without is one" 1 '^sudo -n true' 'Run, then try again' build --or-skip check
case_is "--print says the command and changes nothing" 0 '' 'install .* libcsv-dev' --print build
stand_in id 'echo 0'
case_is "root installs what is missing, and only that" 0 \
    '^apt-get -q install -y --no-install-recommends libcsv-dev$' 'Installing: libcsv-dev$' build
stand_in apt-get 'exit 100'
case_is "a failing apt-get is none where tests skip" 0 '' 'apt-get failed' check --or-skip build
case_is "a failing apt-get is a failure" 1 '' 'apt-get failed; the command was' build
case_is "an unknown group is refused" 2 '' "unknown group 'everything'" everything
exit $failed
