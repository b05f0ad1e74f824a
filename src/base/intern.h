/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names to dense ids and back: users, VCs, models, GPU types. Ids are given in order of first
 * appearance; nothing ever depends on hash order. NULL and "" are both id 0, text "".
 */
#ifndef HORUS_BASE_INTERN_H
#define HORUS_BASE_INTERN_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/word8.h"

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
#define HS_NAME_LONG  UINT64_MAX

/* A name of up to seven bytes as a number that no other has, for tables that need no ids: 0 for
 * NULL and "", HS_NAME_LONG for all that are longer. */
uint64_t hs_name_word(const char *text);
/* The same of a text of which eight bytes may be read, wherever it ends. */
static inline uint64_t hs_name_word_at(const char *text)
{
    const uint64_t word = hs_word8_at(text), ends = hs_word8_zeros(word);
    const uint64_t first = ends & (0 - ends); /* the top bit of the byte that ends it */
    return first != 0 ? word & ((first >> 7) - 1) : HS_NAME_LONG;
}

void hs_intern_init(struct hs_intern *names);
/* The id of a name, a new one if it was never interned. word: hs_name_word(text). */
uint32_t hs_intern_get_word(struct hs_intern *names, const char *text, uint64_t word);
static inline uint32_t hs_intern_get(struct hs_intern *names, const char *text)
{
    return hs_intern_get_word(names, text, hs_name_word(text));
}
/* UINT32_MAX if it was never interned. */
uint32_t hs_intern_find(const struct hs_intern *names, const char *text);
static inline const char *hs_intern_text(const struct hs_intern *names, uint32_t id)
{
    assert(id < names->count);
    return names->texts[id];
}
void hs_intern_free(struct hs_intern *names);

#endif
