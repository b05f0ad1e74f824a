/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names to dense ids and back: users, VCs, models, GPU types. Ids are assigned in order of first
 * appearance; nothing depends on hash order. NULL and "" both have id 0, text "".
 */
#pragma once

#include <assert.h>

#include "base/memory.h"

struct hs_intern_slot {
    uint64_t head, tail; /* bytes of the name, or a hash */
    uint32_t len;        /* of the name, modulo 2^32 */
    uint32_t number;     /* id + 1; 0 = empty */
};

struct hs_intern {
    struct hs_arena arena;
    const char **texts;
    struct hs_intern_slot *table; /* open addressing; length a power of two */
    uint32_t count, texts_cap, table_size;
};

#define HS_INTERN_MAX (1u << 24)

void hs_intern_init(struct hs_intern *names);
/* Returns the id of a name; adds it if it is new. */
uint32_t hs_intern_get(struct hs_intern *names, const char *text);
/* Returns UINT32_MAX for an unknown name. */
uint32_t hs_intern_find(const struct hs_intern *names, const char *text);
static inline const char *hs_intern_text(const struct hs_intern *names, uint32_t id)
{
    assert(id < names->count);
    return names->texts[id];
}
void hs_intern_free(struct hs_intern *names);
