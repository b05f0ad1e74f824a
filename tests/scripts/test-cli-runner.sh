#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tests/cli/run.sh notices each kind of difference, and --bless writes what then passes.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/horus-golden.XXXXXX") || exit 1
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{tests/cli/cases,traces,configs}
cp "$top/tests/cli/run.sh" "$tree/tests/cli/"
cases=$tree/tests/cli/cases
failed=0
export HORUS=/bin/echo

golden() { # NAME EXTENSION TEXT
    printf '%b' "$3" >"$cases/$1.$2"
}

expect() { # STATUS WORDS RUN-ARGUMENT...
    local want=$1 words=$2 said status
    shift 2
    said=$("$tree/tests/cli/run.sh" "$@" 2>&1)
    status=$?
    if [ $status -eq "$want" ] && printf '%s\n' "$said" | grep -q -- "$words"; then
        echo "ok - cli runner: $* gives '$words'"
    else
        echo "FAIL - cli runner: $*: status $status"
        printf '%s\n' "$said"
        failed=1
    fi
}

# shellcheck disable=SC2016 # the case expands it
golden hello sh '"$HORUS" hello; echo oops >&2; exit 3\n'
expect 1 "FAIL - cli/hello" hello
expect 1 "^+oops" hello
expect 1 "exit code 3, expected 0" hello
expect 0 "blessed, exit 3" --bless hello
expect 0 "^ok - cli/hello" hello
golden hello stdout 'hallo\n'
expect 1 "^-hallo" hello
rm "$cases/hello.stdout"
golden hello stdout.glob '...\nh*o\n'
expect 0 "^ok - cli/hello" hello
golden hello stdout.glob 'h*o\nmore\n'
expect 1 "FAIL - cli/hello" hello
rm "$cases/hello.stdout.glob"
golden hello stdout.ignore ''
expect 0 "^ok - cli/hello" hello
golden folder sh 'ls\n'
golden folder stdout 'configs\ntests\ntraces\n'
expect 0 "^ok - cli/folder"
exit $failed
