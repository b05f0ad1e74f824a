# SPDX-License-Identifier: GPL-3.0-or-later
# Everything about run.
"$HORUS" help run
