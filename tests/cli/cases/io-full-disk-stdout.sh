# SPDX-License-Identifier: GPL-3.0-or-later
# A full disk behind standard output.
"$HORUS" policies >/dev/full
