# SPDX-License-Identifier: GPL-3.0-or-later
# Nor is a precision.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:64:bf16 --gpu V100
