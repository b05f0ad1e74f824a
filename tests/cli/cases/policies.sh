# SPDX-License-Identifier: GPL-3.0-or-later
# The list.
"$HORUS" policies
