# SPDX-License-Identifier: GPL-3.0-or-later
# Nor is a file, even with --force.
echo precious >out
"$HORUS" run traces/sample.csv -c 8x8:V100 -o out --force
code=$?
cat out
exit $code
