# SPDX-License-Identifier: GPL-3.0-or-later
# One key twice.
cat >c.json <<'END'
{
  "nodes": [{"count": 4, "gpus": 8, "gpus": 4}]
}
END
"$HORUS" run traces/sample.csv -c c.json -o out
