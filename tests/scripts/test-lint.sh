#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The gates of scripts/lint.sh can fail: a small clean tree passes, and each kind of violation, alone, is
# reported with its file by its gate.
subject=lint
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

tree=$work
spdx='/* SPDX-License-Identifier: GPL-3.0-or-later */'

for tool in clang clang-format pmccabe shellcheck; do
    if ! command -v "$tool" >/dev/null; then
        skip "$tool is not installed (scripts/install-deps.sh lint)"
        exit 0
    fi
done

mkdir -p "$tree"/{scripts,.ci,tests/unit,include/horus} \
    "$tree"/src/{base,traces,model,engine,report,policies,cli}
cp "$top"/scripts/{lint.sh,measure.py,layers.txt,install-deps.sh} "$tree/scripts/"
# Separate limits: those of the tree are lowered along with it.
sed -i 's/^limit single_user_percent .*/limit single_user_percent 25/; s#^budget src/base .*#budget src/base 3300#' \
    "$tree"/scripts/layers.txt
cp "$top/Makefile" "$top/.clang-format" "$tree/"
cd "$tree" || exit 1

put() { # FILE LINE...
    local file=$1
    shift
    printf '%s\n' "$@" >"$file"
}

put include/horus/good.h "$spdx" '#ifndef GOOD_H' '#define GOOD_H' 'struct hs_pair {' '    int x;' '};' \
    'int hs_good(int x);' '#endif'
put src/base/good.c "$spdx" '#include "horus/good.h"' '' '#include <zlib.h>' '' \
    'int hs_good(int x)' '{' '    return x + Z_OK; /* "malloc(1)" and float are only words here */' '}'
for user in one two; do
    put src/base/$user.c "$spdx" '#include "horus/good.h"' '' "const int hs_$user = sizeof(hs_good(0));"
done
for room in model/truth model/interference engine/loop; do
    put "src/$room.h" "$spdx" 'int hs_other(void);'
done

succeeds "a clean tree passes" scripts/lint.sh
[ "$failed" -eq 0 ] || exit 1

seed() { # NAME GATE PATTERN FILE LINE...: the gate must fail and say PATTERN of FILE
    local name=$1 gate=$2 pattern=$3 file=$4 report status
    shift 4
    put "$file" "$@"
    report=$(scripts/lint.sh "$gate")
    status=$?
    rm "$file"
    verdict "$name" "$(
        [ $status -eq 1 ] && grep -F "${place-$file}" <<<"$report" | grep -qE "$pattern" ||
            printf "the gate '%s' ended with %d and said:\n%s\n" "$gate" $status "$report"
    )"
}

include() { # NAME PATTERN FILE HEADER: an include that the floors or walls forbid
    seed "$1" includes "$2" "$3" "$spdx" "#include $4"
}

body() { # a function of N statements
    echo 'int hs_bad(int x)'
    echo '{'
    for ((i = 0; i < $1; i++)); do echo "    $2"; done
    echo '    return x;'
    echo '}'
}

seed "unused variable under gcc" gcc unused src/base/bad.c "$spdx" \
    '#include "horus/good.h"' 'int hs_good(int x)' '{' '    int y = 0;' '    return x;' '}'
seed "implicit narrowing under clang" clang conversion src/base/bad.c "$spdx" \
    '#include "horus/good.h"' 'int hs_good(int x)' '{' '    short y = x;' '    return y;' '}'
seed "wrong layout" format clang-format src/base/bad.c "$spdx" 'int   hs_bad ;'
include "base includes engine" 'floor: base may not include engine' src/base/bad.c '"engine/loop.h"'
include "sideways: traces includes model" 'floor: traces' src/traces/bad.c '"model/truth.h"'
include "sideways: report includes engine" 'floor: report' src/report/bad.c '"engine/loop.h"'
include "public header includes base" 'floor: horus' include/horus/bad.h '"base/good.h"'
include "policy includes model" 'floor: policies' src/policies/bad.c '"model/truth.h"'
include "policy includes stdio" 'system: policies' src/policies/bad.c '<stdio.h>'
include "verify includes model" 'wall: model/truth.h' src/report/verify_bad.c '"model/truth.h"'
include "predictor includes interference" 'wall: model/interference.h' src/model/predictor.c \
    '"model/interference.h"'
include "library in two files" 'third party: zlib.h' src/base/worse.c '<zlib.h>'
mapfile -t lines < <(printf 'extern int hs_%d;\n' {1..900})
seed "long file" size 'more than 900 lines' src/base/bad.c "$spdx" "${lines[@]}"
mapfile -t lines < <(body 60 'x++;')
seed "long function" function '64 lines' src/base/bad.c "$spdx" "${lines[@]}"
mapfile -t lines < <(body 15 'x += x > 0 ? 1 : 2;')
seed "tangled function" function 'cyclomatic 16' src/base/bad.c "$spdx" "${lines[@]}"
for call in 'sprintf(a, b)' 'strtok(a, b)' 'atoi(a)' 'rand()' 'time(NULL)' 'localtime(a)' \
    'setlocale(1, a)' 'alloca(1)' 'malloc(1)' 'exit(1)' 'getenv(a)' 'printf(a)'; do
    seed "call of $call" banned 'banned' src/base/bad.c "$spdx" "int x = $call;"
done
seed "structure of another's name" structure 'struct hs_pair is defined' src/base/bad.c "$spdx" \
    'struct hs_pair {' '    int y;' '};'
seed "header of another's name" structure 'another header' src/model/good.h "$spdx"
place=src:1 seed "functions without users" structure 'at most one user' src/base/bad.c "$spdx" \
    'int hs_bad(void)' '{' '    return 1;' '}'
mapfile -t lines < <(printf 'extern int hs_%d;\n' {1..3300})
place=src/base:1 seed "folder over its budget" structure 'budget: 33[0-9]* lines' src/base/bad.c "${lines[@]}"
if command -v git >/dev/null; then
    git init -q .
    for file in in.csv src/base/good.c.orig; do
        : >"$file"
        git add "$file"
        seed "left over: $file" structure 'no file of the top level|left over' "$file" ''
        git rm -q --cached "$file"
    done
else
    skip "files that are left over" "no git"
fi
seed "citation of a file that is not there" citations 'no nowhere.md' src/base/bad.c "$spdx" \
    '/* As nowhere.md says. */'
seed "float" banned 'float' src/base/bad.c "$spdx" 'float x;'
seed "no licence" licence 'SPDX' src/base/bad.c 'int x;'
seed "no licence in a script" licence 'SPDX' scripts/bad.sh '#!/bin/sh'
seed "unfinished mark" marks 'unfinished' src/base/bad.c "$spdx" '/* TO''DO: later */'
seed "two files of one name" names 'name' src/report/good.c "$spdx"
seed "script with an unquoted pitfall" shell 'SC2068' scripts/bad.sh '#!/bin/sh' \
    '# SPDX-License-Identifier: GPL-3.0-or-later' 'ls $@'
exit $failed
