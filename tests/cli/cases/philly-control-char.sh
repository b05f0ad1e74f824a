# SPDX-License-Identifier: GPL-3.0-or-later
# A raw control character inside a text, which JSON forbids.
printf '[\n{"status": "Pass", "vc": "ee\001e8c", "jobid": "a", "attempts": []}\n]\n' >t.json
"$HORUS" run t.json -c 2x8 -o out --format philly
