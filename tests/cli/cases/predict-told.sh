# SPDX-License-Identifier: GPL-3.0-or-later
# The mean of the other row of Alpha; 4 (32 + 33) x 2^20 bytes by the formula. Off by ln(260/4000)
# on the own row, by ln(516/6000) = -2.453 on the other, which is left for the error.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --gpu V100 --predictor table --memory-predictor formula
