# SPDX-License-Identifier: GPL-3.0-or-later
# What a run takes and the estimate for the batch asked about (predict-unmeasured), on their own.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:128:amp --with Beta --gpu V100 --json
