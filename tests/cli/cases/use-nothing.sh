# SPDX-License-Identifier: GPL-3.0-or-later
# No words at all: help, and a failure.
"$HORUS" 
