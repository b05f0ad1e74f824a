# SPDX-License-Identifier: GPL-3.0-or-later
# Below the smallest.
"$HORUS" run traces/sample.csv --max-tenants=0
