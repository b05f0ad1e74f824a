/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has this job id been seen before? A set of 64-bit hashes, 16 to 32 bytes an id; two different ids
 * of one hash would be taken for a repetition (odds below 1e-6 for ten million jobs).
 */
#ifndef HORUS_TRACES_IDSET_H
#define HORUS_TRACES_IDSET_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/status.h"

struct hs_idset {
    uint64_t *hashes; /* open addressing; 0 = empty */
    uint64_t size, count;
};

HS_MUST_USE enum hs_status hs_idset_add(struct hs_idset *set, const char *id, bool *was_there);
void hs_idset_free(struct hs_idset *set);

#endif
