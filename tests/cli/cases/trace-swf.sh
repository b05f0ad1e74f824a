# SPDX-License-Identifier: GPL-3.0-or-later
# A log of six lines: two jobs, one of them of 0 s; a part of a run, an unknown run time, an unknown
# number of processors and none at all are passed over, counted. 2003-01-01 00:00:00 UTC is
# 1041379200, and the log is an hour east of it.
cat >log.swf <<'END'
; Version: 2.2
; UnixStartTime: 1041379200
; TimeZone: 3600
1 10 5 100 8 -1 -1 8 600 -1 1 1 1 -1 1 1 -1 -1
2 20 5   0 4 -1 -1 4 600 -1 5 2 1 -1 1 1 -1 -1
3 30 5  50 4 -1 -1 4 600 -1 2 2 1 -1 1 1 -1 -1
4 40 5  -1 4 -1 -1 4 600 -1 5 2 1 -1 1 1 -1 -1
5 50 5  60 -1 -1 -1 -1 600 -1 0 2 1 -1 1 1 -1 -1
6 60 5  60 0 -1 -1 0 600 -1 0 2 1 -1 1 1 -1 -1
END
"$HORUS" trace info log.swf | head -14
