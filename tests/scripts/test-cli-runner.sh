#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tests/cli/run.sh detects each kind of difference, down to a byte, and files written by --bless pass. The
# program is a script here, which prints its arguments.
subject='cli runner'
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

tree=$work
mkdir -p "$tree"/{tests/cli,traces,configs}
cp "$top/tests/cli/run.sh" "$tree/tests/cli/"
export HORUS=$tree/program
cases=0
# shellcheck disable=SC2016 # for the program
printf '%s\n' '#!/bin/sh' 'printf "$1"; printf "${2-}" >&2; exit "${3-0}"' >"$HORUS"
chmod +x "$HORUS"

# Standard input is written into sample.t; the runner is called with the rest.
expect() { # NAME STATUS WORDS RUN-ARGUMENT...
    local said status
    cat >"$tree/tests/cli/sample.t"
    said=$("$tree/tests/cli/run.sh" "${@:4}" 2>&1)
    status=$?
    verdict "$1" "$(
        [ $status -eq "$2" ] || echo "status $status, expected $2"
        printf '%s\n' "$said" | grep -qF -- "$3" || printf "no '%s' in:\n%s\n" "$3" "$said"
    )"
}

# Of one command: `horus hello\n oops\n 3`, a line on each stream, and an exit code.
one() { # EXPECTED-LINE...
    echo '# one'
    echo "  \$ horus 'hello\\n' 'oops\\n' 3"
    [ $# -eq 0 ] || printf '  %s\n' "$@"
}
one hello '! oops' '[3]' | expect "what is expected" 0 'ok - cli/one'
one '! oops' hello '[3]' | expect "streams in another order" 0 'ok - cli/one'
one hullo '! oops' '[3]' | expect "another byte on standard output" 1 '-  hullo'
one hello '! ooops' '[3]' | expect "another byte on standard error" 1 '+  ! oops'
one hello '! oops' '[4]' | expect "another exit code" 1 '+  [3]'
one hello '! oops' | expect "an exit code where none is expected" 1 '+  [3]'
one hello oops '[3]' | expect "the other stream" 1 '+  ! oops'
one '! oops' '[3]' | expect "a line too many" 1 '+  hello'
one hello hello '! oops' '[3]' | expect "a line too few" 1 '-  hello'
one 'hello ' '! oops' '[3]' | expect "a blank at the end" 1 '-  hello '
one 'h*o (glob)' '! ...' '[3]' | expect "patterns" 0 'ok - cli/one'
one 'h*x (glob)' '! ...' '[3]' | expect "a pattern of something else" 1 '+  hello'
one ... hello ... '! ...' '[3]' | expect "any lines, also none" 0 'ok - cli/one'
one ... '! oops' '[3]' '! more' | expect "a stream that is compared beside one that is not" 1 '-  ! more'
printf '%s\n' '# one' "  \$ horus 'a\\n\\nb\\n\\n'" '  a' '' '  b' '   (esc)' '' 'Prose.' |
    expect "empty lines within and at the end" 0 'ok - cli/one'
printf '%s\n' '# one' "  \$ horus 'a\\n'" '  a' '' "  \$ horus 'b\\n'" '  b' |
    expect "an empty line before a command" 0 'ok - cli/one'
printf '%s\n' '# one' "  \$ horus 'a\\n\\n'" '  a' '' "  \$ horus 'b\\n'" '  b' |
    expect "an empty line that is printed" 1 '+   (esc)'
printf '%s\n' '# one' '  $ ls' '  configs' '  tests' '  traces' | expect "the folder" 0 'ok - cli/one'
printf '%s\n' '# one' '  $ ls; cd tests' '  ...' '  $ [ "$PWD" = "$OLDPWD/tests" ]' |
    expect "commands in one shell" 0 'ok - cli/one'
printf '%s\n' '  $ say=yes' '# one' '  $ horus "$say\n"' '  yes' '# two' '  $ ls no || say=no' '  ! ...' \
    '# three' '  $ horus "$say\n"' '  yes' | expect "commands above the cases" 0 'ok - cli/three'
printf '%s\n' '  $ ls nowhere' '# one' '  $ :' | expect "a fault above the cases" 1 'above the first case'
printf '%s\n' '# one' '  $ (' | expect "what bash cannot read" 1 'syntax error'
printf '%s\n' '# one' '  $ exit 3' '  [3]' '  $ :' | expect "a shell that ends" 1 'ends the shell'
printf '%s\n' '# one' '  $ echo no tape; exit 80' | expect "a case that skips itself" 0 'skip - cli/one: no tape'
printf '%s\n' '# one' '  stray' | expect "output of no command" 1 'of no command'
printf '%s\n' '# one' '  $ :' '# one' '  $ :' | expect "a name twice" 1 'two cases'
printf '%s\n' '# one' '  $ false' '# two' '  $ :' | expect "a case by its name" 0 'ok - cli/two' two
printf '%s\n' '# one' '  $ :' '# two' '  $ :' | expect "a file" 0 'ok - cli/two' sample.t
printf '%s\n' '# one' '  $ :' | expect "a case that is not there" 1 'no case three' three

# Every byte that is not plain text is written visibly, and matches the printed byte.
{
    echo 'Above.'
    for text in ' $ a\n' '$ a\n' '> a\n' '! a\n' '[3]\n' '...\n' 'a \n' 'a (glob)\n' 'a (esc)\n' \
        'a\tb\\c\n' '\001\377\n' '\n\na\n\n' 'no end' '\n'; do
        printf '# case-%d\nProse.\n\n  $ horus %q %q 4\n\n' $((++cases)) "$text" "$text"
    done
} >"$tree/sample"
expect "what is written by --bless" 0 blessed --bless <"$tree/sample"
cp "$tree/tests/cli/sample.t" "$tree/blessed"
expect "what was written passes" 0 'ok - cli/case-14' <"$tree/blessed"
verdict "all else remains" "$(grep -v '^  ' "$tree/sample" | uniq | diff - <(grep -v '^  ' "$tree/blessed" | uniq))"
verdict "everything can be seen" "$(grep -nE '[^ -~]| $' "$tree/blessed")"
for line in '  a\x20 (esc)' '  a\tb\\c (esc)' '  \x01\xff (esc)' '  no end (no-eol)' '  \x24 a (esc)' \
    '  \x2e.. (esc)' '  ! no end (no-eol)' '  [4]'; do
    verdict "notation $line" "$(grep -qxF -- "$line" "$tree/blessed" || cat "$tree/blessed")"
done
sed 's/^  \\x01\\xff (esc)$/  \\x01\\xfe (esc)/' "$tree/blessed" | expect "a byte of such a line" 1 '-  \x01\xfe'
sed 's/^  no end (no-eol)$/  no end/' "$tree/blessed" | expect "a missing end of line" 1 '+  no end (no-eol)'
printf '%s\n' '# one' "  \$ horus 'now 5\\nthen 6\\n'" '  now * (glob)' '  then 5' |
    expect "a pattern that still matches" 0 blessed --bless
verdict "remains a pattern" "$(sed -n 3,4p "$tree/tests/cli/sample.t" | diff - <(printf '  %s\n' 'now * (glob)' 'then 6'))"
exit "$failed"
