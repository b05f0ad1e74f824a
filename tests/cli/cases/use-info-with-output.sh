# SPDX-License-Identifier: GPL-3.0-or-later
"$HORUS" trace info traces/sample.csv -o out.csv
