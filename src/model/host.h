/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the speed of a job depends on the CPUs and the host memory of each of its GPUs (MODEL.md 4):
 * a grid for each model, relative to the share of a GPU on the measured servers (Mohan et al.,
 * Synergy, OSDI'22). Read-only after loading.
 *
 *     HS_TRY(hs_host_load(&host, "builtin:models/host.json", &catalogue, diag));
 *     rate = hs_q32_mul(rate, hs_host_speed_q32(host, profile, 5000, 64000));
 */
#pragma once

#include "model/profile.h"

#define HS_HOST_POINTS 16u /* of an axis */

struct hs_host;

/* Free with hs_host_free, whatever this returns. */
HS_MUST_USE enum hs_status hs_host_load(struct hs_host **host, const char *path,
                                        const struct hs_catalogue *catalogue, struct hs_diag *diag);
void hs_host_free(struct hs_host *host); /* NULL is fine */
/* Speed with so many CPUs, in thousandths, and so much memory a GPU, Q32, >= 0: bilinear between
 * the points of the grid, at its edge beyond them; 1 for a profile whose model has no grid, and
 * HS_NO_PROFILE. In integers, rounded down. O(points). */
uint64_t hs_host_speed_q32(const struct hs_host *host, uint32_t profile, uint32_t cpus_milli,
                           uint32_t mem_mib);
