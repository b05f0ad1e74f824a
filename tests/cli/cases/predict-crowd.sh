# SPDX-License-Identifier: GPL-3.0-or-later
# The queueing recursion is for eight.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha --with Alpha --with Alpha --with Alpha --with Alpha --with Alpha --with Alpha \
    --with Alpha --with Alpha --gpu V100 --crowd queueing
