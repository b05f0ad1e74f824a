# SPDX-License-Identifier: GPL-3.0-or-later
# For programs.
"$HORUS" policies fifo --json
