# SPDX-License-Identifier: GPL-3.0-or-later
# Keys as printed, also one without a batch; the names of both forms are folded alike.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha/Set/32/fp32 --with gamma/game//FP32 --gpu V100
