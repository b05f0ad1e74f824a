# SPDX-License-Identifier: GPL-3.0-or-later
# No such file, without a command.
"$HORUS" ./nowhere.csv
