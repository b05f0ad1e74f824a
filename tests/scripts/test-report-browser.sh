#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page of `horus report` in headless Chromium: it renders, light, dark and narrow, without a message
# on the console; the figures in the document that the browser builds are those of summary.json.
subject=report-browser
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

if ! command -v chromium >/dev/null; then
    skip "chromium is not installed (scripts/install-deps.sh browser)"
    exit 0
fi
cd "$work" || exit 1

result() { # the faults found are in the file `wrong`
    verdict "$2" "$([ "$1" -eq 0 ] || { echo "exit $1" && cat wrong; })"
}

# Messages of the browser go to the file `log`; no profile is left.
browse() { # OPTION... PAGE
    local page=${*: -1}
    timeout 120 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
        --disable-background-networking --no-first-run --user-data-dir="$work/profile" \
        --enable-logging=stderr --v=0 "${@:1:$#-1}" "file://$work/$page" 2>log
}

# Messages of the page itself: errors, refusals of its content security policy.
complaints() { grep -E ':CONSOLE[(:]' log; }

"$HORUS" run "$top/traces/sample.csv" -c 16x8:V100 -p srtf -q -o sample >/dev/null &&
    "$HORUS" compare "$top/traces/sample.csv" -c 16x8:V100 -p fifo -p srtf --max-jobs 500 \
        --outputs all -q -o comparison >/dev/null &&
    "$HORUS" report sample -o sample.html >/dev/null &&
    "$HORUS" report comparison -o comparison.html >/dev/null || exit 1

# The check can fail: a page that would fetch a picture causes a message.
sed 's|</main>|<img src="http://127.0.0.1:9/x.png" alt=""/></main>|' sample.html >fetching.html
browse --dump-dom fetching.html >/dev/null
complaints >wrong
result $? "a page that wants a picture from elsewhere is noticed"

for page in sample comparison; do
    browse --dump-dom $page.html >$page.dom
    [ -s $page.dom ] && ! complaints >wrong
    result $? "$page: the console stays silent"
done

# The document that the browser built; its texts are those of the page.
sed -n '/^  "metrics": {/,/^  }/s/^    "\([a-z0-9_]*\)": \([-0-9.e+]*\),\{0,1\}$/\1 \2/p' \
    sample/summary.json | sort >expected
grep -v -e '<tr data-class' -e '<td class="text">\(JCT\|wait\|slowdown\)<' sample.dom |
    grep -o 'data-metric="[^"]*" data-value="[^"]*"' |
    sed 's/data-metric="\([^"]*\)" data-value="\([^"]*\)"/\1 \2/' | sort -u >got
[ "$(wc -l <expected)" -gt 50 ] && diff expected got >wrong
result $? "sample: the figures in the document are those of summary.json"

# The effect of the script, by a second one after it in a copy without the policy.
after() { # its title goes to the file `got`
    sed 's|<meta http-equiv[^>]*>||; s|</body>||; s|</html>||' "$1" >scripted.html
    printf '<script>document.title = (function () { %s })();</script></body></html>\n' "$2" >>scripted.html
    browse "${@:3}" --dump-dom scripted.html | grep -m 1 -o '<title>[^<]*' | sed 's/<title>//' >got
}
after sample.html 'var table = document.querySelectorAll("#teams table")[1], rows = table.tBodies[0].rows;
    function waits() { return Array.from(rows, function (r) { return Number(r.cells[4].dataset.value); }); }
    function rise(x) { return x.every(function (w, i) { return i === 0 || w >= x[i - 1]; }); }
    var before = waits(), sort = table.tHead.rows[0].cells[4].firstChild, said = rise(before);
    sort.click(); said += " " + rise(waits());
    sort.click(); said += " " + rise(waits().reverse());
    sort.click(); said += " " + (waits().join() === before.join());
    var box = document.querySelector("#summary .filter"), all = document.querySelectorAll("#summary tbody tr");
    box.value = "jct p99"; box.dispatchEvent(new Event("input"));
    return said + " " + Array.from(all).filter(function (r) { return !r.hidden; }).length;'
echo 'false true true true 1' | diff - got >wrong
result $? "sample: a table sorts up, down and back, and is filtered"
after comparison.html 'document.querySelector("#time .enlarge").click();
    var dialog = document.querySelector("dialog"), svg = dialog.querySelector("svg");
    function press(key) { dialog.dispatchEvent(new KeyboardEvent("keydown", {key: key})); }
    function wide() { return Number(svg.getAttribute("viewBox").split(" ")[2]); }
    var whole = svg.getAttribute("viewBox"), texts = svg.querySelectorAll("text").length, was = wide();
    press("+"); var zoomed = wide() / was; press("0");
    return [dialog.open, texts > 4, zoomed.toFixed(2), svg.getAttribute("viewBox") === whole].join(" ");'
echo 'true true 0.80 true' | diff - got >wrong
result $? "comparison: a figure opens, is zoomed and shown whole again"

for width in 390 1024 1440; do
    after comparison.html 'document.querySelectorAll("details").forEach(function (d) { d.open = true; });
        return document.documentElement.scrollWidth <= innerWidth ? "fits" : document.documentElement.scrollWidth + " of " + innerWidth;' \
        --window-size=$width,900
    echo fits | diff - got >wrong
    result $? "comparison: nothing stands out at $width pixels"
done

# Printed, with closed details open: every heading of a column, and every name of a metric.
if command -v pdftotext >/dev/null; then
    for page in sample comparison; do
        browse --print-to-pdf="$work/$page.pdf" --no-pdf-header-footer $page.html >/dev/null
        pdftotext -layout $page.pdf - | tr -d ' \n' >printed
        sed '/<script>/,/<\/script>/d' $page.html | grep -o '<th scope="\(col\|row\)">[^<]*</th>' |
            sed 's/<[^>]*>//g; s/ //g; s/&#39;/'"'"'/g' | sort -u >headings
        while read -r heading; do grep -qF -- "$heading" printed || echo "$heading"; done <headings >wrong
        [ "$(wc -l <headings)" -gt 50 ] && [ ! -s wrong ]
        result $? "$page: printed, no column and no row is lost"
    done
else
    skip "printed: pdftotext is not installed"
fi

# Width and height of a PNG file are its bytes 17 to 24.
side() { od -An -tu1 -j "$2" -N 4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }

shot() { # WHAT WIDTH OPTION...
    local what=$1 width=$2
    shift 2
    browse --window-size="$width,4000" --screenshot="$work/$what.png" "$@" sample.html >/dev/null
    echo "no picture, or not $width wide" >wrong
    [ -s "$what.png" ] && [ "$(side "$what.png" 16)" -eq "$width" ]
    result $? "sample: renders, $what"
}
shot light 1100
shot dark 1100 --blink-settings=preferredColorScheme=0
shot narrow 500
cmp -s light.png dark.png
[ $? -eq 1 ]
result $? "sample: dark is not light"
exit $failed
