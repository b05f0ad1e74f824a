# SPDX-License-Identifier: GPL-3.0-or-later
# a beside b was measured (1.25), b beside a is fitted (2, with an RMSE of 0.06): noise moves b alone,
# by a draw of the seed. Without it a takes 125 s, b has done 62.5 s by then and needs 37.5 s more.
# A dial that turns nothing is told of.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,model,batch
a,0,1,100,Alpha,32
b,0,1,100,Beta,
END
M=tests/support/models
run() {
    "$HORUS" run t.csv -p pack --profiles $M/profiles.csv --models "$1,$M/predictor.json" \
        --assign columns -o out --force "${@:2}"
}
for noise in 0 1; do
    rm -f a b
    for seed in 1 2 3 1; do
        run $M/interference.json -c 1x1:V100 -q --interference-noise $noise --seed $seed >/dev/null
        grep '^a' out/jobs.csv | cut -d, -f22 >>a
        grep '^b' out/jobs.csv | cut -d, -f22 >>b
    done
    echo "noise $noise: a runs $(sort -u a), b in $(sort -u b | wc -l) ways"
    [ $noise = 1 ] || cat b
done
run $M/interference.json -c 1x1:V100 --interference-noise 1 | grep sharing
run $M/interference.json -c 1x1:P100 --interference-noise 0.5 --gamma 2 | grep sharing
run $M/interference.json -c 1x1:V100 --interference const:0.2 --interference-noise 1 >/dev/null
sed 's/"rmse": [0-9.]*/"rmse": null/' $M/interference.json >untold.json
run untold.json -c 1x1:V100 --interference-noise 1 >/dev/null
