# SPDX-License-Identifier: GPL-3.0-or-later
# A file of nothing.
: >t.csv
"$HORUS" run t.csv -c 2x4 -o out
