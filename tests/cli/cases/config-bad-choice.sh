# SPDX-License-Identifier: GPL-3.0-or-later
# A choice that is none.
cat >c.json <<'END'
{
  "check": "fulll"
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
