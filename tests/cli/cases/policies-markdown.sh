# SPDX-License-Identifier: GPL-3.0-or-later
# For a README.
"$HORUS" policies srsf --markdown
