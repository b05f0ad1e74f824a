/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The filter: what a record names is looked up, what it tells is matched, the rest is drawn. A job
 * has its own random bits, hs_mix64(hs_mix64(stream, index), purpose), of which the steps that are
 * the same for all jobs, or for all draws of a job, are taken once; its profile depends on the jobs
 * before it only through stickiness. A draw is O(log profiles) and formats nothing;
 * memory is O(users x sizes), besides the names of the models seen.
 */
#include "model/assign.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/rng.h"
#include "horus/compiler.h"
#include "model/assign_mix.h"
#include "model/gift.h"

#define DAY_US         (86400 * HS_US_PER_S) /* horus.md 7: same user, GPUs, within 1 day */
#define CHANCE_ONE     (UINT64_C(1) << 32)
#define NAMES_MAX      4096u /* distinct (model, dataset, batch, precision) remembered */
#define NAME_SIZE      256
#define HABITS_FIRST   256u
#define HABITS_MAX     (2 * HS_INTERN_MAX)
#define NAME_SEPARATOR '\x1f'

/* What the bits of a job are for. */
enum draw { DRAW_PROFILE, DRAW_STAYS };

/* The latest drawn job of one user and one size. */
struct habit {
    uint64_t user; /* see user_of; 0 = none */
    int64_t submit_us;
    uint32_t gpus, profile;
};

/* What a set of names was found to be. */
struct naming {
    uint32_t profile;
    enum hs_match match;
};

struct hs_assign {
    struct hs_job_source source;
    const struct hs_catalogue *catalogue;
    struct hs_assign_options options;
    struct hs_diag *diag;
    struct hs_gift *gifts; /* by profile */
    struct hs_mix mix;
    struct hs_intern users, names; /* users: of long names */
    struct habit *habits;          /* open addressing, at most half full; a power of two long */
    struct naming *namings;        /* by id in names */
    uint32_t habit_count, habits_size, naming_cap, naming_count;
    uint64_t stream, index; /* stream: hs_splitmix64 of the seed */
    uint64_t stays_below;   /* in CHANCE_ONE */
    int64_t day_us;         /* on the clock of the source */
    struct hs_assign_counts counts;
};

/* Of the job that came last, for draws. */
HS_INLINE uint64_t bits_of_job(const struct hs_assign *a)
{
    return hs_splitmix64(hs_splitmix64(a->stream + a->index));
}

static uint64_t draw(uint64_t bits_of_job, enum draw purpose)
{
    return hs_splitmix64(bits_of_job + purpose);
}

static inline void give(const struct hs_assign *a, struct hs_trace_job *job, uint32_t profile,
                        enum hs_profile_from from)
{
    job->profile = profile;
    job->profile_from = from;
    hs_gift_give(&a->gifts[profile], job);
}

/* The names of a job as one text; false if they are too long for it. */
static bool join_names(const struct hs_trace_job *job, char text[NAME_SIZE])
{
    const char *parts[] = {job->model, job->dataset, job->batch, job->precision};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t len = parts[i] != NULL ? strlen(parts[i]) : 0;
        if (used + len + 1 >= NAME_SIZE)
            return false;
        if (len > 0)
            memcpy(text + used, parts[i], len);
        used += len;
        text[used++] = NAME_SEPARATOR;
    }
    text[used] = '\0';
    return true;
}

static struct naming look_up(const struct hs_assign *a, const struct hs_trace_job *job)
{
    struct naming found = {.match = HS_MATCH_NONE};
    found.profile = hs_catalogue_match(a->catalogue, job->model, job->dataset, job->batch,
                                       job->precision, &found.match);
    return found;
}

/* The same few sets of names come again and again, and all but exact ones cost a search of the
 * catalogue: the first NAMES_MAX are remembered. */
static HS_APART enum hs_status recall_names(struct hs_assign *a, const struct hs_trace_job *job,
                                            struct naming *out)
{
    char text[NAME_SIZE];
    uint32_t id;
    if (!join_names(job, text)) {
        *out = look_up(a, job);
        return HS_OK;
    }
    if (a->names.count < NAMES_MAX)
        HS_TRY(hs_intern_get(&a->names, text, &id));
    else
        id = hs_intern_find(&a->names, text);
    if (id < a->naming_count) {
        *out = a->namings[id];
        return HS_OK;
    }
    *out = look_up(a, job);
    if (id == UINT32_MAX)
        return HS_OK;
    HS_TRY(hs_grow((void **)&a->namings, &a->naming_cap, (uint64_t)id + 1, sizeof *a->namings,
                   HS_INTERN_MAX));
    a->namings[id] = *out;
    a->naming_count = id + 1;
    return HS_OK;
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

static void count_inexact(struct hs_assign *a, const struct hs_trace_job *job, uint32_t profile)
{
    struct hs_assign_counts *c = &a->counts;
    if (c->inexact++ > 0)
        return;
    (void)snprintf(c->inexact_example, sizeof c->inexact_example, "%s/%s/%s/%s", job->model,
                   text_of(job->dataset), text_of(job->batch), text_of(job->precision));
    (void)snprintf(c->inexact_instead, sizeof c->inexact_instead, "%s",
                   a->catalogue->profiles[profile].key);
}

static enum hs_status give_named(struct hs_assign *a, struct hs_trace_job *job, bool *is_given)
{
    struct naming found;
    *is_given = false;
    if (job->model == NULL)
        return HS_OK;
    HS_TRY(recall_names(a, job, &found));
    if (found.profile == HS_NO_PROFILE) {
        if (a->counts.unknown_model++ == 0)
            (void)snprintf(a->counts.unknown_example, sizeof a->counts.unknown_example, "%s",
                           job->model);
        return HS_OK;
    }
    *is_given = true;
    give(a, job, found.profile,
         found.match == HS_MATCH_BATCH ? HS_PROFILE_FROM_TRACE_NEAREST : HS_PROFILE_FROM_TRACE);
    a->counts.by_columns++;
    if (found.match == HS_MATCH_BATCH)
        count_inexact(a, job, found.profile);
    return HS_OK;
}

static HS_APART void give_near(struct hs_assign *a, struct hs_trace_job *job)
{
    uint32_t profile =
        hs_mix_draw_near(&a->mix, job->gpu_util_pm, draw(bits_of_job(a), DRAW_PROFILE));
    hs_gift_name(&a->gifts[profile], job);
    give(a, job, profile, HS_PROFILE_FROM_UTILIZATION);
    a->counts.by_telemetry++;
}

/* Where the search for a habit begins. 2^64 over the golden ratio spreads the keys. */
static uint32_t habit_hash(uint64_t user, uint32_t gpus)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((user + gpus * factor) * factor >> 32);
}

/* Where the habit is, or would be. */
static struct habit *habit_slot(struct habit *habits, uint32_t size, uint64_t user, uint32_t gpus)
{
    for (uint32_t at = habit_hash(user, gpus);; at++) {
        struct habit *habit = &habits[at & (size - 1)];
        if ((habit->user == user && habit->gpus == gpus) || habit->user == 0)
            return habit;
    }
}

/* Habits are many, and the job of each is one of many users': it is not in the cache. */
static void fetch_habit(const struct hs_assign *a, const struct hs_trace_job *next)
{
    if (next == NULL || next->user_word == 0 || a->habits_size == 0)
        return;
    const uint32_t at = habit_hash(next->user_word, next->gpus);
    HS_PREFETCH(&a->habits[at & (a->habits_size - 1)]);
}

static HS_APART enum hs_status habits_double(struct hs_assign *a)
{
    uint32_t size = a->habits_size > 0 ? 2 * a->habits_size : HABITS_FIRST;
    if (size > HABITS_MAX)
        return HS_E_LIMIT;
    struct habit *habits = hs_alloc_zeroed(size, sizeof *habits);
    if (habits == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < a->habits_size; i++)
        if (a->habits[i].user != 0)
            *habit_slot(habits, size, a->habits[i].user, a->habits[i].gpus) = a->habits[i];
    hs_free(a->habits);
    a->habits = habits;
    a->habits_size = size;
    return HS_OK;
}

/* A number for a user: of a short name itself, of others that of the name, with the top bit. */
static enum hs_status user_of(struct hs_assign *a, const struct hs_trace_job *job, uint64_t *user)
{
    uint32_t number;
    *user = job->user_word != 0 ? job->user_word : hs_name_word(job->user);
    if (HS_LIKELY(*user != HS_NAME_LONG))
        return HS_OK;
    HS_TRY(hs_intern_get_word(&a->users, job->user, *user, &number));
    *user = UINT64_C(1) << 63 | number;
    return HS_OK;
}

/* The habit of this user with jobs of this size, made if there is none; NULL without a name. */
static enum hs_status find_habit(struct hs_assign *a, const struct hs_trace_job *job,
                                 struct habit **out, bool *is_new)
{
    uint64_t user;
    *out = NULL;
    HS_TRY(user_of(a, job, &user));
    if (user == 0)
        return HS_OK;
    if (2 * ((uint64_t)a->habit_count + 1) > a->habits_size)
        HS_TRY(habits_double(a));
    *out = habit_slot(a->habits, a->habits_size, user, job->gpus);
    *is_new = (*out)->user == 0;
    a->habit_count += *is_new;
    (*out)->user = user;
    (*out)->gpus = job->gpus;
    return HS_OK;
}

static enum hs_status give_drawn(struct hs_assign *a, struct hs_trace_job *job)
{
    struct habit *habit;
    bool is_new = false;
    const uint64_t bits = bits_of_job(a);
    HS_TRY(find_habit(a, job, &habit, &is_new));
    uint32_t profile = HS_NO_PROFILE;
    if (habit != NULL && !is_new && job->submit_us - habit->submit_us <= a->day_us &&
        draw(bits, DRAW_STAYS) >> 32 < a->stays_below)
        profile = habit->profile;
    if (profile == HS_NO_PROFILE)
        profile = hs_mix_draw(&a->mix, job->gpus, draw(bits, DRAW_PROFILE));
    if (habit != NULL) {
        habit->profile = profile;
        habit->submit_us = job->submit_us;
    }
    /* What was drawn is what the job is: an idle or unwanted reading of the trace goes. */
    job->gpu_util_pm = -1;
    if (a->options.mode == HS_ASSIGN_MIX) {
        job->gpu_mem_mib = job->gpu_mem_persistent_mib = job->gpu_mem_later_mib = 0;
        job->checkpoint_mib = 0;
        job->later_us = job->step_us = 0;
    }
    hs_gift_name(&a->gifts[profile], job);
    give(a, job, profile, HS_PROFILE_FROM_DRAW);
    a->counts.by_mix++;
    return HS_OK;
}

static void give_none(struct hs_assign *a, struct hs_trace_job *job)
{
    a->counts.none++;
    if (job->gpus > 0)
        hs_gift_settle_memory(job);
}

static enum hs_status assign_job(struct hs_assign *a, struct hs_trace_job *job)
{
    enum hs_assign_mode mode = a->options.mode;
    bool is_given = false;
    if (job->gpus > 0)
        hs_fractions_count(&a->counts.utils, job->gpu_util_pm);
    if (mode == HS_ASSIGN_OFF || job->gpus == 0) {
        give_none(a, job);
        return HS_OK;
    }
    if (mode != HS_ASSIGN_MIX)
        HS_TRY(give_named(a, job, &is_given));
    if (is_given)
        return HS_OK;
    bool takes_telemetry = mode == HS_ASSIGN_AUTO || mode == HS_ASSIGN_TELEMETRY;
    /* horus.md 7: jobs with NA or idle telemetry fall to the mix */
    if (takes_telemetry && job->gpu_util_pm > 0) {
        give_near(a, job);
        return HS_OK;
    }
    if (mode == HS_ASSIGN_AUTO || mode == HS_ASSIGN_MIX)
        return give_drawn(a, job);
    give_none(a, job);
    return HS_OK;
}

static enum hs_status assign_next(void *ctx, struct hs_trace_job **out)
{
    struct hs_assign *a = ctx;
    HS_TRY(a->source.next(a->source.ctx, out));
    struct hs_trace_job *job = *out;
    enum hs_status status = assign_job(a, job);
    a->index++;
    if (a->source.peek != NULL)
        fetch_habit(a, a->source.peek(a->source.ctx));
    if (status != HS_OK)
        return hs_fail(a->diag, status, NULL, "--assign=off needs none",
                       "no memory for the profiles of the jobs");
    return HS_OK;
}

static enum hs_status check_options(const struct hs_assign_options *o, struct hs_diag *diag)
{
    if (!(o->target_util >= 0 && o->target_util <= 1))
        return hs_fail(diag, HS_E_USAGE, NULL, "for example --assign-target=52",
                       "the mean utilization of the mix must be between 0 and 1");
    if (!(o->sticky >= 0 && o->sticky <= 1))
        return hs_fail(diag, HS_E_USAGE, NULL, "for example --assign-sticky=0.8",
                       "the chance to keep a profile must be between 0 and 1");
    return HS_OK;
}

/* A day of the recorded clock on that of the source, whose gaps are divided by the load and rounded
 * down: a job that came one day later to the second still counts. */
static int64_t scaled_day(double load)
{
    return load > 0 && load != 1 ? (int64_t)ceil((double)DAY_US / load) + 1 : DAY_US;
}

static enum hs_status open_parts(struct hs_assign *a, struct hs_diag *diag)
{
    if (hs_intern_init(&a->users) != HS_OK || hs_intern_init(&a->names) != HS_OK)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the profiles of the jobs");
    a->gifts = hs_alloc_zeroed(a->catalogue->count, sizeof *a->gifts);
    if (a->gifts == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the profiles of the jobs");
    for (uint32_t i = 0; i < a->catalogue->count; i++)
        a->gifts[i] = hs_gift_of(&a->catalogue->profiles[i]);
    /* id 0 is the text without names, which is never looked up */
    HS_TRY(hs_grow((void **)&a->namings, &a->naming_cap, 1, sizeof *a->namings, HS_INTERN_MAX));
    a->naming_count = 1;
    if (a->options.mode == HS_ASSIGN_OFF || a->options.mode == HS_ASSIGN_COLUMNS)
        return HS_OK;
    return hs_mix_open(&a->mix, a->catalogue, &a->options, diag);
}

enum hs_status hs_assign_open(struct hs_assign **assign, struct hs_job_source source,
                              const struct hs_catalogue *catalogue,
                              const struct hs_assign_options *options, struct hs_diag *diag)
{
    *assign = NULL;
    HS_TRY(check_options(options, diag));
    struct hs_assign *a = hs_alloc_zeroed(1, sizeof *a);
    if (a == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the profiles of the jobs");
    a->source = source;
    a->catalogue = catalogue;
    a->options = *options;
    a->diag = diag;
    a->stream = hs_splitmix64(hs_seed_of(options->seed, "assign"));
    a->stays_below = (uint64_t)llrint(options->sticky * (double)CHANCE_ONE);
    a->day_us = scaled_day(options->load);
    enum hs_status status = open_parts(a, diag);
    if (status == HS_OK)
        *assign = a;
    else
        hs_assign_close(a);
    return status;
}

struct hs_job_source hs_assign_source(struct hs_assign *assign)
{
    return (struct hs_job_source){.next = assign_next, .ctx = assign};
}

void hs_assign_get_counts(const struct hs_assign *assign, struct hs_assign_counts *counts)
{
    *counts = assign->counts;
}

void hs_assign_close(struct hs_assign *assign)
{
    if (assign == NULL)
        return;
    hs_mix_close(&assign->mix);
    hs_intern_free(&assign->users);
    hs_intern_free(&assign->names);
    hs_free(assign->habits);
    hs_free(assign->namings);
    hs_free(assign->gifts);
    hs_free(assign);
}
