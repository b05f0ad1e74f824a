# SPDX-License-Identifier: GPL-3.0-or-later
# A misspelt policy.
"$HORUS" policies srft
