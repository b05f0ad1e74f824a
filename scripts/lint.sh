#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Static gates over the tree; every finding names file, line and rule.
#   scripts/lint.sh [GATE...]
# Gates: gcc clang format includes size function structure citations banned licence marks names shell
# commits. The limits of `structure` and the folders' line budgets stand in scripts/layers.txt.
set -u
cd "$(dirname "$0")/.." || exit 2
export LC_ALL=C
unset MAKEFLAGS MFLAGS VARIANT BUILD CC OPT CFLAGS LDFLAGS

gates=(gcc clang format includes size function structure citations banned licence marks names shell commits)
file_lines_max=900
function_lines_max=60
complexity_max=15

sources() { find src include tests -name '*.[ch]' | sort; }
scripts() {
    find scripts tests .ci configs -type f \( -name '*.sh' -o -name '*.bash' -o -path '.ci/*' \) | sort
}

# Everything compiles without a warning; kept apart from build/release, so that it is incremental.
compile_strictly() { # COMPILER OPT
    local said
    said=$(make -s -k -j "$(nproc)" CC="$1" OPT="$2" CFLAGS=-Werror BUILD="build/lint-$1" objects \
        2>&1 >/dev/null) && return
    printf '%s\n' "$said" | grep -E '(error|No rule)' || printf '%s\n' "$said"
}
gate_gcc() { compile_strictly gcc -O2; }
gate_clang() { compile_strictly clang -O0; }

gate_format() {
    sources | xargs -r clang-format --dry-run -Werror 2>&1 | grep 'error:' |
        sed 's/error:.*/not as clang-format wants it (make format)/'
    # comments are not reflowed, which breaks tables and examples
    sources | LC_ALL=C.UTF-8 xargs -r grep -nE '^.{101,}' /dev/null |
        sed 's/^\([^:]*:[0-9]*\):.*/\1: over 100 columns/'
}

gate_includes() {
    # shellcheck disable=SC2046 # no blanks in the names of sources
    awk '
        FILENAME == "scripts/layers.txt" {
            if ($1 == "may") for (i = 3; i <= NF; i++) may[$2, $i] = 1
            if ($1 == "may") known[$2] = 1
            if ($1 == "system") {
                limited[$2] = 1
                for (i = 3; i <= NF; i++) system_ok[$2, $i] = 1
            }
            if ($1 == "wall") {
                wall_file[++walls] = $2
                wall_header[walls] = $3
                why = $0
                sub(/^wall +[^ ]+ +[^ ]+ +/, "", why)
                wall_why[walls] = why
            }
            next
        }
        /^[ \t]*#[ \t]*include/ {
            split(FILENAME, part, "/")
            from = part[2]
            header = $0
            sub(/^[^"<]*["<]/, "", header)
            sub(/[">].*/, "", header)
            at = FILENAME ":" FNR ": "
            if ($0 ~ /"/) {
                split(header, part, "/")
                to = part[1]
                if (header ~ /\.def$/ && header !~ /\//) to = from
                if (!(from in known)) print at "floor: folder " from " is not in scripts/layers.txt"
                else if (!((from, to) in may))
                    print at "floor: " from " may not include " to " (" header ")"
                for (w = 1; w <= walls; w++)
                    if (index(FILENAME, wall_file[w]) == 1 && index(header, wall_header[w]) == 1)
                        print at "wall: " header ": " wall_why[w]
            } else if (header ~ /^(cjson\/|csv\.h|gsl\/|zlib\.h|zstd|xxhash\.h|glpk\.h)/) {
                if (header in owner && owner[header] != FILENAME)
                    print at "third party: " header " is already included by " owner[header]
                owner[header] = FILENAME
                if (from == "horus" || from == "policies")
                    print at "third party: " from " may include no library (" header ")"
            } else if (from in limited && !((from, header) in system_ok)) {
                print at "system: " from " may not include <" header ">"
            }
        }' scripts/layers.txt $(find src include -name '*.[ch]' | sort)
}

gate_size() {
    sources | xargs -r awk -v max=$file_lines_max '
        FNR == max + 1 { print FILENAME ":" FNR ": file: more than " max " lines" }'
}

gate_function() {
    find src -name '*.c' | sort | xargs -r pmccabe |
        awk -F'\t' -v lines=$function_lines_max -v complexity=$complexity_max '
            { at = $6; sub(/\(/, ":", at); sub(/\)/, "", at) }
            $5 > lines { print at ": function: " $5 " lines, at most " lines }
            $1 > complexity { print at ": function: cyclomatic " $1 ", at most " complexity }'
}

# Folders, files, line budgets, small functions, names of structures and headers. The top level is fixed,
# and files left by an editor or a merge are not sources.
gate_structure() {
    scripts/measure.py --gate
    git ls-files 2>/dev/null | awk '
        !/\// && !/^(\.clang-format|\.gitignore|LICENSE|Makefile|README\.md)$/ {
            print $0 ":1: structure: no file of the top level" }
        /\// && !/^(\.ci|configs|include|results|scripts|src|tests|traces)\// {
            print $0 ":1: structure: no folder of the top level" }
        /\.(orig|rej|bak)$|~$/ { print $0 ":1: structure: left over by an editor or a merge" }'
}

# A page or a comment may only name files that are in the tree.
gate_citations() { scripts/measure.py --citations; }

# Subjects of the commits since the gate was added: short, and in the imperative.
gate_commits() {
    local since=c2240bb
    git rev-parse --quiet --verify "$since^{commit}" >/dev/null 2>&1 || return
    git log --no-merges --format='%h %s' "$since..HEAD" | awk '
        { hash = $1; sub(/^[^ ]* /, ""); first = $1 }
        length($0) > 72 { print hash ": commit: subject of " length($0) " characters, at most 72: " $0 }
        first !~ /^[A-Z`]/ { print hash ": commit: the subject begins with a capital letter: " $0 }
        first ~ /(ed|ing|[^s]s)$/ && first !~ /^(Embed|Feed|Need|Shed|Speed|Bring|String|Ring|Focus|Canvas)$/ {
            print hash ": commit: the subject is in the imperative (Add, not Added): " $0 }'
}

# Comments and strings are blanked first, so that only code is searched.
gate_banned() {
    find src include -name '*.[ch]' | sort | xargs -r awk '
        function ban(pattern, rule) {
            if (code ~ "(^|[^A-Za-z0-9_.>])(" pattern ")") print FILENAME ":" FNR ": banned: " rule
        }
        FNR == 1 { inside = 0 }
        {
            code = $0
            if (inside) {
                if (!sub(/^.*\*\//, "", code)) next
                inside = 0
            }
            gsub(/\\./, "", code)
            gsub(/"[^"]*"/, "\"\"", code)
            gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
            if (sub(/\/\*.*/, "", code)) inside = 1
            if (code ~ /^[ \t]*#[ \t]*include/) next
            ban("(v?sprintf|strcpy|strcat|strncpy|strncat|strtok|gets|scanf|sscanf) *\\(", "unbounded string call")
            ban("(atoi|atol|atof) *\\(", "number parser without errors: base/timeparse, data/param")
            ban("(rand|srand|random|drand48) *\\(", "random numbers come from base/rng")
            ban("(time|localtime|gmtime|mktime|strftime|setlocale) *\\(", "host time zone or locale")
            ban("(alloca|signal|system|popen|tmpnam) *\\(", "unsafe call")
            ban("float($|[^A-Za-z0-9_])", "float: use double or fixed point")
            if (FILENAME !~ /^src\/cli\//) {
                if (FILENAME != "src/base/memory.c") # hs_fatal
                    ban("(exit|_exit|abort) *\\(", "only src/cli may end the program")
                ban("(getenv|secure_getenv) *\\(", "only src/cli may read the environment")
                ban("(printf|puts|putchar|perror) *\\(", "only src/cli prints")
            }
            if (FILENAME != "src/base/memory.c")
                ban("(malloc|calloc|realloc|free|strdup|strndup|asprintf) *\\(", "memory goes through base/memory.h")
        }'
}

gate_licence() {
    {
        sources
        scripts
        find src tests -name '*.def' -o -name '*.in' -o -name '*.t'
        echo Makefile
    } | sort -u | while read -r file; do
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' ||
            echo "$file:1: licence: no SPDX line at the top"
    done
}

gate_marks() {
    {
        sources
        scripts
        find . -name README.md -not -path './build/*'
        echo Makefile
    } | xargs -r grep -nE '\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b' /dev/null |
        sed 's/^\([^:]*:[0-9]*\):.*/\1: mark: unfinished work belongs in an issue/'
}

gate_names() {
    find src -name '*.[ch]' | sort | awk -F/ '
        seen[$NF]++ { print $0 ":1: name: another file of src/ is called " $NF }'
}

# Also the commands of the cases of the command line, which share a file but have a shell each.
gate_shell() {
    local file
    scripts | xargs -r shellcheck -s bash -S warning -f gcc
    find tests -name '*.t' | sort | while read -r file; do
        sed -E 's/^  [$>]( |$)//; t; s/.*//' "$file" |
            shellcheck -s bash -S warning -e SC2218 -f gcc - | sed "s#^-:#$file:#"
    done
}

run_gate() {
    local found
    found=$("gate_$1")
    if [ -z "$found" ]; then
        printf 'ok   %s\n' "$1"
        return 0
    fi
    printf 'FAIL %s\n%s\n' "$1" "$found"
    return 1
}

[ $# -gt 0 ] || set -- "${gates[@]}"
failed=0
for gate in "$@"; do
    if ! declare -F "gate_$gate" >/dev/null; then
        echo "lint.sh: unknown gate '$gate'; there are: ${gates[*]}" >&2
        exit 2
    fi
    run_gate "$gate" || failed=1
done
exit $failed
