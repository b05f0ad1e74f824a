# SPDX-License-Identifier: GPL-3.0-or-later
# Helios sample.
"$HORUS" trace info traces/sample-helios.csv
