# SPDX-License-Identifier: GPL-3.0-or-later
"$HORUS" trace assign traces/sample.csv --profiles missing.csv -o out.csv
