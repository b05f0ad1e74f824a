# SPDX-License-Identifier: GPL-3.0-or-later
# What there is to ask about, in the order of the catalogue.
"$HORUS" predict --list --profiles tests/support/models/profiles.csv
