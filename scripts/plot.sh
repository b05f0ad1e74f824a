#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Draws run directories.
#   scripts/plot.sh KIND OUT.png|OUT.pdf [OPTION...] RUN...
#   cdf      distribution of completion times, waits, slowdowns    --metric=jct,wait,slowdown
#            (also: pending, run_slowdown)
#   time     GPUs held, utilization and jobs waiting over time     --parts=120
#   waits    what waiting jobs wait for over time, by cause        --parts=120
#   classes  means of classes of jobs: by gang size, user ...      --by=gpus|vc|user_quintile|outcome|class
#                                                                  --metric=mean_wait,mean_jct,mean_slowdown
#   sweep    metrics along an axis of a sweep, whose directory     --x=KEY
#            (or sweep.csv) stands in place of RUN                 --metric=mean_jct,mean_wait,gpu_utilization
#   gantt    who held which GPU when, up to 500 segments a run
#   heat     how full the nodes were over time                     --parts=240
#   compare  a comparison in four panels, its directory in place of RUN
# A RUN is a directory of 'horus run', or of 'horus compare --outputs=...' for all its runs; at most 8.
#   --r            by R (base graphics) instead of gnuplot
#   --size=WxH     pixels of a PNG; a PDF has 1000 in 7 inches; all grows with the width
#   --title=TEXT   above the picture
# Exit 2: usage; 3: what the plot needs is not there; 1: drawing failed. OUT is complete or untouched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

usage() {
    [ -z "$1" ] || echo "plot: $1" >&2
    sed -n '/^# Draws/,/^[^#]/{ s/^# \{0,1\}//p; }' "$0" >&2
    exit 2
}

kinds="cdf time waits classes sweep gantt heat compare"
with=gnuplot
size=
title=
options=()
operands=()
while [ $# -gt 0 ]; do
    case $1 in
    --r) with=Rscript ;;
    --size=*) size=${1#*=} ;;
    --title=*) title=${1#*=} ;;
    --help | -h) usage '' ;;
    --)
        shift
        operands+=("$@")
        break
        ;;
    --*) options+=("$1") ;;
    *) operands+=("$1") ;;
    esac
    shift
done
[ ${#operands[@]} -ge 3 ] || usage 'a kind, a picture to write and at least one run are needed'
kind=${operands[0]}
out=${operands[1]}
runs=("${operands[@]:2}")
[[ " $kinds " == *" $kind "* ]] || usage "unknown kind '$kind'; there are: $kinds"
case $out in
*.png | *.pdf) ;;
*) usage "$out: the picture's name must end in .png or .pdf" ;;
esac
[ -z "$size" ] || [[ $size =~ ^[1-9][0-9]{1,4}x[1-9][0-9]{1,4}$ ]] || usage "--size=$size: not like 1400x600"
[ ${#runs[@]} -le 8 ] || usage "${#runs[@]} runs; a plot has room for 8"

if ! command -v "$with" >/dev/null; then
    echo "plot: $with is not installed" >&2
    "$here/install-deps.sh" --print "$([ $with = gnuplot ] && echo plot || echo r)" >&2
    exit 3
fi

folder=$(dirname "$out")
mkdir -p "$folder"
made=$(mktemp "$folder/.plot-XXXXXX.${out##*.}") || exit 4
trap 'rm -f "$made"' EXIT
export LC_ALL=C.UTF-8
if [ "$kind" = compare ]; then
    [ $with = gnuplot ] && [[ $out == *.png ]] || usage "compare is drawn by gnuplot, as PNG"
    gnuplot -c "$here/plot-compare.gp" "${runs[0]}" "$made" ${title:+"$title"} || exit
elif [ $with = gnuplot ]; then
    words=
    for option in ${options[@]+"${options[@]}"}; do words+=" $(printf %q "$option")"; done
    gnuplot -e "size = '$size'; title = '${title//\'/\'\'}'; options = '${words//\'/\'\'}'" \
        -c "$here/plot-$kind.gp" "$made" "${runs[@]}" || exit
else
    Rscript --vanilla "$here/plot-$kind.R" "--size=$size" "--title=$title" \
        ${options[@]+"${options[@]}"} "$made" "${runs[@]}" || exit
fi
[ -s "$made" ] || { echo "plot: $with drew nothing" >&2; exit 1; }
chmod "$(printf '%o' $((0666 & ~$(umask))))" "$made"
mv "$made" "$out"
