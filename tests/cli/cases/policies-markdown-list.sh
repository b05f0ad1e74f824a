# SPDX-License-Identifier: GPL-3.0-or-later
# The table of a README.
"$HORUS" policies --markdown
