# SPDX-License-Identifier: GPL-3.0-or-later
# A run goes by batch 64: 1 + 0.8 x 0.2. The estimate is of loads, twice ln 2 for Alpha, so
# 1 - exp(-2 ln 2) and 1 + 0.75 x 0.2. Gamma's 20 % are a P100's, whatever stands on them too.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:128:amp --with Gamma --gpu V100
