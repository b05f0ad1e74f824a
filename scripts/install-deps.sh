#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Installs the Debian/Ubuntu packages that a group of targets needs and that are missing; does
# nothing, at once, when all are there.
#   scripts/install-deps.sh [--print] GROUP... [--or-skip GROUP...]
# Groups: afl bench browser build check lint cov man plot sweep. --print only prints the command. Exit 1 when
# packages are missing and cannot be installed; behind --or-skip are those without which tests skip.
set -u

packages_of() {
    case $1 in
    afl) echo afl++ ;;
    bench) echo valgrind ;;
    browser) echo chromium ;;
    build) echo gcc libc6-dev make pkg-config git libgsl-dev libcsv-dev libcjson-dev zlib1g-dev \
        libzstd-dev libxxhash-dev libglpk-dev ;;
    check) echo libcmocka-dev gzip zstd jq scdoc python3-jsonschema sqlite3 datamash miller ;;
    lint) echo clang clang-format pmccabe shellcheck ;;
    cov) echo gcovr ;;
    man) echo scdoc ;;
    plot) echo librsvg2-bin gnuplot-nox ;;
    sweep) echo parallel slurm-wlm munge ;;
    *)
        echo "install-deps.sh: unknown group '$1' (afl, bench, browser, build, check, lint, cov, man, plot, sweep)" >&2
        exit 2
        ;;
    esac
}

is_installed() {
    # pkgconf stands in for pkg-config on newer releases.
    case $1 in
    pkg-config) command -v pkg-config >/dev/null ;;
    *) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
    esac
}

print_only=no
if [ "${1-}" = --print ]; then
    print_only=yes
    shift
fi
[ $# -gt 0 ] || set -- build

if ! command -v dpkg-query >/dev/null; then
    # Not Debian: the build's own probe reports missing packages.
    echo "install-deps.sh: no dpkg here; install by hand what 'make' asks for" >&2
    exit 0
fi

missing=()
status=0 # status if packages are missing
is_required=yes
for group in "$@"; do
    if [ "$group" = --or-skip ]; then
        is_required=no
        continue
    fi
    list=$(packages_of "$group") || exit 2
    for package in $list; do
        is_installed "$package" && continue
        missing+=("$package")
        [ $is_required = no ] || status=1
    done
done
[ ${#missing[@]} -gt 0 ] || exit 0

command="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$print_only" = yes ]; then
    echo "  on Debian or Ubuntu: sudo sh -c '$command'"
    exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        if [ $status -eq 0 ]; then
            echo "Packages are missing and this user may not install them; their tests are skipped. To have them:" >&2
        else
            echo "Packages are missing and this user may not install them. Run, then try again:" >&2
        fi
        echo "  sudo sh -c '$command'" >&2
        exit $status
    fi
    as_root=(sudo -n)
fi
echo "Installing: ${missing[*]}" >&2
{
    "${as_root[@]}" apt-get -q update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends "${missing[@]}"
} >&2 || {
    echo "apt-get failed; the command was: $command" >&2
    exit $status
}
