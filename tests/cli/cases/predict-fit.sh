# SPDX-License-Identifier: GPL-3.0-or-later
# Without measured pairs: 1 + 0.5 x 0.4 and 1 + 1 x 1; gamma 2 squares both,
# of which no error is known.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --with Beta --gpu V100 --interference fit --gamma 2
