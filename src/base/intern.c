/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names to dense ids: open addressing with linear probing, at most half full; the table contains
 * ids and the first bytes of the names, the texts are in an arena and never move. Most names are
 * short and compared without reading the texts. Expected O(len) per look-up.
 */
#include "base/intern.h"

#define TABLE_FIRST 64u

#define HEAD 8u

struct name {
    const char *text;
    size_t len;
    uint64_t head;
    uint32_t hash;
};

/* Returns up to eight bytes at `text`. */
static inline uint64_t word_of(const char *text, size_t *len)
{
    uint64_t word = 0;
    size_t i = 0;
    HS_UNROLL
    for (; i < HEAD; i++) {
        if (text[i] == '\0')
            break;
        word |= (uint64_t)(unsigned char)text[i] << (8 * i);
    }
    *len = i;
    return word;
}

/* Fibonacci hashing: 2^64 over the golden ratio. The upper half depends on every byte. */
static inline uint64_t spread(uint64_t word)
{
    return word * UINT64_C(0x9e3779b97f4a7c15);
}

/* Also finds the end of the name in the same pass. */
HS_INLINE struct name name_of(const char *text)
{
    size_t len, more = 0;
    uint64_t head = word_of(text, &len), hash = spread(head);
    while (len % HEAD == 0 && text[len] != '\0') {
        hash = spread(hash ^ hash >> 32 ^ word_of(text + len, &more));
        len += more;
    }
    return (struct name){text, len, head, (uint32_t)(hash >> 32)};
}

/* Returns the slot of the name, or the empty one where it belongs. */
HS_INLINE struct hs_intern_slot *slot_find(const struct hs_intern *names, const struct name *name)
{
    uint32_t mask = names->table_size - 1;
    for (uint32_t at = name->hash;; at++) {
        struct hs_intern_slot *slot = &names->table[at & mask];
        if (slot->number == 0 ||
            (slot->hash == name->hash && slot->head == name->head &&
             (name->len < HEAD || strcmp(names->texts[slot->number - 1], name->text) == 0)))
            return slot;
    }
}

/* Adds a name that slot_find did not find. */
static HS_APART uint32_t name_add(struct hs_intern *names, const struct name *name)
{
    uint64_t need = (uint64_t)names->count + 1;
    if (2 * need > names->table_size) {
        const uint32_t size = names->table_size == 0 ? TABLE_FIRST : 2 * names->table_size;
        struct hs_intern_slot *table = hs_alloc_zeroed(size, sizeof *table);
        for (uint32_t i = 0; i < names->table_size; i++) {
            uint32_t at = names->table[i].hash & (size - 1);
            if (names->table[i].number == 0)
                continue;
            while (table[at].number != 0)
                at = (at + 1) & (size - 1);
            table[at] = names->table[i];
        }
        hs_free(names->table);
        names->table = table;
        names->table_size = size;
    }
    hs_grow((void **)&names->texts, &names->texts_cap, need, sizeof *names->texts, HS_INTERN_MAX);
    uint32_t id = names->count++;
    names->texts[id] = hs_arena_text(&names->arena, name->text, name->len);
    *slot_find(names, name) = (struct hs_intern_slot){name->head, name->hash, names->count};
    return id;
}

void hs_intern_init(struct hs_intern *names)
{
    const struct name empty = name_of("");
    *names = (struct hs_intern){0};
    (void)name_add(names, &empty);
}

uint32_t hs_intern_get(struct hs_intern *names, const char *text)
{
    if (text == NULL) /* as in most columns of most traces */
        return 0;
    const struct name name = name_of(text);
    const struct hs_intern_slot *slot = slot_find(names, &name);
    return slot->number != 0 ? slot->number - 1 : name_add(names, &name);
}

uint32_t hs_intern_find(const struct hs_intern *names, const char *text)
{
    struct name name = name_of(text != NULL ? text : "");
    return slot_find(names, &name)->number - 1; /* 0 - 1: UINT32_MAX */
}

void hs_intern_free(struct hs_intern *names)
{
    hs_arena_free(&names->arena);
    hs_free(names->texts);
    hs_free(names->table);
    *names = (struct hs_intern){0};
}
