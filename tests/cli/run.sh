#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The command line as a user sees it: runs the cases of tests/cli/*.t and compares the output of each
# command, and its exit code, with the lines below it. tests/README.md has the notation.
#   tests/cli/run.sh [--bless] [NAME|FILE.t]...
# NAME is a case, or a pattern of cases ('csv-*'). --bless writes what the program prints now into
# the files; read the diff before you commit it. JOBS files are run at a time.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${HORUS:=$top/build/release/horus}" "${JOBS:=$(nproc)}"
[[ $HORUS == /* ]] || HORUS=$PWD/$HORUS
export HORUS LC_ALL=C TZ=UTC NO_COLOR=1 TERM=dumb COLUMNS=100
cd "$top/tests/cli" || exit 1

bless=no
if [ "${1-}" = --bless ]; then
    bless=yes
    shift
fi
if [ ! -x "$HORUS" ]; then
    echo "FAIL - cli: no program at $HORUS (run make)"
    exit 1
fi

# A case has a copy of new/; its commands run in the copy's in/ and find the program as `horus`.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/horus-cli.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/bin" "$scratch/new/in"
ln -s "$HORUS" "$scratch/bin/horus"
ln -s "$top/traces" "$top/configs" "$top/tests" "$scratch/new/in"
PATH=$scratch/bin:$PATH

# ---- the output of a command, in the notation ----

# Sets `got` to the lines of file $1.
render() {
    local -a raw
    local text shown tail i byte
    got=()
    mapfile raw <"$1"
    for text in "${raw[@]}"; do
        tail=' (no-eol)'
        [[ $text == *$'\n' ]] && text=${text%$'\n'} tail=
        if [[ $text == *[![:print:]]* || $text == *' ' || $text == ... ||
            $text =~ ^[\$\>\!](\ |$)|^\[[0-9]+\]$|\ \((esc|glob|no-eol)\)$ ]]; then
            shown=
            for ((i = 0; i < ${#text}; i++)); do
                byte=${text:i:1}
                case $byte in
                    \\) byte='\\' ;;
                    $'\t') byte='\t' ;;
                    *)
                        # A character with a meaning in the notation is written by its number, too.
                        if [[ $byte == [![:print:]] || $i -eq 0 && $byte == [\$\>\!\[.] ||
                            $i -eq $((${#text} - 1)) && $byte == ' ' ]]; then
                            printf -v byte '\\x%02x' "'$byte"
                        fi
                        ;;
                esac
                shown+=$byte
            done
            text="$shown (esc)"
        fi
        got+=("$text$tail")
    done
    IFS= read -r -d '' text <"$1" && got+=('a NUL byte, for which there is no notation')
}

# True if `got` from $2 on matches `want` from $1 on.
matches() {
    local w=$1 g=$2
    while [ "$w" -lt ${#want[@]} ]; do
        if [ "${want[w]}" = ... ]; then
            for (( ; g <= ${#got[@]}; g++)); do
                matches $((w + 1)) "$g" && return 0
            done
            return 1
        fi
        [ "$g" -lt ${#got[@]} ] || return 1
        if [[ ${want[w]} == *' (glob)' ]]; then
            # shellcheck disable=SC2053 # the right side is a pattern on purpose
            [[ ${got[g]} == ${want[w]% (glob)} ]] || return 1
        else
            [ "${want[w]}" = "${got[g]}" ] || return 1
        fi
        w=$((w + 1)) g=$((g + 1))
    done
    [ "$g" -eq ${#got[@]} ]
}

# Compares `want` with file $1. If they differ, `want` becomes the output; a line that one of its patterns
# matches remains that pattern.
compare() {
    local text pattern
    local -a patterns=("${want[@]}")
    render "$1"
    matches 0 0 && return 0
    want=()
    for text in "${got[@]}"; do
        for pattern in "${patterns[@]}"; do
            # shellcheck disable=SC2053
            if [[ $pattern == *' (glob)' && $text == ${pattern% (glob)} ]]; then
                text=$pattern
                break
            fi
        done
        want+=("$text")
    done
    return 1
}

# ---- one case: line[$1..$2) of a file ----

# Prints its commands as a script that writes the output of each, and its exit code, into files of $dir.
# Sets begin[k] and end[k]: the expectation of command k is line[begin[k]..end[k]).
parse() {
    local i text k=0 inside=prose
    begin=() end=()
    for ((i = $1; i <= $2; i++)); do
        text=
        [ "$i" -lt "$2" ] && text=${line[i]}
        if [[ $inside == command && $text != '  >'?(' '*) ]]; then
            printf '} >"%s.out" 2>"%s.err"\necho $? >"%s.exit"\n' "$dir/$k" "$dir/$k" "$dir/$k"
            inside=output
        fi
        case $text in
            '  $ '*)
                k=$((k + 1)) inside=command
                printf '{\n%s\n' "${text:4}"
                begin[k]=$((i + 1)) end[k]=$((i + 1))
                ;;
            '  > '* | '  >')
                [ $inside = command ] || fault="line $((i + 1)) continues no command"
                printf '%s\n' "${text:4}"
                begin[k]=$((i + 1)) end[k]=$((i + 1))
                ;;
            '  '*)
                [ $inside = output ] || fault="line $((i + 1)) is expected of no command"
                end[k]=$((i + 1))
                ;;
            '') ;;
            *) inside=prose ;;
        esac
    done
}

# Appends to `now` the lines of command $1 and its present output.
check() {
    local i text code wanted=0 same=yes
    local -a want out=() err=()
    for ((i = begin[$1]; i < end[$1]; i++)); do
        text=${line[i]}
        case $text in
            '  !') err+=('') ;;
            '  ! '*) err+=("${text:4}") ;;
            '   (esc)') out+=('') ;;
            *)
                if [[ $text =~ ^\ \ \[([0-9]+)\]$ ]]; then
                    wanted=${BASH_REMATCH[1]}
                else
                    out+=("${text:2}")
                fi
                ;;
        esac
    done
    want=("${out[@]}")
    compare "$dir/$1.out" || same=no
    out=("${want[@]}") want=("${err[@]}")
    compare "$dir/$1.err" || same=no
    read -r code <"$dir/$1.exit"
    if [ $same = yes ] && [ "$code" = "$wanted" ]; then
        now+=("${line[@]:begin[$1]:end[$1]-begin[$1]}")
        return
    fi
    differs=yes
    for text in "${out[@]}"; do now+=("${text:+  $text}"); done
    [ ${#out[@]} -gt 0 ] && [ -z "$text" ] && now[-1]='   (esc)'
    for text in "${want[@]}"; do now+=("  !${text:+ $text}"); done
    [ "$code" = 0 ] || now+=("  [$code]")
}

run_case() {
    local name=$1 from=$2 to=$3 dir=$scratch/$1 k i=$2 status fault="" differs=no
    local -a begin end
    now=()
    cp -R "$scratch/new" "$dir"
    {
        printf '{ :\n%s} >"%s" 2>&1\n' "$setup" "$dir/setup"
        parse "$from" "$to"
    } >"$dir/script"
    (cd "$dir/in" && exec bash ../script) </dev/null >"$dir/said" 2>&1
    status=$?
    if [ $status -eq 80 ]; then
        echo "skip - cli/$name: $(cat "$dir"/*.out "$dir"/*.err | tail -n 1)"
        now=("${line[@]:from:to-from}")
        return 0
    fi
    [ -s "$dir/setup" ] && fault="what stands above the first case prints: $(cat "$dir/setup")"
    [ -s "$dir/said" ] && fault=$(cat "$dir/said")
    for k in "${!begin[@]}"; do
        if [ -z "$fault" ] && [ ! -e "$dir/$k.exit" ]; then
            fault="command $k ends the shell, exit code $status"
        fi
        if [ -z "$fault" ]; then
            now+=("${line[@]:i:begin[k]-i}")
            check "$k"
            i=${end[k]}
        fi
    done
    now+=("${line[@]:i:to-i}")
    if [ -n "$fault" ]; then
        printf 'FAIL - cli/%s: %s: %s\n' "$name" "$file" "$fault"
    elif [ $differs = no ]; then
        echo "ok - cli/$name"
    elif [ $bless = yes ]; then
        echo "ok - cli/$name blessed"
    else
        diff -u --label "$file" --label now <(printf '%s\n' "${line[@]:from:to-from}") \
            <(printf '%s\n' "${now[@]}") >"$dir/diff"
        printf 'FAIL - cli/%s\n%s\n' "$name" "$(cat "$dir/diff")"
    fi
}

# ---- files ----

# Runs the cases of file $1 that are in `chosen`.
run_file() {
    local file=$1 name="" setup="" from=0 i text
    local -a line now whole=()
    mapfile -t line <"$file"
    for ((i = 0; i <= ${#line[@]}; i++)); do
        text=${line[i]-'# '}
        if [[ $text == '# '* ]]; then
            if [ -n "$name" ] && [ -n "${chosen[$name]-}" ]; then
                run_case "$name" "$from" "$i"
                whole+=("${now[@]}")
            else
                whole+=("${line[@]:from:i-from}")
            fi
            name=${text#'# '} from=$i
        elif [ -z "$name" ] && [[ $text == '  '[\$\>]* ]]; then
            setup+=${text:4}$'\n'
        fi
    done
    if [ $bless = yes ] && [ "${whole[*]}" != "${line[*]}" ]; then
        printf '%s\n' "${whole[@]}" >"$file"
    fi
}

declare -A chosen=() home=()
while IFS=: read -r file name; do
    name=${name#'# '}
    [ -z "${home[$name]-}" ] || echo "FAIL - cli: two cases are called $name" >>"$scratch/faults"
    home[$name]=$file
done < <(grep -H '^# ' ./*.t)
[ $# -gt 0 ] || set -- '*'
for wanted in "$@"; do
    found=no
    for name in "${!home[@]}"; do
        # shellcheck disable=SC2053
        if [[ $name == $wanted || ${home[$name]##*/} == "${wanted##*/}" ]]; then
            chosen[$name]=yes found=yes
        fi
    done
    [ $found = yes ] || echo "FAIL - cli: no case $wanted" >>"$scratch/faults"
done
if [ -e "$scratch/faults" ]; then
    cat "$scratch/faults"
    exit 1
fi

started=0
for file in $(for name in "${!chosen[@]}"; do echo "${home[$name]}"; done | sort -u); do
    ((started++ < JOBS)) || wait -n
    run_file "${file#./}" >"$scratch/$started.said" &
done
wait
for ((i = 1; i <= started; i++)); do cat "$scratch/$i.said"; done
! grep -q '^FAIL - ' "$scratch"/*.said
