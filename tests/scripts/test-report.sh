#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page of `horus report` as text: well-formed, self-contained, safe against names in a trace,
# within its size, and with the digits of summary.json and compare.csv. HORUS_LONG=1: a million
# jobs, at most 300 KB. test-report-browser.sh has the page in a browser.
subject=report
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

cd "$work" || exit 1
page_max=300000 # bytes

result() { # the faults found are in the file `wrong`
    verdict "$2" "$([ "$1" -eq 0 ] || { echo "exit $1" && cat wrong; })"
}

quietly() { "$HORUS" "$@" >said 2>&1 || cat said; }

# Every element is closed, in order, and every attribute is quoted: XML's requirements.
balanced() { # PAGE
    LC_ALL=C awk '
        function wrong(what) { print NR ": " what; bad = 1 }
        BEGIN { RS = "<" }
        NR == 1 { next }
        {
            end = index($0, ">")
            tag = substr($0, 1, end - 1)
            if (end == 0) { wrong("no end of <" substr($0, 1, 60)); next }
            name = tag
            sub(/[ \/\n].*/, "", name)
            if (name != "style" && index(substr($0, end + 1), ">")) wrong("> in text: " $0)
            if (tag == "!DOCTYPE html") next
            if (tag ~ /^\//) {
                name = substr(tag, 2)
                if (depth == 0 || open[depth--] != name) wrong("</" name "> closes nothing")
                next
            }
            rest = substr(tag, length(name) + 1)
            gsub(/ [A-Za-z-]+="[^"]*"/, "", rest)
            if (rest != "" && rest != "/") wrong("attributes of <" tag ">")
            if (rest != "/") open[++depth] = name
        }
        END {
            if (depth > 0) wrong("<" open[depth] "> is not closed")
            exit bad
        }' "$1" >wrong
}

# Bytes after & that are not a reference of XML.
references() { # PAGE
    ! LC_ALL=C grep -noE '&([^aglq#]|a[^mp]|#[^0-9]).{0,20}' "$1" >wrong
}

# No external resources; escaped markup is text.
alone() { # PAGE
    ! sed 's/;base64,[^"]*//; s/&lt;[^<>]*&gt;//g' "$1" |
        grep -noiE '(https?:|//[a-z]|<(script|link|iframe|object|embed)|@import|url\(|[ "](src|srcset|on[a-z]+)=).{0,40}' \
            >wrong
}

# The only script is the file of the tree, and the one with the hash in the policy of the page.
script() { # PAGE
    python3 - "$1" "$top/configs/report.js" >wrong <<'END'
import base64, hashlib, re, sys
page, source = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
sys.exit(len(scripts) != 1 or f"script-src 'sha256-{digest}'" not in page
         or scripts[0] != "//<![CDATA[\n" + source[source.index("*/\n") + 3:] + "//]]>")
END
}

whole() { # PAGE WHAT
    script "$1"
    result $? "$2: runs the script of the tree and no other"
    sed '/<script>/,/<\/script>/d' "$1" >bare.html
    balanced bare.html
    result $? "$2: elements are closed, attributes quoted"
    references bare.html
    result $? "$2: no bare &"
    alone bare.html
    result $? "$2: nothing is fetched, no other script"
}

small() { # PAGE WHAT
    local bytes
    bytes=$(wc -c <"$1")
    echo "$bytes bytes" >wrong
    [ "$bytes" -le $page_max ]
    result $? "$2: $bytes bytes, at most $page_max"
}

# "metric value" of the cells of a page; those in a row of a class, or of quantiles, are others.
figures() { # PAGE
    grep -v -e '<tr data-class' -e '<td class="text">\(JCT\|wait\|slowdown\)<' "$1" |
        grep -o 'data-metric="[^"]*" data-value="[^"]*"' |
        sed 's/data-metric="\([^"]*\)" data-value="\([^"]*\)"/\1 \2/' | sort -u
}

# ---- one run: the sample ----
quietly run "$top/traces/sample.csv" -c 8x8:V100 -p srtf -q -o sample
quietly report sample -o sample.html
whole sample.html "sample"
small sample.html "sample"

# The numbers of summary.json as printed, digit by digit.
sed -n '/^  "metrics": {/,/^  }/s/^    "\([a-z0-9_]*\)": \([-0-9.e+]*\),\{0,1\}$/\1 \2/p' \
    sample/summary.json | sort >expected
[ "$(wc -l <expected)" -gt 50 ] && figures sample.html | diff expected - >wrong
result $? "sample: every metric has the digits of summary.json"

grep 'data-class="gpus 2-4"' sample.html | grep -o 'data-metric="mean_jct" data-value="[^"]*"' |
    cut -d'"' -f4 >got
jq '.classes.gpus["2-4"].mean_jct' sample/summary.json | diff - got >wrong
result $? "sample: so do classes"

# Quantiles are computed from jobs.csv, by another method than those of the summary.
for metric in p50_jct p90_jct p99_jct max_jct p95_wait p99_wait p95_slowdown; do
    grep -e '<td class="text">\(JCT\|wait\|slowdown\)<' sample.html |
        grep -o "data-metric=\"$metric\" data-value=\"[^\"]*\"" |
        cut -d'"' -f4 | sed "s/^/$metric /"
    jq -r "\"$metric \(.metrics.$metric)\"" sample/summary.json
done | uniq -u >wrong
[ ! -s wrong ]
result $? "sample: quantiles from jobs.csv are those of the summary"

# The causes of waiting are drawn completely and once: together they are resources, placement, quota and
# priority.
sed -n '/id="waiting"/,/<\/section>/p' sample.html | grep -o '[0-9.e+]* GPU-hours, [0-9.]* %' |
    awk '{ hours += $1; percent += $3 } END { print hours, percent }' >got
jq -r '.metrics | (.wait_resources_gpu_seconds + .wait_placement_gpu_seconds + .wait_quota_gpu_seconds
    + .wait_priority_gpu_seconds) / 3600' sample/summary.json | paste -d' ' got - |
    awk '{ print "drawn", $1, "GPU-hours,", $2, "%; in all", $3
           exit !($3 > 0 && $1 / $3 > 0.999 && $1 / $3 < 1.001 && $2 > 99.7 && $2 < 100.3) }' >wrong
result $? "sample: causes of waiting add up"

# ---- a comparison ----
quietly compare "$top/traces/sample.csv" -c 16x8:V100 -p fifo -p srtf -p horus --seeds 1..2 \
    --max-jobs 600 --outputs all -q -o comparison
quietly report comparison -o comparison.html
whole comparison.html "comparison"
small comparison.html "comparison"
awk -F, 'NR > 1 && $1 == "srtf" && $2 == "mean_wait" { print $4 }' comparison/compare.csv >expected
grep -o '<tr data-run="srtf">.*' comparison.html | grep -v 'class="text">' |
    grep -o 'data-metric="mean_wait" data-value="[^"]*"' | cut -d'"' -f4 | diff expected - >wrong
result $? "comparison: means are those of compare.csv"

# ---- the same bytes, wherever and whenever ----
(cd sample && TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$HORUS" report . -o -) | cmp - sample.html >wrong 2>&1
result $? "the same bytes from another folder, time zone and locale"

# ---- names that mean harm ----
{
    printf 'job_id,submit_time,gpus,duration,user,vc\n'
    printf '<script>alert(1)</script>,0,1,10,"""><img src=x onerror=a()>",vc&<b>\n'
    printf "it's \"&amp;\",1,1,5,</title>,'single'\n"
    printf 'caf\xe9,2,1,5,]]>,-->\n'
} | sed 's/^it.s "&amp;",/"it'\''s ""\&amp;""",/' >'a&b<i>.csv'
quietly run 'a&b<i>.csv' -c 1x2 -p 'fifo' -q -o hostile
quietly report hostile -o hostile.html
whole hostile.html "hostile names"
grep -c '&lt;script&gt;alert(1)&lt;/script&gt;' hostile.html >wrong
result $? "hostile names: are shown as they are"

# ---- a million jobs ----
if [ -n "${HORUS_LONG-}" ]; then
    LC_ALL=C awk 'BEGIN {
        srand(1)
        print "job_id,submit_time,gpus,duration,user,vc"
        for (i = 0; i < 1000000; i++) {
            t += int(-14 * log(1 - rand()))
            g = rand() < 0.7 ? 1 : rand() < 0.5 ? 2 : rand() < 0.8 ? 8 : 32
            d = int(exp(5 + 2 * (rand() + rand() + rand() + rand() - 2)) * 2) + 1
            printf "j%d,%d,%d,%d,u%d,vc%d\n", i, t, g, d, int(300 * rand()), int(12 * rand())
        }
    }' >million.csv
    quietly run million.csv -c 64x8:V100 -p srtf -q --check=off -o million
    begin=$(date +%s)
    quietly report million -o million.html
    echo "# a million jobs: $(($(date +%s) - begin)) s"
    whole million.html "a million jobs"
    small million.html "a million jobs"
else
    skip "a million jobs: set HORUS_LONG=1"
fi
exit $failed
