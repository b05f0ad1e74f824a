# SPDX-License-Identifier: GPL-3.0-or-later
# Text of no format.
echo 'Dear reader, this is not a trace.' >t.txt
"$HORUS" run t.txt -c 2x4 -o out
