/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A list is short (HS_SEEDS_MAX): that none stands twice is looked up by comparing all.
 */
#include "cli/seedlist.h"

#include <inttypes.h>
#include <string.h>

#include "base/timeparse.h"

#define SEED_MAX INT64_C(9000000000000000) /* as --seed */

struct list {
    const char *option;
    int64_t least;
    int64_t *seeds;
    uint32_t count;
    struct hs_diag *diag;
};

static enum hs_status no_seed(const struct list *list, const char *text, size_t len)
{
    return hs_fail(list->diag, HS_E_USAGE, NULL, "for example 1..5 or 1,3,7",
                   "%s: '%.*s' is neither a number from %" PRId64 " to %" PRId64
                   " nor a range of them",
                   list->option, (int)len, text, list->least, SEED_MAX);
}

static bool parse_seed(const struct list *list, const char *text, size_t len, int64_t *seed)
{
    return hs_parse_int64(text, len, seed) && *seed >= list->least && *seed <= SEED_MAX;
}

static enum hs_status add(struct list *list, int64_t seed)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->seeds[i] == seed)
            return hs_fail(list->diag, HS_E_USAGE, NULL, "the same run twice is one run",
                           "%s: %" PRId64 " is given twice", list->option, seed);
    if (list->count == HS_SEEDS_MAX)
        return hs_fail(list->diag, HS_E_USAGE, NULL, NULL, "%s: more than %u seeds", list->option,
                       HS_SEEDS_MAX);
    list->seeds[list->count++] = seed;
    return HS_OK;
}

/* "4" or "1..5". */
static enum hs_status add_part(struct list *list, const char *text, size_t len)
{
    int64_t first, last;
    size_t dots = 0;
    while (dots + 1 < len && (text[dots] != '.' || text[dots + 1] != '.'))
        dots++;
    bool is_range = dots + 1 < len;
    if (!parse_seed(list, text, is_range ? dots : len, &first))
        return no_seed(list, text, len);
    last = first;
    if (is_range && !parse_seed(list, text + dots + 2, len - dots - 2, &last))
        return no_seed(list, text, len);
    if (last < first)
        return hs_fail(list->diag, HS_E_USAGE, NULL, "the smaller end first: 1..5",
                       "%s: the range '%.*s' runs downwards", list->option, (int)len, text);
    for (int64_t seed = first; seed <= last; seed++)
        HS_TRY(add(list, seed));
    return HS_OK;
}

enum hs_status hs_seedlist_parse(const char *text, const char *option, int64_t least,
                                 struct hs_arena *arena, const int64_t **seeds, uint32_t *count,
                                 struct hs_diag *diag)
{
    struct list list = {.option = option, .least = least, .diag = diag};
    list.seeds = hs_arena_alloc(arena, HS_SEEDS_MAX * sizeof *list.seeds);
    if (list.seeds == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (size_t len;; text += len + 1) {
        len = strcspn(text, ",");
        HS_TRY(add_part(&list, text, len));
        if (text[len] == '\0')
            break;
    }
    *seeds = list.seeds;
    *count = list.count;
    return HS_OK;
}
