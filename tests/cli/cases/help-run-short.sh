# SPDX-License-Identifier: GPL-3.0-or-later
# A dozen lines.
"$HORUS" run --help
