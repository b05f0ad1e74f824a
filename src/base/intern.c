/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names to dense ids: open addressing with linear probing, at most half full; the table holds
 * ids, the texts live in an arena and never move. Expected O(len) per look-up.
 */
#include "base/intern.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define TABLE_FIRST 64u

static uint32_t slot_find(const struct hs_intern *names, const char *text, uint64_t hash)
{
    uint32_t mask = names->table_size - 1;
    uint32_t slot = (uint32_t)hash & mask;
    while (names->table[slot] != 0) {
        uint32_t id = names->table[slot] - 1;
        if (names->hashes[id] == hash && strcmp(names->texts[id], text) == 0)
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static enum hs_status table_double(struct hs_intern *names)
{
    uint32_t size = names->table_size == 0 ? TABLE_FIRST : 2 * names->table_size;
    uint32_t *table = hs_alloc_zeroed(size, sizeof *table);
    if (table == NULL)
        return HS_E_MEMORY;
    for (uint32_t id = 0; id < names->count; id++) {
        uint32_t slot = (uint32_t)names->hashes[id] & (size - 1);
        while (table[slot] != 0)
            slot = (slot + 1) & (size - 1);
        table[slot] = id + 1;
    }
    hs_free(names->table);
    names->table = table;
    names->table_size = size;
    return HS_OK;
}

static enum hs_status text_get(struct hs_intern *names, const char *text, uint32_t *id)
{
    size_t len = strlen(text);
    uint64_t hash = hs_hash_of(text, len);
    /* Room first, so that a failure leaves everything as it was. */
    if (2 * ((uint64_t)names->count + 1) > names->table_size)
        HS_TRY(table_double(names));
    uint32_t slot = slot_find(names, text, hash);
    if (names->table[slot] != 0) {
        *id = names->table[slot] - 1;
        return HS_OK;
    }
    uint64_t need = (uint64_t)names->count + 1;
    HS_TRY(hs_grow((void **)&names->texts, &names->texts_cap, need, sizeof *names->texts,
                   HS_INTERN_MAX));
    HS_TRY(hs_grow((void **)&names->hashes, &names->hashes_cap, need, sizeof *names->hashes,
                   HS_INTERN_MAX));
    const char *copy = hs_arena_text(&names->arena, text, len);
    if (copy == NULL)
        return HS_E_MEMORY;
    names->texts[names->count] = copy;
    names->hashes[names->count] = hash;
    *id = names->count++;
    names->table[slot] = *id + 1;
    return HS_OK;
}

enum hs_status hs_intern_init(struct hs_intern *names)
{
    *names = (struct hs_intern){0};
    uint32_t none;
    enum hs_status status = text_get(names, "", &none);
    if (status != HS_OK)
        hs_intern_free(names);
    return status;
}

enum hs_status hs_intern_get(struct hs_intern *names, const char *text, uint32_t *id)
{
    *id = 0;
    return text == NULL || text[0] == '\0' ? HS_OK : text_get(names, text, id);
}

uint32_t hs_intern_find(const struct hs_intern *names, const char *text)
{
    if (text == NULL)
        text = "";
    uint32_t slot = slot_find(names, text, hs_hash_of(text, strlen(text)));
    return names->table[slot] == 0 ? UINT32_MAX : names->table[slot] - 1;
}

const char *hs_intern_text(const struct hs_intern *names, uint32_t id)
{
    assert(id < names->count);
    return names->texts[id];
}

void hs_intern_free(struct hs_intern *names)
{
    hs_arena_free(&names->arena);
    hs_free(names->texts);
    hs_free(names->hashes);
    hs_free(names->table);
    *names = (struct hs_intern){0};
}
