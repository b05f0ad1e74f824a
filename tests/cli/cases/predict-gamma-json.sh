# SPDX-License-Identifier: GPL-3.0-or-later
# 1.25^2 and (1 + 1)^2; what is raised is not what was measured or fitted, and has no error.
M=tests/support/models
"$HORUS" predict --profiles $M/profiles.csv \
    --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --with Beta --gpu V100 --gamma 2 --json
