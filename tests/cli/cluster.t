SPDX-License-Identifier: GPL-3.0-or-later

Clusters: a shape, a JSON file, a list of machines.

# cluster-bad-shape
Not NODESxGPUS.

  $ horus run traces/sample.csv -c 4by8 -o out
  ! error: cluster '4by8': expected 'x' after the number of nodes
  !     1 | 4by8
  !       |  ^
  !       = hint: no file and no shipped cluster has this name (horus clusters lists them), and a shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100
  [2]

# cluster-duplicate-key
One key twice.

  $ cat >c.json <<'END'
  > {
  >   "nodes": [{"count": 4, "gpus": 8, "gpus": 4}]
  > }
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:2:37: error: duplicate key 'gpus'
  !     2 |   "nodes": [{"count": 4, "gpus": 8, "gpus": 4}]
  !       |                                     ^~~~~~
  !       = hint: the first one is on line 2
  [3]

# cluster-empty-file
An empty file.

  $ cat >c.json <<'END'
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:1:1: error: the text ends where a value is expected
  !     1 |\x20 (esc)
  !       | ^
  [3]

# cluster-list
A list of machines is a cluster: nodes with their names, without the machine that has no GPU; `horus
verify` reads the list with code of its own. GPUs by hand: 2 + 1.

  $ printf 'sn,cpu_milli,memory_mib,gpu,model\nmachine-a,64000,262144,2,V100M32\nmachine-b,32000,65536,0,\nmachine-c,8000,2048,1,V100M32\n' >nodes.csv
  $ printf 'job_id,submit_time,gpus,duration\n1,0,2,10\n2,0,1,20\n' >jobs.csv
  $ horus run jobs.csv -c nodes.csv --assign=off -o out >run.txt
  ! nodes.csv: warning: 1 machines without GPUs are left out
  $ cut -d, -f1-3 out/nodes.csv
  node,name,gpu_type
  0,machine-a,V100M32
  1,machine-c,V100M32
  $ horus verify out | tail -n 1
  22 checks passed

# cluster-missing-file
No such file.

  $ horus run traces/sample.csv -c nowhere.json -o out
  ! nowhere.json: error: cannot open: No such file or directory
  [4]

# cluster-no-nodes
No nodes at all.

  $ cat >c.json <<'END'
  > {
  >   "nodes": []
  > }
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:2:12: error: nodes is empty
  !     2 |   "nodes": []
  !       |            ^
  [3]

# cluster-not-an-object
An array at the top.

  $ cat >c.json <<'END'
  > [1, 2]
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:1:1: error: a cluster must be an object, not an array
  !     1 | [1, 2]
  !       | ^
  [3]

# cluster-shape-no-type
A colon and no type.

  $ horus run traces/sample.csv -c 4x8: -o out
  ! error: cluster '4x8:': expected the name of a GPU type
  !     1 | 4x8:
  !       |     ^
  !       = hint: no file and no shipped cluster has this name (horus clusters lists them), and a shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100
  [2]

# cluster-shape-too-many-gpus
More GPUs on a node than the documented limit.

  $ horus run traces/sample.csv -c 1x2000:V100 -o out
  ! error: cluster '1x2000:V100': a node must have 1..1024 GPUs
  !     1 | 1x2000:V100
  !       |   ^~~~
  !       = hint: no file and no shipped cluster has this name (horus clusters lists them), and a shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100
  [2]

# cluster-shape-too-many-nodes
More nodes than the documented limit.

  $ horus run traces/sample.csv -c 2000000x8:V100 -o out
  ! error: cluster '2000000x8:V100': the number of nodes must be 1..1000000
  !     1 | 2000000x8:V100
  !       | ^~~~~~~
  !       = hint: no file and no shipped cluster has this name (horus clusters lists them), and a shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100
  [2]

# cluster-shape-trailing-comma
A comma with nothing after it.

  $ horus run traces/sample.csv -c 4x8:V100, -o out
  ! error: cluster '4x8:V100,': expected a number of nodes
  !     1 | 4x8:V100,
  !       |          ^
  !       = hint: no file and no shipped cluster has this name (horus clusters lists them), and a shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100
  [2]

# cluster-shape-zero-gpus
Nodes without a GPU.

  $ horus run traces/sample.csv -c 4x0:V100 -o out
  ! error: cluster '4x0:V100': a node must have 1..1024 GPUs
  !     1 | 4x0:V100
  !       |   ^
  !       = hint: no file and no shipped cluster has this name (horus clusters lists them), and a shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100
  [2]

# cluster-shape-zero-nodes
No nodes.

  $ horus run traces/sample.csv -c 0x8:V100 -o out
  ! error: cluster '0x8:V100': the number of nodes must be 1..1000000
  !     1 | 0x8:V100
  !       | ^
  !       = hint: no file and no shipped cluster has this name (horus clusters lists them), and a shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100
  [2]

# cluster-syntax
A comma is missing.

  $ cat >c.json <<'END'
  > {
  >   "nodes": [{"count": 4 "gpus": 8}]
  > }
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:2:25: error: expected ',' or '}'
  !     2 |   "nodes": [{"count": 4 "gpus": 8}]
  !       |                         ^
  !       = hint: is a comma missing?
  [3]

# cluster-truncated
The file ends early.

  $ cat >c.json <<'END'
  > {
  >   "nodes": [{"count": 4,
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:3:1: error: the text ends before '}'
  !     3 |\x20 (esc)
  !       | ^
  [3]

# cluster-unknown-key
An unknown key of a node: gpu for gpus.

  $ cat >c.json <<'END'
  > {
  >   "nodes": [{"count": 4, "gpu": 8, "type": "V100"}]
  > }
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:2:26: error: unknown key 'gpu' in a node group
  !     2 |   "nodes": [{"count": 4, "gpu": 8, "type": "V100"}]
  !       |                          ^~~~~
  !       = hint: did you mean 'gpus'?
  ! c.json:2:13: error: a node group without gpus
  !     2 |   "nodes": [{"count": 4, "gpu": 8, "type": "V100"}]
  !       |             ^
  !       = hint: add "gpus", GPUs per node
  [3]

# cluster-unknown-top-key
An unknown key at the top.

  $ cat >c.json <<'END'
  > {
  >   "nodes": [{"count": 4, "gpus": 8}],
  >   "colour": "green"
  > }
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:3:3: error: unknown key 'colour' in a cluster
  !     3 |   "colour": "green"
  !       |   ^~~~~~~~
  !       = hint: known keys: name gpu_types racks nodes vcs cohorts $schema
  [3]

# cluster-wrong-type
A string for a number of GPUs.

  $ cat >c.json <<'END'
  > {
  >   "nodes": [{"count": 4, "gpus": "eight"}]
  > }
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:2:34: error: gpus must be a whole number 1..1024
  !     2 |   "nodes": [{"count": 4, "gpus": "eight"}]
  !       |                                  ^~~~~~~
  [3]

# cluster-zero-gpus-json
Nodes without a GPU.

  $ cat >c.json <<'END'
  > {
  >   "nodes": [{"count": 4, "gpus": 0}]
  > }
  > END
  $ horus run traces/sample.csv -c c.json -o out
  ! c.json:2:34: error: gpus must be a whole number 1..1024
  !     2 |   "nodes": [{"count": 4, "gpus": 0}]
  !       |                                  ^
  [3]

# run-racks
A gang is spread when it has more nodes than it needs; racks do not count, because no measurement
distinguishes them. 2 + 2 nodes of 4 GPUs, placed by counting, and gangs of 8 that a spread slows to half.
After 4 GPUs the gang has nodes 1 and 2, of two racks, and runs its 100 s; after 2 GPUs it has nodes 0, 1
and 2: 200 s. The same holds in one rack.

  $ cat >speed.json <<'END'
  > {"kind": "speed", "format": 2, "types": ["P100"], "reference": "P100",
  >  "jobs": [], "families": [{"family": "F", "jobs": 1, "speed": {"P100": 1}}],
  >  "scaling": [], "spread": [{"family": "F", "gpu": "P100", "gpus": [8], "factor": [0.5]}], "holdout": []}
  > END
  $ printf 'model,family\nM,F\n' >p.csv
  $ echo '{"racks": [{"nodes": [{"count": 2, "gpus": 4, "type": "P100"}]},
  >                  {"nodes": [{"count": 2, "gpus": 4, "type": "P100"}]}]}' >two.json
  $ echo '{"nodes": [{"count": 4, "gpus": 4, "type": "P100"}]}' >one.json
  $ for cluster in two one; do
  >     for first in 4 2; do
  >         printf 'job_id,submit_time,gpus,duration,model\na,0,%s,100,M\nb,0,8,100,M\n' $first >t.csv
  >         horus run t.csv -c $cluster.json -p fifo:placement=count --models speed.json \
  >             --profiles p.csv --assign columns -o out --force -q >said || cat said
  >         awk -F, -v what="$cluster, behind $first:" \
  >             '$1 == "b" { print what, "GPUs", $13 ", nodes", $20 ", ends at", $9 }' out/jobs.csv
  >     done
  > done
  two, behind 4: GPUs 4-11, nodes 2, ends at 100
  two, behind 2: GPUs 2-9, nodes 3, ends at 200
  one, behind 4: GPUs 4-11, nodes 2, ends at 100
  one, behind 2: GPUs 2-9, nodes 3, ends at 200

# speed-scalar
The measured speed of the model has priority over a GPU type's scalar speed; without profiles the scalar
applies.

  $ printf 'job_id,submit_time,gpus,duration,model\na,0,1,10,ResNet18\n' >t.csv
  $ cat >c.json <<'END'
  > {"gpu_types": {"V100": {}, "P100": {"speed": 0.1}},
  >  "nodes": [{"count": 1, "gpus": 1, "type": "P100"}]}
  > END
  $ for assign in auto off; do
  >     horus run t.csv -c c.json --reference-type V100 --assign=$assign -o out --force --quiet >/dev/null
  >     cut -d, -f1,8 out/jobs.csv
  > done
  job_id,execution_time
  a,16.453945
  job_id,execution_time
  a,100

# mig-slices
A slice of an A100 is a GPU type: MISO's Transformer of batch 16 keeps .18 of its speed on 1g.5gb (100 s / .18) and
.342149 on 2g.10gb; batch 128, which MISO ran on neither, has the speed of the nearest batch there, .162956 of 32
and .301327 of 64.

  $ printf 'job_id,submit_time,gpus,duration,model,dataset,batch,precision\n' >t.csv
  $ printf 'a,0,1,100,Transformer,MISO,16,fp32\nb,1,1,100,Transformer,MISO,128,fp32\n' >>t.csv
  $ for type in A100-1g.5gb A100-2g.10gb; do
  >     horus run t.csv -c 1x2:$type --models builtin:models/speed-mig.json --reference-type A100 -o out --force \
  >         --quiet >/dev/null
  >     cut -d, -f1,8 out/jobs.csv
  > done
  job_id,execution_time
  a,555.555556
  b,613.662584
  job_id,execution_time
  a,292.271181
  b,331.865383

# builtin-name
A shipped cluster is found by its name, wherever the program is run; the manifest has its file.

  $ printf 'job_id,submit_time,gpus,duration\na,0,8,10\nb,1,8,10\n' >t.csv
  $ horus run t.csv -c venus -o out -q | head -1
  t.csv (csv) on venus: 1064 GPUs, 133 nodes
  $ grep -A2 '"role": "cluster"' out/manifest.json
        "role": "cluster",
        "path": "builtin:clusters/venus.json",
        "xxh3_64": "7e81a28d84b167b0",
  $ horus verify out | tail -1
  22 checks passed
  $ horus rerun out | tail -1
  manifest.json   -                 same
  $ horus run t.csv -c venu -o other
  ! error: cluster 'venu': expected a number of nodes
  !     1 | venu
  !       | ^
  !       = hint: did you mean 'venus'?
  [2]

# cluster-sinfo
The output of sinfo -N -o '%N|%c|%m|%G' is a cluster: GPUs and their type from GRES, a node of two
partitions once, one without GPUs left out. 4 + 8 + 2 GPUs on three nodes.

  $ cat >nodes.txt <<'END'
  > NODELIST|CPUS|MEMORY|GRES
  > gpu01|64|515000|gpu:a100:4(S:0-1)
  > gpu01|64|515000|gpu:a100:4(S:0-1)
  > gpu02|128|1031000|gpu:h100:8,nvme:1
  > cpu01|64|257000|(null)
  > gpu03|32|257000|gpu:2
  > END
  $ printf 'job_id,submit_time,gpus,duration,cpus\na,0,2,10,64\nb,0,2,10,33\n' >jobs.csv
  $ horus run jobs.csv -c nodes.txt --assign=off -p fifo -o out >run.txt
  ! nodes.txt: warning: 1 machines without GPUs are left out
  ! warning: the speed of A100, GPU relative to H100 is not known: taken as 1
  !       = hint: --models=builtin:models/speed-lambda.json knows more; or "speed" of its GPU type in the cluster file
  $ head -n 1 run.txt
  jobs.csv (csv) on nodes.txt: 14 GPUs, 3 nodes
  $ cut -d, -f1,2,7 out/nodes.csv | head -n 4
  node,name,gpu_seconds
  0,gpu01,20
  1,gpu02,20
  2,gpu03,0
  $ sed -i 's/gpu:a100:4(S:0-1)/gpu:a100:2,gpu:v100:2/' nodes.txt; horus run jobs.csv -c nodes.txt -p fifo
  ! nodes.txt:2:17: error: 'gpu:a100:2,gpu:v100:2' is no number of GPUs
  !     2 | gpu01|64|515000|gpu:a100:2,gpu:v100:2
  !       |                 ^~~~~~~~~~~~~~~~~~~~~
  !       = hint: gpu:a100:8, one type of GPUs a node
  [3]

# cluster-by-name
The shipped clusters, and a misspelt name.

  $ horus clusters | grep -e '^cluster' -e venus -e gavel
  cluster                nodes    GPUs   VCs  shape
  gavel-36-36-36            27     108     0  9x4:V100,9x4:P100,9x4:K80
  venus                    133    1064    16  133x8:V100
  $ horus run traces/sample.csv -c venuss
  ! error: cluster 'venuss': expected a number of nodes
  !     1 | venuss
  !       | ^
  !       = hint: did you mean 'venus'?
  [2]

# cluster-bad-sharing-mode

  $ echo '{"gpu_types": {"V100": {"mem_mib": 16384, "speed": 1, "sharing_mode": "x"}}, "nodes": [{"gpus": 2, "type": "V100"}]}' >c.json
  $ horus run traces/sample.csv -c c.json
  ! c.json:1:71: error: sharing_mode must be "timeslice", "mps" or "mig"
  !     1 | {"gpu_types": {"V100": {"mem_mib": 16384, "speed": 1, "sharing_mode": "x"}}, "nodes": [{"gpus": 2, "...
  !       |                                                                       ^~~
  [3]
