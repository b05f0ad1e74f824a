# SPDX-License-Identifier: GPL-3.0-or-later
# A load below the smallest.
cat >c.json <<'END'
{
  "load": -1
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
