# SPDX-License-Identifier: GPL-3.0-or-later
# A policy object with a parameter it does not have.
cat >c.json <<'END'
{
  "cluster": "8x8:V100",
  "policy": {"name": "fifo", "scam": "fit"}
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
