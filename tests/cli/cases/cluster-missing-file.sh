# SPDX-License-Identifier: GPL-3.0-or-later
# No such file.
"$HORUS" run traces/sample.csv -c nowhere.json -o out
