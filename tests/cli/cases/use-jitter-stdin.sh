# SPDX-License-Identifier: GPL-3.0-or-later
# Standard input cannot be read twice.
"$HORUS" run - --tie-jitter 3
