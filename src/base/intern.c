/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names to dense ids: open addressing with linear probing, at most half full; the table contains
 * ids and hashes of the names, the texts are in an arena and never move. Expected O(len) per
 * look-up.
 */
#include "base/intern.h"

#include "base/io.h"

#define TABLE_FIRST 64u

/* Returns the slot of the name, or the empty one where it belongs. */
static inline struct hs_intern_slot *slot_find(const struct hs_intern *names, const char *text,
                                               uint32_t hash)
{
    for (uint32_t at = hash;; at++) {
        struct hs_intern_slot *slot = &names->table[at & (names->table_size - 1)];
        if (slot->number == 0 ||
            (slot->hash == hash && strcmp(names->texts[slot->number - 1], text) == 0))
            return slot;
    }
}

/* Adds a name that slot_find did not find. */
static uint32_t name_add(struct hs_intern *names, const char *text, size_t len, uint32_t hash)
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
    hs_grow(names->texts, names->texts_cap, need, HS_INTERN_MAX);
    uint32_t id = names->count++;
    names->texts[id] = hs_arena_text(&names->arena, text, len);
    *slot_find(names, text, hash) = (struct hs_intern_slot){hash, names->count};
    return id;
}

void hs_intern_init(struct hs_intern *names)
{
    *names = (struct hs_intern){0};
    (void)name_add(names, "", 0, (uint32_t)hs_hash_of("", 0));
}

HS_EXPANDED uint32_t hs_intern_get(struct hs_intern *names, const char *text)
{
    if (text == NULL) /* as in most columns of most traces */
        return 0;
    const size_t len = strlen(text);
    const uint32_t hash = (uint32_t)hs_hash_of(text, len);
    const struct hs_intern_slot *slot = slot_find(names, text, hash);
    return slot->number != 0 ? slot->number - 1 : name_add(names, text, len, hash);
}

uint32_t hs_intern_find(const struct hs_intern *names, const char *text)
{
    text = text != NULL ? text : "";
    return slot_find(names, text, (uint32_t)hs_hash_of(text, strlen(text)))->number - 1;
}

void hs_intern_free(struct hs_intern *names)
{
    hs_arena_free(&names->arena);
    hs_free(names->texts);
    hs_free(names->table);
    *names = (struct hs_intern){0};
}
