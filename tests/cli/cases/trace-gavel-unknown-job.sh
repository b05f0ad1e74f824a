# SPDX-License-Identifier: GPL-3.0-or-later
# A job that the file of throughputs does not have is a bad row, which may be passed over.
printf 'A3C\tcmd\trl\t--n\t0\t100\t1\t1\t-1\t10\n' >jobs.trace
printf 'LM (batch size 5)\tcmd\tlm\t--n\t1\t1000\t2\t1\t-1\t20\n' >>jobs.trace
printf '{"v100": {"A3C": {"null": 2}}}\n' >throughputs.json
"$HORUS" trace info jobs.trace --gavel-throughputs throughputs.json | head -2
"$HORUS" trace info jobs.trace --gavel-throughputs throughputs.json --skip-bad-rows 50 | head -4
