/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names to dense ids and back: users, VCs, models, GPU types. Ids are given in order of first
 * appearance; nothing ever depends on hash order. NULL and "" are both id 0, text "".
 */
#pragma once

#include <assert.h>

#include "base/memory.h"

struct hs_intern_slot {
    uint64_t head; /* the first eight bytes of the name, 0 behind its end */
    uint32_t hash;
    uint32_t number; /* id + 1; 0 = empty */
};

struct hs_intern {
    struct hs_arena arena;
    const char **texts;
    struct hs_intern_slot *table; /* open addressing; a power of two long */
    uint32_t count, texts_cap, table_size;
};

#define HS_INTERN_MAX (1u << 24)

void hs_intern_init(struct hs_intern *names);
/* The id of a name, a new one if it was never interned. */
uint32_t hs_intern_get(struct hs_intern *names, const char *text);
/* UINT32_MAX if it was never interned. */
uint32_t hs_intern_find(const struct hs_intern *names, const char *text);
static inline const char *hs_intern_text(const struct hs_intern *names, uint32_t id)
{
    assert(id < names->count);
    return names->texts[id];
}
void hs_intern_free(struct hs_intern *names);
