# SPDX-License-Identifier: GPL-3.0-or-later
# No such file.
"$HORUS" run nowhere.csv -c 2x4 -o out
