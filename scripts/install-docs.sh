#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Installs completions and manual pages where bash, zsh, fish and man search for them, and below doc/horus
# the files of the examples and recipes, under the same paths as in the tree. Without scdoc there are no
# manual pages, with a message.
#   scripts/install-docs.sh PROGRAM FOLDER     FOLDER: /usr/local/share, say
set -eu
if [ $# -ne 2 ]; then
    echo "usage: scripts/install-docs.sh PROGRAM FOLDER" >&2
    exit 2
fi
horus=$(realpath "$1")
folder=$(realpath -m "$2")
cd "${BASH_SOURCE[0]%/*}/.."
pages=$(mktemp -d "${TMPDIR:-/tmp}/horus-man.XXXXXX")
trap 'rm -rf "$pages"' EXIT

"$horus" help --form=bash >"$pages/horus"
"$horus" help --form=zsh >"$pages/_horus"
"$horus" help --form=fish >"$pages/horus.fish"
install -D -m 644 "$pages/horus.fish" "$folder/fish/vendor_completions.d/horus.fish"
install -D -m 644 "$pages/horus" "$folder/bash-completion/completions/horus"
install -D -m 644 "$pages/_horus" "$folder/zsh/site-functions/_horus"
for file in results/RECIPES.md results/README.md traces/sample* configs/mappings/* configs/policies/* \
    configs/sweeps/* scripts/horus_runs.py src/policies/README.md; do
    install -D -m 644 "$file" "$folder/doc/horus/$file"
done
if ! command -v scdoc >/dev/null; then
    echo "install-docs.sh: no manual pages: scdoc is not installed (make man installs it)" >&2
    exit 0
fi
scripts/man.sh "$horus" "$pages/man"
for page in "$pages"/man/*; do
    install -D -m 644 "$page" "$folder/man/man${page##*.}/${page##*/}"
done
