#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Prints the C table of the files that are compiled into the program (src/base/io.c).
#   scripts/embed.sh configs FILE...      FILE is below configs; it is named without that folder
set -eu
export LC_ALL=C
root=$1
shift
count=0
for file in "$@"; do
    printf 'static const unsigned char builtin_%d[] = {\n' "$count"
    od -An -v -tu1 "$file" | sed 's/  */,/g; s/^,//; s/$/,/'
    printf '0};\n'
    count=$((count + 1))
done
printf 'static const struct hs_builtin builtin_files[] = {\n'
count=0
for file in "$@"; do
    name=${file#"$root"/}
    printf '{"builtin:%s", "%s", (const char *)builtin_%d, sizeof builtin_%d - 1},\n' \
        "$name" "$name" "$count" "$count"
    count=$((count + 1))
done
printf '{NULL, NULL, NULL, 0}};\n'
