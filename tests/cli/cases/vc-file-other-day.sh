# SPDX-License-Identifier: GPL-3.0-or-later
# The last row of a VC file is of a larger cluster than ours, an earlier one of a smaller.
cat >vcs.csv <<'END'
date,vcA,vcB,total
2020-04-01,32,16,48
2020-04-02,32,40,72
END
"$HORUS" run traces/sample.csv -c 8x8:V100 --vc=partition --vc-file=vcs.csv -o out
"$HORUS" run traces/sample.csv -c 8x8:V100 --vc=partition --vc-file=vcs.csv --vc-date=2020-04-01 -o out
