/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What optimus learns of a job: its speed with n GPUs,
 *
 *     1 / speed(n) = t0 / n + t1 + t2 n,    t >= 0
 *
 * from speeds that were observed: compute is divided, synchronisation has a constant part and one
 * that grows with n. This is the form of Peng et al., EuroSys'18 3.2 (synchronous training), where
 * parameter servers are as many as workers. And the epochs that it trains, from its losses so far,
 * of the form of 3.1 (horus/loss.h).
 */
#include <math.h>

#include "policies/optimus/optimus.h"

/* ---- speeds ---- */

void hs_optimus_observe(struct hs_optimus_fit *f, uint32_t gpus, double speed)
{
    uint32_t at = 0;
    while (at < f->count && f->gpus[at] != gpus)
        at++;
    if (at == HS_OPTIMUS_SAMPLES) { /* the oldest leaves */
        for (at = f->trials; at + 1 < HS_OPTIMUS_SAMPLES; at++) {
            f->gpus[at] = f->gpus[at + 1];
            f->speed[at] = f->speed[at + 1];
        }
    } else if (at == f->count) {
        f->count++;
    } else if (f->speed[at] == speed) {
        return;
    }
    f->gpus[at] = (uint16_t)gpus;
    f->speed[at] = speed;
    f->is_stale = true;
}

/* Relative errors count, so the rows are multiplied by the speeds. */
static void fit(struct hs_optimus_fit *f)
{
    double a[HS_OPTIMUS_SAMPLES * HS_OPTIMUS_TERMS], b[HS_OPTIMUS_SAMPLES];
    for (uint32_t i = 0; i < f->count; i++) {
        const double speed = f->speed[i], gpus = f->gpus[i];
        a[i * HS_OPTIMUS_TERMS] = speed / gpus;
        a[i * HS_OPTIMUS_TERMS + 1] = speed;
        a[i * HS_OPTIMUS_TERMS + 2] = speed * gpus;
        b[i] = 1;
    }
    (void)hs_nnls(a, b, f->count, HS_OPTIMUS_TERMS, f->term);
    f->is_stale = false;
}

double hs_optimus_speed(struct hs_optimus_fit *f, uint32_t gpus)
{
    if (f->is_stale)
        fit(f);
    return 1 / (f->term[0] / gpus + f->term[1] + f->term[2] * gpus);
}

/* ---- losses ---- */

#define GRID        2000u /* of b2, as fine as the fits of the design's micro-scenario O2 */
#define POINTS_MIN  3u    /* pengyanghua/optimus 8c43920, as the next two */
#define EPOCHS_MORE 20u   /* with fewer points */
#define EPOCHS_MOST 100u

/* For a given b2 the rest is linear: 1 / (l - b2) = b0 k + b1. Rows are multiplied by (l - b2)^2,
 * so that errors count as those of l. b2 is the best of GRID values below the least loss, found in
 * steps of 100, 10 and 1. */
void hs_optimus_fit_loss(const double *at, const double *loss, uint32_t count,
                         struct hs_loss_curve *curve)
{
    double a[HS_NNLS_ROWS_MAX * 2], b[HS_NNLS_ROWS_MAX], x[2], least = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        least = fmin(least, loss[i]);
    uint32_t from = 0, to = GRID;
    for (uint32_t step = GRID / 20; step > 0; step /= 10) {
        uint32_t middle = from;
        double best = INFINITY;
        for (uint32_t g = from; g < to; g += step) {
            const double b2 = least * g / GRID;
            for (uint32_t i = 0; i < count; i++) {
                b[i] = loss[i] - b2;
                a[2 * i + 1] = b[i] * b[i];
                a[2 * i] = a[2 * i + 1] * at[i];
            }
            const double sum = hs_nnls(a, b, count, 2, x);
            if (sum >= best)
                continue;
            best = sum;
            middle = g;
            *curve = (struct hs_loss_curve){x[0], x[1], b2, curve->threshold};
        }
        from = middle > step ? middle - step : 0;
        to = middle + step < GRID ? middle + step : GRID;
    }
}

double hs_optimus_left_us(const struct hs_optimus *o, const struct hs_view *v, hs_job_id job)
{
    struct hs_optimus_scratch *j = hs_optimus_of(v, job);
    if (o->oracle != HS_OPTIMUS_KNOWS_NOTHING) {
        const double left_us = (double)hs_view_remaining_us(v, job);
        if (o->error == 0 || left_us == 0)
            return left_us;
        return left_us * (double)hs_view_estimate_us(v, job) / (double)hs_view_duration_us(v, job);
    }
    const struct hs_training training = hs_view_training(v, job);
    const uint32_t done = (uint32_t)training.done;
    double at[HS_NNLS_ROWS_MAX], loss[HS_NNLS_ROWS_MAX];
    struct hs_loss_curve curve = {.threshold = training.threshold};
    if (done + 1 < POINTS_MIN) {
        j->epochs = done + EPOCHS_MORE;
    } else if (done > j->seen) {
        const uint32_t count = done < HS_NNLS_ROWS_MAX ? done + 1 : HS_NNLS_ROWS_MAX;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t epoch = (uint32_t)((uint64_t)done * i / (count - 1));
            at[i] = epoch;
            loss[i] = hs_view_loss(v, job, epoch);
        }
        hs_optimus_fit_loss(at, loss, count, &curve);
        j->epochs = fmin(hs_loss_epochs(&curve), done + EPOCHS_MOST);
    }
    j->seen = done;
    const double left = fmax(j->epochs, done + 1) - training.done; /* it trains on: this epoch */
    return left * (double)training.epoch_us;
}
