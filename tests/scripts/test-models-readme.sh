#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# configs/models/README.md: its tables of errors are those of the model files beside it, every member of
# these files and every column of a user's CSV is explained, the commands run.
# --bless writes the tables into the page: read the diff before you commit it.
subject='models readme'
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

models=$top/configs/models
page=$models/README.md

# ---- tables --------------------------------------------------------------------------------------

# Lines `name TAB number TAB ...` as rows of a table; the first number is a count, the rest have
# three decimals, a missing one is empty.
rows() {
    awk -F'\t' '{
        printf "| %s | %s |", $1, $2
        for (i = 3; i <= NF; i++)
            if ($i == "") printf " |"
            else if ($i ~ / /) {
                n = split($i, part, " ")
                for (k = 1; k <= n; k++) printf "%s%.2f", k == 1 ? " " : " / ", part[k]
                printf " |"
            } else printf " %.3f |", ($i < 0.0005 && $i > -0.0005) ? 0 : $i
        printf "\n"
    }'
}

slowdown_table() {
    echo "| speed beside another | n | MAE | RMSE | R2 | bias | p95 | rho | decisions |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    jq -r '
        def row(name): [name, .n, .mae, .rmse, .r2, .bias, .p95, .rho,
            if .accuracy then (.accuracy | map(tostring) | join(" ")) else "" end] | @tsv;
        def gpu: if .mode == "unknown" then .gpu else .gpu + " " + .mode end;
        (.forms[] | select(.k) | gpu as $gpu | .holdout[] | select(.protocol | test("own|pair of jobs"))
            | row($gpu + ", form: " + .protocol)),
        (.tables[] | gpu as $gpu | .form as $form | .holdout[]
            | select(.protocol | test("^unseen pair of (jobs|models)$|, S cut to 1|after 3 tries"))
            | select($form == "two-way" or (.protocol | test("cut") | not))
            | select(.protocol | test("models, S cut") | not)
            | row($gpu + ", " + $form + ": " + .protocol)),
        (.checks[] | select(.protocol | test("capacity of pairs|^leave|^pairs"))
            | row((if .form_gpu and .form_gpu != .gpu then "cross-type, form of \(.form_gpu): " else "" end)
                + gpu + ", " + .protocol))
        ' "$models/interference.json" | rows
}

others_table() {
    echo "| solo and joint utilization (fractions) | n | MAE | RMSE | R2 | bias | p95 | rho |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
    {
        jq -r '
            def row(name): [name, .n, .mae, .rmse, .r2, .bias, .p95, .rho] | @tsv;
            (.joint | .form as $f | .holdout[] | select(.protocol != "unseen pair")
                | row("joint, \($f): " + .protocol)),
            (.known_jobs.holdout[] | row("joint, with effects of known jobs: " + .protocol)),
            (.joint_alternatives[] | .form as $f | select($f | test("max|stretch|sum u\\)")) | .holdout[0]
                | row("joint, \($f): " + .protocol)),
            (.joint_bandwidth | .holdout[0] | row("joint bandwidth, slowed work: " + .protocol))
            ' "$models/utilization.json"
        jq -r '
            def row(name): [name, .n, .mae, .rmse, .r2, .bias, .p95, .rho] | @tsv;
            (.holdout[] | select(.protocol | test("shift|middle|no features|step time") | not)
                | row("solo: " + .protocol)),
            (.elsewhere[] | .gpu as $gpu | .holdout[]
                | select(.protocol | test("^one.*no features$|^unseen model$|^copy of the measured value$"))
                | row("solo, carried to the \($gpu): " + .protocol))
            ' "$models/predictor.json"
    } | sed 's/max u:/larger of both:/' | rows
    echo
    echo "| time on another type, from the time on V100 | n | P100: mean error | 95 % | n | K80: mean error | 95 % |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    jq -r '
        def of(gpu; $p; $f): .holdout[] | select(.gpu == gpu and .reference == "V100" and
            .protocol == $p and .fallback == $f) | [.n, .mape, .p95];
        . as $all | ["unseen job", "batch"], ["unseen job", "family"], ["in the table", "family"],
            ["in the table", "scalar"], ["unseen family", "scalar"]
        | . as [$p, $f] | $all | ["\($f), \($p)"] + of("P100"; $p; $f) + of("K80"; $p; $f) | @tsv
        ' "$models/speed.json" |
        awk -F'\t' '{ printf "| %s | %d | %.0f %% | %.0f %% | %d | %.0f %% | %.0f %% |\n",
            $1, $2, 100 * $3, 100 * $4, $5, 100 * $6, 100 * $7 }'
}

shown() { sed -n "/<!-- $1: begin -->/,/<!-- $1: end -->/p" "$page" | sed '1d;$d'; }

put() { # NAME: the table of that name into the page
    awk -v begin="<!-- $1: begin -->" -v end="<!-- $1: end -->" -v table="$work/$1" '
        $0 == end { inside = 0 }
        !inside { print }
        $0 == begin { inside = 1; while ((getline line < table) > 0) print line }' "$page" \
        >"$work/page" && cp "$work/page" "$page"
}

slowdown_table >"$work/slowdown"
others_table >"$work/others"
for table in slowdown others; do
    [ "${1-}" != --bless ] || put $table
    verdict "table of $table" "$(diff <(shown $table) "$work/$table")"
done

# ---- names ---------------------------------------------------------------------------------------

format=$(sed -n '/^## Format/,$p' "$page")
verdict "every member of the model files is explained" "$(
    for kind in interference utilization predictor speed; do
        jq -r '[paths | .[] | strings] | unique[]' "$models/$kind.json"
    done | sort -u | grep -vxE 'V100|P100|K80' | while read -r member; do
        grep -qE "(^|[^a-z_0-9])$member([^a-z_0-9]|$)" <<<"$format" || echo "$member"
    done
)"
own=$(sed -n '/^## Your own GPUs/,/^## Format/p' "$page")
verdict "every column of one's own CSV is explained" "$(
    sed -nE '/define OWN_COLUMNS/,/^$/s/^ *X\([A-Z_]+, "([a-z_]+)", .*/\1/p' \
        "$top/src/calibrate/measure_read.c" |
        while read -r column; do
            grep -qF "\`$column\`" <<<"$own" || echo "$column"
        done
)"
verdict "every cleaning step is explained" "$(
    sed -nE 's/^ *X\([A-Z_]+, "([a-z-]+)"\).*/\1/p' "$top/src/calibrate/measure.h" |
        while read -r step; do grep -q "^| \`$step\` " "$page" || echo "$step"; done
)"
verdict "rows of the example are in its file" "$(
    grep -E '^    [^ ]*,L40S,' "$page" | sed 's/^ *//' |
        while read -r row; do grep -qxF "$row" "$models/example-pairs.csv" || echo "$row"; done
)"
verdict "paths exist" "$(grep -oE '\]\([^)#:]+\)' "$page" | sed 's/^](//;s/)$//' |
    while read -r path; do [ -e "$models/$path" ] || echo "$path"; done)"

# ---- commands ------------------------------------------------------------------------------------

mkdir "$work/bin" "$work/walk"
ln -s "$HORUS" "$work/bin/horus"
ln -s "$top/configs" "$top/traces" "$work/walk"
cd "$work/walk" || exit 1
grep -E '^ +horus ' "$page" | sed 's/^ *//' >"$work/commands"
verdict "the page has its commands" "$([ "$(wc -l <"$work/commands")" -ge 7 ] || cat "$work/commands")"
while read -r command; do
    verdict "runs: ${command%% --*}" "$(PATH=$work/bin:$PATH bash -c "$command" </dev/null \
        >"$work/said" 2>&1 || { echo "$command"; tail -n 5 "$work/said"; })"
    case $command in
    *predict*L40S*)
        verdict "a pair of the example is measured" \
            "$(grep -q '^  DCGAN/LSUN/64/fp32 .* measured ' "$work/said" || cat "$work/said")"
        ;;
    esac
done <"$work/commands"
exit $failed
