SPDX-License-Identifier: GPL-3.0-or-later

`horus rerun`.

# rerun-bad-outputs
A file whose hash cannot be read is an error, not a file that was never written. An error in the
configuration names the manifest that contains it.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > END
  $ horus run t.csv -c 1x1 -q -o out >/dev/null
  $ jq '(.outputs[] | select(.name == "jobs.csv") | .xxh3_64) = "?"' out/manifest.json >cut.json
  $ horus rerun cut.json
  ! cut.json: error: not every output has a name and a hash
  [3]
  $ jq '.policy_parameters.scan = "all"' out/manifest.json >wrong.json
  $ horus rerun wrong.json
  ! error: policy 'fifo': 'scan' must be strict|fit|easy|conservative, not 'all'
  ! wrong.json: note: the refused value is in the configuration of the run
  [3]

# rerun-differs
Exit code 1 and a line for each file that differs. The recorded policy is made sjf: job c (2 s) then
goes before b, so that the waits differ and the nodes (held for 20 s each time) do not. A file that
the manifest does not list is mentioned and does not count. The folder of a changed manifest does
not contain the run any more, hence the hint about -o. Commits and versions are named.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > b,1,1,8
  > c,2,1,2
  > END
  $ horus run t.csv -c 1x1 -p fifo -q -o one >/dev/null
  $ mkdir other
  $ jq '.config.policy = "sjf" | del(.outputs[] | select(.name == "series.csv"))' one/manifest.json \
  >     >other/manifest.json
  $ horus rerun other
  file            recorded          now
  jobs.csv        +([0-9a-f])  differs: +([0-9a-f]) (glob)
  segments.csv    +([0-9a-f])  differs: +([0-9a-f]) (glob)
  nodes.csv       +([0-9a-f])  same (glob)
  summary.json    +([0-9a-f])  differs: +([0-9a-f]) (glob)
  summary.csv     +([0-9a-f])  differs: +([0-9a-f]) (glob)
  series.csv      -                 not in the run: not compared
  manifest.json   -                 differs: assumptions
  [1]
  ! other/manifest.json: error: not the same run: 5 of 6 files differ
  !       = hint: -o DIR keeps the new files
  $ horus rerun other -o two >/dev/null
  ! other/manifest.json: error: not the same run: 5 of 6 files differ
  !       = hint: horus compare other two: job by job
  [1]
  $ jq '.version = "0.0.9" | .commit = "cafe"' one/manifest.json >other/manifest.json
  $ horus rerun other >/dev/null
  ! note: the run is of horus 0.0.9 (cafe), this is * (glob)
  !       = hint: differences of files may come from that
  $ ls
  configs
  one
  other
  t.csv
  tests
  traces
  two

# rerun-inputs
Every input that is not there or has another content is named, with both hashes; no run starts.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > END
  $ echo '{"nodes": [{"count": 1, "gpus": 1, "type": "V100"}]}' >c.json
  $ horus run t.csv -c c.json -q -o one >/dev/null
  $ echo 'b,3,1,10' >>t.csv
  $ rm c.json one/cluster.json # of a run made before there was one
  $ horus rerun one
  ! t.csv: error: input 'trace' is not that of the run: recorded +([0-9a-f]), 42 bytes; found +([0-9a-f]), 51 bytes (glob)
  !       = hint: --trace FILE gives its new path
  ! c.json: error: input 'cluster' of the run is missing: recorded +([0-9a-f]), 53 bytes (glob)
  !       = hint: paths are as they were given: run in the folder that they are relative to
  [3]
  $ horus rerun one --trace nowhere.csv
  ! nowhere.csv: error: input 'trace' of the run is missing: recorded +([0-9a-f]), 42 bytes (glob)
  !       = hint: --trace FILE gives its new path
  ! c.json: error: input 'cluster' of the run is missing: recorded +([0-9a-f]), 53 bytes (glob)
  !       = hint: paths are as they were given: run in the folder that they are relative to
  [3]
  $ horus rerun one --trace -
  ! error: the trace is checked before it is replayed: it cannot be standard input
  !       = hint: put it into a file
  [2]
  $ horus run - -c 1x1 -q -o piped <t.csv >/dev/null
  $ horus rerun piped <t.csv
  ! -: error: input 'trace' of the run is missing: recorded +([0-9a-f]), 51 bytes (glob)
  !       = hint: --trace FILE gives its new path
  [3]
  $ jq '(.inputs[] | select(.role == "profiles") | .bytes) = 7 | .version = "9.9.9" | .commit = "cafe"' piped/manifest.json >new.json
  $ horus rerun new.json --trace t.csv
  ! note: the run is of horus 9.9.9 (cafe), this is * (glob)
  !       = hint: differences of files may come from that
  ! builtin:profiles.csv: error: input 'profiles' is not that of the run: recorded +([0-9a-f]), 7 bytes; found +([0-9a-f]), +([0-9]) bytes (glob)
  !       = hint: it is a built-in file of horus 9.9.9 (cafe)
  [3]
  $ ls
  configs
  new.json
  one
  piped
  t.csv
  tests
  traces

# rerun-no-run
Operands that are no run: a folder, a trace, a comparison with and without its runs, a manifest of
which a part is missing or cannot be understood. Line numbers are patterns, because each new option
shifts them.

  $ head -9 traces/sample.csv >t.csv
  $ horus run t.csv -c 1x8 -p horus -q -o one >/dev/null
  $ horus compare t.csv -c 1x8 -p fifo -p sjf --outputs all -q -o many >/dev/null
  $ horus compare t.csv -c 1x8 -p fifo -p sjf -q -o few >/dev/null
  $ mkdir empty
  $ horus rerun empty
  ! empty: error: not a finished run: there is no manifest.json in it
  !       = hint: the manifest is written last: without it a run was cut short
  [3]
  $ horus rerun nothing
  ! nothing: error: cannot open: No such file or directory
  [4]
  $ horus rerun t.csv
  ! t.csv:1:1: error: expected a value
  !     1 | job_id,user,vc,submit_time,gpus,duration,status
  !       | ^~~~~~
  !       = hint: JSON begins with '{' or '[': is it the right file?
  ! t.csv: note: rerun takes the directory of a run or its manifest.json
  [3]
  $ horus rerun many
  ! many: error: not a run itself: it holds 2 runs
  !       = hint: name one, such as many/runs/fifo-s1-a1
  [3]
  $ horus rerun many/manifest.json
  ! many: error: not a run itself: it holds 2 runs
  !       = hint: name one, such as many/runs/fifo-s1-a1
  [3]
  $ horus rerun few
  ! few/manifest.json: error: not the manifest of a run: it lists no summary.json
  !       = hint: `horus compare ... --outputs all` keeps the directories of its runs
  [3]
  $ horus rerun one/summary.json
  ! one/summary.json:1:1: error: the manifest has no configuration
  !     1 | {
  !       | ^
  !       = hint: only the directories of `horus run` are understood
  ! one/summary.json: note: rerun takes the directory of a run or its manifest.json
  [3]
  $ jq 'del(.inputs[0].xxh3_64)' one/manifest.json >m.json && horus rerun m.json
  ! m.json: error: not every input has a role, a path, a hash and a size, or there is no trace among them
  [3]
  $ jq '.config.lode = 1 | .config.check = "none"' one/manifest.json >m.json && horus rerun m.json
  ! m.json:+([0-9]):14: error: 'check' must be off|fast|full, not 'none' (glob)
  ! *([ 0-9]) |     "check": "none", (glob)
  !       |              ^~~~~~
  ! m.json:+([0-9]):5: error: unknown key 'lode' (glob)
  ! *([ 0-9]) |     "lode": 1 (glob)
  !       |     ^~~~~~
  !       = hint: did you mean 'load'?
  [3]
  $ jq '.config.policy = null' one/manifest.json >m.json && horus rerun m.json
  ! m.json:+([0-9]):15: error: 'policy' is empty (glob)
  ! *([ 0-9]) |     "policy": null, (glob)
  !       |               ^~~~
  !       = hint: scheduling policy ('horus policies' lists them)
  [3]
  $ jq '.config.policy = "oracle"' one/manifest.json >m.json && horus rerun m.json
  ! m.json:+([0-9]):15: error: unknown policy 'oracle' (glob)
  ! *([ 0-9]) |     "policy": "oracle", (glob)
  !       |               ^~~~~~~~
  !       = hint: 'horus policies' lists them
  [3]
  $ jq '.policy_parameters.cost = 1' one/manifest.json >m.json && horus rerun m.json
  ! m.json:+([0-9]):13: error: a parameter is not a text (glob)
  ! *([ 0-9]) |     "cost": 1, (glob)
  !       |             ^
  [3]
  $ ls
  configs
  empty
  few
  m.json
  many
  one
  t.csv
  tests
  traces

# rerun-same
A run is repeated from its directory, from its manifest, and from a manifest alone; the hashes are
those of the manifest; -o keeps the new run, whose manifest has the same outputs. The results
contain the name of the trace (workload_name), yet a copy under another name repeats the run.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > b,1,1,8
  > c,2,1,2
  > END
  $ horus run t.csv -c 1x1 -p sjf -q -o one >/dev/null
  $ horus rerun one >said
  $ cat said
  file            recorded          now
  jobs.csv        +([0-9a-f])  same (glob)
  segments.csv    +([0-9a-f])  same (glob)
  series.csv      +([0-9a-f])  same (glob)
  nodes.csv       +([0-9a-f])  same (glob)
  summary.json    +([0-9a-f])  same (glob)
  summary.csv     +([0-9a-f])  same (glob)
  manifest.json   -                 same
  $ jq -r '.outputs[] | "\(.name) \(.xxh3_64)"' one/manifest.json >recorded
  $ awk 'NR > 1 && $2 != "-" { print $1, $2 }' said | diff recorded -
  $ cp one/manifest.json alone.json
  $ horus rerun alone.json | diff said - && echo alone
  alone
  $ mv t.csv elsewhere.csv
  $ (cd one && horus rerun . --trace ../elsewhere.csv) | diff said - && echo elsewhere
  elsewhere
  $ horus rerun one/manifest.json --trace elsewhere.csv -o two | tail -1
  files           two/
  $ jq -r '.outputs[] | "\(.name) \(.xxh3_64)"' two/manifest.json | diff recorded - && echo kept
  kept
  $ horus rerun two | grep -c ' same$'
  7
  $ ls
  alone.json
  configs
  elsewhere.csv
  one
  recorded
  said
  tests
  traces
  two

# rerun-from-elsewhere
A run names its trace and cluster as they were given. Read from another folder, these paths are relative to
the folder of the run, which the manifest contains; outputs go to the folder of the call.

  $ mkdir here there
  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >here/t.csv
  $ echo '{"nodes": [{"count": 1, "gpus": 1}]}' >here/c.json
  $ (cd here && horus run t.csv -c c.json -q -o out >/dev/null)
  $ cd there || exit
  $ horus verify ../here/out 2>/dev/null | tail -n 1
  22 checks passed
  $ horus explain ../here/out 2>/dev/null | head -n 1 | sed 's|.*/here|here|'
  here/out: 1 job, 1 placement, 1 GPU
  $ horus rerun ../here/out -o again 2>/dev/null | grep -c same; ls
  8
  again
  $ horus verify ../here/out 2>&1 >/dev/null | sed 's|/.*/here|HERE|'
  note: paths of the run are read in HERE, where it was made

# rerun-with-its-own-cluster
The file of a cluster is kept in the run's directory, from where the run is checked, explained, drawn and
repeated: the original, in JSON with a comment or a list of machines, may change or be removed, and the
directory may move. A change of the copy is detected.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,0,2,5\n' >t.csv
  $ printf '// mine\n{"nodes": [{"count": 2, "gpus": 2, "type": "V100"}]}\n' >c.json
  $ printf 'sn,cpu_milli,memory_mib,gpu,model\nm1,64000,262144,2,V100M16\nm2,64000,262144,2,V100M16\n' >c.csv
  $ for c in c.json c.csv; do horus run t.csv -c $c -q -o of-$c >/dev/null 2>&1 && cmp $c of-$c/cluster.${c#c.}; done
  $ rm c.json c.csv && mkdir away && mv of-c.json of-c.csv away
  $ for c in json csv; do horus verify away/of-c.$c | tail -n 1; horus rerun away/of-c.$c | grep -c same; horus explain away/of-c.$c | head -n 1
  >     horus report away/of-c.$c -o $c.html >/dev/null && jq -r '.inputs[] | select(.role == "cluster") | .path' away/of-c.$c/manifest.json; done
  22 checks passed
  8
  away/of-c.json: 2 jobs, 2 placements, 4 GPUs
  c.json
  22 checks passed
  8
  away/of-c.csv: 2 jobs, 2 placements, 4 GPUs
  c.csv
  $ sed -i s/V100/P100/ away/of-c.json/cluster.json && horus verify away/of-c.json | head -n 1
  FAIL  the output files are as the manifest lists them: 7 files, 1 changed
  ! error: away/of-c.json: 2 of 22 checks failed
