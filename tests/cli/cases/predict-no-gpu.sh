# SPDX-License-Identifier: GPL-3.0-or-later
# Slowdowns are of a GPU type.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:64
