# SPDX-License-Identifier: GPL-3.0-or-later
# A dataset that the model is not known with is not guessed at.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:64:fp32:ImageNet --gpu V100
