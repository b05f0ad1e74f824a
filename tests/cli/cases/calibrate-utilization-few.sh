# SPDX-License-Identifier: GPL-3.0-or-later
# Three pairs without bandwidth and a form that fails badly: numbers keep apart, no empty tables.
cat >few.csv <<'END'
job_a,job_b,gpu,speed_a,speed_b,util_a,util_b,util_joint
A/D/1/fp32,B/D/1/fp32,G,0.7,0.8,90,91,90
A/D/1/fp32,C/D/1/fp32,G,1,1,90,10,90.5
B/D/1/fp32,C/D/1/fp32,G,1,1,91,10,91
END
"$HORUS" calibrate utilization --data few.csv
