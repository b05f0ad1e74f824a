# SPDX-License-Identifier: GPL-3.0-or-later
# Measured on V100, where it is twice as fast: a step takes 200 ms on a P100, however
# that is spelt.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --gpu p-100
