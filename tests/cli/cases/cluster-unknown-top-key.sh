# SPDX-License-Identifier: GPL-3.0-or-later
# A key that means nothing.
cat >c.json <<'END'
{
  "nodes": [{"count": 4, "gpus": 8}],
  "colour": "green"
}
END
"$HORUS" run traces/sample.csv -c c.json -o out
