# SPDX-License-Identifier: GPL-3.0-or-later
# openb's lists with five columns have no times: a second apart, none leaves before the last comes.
cat >pods.csv <<'END'
name,cpu_milli,memory_mib,num_gpu,gpu_milli
a,12000,16384,1,1000
b,6000,12288,1,460
END
"$HORUS" trace info pods.csv | head -n 6
