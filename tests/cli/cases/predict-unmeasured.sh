# SPDX-License-Identifier: GPL-3.0-or-later
# Loads: twice ln 2 for Alpha, so 1 - exp(-2 ln 2). Memory and a run go by batch 64.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:128:amp --with Gamma --gpu V100
