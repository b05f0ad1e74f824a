# SPDX-License-Identifier: GPL-3.0-or-later
# What the card says of sharing and of predictions: the errors of the made-up model files (0.060 and
# 0.080 on V100, none on P100), of a bias too (hypot(0.5, 0.1) = 0.51), and only of what the policy asks
# for: fifo nothing, pack memory alone, horus the slowdown of pairs too (0.100). Who has two tenants at
# most, by the policy (pack) or by the run, hears nothing of three. Jobs without profiles share for
# free, which is warned of.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,100
END
M=tests/support/models
card() {
    echo "-- $*"
    "$HORUS" run t.csv --models $M/interference.json,$M/predictor.json --profiles $M/profiles.csv \
        -q -o out --force "$@" | grep -E '^(sharing|predictor)'
}
card -c 1x1:V100 -p fifo
card -c 1x1:V100 -p pack --memory-predictor noisy
card -c 1x1:V100 -p pack:max_tenants=3
card -c 1x1:V100 -p horus --max-tenants 2 --util-noise 0.5 --util-bias 0.1
card -c 1x1:V100,1x1:P100 -p horus --max-tenants 8 --crowd queueing --gamma 1.43
card -c 1x1:V100 -p horus --interference none --predictor oracle
card -c 1x1:V100 -p horus --interference const:0.2 --predictor regress --predictor-holdout model
card -c 1x1:V100 -p horus --assign off
card -c 1x1:V100 -p horus --assign off --interference none
card -c 1x1:V100 -p fifo --assign off
"$HORUS" run t.csv -c 1x1 -p pack --crowd queueing
echo $?
"$HORUS" run t.csv -c 1x1 -p pack --predictor oracle --memory-noise 1 -o out --force >/dev/null
