# SPDX-License-Identifier: GPL-3.0-or-later
# Nobody is asked about.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --gpu V100
