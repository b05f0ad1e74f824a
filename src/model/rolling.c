/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pairs are found by linear probing, at most half full.
 */
#include "model/rolling.h"

#include "base/intern.h"
#include "base/memory.h"
#include "base/rng.h"

#define TABLE_FIRST 64u
#define PAIRS_MAX   (1u << 28)

static uint64_t key_of(uint32_t user, uint32_t gpus)
{
    return (uint64_t)user << 32 | gpus;
}

/* Where the pair stands, or where it would. */
static uint32_t slot_find(const struct hs_rolling *r, uint64_t key)
{
    uint32_t mask = r->table_size - 1;
    uint32_t slot = (uint32_t)hs_splitmix64(key) & mask;
    while (r->table[slot] != 0 && r->pairs[r->table[slot] - 1].key != key)
        slot = (slot + 1) & mask;
    return slot;
}

static enum hs_status table_double(struct hs_rolling *r)
{
    uint32_t size = r->table_size == 0 ? TABLE_FIRST : 2 * r->table_size;
    uint32_t *table = hs_alloc_zeroed(size, sizeof *table);
    if (table == NULL)
        return HS_E_MEMORY;
    hs_free(r->table);
    r->table = table;
    r->table_size = size;
    for (uint32_t i = 0; i < r->pair_count; i++)
        table[slot_find(r, r->pairs[i].key)] = i + 1;
    return HS_OK;
}

static enum hs_status pair_get(struct hs_rolling *r, uint64_t key, struct hs_rolling_pair **pair)
{
    if (2 * ((uint64_t)r->pair_count + 1) > r->table_size)
        HS_TRY(table_double(r));
    uint32_t slot = slot_find(r, key);
    if (r->table[slot] == 0) {
        HS_TRY(hs_grow((void **)&r->pairs, &r->pair_cap, (uint64_t)r->pair_count + 1,
                       sizeof *r->pairs, PAIRS_MAX));
        r->pairs[r->pair_count].key = key;
        r->table[slot] = ++r->pair_count;
    }
    *pair = &r->pairs[r->table[slot] - 1];
    return HS_OK;
}

static void mean_add(struct hs_rolling_mean *mean, int64_t run_us)
{
    mean->sum_us += (uint64_t)run_us;
    mean->count++;
}

enum hs_status hs_rolling_add(struct hs_rolling *r, uint32_t user, uint32_t gpus, int64_t run_us)
{
    struct hs_rolling_pair *pair;
    HS_TRY(hs_grow((void **)&r->users, &r->user_cap, (uint64_t)user + 1, sizeof *r->users,
                   HS_INTERN_MAX));
    HS_TRY(pair_get(r, key_of(user, gpus), &pair));
    mean_add(&pair->mean, run_us);
    mean_add(&r->users[user], run_us);
    mean_add(&r->all, run_us);
    return HS_OK;
}

static int64_t mean_us(const struct hs_rolling_mean *mean)
{
    return (int64_t)(mean->sum_us / mean->count);
}

int64_t hs_rolling_mean_us(const struct hs_rolling *r, uint32_t user, uint32_t gpus)
{
    if (r->all.count == 0)
        return -1;
    uint32_t pair = r->table[slot_find(r, key_of(user, gpus))];
    if (pair != 0)
        return mean_us(&r->pairs[pair - 1].mean);
    if (user < r->user_cap && r->users[user].count > 0)
        return mean_us(&r->users[user]);
    return mean_us(&r->all);
}

void hs_rolling_free(struct hs_rolling *r)
{
    hs_free(r->users);
    hs_free(r->pairs);
    hs_free(r->table);
    *r = (struct hs_rolling){0};
}
