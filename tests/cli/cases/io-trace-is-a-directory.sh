# SPDX-License-Identifier: GPL-3.0-or-later
# A directory.
"$HORUS" run traces -c 2x4 -o out
