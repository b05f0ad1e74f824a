# SPDX-License-Identifier: GPL-3.0-or-later
# A policy like no other.
"$HORUS" run traces/sample.csv -c 8x8:V100 -p clairvoyance
