# SPDX-License-Identifier: GPL-3.0-or-later
# A trailing comma.
cat >c.json <<'END'
{
  "cluster": "8x8:V100",
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
