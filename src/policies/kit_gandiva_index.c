/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_gandiva_index.h. A block that is full is cut in the middle; two neighbours that fill half
 * a block together become one, so that there is one block for every sixteenth server at most, and
 * one more.
 */
#include "policies/kit_gandiva_index.h"

#include <string.h>

#define HALF     (HS_GANDIVA_BLOCK / 2u)
#define IS_OUT   UINT64_MAX
#define NO_BLOCK UINT32_MAX

enum hs_status hs_gandiva_index_init(struct hs_gandiva_index *set, const struct hs_view *v,
                                     uint32_t servers)
{
    uint64_t blocks = (uint64_t)servers * 2 / HALF + 2;
    *set = (struct hs_gandiva_index){.free_block = NO_BLOCK};
    set->keys = hs_view_alloc(v, (uint64_t)servers * sizeof *set->keys);
    set->list = hs_view_alloc(v, blocks * sizeof *set->list);
    set->blocks = hs_view_alloc(v, blocks * sizeof *set->blocks);
    if (set->keys == NULL || set->list == NULL || set->blocks == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < servers; i++)
        set->keys[i] = IS_OUT;
    return HS_OK;
}

/* How many of the entries, which are in order, are before (key, server). Half of all guesses on the
 * way are wrong: the steps are sums, not branches. */
static uint32_t count_before(const struct hs_gandiva_entry *entries, uint32_t count, uint64_t key,
                             uint32_t server)
{
    uint32_t before = 0;
    while (count > 0) {
        uint32_t half = (count + 1) / 2;
        const struct hs_gandiva_entry *last = &entries[before + half - 1];
        uint32_t is_before = (uint32_t)(last->key < key) |
                             ((uint32_t)(last->key == key) & (uint32_t)(last->server < server));
        before += half * is_before;
        count = count / 2;
    }
    return before;
}

static struct hs_gandiva_block *block_at(const struct hs_gandiva_index *set, uint32_t place)
{
    return &set->blocks[set->list[place].block];
}

/* The place in the list of the block to which (key, server) belongs. There is one. */
static uint32_t find_block(const struct hs_gandiva_index *set, uint64_t key, uint32_t server)
{
    uint32_t before = count_before(set->list, set->listed, key, server);
    bool is_first =
        before < set->listed && set->list[before].key == key && set->list[before].server == server;
    return before > 0 && !is_first ? before - 1 : before;
}

/* ---- changes ---- */

static void open_gap(struct hs_gandiva_entry *entries, uint32_t *count, uint32_t at)
{
    memmove(&entries[at + 1], &entries[at], (*count - at) * sizeof *entries);
    ++*count;
}

static void close_gap(struct hs_gandiva_entry *entries, uint32_t *count, uint32_t at)
{
    --*count;
    memmove(&entries[at], &entries[at + 1], (*count - at) * sizeof *entries);
}

static void list_first_entry(struct hs_gandiva_index *set, uint32_t place)
{
    const struct hs_gandiva_entry *first = block_at(set, place)->entries;
    set->list[place].key = first->key;
    set->list[place].server = first->server;
}

/* An empty block, at this place of the list. */
static void add_block(struct hs_gandiva_index *set, uint32_t place)
{
    uint32_t block = set->free_block != NO_BLOCK ? set->free_block : set->used++;
    if (block == set->free_block)
        set->free_block = set->blocks[block].next_free;
    set->blocks[block].count = 0;
    open_gap(set->list, &set->listed, place);
    set->list[place].block = block;
}

static void drop_block(struct hs_gandiva_index *set, uint32_t place)
{
    uint32_t block = set->list[place].block;
    set->blocks[block].next_free = set->free_block;
    set->free_block = block;
    close_gap(set->list, &set->listed, place);
}

/* Its upper half becomes the next block. */
static void cut_block(struct hs_gandiva_index *set, uint32_t place)
{
    add_block(set, place + 1);
    struct hs_gandiva_block *left = block_at(set, place), *right = block_at(set, place + 1);
    left->count = right->count = HALF;
    memcpy(right->entries, &left->entries[HALF], HALF * sizeof *right->entries);
    list_first_entry(set, place + 1);
}

/* With the next one, if that leaves room. */
static void join_block(struct hs_gandiva_index *set, uint32_t place)
{
    if (place + 1 >= set->listed)
        return;
    struct hs_gandiva_block *left = block_at(set, place), *right = block_at(set, place + 1);
    if (left->count + right->count > HALF)
        return;
    memcpy(&left->entries[left->count], right->entries, right->count * sizeof *right->entries);
    left->count += right->count;
    drop_block(set, place + 1);
}

void hs_gandiva_index_remove(struct hs_gandiva_index *set, uint32_t server)
{
    uint64_t key = set->keys[server];
    if (key == IS_OUT)
        return;
    uint32_t place = find_block(set, key, server);
    struct hs_gandiva_block *block = block_at(set, place);
    uint32_t at = count_before(block->entries, block->count, key, server);
    close_gap(block->entries, &block->count, at);
    set->keys[server] = IS_OUT;
    if (block->count == 0) {
        drop_block(set, place);
        return;
    }
    if (at == 0)
        list_first_entry(set, place);
    if (block->count <= HALF) {
        join_block(set, place);
        if (place > 0)
            join_block(set, place - 1);
    }
}

void hs_gandiva_index_set(struct hs_gandiva_index *set, uint32_t server, uint64_t key)
{
    if (set->keys[server] == key)
        return;
    hs_gandiva_index_remove(set, server);
    set->keys[server] = key;
    if (set->listed == 0)
        add_block(set, 0);
    uint32_t place = find_block(set, key, server);
    if (block_at(set, place)->count == HS_GANDIVA_BLOCK) {
        cut_block(set, place);
        place = find_block(set, key, server);
    }
    struct hs_gandiva_block *block = block_at(set, place);
    uint32_t at = count_before(block->entries, block->count, key, server);
    open_gap(block->entries, &block->count, at);
    block->entries[at] = (struct hs_gandiva_entry){.key = key, .server = server};
    if (at == 0)
        list_first_entry(set, place);
}

/* ---- questions ---- */

/* The first that is not before (key, server). */
static uint32_t first_from(const struct hs_gandiva_index *set, uint64_t key, uint32_t server)
{
    if (set->listed == 0)
        return HS_NO_NODE;
    uint32_t place = find_block(set, key, server);
    const struct hs_gandiva_block *block = block_at(set, place);
    uint32_t at = count_before(block->entries, block->count, key, server);
    if (at < block->count)
        return block->entries[at].server;
    return place + 1 < set->listed ? set->list[place + 1].server : HS_NO_NODE;
}

uint32_t hs_gandiva_index_from(const struct hs_gandiva_index *set, uint64_t key)
{
    return first_from(set, key, 0);
}

uint32_t hs_gandiva_index_next(const struct hs_gandiva_index *set, uint32_t server)
{
    return first_from(set, set->keys[server], server + 1);
}

uint32_t hs_gandiva_index_below(const struct hs_gandiva_index *set, uint64_t key)
{
    uint32_t before = count_before(set->list, set->listed, key, 0);
    if (before == 0)
        return HS_NO_NODE;
    const struct hs_gandiva_block *block = block_at(set, before - 1);
    return block->entries[count_before(block->entries, block->count, key, 0) - 1].server;
}

uint64_t hs_gandiva_index_key(const struct hs_gandiva_index *set, uint32_t server)
{
    return set->keys[server];
}

bool hs_gandiva_index_has(const struct hs_gandiva_index *set, uint32_t server)
{
    return set->keys[server] != IS_OUT;
}
