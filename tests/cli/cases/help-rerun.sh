# SPDX-License-Identifier: GPL-3.0-or-later
# All of its help.
"$HORUS" rerun --help all
