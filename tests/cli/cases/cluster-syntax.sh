# SPDX-License-Identifier: GPL-3.0-or-later
# A comma is missing.
cat >c.json <<'END'
{
  "nodes": [{"count": 4 "gpus": 8}]
}
END
"$HORUS" run traces/sample.csv -c c.json -o out
