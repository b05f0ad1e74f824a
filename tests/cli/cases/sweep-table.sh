# SPDX-License-Identifier: GPL-3.0-or-later
# The table at the end: heads in full, and a word about what the window has no room for (88 columns:
# 28 for the policy, 12 for each of 5 loads); one point is one point. The jobs are one alone, so all JCTs
# are its duration.
table() { # GRID
    echo "{ \"config\": { \"trace\": \"traces/sample.csv\", \"cluster\": \"8x8:V100\" }, \"grid\": $1 }" >e.json
    COLUMNS=88 "$HORUS" sweep e.json | sed '/^files/d'
}
sed -n 2p traces/sample.csv
table '{ "max_jobs": [1] }'
table '{ "policy": ["fifo", "sjf"], "max_jobs": [1, 1000] }' | sed -n '1p;4p'
table '{ "policy": ["fifo", "sjf"], "max_jobs": [1], "load": [1, 2, 3, 4, 5, 6] }'
