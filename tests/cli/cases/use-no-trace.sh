# SPDX-License-Identifier: GPL-3.0-or-later
# run of nothing.
"$HORUS" run -c 4x4
