#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# SIGKILL at random moments: the output is then what it was before, complete, or absent, and the same
# command succeeds and leaves nothing beside it. HORUS_LONG=1: 1,000 kills. HORUS_SEED chooses the
# moments.
subject='kill'
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"
kills=30
[ -z "${HORUS_LONG:-}" ] || kills=1000
RANDOM=${HORUS_SEED:-1}
cp traces/sample.csv "$work/t.csv"
cd "$work" || exit 1
cat >sweep.json <<'JSON'
{ "config": { "trace": "t.csv", "cluster": "8x8:V100", "max_jobs": 300 },
  "grid": { "policy": ["fifo", "sjf"], "seed": "1..2" } }
JSON

# The bytes of an output: of a directory all files but the manifests, which contain times, and of these the
# list of the others.
contents() { # PATH
    [ -d "$1" ] || { cat "$1" && return; }
    find "$1" -type f ! -name manifest.json | sort | while read -r file; do echo "${file#"$1"}" && cat "$file"; done
    find "$1" -name manifest.json | sort | xargs -r jq -c .outputs
}
litter() { find . -name '*.tmp-*' -o -name '*.old-*' -o -name '.*.horus' -o -name '*.lock' -o -path '*/failed/*'; }

# Each replaces its shell by the program: called in a subshell.
run_sjf() { exec "$HORUS" run t.csv -c 8x8:V100 -p sjf -q --force -o "$1"; }
compare_two() { exec "$HORUS" compare t.csv -c 8x8:V100 -p fifo -p sjf --max-jobs 500 --outputs jobs -j 2 -q --force -o "$1"; }
sweep_four() { exec "$HORUS" sweep sweep.json -j 2 -q -o "$1"; }
generate_trace() { exec "$HORUS" generate --like philly -n 20000 --seed 2 --format csv --force -o "$1"; }
convert_trace() { exec "$HORUS" trace convert t.csv --to swf --force -o "$1"; }
report_run() { exec "$HORUS" report before_run_sjf --force -o "$1"; }
commands=(run_sjf compare_two sweep_four generate_trace convert_trace report_run)

# The previous content of the output: another run, another trace, nothing.
before_run_sjf() { exec "$HORUS" run t.csv -c 8x8:V100 -p fifo -q -o "$1"; }
before_compare_two() { exec "$HORUS" compare t.csv -c 8x8:V100 -p srtf -p sjf --max-jobs 300 -q -o "$1"; }
before_generate_trace() { exec "$HORUS" generate --like philly -n 100 --format csv -o "$1"; }
before_convert_trace() { echo mine >"$1"; }
before_report_run() { echo mine >"$1"; }

declare -A takes_us
for command in "${commands[@]}"; do
    for turn in 1 2 3; do # the first reads the program from the disk
        rm -rf whole
        began=${EPOCHREALTIME/./}
        ("$command" whole) >/dev/null 2>said || verdict "$command succeeds" "$(cat said)"
        took_us=$((${EPOCHREALTIME/./} - began))
        [ $turn -gt 1 ] && [ $took_us -gt "${takes_us[$command]}" ] || takes_us[$command]=$took_us
    done
    contents whole >"$command.whole"
    rm -rf whole
    : >"$command.before"
    if [ "$(type -t "before_$command")" = function ]; then
        ("before_$command" "before_$command") >/dev/null 2>&1
        contents "before_$command" >"$command.before"
    fi
done
verdict "no command leaves anything beside its output" "$(litter)"

one_kill() { # COMMAND: what is wrong
    local command=$1 pid at_us
    rm -rf out
    [ ! -e "before_$command" ] || [ $((RANDOM % 3)) -eq 0 ] || cp -r "before_$command" out
    [ -e out ] && cp -r out old
    "$command" out >/dev/null 2>&1 &
    pid=$!
    at_us=$(((RANDOM * 32768 + RANDOM) % takes_us[$command]))
    sleep "$(printf '%d.%06d' $((at_us / 1000000)) $((at_us % 1000000)))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null && echo over >>survived
    # A sweep is a directory of whole runs, of which some may be complete.
    if [ "$command" != sweep_four ] && [ -e out ]; then
        contents out >now
        cmp -s now "$command.whole" || { [ -e old ] && cmp -s now "$command.before"; } ||
            echo "$command killed after $at_us us: torn: $(ls -lA out)"
    elif [ -e old ] && [ ! -e out ] && [ -z "$(compgen -G 'out.old-*')" ]; then # between two renames
        echo "$command killed after $at_us us: what was there is lost"
    fi
    rm -rf old
    ("$command" out) >said 2>&1 || echo "$command killed after $at_us us, then: $(cat said)"
    contents out >now
    cmp -s now "$command.whole" || echo "$command killed after $at_us us, then not the same"
    litter
}
: >survived
findings=$(
    for ((i = 0; i < kills; i++)); do one_kill "${commands[i % ${#commands[@]}]}"; done
)
verdict "$kills kills: whole, as before, or absent; the same command succeeds and leaves nothing" "$findings"
hits=$((kills - $(wc -l <survived)))
verdict "a quarter of the kills at least come in the middle" "$([ $((4 * hits)) -ge $kills ] || echo "only $hits")"
exit $failed
