SPDX-License-Identifier: GPL-3.0-or-later

Files and options of another kind than requested: the message identifies them and states what to do.

# io-strangers
Unsupported compression, UTF-16, archives; a cluster for a trace, a trace for a cluster, a run, an
experiment.

  $ cp traces/sample.csv . && printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' > t.csv
  $ printf '\3757zXZ\0\0\4' > t.csv.xz; horus run t.csv.xz -c 1x4:V100 -o out
  ! t.csv.xz: error: cannot be read: compressed by xz
  !       = hint: xz -dc FILE | horus ... -, or unpack it first
  [3]
  $ printf 'BZh91AY&SY' > t.bz2; horus trace info t.bz2
  ! t.bz2: error: cannot be read: compressed by bzip2
  !       = hint: bzip2 -dc FILE | horus ... -, or unpack it first
  [3]
  $ printf 'PK\3\4\24\0' > t.zip; horus trace info - < t.zip
  ! <stdin>: error: cannot be read: a zip archive
  !       = hint: unzip -p FILE | horus ... -, or unpack it first; a table of Excel (.xlsx): save it as CSV
  [3]
  $ printf '\377\376j\0o\0b\0' > wide.csv; horus trace validate wide.csv
  ! wide.csv: error: cannot be read: text in UTF-16
  !       = hint: iconv -f UTF-16 -t UTF-8 FILE > OTHER
  [3]
  $ printf 'j\0o\0b\0_\0' > wide.csv; horus run t.csv -c wide.csv -o out
  ! wide.csv: error: cannot be read: text in UTF-16
  !       = hint: iconv -f UTF-16LE -t UTF-8 FILE > OTHER
  [3]
  $ horus run configs/clusters/philly.json -o out -q
  ! configs/clusters/philly.json: error: this describes a cluster, not jobs
  !       = hint: -c FILE takes it; the operand is a trace of jobs
  [3]
  $ horus run t.csv -c sample.csv -o out
  ! sample.csv:1:1: error: expected a value
  !     1 | job_id,user,vc,submit_time,gpus,duration,status
  !       | ^~~~~~
  !       = hint: JSON begins with '{' or '[': is it the right file?
  ! sample.csv: note: a cluster is a shape such as 16x8:V100, JSON, or a list of machines (sn,gpu,...), not a trace
  [3]
  $ horus rerun sample.csv
  ! sample.csv:1:1: error: expected a value
  !     1 | job_id,user,vc,submit_time,gpus,duration,status
  !       | ^~~~~~
  !       = hint: JSON begins with '{' or '[': is it the right file?
  ! sample.csv: note: rerun takes the directory of a run or its manifest.json
  [3]
  $ horus sweep sample.csv
  ! sample.csv:1:1: error: expected a value
  !     1 | job_id,user,vc,submit_time,gpus,duration,status
  !       | ^~~~~~
  !       = hint: JSON begins with '{' or '[': is it the right file?
  [3]
  $ horus report sample.csv
  ! sample.csv: error: not a finished run: it is no directory
  !       = hint: name the directory, not a file in it
  [3]

# usage-right-or-told
No jobs, a directory for a stream, letters of other commands.

  $ horus generate --like philly -n 0 -o g.csv
  ! error: '--jobs' must be 1 or more, not 0
  !       = hint: leave it out for as many as --days need, else 10,000
  [2]
  $ horus trace info gen:philly,n=0
  ! error: gen: '0' is no value of n
  !       = hint: gen:philly,n=10000,days=7,load=0.8,gpus=64,seed=1
  [2]
  $ horus run traces/sample.csv -o -
  ! error: run: '-o -': the output is a directory, not a stream
  !       = hint: -o DIR; jobs.csv is in it, among others
  [2]
  $ horus compare traces/sample.csv -p fifo -p sjf -o -
  ! error: compare: '-o -': the output is a directory, not a stream
  !       = hint: -o DIR; jobs.csv is in it, among others
  [2]
  $ horus sweep configs/sweeps/load.json -o -
  ! error: sweep: '-o -': the output is a directory, not a stream
  !       = hint: -o DIR; jobs.csv is in it, among others
  [2]
  $ horus report -f some
  ! some: error: cannot open: No such file or directory
  [4]
  $ horus -v | head -1 | cut -d' ' -f1
  horus
