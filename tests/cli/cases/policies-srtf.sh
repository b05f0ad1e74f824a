# SPDX-License-Identifier: GPL-3.0-or-later
# A preemptive one.
"$HORUS" policies srtf
