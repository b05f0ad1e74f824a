/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The only file that calls malloc's family. Arena chunks double up to a limit, so that an arena
 * that is reset and refilled ends up with one chunk; a reset clears only what was used.
 */
#include "base/memory.h"

#include <stdlib.h>

#define RESERVE        (UINT64_C(256) << 10)
#define GROW_FIRST     16u
#define ARENA_ALIGN    16u
#define ARENA_FIRST    (UINT64_C(16) << 10)
#define ARENA_DOUBLING (UINT64_C(16) << 20) /* chunks stop doubling here */

struct hs_arena_chunk {
    struct hs_arena_chunk *older;
    uint64_t size; /* of data */
    _Alignas(ARENA_ALIGN) unsigned char data[];
};

static void (*on_fatal)(enum hs_status status);
static void *reserve; /* freed before on_fatal runs, which may allocate */

void hs_on_fatal(void (*end)(enum hs_status status))
{
    on_fatal = end;
    if (reserve == NULL)
        reserve = malloc(RESERVE);
}

void hs_fatal(enum hs_status status)
{
    free(reserve);
    reserve = NULL;
    if (on_fatal != NULL)
        on_fatal(status);
    abort();
}

void *hs_must(void *memory)
{
    if (HS_UNLIKELY(memory == NULL))
        hs_fatal(HS_E_MEMORY);
    return memory;
}

void hs_grow_bare_to(void **items, uint32_t *cap, uint64_t need, size_t item_size,
                     uint64_t max_items)
{
    uint64_t most = max_items < UINT32_MAX ? max_items : UINT32_MAX;
    if (need > most)
        hs_fatal(HS_E_LIMIT);
    uint64_t room = *cap == 0 ? GROW_FIRST : 2 * (uint64_t)*cap;
    if (room < need)
        room = need;
    if (room > most)
        room = most;
    if (room > SIZE_MAX / item_size)
        hs_fatal(HS_E_MEMORY);
    /* Copied as bytes: the pointer is a T *; accessing it as a void * would violate aliasing. */
    unsigned char *memory;
    memcpy(&memory, items, sizeof memory);
    memory = hs_must(realloc(memory, (size_t)room * item_size));
    memcpy(items, &memory, sizeof memory);
    *cap = (uint32_t)room;
}

void hs_grow_to(void **items, uint32_t *cap, uint64_t need, size_t item_size, uint64_t max_items)
{
    uint32_t had = *cap;
    unsigned char *memory;
    hs_grow_bare_to(items, cap, need, item_size, max_items);
    memcpy(&memory, items, sizeof memory);
    memset(memory + had * item_size, 0, (*cap - had) * item_size);
}

void *hs_alloc_zeroed(uint64_t count, size_t item_size)
{
    if (count != 0 && item_size > SIZE_MAX / count)
        hs_fatal(HS_E_MEMORY);
    return hs_must(calloc(1, (size_t)count * item_size));
}

void hs_free(void *memory)
{
    free(memory);
}

void *hs_arena_alloc(struct hs_arena *arena, uint64_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        hs_fatal(HS_E_MEMORY);
    bytes = bytes == 0 ? ARENA_ALIGN : (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (arena->chunk == NULL || bytes > arena->chunk->size - arena->used) {
        uint64_t size = arena->chunk != NULL ? 2 * arena->chunk->size : ARENA_FIRST;
        if (size > ARENA_DOUBLING)
            size = ARENA_DOUBLING;
        if (size < bytes)
            size = bytes;
        struct hs_arena_chunk *chunk = hs_alloc_zeroed(sizeof *chunk + size, 1);
        chunk->older = arena->chunk;
        chunk->size = size;
        arena->chunk = chunk;
        arena->used = 0;
    }
    void *memory = arena->chunk->data + arena->used;
    arena->used += (size_t)bytes;
    return memory;
}

char *hs_arena_text(struct hs_arena *arena, const char *text, size_t len)
{
    char *copy = hs_arena_alloc(arena, (uint64_t)len + 1);
    if (len > 0)
        memcpy(copy, text, len); /* with a final 0, as arena memory is zeroed */
    return copy;
}

static void chunks_free(struct hs_arena_chunk *chunk)
{
    while (chunk != NULL) {
        struct hs_arena_chunk *older = chunk->older;
        hs_free(chunk);
        chunk = older;
    }
}

void hs_arena_reset(struct hs_arena *arena)
{
    struct hs_arena_chunk *newest = arena->chunk;
    if (newest == NULL)
        return;
    chunks_free(newest->older);
    newest->older = NULL;
    memset(newest->data, 0, arena->used);
    arena->used = 0;
}

void hs_arena_free(struct hs_arena *arena)
{
    chunks_free(arena->chunk);
    *arena = (struct hs_arena){0};
}
