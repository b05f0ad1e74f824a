/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The GPUs that hold shares and have room for more, by room: which of them a share fits most
 * tightly. Per VC and GPU type an ordered set of (room, GPU id), in thousandths of a GPU.
 *
 *     hs_part_set(p, gpu, 540);      gpu = hs_part_tightest(p, free_index, &ask, 460);
 *
 * CPU and host memory are looked up in the index of free GPUs, where they are booked.
 */
#ifndef HORUS_MODEL_PARTINDEX_H
#define HORUS_MODEL_PARTINDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/cluster.h"
#include "model/freeindex.h"

struct hs_part;

/* by_vc: as in hs_free_init. No GPU is in it. Memory O(GPUs), all from the arena. */
void hs_part_init(struct hs_part **parts, const struct hs_cluster *cluster, bool by_vc,
                  struct hs_arena *arena);
/* The room of a GPU, below 65536; 0 takes it out. O(log GPUs). */
void hs_part_set(struct hs_part *p, uint32_t gpu, uint32_t room_milli);
uint32_t hs_part_room(const struct hs_part *p, uint32_t gpu); /* 0 = it is not in */
/* Least room of at least `milli`, then lowest id, of the ask's VC and types, on a node with CPU and
 * host memory for one more worker. UINT32_MAX = none. */
uint32_t hs_part_tightest(const struct hs_part *p, const struct hs_free *f,
                          const struct hs_ask *ask, uint32_t milli);
/* Most room of any GPU that the VC may use; 0 = none is in. */
uint32_t hs_part_most(const struct hs_part *p, uint32_t vc);
/* Room of all of them together. */
uint64_t hs_part_all(const struct hs_part *p, uint32_t vc);
/* Order and shape hold everywhere, every GPU with room is in its set. O(GPUs). */
bool hs_part_is_valid(const struct hs_part *p);

#endif
