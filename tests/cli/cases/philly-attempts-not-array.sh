# SPDX-License-Identifier: GPL-3.0-or-later
# attempts is a text.
cat >t.json <<'END'
[
{"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": "many", "submitted_time": "2017-10-01 00:00:00", "user": "a"}
]
END
"$HORUS" run t.json -c 2x8 -o out
