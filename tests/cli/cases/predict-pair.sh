# SPDX-License-Identifier: GPL-3.0-or-later
# Alpha beside Beta is measured, Beta beside Alpha fitted: 1 + 1 x 1. Told: 1 + 0.5 x 0.6 x 0.8^2 and
# 1 + 0.5 x 0.8 x 0.6^2. Joint: 1 - 0.5 x 0.1.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --with beta --gpu V100
