# SPDX-License-Identifier: GPL-3.0-or-later
# More GPUs dealt out than there are.
echo '{"vcs": {"vcA": 64, "vcB": 64}}' >vcs.json
"$HORUS" run traces/sample.csv -c 8x8:V100 --vc=partition --vc-file=vcs.json -o out
