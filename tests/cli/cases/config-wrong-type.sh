# SPDX-License-Identifier: GPL-3.0-or-later
# A text where a number is wanted.
cat >c.json <<'END'
{
  "cluster": "8x8:V100",
  "seed": "seven"
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
