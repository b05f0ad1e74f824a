# SPDX-License-Identifier: GPL-3.0-or-later
# The effective configuration, with origins, is itself a config.
cat >c.json <<'END'
{
  // comments are allowed
  "cluster": "8x8:V100",
  "policy": {"name": "fifo", "scan": "fit"},
  "check": "fast"
}
END
"$HORUS" run traces/sample.csv --config c.json --set max_jobs=10 --until 2h --print-config | tee d.json
"$HORUS" run --config d.json --print-config | sed 's, *//.*,,' >e.json
sed 's, *//.*,,' d.json | diff - e.json
