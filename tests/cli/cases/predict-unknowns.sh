# SPDX-License-Identifier: GPL-3.0-or-later
# Of Delta nothing is known; of an H100 neither, and the general form was fitted elsewhere.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --with Delta --gpu H100
