/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear probing at a load of at most one half; O(1) expected.
 */
#include "traces/idset.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define SIZE_MIN 1024

static bool insert(uint64_t *hashes, uint64_t size, uint64_t hash)
{
    uint64_t at = hash & (size - 1);
    while (hashes[at] != 0) {
        if (hashes[at] == hash)
            return false;
        at = (at + 1) & (size - 1);
    }
    hashes[at] = hash;
    return true;
}

static enum hs_status grow(struct hs_idset *set)
{
    uint64_t size = set->size > 0 ? set->size * 2 : SIZE_MIN;
    uint64_t *hashes = hs_alloc_zeroed(size, sizeof *hashes);
    if (!hashes)
        return HS_E_MEMORY;
    for (uint64_t i = 0; i < set->size; i++)
        if (set->hashes[i] != 0)
            insert(hashes, size, set->hashes[i]);
    hs_free(set->hashes);
    set->hashes = hashes;
    set->size = size;
    return HS_OK;
}

enum hs_status hs_idset_add(struct hs_idset *set, const char *id, bool *was_there)
{
    if (set->count * 2 >= set->size)
        HS_TRY(grow(set));
    uint64_t hash = hs_hash_of(id, strlen(id));
    *was_there = !insert(set->hashes, set->size, hash != 0 ? hash : 1);
    set->count += !*was_there;
    return HS_OK;
}

void hs_idset_free(struct hs_idset *set)
{
    hs_free(set->hashes);
    *set = (struct hs_idset){0};
}
