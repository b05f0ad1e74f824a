#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Checkpoints and snapshots. A run that continues in another process writes the bytes of the uninterrupted
# run: under every policy from random moments, from every reader, and after SIGKILL at random moments; a
# damaged checkpoint or one of another run is refused. And forks: another policy continues from a snapshot,
# with the same past.
# HORUS_LONG=1: 20 moments a policy, 200 kills, forks from each policy to each. HORUS_SEED chooses the moments.
subject=checkpoint
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"
moments=1 kills=8 flips=25
[ -z "${HORUS_LONG:-}" ] || moments=20 kills=200 flips=1000
RANDOM=${HORUS_SEED:-1}
cp traces/sample*.csv traces/sample-philly.json "$work"
cd "$work" || exit 1
# Sets $drawn: in a subshell RANDOM would have its own seed.
random() { drawn=$(((RANDOM * 32768 + RANDOM) % $1)); } # BELOW

# Compares all files of two runs, the manifest without the entries that name the machine.
differ() { # RUN RUN
    diff <(cd "$1" && find . -type f ! -name manifest.json | sort | xargs sha256sum) \
        <(cd "$2" && find . -type f ! -name manifest.json | sort | xargs sha256sum)
    diff <(jq -S 'del(.volatile)' "$1/manifest.json") <(jq -S 'del(.volatile)' "$2/manifest.json")
}
# Compares a run in one piece with one in two; prints the differences.
in_two() { # NAME MOMENTS RUN-ARGUMENT...
    local name=$1 count=$2 i length_s said
    shift 2
    rm -rf "$name" && said=$("$HORUS" run "$@" -q -o "$name" 2>&1) || { echo "$said" && return; }
    length_s=$(tail -n +2 "$name/series.csv" | cut -d, -f1 | sort -n | tail -1 | cut -d. -f1)
    for ((i = 0; i < count; i++)); do
        random "$length_s"
        at_s=$drawn
        rm -rf first second moment
        said=$("$HORUS" run "$@" -q -o first --until "${at_s}s" --snapshot moment 2>&1) &&
            said=$("$HORUS" run --from moment -q -o second 2>&1) || { echo "at $at_s s: $said" && return; }
        said=$(differ "$name" second)
        [ -z "$said" ] || { echo "at $at_s s: $said" && return; }
    done
}

# The events before the fork; at that instant the new policy may reject a job that ran.
past() { # RUN
    awk -F, -v at="$at_s" 'NR > 1 && $9 != "" && $9 < at' "$1/jobs.csv"
    awk -F, -v at="$at_s" 'NR > 1 && $3 < at' "$1/segments.csv"
}
# Forks the snapshot of the last moment to these policies, beside the run that it is of; prints the faults.
fork() { # POLICY...
    local said
    for policy in "$@"; do
        rm -rf second again
        said=$("$HORUS" run --from moment -p "$policy" -q -o second 2>&1) &&
            said=$("$HORUS" run --from moment -p "$policy" -q -o again 2>&1) &&
            said=$("$HORUS" verify second 2>&1) || { echo "$policy at $at_s s: $said" && return; }
        said=$(differ second again; diff <(past straight) <(past second))
        [ -z "$said" ] || { echo "$policy at $at_s s: $said" && return; }
    done
}

small=(sample-classes.csv -c '2x8:V100,2x4:P100' --max-jobs 150 --restart-cost 30s --decisions --check=full)
mapfile -t policies < <("$HORUS" policies --json | jq -r '.[].name')
for ((p = 0; p < ${#policies[@]}; p++)); do
    in_two straight "$moments" "${small[@]}" -p "${policies[p]}" >said
    verdict "${policies[p]} goes on from $moments moments" "$(cat said)"
    others=("${policies[@]}")
    [ -n "${HORUS_LONG:-}" ] || others=("${policies[(p * 4 + 9) % ${#policies[@]}]}") # a permutation of 35
    verdict "${policies[p]} is forked to ${#others[@]} policies" "$(fork "${others[@]}")"
done

# Readers, in the middle of their file.
"$HORUS" generate --like venus -n 20000 --load 0.9 -c 8x8:V100 --seed 3 -q -o long.csv
gzip -k long.csv
zstd -q long.csv
printf 'time,node,event\n5h,n0,down\n2d,n0,up\n3d,n1,down\n4d,n1,up\n' >events.csv
large=(-c 8x8:V100 --sort=64 --outputs 'jobs,series')
readers=(
    "plain|long.csv" "gzip|long.csv.gz" "zstd|long.csv.zst" "generated|gen:venus,n=3000,seed=3"
    "Helios|sample-helios.csv|--sort=64" "Philly|sample-philly.json" "attempts|sample-philly.json|--retries=generate"
    "estimates|sample-helios.csv|-p|sjf:pred=rolling" "deadlines|sample.csv|--deadlines=gavel|-p|edf"
    "failures|sample.csv|--events|events.csv|--checkpoint-interval|1h|-p|srtf" "fairness|sample.csv|--fairness|--power|--outputs|all,swf,teams"
)
for reader in "${readers[@]}"; do
    IFS='|' read -r name trace arguments <<<"$reader"
    IFS='|' read -ra arguments <<<"$arguments"
    verdict "reader: $name" "$(in_two straight 2 "$trace" "${large[@]}" "${arguments[@]}")"
done

# ---- SIGKILL ----

killed=(long.csv "${large[@]}" --outputs all -p srtf)
"$HORUS" run "${killed[@]}" -q -o whole >/dev/null 2>&1
began=${EPOCHREALTIME/./}
"$HORUS" run "${killed[@]}" --checkpoint-sim 10d -q -o slow >/dev/null 2>&1
takes_us=$((${EPOCHREALTIME/./} - began))
verdict 'checkpoints change nothing' "$(differ whole slow)"
go_on() { exec "$HORUS" run "${killed[@]}" --checkpoint-sim 10d --resume -o out; } # becomes the program

# Kills runs after a random part of that time, until some have been resumed; prints the faults.
kill_some() { # SEED
    local i status resumed=0
    RANDOM=$1
    for ((i = 0; i < kills || (resumed == 0 && i < 100); i++)); do
        random $((takes_us < 999999 ? takes_us : 999999))
        go_on >/dev/null 2>said &
        sleep "$(printf '0.%06d' "$drawn")"
        kill -KILL $! 2>/dev/null
        wait $! 2>/dev/null
        status=$?
        ! grep -q 'continued from' said || resumed=$((resumed + 1))
        [ $status -ne 137 ] || continue
        # killed when all was in its place: there is nothing to resume
        [ $status -eq 0 ] || grep -q 'this run is finished' said || { cat said && return; }
        differ whole out
        rm -rf out
    done
    [ $resumed -gt 0 ] || echo 'none went on'
}
random 32768
verdict "after $kills kills" "$(kill_some "$drawn")"

# Stopped at each of the files written at the end, after those of the checkpoint are removed; prints the
# faults.
end_some() {
    local at opens
    FAULT_COUNTS=$work/counts LD_PRELOAD=$shim "$HORUS" run "${killed[@]}" --checkpoint-sim 10d -q -o counted >/dev/null 2>&1
    opens=$(awk '$1 == "open" { print $2 }' counts)
    for ((at = opens - 5; at < opens; at++)); do
        rm -rf out out.tmp-* .out.horus
        ! (FAULT_CALL=open FAULT_ERRNO=EIO FAULT_AT=$at LD_PRELOAD=$shim go_on) >/dev/null 2>&1 || echo "open $at does not fail"
        (go_on) >/dev/null 2>said || cat said
        differ whole out
    done
}
need_shim >"$work/why"
if [ ! -s "$work/why" ]; then verdict 'after failures at the end' "$(end_some)"; else skip "failures at the end: $(cat "$work/why")"; fi
rm -rf out && (go_on) >/dev/null 2>&1
verdict 'at the end' "$(differ whole out; find . -name '*.tmp-*' -o -name '.*.horus' -o -name '.checkpoint*' -o -name '.horus-jobs*')"

# ---- signals, and what is refused ----

fails() { # CODE TEXT COMMAND...: what is wrong
    local said code
    said=$("${@:3}" 2>&1) && code=0 || code=$?
    [ $code -eq "$1" ] && [[ $said == *$2* ]] || echo "exit code $code, not $1, or no '$2': $said"
}
rm -rf out
"$HORUS" run - "${large[@]}" -q -o straight --force <long.csv >/dev/null 2>&1
mkfifo pipe
"$HORUS" run - "${large[@]}" -q -o out --checkpoint-sim 10d <pipe >/dev/null 2>&1 &
exec 3>pipe
head -n 15000 long.csv >&3
left='' # until it waits for more jobs
for ((i = 0, same = 0; i < 600 && same < 10; i++)); do
    was=$left left=$(stat -c '%n %i' out.tmp-*/.checkpoint.zst 2>/dev/null)
    [ -n "$left" ] && [ "$left" = "$was" ] && same=$((same + 1)) || same=0
    sleep 0.1
done
kill -KILL $!
wait $! 2>/dev/null
exec 3>&-
left=${left% *}
verdict 'a killed run leaves a checkpoint' "$([ -f "$left" ] || ls -lA)"
go_on=("$HORUS" run - "${large[@]}" -q -o out --resume)
again=("$HORUS" run - "${large[@]}" -q -o out)
from_file() { "$@" <long.csv; }
verdict 'a run that does not go on is refused' "$(fails 4 'left a checkpoint' from_file "${again[@]}")"
verdict 'a checkpoint of another run is refused' "$(fails 3 'of another run' from_file "${go_on[@]}" -p sjf)"
verdict 'a checkpoint is no snapshot' "$(fails 3 'a checkpoint, not a snapshot' "$HORUS" run --from "$left" -q -o second --force)"
verdict 'another trace is refused' "$(fails 3 'not those that the run had read' "${go_on[@]}" <sample.csv)"
cp "$left" kept
printf 'x' | dd of="$left" bs=1 seek=5000 conv=notrunc status=none
verdict 'a damaged checkpoint is refused' "$(fails 3 checkpoint.zst from_file "${go_on[@]}")"
head -c 5000 kept >"$left"
verdict 'half a checkpoint is refused' "$(fails 3 checkpoint.zst from_file "${go_on[@]}")"
cp kept "$left"
cp -r "${left%/*}" out.copy
cp .out.horus lock.copy
verdict 'it goes on with the rest of a pipe' "$(fails 0 '' from_file "${go_on[@]}"; differ straight out)"
rm -rf out && mv out.copy "${left%/*}" && mv lock.copy .out.horus
echo >>"${left%/*}/jobs.csv" && sed -i 's/1/2/' "${left%/*}/jobs.csv"
verdict 'a file that is not as it was left is refused' "$(fails 3 'not as the checkpoint left it' from_file "${go_on[@]}")"
verdict '--force starts again' "$(fails 0 '' from_file "${again[@]}" --force; differ straight out; find . -name '*.tmp-*' -o -name '.*.horus')"

"$HORUS" run "${small[@]}" -q -o first --force --until 2h --snapshot moment >/dev/null 2>&1
size=$(stat -c %s moment)
flip() { # FILE AT
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf "\\x$(printf %x $(((byte + 1 + RANDOM % 255) % 256)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
flipped() { # what is wrong
    local i
    RANDOM=$1
    for ((i = 0; i < flips; i++)); do
        cp moment bad
        random "$size"
        [ "$i" -gt 20 ] || drawn=$((i * 30)) # the head
        flip bad "$drawn"
        fails 3 bad "$HORUS" run --from bad -q -o never
        random "$size"
        head -c "$drawn" moment >bad
        fails 3 bad "$HORUS" run --from bad -q -o never
    done
    find . -name 'never*' -o -name '.never*'
}
random 32768
verdict "snapshots with one byte changed, or cut, are refused ($((2 * flips)))" "$(flipped "$drawn")"
"$HORUS" run --from moment -p srtf -q -o forked >/dev/null 2>&1
verdict 'a fork is not repeated' "$(fails 3 'made by --from' "$HORUS" rerun forked)"
"$HORUS" run - "${large[@]}" -q -o first --force --until 2d --snapshot piped <long.csv >/dev/null 2>&1
verdict 'a fork of standard input is refused' "$(fails 2 'reads the trace again' "$HORUS" run --from piped -p srtf -q -o never)"
cp "$HORUS" another && printf 'x' >>another
verdict 'one of another build is refused' "$(fails 3 'another build' ./another run --from moment -q -o never)"
sed -i '5s/[0-9]/7/' sample-classes.csv
verdict 'a trace that changed is refused' "$(fails 3 'not those that the run had read' "$HORUS" run --from moment -q -o never)"
verdict 'by a fork, too' "$(fails 3 'not those that the run had read' "$HORUS" run --from moment -p srtf -q -o never)"
exit "$failed"
