/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See classes.h. Fairness: Jain, Chiu, Hawe, "A quantitative measure of fairness", DEC TR-301,
 * 1984: (sum x)^2 / (n sum x^2) over what each user gets. What a user gets is here the GPU time
 * that its jobs needed over the GPU time between their submission and their end: 1 for a user who
 * never waits, near 0 for one who mostly does.
 */
#include "report/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/exact.h"

static const char *const gpu_classes[HS_CLASS_GPUS_COUNT] = {"0",    "1",     "2-4", "5-8",
                                                             "9-16", "17-32", ">32"};

/* Bits of `seen`. */
#define SEEN_GPUS     (((1u << HS_CLASS_GPUS_COUNT) - 1) << HS_CLASS_GPUS)
#define SEEN_OUTCOMES (((1u << HS_OUTCOME_COUNT) - 1) << HS_CLASS_OUTCOME)
#define SEEN_JOB      (((1u << HS_JOB_CLASS_COUNT) - 1) << HS_CLASS_JOB)
#define SEEN_AUTO     (1u << (HS_CLASS_JOB + HS_JOB_CLASS_AUTO))

struct user_rank {
    hs_u128 milli_us;
    uint32_t user;
};

static int compare_users(const void *a, const void *b)
{
    const struct user_rank *x = a, *y = b;
    if (x->milli_us != y->milli_us)
        return x->milli_us < y->milli_us ? -1 : 1;
    return (x->user > y->user) - (x->user < y->user);
}

uint32_t hs_class_of_gpus(uint32_t gpus)
{
    if (gpus <= 2)
        return gpus;
    const uint32_t log2 = 64 - HS_CLZ64(gpus - 1); /* rounded up */
    return log2 < HS_CLASS_GPUS_COUNT - 1 ? log2 : HS_CLASS_GPUS_COUNT - 1;
}

enum hs_status hs_classes_open(struct hs_classes *c)
{
    *c = (struct hs_classes){0};
    return hs_intern_init(&c->vcs);
}

enum hs_status hs_classes_book(struct hs_classes *c, const struct hs_job_record *job)
{
    HS_TRY(hs_grow((void **)&c->users, &c->user_cap, (uint64_t)job->user_index + 1,
                   sizeof *c->users, HS_INTERN_MAX));
    if (job->user_index >= c->user_count)
        c->user_count = job->user_index + 1;
    c->users[job->user_index].milli_us += (hs_u128)(uint64_t)job->gpu_us * job->gpu_milli;
    return HS_OK;
}

/* VCs past the most that are named share the last class. */
static enum hs_status vc_get(struct hs_classes *c, const struct hs_job_record *job, uint8_t *vc)
{
    HS_TRY(hs_grow((void **)&c->vc_of, &c->vc_of_cap, (uint64_t)job->vc_index + 1, sizeof *c->vc_of,
                   HS_INTERN_MAX));
    uint32_t *known = &c->vc_of[job->vc_index];
    if (HS_UNLIKELY(*known == 0)) {
        HS_TRY(hs_intern_get(&c->vcs, job->vc, known));
        ++*known;
        c->has_vcs = c->has_vcs || job->vc[0] != '\0';
    }
    *vc = (uint8_t)(*known <= HS_CLASS_VCS_MAX ? *known - 1 : HS_CLASS_VCS_MAX - 1);
    return HS_OK;
}

static uint32_t bits_of_kind(uint32_t kind)
{
    const uint32_t job_class = kind % HS_JOB_CLASS_COUNT, rest = kind / HS_JOB_CLASS_COUNT;
    return 1u << (HS_CLASS_JOB + job_class) | 1u << (HS_CLASS_OUTCOME + rest % HS_OUTCOME_COUNT) |
           1u << (HS_CLASS_GPUS + rest / HS_OUTCOME_COUNT);
}

enum hs_status hs_classes_book_done(struct hs_classes *c, const struct hs_job_record *job,
                                    struct hs_job_place *place)
{
    HS_TRY(hs_classes_book(c, job));
    HS_TRY(vc_get(c, job, &place->vc));
    place->user = job->user_index;
    const uint32_t gpu_class = hs_class_of_gpus(job->gpus);
    place->kind =
        (uint8_t)((gpu_class * HS_OUTCOME_COUNT + (uint32_t)job->outcome) * HS_JOB_CLASS_COUNT +
                  (uint32_t)job->job_class);
    c->has_kind[place->kind] = true;
    if (HS_UNLIKELY(c->users[place->user].jobs++ == 0))
        c->has_users = c->has_users || job->user[0] != '\0';
    return HS_OK;
}

static enum hs_status rank_users(struct hs_classes *c)
{
    struct user_rank *ranks = hs_alloc_zeroed((uint64_t)c->user_count + 1, sizeof *ranks);
    c->quintiles = hs_alloc_zeroed((uint64_t)c->user_count + 1, sizeof *c->quintiles);
    c->shares = hs_alloc_zeroed((uint64_t)c->user_count + 1, sizeof *c->shares);
    if (ranks == NULL || c->quintiles == NULL || c->shares == NULL) {
        hs_free(ranks);
        return HS_E_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->user_count; i++)
        if (c->users[i].jobs > 0)
            ranks[count++] = (struct user_rank){.milli_us = c->users[i].milli_us, .user = i};
    qsort(ranks, count, sizeof *ranks, compare_users);
    for (uint32_t i = 0; i < count; i++)
        c->quintiles[ranks[i].user] = (uint8_t)((uint64_t)i * HS_CLASS_QUINTILES / count);
    /* with fewer users than quintiles the classes would only rename the users */
    if (count < HS_CLASS_QUINTILES)
        c->has_users = false;
    hs_free(ranks);
    return HS_OK;
}

enum hs_status hs_classes_settle(struct hs_classes *c)
{
    for (uint32_t kind = 0; kind < HS_KINDS; kind++)
        if (c->has_kind[kind])
            c->seen |= bits_of_kind(kind);
    return rank_users(c);
}

uint32_t hs_classes_count(const struct hs_classes *c)
{
    if (!c->has_vcs)
        return HS_CLASS_VC;
    uint32_t vcs = c->vcs.count < HS_CLASS_VCS_MAX ? c->vcs.count : HS_CLASS_VCS_MAX;
    return HS_CLASS_VC + vcs;
}

/* More than one bit? */
static bool is_several(uint32_t bits)
{
    return (bits & (bits - 1)) != 0;
}

/* Where no job asks for a class, that each may get any says nothing. */
static bool has_job_classes(const struct hs_classes *c)
{
    return (c->seen & SEEN_JOB & ~SEEN_AUTO) != 0;
}

bool hs_classes_is_all(const struct hs_classes *c, uint32_t index)
{
    if (index >= HS_CLASS_VC)
        return c->vcs.count == 1;
    uint32_t own = 1u << index;
    return index == HS_CLASS_ALL || (c->seen & SEEN_GPUS) == own ||
           (c->seen & SEEN_OUTCOMES) == own || (has_job_classes(c) && (c->seen & SEEN_JOB) == own);
}

uint32_t hs_classes_of_kind(const struct hs_classes *c, uint32_t kind)
{
    uint32_t of = 0;
    of |= is_several(c->seen & SEEN_GPUS) ? SEEN_GPUS : 0;
    of |= is_several(c->seen & SEEN_OUTCOMES) ? SEEN_OUTCOMES : 0;
    of |= is_several(c->seen & SEEN_JOB) ? SEEN_JOB : 0;
    return 1u << HS_CLASS_ALL | (bits_of_kind(kind) & of);
}

bool hs_classes_has_vcs(const struct hs_classes *c)
{
    return c->has_vcs && c->vcs.count > 1;
}

static const char *vc_name(const struct hs_classes *c, uint32_t vc)
{
    if (vc == HS_CLASS_VCS_MAX - 1 && c->vcs.count > HS_CLASS_VCS_MAX)
        return "(others)";
    const char *name = hs_intern_text(&c->vcs, vc);
    return name[0] != '\0' ? name : "(none)";
}

void hs_classes_name(const struct hs_classes *c, uint32_t index, struct hs_class *out)
{
    static const char *const quintiles[HS_CLASS_QUINTILES] = {"q1", "q2", "q3", "q4", "q5"};
    const char *name;
    if (index >= HS_CLASS_VC) {
        out->kind = "vc";
        name = vc_name(c, index - HS_CLASS_VC);
    } else if (index >= HS_CLASS_JOB) {
        out->kind = "class";
        name = hs_job_class_text((enum hs_job_class)(index - HS_CLASS_JOB));
    } else if (index >= HS_CLASS_OUTCOME) {
        out->kind = "outcome";
        name = hs_outcome_text((enum hs_outcome)(index - HS_CLASS_OUTCOME));
    } else if (index >= HS_CLASS_QUINTILE) {
        out->kind = "user_quintile";
        name = quintiles[index - HS_CLASS_QUINTILE];
    } else {
        out->kind = "gpus";
        name = gpu_classes[index - HS_CLASS_GPUS];
    }
    size_t length = strlen(name);
    bool is_long = length > HS_CLASS_NAME_MAX;
    memcpy(out->name, name, is_long ? HS_CLASS_NAME_MAX : length + 1);
    if (is_long)
        memcpy(out->name + HS_CLASS_NAME_MAX - 3, "...", 4);
}

double hs_classes_jain(const struct hs_classes *c)
{
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->user_count; i++) {
        if (c->shares[i].stay == 0)
            continue;
        double share = hs_exact_double(c->shares[i].need, c->shares[i].stay);
        sum += share;
        squares += share * share;
        count++;
    }
    return count >= 2 && squares > 0 ? sum * sum / (count * squares) : (double)NAN;
}

void hs_classes_close(struct hs_classes *c)
{
    hs_free(c->users);
    hs_free(c->quintiles);
    hs_free(c->shares);
    hs_free(c->vc_of);
    hs_intern_free(&c->vcs);
    *c = (struct hs_classes){0};
}
