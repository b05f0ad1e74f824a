#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Puts completions and manual pages where bash, zsh, fish and man look for them. Without scdoc there are
# no manual pages, which is said.
#   scripts/install-docs.sh PROGRAM FOLDER     FOLDER: /usr/local/share, say
set -eu
if [ $# -ne 2 ]; then
    echo "usage: scripts/install-docs.sh PROGRAM FOLDER" >&2
    exit 2
fi
horus=$1
folder=$2
pages=$(mktemp -d "${TMPDIR:-/tmp}/horus-man.XXXXXX")
trap 'rm -rf "$pages"' EXIT

"$horus" help --form=bash >"$pages/horus"
"$horus" help --form=zsh >"$pages/_horus"
"$horus" help --form=fish >"$pages/horus.fish"
install -D -m 644 "$pages/horus.fish" "$folder/fish/vendor_completions.d/horus.fish"
install -D -m 644 "$pages/horus" "$folder/bash-completion/completions/horus"
install -D -m 644 "$pages/_horus" "$folder/zsh/site-functions/_horus"
if ! command -v scdoc >/dev/null; then
    echo "install-docs.sh: no manual pages: scdoc is not installed (make man installs it)" >&2
    exit 0
fi
"${BASH_SOURCE[0]%/*}/man.sh" "$horus" "$pages/man"
for page in "$pages"/man/*; do
    install -D -m 644 "$page" "$folder/man/man${page##*.}/${page##*/}"
done
