/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The memory of one GPU, split among opportunistic jobs so that the sum of their speeds is large
 * (AntMan: by trial and error; here the trials are told). Each job has at least `least`, and beyond
 * that multiples of a chunk of its own peak. Curves have cliffs, so one chunk at a time would stop
 * before one: each move is the best gain per MiB over all higher points of all curves that still
 * fit. Of equal ones the larger gain, then the job named first. What is left when nothing gains any
 * more goes to the jobs in the order in which they are named.
 *
 * What is given is within one move's gain of the best that any split on these points gives.
 */
#ifndef HORUS_POLICIES_KIT_ANTMAN_MEMORY_H
#define HORUS_POLICIES_KIT_ANTMAN_MEMORY_H

#include <stdint.h>

#define HS_ANTMAN_SHARERS 16 /* jobs on one GPU, at most */
#define HS_ANTMAN_CHUNKS  20 /* in a peak, at most */

struct hs_antman_share {
    uint32_t least_mib, peak_mib; /* least <= peak */
    uint32_t given_mib;           /* out */
};

/* Speed of job i under a limit > 0, Q32. */
typedef uint64_t hs_antman_speed_q32(const void *ctx, uint32_t i, uint32_t limit_mib);

/* Shares of at most room_mib in all, unless the least alone are more. chunks: in a peak. */
void hs_antman_split(struct hs_antman_share *shares, uint32_t count, uint32_t room_mib,
                     uint32_t chunks, hs_antman_speed_q32 *speed_of, const void *ctx);

#endif
