#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A policy outside the tree: configs/policies/shortest.c, built with the installed headers alone, gives the
# files of the built-in sjf, which does the same; libraries that are no policy are refused.
subject=plugin
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"
example=$top/configs/policies/shortest.c
cd "$work" || exit 1
make -s -C "$top" install-headers DESTDIR= PREFIX="$work/usr" >/dev/null
flags=$(PKG_CONFIG_PATH=$work/usr/lib/pkgconfig pkg-config --cflags horus)

build() { # NAME [SED]: the example, changed
    sed "${2-}" "$example" >"$1.c"
    # shellcheck disable=SC2086 # a list
    cc -Wall -Wextra -Werror -std=c11 -shared -fPIC $flags -o "$1.so" "$1.c"
}

refuses() { # NAME LIBRARY PATTERN
    local said status
    said=$("$HORUS" run jobs.csv -p "./$2" -o refused 2>&1)
    status=$?
    verdict "$1" "$([ $status -eq 3 ] && [[ $said =~ $3 ]] && [ ! -e refused ] || echo "exit code $status: $said")"
}

"$HORUS" generate --like philly -n 10000 --load 0.9 -c 16x8:V100 -o jobs.csv -q
succeeds "the example builds without a warning" build shortest
for policy in sjf ./shortest.so; do
    "$HORUS" run jobs.csv -c 16x8:V100 -p $policy -o "out-$(basename $policy .so)" --check=full -q >/dev/null
done
succeeds "schedules 10,000 jobs as sjf does" cmp out-sjf/jobs.csv out-shortest/jobs.csv
succeeds "and holds GPUs at the same times" cmp out-sjf/segments.csv out-shortest/segments.csv
succeeds "has its own parameters" sh -c '"$HORUS" policies ./shortest.so | grep -q "^  pred_file"'
succeeds "its run is repeated" sh -c '"$HORUS" rerun out-shortest'
build shortest 's/shortest job first"/another summary"/'
verdict "a library that was built again is told" "$("$HORUS" rerun out-shortest 2>&1 | grep -q 'shortest.so' || echo silence)"

refuses "no file" none.so 'cannot be loaded'
refuses "no library" jobs.csv 'cannot be loaded'
build nothing '/HS_POLICY_PLUGIN/d; s/^static const struct hs_policy_ops/const struct hs_policy_ops/'
refuses "no policy" nothing.so "exports no 'horus_policy'"
build taken 's/\.name = "shortest"/.name = "sjf"/'
refuses "a name that is taken" taken.so 'horus has a policy of its name'
build halved 's/^    \.decide = .*//; s/^static enum hs_status shortest_decide/enum hs_status shortest_decide/'
refuses "no decide" halved.so 'decide or semantics is missing'
sed -i 's/HS_VERSION "/HS_VERSION "9/' usr/include/horus/horus/version.h
build newer
refuses "another version" newer.so 'built for horus 9'
exit $failed
