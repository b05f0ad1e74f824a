# SPDX-License-Identifier: GPL-3.0-or-later
# What the formats need.
"$HORUS" help formats
