# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler, flags, libraries.
"$HORUS" version --verbose
