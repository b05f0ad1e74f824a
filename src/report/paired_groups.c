/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who wins and who loses: the compared jobs by size, by virtual cluster and by length.
 */
#include "report/paired.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_ALL, KIND_GPUS, KIND_VC, KIND_ISOLATED };

static const struct hs_paired_row *row_of(const struct hs_paired *p, uint32_t i)
{
    return &p->runs[HS_PAIRED_A].rows[p->compared[i]];
}

static uint8_t add_group(struct hs_paired *p, const char *kind, const char *name)
{
    struct hs_paired_group *group = &p->groups[p->group_count];
    size_t length = strlen(name);
    group->kind = kind;
    memcpy(group->name, name, length < HS_CLASS_NAME_MAX ? length : HS_CLASS_NAME_MAX);
    return (uint8_t)p->group_count++;
}

static void group_by_gpus(struct hs_paired *p, uint8_t (*of)[HS_PAIRED_KINDS])
{
    uint8_t group_of[HS_CLASS_GPUS_COUNT];
    bool is_seen[HS_CLASS_GPUS_COUNT] = {false};
    for (uint32_t i = 0; i < p->count; i++)
        is_seen[hs_class_of_gpus(row_of(p, i)->gpus)] = true;
    for (uint32_t c = 0; c < HS_CLASS_GPUS_COUNT; c++) {
        struct hs_class class;
        hs_classes_name(NULL, HS_CLASS_GPUS + c, &class);
        if (is_seen[c])
            group_of[c] = add_group(p, class.kind, class.name);
    }
    for (uint32_t i = 0; i < p->count; i++)
        of[i][KIND_GPUS] = group_of[hs_class_of_gpus(row_of(p, i)->gpus)];
}

struct vc_rank {
    const char *name;
    uint32_t jobs, vc;
};

/* Most jobs first; no two have one name. */
static int compare_vcs(const void *a, const void *b)
{
    const struct vc_rank *x = a, *y = b;
    if (x->jobs != y->jobs)
        return x->jobs > y->jobs ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void rank_vcs(struct hs_paired *p, struct vc_rank *ranks, uint8_t *group_of)
{
    const struct hs_intern *vcs = &p->runs[HS_PAIRED_A].vcs;
    for (uint32_t v = 0; v < vcs->count; v++)
        ranks[v] = (struct vc_rank){.name = hs_intern_text(vcs, v), .vc = v};
    for (uint32_t i = 0; i < p->count; i++)
        ranks[row_of(p, i)->vc].jobs++;
    qsort(ranks, vcs->count, sizeof *ranks, compare_vcs);
    uint8_t others = HS_PAIRED_NO_GROUP;
    for (uint32_t k = 0; k < vcs->count && ranks[k].jobs > 0; k++) {
        if (k >= HS_PAIRED_VCS && others == HS_PAIRED_NO_GROUP)
            others = add_group(p, "vc", "(others)");
        if (k >= HS_PAIRED_VCS)
            group_of[ranks[k].vc] = others;
        else
            group_of[ranks[k].vc] =
                add_group(p, "vc", ranks[k].name[0] != '\0' ? ranks[k].name : "(none)");
    }
}

/* No groups where no job has a virtual cluster. */
static enum hs_status group_by_vc(struct hs_paired *p, uint8_t (*of)[HS_PAIRED_KINDS])
{
    uint32_t vcs = p->runs[HS_PAIRED_A].vcs.count;
    if (vcs <= 1)
        return HS_OK;
    struct vc_rank *ranks = hs_alloc_zeroed(vcs, sizeof *ranks);
    uint8_t *group_of = hs_alloc_zeroed(vcs, sizeof *group_of);
    if (ranks != NULL && group_of != NULL) {
        rank_vcs(p, ranks, group_of);
        for (uint32_t i = 0; i < p->count; i++)
            of[i][KIND_VC] = group_of[row_of(p, i)->vc];
    }
    bool is_short = ranks == NULL || group_of == NULL;
    hs_free(ranks);
    hs_free(group_of);
    return is_short ? HS_E_MEMORY : HS_OK;
}

static int compare_us(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t quartile_of(const struct hs_paired *p, int64_t work_us)
{
    uint32_t q = 0;
    while (q + 1 < HS_PAIRED_QUARTILES && work_us > p->quartile_us[q])
        q++;
    return q;
}

/* Jobs of one length are in one quartile, so that some may be empty. */
static enum hs_status group_by_length(struct hs_paired *p, uint8_t (*of)[HS_PAIRED_KINDS])
{
    static const char *const names[HS_PAIRED_QUARTILES] = {"q1", "q2", "q3", "q4"};
    uint8_t group_of[HS_PAIRED_QUARTILES];
    bool is_seen[HS_PAIRED_QUARTILES] = {false};
    int64_t *lengths = hs_alloc_zeroed(p->count, sizeof *lengths);
    if (lengths == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < p->count; i++)
        lengths[i] = row_of(p, i)->work_us;
    qsort(lengths, p->count, sizeof *lengths, compare_us);
    for (uint64_t q = 0; q < HS_PAIRED_QUARTILES; q++)
        p->quartile_us[q] =
            lengths[(p->count * (q + 1) + HS_PAIRED_QUARTILES - 1) / HS_PAIRED_QUARTILES - 1];
    hs_free(lengths);
    for (uint32_t i = 0; i < p->count; i++)
        is_seen[quartile_of(p, row_of(p, i)->work_us)] = true;
    for (uint32_t q = 0; q < HS_PAIRED_QUARTILES; q++)
        if (is_seen[q])
            group_of[q] = add_group(p, "isolated", names[q]);
    for (uint32_t i = 0; i < p->count; i++)
        of[i][KIND_ISOLATED] = group_of[quartile_of(p, row_of(p, i)->work_us)];
    return HS_OK;
}

enum hs_status hs_paired_make_groups(struct hs_paired *p, uint8_t (*of)[HS_PAIRED_KINDS])
{
    p->group_count = 0;
    memset(p->groups, 0, sizeof p->groups);
    memset(of, HS_PAIRED_NO_GROUP, (size_t)p->count * sizeof *of);
    uint8_t all = add_group(p, "all", "");
    for (uint32_t i = 0; i < p->count; i++)
        of[i][KIND_ALL] = all;
    group_by_gpus(p, of);
    HS_TRY(group_by_vc(p, of));
    return group_by_length(p, of);
}
