SPDX-License-Identifier: GPL-3.0-or-later

Control characters, with which escape sequences of terminals begin, are refused in every input.

# control-characters
In a CSV plain and quoted, in JSON as `\u001b`, as C1 in UTF-8 (U+009B begins a sequence, too), in names of
a cluster, in a configuration and on the command line; a line end inside a field of a job is one. Text that
is merely invalid UTF-8 is kept.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,1\nb\033[31m,1,1,1\n' > plain.csv
  $ horus run plain.csv -c 1x4:V100 -o out
  ! plain.csv:3:2: error: a control character
  !     3 | b\x1b[31m,1,1,1
  !       |  ^~~~
  !       = hint: text in UTF-8 has none but tabs and line ends
  [3]
  $ printf 'job_id,submit_time,gpus,duration,user\n"a",0,1,1,"u\033]0;x\007"\n' > quoted.csv
  $ horus trace info quoted.csv
  ! quoted.csv:2:13: error: a control character
  !     2 | "a",0,1,1,"u\x1b]0;x\x07"
  !       |             ^~~~
  !       = hint: text in UTF-8 has none but tabs and line ends
  [3]
  $ printf 'job_id,submit_time,gpus,duration,user\na,0,1,1,u\302\2331m\n' > c1.csv
  $ horus run c1.csv -c 1x4:V100 -o out
  ! c1.csv:2:10: error: a control character
  !     2 | a,0,1,1,u\xc2\x9b1m
  !       |          ^~~~
  !       = hint: text in UTF-8 has none but tabs and line ends
  [3]
  $ printf 'job_id,submit_time,gpus,duration\n"a\nb",0,1,1\nc,1,1,1' > broken.csv
  $ horus run broken.csv -c 1x4:V100 -o out
  ! broken.csv:2:1: error: a line end inside a field
  !     2 | "a
  !       | ^~
  [3]
  $ printf 'caf\351,0,1,1,\302\260\n' | sed '1i job_id,submit_time,gpus,duration,user' > latin.csv
  $ horus run latin.csv -c 1x4:V100 -o latin > /dev/null && cut -d, -f1,14 latin/jobs.csv
  job_id,user
  caf\xe9,\xc2\xb0 (esc)
  ! latin.csv:2: warning: text that is not UTF-8: names are kept unchanged
  !       = hint: if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE > OTHER
  $ cat > philly.json <<'END'
  > [{"status": "Pass", "vc": "v\u001b[0m", "jobid": "a", "submitted_time": "2017-10-09 07:00:50", "user": "u",
  >   "attempts": []},
  >  {"status": "Pass", "vc": "v\nw", "jobid": "a", "submitted_time": "2017-10-09 07:00:50", "user": "u",
  >   "attempts": []}]
  > END
  $ horus trace validate philly.json | grep -A 9 malformed
  2 malformed
      philly.json:1:29: error: a control character inside a text
      philly.json:3:27: error: vc has a line end or another control character
      repair: correct the rows, or skip them with --skip-bad-rows=1%

  2 faults
  ! philly.json: error: the trace has faults, listed above
  $ printf '{"nodes": [{"gpus": 8, "name": "n\\u001b[5m"}]}' > escape.json
  $ horus run traces/sample.csv -c escape.json -o out
  ! escape.json:1:34: error: a control character inside a text
  !     1 | {"nodes": [{"gpus": 8, "name": "n\u001b[5m"}]}
  !       |                                  ^~~~~~
  [3]
  $ printf '{"nodes": [{"gpus": 8, "name": "n\\nm"}]}' > line.json
  $ horus run traces/sample.csv -c line.json -o out
  ! line.json:1:32: error: name must have 1..255 bytes, none of them a control character
  !     1 | {"nodes": [{"gpus": 8, "name": "n\nm"}]}
  !       |                                ^~~~~~
  [3]
  $ printf '{"name": "a\\nb"}' > config.json
  $ horus run traces/sample.csv --config config.json -o out
  ! config.json:1:10: error: a line end or another control character
  !     1 | {"name": "a\nb"}
  !       |          ^~~~~~
  [3]
  $ horus run traces/sample.csv -o $'out\033[2J'
  ! error: a control character in 'out\x1b[2J'
  !       = hint: give the file another name
  [2]
  $ printf '{"nodes": [{"gpus": 8, "name": "n\302\2335m"}]}' > c1.json
  $ horus run traces/sample.csv -c c1.json -o out
  ! c1.json:1:32: error: name must have 1..255 bytes, none of them a control character
  !     1 | {"nodes": [{"gpus": 8, "name": "n\xc2\x9b5m"}]}
  !       |                                ^~~~~~~~~~~~~
  [3]
