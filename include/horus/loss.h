/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loss of a training: l(k) = 1 / (b0 k + b1) + b2 after k epochs, the form of Peng et al.,
 * EuroSys'18 3.1, of stochastic gradient descent, which converges as 1 / k.
 */
#ifndef HORUS_LOSS_H
#define HORUS_LOSS_H

#include <stdint.h>

#define HS_LOSS_EPOCHS_MAX (1u << 20)
#define HS_LOSS_PARTS      1000000 /* traces give figures in millionths, */
#define HS_LOSS_MOST       4000    /* up to this */

/* A training ends once the loss has fallen by less than the threshold in so many epochs in a row:
 * pengyanghua/optimus 8c43920. */
#define HS_LOSS_ROW 10u

struct hs_loss_curve {
    double b0, b1, b2, threshold;
};

static inline double hs_loss_at(const struct hs_loss_curve *c, double epochs)
{
    return 1 / (c->b0 * epochs + c->b1) + c->b2;
}

/* The first epoch, from 0, in which it falls by less than the threshold; at most
 * HS_LOSS_EPOCHS_MAX. It never falls by more in a later one: the first is found by halving. */
static inline uint32_t hs_loss_flat_from(const struct hs_loss_curve *c)
{
    uint32_t low = 0, high = HS_LOSS_EPOCHS_MAX;
    while (low < high) {
        const uint32_t k = low + (high - low) / 2;
        const double before = c->b0 * k + c->b1;
        if (c->b0 < c->threshold * before * (before + c->b0)) /* 1 / before - 1 / after */
            high = k;
        else
            low = k + 1;
    }
    return low;
}

static inline uint32_t hs_loss_epochs(const struct hs_loss_curve *c)
{
    return hs_loss_flat_from(c) + HS_LOSS_ROW;
}

#endif
