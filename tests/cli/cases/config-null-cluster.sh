# SPDX-License-Identifier: GPL-3.0-or-later
# null is absent, and a cluster there must be.
echo '{"cluster": null}' >c.json
"$HORUS" run traces/sample.csv --config c.json -o out
