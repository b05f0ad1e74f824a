# SPDX-License-Identifier: GPL-3.0-or-later
# A slip of the pen.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alhpa:32 --gpu V100
