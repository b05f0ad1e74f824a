/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names to dense ids: open addressing with linear probing, at most half full; the texts are in an
 * arena and never move. A slot contains all bytes of a name of up to 16, so that most look-ups read
 * no text, which took 3 % of a run of fifo. Expected O(len) per look-up.
 */
#include "base/intern.h"

#include "base/io.h"
#include "base/rng.h"

#define TABLE_FIRST 64u
#define SHORT_MAX   16u /* bytes of a name that its slot contains */

/* The slot of a name, without its number. Words overlap where the length is no power of two. */
static inline struct hs_intern_slot slot_of(const char *text, size_t len)
{
    struct hs_intern_slot slot = {.len = (uint32_t)len};
    const unsigned char *last = (const unsigned char *)text + len;
    if (len >= 8) {
        memcpy(&slot.head, text, 8);
        memcpy(&slot.tail, last - 8, 8);
    } else if (len >= 4) {
        uint32_t head, tail;
        memcpy(&head, text, sizeof head);
        memcpy(&tail, last - sizeof tail, sizeof tail);
        slot.head = head;
        slot.tail = tail;
    } else if (len > 0) {
        slot.head = (unsigned char)text[0];
        slot.tail = (uint64_t)last[-1] << 8 | (unsigned char)text[len / 2];
    }
    if (HS_UNLIKELY(len > SHORT_MAX))
        slot.tail = hs_hash_of(text, len);
    return slot;
}

/* Returns the slot of the name, or the empty one where it belongs. */
static inline struct hs_intern_slot *slot_find(const struct hs_intern *names, const char *text,
                                               struct hs_intern_slot is)
{
    for (uint64_t at = hs_mix64(is.head + is.len, is.tail);; at++) {
        struct hs_intern_slot *slot = &names->table[at & (names->table_size - 1)];
        const bool is_same = slot->head == is.head && slot->tail == is.tail && slot->len == is.len;
        if (slot->number == 0 || (is_same && (HS_LIKELY(is.len <= SHORT_MAX) ||
                                              strcmp(names->texts[slot->number - 1], text) == 0)))
            return slot;
    }
}

static HS_APART void table_double(struct hs_intern *names)
{
    const struct hs_intern old = *names;
    names->table_size = old.table_size == 0 ? TABLE_FIRST : 2 * old.table_size;
    names->table = hs_alloc_zeroed(names->table_size, sizeof *names->table);
    for (uint32_t i = 0; i < old.table_size; i++)
        if (old.table[i].number != 0)
            *slot_find(names, names->texts[old.table[i].number - 1], old.table[i]) = old.table[i];
    hs_free(old.table);
}

/* Adds a name that slot_find did not find. */
static HS_APART uint32_t name_add(struct hs_intern *names, const char *text, size_t len)
{
    const uint64_t need = (uint64_t)names->count + 1;
    if (2 * need > names->table_size)
        table_double(names);
    hs_grow(names->texts, names->texts_cap, need, HS_INTERN_MAX);
    struct hs_intern_slot slot = slot_of(text, len);
    const uint32_t id = names->count++;
    names->texts[id] = hs_arena_text(&names->arena, text, len);
    slot.number = names->count;
    *slot_find(names, text, slot) = slot;
    return id;
}

void hs_intern_init(struct hs_intern *names)
{
    *names = (struct hs_intern){0};
    (void)name_add(names, "", 0);
}

HS_EXPANDED uint32_t hs_intern_get(struct hs_intern *names, const char *text)
{
    if (text == NULL) /* as in most columns of most traces */
        return 0;
    const size_t len = strlen(text);
    const uint32_t number = slot_find(names, text, slot_of(text, len))->number;
    return number != 0 ? number - 1 : name_add(names, text, len);
}

uint32_t hs_intern_find(const struct hs_intern *names, const char *text)
{
    text = text != NULL ? text : "";
    return slot_find(names, text, slot_of(text, strlen(text)))->number - 1;
}

void hs_intern_free(struct hs_intern *names)
{
    hs_arena_free(&names->arena);
    hs_free(names->texts);
    hs_free(names->table);
    *names = (struct hs_intern){0};
}
