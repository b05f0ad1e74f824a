# SPDX-License-Identifier: GPL-3.0-or-later
# What cannot be made, each with what would do.
"$HORUS" generate
"$HORUS" generate --like venis
"$HORUS" generate --like venus --workload w.json
"$HORUS" generate --like venus -n 10 -c 4x8
"$HORUS" generate --like venus -n 10 --load 0.5
"$HORUS" generate --like venus -n 10 --days 1 --load 0.5 -c 4x8
"$HORUS" generate --like venus -n 100000000
"$HORUS" generate --like venus -n 10 -o x.dat
"$HORUS" run gen:venus,m=4 -c 4x8
"$HORUS" trace info gen:venus,load=0.5
