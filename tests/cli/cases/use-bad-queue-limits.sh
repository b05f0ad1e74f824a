# SPDX-License-Identifier: GPL-3.0-or-later
# Limits of queues that do not rise, and limits between commas.
run() { "$HORUS" run traces/sample.csv -c 8x8:V100 -p "$1" -o o; }
run tiresias:queue_limits=7200/3250
run tiresias:queue_limits=3250,7200
