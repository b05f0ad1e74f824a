#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The graph columns of configs/profiles.csv are the counts of scripts/graph-features.awk over
# scripts/graphs.txt, by every awk installed; its counting rules on layers small enough to count by hand;
# its errors.
subject=graph-features
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

count() { # layers -> the counts of one graph, without its name
    printf 'graph A/B\n%s\n' "$1" >"$work/one.txt"
    awk -f "$top/scripts/graph-features.awk" "$work/one.txt" | sed -n '2s/^A,B,//p'
}

expect() { # layers counts name
    verdict "$3" "$(diff <(echo "$2") <(count "$1"))"
}

refuse() { # layers message name
    printf 'graph A/B\n%s\n' "$1" >"$work/bad.txt"
    awk -f "$top/scripts/graph-features.awk" "$work/bad.txt" >/dev/null 2>"$work/bad.err"
    verdict "$3" "$([ $? -eq 1 ] && grep -qF "bad.txt:2: $2" "$work/bad.err" || echo "exit $?: $(cat "$work/bad.err")")"
}

# ---- the catalogue ----
for awk in awk mawk gawk original-awk busybox; do
    path=$(command -v "$awk") || continue
    mkdir "$work/$awk"
    ln -s "$path" "$work/$awk/awk"
    PATH=$work/$awk:$PATH awk -f "$top/scripts/graph-features.awk" "$top/scripts/graphs.txt" \
        >"$work/$awk.csv" 2>"$work/said" || echo "exit $?" >>"$work/said"
    verdict "published counts are met by $awk" "$(cat "$work/said")"
    verdict "$awk counts as awk does" "$(cmp "$work/awk.csv" "$work/$awk.csv" 2>&1)"
done

# Columns by their names; a graph without a row and a row without its graph are errors.
succeeds "the catalogue has these counts" awk -F, -v OFS=, '
    FNR == 1 {
        delete at
        for (i = 1; i <= NF; i++)
            at[$i] = i
        columns = split("macs,params,layers,convs,linears,activations,others,outputs,skew", name, ",")
        next
    }
    {
        key = $at["model"] "/" $at["dataset"]
        text = ""
        for (i = 1; i <= columns; i++)
            text = text " " $at[name[i]]
    }
    NR == FNR { graph[key] = text; next }
    $at["source_graph"] == "" && text ~ /[0-9]/ { print key " has counts without a source"; bad = 1 }
    $at["source_graph"] == "" { next }
    !(key in graph) { print key " has no graph"; bad = 1; next }
    graph[key] != text { print key ": " text " is not " graph[key]; bad = 1 }
    { used[key] = 1 }
    END {
        for (key in graph)
            if (!(key in used)) {
                print key " is in no profile"
                bad = 1
            }
        exit bad
    }' "$work/awk.csv" "$top/configs/profiles.csv"

# ---- by hand: macs,params,layers,convs,linears,activations,others,outputs,skew ----
# The largest tensors: 54 of 56, 27 of 27; the dense layer's 5 x 12 = 60 of 89; 96 of 96; none;
# 4 x 3 x 3 = 36 of 84 by the state of the LSTM; 3 x 3 x 3 = 27 of 126, and of 63; the table's 40 of
# 58; 12 of 12; 12 of 36; 4 of 8.
# 2 outputs x 3x3 kernel x 3 channels x 4x4 places = 864; 54 weights + 2 biases; 2x4x4 elements
expect "in 3 4 4; conv 2 3 1 1 bias" 864,56,1,1,0,0,0,32,96.4 "a convolution"
# stride 2 without padding: (5-3)/2+1 = 2; depth-wise: 3 x 9 weights, 2x2 places
expect "in 3 5 5; conv = 3 2 0 g=" 108,27,1,1,0,0,0,12,100.0 "a depth-wise convolution"
# 1x3 kernel, same: 4 x 3 x 2 weights at 2x6 places; then 2x2 windows: 1x3 places, a dense layer of 12
expect "in 2 2 6; conv 4 1x3 1 same; act; pool 2; flat; linear 5" 348,89,2,1,1,1,1,53,67.4 "shapes"
# 4x4 kernel from 2 channels at 2x2 places to 3 at 4x4
expect "in 2 2 2; deconv 3 4 2 4" 384,96,1,1,0,0,0,48,100.0 "a transposed convolution"
# q k' and a v: 2 x 8 x 5 x 5; scores 2 x 5 x 5, values 8 x 5
expect "in 8 5; attend 2 5" 400,0,0,0,2,1,1,90, "attention"
# gates 4: 4 x 3 x (2+3) weights and 2 x 12 biases, at 7 positions; 2 linear + 5 activations each
expect "in 2 7; lstm 3" 420,84,1,0,14,35,0,21,42.9 "a recurrent layer"
expect "in 2 7; gru 3 both" 630,126,1,0,84,56,0,42,21.4 "one in both directions"
expect "in 2 7; gru 3 cell" 315,63,1,0,6,4,0,21,42.9 "a cell at each position"
expect "in 1 7; embed 10 4; norm; linear 10 tied" 280,58,1,0,2,0,1,98,69.0 "a table and a tied layer"
expect "in 6; copies 3; linear 2 nobias; act" 36,12,1,0,3,3,0,6,100.0 "a layer that is used three times"
# 1x1 kernels: 6 and 12 weights at 4x4 places; 9 scales and 9 shifts
expect "in 2 4 4; keep a; conv 3 1; back a; conv 6 1; join 9; norm" 288,36,2,2,0,0,1,144,33.3 "branches"
expect "in 1 7; embed 10 4 frozen; norm" 0,8,0,0,1,0,1,28,50.0 "a table that is not trained"

# ---- complaints ----
refuse "in 3 4 4; conv 2 5" "an empty shape: 2 x 0 x 0" "a kernel larger than its input"
refuse "in 3 4 4; convolve 2" "unknown operator: 'convolve'" "an unknown operator"
refuse "in 3; linear many" "not a number: 'many'" "an operand that is no number"
refuse "in 3; linear 2; check params 7 0 me" "A,B: params = 8, published 7" "a wrong count"
refuse "in 3; linear 2; check skew 50 0 me" "A,B: skew = 75.0, published 50" "a wrong share"
refuse "in 3 4 4; conv 4 1 1 0 g2" "groups do not divide 3 channels" "groups that do not divide"
exit $failed
