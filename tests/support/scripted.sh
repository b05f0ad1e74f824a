# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # of the script that sources it
#
# The beginning of every scripted test, after `subject=WHAT`, which its lines name:
#   . "$(dirname "$0")/../support/scripted.sh"
# It sets $top (the tree, the working folder), $work (a scratch folder, removed at the end), $HORUS
# (the program), $HORUS_DATA (third-party data, if it is there), $failed, and locale, time zone and
# width. A case is a line, as scripts/run-tests.sh counts it:
#   verdict NAME "$(what is wrong)"          nothing wrong is ok
#   succeeds NAME COMMAND...                 shows what a failing command prints
#   skip WHAT: WHY
#   exit "$failed"
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${HORUS:=$top/build/release/horus}"
[[ $HORUS == /* ]] || HORUS=$PWD/$HORUS
: "${HORUS_DATA:=$top/../shared/data}"
[ ! -d "$HORUS_DATA" ] || HORUS_DATA=$(cd "$HORUS_DATA" && pwd)
export HORUS HORUS_DATA LC_ALL=C TZ=UTC NO_COLOR=1 COLUMNS=100
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 1
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

succeeds() { # NAME COMMAND...
    local said
    said=$("${@:2}" 2>&1) && said= || said="exit code $?"$'\n'$said
    verdict "$1" "$said"
}

skip() { echo "skip - $subject: $*"; }

# Sets $shim, the library that makes calls of the program fail; prints why it cannot be used.
need_shim() {
    shim=$(dirname "$HORUS")/faults.so
    case $("$HORUS" version --verbose) in
    *-fsanitize* | *--coverage*) echo "sanitizers have an allocator of their own, and coverage calls of its own" ;;
    *) [ -e "$shim" ] || echo "no $shim: make tests" ;;
    esac
}
