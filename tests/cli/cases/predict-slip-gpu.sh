# SPDX-License-Identifier: GPL-3.0-or-later
# A type about which nothing is known is no error, but told.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Gamma --gpu W100
