# SPDX-License-Identifier: GPL-3.0-or-later
# A list at the top.
cat >c.json <<'END'
["fifo"]
END
"$HORUS" run traces/sample.csv -o out --config c.json
