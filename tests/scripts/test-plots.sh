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
failed=0

verdict() { # NAME WRONG: nothing wrong is ok
    if [ -z "$2" ]; then
        echo "ok - plots: $1"
    else
        echo "FAIL - plots: $1:"
        printf '%s\n' "$2" | head -n 30
        failed=1
    fi
}

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

run fifo -p fifo
run srtf -p srtf
run pack -p pack
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
run cut -p fifo --until=20h
for name in fifo srtf pack exact cut; do
    verdict "means over time are those of the summary: $name" "$(
        data time --parts=37 "$work/$name"
        mean() { awk -F'\t' -v m="$1" '$1 == m { sum += $6 * ($5 - $4); n++; end = $5 } END { if (n == 37) printf "%.9g", sum / end }' "$work/data"; }
        near "GPUs held" "$(mean gpus_held)" "$(jq '.metrics.gpu_allocation * 16' "$work/$name/summary.json")"
        near "utilization" "$(mean util_model)" "$(of_summary $name gpu_utilization)"
        near "waiting" "$(mean waiting)" "$(of_summary $name mean_queue_length)"
        grep -qx '#gpus	16' "$work/data" || echo "16 GPUs are not told"
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

# ---- labels and messages -------------------------------------------------------------------------

verdict "runs of one policy are called by their directories" "$(
    data cdf "$work/fifo" "$work/short/../window" "$work/srtf" || true
    diff <(printf '#label\t%s\n' '1	fifo' '2	window' '3	srtf') <(grep '^#label' "$work/data")
)"
says() { # STATUS PATTERN COMMAND...
    local status=$1 pattern=$2 got
    shift 2
    "$@" >"$work/said" 2>&1
    got=$?
    [ $got -eq "$status" ] || echo "exit $got, not $status: $*"
    grep -qE -- "$pattern" "$work/said" || { echo "not said: $pattern"; cat "$work/said"; }
}
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
# shellcheck disable=SC2120 # R comes with --r
all_kinds() { # [--r]
    draws 1000x400 cdf "$@" "$work/fifo" "$work/srtf" "$work/pack"
    draws 1500x700 cdf "$@" --size=1500x700 --metric=wait "--title=that's \"it\" \$HOME" "$work/fifo"
    draws 1000x620 time "$@" "$work/fifo" "$work/srtf" "$work/pack"
    find "$work" -maxdepth 1 -name ".plot*" # nothing half-made is left
}
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
exit $failed
