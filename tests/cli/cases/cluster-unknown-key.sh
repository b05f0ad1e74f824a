# SPDX-License-Identifier: GPL-3.0-or-later
# gpu for gpus.
cat >c.json <<'END'
{
  "nodes": [{"count": 4, "gpu": 8, "type": "V100"}]
}
END
"$HORUS" run traces/sample.csv -c c.json -o out
