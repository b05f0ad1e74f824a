# SPDX-License-Identifier: GPL-3.0-or-later
# A .gz whose checksum is another.
gzip -nc traces/sample.csv >t.csv.gz
truncate -s -8 t.csv.gz
printf 'wrongsum' >>t.csv.gz
"$HORUS" run t.csv.gz -c 2x4 -o out
