# SPDX-License-Identifier: GPL-3.0-or-later
# Options about one call do not belong into a config.
cat >c.json <<'END'
{
  "force": true
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
