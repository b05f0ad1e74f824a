# SPDX-License-Identifier: GPL-3.0-or-later
# Everything about run, asked with the option.
"$HORUS" run --help all
