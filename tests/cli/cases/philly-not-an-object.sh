# SPDX-License-Identifier: GPL-3.0-or-later
# A number where a job should be.
cat >t.json <<'END'
[
{"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"},
17
]
END
"$HORUS" run t.json -c 2x8 -o out
