# SPDX-License-Identifier: GPL-3.0-or-later
# The built-in files: the pair and both jobs were measured on an RTX3090 of 24 GiB (NVIDIA's data
# sheet). 20162 MiB and 3884 MiB with the reserve of 1026 MiB are more than 24576 MiB; the first of
# them alone is not.
"$HORUS" predict --job BERT:32 --with LSTM:64 --gpu rtx-3090 | grep fits
"$HORUS" predict --job BERT:32 --gpu RTX3090 | grep fits
