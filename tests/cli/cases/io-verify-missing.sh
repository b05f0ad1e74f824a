# SPDX-License-Identifier: GPL-3.0-or-later
# No such run.
"$HORUS" verify nowhere
