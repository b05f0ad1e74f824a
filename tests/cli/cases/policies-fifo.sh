# SPDX-License-Identifier: GPL-3.0-or-later
# One of them.
"$HORUS" policies fifo
