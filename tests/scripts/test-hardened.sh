#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The hardening of release builds, as set by the Makefile, in the program itself: its tables of pointers are
# read-only and filled at the start (full RELRO), stacks have guards, and calls with sizes known to the
# compiler are checked (FORTIFY). Its own address is fixed, as checkpoints hold addresses of it; stack and
# libraries are at random addresses chosen by the system.
subject=hardened
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

case $("$HORUS" version --verbose) in
*-fsanitize* | *--coverage* | *-O0*)
    skip "not a release build"
    exit 0
    ;;
esac

has() { # NAME PATTERN READELF-OPTION...
    readelf -W "${@:3}" "$HORUS" | grep -Eq "$2" && verdict "$1" "" || verdict "$1" "no $2 in readelf ${*:3}"
}
has 'fixed addresses' 'Type: +EXEC' -h
has 'immediate binding' 'BIND_NOW' -d
has RELRO 'GNU_RELRO' -l
has 'stack protector' '__stack_chk_fail' --dyn-syms
has FORTIFY '__(memcpy|snprintf|vsnprintf)_chk' --dyn-syms
exit "$failed"
