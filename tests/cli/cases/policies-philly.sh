# SPDX-License-Identifier: GPL-3.0-or-later
# One that may exceed quotas.
"$HORUS" policies philly
