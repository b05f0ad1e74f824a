# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # of whoever sources it
#
# What scripted tests share: a line a case, as scripts/run-tests.sh counts them.
#   subject=sweep                              # what is tested
#   . "$top/tests/support/verdict.sh"
#   verdict "NAME" "$(what is wrong)"          # nothing wrong is ok
#   exit "$failed"
failed=0

verdict() { # NAME FAULTS
    if [ -z "$2" ]; then
        echo "ok - $subject: $1"
    else
        echo "FAIL - $subject: $1"
        printf '%s\n' "$2" | head -n 30
        failed=1
    fi
}
