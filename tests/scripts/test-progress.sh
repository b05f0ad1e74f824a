#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The progress line on a terminal: script(1) of bsdutils gives standard error a pseudo-terminal of a
# known width, and its output is read. tests/unit/test_terminal.c tests the text of the line, this
# script that the line appears, fits and is removed.
subject=progress
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

unset COLUMNS NO_COLOR LC_CTYPE LANG
export TERM=xterm

if ! command -v script >/dev/null; then
    skip "a terminal: script(1) of bsdutils is not installed"
    exit 0
fi

# 150,000 jobs, one every half minute: some tenths of a second, the first line is due after 0.05 s.
awk 'BEGIN {
    print "job_id,submit_time,gpus,duration"
    for (i = 0; i < 150000; i++) print "j" i "," 30 * i "," 1 + i % 8 "," 600 + i * 7 % 500
}' >"$work/t.csv"
cd "$work" || exit 1

# WIDTH COMMAND: the status lines, one a line, without the codes before them. In a terminal of that width;
# standard output is a file, so the width can only be that of standard error.
lines() {
    script -qec "stty cols $1; $2 >out.txt" /dev/null </dev/null | tr '\r' '\n' |
        grep -a $'\x1b\\[K' | sed $'s/\x1b\\[K//'
}
# PATTERN FILE: no output if a line matches.
shown() { grep -qaE "$1" "$2" || printf 'none of %d lines is like %s: %s\n' "$(wc -l <"$2")" "$1" "$(cat "$2")"; }
longest() { awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }'; }
run="$HORUS run t.csv -c 20x8:V100 -p srtf --outputs summary --force -o o"

lines 100 "$run" >a.txt
verdict "a line with a bar, a share, an ETA" "$(
    shown '^[0-9]+% \[[#-]+\] day [0-9.]+ \| .* ev/s \| run [0-9,]+ wait [0-9,]+ \| util [0-9]+% \| ETA [0-9]+:[0-9]{2}$' a.txt
)"
verdict "it fits the window" "$(n=$(longest <a.txt) && { [ "$n" -le 99 ] || echo "$n columns"; })"
verdict "it is taken away at the end" "$([ -z "$(tail -1 a.txt)" ] || tail -1 a.txt)"
# Fifty jobs at an instant, all of which wait: six hundred instants, each with turns of up to 30,000 jobs.
awk -F, -v OFS=, 'NR > 1 { $2 = 30 * int((NR - 2) / 50) } NR <= 30001' t.csv >few.csv
few=${run/t.csv/few.csv}
lines 100 "${few/srtf/salus-fair} --until=5h" >few.txt
verdict "a run of few and slow instants has one, too" "$(shown ' ev/s ' few.txt)"
lines 44 "$run" >b.txt
verdict "in a narrow window it is cut, without a bar" "$(
    n=$(longest <b.txt)
    [ "$n" -le 43 ] || echo "$n columns"
    ! grep -aF '[' b.txt
    shown '^[0-9]*% day ' b.txt
)"
lines 100 "env LC_ALL=C.UTF-8 $run" >c.txt
verdict "block characters in a UTF-8 locale" "$(shown '█|▏|▎|▍|▌|▋|▊|▉' c.txt)"
verdict "COLUMNS comes before the window" "$(
    lines 100 "env COLUMNS=60 $run" >d.txt
    n=$(longest <d.txt)
    [ "$n" -gt 20 ] && [ "$n" -le 59 ] || echo "$n columns"
)"
for quiet in "env TERM=dumb $run" "$run --no-progress" "$run -q"; do
    verdict "none: ${quiet/"$HORUS"/horus}" "$(lines 100 "$quiet")"
done
verdict "none on what is no terminal" "$($run 2>&1 >out.txt)"
lines 100 "$HORUS compare t.csv -c 20x8:V100 -p fifo -p sjf -p srtf -o p" >e.txt
verdict "compare counts its runs, to the last" "$(
    shown '^33% \[#+-+\] runs 1/3 done, 1 running \| ETA' e.txt
    shown '^100% \[#+\] runs 3/3 done, 0 running' e.txt
)"
verdict "and takes the line away" "$([ -z "$(tail -1 e.txt)" ] || tail -1 e.txt)"
# Of 600,000 jobs: each file takes a tenth of a second or more to read.
awk 'BEGIN { print "job_id,submit_time,gpus,duration"
    for (i = 0; i < 600000; i++) print i "," i * 30 "," 1 + i % 4 "," 300 + i % 977 }' >t.csv
$run -q --outputs all >/dev/null 2>&1
while IFS=: read -r command parts; do
    lines 100 "$HORUS $command" >f.txt
    verdict "$command says what it reads, and how far it is" "$(
        for what in $parts; do
            shown "^[0-9]+% \\[[#-]+\\] $what \\| ETA [0-9]+:[0-9]{2}\$" f.txt
        done
        [ -z "$(tail -1 f.txt)" ] || tail -1 f.txt
    )"
    verdict "$command: none on what is no terminal" "$($HORUS $command 2>&1 >out.txt)"
done <<'END'
verify o:trace jobs.csv segments.csv
explain o:jobs.csv segments.csv
explain o --by=user:jobs.csv
report o -o o.html -f:jobs.csv
plot cdf o -o o.svg -f:jobs.csv
compare o o:jobs.csv
END
exit $failed
