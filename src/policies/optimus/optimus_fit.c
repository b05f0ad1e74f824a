/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What optimus learns of a job: its speed with n GPUs,
 *
 *     1 / speed(n) = t0 / n + t1 + t2 n,    t >= 0
 *
 * from speeds that were observed: compute is divided, synchronisation has a constant part and one
 * that grows with n. This is the form of Peng et al., EuroSys'18 3.2 (synchronous training), where
 * parameter servers are as many as workers.
 */
#include "horus/nnls.h"
#include "policies/optimus/optimus.h"

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
