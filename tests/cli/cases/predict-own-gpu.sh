# SPDX-License-Identifier: GPL-3.0-or-later
# A model file of one's own knows a type that the catalogue does not: no warning, and its pairs are
# not extrapolated (predict-pair). Utilizations and the form that policies are told are a V100's.
M=tests/support/models
sed 's/V100/L40S/' $M/interference.json >mine.json
"$HORUS" predict --profiles $M/profiles.csv \
    --models mine.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
    --job Alpha:32 --with Beta --gpu L40S | sed -n '/^2 jobs/,$p'
