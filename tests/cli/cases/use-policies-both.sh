# SPDX-License-Identifier: GPL-3.0-or-later
# Two forms of output.
"$HORUS" policies --json --markdown
