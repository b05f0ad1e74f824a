#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The gates of scripts/lint.sh can fail: a small clean tree passes, and each kind of violation,
# seeded alone, is named with its file by the gate that is meant for it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/horus-lint.XXXXXX") || exit 1
trap 'rm -rf "$tree"' EXIT
spdx='/* SPDX-License-Identifier: GPL-3.0-or-later */'
failed=0

for tool in clang clang-format pmccabe shellcheck; do
    if ! command -v "$tool" >/dev/null; then
        echo "skip - lint: $tool is not installed (scripts/install-deps.sh lint)"
        exit 0
    fi
done

mkdir -p "$tree"/{scripts,.ci,tests/unit,include/horus} \
    "$tree"/src/{base,traces,model,engine,report,policies,cli}
cp "$top"/scripts/{lint.sh,layers.txt,install-deps.sh} "$tree/scripts/"
cp "$top/Makefile" "$top/.clang-format" "$tree/"
cd "$tree" || exit 1

put() { # FILE LINE...
    local file=$1
    shift
    printf '%s\n' "$@" >"$file"
}

put include/horus/good.h "$spdx" '#ifndef GOOD_H' '#define GOOD_H' 'int hs_good(int x);' '#endif'
put src/base/good.c "$spdx" '#include "horus/good.h"' '' '#include <zlib.h>' '' \
    'int hs_good(int x)' '{' '    return x + Z_OK; /* "malloc(1)" and float are only words here */' '}'
for room in model/truth model/interference engine/loop; do
    put "src/$room.h" "$spdx" 'int hs_other(void);'
done

if report=$(scripts/lint.sh); then
    echo "ok - lint: a clean tree passes"
else
    echo "FAIL - lint: a clean tree passes"
    printf '%s\n' "$report"
    exit 1
fi

seed() { # NAME GATE PATTERN FILE LINE...: the gate must fail and say PATTERN of FILE
    local name=$1 gate=$2 pattern=$3 file=$4 report status
    shift 4
    put "$file" "$@"
    report=$(scripts/lint.sh "$gate")
    status=$?
    rm "$file"
    if [ $status -eq 1 ] && printf '%s\n' "$report" | grep -F "$file" | grep -qE "$pattern"; then
        echo "ok - lint: $name"
    else
        echo "FAIL - lint: $name: the gate '$gate' ended with $status and said:"
        printf '%s\n' "$report"
        failed=1
    fi
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
mapfile -t lines < <(printf 'extern int hs_%d;\n' {1..500})
seed "long file" size 'more than 500 lines' src/base/bad.c "$spdx" "${lines[@]}"
mapfile -t lines < <(body 80 'x++;')
seed "long function" function '84 lines' src/base/bad.c "$spdx" "${lines[@]}"
mapfile -t lines < <(body 15 'x += x > 0 ? 1 : 2;')
seed "tangled function" function 'cyclomatic 16' src/base/bad.c "$spdx" "${lines[@]}"
for call in 'sprintf(a, b)' 'strtok(a, b)' 'atoi(a)' 'rand()' 'time(NULL)' 'localtime(a)' \
    'setlocale(1, a)' 'alloca(1)' 'malloc(1)' 'exit(1)' 'getenv(a)' 'printf(a)'; do
    seed "call of $call" banned 'banned' src/base/bad.c "$spdx" "int x = $call;"
done
seed "float" banned 'float' src/base/bad.c "$spdx" 'float x;'
seed "no licence" licence 'SPDX' src/base/bad.c 'int x;'
seed "no licence in a script" licence 'SPDX' scripts/bad.sh '#!/bin/sh'
seed "unfinished mark" marks 'unfinished' src/base/bad.c "$spdx" '/* TO''DO: later */'
seed "two files of one name" names 'name' src/report/good.c "$spdx"
seed "script with an unquoted pitfall" shell 'SC2068' scripts/bad.sh '#!/bin/sh' \
    '# SPDX-License-Identifier: GPL-3.0-or-later' 'ls $@'
exit $failed
