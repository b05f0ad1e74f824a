# SPDX-License-Identifier: GPL-3.0-or-later
# Measured alone; told: predictor.json, off by 10 % on the other rows.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --gpu V100
