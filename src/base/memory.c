/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The only file that calls malloc's family. Arena chunks double up to a limit, so that an arena
 * that is reset and refilled ends up with one chunk; a reset clears only what was used.
 *
 * The image is memory at an address that is the same in every process, for blocks in four sizes per
 * doubling, each with a list of the free ones. Free bytes are zero, so that old contents are
 * neither written to a file nor mistaken for pointers.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "base/image.h"
#include "base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#define RESERVE     (UINT64_C(256) << 10)
#define GROW_FIRST  16u
#define ARENA_ALIGN 16u
#ifndef ARENA_DOUBLING /* chunks stop doubling here; smaller in tests/fuzz */
#define ARENA_DOUBLING (UINT64_C(16) << 20)
#endif
#define ARENA_FIRST (ARENA_DOUBLING >> 12)

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

/* ---- the image ---- */

#define IMAGE_AT    UINT64_C(0x200000000000) /* far from what the system places: 32 TiB */
#define IMAGE_MOST  (UINT64_C(1) << 40)
#define IMAGE_STEP  (UINT64_C(64) << 20) /* mapped at a time */
#define IMAGE_UNIT  64u                  /* sizes of blocks are multiples of it */
#define IMAGE_CLASS 160u                 /* number of sizes: the last is above IMAGE_MOST */
#define IMAGE_PAGE  UINT64_C(4096)

/* Before what a block's owner gets. */
struct block {
    uint64_t class;
    struct block *next; /* of a free block, else NULL */
};

struct hs_image {
    uint64_t used, mapped; /* bytes from IMAGE_AT */
    void *root;
    struct hs_image_part *parts;
    struct block *freed[IMAGE_CLASS];
};

static struct hs_image *image; /* NULL: not begun */
static bool is_image_paused;

static bool is_imaged(const void *memory)
{
    return image != NULL && (uintptr_t)memory - IMAGE_AT < image->used;
}

/* Sizes are 1 to 4 units, then 5 to 8 times each power of two of them. */
static uint64_t class_of(uint64_t bytes, uint64_t *size)
{
    const uint64_t units = (bytes + sizeof(struct block) + IMAGE_UNIT - 1) / IMAGE_UNIT;
    uint64_t shift = 0;
    while (units > UINT64_C(8) << shift)
        shift++;
    const uint64_t count = (units + (UINT64_C(1) << shift) - 1) >> shift;
    *size = (count << shift) * IMAGE_UNIT;
    return 4 * shift + count - 1;
}

/* Maps bytes [mapped, end) of the image, rounded up. */
static bool image_map(uint64_t mapped, uint64_t *end)
{
    *end = (*end + IMAGE_STEP - 1) / IMAGE_STEP * IMAGE_STEP;
    if (*end <= mapped)
        return true;
    void *const at = (void *)(uintptr_t)(IMAGE_AT + mapped);
    return *end <= IMAGE_MOST &&
           mmap(at, *end - mapped, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == at;
}

static void *image_take(uint64_t bytes)
{
    uint64_t size;
    const uint64_t class = class_of(bytes, &size);
    struct block *block = class < IMAGE_CLASS ? image->freed[class] : NULL;
    if (block != NULL) {
        image->freed[class] = block->next;
        block->next = NULL;
        return block + 1;
    }
    uint64_t end = image->used + size;
    if (bytes > IMAGE_MOST || (end > image->mapped && !image_map(image->mapped, &end)))
        return NULL;
    if (end > image->mapped)
        image->mapped = end;
    block = (struct block *)(uintptr_t)(IMAGE_AT + image->used);
    image->used += size;
    block->class = class;
    return block + 1;
}

static uint64_t block_size(const struct block *block)
{
    const uint64_t shift = block->class < 8 ? 0 : block->class / 4 - 1;
    return (((block->class - 4 * shift + 1) << shift) * IMAGE_UNIT) - sizeof *block;
}

static void image_give(void *memory)
{
    struct block *block = (struct block *)memory - 1;
    const uint64_t size = block_size(block);
    unsigned char *const begin = memory, *const end = begin + size;
    unsigned char *const page = begin + (0 - (uintptr_t)begin) % IMAGE_PAGE;
    unsigned char *const last = end - (uintptr_t)end % IMAGE_PAGE;
    if (size > 16 * IMAGE_PAGE && madvise(page, (size_t)(last - page), MADV_DONTNEED) == 0) {
        memset(begin, 0, (size_t)(page - begin)); /* the pages between are zero now */
        memset(last, 0, (size_t)(end - last));
    } else {
        memset(begin, 0, size);
    }
    block->next = image->freed[block->class];
    image->freed[block->class] = block;
}

static bool is_imaging(void)
{
    return image != NULL && !is_image_paused;
}

bool hs_image_begin(void)
{
    uint64_t end = sizeof *image;
    if (image != NULL || !image_map(0, &end))
        return image != NULL;
    image = (struct hs_image *)(uintptr_t)IMAGE_AT;
    image->mapped = end;
    image->used = (sizeof *image + IMAGE_UNIT - 1) / IMAGE_UNIT * IMAGE_UNIT;
    return true;
}

void hs_image_pause(bool is_paused)
{
    is_image_paused = is_paused;
}

bool hs_image_holds(const void *memory)
{
    return is_imaged(memory);
}

const void *hs_image_bytes(uint64_t *bytes)
{
    *bytes = image->used;
    return image;
}

void *hs_image_map(uint64_t bytes)
{
    return image == NULL && image_map(0, &bytes) ? (void *)(uintptr_t)IMAGE_AT : NULL;
}

void hs_image_adopt(uint64_t bytes)
{
    (void)image_map(UINT64_MAX, &bytes); /* rounds as when it was mapped */
    image = (struct hs_image *)(uintptr_t)IMAGE_AT;
    image->mapped = bytes;
}

void **hs_image_root(void)
{
    return &image->root;
}

struct hs_image_part **hs_image_parts(void)
{
    return &image->parts;
}

/* ---- blocks ---- */

void *hs_resize(void *memory, size_t bytes)
{
    if (HS_LIKELY(memory == NULL ? !is_imaging() : !is_imaged(memory)))
        return realloc(memory, bytes);
    const uint64_t had = memory == NULL ? 0 : block_size((struct block *)memory - 1);
    if (bytes <= had)
        return memory;
    void *larger = image_take(bytes);
    if (larger != NULL && memory != NULL) {
        memcpy(larger, memory, had);
        image_give(memory);
    }
    return larger;
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
    memory = hs_must(hs_resize(memory, (size_t)room * item_size));
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
    const size_t bytes = (size_t)count * item_size;
    return hs_must(HS_UNLIKELY(is_imaging()) ? image_take(bytes) : calloc(1, bytes));
}

void hs_free(void *memory)
{
    if (HS_UNLIKELY(is_imaged(memory)))
        image_give(memory);
    else
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
