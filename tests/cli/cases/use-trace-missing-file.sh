# SPDX-License-Identifier: GPL-3.0-or-later
# An action without a file.
"$HORUS" trace info
