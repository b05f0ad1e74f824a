# SPDX-License-Identifier: GPL-3.0-or-later
# No nodes at all.
cat >c.json <<'END'
{
  "nodes": []
}
END
"$HORUS" run traces/sample.csv -c c.json -o out
