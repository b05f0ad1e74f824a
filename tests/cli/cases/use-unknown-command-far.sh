# SPDX-License-Identifier: GPL-3.0-or-later
# A command like no other.
"$HORUS" compare-everything
