# SPDX-License-Identifier: GPL-3.0-or-later
# Read back, the file has the same jobs and profiles, whatever the seed; drawn again from the same
# seed it is the same, from another it is not; a shorter one is the beginning of the whole.
"$HORUS" trace assign traces/sample.csv -q -o a.csv
"$HORUS" trace assign a.csv -q --assign=columns --seed 9 -o back.csv
"$HORUS" trace assign traces/sample.csv -q -o again.csv
"$HORUS" trace assign traces/sample.csv -q --seed 2 -o other.csv
"$HORUS" trace assign traces/sample.csv -q --max-jobs 300 -o first.csv
cmp a.csv back.csv && cmp a.csv again.csv && head -n 301 a.csv | cmp - first.csv && echo same
cmp -s a.csv other.csv || echo another
