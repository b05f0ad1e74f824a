# SPDX-License-Identifier: GPL-3.0-or-later
# No table has both: 1 + u v with 0.8 and 0.9. 15000 MiB and the reserve are within 16384.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:64 --with Beta --gpu V100
