# SPDX-License-Identifier: GPL-3.0-or-later
# A policy's parameter that is a list of nothing.
echo '{"policy": {"name": "tiresias", "queue_limits": []}}' >c.json
"$HORUS" run traces/sample.csv -o out --config c.json
