# SPDX-License-Identifier: GPL-3.0-or-later
# verify of nothing.
"$HORUS" verify
