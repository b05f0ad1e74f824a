# SPDX-License-Identifier: GPL-3.0-or-later
# A misspelt key.
cat >c.json <<'END'
{
  "clustr": "8x8:V100"
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
