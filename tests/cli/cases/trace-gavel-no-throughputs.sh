# SPDX-License-Identifier: GPL-3.0-or-later
# Gavel's traces tell steps; how long one takes is in another file, which must be named.
printf 'LM (batch size 5)\tpython3 main.py\tlm\t--steps\t1\t1000\t2\t1\t-1\t0\n' >jobs.trace
"$HORUS" trace info jobs.trace
