SPDX-License-Identifier: GPL-3.0-or-later

Results of an earlier version, in which some columns, metrics and members had other names: `age` gives a
directory the former names, and its manifest the hashes of the files, which `horus rerun` prints. The
commands that read it then print the same as before, except the hashes of the files.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,2,100
  > b,20,2,10
  > c,25,4,50
  > d,26,6,50
  > e,27,1,500
  > END
  $ horus run t.csv -c 3x2:V100 -p srtf -q --sample exact -o new >/dev/null
  $ hash_of() {
  >     jq --arg path "$1" '.inputs += [{role: "other", $path, xxh3_64: "0000000000000000", bytes: 0}]' \
  >         new/manifest.json >asks.json
  >     horus rerun asks.json 2>&1 | sed -n "s/.*input 'other'.*found \([0-9a-f]*\),.*/\1/p"
  > }
  $ age() {
  >     for path in "$1"/*.*; do
  >         cp "$path" before
  >         sed -i '1s/,queueing_delay,/,pending,/; s/mean_queueing_delay/mean_pending/
  >             s/useful_gpu_share/goodput/; s/\(wait_\|gpus_waiting,\)resources/\1capacity/
  >             s/\(wait_\|gpus_waiting,\)placement/\1shape/; s/\(wait_\|gpus_waiting,\)constraint/\1locality/
  >             s/\(wait_\|gpus_waiting,\)priority/\1order/; s/"assumptions": {/"card": {/' "$path"
  >         cmp -s "$path" before || echo "${path##*/}"
  >         [[ $path == *.csv || $path == */summary.json ]] || continue
  >         jq --arg file "${path##*/}" --arg hash "$(hash_of "$path")" \
  >             '(.outputs[] | select(.name == $file) | .xxh3_64) = $hash' "$1/manifest.json" >m.json
  >         mv m.json "$1/manifest.json"
  >     done
  > }

# former-names-run
`horus verify`, `explain`, `compare`, `report` and `plot` of a run.

  $ cp -r new old
  $ age old
  jobs.csv
  manifest.json
  series.csv
  summary.csv
  summary.json
  $ horus verify old | tail -n 1
  22 checks passed
  $ horus explain old --json >was.json && horus explain new --json | cmp - was.json
  $ horus explain old --job d --json >was.json && horus explain new --job d --json | cmp - was.json
  $ horus compare new old -o pairs | sed -n 4,9p
  jobs        5 compared, done in both
  intervals   none: of fewer than 10 jobs they would mean nothing

                     mean A   mean B  B - A  95 % interval  B / A  95 % interval
  wait               25.4 s   25.4 s  0.0 s              -  1.000              -
  JCT               178.4 s  178.4 s  0.0 s              -  1.000              -
  $ for kind in cdf time waits classes; do
  >     horus plot $kind new -o - >new.svg && horus plot $kind old -o - | cmp - new.svg
  > done
  $ horus plot cdf old --metric=queueing_delay -o - >one.svg
  $ horus plot cdf new --metric=pending -o - | cmp - one.svg
  $ horus report old -o - >old.html
  $ horus report new -o - | diff - old.html | grep '^[<>]' |
  >     grep -v '<code>[0-9a-f]\{16\}</code></td></tr>'
  [1]

# former-names-many
A comparison and a sweep.

  $ horus compare t.csv -c 3x2:V100 -p fifo -p srtf -o both -q --outputs all >/dev/null
  $ cp -r both first
  $ age first
  compare.csv
  manifest.json
  runs.csv
  $ for run in first/runs/*; do age $run; done
  jobs.csv
  manifest.json
  series.csv
  summary.csv
  summary.json
  jobs.csv
  manifest.json
  series.csv
  summary.csv
  summary.json
  $ horus report first -o - >first.html
  $ horus report both -o - | diff - first.html | grep '^[<>]' |
  >     grep -v '<code>[0-9a-f]\{16\}</code></td></tr>'
  [1]
  $ echo '{"config": {"trace": "t.csv", "cluster": "3x2:V100"}, "grid": {"load": [0.5, 0.9]}}' >e.json
  $ horus sweep e.json -o grid -q >/dev/null
  $ cp -r grid first-grid
  $ age first-grid
  sweep.csv
  $ horus plot sweep first-grid --metric=mean_queueing_delay -o - >first.svg
  $ horus plot sweep grid --metric=mean_pending -o - | cmp - first.svg
