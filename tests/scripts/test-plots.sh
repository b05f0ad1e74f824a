#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The figures of `horus plot`: the values of their marks (read back by svg-facts.py) compared with figures
# of summary.json and nodes.csv and with schedules, jobs and sweeps written by hand; well-formed SVG of
# every kind; PDF and PNG if rsvg-convert is installed. (Messages: tests/cli/plot.t.)
subject=plots
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

command -v python3 >/dev/null || { skip "no python3"; exit 0; }

run() { # NAME ARGUMENT...: one of the sample
    local name=$1
    shift
    "$HORUS" run traces/sample.csv -c 2x8:V100 --max-jobs=300 -q -o "$work/$name" "$@" >/dev/null 2>&1 ||
        verdict "the run $name" "exit code $?"
}
plot() { { "$HORUS" plot "$@" -o "$work/f.svg" --force >/dev/null; } 2>&1; } # messages are faults
facts() { python3 tests/scripts/svg-facts.py "$1" "$work/f.svg" "${@:2}"; }
metric() { jq -r ".metrics.$2" "$work/$1/summary.json"; }
near() { # WHAT A B [SHARE]: they differ by at most this share of B
    awk -v a="$2" -v b="$3" -v most="${4:-0.002}" -v what="$1" 'BEGIN { d = a - b; if (d < 0) d = -d
        if (a == "" || b == "" || d > most * (b < 0 ? -b : b) + 1e-9) print what ": " a ", not " b }'
}

run fifo -p fifo --assign=always
run srtf -p srtf --assign=always
run pack -p pack --max-jobs=100
run few -p srtf --max-jobs=150
run idle -p fifo --max-jobs=3
gpu_seconds() { awk "BEGIN { print $(metric "$1" makespan) * 16 }"; }
held() { awk -F, 'NR > 1 { sum += $7 } END { printf "%.6f", sum }' "$work/$1/nodes.csv"; }

# ---- by hand -------------------------------------------------------------------------------------

# Jobs of 1, 10, 100 and 1000 s: on an axis from 1 to 1000 s a quarter more at each third.
verdict "a distribution by hand" "$(
    cp -r "$work/idle" "$work/hand"
    head -n 1 "$work/idle/jobs.csv" >"$work/hand/jobs.csv"
    for jct in 1 10 100 1000; do
        awk -F, -v OFS=, -v jct=$jct 'NR == 2 { $1 = "j" jct; $6 = 1; $11 = jct; print }' "$work/idle/jobs.csv" >>"$work/hand/jobs.csv"
    done
    "$HORUS" plot cdf "$work/hand" --metric=jct -o "$work/f.svg" 2>/dev/null >&2
    facts points k0 | awk '{ printf "%.1f %.2f\n", $1, $2 }' | diff - <(printf '%s\n' '0.0 0.00' '0.0 0.25' \
        '0.3 0.25' '0.3 0.50' '0.7 0.50' '0.7 0.75' '1.0 0.75' '1.0 1.00')
    [ "$(facts marks line)" = 1 ] || echo "$(facts marks line) curves"
)"
# Two jobs on GPUs 0 and 1; the second and third share GPU 1 from 4 to 6; then the third runs alone.
verdict "a Gantt chart by hand" "$(
    printf '%s\n' job_id,start,end,allocated_resources,mean_rate,tenants,ended_by a,0,4,0-1,1,1,preempt \
        b,4,6,1,1,2,finish c,4,9,1,1,2,failure d,5,5,0,,1,finish >"$work/hand/segments.csv"
    printf '%s\n' node,name,gpu_type,gpus,placements,allocation 0,n0,V100,2,3,0.5 >"$work/hand/nodes.csv"
    sed -i -E 's/("makespan": )[0-9.]+/\19/' "$work/hand/summary.json"
    "$HORUS" plot gantt "$work/hand" -o "$work/f.svg" --force 2>/dev/null >&2
    near "area" "$(facts boxes)" 0.638889 # 8 + 1 + 2.5 of 18 GPU seconds: b and c have half of the row each
    facts overlaps
    echo "$(facts marks bar) boxes, $(facts marks stop) stops, $(facts marks lost) lost" |
        diff - <(echo "3 boxes, 2 stops, 2 lost") # one of each in the legend
    "$HORUS" plot heat "$work/hand" -o "$work/f.svg" --force 2>/dev/null >&2
    near "jobs per GPU" "$(facts cells)" 0.8333 0.02 # 15 job seconds of 18; dark is one job a GPU
)"
# 1, 2, 3: mean 2, half of the interval 4.30265 / sqrt(3) = 2.48414. 5 and 9: mean 7.
verdict "a sweep by hand" "$(
    "$HORUS" sweep configs/sweeps/load.json --set max-jobs=5 -o "$work/swept" -q >/dev/null 2>&1
    printf '%s\n' point,run,state,exit,axis_policy,axis_load,axis_seed,policy,mean_jct,mean_wait \
        '1,a,done,0,"p:x=1,y=2",0.8,1,p,1,' '2,b,done,0,"p:x=1,y=2",0.8,2,p,2,4' '3,c,done,0,"p:x=1,y=2",0.8,3,p,3,' \
        4,d,done,0,q,0.8,1,q,5, 5,e,done,0,q,0.8,2,q,9, 6,f,failed,3,q,0.8,3,,, \
        7,g,done,0,q,0.5,1,q,6, 8,h,missing,,q,0.5,2,,, >"$work/swept/sweep.csv"
    plot sweep "$work/swept" --metric=mean_jct
    facts dots k0 | awk '{ print $1, $2 * 32.4124 }' >"$work/dots" # the axis ends with the upper bound of q: 7 + 25.4124
    near "p at 0.8" "$(awk '$1 == "1.000" { print $2 }' "$work/dots")" 2 0.02
    facts dots k1 | awk '{ print $1, $2 * 32.4124 }' >"$work/dots"
    near "q at 0.5" "$(awk '$1 == "0.000" { print $2 }' "$work/dots")" 6 0.01
    near "q at 0.8" "$(awk '$1 == "1.000" { print $2 }' "$work/dots")" 7 0.01
    grep -q '<text class="name" [^>]*>p:x=1,y=2</text>' "$work/f.svg" || echo "no key"
    "$HORUS" plot sweep "$work/swept" --metric=mean_jct -o "$work/f.csv" 2>&1 >/dev/null
    sed -E 's/(\.[0-9]{4})[0-9]*/\1/g' "$work/f.csv" | diff - <(echo series,part,x_name,x,x_end,y_name,y,lower,upper
        printf '%s\n' '"p:x=1,y=2",,load,0.8,,mean_jct_s,2,-0.4841,4.4841' q,,load,0.5,,mean_jct_s,6,, \
            q,,load,0.8,,mean_jct_s,7,-18.4124,32.4124)
)"

# ---- against the summary -------------------------------------------------------------------------

for name in fifo srtf; do
    verdict "means over time are those of the summary: $name" "$(
        plot time "$work/$name"
        near "GPU allocation" "$(facts curves 0)" "$(metric $name gpu_allocation)" 0.01
        near "utilization" "$(facts curves 1)" "$(metric $name gpu_utilization)" 0.01
        [ "$(facts marks line)" = 3 ] || echo "$(facts marks line) lines"
    )"
    verdict "waits by cause stand as in the summary: $name" "$(
        plot waits "$work/$name"
        all=$(awk "BEGIN { print $(metric $name wait_resources_gpu_seconds) + $(metric $name wait_priority_gpu_seconds) }")
        for cause in w0:resources w4:priority; do
            near "${cause#*:}" "$(awk "BEGIN { print $(facts areas layer "${cause%:*}") / ($(facts areas layer w0) + $(facts areas layer w4)) }")" \
                "$(awk "BEGIN { print $(metric $name "wait_${cause#*:}_gpu_seconds") / $all }")" 0.02
        done
    )"
done
verdict "boxes of a Gantt chart fill the time that GPUs are held" "$(
    plot gantt "$work/few"
    near "area" "$(facts boxes)" "$(awk "BEGIN { print $(held few) / $(gpu_seconds few) }")" 0.01
    facts overlaps
    [ "$(facts marks stop)" -gt "$(jq .metrics.preemptions "$work/few/summary.json")" ] || echo "preemptions are missing"
    plot gantt "$work/pack"
    facts overlaps # jobs that share a GPU divide it
)"
verdict "a heat map adds up to nodes.csv" "$(
    plot heat "$work/fifo"
    near "mean" "$(facts cells)" "$(awk "BEGIN { print $(held fifo) / $(gpu_seconds fifo) }")" 0.05
)"
verdict "bars of classes are as long as summary.json says" "$(
    plot classes "$work/fifo" "$work/srtf" --metric=mean_jct
    facts bars | sort >"$work/bars"
    [ "$(wc -l <"$work/bars")" -ge 6 ] || cat "$work/bars"
    most=$(jq -s '[.[].classes.gpus[].mean_jct] | max' "$work/fifo/summary.json" "$work/srtf/summary.json")
    jq -r --argjson most "$most" '.classes.gpus[].mean_jct / $most / 1.02' "$work/fifo/summary.json" "$work/srtf/summary.json" |
        sort -g | paste - <(sort -g "$work/bars") | awk '{ d = $1 - $2; if (d > 1e-3 || d < -1e-3) print }'
)"

# ---- every kind ----------------------------------------------------------------------------------

{
    head -n 1 traces/sample.csv
    sed -n '2,61p' traces/sample.csv | awk -F, -v OFS=, '{ $1 = "\"" (NR % 3 ? NR % 2 ? "a,b" : "say \"\"<hi>\"\" & " : "#tab\there") " " $1 "\""; print }'
} >"$work/hostile.csv"
"$HORUS" run "$work/hostile.csv" -c 2x8:V100 -p srtf -q -o "$work/hostile" >/dev/null
verdict "every kind is well-formed, the same again, and of any run" "$(
    for kind in cdf classes gantt heat pareto time waits; do
        for of in hostile few "few hostile" idle; do
            # shellcheck disable=SC2086 # two runs
            (cd "$work" && "$HORUS" plot $kind $of -o f.svg --force --title="that's <it> & \"all\"" 2>&1 >/dev/null) |
                grep -vE 'are of different jobs|runs policies on one trace' # few jobs and malicious names
            facts marks grid >/dev/null || echo "$kind of $of"
            cp "$work/f.svg" "$work/again.svg"
            # shellcheck disable=SC2086
            (cd "$work" && "$HORUS" plot $kind $of -o - --title="that's <it> & \"all\"" 2>/dev/null) | diff -q - "$work/again.svg"
        done
    done
    [ "$(grep -c 'that&#39;s &lt;it&gt; &amp; &quot;all&quot;' "$work/f.svg")" = 1 ] || echo "the title is not there"
    "$HORUS" compare traces/sample.csv -c 4x8:V100 --max-jobs=60 -p fifo -p sjf --seeds 1..2 --outputs=all -o "$work/both" -q >/dev/null
    plot cdf "$work/both" --metric=jct
    [ "$(facts marks line)" = 4 ] || echo "$(facts marks line) lines of two policies and their keys"
)"
verdict "no text is cut or over another, as wide as a page or a column" "$(
    "$HORUS" compare traces/sample.csv -c 4x8:V100 --max-jobs=60 -p fifo -p srtf -p srtf:pred=noisy -p srsf --faults mtbf=5d,repair=4h \
        --checkpoint-cost=1min --outputs=all -o "$work/four" -q >/dev/null 2>&1
    "$HORUS" sweep configs/sweeps/load.json --set max-jobs=50 -o "$work/loads" -q >/dev/null 2>&1
    for width in 320 500 760; do
        for kind in cdf classes faults gantt heat pareto time waits sweep; do
            plot $kind "$work/$([ $kind = sweep ] && echo loads || echo four)" --width=$width
            facts touching | sed "s/^/$kind $width: /"
        done
    done
)"
# The picture of README.md, by the commands in results/README.md.
verdict "the picture in README.md is that of its commands" "$(
    for policy in fifo sjf srtf horus; do
        "$HORUS" run traces/sample.csv -c 8x8:V100 -p $policy -q -o "$work/sample-$policy" >/dev/null 2>&1
    done
    plot cdf "$work"/sample-{fifo,sjf,srtf,horus}
    cmp "$work/f.svg" results/reference/sample-cdf.svg 2>&1
)"
if command -v rsvg-convert >/dev/null; then
    verdict "PDF and PNG by rsvg-convert" "$(
        for end in png pdf; do "$HORUS" plot cdf "$work/fifo" -o "$work/f.$end" --width=500 2>&1 >/dev/null; done
        head -c 8 "$work/f.png" | od -An -tx1 | grep -v '89 50 4e 47 0d 0a 1a 0a' # RFC 2083, 3.1
        # Width and height are the 4-byte numbers after the first 16 bytes (RFC 2083, 4.1.1).
        od -An -tu1 -j16 -N4 "$work/f.png" | awk '$3 * 256 + $4 != 1000 { print "width", $3 * 256 + $4 }'
        [ "$(head -c 5 "$work/f.pdf")" = '%PDF-' ] || echo "no PDF"
        find "$work" -maxdepth 1 -name '*.tmp*' -o -name '.*.horus'
    )"
else
    skip "PDF and PNG: no rsvg-convert"
fi
exit $failed
