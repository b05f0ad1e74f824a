/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See classes.h. Fairness: Jain, Chiu, Hawe, "A quantitative measure of fairness", DEC TR-301,
 * 1984: (sum x)^2 / (n sum x^2) over what each user gets. What a user gets is here the GPU time
 * that its jobs needed over the GPU time between their submission and their end: 1 where its
 * jobs never wait, near 0 where they mostly do.
 */
#include "report/stats/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/stats/exact.h"

static const char *const gpu_classes[HS_CLASS_GPUS_COUNT] = {"0",    "1",     "2-4", "5-8",
                                                             "9-16", "17-32", ">32"};
static const char *const quintiles[HS_CLASS_QUINTILES] = {"q1", "q2", "q3", "q4", "q5"};

uint32_t hs_class_of_gpus(uint32_t gpus)
{
    if (gpus <= 2)
        return gpus;
    const uint32_t log2 = 64 - HS_CLZ64(gpus - 1); /* rounded up */
    return log2 < HS_CLASS_GPUS_COUNT - 1 ? log2 : HS_CLASS_GPUS_COUNT - 1;
}

void hs_classes_open(struct hs_classes *c)
{
    *c = (struct hs_classes){0};
    hs_intern_init(&c->vcs);
}

/* VCs past the most that are named share the last class. */
static void vc_class(struct hs_classes *c, const struct hs_job_record *job, uint8_t *vc)
{
    hs_grow((void **)&c->vc_of, &c->vc_of_cap, (uint64_t)job->vc_index + 1, sizeof *c->vc_of,
            HS_INTERN_MAX);
    uint32_t *known = &c->vc_of[job->vc_index];
    if (*known == 0) {
        *known = hs_intern_get(&c->vcs, job->vc);
        ++*known;
        c->has_vcs = c->has_vcs || job->vc[0] != '\0';
    }
    *vc = (uint8_t)(HS_CLASS_VC + (*known <= HS_CLASS_VCS_MAX ? *known : HS_CLASS_VCS_MAX) - 1);
}

void hs_classes_add(struct hs_classes *c, const struct hs_job_record *job, struct hs_class_key *key)
{
    hs_grow((void **)&c->users, &c->user_cap, (uint64_t)job->user_index + 1, sizeof *c->users,
            HS_INTERN_MAX);
    if (job->user_index >= c->user_count)
        c->user_count = job->user_index + 1;
    struct hs_user_account *user = &c->users[job->user_index];
    user->milli_us += (hs_u128)(uint64_t)job->gpu_us * job->gpu_milli;
    if (key == NULL)
        return;
    const uint32_t cell =
        (hs_class_of_gpus(job->gpus) * HS_OUTCOME_COUNT + (uint32_t)job->outcome) *
            HS_JOB_CLASS_COUNT +
        (uint32_t)job->job_class;
    *key = (struct hs_class_key){.user = job->user_index, .cell = (uint8_t)cell};
    if (user->jobs++ == 0)
        c->has_users = c->has_users || job->user[0] != '\0';
    c->has_job_classes = c->has_job_classes || job->job_class != HS_JOB_CLASS_AUTO;
    vc_class(c, job, &key->vc);
}

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

void hs_classes_rank_users(struct hs_classes *c)
{
    struct user_rank *ranks = hs_alloc_zeroed((uint64_t)c->user_count + 1, sizeof *ranks);
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->user_count; i++)
        if (c->users[i].jobs > 0)
            ranks[count++] = (struct user_rank){.milli_us = c->users[i].milli_us, .user = i};
    qsort(ranks, count, sizeof *ranks, compare_users);
    for (uint32_t i = 0; i < count; i++)
        c->users[ranks[i].user].quintile = (uint8_t)((uint64_t)i * HS_CLASS_QUINTILES / count);
    /* with fewer users than quintiles the classes would only rename the users */
    c->has_users = c->has_users && count >= HS_CLASS_QUINTILES;
    hs_free(ranks);
}

uint32_t hs_classes_count(const struct hs_classes *c)
{
    uint32_t vcs = c->vcs.count < HS_CLASS_VCS_MAX ? c->vcs.count : HS_CLASS_VCS_MAX;
    return HS_CLASS_VC + (c->has_vcs ? vcs : 0);
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
        if (c->users[i].sojourn == 0)
            continue;
        double share = hs_exact_double(c->users[i].need, c->users[i].sojourn);
        sum += share;
        squares += share * share;
        count++;
    }
    return count >= 2 && squares > 0 ? sum * sum / (count * squares) : (double)NAN;
}

void hs_classes_close(struct hs_classes *c)
{
    hs_free(c->users);
    hs_free(c->vc_of);
    hs_intern_free(&c->vcs);
    *c = (struct hs_classes){0};
}
