SPDX-License-Identifier: GPL-3.0-or-later

Files that are missing, full, compressed or in the way; pipes and signals.

# gzip-corrupt
A .gz with a wrong checksum.

  $ gzip -nc traces/sample.csv >t.csv.gz
  $ truncate -s -8 t.csv.gz
  $ printf 'wrongsum' >>t.csv.gz
  $ horus run t.csv.gz -c 2x4 -o out
  ! t.csv.gz: error: corrupt gzip data: incorrect data check
  !       = hint: check the file, or fetch it again
  [3]

# gzip-truncated
A truncated .gz.

  $ gzip -c traces/sample.csv | head -c 5000 >t.csv.gz
  $ horus run t.csv.gz -c 2x4 -o out
  ! t.csv.gz: error: gzip: the compressed data are truncated
  !       = hint: check the file, or fetch it again
  [3]

# io-closed-stdout
Standard output is closed.

  $ horus policies >&-
  ! <stdout>: error: cannot write: Bad file descriptor
  [4]

# io-exists
An existing directory is not overwritten.

  $ mkdir out
  $ horus run traces/sample.csv -c 8x8:V100 -o out
  ! out: error: this run directory exists
  !       = hint: give --force to replace it, or another name with -o
  [4]

# io-resume-finished
The same command again with --resume, after the run has ended: there is nothing to resume, and no call for --force.

  $ run() { horus run traces/sample.csv -c 8x8:V100 --max-jobs=9 -o out -q --checkpoint=10m --resume >/dev/null; }
  $ run
  $ run
  ! out: error: this run is finished: there is nothing to resume
  !       = hint: --force runs it again
  [4]

# io-exists-as-file
A file of this name is not overwritten, even with --force.

  $ echo precious >out
  $ horus run traces/sample.csv -c 8x8:V100 -o out --force
  ! out: error: exists and is not a run directory: it is not replaced
  !       = hint: choose another name with -o
  [4]
  $ cat out
  precious

# io-file-limit
The limit of file sizes is met: the run fails and leaves nothing.

  $ ulimit -f 16
  $ horus run traces/sample.csv -c 8x8:V100 -q -o out
  ! out.tmp-+([0-9a-f])/jobs.csv: error: cannot write: File too large (glob)
  [4]
  $ ls -d out* 2>/dev/null
  [2]

# io-full-disk-stdout
A full disk behind standard output.

  $ horus policies >/dev/full
  ! <stdout>: error: cannot write: No space left on device
  [4]

# io-full-disk-stdout-run
A full disk behind the standard output of a run: its files stay.

  $ horus run traces/sample.csv -c 8x8:V100 -q -o out >/dev/full
  ! <stdout>: error: cannot write: No space left on device
  [4]
  $ ls out
  jobs.csv
  manifest.json
  nodes.csv
  segments.csv
  series.csv
  summary.csv
  summary.json

# io-missing-trace
No such file.

  $ horus run nowhere.csv -c 2x4 -o out
  ! nowhere.csv: error: cannot open: No such file or directory
  [4]

# io-missing-trace-alone
No such file, without a command.

  $ horus ./nowhere.csv
  ! ./nowhere.csv: error: cannot open: No such file or directory
  [4]

# io-sigterm
SIGTERM in the middle of a run: nothing is kept.

  $ {
  >     echo job_id,submit_time,gpus,duration
  >     awk 'BEGIN { for (i = 0; ; i++) print i "," i ",1,5" }' 2>/dev/null
  > } | timeout --foreground --preserve-status -s TERM 1 horus run - -c 2x4 -o out
  ! *error: stopped * (glob)
  [143]
  $ ls -d out* 2>/dev/null
  [2]

# io-sigterm-waiting
SIGTERM while waiting for input that does not come.

  $ {
  >     echo job_id,submit_time,gpus,duration
  >     sleep 2
  > } | timeout --foreground --preserve-status -s TERM 1 horus run - -c 2x4 -o out
  ! <stdin>: error: stopped while waiting for data: interrupted by a signal
  [143]
  $ ls -d out* 2>/dev/null
  [2]

# io-sigusr1
SIGUSR1 prints the status line.

  $ horus run - -c 2x4 -o out < <(
  >     echo job_id,submit_time,gpus,duration
  >     awk 'BEGIN { for (i = 0; ; i++) print i "," i ",1,5" }' 2>/dev/null
  > ) &
  ! day * | * ev/s | run * wait * | util *% (glob)
  ! *error: stopped * (glob)
  $ sleep 1
  $ kill -USR1 $!
  $ sleep 1
  $ kill -TERM $!
  $ wait $!
  [143]

# io-trace-is-a-directory
A directory as the trace.

  $ horus run traces -c 2x4 -o out
  ! traces: error: cannot read: Is a directory
  [4]

# io-unwritable
A directory below a file cannot be made.

  $ : >file
  $ horus run traces/sample.csv -c 8x8:V100 -o file/out
  ! file/out: error: cannot create: Not a directory
  [4]

# io-unwritable-file
The message names FILE of -o, not the temporary file beside it.

  $ horus trace assign traces/sample.csv -o /nonexist/x.csv
  ! note: no cluster given: drawn profiles may need more GPU memory than your GPUs have
  !       = hint: -c SPEC
  ! /nonexist/x.csv: error: cannot create: No such file or directory
  [4]

# io-verify-missing
No such run.

  $ horus verify nowhere
  ! nowhere: error: cannot open: No such file or directory
  [4]

# io-verify-unfinished
A directory without a manifest is not a finished run.

  $ mkdir run
  $ horus verify run
  ! run: error: not a finished run: there is no manifest.json in it
  !       = hint: the manifest is written last: without it a run was cut short
  [3]

# run-stdin
From standard input.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,4,10
  > b,1,8,5
  > c,2,4,3
  > END
  $ horus run - -c 2x4 -q -o out <t.csv >/dev/null
  $ cut -d, -f1,2,9 out/jobs.csv
  job_id,workload_name,finish_time
  a,stdin,10
  b,stdin,15
  c,stdin,18

# zstd-truncated
A truncated .zst.

  $ command -v zstd >/dev/null || { printf 't.csv.zst: error: skipped\n' >&2; exit 3; }
  $ zstd -qc traces/sample.csv | head -c 5000 >t.csv.zst
  $ horus run t.csv.zst -c 2x4 -o out
  ! t.csv.zst: error: zstd: the compressed data are truncated
  !       = hint: check the file, or fetch it again
  [3]

# out-of-memory
Without memory the run ends with exit code 5 and leaves no directory. (A sanitizer reserves more
address space than any limit allows.)

  $ run() { horus run gen:venus,n=100 -c 900000x8:V100 -p fifo -o out --no-progress; }
  $ told() { echo 'error: out of memory' >&2; return 5; }
  $ if grep -qa __asan_init "$HORUS"; then told; else (ulimit -v 100000; run); fi
  ! error: out of memory
  [5]
  $ ls
  configs
  tests
  traces

# io-reader-leaves
A reader that stops early is no error message; the exit code shows that not all was written.

  $ horus generate --like philly -n 100000 | head -n 1 | cut -c1-6; echo "${PIPESTATUS[0]}"
  job_id
  4
  $ mkfifo pipe; head -c 1 pipe >/dev/null & horus generate --like philly -n 100000 --format csv -o pipe
  ! pipe: error: cannot write: Broken pipe
  [4]
