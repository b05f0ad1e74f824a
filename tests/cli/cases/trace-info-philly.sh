# SPDX-License-Identifier: GPL-3.0-or-later
# Philly sample.
"$HORUS" trace info traces/sample-philly.json
