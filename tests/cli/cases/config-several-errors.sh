# SPDX-License-Identifier: GPL-3.0-or-later
# All of them at once.
cat >c.json <<'END'
{
  // three mistakes
  "polcy": "fifo",
  "until": "next week",
  "max_jobs": -5
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
