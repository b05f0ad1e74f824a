# SPDX-License-Identifier: GPL-3.0-or-later
# Nodes without a GPU.
cat >c.json <<'END'
{
  "nodes": [{"count": 4, "gpus": 0}]
}
END
"$HORUS" run traces/sample.csv -c c.json -o out
