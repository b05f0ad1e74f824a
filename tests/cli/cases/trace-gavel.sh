# SPDX-License-Identifier: GPL-3.0-or-later
# 1000 steps at 40 a second on 2 GPUs are 25 s, 100 at 2 a second 50 s.
# Half the GPU time each. The option is for no other format.
printf 'LM (batch size 5)\tpython3 main.py\tlm\t--steps\t1\t1000\t2\t1\t-1\t0\n' >jobs.trace
printf 'A3C\tpython3 main.py\trl\t--max-steps\t0\t100\t1\t5\t1.2\t10\n' >>jobs.trace
cat >throughputs.json <<'END'
{"v100": {"('LM (batch size 5)', 2)": {"null": 40}, "('A3C', 1)": {"null": 2}}}
END
"$HORUS" trace info jobs.trace --gavel-throughputs throughputs.json
"$HORUS" trace info traces/sample.csv --gavel-throughputs throughputs.json
