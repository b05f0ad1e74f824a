#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# scripts/plot.sh and what it is made of: the numbers of every plot, recomputed in another way or held
# against summary.csv and nodes.csv of the same run; the pictures, by their format and size; what is
# said where something is missing; names that a CSV must quote.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-plots-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC
: "${HORUS:=$top/build/release/horus}"
subject=plots
# shellcheck source=tests/support/verdict.sh
. "$top/tests/support/verdict.sh"

run() { # NAME ARGUMENT...: one of the sample
    local name=$1
    shift
    "$HORUS" run traces/sample.csv -c 2x8:V100 --max-jobs=300 -q -o "$work/$name" "$@" >/dev/null ||
        echo "FAIL - plots: the run $name"
}

data() { scripts/plot-data.sh "$@" >"$work/data" 2>"$work/said" || cat "$work/said"; }
of_summary() { jq -r ".metrics.$2" "$work/$1/summary.json"; }
near() { # WHAT A B: equal but for the 6 decimals of series.csv, or both are told
    awk -v a="$2" -v b="$3" -v what="$1" 'BEGIN { d = a - b; if (d < 0) d = -d
        if (a == "" || b == "" || d > 5e-6 * (b < 0 ? -b : b) + 1e-9) print what ": " a ", not " b }'
}

says() { # STATUS PATTERN COMMAND...
    local status=$1 pattern=$2 got
    shift 2
    "$@" >"$work/said" 2>&1
    got=$?
    [ $got -eq "$status" ] || echo "exit $got, not $status: $*"
    grep -qE -- "$pattern" "$work/said" || { echo "not said: $pattern"; cat "$work/said"; }
}

run fifo -p fifo
run srtf -p srtf
run pack -p pack
run few -p srtf --max-jobs=150
run idle -p fifo --max-jobs=3
run early -p fifo --until=3s 2>/dev/null
run short -p fifo --outputs=summary

# ---- reading CSV ---------------------------------------------------------------------------------

# RFC 4180, 2: quoted fields hold commas, line ends and doubled quotes; lines may end in CR LF.
verdict "CSV as RFC 4180 has it" "$(
    printf 'a,b,"c,""d"""\r\n1,,\r\n"x\n""y"",",2,"z"\r\n"","",""\n,5,' >"$work/quoted.csv"
    awk -v file="$work/quoted.csv" -f scripts/plot-csv.awk -f <(echo 'BEGIN {
        csv_open(file, "a b c,\"d\""); while (n = csv_next(file)) {
            text = n; for (i = 1; i <= n; i++) text = text "|" field[i]; gsub(/\n/, "~", text); print text } }') |
        diff <(printf '%s\n' '3|1||' '3|x~"y",|2|z' '3|||' '3||5|') -
)"
verdict "what is no CSV, and a column that is not there" "$(
    printf 'a,b\n"1,2\n' >"$work/open.csv"
    for need in a c; do
        awk -v file="$work/open.csv" -v need=$need -f scripts/plot-csv.awk \
            -f <(echo 'BEGIN { csv_open(file, need); while (csv_next(file)); }') 2>&1
        echo "exit $?"
    done | diff <(printf '%s\n' "plot: $work/open.csv: a quoted field has no end" 'exit 3' \
        "plot: $work/open.csv: no column 'c'" 'exit 3') -
)"

# ---- distributions -------------------------------------------------------------------------------

verdict "a distribution, by hand" "$(
    printf '%s\n' 0 0 0.5 2 2 2 7 100 | awk -f scripts/plot-cdf.awk |
        diff <(printf '%s\t%s\n' 0.000000 0.250000000 0.500000 0.375000000 2.000000 0.750000000 \
            7.000000 0.875000000 100.000000 1.000000000) -
)"
# 100,000 numbers, many equal: at most 512 points, each of them true, both ends among them.
verdict "a thinned distribution is exact where it is told" "$(
    awk 'BEGIN { x = 1; for (i = 0; i < 100000; i++) { x = (x * 16807) % 2147483647; print x % 3 ? 0 + x % 40000 : 7 } }' |
        sort -n >"$work/numbers"
    awk -f scripts/plot-cdf.awk "$work/numbers" >"$work/points"
    awk 'NR == FNR { n++; upto[$1 + 0] = FNR; next }
        FNR == 1 { first = $1 + 0 }
        { told = sprintf("%.9f", upto[$1 + 0] / n); if (told != $2) print $1, $2, "not", told; last = $2 }
        END { if (!(first in upto) || upto[first] > 10) print "begins at", first; if (last != 1) print "ends at", last
            if (FNR > 512 || FNR < 300) print FNR, "points" }' "$work/numbers" "$work/points"
)"
# Share at or below a value by sort and awk over the columns of jobs.csv, which quotes nothing here.
for metric in jct:11 wait:10 slowdown:27 pending:23; do
    verdict "distribution of ${metric%:*} against sort" "$(
        data cdf --metric="${metric%:*}" "$work/fifo" "$work/srtf"
        for run in 1:fifo 2:srtf; do
            awk -F, -v c="${metric#*:}" 'NR > 1 && $6 == 1 && $c != "" { print $c }' "$work/${run#*:}/jobs.csv" |
                sort -g | uniq -c |
                awk -v run="${run%:*}" -v m="${metric%:*}" '{ n += $1; value[NR] = $2; upto[NR] = n }
                    END { for (i = 1; i <= NR; i++) printf "%s\t%s\t%.6f\t%.9f\n", m, run, value[i], upto[i] / n }'
        done | diff - <(grep "^${metric%:*}" "$work/data")
    )"
done
verdict "--warmup and --cooldown leave out what the summary leaves out" "$(
    run window -p fifo --warmup=6h --cooldown=90m
    data cdf --metric=jct "$work/window"
    # n_counted jobs: the least share is a multiple of 1/n; and the mean is the one of the summary.
    awk -F'\t' '/^jct/ { sum += $3 * ($4 - last); last = $4 } END { printf "%.4f\n", sum }' "$work/data" |
        diff <(printf '%.4f\n' "$(of_summary window mean_jct)") -
    [ "$(of_summary window n_counted)" -lt 290 ] || echo "the window is too wide to tell"
)"

# ---- over time -----------------------------------------------------------------------------------

run exact -p srtf --sample=exact
run cut -p fifo --until=20h 2>/dev/null # it warns of jobs cut
for name in fifo srtf pack exact cut; do
    verdict "means over time are those of the summary: $name" "$(
        data time --parts=37 "$work/$name"
        mean() { awk -F'\t' -v m="$1" '$1 == m { sum += $6 * ($5 - $4); n++; end = $5 } END { if (n == 37) printf "%.9g", sum / end }' "$work/data"; }
        near "GPUs held" "$(mean gpus_held)" "$(jq '.metrics.gpu_allocation * 16' "$work/$name/summary.json")"
        near "utilization" "$(mean util_model)" "$(of_summary $name gpu_utilization)"
        near "waiting" "$(mean waiting)" "$(of_summary $name mean_queue_length)"
        grep -qx '#gpus	1	16' "$work/data" || echo "16 GPUs are not told"
    )"
done
verdict "how the rows were sampled does not matter" "$(
    data time --parts=10 "$work/exact"
    cut -f1-5 "$work/data" >"$work/rows"
    cut -f6 "$work/data" >"$work/exactly"
    data time --parts=10 "$work/srtf"
    cut -f1-5 "$work/data" | diff "$work/rows" -
    # A part of 1/10 holds more than 20 of the intervals of series.csv: their ends blur 5 % of the most.
    paste "$work/exactly" <(cut -f6 "$work/data") <(cut -f1 "$work/data") | awk -F'\t' '
        NF == 3 && $1 ~ /^[0-9.e-]+$/ { most[$3] = $1 > most[$3] ? $1 : most[$3]; a[NR] = $1; b[NR] = $2; of[NR] = $3 }
        END { for (i in a) { d = a[i] - b[i]; if (d < 0) d = -d; if (d > 0.05 * most[of[i]]) print of[i], a[i], b[i] } }'
)"

# ---- what waiting jobs wait for ------------------------------------------------------------------

for name in fifo pack; do
    verdict "waits by cause are those of the summary: $name" "$(
        data waits --parts=23 "$work/$name"
        seconds() { awk -F'\t' -v c="$1" '$2 ~ c { sum += $6 * ($5 - $4) } END { printf "%.9g", sum }' "$work/data"; }
        for cause in capacity quota order locality; do
            near $cause "$(seconds "^$cause\$")" "$(of_summary $name wait_${cause}_gpu_seconds)"
        done
        near "fragmentation and locality" "$(seconds "^(frag|loc)")" "$(of_summary $name wait_shape_gpu_seconds)"
        ! grep -q '	shape	' "$work/data" || echo "shape is told twice"
        awk -F'\t' '$1 == "gpus_waiting" { if ($7 != top[$4] + 0) print "not on top: " $0; top[$4] = $8; sum[$4] += $6 }
            END { for (t in top) { d = top[t] - sum[t]; if (d > 1e-4 || d < -1e-4) print t, top[t], sum[t] } }' "$work/data"
    )"
done

# ---- classes -------------------------------------------------------------------------------------

# summary.csv has four kinds of classes as columns of their own.
verdict "classes are those of summary.csv" "$(
    for by in gpus outcome user_quintile; do
        data classes --by=$by --metric=mean_jct,mean_slowdown "$work/fifo" "$work/srtf"
        awk -F'\t' -v by=$by '$1 == "#class" { name[$2] = $3 ~ /^>/ ? "over_" substr($3, 2) : $3; gsub(/-/, "_", name[$2]) }
            /^mean_/ { printf "%s\t%s_%s_%s\t%.9g\n", $3, by, name[$2], $1, $5 }' "$work/data"
    done | sort >"$work/told"
    for run in 1:fifo 2:srtf; do
        awk -v file="$work/${run#*:}/summary.csv" -v run="${run%:*}" -f scripts/plot-csv.awk -f <(echo 'BEGIN {
            csv_open(file, "policy"); csv_next(file)
            for (c in at) if (c ~ /^(gpus|outcome|user_quintile)_.*_mean_(jct|slowdown)$/ && of(c) != "")
                printf "%s\t%s\t%.9g\n", run, c, of(c) }')
    done | sort | diff - "$work/told"
    [ "$(wc -l <"$work/told")" -gt 30 ] || echo "too few classes: $(wc -l <"$work/told")"
)"
verdict "classes that no run has" "$(
    says 3 "no run has classes by 'class'" scripts/plot-data.sh classes --by=class "$work/fifo"
    says 3 "no metric among 'mean_mood'" scripts/plot-data.sh classes --metric=mean_mood "$work/fifo"
)"

# ---- Gantt chart and heat map --------------------------------------------------------------------

# GPUs held by at least one job: nodes.csv. Jobs that share one fill its row between them, exactly.
held() { awk -F, 'NR > 1 { sum += $7 } END { printf "%.6f", sum }' "$work/$1/nodes.csv"; }
for name in fifo few pack; do
    verdict "boxes of a Gantt chart fill the time that GPUs are held: $name" "$(
        data gantt "$work/$name"
        near "area" "$(awk -F'\t' '/^[0-9]/ { sum += ($3 - $2) * ($5 - $4) } END { printf "%.6f", sum }' "$work/data")" "$(held $name)"
        awk -F'\t' '/^[0-9]/ { n++; u[n] = $2; l[n] = $3; s[n] = $4; e[n] = $5
                for (i = 1; i < n; i++) if (u[i] + 1e-3 < $3 && $2 + 1e-3 < l[i] && s[i] < $5 && $4 < e[i]) print "one over another: " $0 }' "$work/data"
        # As many labels as segments that took time, as many ends of a kind.
        awk -F'\t' '/^[0-9]/ && $8 != "" { print $8 }' "$work/data" | sort |
            diff - <(awk -F, 'NR > 1 && $3 > $2 { print $1 }' "$work/$name/segments.csv" | sort)
        [ "$(awk -F'\t' '$7 == "off" { print $6 $5 }' "$work/data" | sort -u | wc -l)" -ge \
            "$(awk -F, '$7 == "preempt" { print $3 }' "$work/$name/segments.csv" | sort -u | wc -l)" ] || echo "preemptions are missing"
    )"
    verdict "a heat map adds up to nodes.csv: $name" "$(
        data heat --parts=31 "$work/$name"
        awk -F'\t' '/^[0-9]/ && $6 != "NaN" { sum[$2] += $6 * 8 * ($5 - $4) } END { for (n in sum) printf "%d %.0f\n", n, sum[n] / 100 }' "$work/data" |
            sort | diff <(awk -F, 'NR > 1 { printf "%d %.0f\n", $1, $7 / 100 }' "$work/$name/nodes.csv") -
    )"
done
verdict "preempted jobs are marked" "$(
    [ "$(jq .metrics.preemptions "$work/few/summary.json")" -gt 5 ] || echo "the run preempts too little to tell"
    data gantt "$work/few"
    grep -q '	off	' "$work/data" || echo "no mark"
)"
# Two jobs on GPUs 0 and 1; the second and third share GPU 1 from 4 to 6; the third alone on it after.
verdict "boxes of a schedule drawn by hand" "$(
    mkdir -p "$work/hand"
    printf '%s\n' job_id,start,end,allocated_resources,mean_rate,tenants,ended_by a,0,4,0-1,1,1,preempt \
        b,4,6,1,1,2,finish c,4,9,1,1,2,finish d,5,5,0,,1,finish >"$work/hand/segments.csv"
    printf '%s\n' policy,makespan hand,9 >"$work/hand/summary.csv"
    printf '%s\n' '{}' >"$work/hand/manifest.json"
    data gantt "$work/hand"
    grep '^[0-9]' "$work/data" | diff <(printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' \
        1 0.0000 2.0000 0.000000 4.000000 1 off a \
        1 1.0000 1.5000 4.000000 6.000000 2 finish b \
        1 1.5000 2.0000 4.000000 6.000000 3 shared '' \
        1 1.0000 2.0000 6.000000 9.000000 3 finish c) -
    # In thirds: 4 of 6, 5 of 6 and 3 of 6 GPU seconds; where they are many, nodes share a row.
    printf '%s\n' node,gpus 0,1 1,1 >"$work/hand/nodes.csv"
    data heat --parts=3 "$work/hand"
    sed -n '/^[0-9]/p' "$work/data" | cut -f2,3,6 | diff <(printf '%s\t%s\t%s\n' 0 0 1.000000 0 0 0.333333 0 0 0.000000 \
        1 1 1.000000 1 1 1.000000 1 1 1.000000) -
    awk -v step=list -v file="$work/hand/segments.csv" -f scripts/plot-csv.awk -f scripts/plot-parts.awk -f scripts/plot-heat.awk |
        sort -n -k1,1 -k2,2 | awk -v step=sum -v nodes="$work/hand/nodes.csv" -v end=9 -v run_end=6 -v run=1 -v parts=3 -v rows=1 \
        -f scripts/plot-csv.awk -f scripts/plot-parts.awk -f scripts/plot-heat.awk | cut -f2,3,6 |
        diff <(printf '%s\t%s\t%s\n' 0 1 1.000000 0 1 0.666667 0 1 NaN) -
)"
verdict "a Gantt chart of too much says what else there is" "$(
    says 3 'a Gantt chart has room for 500' scripts/plot-data.sh gantt "$work/srtf"
    grep -q "hint: draw it as 'heat'" "$work/said" || cat "$work/said"
)"

# ---- sweeps --------------------------------------------------------------------------------------

# Quantiles of 97.5 %: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
verdict "Student's t" "$(
    for entry in 1:12.706 2:4.303 3:3.182 4:2.776 5:2.571 7:2.365 10:2.228 20:2.086 30:2.042 50:2.009 100:1.984; do
        awk -v df="${entry%:*}" -v t="${entry#*:}" -f scripts/plot-student.awk -f <(echo 'BEGIN {
            if (sprintf("%.3f", student_quantile(df)) != t) print df, student_quantile(df), "not", t }')
    done
)"
# 1, 2, 3: mean 2, standard error 1 / sqrt(3), 4.30265 of them: 2 -+ 2.48414. 5, 9: 7 -+ 12.7062 x 2.
verdict "means and intervals of a sweep, by hand" "$(
    printf '%s\n' point,run,state,exit,axis_policy,axis_load,axis_seed,policy,mean_jct,mean_wait \
        '1,a,done,0,"p:x=1,y=2",0.8,1,p,1,' '2,b,done,0,"p:x=1,y=2",0.8,2,p,2,4' '3,c,done,0,"p:x=1,y=2",0.8,3,p,3,' \
        4,d,done,0,q,0.8,1,q,5, 5,e,done,0,q,0.8,2,q,9, 6,f,failed,3,q,0.8,3,,, \
        7,g,done,0,q,0.5,1,q,6, 8,h,missing,,q,0.5,2,,, >"$work/sweep.csv"
    data sweep --metric=mean_jct,mean_wait "$work/sweep.csv"
    cat "$work/said" "$work/data" | diff <(printf '%s\n' "plot: $work/sweep.csv: 2 points are not done, and left out" \
        '#label	1	p:x=1,y=2' '#label	2	q' '#axis	1	load' 'metric	curve	x	points	mean	low	high' \
        'mean_jct	1	0.8	3	2	-0.484137712	4.48413771' 'mean_jct	2	0.5	1	6	NaN	NaN' \
        'mean_jct	2	0.8	2	7	-18.4124095	32.4124095' 'mean_wait	1	0.8	1	4	NaN	NaN') -
)"
verdict "what else was swept makes curves" "$(
    printf '%s\n' state,axis_nodes,axis_scan,axis_load,policy,mean_jct done,4,fit,1,p,1 done,4,strict,1,p,2 \
        done,8,fit,1,p,3 done,8,strict,1,p,4 >"$work/sweep.csv"
    data sweep --metric=mean_jct "$work"
    diff <(printf '%s\t%s\t%s\n' '#label' 1 'p, scan fit' '#label' 2 'p, scan strict' '#axis' 1 nodes) <(grep '^#' "$work/data")
    says 3 "'colour' was not swept; there are: nodes scan load" scripts/plot-data.sh sweep --x=colour --metric=mean_jct "$work"
    says 3 "'scan' has values that are no numbers" scripts/plot-data.sh sweep --x=scan --metric=mean_jct "$work"
    printf "%s\n" state,axis_load,policy,mean_jct done,1,p, done,2,p, >"$work/empty.csv"
    says 3 "no point has any of the metrics: mean_jct" scripts/plot-data.sh sweep --metric=mean_jct "$work/empty.csv"
    says 3 "no column 'mood'" scripts/plot-data.sh sweep --metric=mood "$work"
    says 3 'horus sweep EXPERIMENT.json --gather' scripts/plot-data.sh sweep "$work/fifo"
)"

# ---- labels and messages -------------------------------------------------------------------------

verdict "runs of one policy are called by their directories" "$(
    data cdf "$work/fifo" "$work/short/../window" "$work/srtf" || true
    diff <(printf '#label\t%s\n' '1	fifo' '2	window' '3	srtf') <(grep '^#label' "$work/data")
)"
verdict "what is missing is told" "$(
    says 3 'no such directory' scripts/plot-data.sh cdf "$work/none"
    says 3 "not what 'horus run' wrote" scripts/plot-data.sh cdf "$work"
    says 3 'jobs.csv is not there: --outputs left it out' scripts/plot-data.sh cdf "$work/short"
    says 3 '--outputs=all, or with --outputs=series$' scripts/plot-data.sh time "$work/short"
    says 2 'unknown option' scripts/plot-data.sh time --metric=jct "$work/fifo"
    says 2 'unknown kind' scripts/plot-data.sh pie "$work/fifo"
    says 2 'which runs' scripts/plot-data.sh cdf
    says 3 "no metric 'mood'" scripts/plot-data.sh cdf --metric=mood "$work/fifo"
    mkdir -p "$work/half" && cp "$work/fifo/summary.csv" "$work/half/"
    says 3 'not a finished run' scripts/plot-data.sh cdf "$work/half"
    says 2 'unknown kind' scripts/plot.sh pie "$work/x.png" "$work/fifo"
    says 2 'must end in .png or .pdf' scripts/plot.sh cdf "$work/x.jpg" "$work/fifo"
    says 2 'not like 1400x600' scripts/plot.sh cdf "$work/x.png" --size=big "$work/fifo"
    says 2 'room for 8' scripts/plot.sh cdf "$work/x.png" a b c d e f g h i
)"
verdict "without gnuplot or R it says how to get them" "$(
    mkdir -p "$work/bin"
    for tool in bash dirname sed; do ln -sf "$(command -v $tool)" "$work/bin/$tool"; done
    printf "#!/bin/sh\nexit 1\n" >"$work/bin/dpkg-query" && chmod +x "$work/bin/dpkg-query"
    says 3 'gnuplot is not installed' env PATH="$work/bin" "$(command -v bash)" scripts/plot.sh cdf "$work/x.png" "$work/fifo"
    grep -q 'install .*gnuplot-nox' "$work/said" || cat "$work/said"
    says 3 'Rscript is not installed' env PATH="$work/bin" "$(command -v bash)" scripts/plot.sh cdf "$work/x.png" --r "$work/fifo"
    grep -q 'install .*r-base-core' "$work/said" || cat "$work/said"
)"

# ---- names that CSV must quote -------------------------------------------------------------------

verdict "hostile job names change no number" "$(
    {
        head -n 1 traces/sample.csv
        sed -n '2,61p' traces/sample.csv | awk -F, -v OFS=, '{ $1 = "\"" (NR % 3 ? NR % 2 ? "a,b" : "say \"\"hi\"\"" : "#tab\there") " " $1 "\""; print }'
    } >"$work/hostile.csv"
    "$HORUS" run "$work/hostile.csv" -c 2x8:V100 -p srtf -q -o "$work/hostile" >/dev/null
    "$HORUS" run traces/sample.csv --max-jobs=60 -c 2x8:V100 -p srtf -q -o "$work/plain" >/dev/null
    grep -q '^"' "$work/hostile/jobs.csv" || echo "nothing is quoted: the test cannot tell"
    for kind in cdf gantt heat; do
        data $kind "$work/plain"
        cp "$work/data" "$work/of_plain"
        data $kind "$work/hostile"
        if [ $kind = gantt ]; then diff <(cut -f1-7 "$work/of_plain") <(cut -f1-7 "$work/data"); else diff "$work/of_plain" "$work/data"; fi
        cp "$work/data" "$work/data.$kind"
    done
    grep -q "	a,b j0000$" "$work/data.gantt" || echo "a label is lost"
    grep -q "	say 'hi' j0001$" "$work/data.gantt" || echo "a quote in a label"
    grep -q "	#tab here j0002$" "$work/data.gantt" || echo "a tab in a label"
)"
verdict "a comparison stands for its runs" "$(
    "$HORUS" compare traces/sample.csv -c 4x8:V100 --max-jobs=100 -p fifo -p sjf --outputs=all -o "$work/both" -q >/dev/null
    data cdf "$work/both"
    diff <(printf '#label\t%s\n' '1	fifo' '2	sjf') <(grep '^#label' "$work/data")
    "$HORUS" compare traces/sample.csv -c 4x8:V100 --max-jobs=100 -p fifo -p sjf -o "$work/bare" -q >/dev/null
    says 3 'a comparison that kept no runs' scripts/plot-data.sh cdf "$work/bare"
)"

# ---- pictures ------------------------------------------------------------------------------------

# Width and height of a PNG are the 4-byte numbers behind its first 16 bytes (RFC 2083, 4.1.1).
png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }
is_png() { head -c 8 "$1" | od -An -tx1 | grep -q '89 50 4e 47 0d 0a 1a 0a'; }
draws() { # SIZE KIND OPTION-OR-RUN...
    local size=$1 kind=$2
    shift 2
    scripts/plot.sh "$kind" "$work/picture.png" "$@" 2>&1
    is_png "$work/picture.png" || echo "$kind: no PNG"
    [ "$(png_size "$work/picture.png")" = "$size" ] || echo "$kind: $(png_size "$work/picture.png"), not $size"
    scripts/plot.sh "$kind" "$work/picture.pdf" "$@" 2>&1
    [ "$(head -c 5 "$work/picture.pdf")" = '%PDF-' ] || echo "$kind: no PDF"
    tail -c 1024 "$work/picture.pdf" | grep -aq '%%EOF' || echo "$kind: a cut PDF"
    rm -f "$work"/picture.*
}
all_kinds() { # [--r]
    draws 1000x400 cdf "$@" "$work/fifo" "$work/srtf" "$work/pack"
    draws 1500x700 cdf "$@" --size=1500x700 --metric=wait "--title=that's \"it\" \$HOME" "$work/fifo"
    draws 1000x620 time "$@" "$work/fifo" "$work/srtf" "$work/pack"
    draws 1000x500 waits "$@" "$work/fifo" "$work/pack"
    draws 1000x380 classes "$@" "$work/fifo" "$work/srtf" "$work/pack"
    draws 1000x520 classes "$@" --by=vc --metric=p99_jct "$work/fifo"
    draws 800x900 gantt "$@" --size=800x900 "$work/few" "$work/pack" "$work/hostile"
    draws 1000x490 heat "$@" "$work/fifo" "$work/pack"
    draws 1000x400 sweep "$@" --metric=mean_jct,p90_wait,gpu_allocation "$work/swept"
    draws 1000x400 cdf "$@" "$work/idle"
    draws 1000x500 waits "$@" "$work/fifo" "$work/idle"
    draws 1000x620 time "$@" "$work/idle"
    draws 1000x380 classes "$@" "$work/idle"
    says 3 "no job counts" scripts/plot.sh cdf "$work/x.png" "$@" "$work/early"
    find "$work" -maxdepth 1 -name ".plot*" # nothing half-made is left
}
mkdir "$work/swept"
{
    echo "state,axis_load,axis_seed,$(head -n 1 "$work/fifo/summary.csv")"
    for point in 0.5,1 0.5,2 1,1 1,2; do
        run "p$point" -p horus --load="${point%,*}" --seed="${point#*,}" --outputs=summary --max-jobs=100
        echo "done,$point,$(tail -n 1 "$work/p$point/summary.csv")"
    done
} >"$work/swept/sweep.csv"
if command -v gnuplot >/dev/null; then
    verdict "pictures by gnuplot" "$(all_kinds)"
    verdict "gnuplot alone" "$(
        LC_ALL=C.UTF-8 gnuplot -c scripts/plot-cdf.gp "$work/a's.png" "$work/fifo" 2>&1
        is_png "$work/a's.png" || echo "no PNG"
        export LC_ALL=C.UTF-8
        says 2 'usage: gnuplot -c scripts/plot-cdf.gp' gnuplot -c scripts/plot-cdf.gp
        says 3 'no such directory' gnuplot -c scripts/plot-cdf.gp "$work/x.png" "$work/none"
    )"
else
    echo "skip - plots: pictures by gnuplot: no gnuplot"
fi
if command -v Rscript >/dev/null; then
    verdict "pictures by R" "$(all_kinds --r)"
    # Another reader of CSV, another distribution function, another quantile of t.
    verdict "R counts the same" "$(
        data cdf --metric=jct "$work/hostile"
        Rscript --vanilla -e 'a <- commandArgs(TRUE); j <- read.csv(a[1]); d <- read.delim(a[2], comment.char = "#")
            f <- ecdf(j$turnaround_time[j$success == 1]); e <- max(abs(f(d$value) - d$share))
            if (!(e < 1e-8)) cat("distribution:", e, "\n")' "$work/hostile/jobs.csv" "$work/data"
        for df in $(seq 1 60) 500; do
            awk -v df="$df" -f scripts/plot-student.awk -f <(echo 'BEGIN { printf "%.9f\n", student_quantile(df) }')
        done >"$work/quantiles"
        Rscript --vanilla -e 'q <- scan(commandArgs(TRUE)[1], quiet = TRUE); e <- max(abs(q - qt(0.975, c(1:60, 500))))
            if (!(e < 1e-7)) cat("quantile of t:", e, "\n")' "$work/quantiles"
    )"
else
    echo "skip - plots: pictures by R: no Rscript (scripts/install-deps.sh r)"
fi
exit $failed
