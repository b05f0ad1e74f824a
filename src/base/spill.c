/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maps temporary files. Their blocks are allocated before they are mapped, so that a full disk is
 * found there and not at an access.
 */
#define _GNU_SOURCE /* mremap */
#include "base/spill.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

#define GROW_FIRST 64u
#define GROW_BYTES (UINT64_C(64) << 20) /* a file grows by: it is not copied */
#define PAGE_BYTES UINT64_C(4096)
#define SORT_RUN   UINT64_C(16384) /* items sorted at a time, before they are merged */

static struct hs_spill_array *array_of(struct hs_spill *spill, const void *items)
{
    for (size_t i = 0; i < HS_SPILL_ARRAYS; i++)
        if (spill->of[i].items == items)
            return &spill->of[i];
    hs_fatal(HS_E_LIMIT);
}

/* In a file from HS_SPILL_FROM bytes on, where there is room for one. */
static void array_resize(struct hs_spill_array *a, uint64_t bytes)
{
    char path[] = "/tmp/.horus-spill-XXXXXX";
    const int had = a->items != NULL ? a->file : -1;
    int file = bytes < HS_SPILL_FROM ? -1 : had >= 0 ? had : mkstemp(path);
    if (file >= 0 && file != had)
        (void)unlink(path);
    if (file >= 0 && posix_fallocate(file, 0, (off_t)bytes) != 0) {
        (void)close(file);
        file = -1;
    }
    void *items;
    if (a->items != NULL && (file >= 0) == (had >= 0))
        items = mremap(a->items, a->bytes, bytes, MREMAP_MAYMOVE);
    else
        items = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0);
    if (items == MAP_FAILED)
        hs_fatal(HS_E_MEMORY);
    if (a->items != NULL && (file >= 0) != (had >= 0)) {
        memcpy(items, a->items, a->bytes);
        (void)munmap(a->items, a->bytes);
    }
    *a = (struct hs_spill_array){items, bytes, file};
}

void hs_spill_grow_to(struct hs_spill *spill, void **items, uint32_t *cap, uint64_t need,
                      size_t item_size)
{
    if (need > UINT32_MAX)
        hs_fatal(HS_E_LIMIT);
    /* Copied as bytes: the pointer is a T *; accessing it as a void * would violate aliasing. */
    void *memory;
    memcpy(&memory, items, sizeof memory);
    struct hs_spill_array *a = array_of(spill, memory);
    const uint64_t had = (uint64_t)*cap * item_size, more = had < GROW_BYTES ? had : GROW_BYTES;
    uint64_t bytes = had + more < GROW_FIRST * item_size ? GROW_FIRST * item_size : had + more;
    if (bytes < need * item_size)
        bytes = need * item_size;
    array_resize(a, (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    memcpy(items, &a->items, sizeof a->items);
    const uint64_t room = a->bytes / item_size;
    *cap = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
}

void *hs_spill_alloc(struct hs_spill *spill, uint64_t count, size_t item_size)
{
    struct hs_spill_array *a = array_of(spill, NULL);
    if (count > (UINT64_MAX >> 1) / item_size)
        hs_fatal(HS_E_MEMORY);
    array_resize(a, (count * item_size / PAGE_BYTES + 1) * PAGE_BYTES);
    return a->items;
}

/* Merges sorted items [0, middle) and [middle, count) of `from` into `to`. */
static void merge(struct hs_spill *spill, char *to, const char *from, uint64_t middle,
                  uint64_t count, size_t size, int (*compare)(const void *a, const void *b))
{
    uint64_t left = 0, right = middle;
    for (uint64_t i = 0; i < count; i++, hs_spill_step(spill)) {
        const bool is_left = right == count || (left < middle && compare(from + left * size,
                                                                         from + right * size) <= 0);
        memcpy(to + i * size, from + (is_left ? left : right) * size, size);
        left += is_left;
        right += !is_left;
    }
}

void *hs_spill_sort(struct hs_spill *spill, void *items, uint64_t count, size_t item_size,
                    int (*compare)(const void *a, const void *b))
{
    char *from = items, *to = NULL;
    for (uint64_t at = 0; at < count; at += SORT_RUN) {
        qsort(from + at * item_size, count - at < SORT_RUN ? count - at : SORT_RUN, item_size,
              compare);
        hs_spill_bound(spill);
    }
    for (uint64_t run = SORT_RUN; run < count; run *= 2) {
        to = to != NULL ? to : hs_spill_alloc(spill, count, item_size);
        for (uint64_t at = 0; at < count; at += 2 * run) {
            const uint64_t left = count - at;
            merge(spill, to + at * item_size, from + at * item_size, left < run ? left : run,
                  left < 2 * run ? left : 2 * run, item_size, compare);
        }
        char *sorted = to;
        to = from;
        from = sorted;
    }
    hs_spill_release(spill, to);
    return from;
}

void hs_spill_release(struct hs_spill *spill, void *items)
{
    if (items == NULL)
        return;
    struct hs_spill_array *a = array_of(spill, items);
    (void)munmap(a->items, a->bytes);
    if (a->file >= 0)
        (void)close(a->file);
    a->items = NULL;
}

void hs_spill_free(struct hs_spill *spill)
{
    for (size_t i = 0; i < HS_SPILL_ARRAYS; i++)
        hs_spill_release(spill, spill->of[i].items);
    if (spill->statm > 0)
        (void)close(spill->statm - 1);
    spill->statm = 0;
}

/* Removes the mapped pages where there are too many of files, the program's own too. */
void hs_spill_bound(struct hs_spill *spill)
{
    char text[128], *at = text; /* "size resident shared ...", in pages */
    if (spill->statm == 0)
        spill->statm = 1 + open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t length = pread(spill->statm - 1, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    (void)strtoull(at, &at, 10);
    (void)strtoull(at, &at, 10);
    if (length > 0 && strtoull(at, NULL, 10) * PAGE_BYTES < HS_SPILL_MOST)
        return;
    for (size_t i = 0; i < HS_SPILL_ARRAYS; i++)
        if (spill->of[i].items != NULL && spill->of[i].file >= 0)
            (void)madvise(spill->of[i].items, spill->of[i].bytes, MADV_DONTNEED);
}
