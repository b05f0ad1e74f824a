# SPDX-License-Identifier: GPL-3.0-or-later
# --set into the policy, a value it does not have.
"$HORUS" run traces/sample.csv -c 8x8:V100 -o out --set policy.scan=fitt
