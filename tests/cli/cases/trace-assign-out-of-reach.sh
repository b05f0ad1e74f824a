# SPDX-License-Identifier: GPL-3.0-or-later
# No gang of this catalogue idles that much.
cat > profiles.csv <<END
model,gpu,util,distributed
NetA,G,10.5,no
NetB,G,45.5,yes
NetC,G,80,yes
END
"$HORUS" trace assign traces/sample.csv --profiles profiles.csv --assign-target 30 -o out.csv
