/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * XXH3-64 behind four calls; the only file that includes xxhash.h. About 10 GB/s, so that hashing
 * every byte read and written is free beside parsing and formatting it.
 */
#include "base/hash.h"

#include <xxhash.h>

#include "base/memory.h"

/* The library's state is the object; struct hs_hash only gives it a type of ours. */
static XXH3_state_t *state_of(struct hs_hash *hash)
{
    return (XXH3_state_t *)(void *)hash;
}

struct hs_hash *hs_hash_open(void)
{
    XXH3_state_t *state = hs_must(XXH3_createState());
    XXH3_64bits_reset(state);
    return (struct hs_hash *)(void *)state;
}

void hs_hash_update(struct hs_hash *hash, const void *data, size_t len)
{
    XXH3_64bits_update(state_of(hash), data, len);
}

uint64_t hs_hash_digest(const struct hs_hash *hash)
{
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)hash);
}

void hs_hash_close(struct hs_hash *hash)
{
    XXH3_freeState(state_of(hash));
}

uint64_t hs_hash_of(const void *data, size_t len)
{
    return XXH3_64bits(data, len);
}

#define TEXT_OF(x)  #x
#define TEXT_OF_(x) TEXT_OF(x)

const char *hs_hash_library_version(void)
{
    return TEXT_OF_(XXH_VERSION_MAJOR) "." TEXT_OF_(XXH_VERSION_MINOR) "." TEXT_OF_(
        XXH_VERSION_RELEASE);
}
