# SPDX-License-Identifier: GPL-3.0-or-later
# trace in short.
"$HORUS" trace --help
