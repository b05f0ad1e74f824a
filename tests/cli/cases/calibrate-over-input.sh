# SPDX-License-Identifier: GPL-3.0-or-later
# --data, in a file or in Lucid's folder, must survive -o and --rows.
cat >e.csv <<'END'
job_a,job_b,gpu,rate_a
A/D/1/fp32,,G,10
END
mkdir lucid
echo kept >lucid/single_data.csv
"$HORUS" calibrate speed --data e.csv -o e.csv
echo "exit $?"
"$HORUS" calibrate speed --data e.csv --rows ./e.csv
echo "exit $?"
"$HORUS" calibrate interference --data lucid -o lucid/single_data.csv
echo "exit $?"
"$HORUS" calibrate speed --data e.csv -o new --rows new
echo "exit $?"
cat e.csv lucid/single_data.csv
