# SPDX-License-Identifier: GPL-3.0-or-later
# What it knows with its defaults, and what its parameters can make it know.
"$HORUS" policies qssf
