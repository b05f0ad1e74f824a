# SPDX-License-Identifier: GPL-3.0-or-later
# Help about nothing we have.
"$HORUS" help runn
