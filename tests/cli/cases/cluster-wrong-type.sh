# SPDX-License-Identifier: GPL-3.0-or-later
# GPUs as a text.
cat >c.json <<'END'
{
  "nodes": [{"count": 4, "gpus": "eight"}]
}
END
"$HORUS" run traces/sample.csv -c c.json -o out
