#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Starts a policy: src/policies/FAMILY/NAME.c from the template and one line in policies.def. The new
# policy works (first come, first served) and is already under the conformance tests.
#   scripts/new-policy.sh NAME [FAMILY]     or: make new-policy NAME=foo-bar [FAMILY=simple]
set -eu
cd "$(dirname "$0")/.."
name=${1-}
folder=src/policies/${2:-simple}
if ! [[ $name =~ ^[a-z][a-z0-9_-]{0,30}$ ]]; then
    echo "usage: make new-policy NAME=foo-bar   (lower case letters, digits, hyphens)" >&2
    exit 2
fi
if [ ! -d "$folder" ]; then
    echo "new-policy: there is no folder $folder; FAMILY is one of: $(cd src/policies && echo */)" >&2
    exit 2
fi
symbol=${name//-/_}
file=$folder/$symbol.c
for taken in src/*/"$symbol".c src/*/*/"$symbol".c; do
    if [ -e "$taken" ]; then
        echo "new-policy: $taken exists: choose another name" >&2
        exit 2
    fi
done
if grep -qx "POLICY($symbol)" src/policies/policies.def; then
    echo "new-policy: there is a policy $name already ('horus policies $name'): choose another name" >&2
    exit 2
fi
sed "s/\"@NAME@\"/\"$name\"/; s/^ \* @NAME@:/ * $name:/; s/@NAME@/$symbol/g" src/policies/template.c.in >"$file"
echo "POLICY($symbol)" >>src/policies/policies.def
cat <<TEXT
$file is a working policy. Now:
  make && build/release/horus run traces/sample.csv -p $name
  make check            # the conformance tests run over it
Write what is new in its decide(); its parameters, help and manifest come from its tables.
TEXT
