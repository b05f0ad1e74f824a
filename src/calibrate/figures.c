/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decimals by integer arithmetic, like base/fmt, but with trailing zeros: columns line up.
 */
#include "calibrate/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NAME_WIDTH  44
#define LARGEST     1e9 /* of what is printed; keeps the scaled number within 63 bits */
#define DECIMAL_MAX 9u

static void format(char text[64], double value, unsigned decimals)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals && i < DECIMAL_MAX; i++)
        scale *= 10;
    if (!(fabs(value) < LARGEST)) {
        (void)snprintf(text, 64, "%s", isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
        return;
    }
    uint64_t scaled = (uint64_t)(fabs(value) * (double)scale + 0.5);
    int len = snprintf(text, 64, "%s%" PRIu64, value < 0 && scaled > 0 ? "-" : "", scaled / scale);
    if (decimals > 0)
        (void)snprintf(text + len, 64 - (size_t)len, ".%0*" PRIu64, (int)decimals, scaled % scale);
}

/* Neighbours must not run together: decimals give way, then the column. */
void hs_say_number(struct hs_output *out, double value, unsigned decimals, int width)
{
    char text[64];
    format(text, value, decimals);
    while (width > 0 && strlen(text) >= (size_t)width && decimals > 0)
        format(text, value, --decimals);
    bool is_wide = width > 0 && strlen(text) >= (size_t)width;
    hs_say(out, "%s%*s", is_wide ? " " : "", width, text);
}

void hs_say_score_head(struct hs_output *out, const char *title)
{
    hs_say(out, "\n%-*s%7s%8s%8s%8s%8s%8s%8s\n", NAME_WIDTH, title, "n", "MAE", "RMSE", "R2",
           "bias", "p95", "rho");
}

void hs_say_score(struct hs_output *out, const char *name, const struct hs_score *score)
{
    const double values[] = {score->mae,  score->rmse, score->r2,
                             score->bias, score->p95,  score->rho};
    hs_say(out, "  %-*s%7" PRIu32, NAME_WIDTH - 2, name, score->n);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        hs_say_number(out, values[i], 4, 8);
    hs_say(out, "\n");
}
