# SPDX-License-Identifier: GPL-3.0-or-later
# On a P100 nothing of the pair was measured: 1 + 0.5 x 0.9 from V100's form; told 1 + 0.5 x 0.6 x 0.8^2.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --with Beta --gpu P100 --json
