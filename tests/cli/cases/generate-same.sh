# SPDX-License-Identifier: GPL-3.0-or-later
# The same request and seed are the same jobs, whatever way they take: a file, a pipe, gen: as TRACE,
# a file that holds that line, the attempts of another format. Another seed makes others.
"$HORUS" generate --like philly -n 3000 --seed 7 -q -o a.csv
"$HORUS" generate --like philly -n 3000 --seed 7 -q -o b.csv.zst
"$HORUS" generate --like philly -n 3000 --seed 7 -q -o log --format philly
echo gen:philly,seed=7,n=3000 >request
"$HORUS" run a.csv -c 64x8 -q -o of-file >of-file.out
"$HORUS" generate --like philly -n 3000 --seed 7 -q | "$HORUS" run - -c 64x8 -q -o of-pipe >/dev/null
"$HORUS" run gen:philly,n=3000,seed=7 -c 64x8 -q -o of-gen >/dev/null
"$HORUS" run request -c 64x8 -q -o of-request >/dev/null
"$HORUS" run b.csv.zst -c 64x8 -q -o of-zst >/dev/null
"$HORUS" run gen:philly,n=3000,seed=8 -c 64x8 -q -o of-8 >/dev/null
for run in of-pipe of-gen of-request of-zst of-8; do
    # workload_name is that of the trace
    if cmp -s <(cut -d, -f1,3- of-file/jobs.csv) <(cut -d, -f1,3- $run/jobs.csv); then
        echo "$run same"
    else
        echo "$run differs"
    fi
done
"$HORUS" run gen:philly,n=3000,seed=7 -c 64x8 -q --retries=attempts -o with-attempts >/dev/null
"$HORUS" run log --format philly -c 64x8 -q --retries=attempts -o of-log >/dev/null
cmp <(cut -d, -f1,3- with-attempts/segments.csv) <(cut -d, -f1,3- of-log/segments.csv) && echo attempts same
wc -l <of-gen/jobs.csv
