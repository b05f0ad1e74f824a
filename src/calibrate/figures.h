/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures in the tables that calibrations print for people.
 *
 *     hs_say_score_head(out, "joint GPU utilization");
 *     hs_say_score(out, "1 - prod(1 - u), unseen model", &score);
 *     hs_say_number(out, share * 100, 1, 8);                   // "    80.5", "       -" for NaN
 */
#ifndef HORUS_CALIBRATE_FIGURES_H
#define HORUS_CALIBRATE_FIGURES_H

#include "base/io.h"
#include "calibrate/score.h"

/* With exactly so many decimals (at most 9), right-aligned in at least so many bytes. */
void hs_say_number(struct hs_output *out, double value, unsigned decimals, int width);

/* Columns n, MAE, RMSE, R2, bias, p95, rho behind a name. */
void hs_say_score_head(struct hs_output *out, const char *title);
void hs_say_score(struct hs_output *out, const char *name, const struct hs_score *score);

#endif
