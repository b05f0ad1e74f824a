# SPDX-License-Identifier: GPL-3.0-or-later
# Standard output has the file and nothing else; what was left out is said beside it.
"$HORUS" trace assign traces/sample-philly.json -q -o - | "$HORUS" trace info - | head -n 4
