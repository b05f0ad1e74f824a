# SPDX-License-Identifier: GPL-3.0-or-later
# An array at the top.
cat >c.json <<'END'
[1, 2]
END
"$HORUS" run traces/sample.csv -c c.json -o out
