# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing.
cat >c.json <<'END'
END
"$HORUS" run traces/sample.csv -c c.json -o out
