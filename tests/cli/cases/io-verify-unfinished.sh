# SPDX-License-Identifier: GPL-3.0-or-later
# A directory without a manifest is not a finished run.
mkdir run
"$HORUS" verify run
