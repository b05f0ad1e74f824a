# SPDX-License-Identifier: GPL-3.0-or-later
# Excesses are added up: 0.72 + 1, 0.72 + 0.4, 0.25 + 0.4; told 0.196 + 0.144, 0.224 + 0.126,
# 0.192 + 0.147. Joint: 1 - 0.1 x 0.2 x 0.5. 19000 MiB do not fit.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Beta --with Alpha:64 --with Alpha:32 --gpu V100
