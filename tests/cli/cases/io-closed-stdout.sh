# SPDX-License-Identifier: GPL-3.0-or-later
# Standard output is closed.
"$HORUS" policies >&-
