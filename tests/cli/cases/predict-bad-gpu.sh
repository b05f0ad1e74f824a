# SPDX-License-Identifier: GPL-3.0-or-later
# A comma would be two GPU types.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha --gpu V100,P100
