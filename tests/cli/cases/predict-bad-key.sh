# SPDX-License-Identifier: GPL-3.0-or-later
# A key has four parts.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha/Set/64/fp32/more --gpu V100
