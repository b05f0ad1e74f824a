# SPDX-License-Identifier: GPL-3.0-or-later
# every parameter of tiresias, with its source
"$HORUS" policies tiresias
