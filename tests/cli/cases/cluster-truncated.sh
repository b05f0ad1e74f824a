# SPDX-License-Identifier: GPL-3.0-or-later
# The file ends early.
cat >c.json <<'END'
{
  "nodes": [{"count": 4,
END
"$HORUS" run traces/sample.csv -c c.json -o out
