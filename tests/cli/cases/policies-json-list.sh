# SPDX-License-Identifier: GPL-3.0-or-later
# All of them, for programs.
"$HORUS" policies --json | jq -r ".[] | .name"
