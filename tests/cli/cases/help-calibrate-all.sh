# SPDX-License-Identifier: GPL-3.0-or-later
# No word of --config and --set, which calibrate does not have.
"$HORUS" calibrate --help all
