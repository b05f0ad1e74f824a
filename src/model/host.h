/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The speed of a job as a function of the CPUs and host memory per GPU (MODEL.md 4): a grid for
 * each model, relative to the share of a GPU on the measured servers (Mohan et al., Synergy,
 * OSDI'22). Read-only after loading.
 *
 *     HS_TRY(hs_host_load(&host, "builtin:models/host.json", &catalogue, diag));
 *     rate = hs_q32_mul(rate, hs_host_speed_q32(host, profile, 5000, 64000));
 */
#pragma once

#include "horus/view.h"
#include "model/profile.h"

struct hs_host;

/* Must be freed with hs_host_free even after a failure. */
HS_MUST_USE enum hs_status hs_host_load(struct hs_host **host, const char *path,
                                        const struct hs_catalogue *catalogue, struct hs_diag *diag);
void hs_host_free(struct hs_host *host); /* NULL is allowed */
/* Returns the speed with these CPUs, in thousandths, and memory per GPU, Q32, >= 0: bilinear
 * between grid points, constant beyond the edges; 1 for HS_NO_PROFILE or a model without a grid.
 * Integers, rounded down. O(points). */
uint64_t hs_host_speed_q32(const struct hs_host *host, uint32_t profile, uint32_t cpus_milli,
                           uint32_t mem_mib);
/* The points of its grid; false: it has none. */
bool hs_host_axes_of(const struct hs_host *host, uint32_t profile, struct hs_host_axes *axes);
