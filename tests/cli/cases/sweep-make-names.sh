# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2016 # the dollars are meant
# Names that shell or make would read as something else reach the program as they are.
cat >"load's \$HOME.json" <<'J'
{ "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 5 },
  "grid": { "load": [1, 2] } }
J
"$HORUS" sweep "load's \$HOME.json" -o 'to $x' --make >by-make
make -s -f by-make >/dev/null && cut -d, -f1,3-5 'to $x/sweep.csv'
"$HORUS" sweep "load's \$HOME.json" -o 'to $y' --list | sh >/dev/null && ls 'to $y'
