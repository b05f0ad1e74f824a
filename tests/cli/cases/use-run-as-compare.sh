# SPDX-License-Identifier: GPL-3.0-or-later
# Who gives `horus run` what `horus compare` takes is told so; nothing is run.
"$HORUS" run traces/sample.csv -p fifo -p horus; echo $?
"$HORUS" run traces/sample.csv --policy=sjf -p sjf:scan=fit; echo $?
"$HORUS" run traces/sample.csv --seeds 1..5; echo $?
"$HORUS" run traces/sample.csv --fail-if 'ooms>0'; echo $?
ls
