# SPDX-License-Identifier: GPL-3.0-or-later
# Bytes of no format.
printf '\177ELF\002\001\001\000\000\003\000>\000' >t.csv
"$HORUS" run t.csv -c 2x4 -o out
