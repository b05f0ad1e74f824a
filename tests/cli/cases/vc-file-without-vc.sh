# SPDX-License-Identifier: GPL-3.0-or-later
# A file for VCs that are ignored.
"$HORUS" run traces/sample.csv -c 8x8:V100 --vc-file=vcs.json -o out
