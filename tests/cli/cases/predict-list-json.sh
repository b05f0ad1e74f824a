# SPDX-License-Identifier: GPL-3.0-or-later
# The same as JSON.
"$HORUS" predict --list --json --profiles tests/support/models/profiles.csv
