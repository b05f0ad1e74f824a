# SPDX-License-Identifier: GPL-3.0-or-later
# A date that the file does not have.
cat >vcs.csv <<'END'
date,vcA,vcB,total
2020-04-01,32,32,64
2020-04-02,24,40,64
END
"$HORUS" run traces/sample.csv -c 8x8:V100 --vc=quota --vc-file=vcs.csv --vc-date=2021-04-01 -o out
