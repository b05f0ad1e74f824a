# SPDX-License-Identifier: GPL-3.0-or-later
# The same as JSON.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --with beta --gpu V100 --json
