# SPDX-License-Identifier: GPL-3.0-or-later
# The list.
"$HORUS" policies
COLUMNS=160 "$HORUS" policies | head -n 3
COLUMNS=60 "$HORUS" policies | head -n 6
