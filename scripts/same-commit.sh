#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does a program give the same bytes as an earlier commit? Builds that commit in a worktree of its
# own, which is gone afterwards, and has same-results.sh compare the two.
#   scripts/same-commit.sh COMMIT PROGRAM [WORD]     WORD: only cases that contain it
set -eu
cd "$(dirname "$0")/.."
usage="usage: same-commit.sh COMMIT PROGRAM [WORD] (make same BASE=COMMIT)"
commit=$(git rev-parse --verify --quiet "${1:?$usage}^{commit}") || {
    echo "same-commit.sh: there is no commit '$1'" >&2
    exit 2
}
program=$(realpath "${2:?$usage}")
unset MAKEFLAGS MFLAGS MAKELEVEL VARIANT BUILD CC OPT CFLAGS LDFLAGS
tree=$(mktemp -d "${TMPDIR:-/tmp}/horus-commit.XXXXXX")
trap 'git worktree remove --force "$tree/base"; rm -rf "$tree"' EXIT
git worktree add -q --detach "$tree/base" "$commit"
echo "building $(git describe --always --tags "$commit")" >&2
make -C "$tree/base" -s -j "$(nproc)" build/release/horus >&2
scripts/same-results.sh "$tree/base/build/release/horus" "$program" "${@:3}"
