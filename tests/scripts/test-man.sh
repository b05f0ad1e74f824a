#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Manual pages and completions of `make install`: a page for every command, built by scdoc and shown by man
# without a warning.
subject='man'
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

# Without scdoc the completions are installed, and a message reports that the pages are not.
mkdir "$work/bin"
for tool in bash sh sed mktemp rm install mkdir git date mv cp cat realpath; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done
said=$(PATH=$work/bin scripts/install-docs.sh "$HORUS" "$work/bare" 2>&1)
case $said in
*"no manual pages: scdoc is not installed"*) verdict "without scdoc it says so" "" ;;
*) verdict "without scdoc it says so" "$said" ;;
esac
verdict "completions where the shells look" "$(
    for file in bash-completion/completions/horus zsh/site-functions/_horus fish/vendor_completions.d/horus.fish; do
        [ -s "$work/bare/$file" ] || echo "$file"
    done
)"

verdict "examples run where they are installed" "$(
    cp -r "$work/bare/doc/horus" "$work/own" && cd "$work/own" && "$HORUS" run traces/sample.csv --max-jobs=50 -q -o results/srtf 2>&1 >/dev/null &&
        python3 scripts/horus_runs.py results/srtf 2>&1 >/dev/null && grep -q results/srtf results/RECIPES.md || echo "exit $?"
)"

if ! command -v scdoc >/dev/null; then
    skip "pages: scdoc is not installed"
    exit $failed
fi
export SOURCE_DATE_EPOCH=86400
said=$(scripts/install-docs.sh "$HORUS" "$work/share" 2>&1) || said="exit $?: $said"
verdict "pages are built" "$said"
verdict "a page for every command" "$(
    for page in man1/horus.1 man5/horus-formats.5 man5/horus-files.5 man7/horus-policies.7 man7/horus-metrics.7 \
        $("$HORUS" help --form=json | jq -r '.[] | "man1/horus-\(.name).1"'); do
        [ -s "$work/share/man/$page" ] || echo "$page"
    done
)"
# SOURCE_DATE_EPOCH counts from 1970-01-01; 86400 s is a day.
verdict "the date is the one asked for" "$(grep -L 1970-01-02 "$work"/share/man/man*/*)"
if command -v man >/dev/null; then
    verdict "man shows them without a warning" "$(
        for page in "$work"/share/man/man*/*; do man --warnings -l "$page" 2>&1 >/dev/null; done
    )"
else
    skip "shown without a warning: man is not installed"
fi
exit $failed
