/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles for jobs: by model, by utilization, or by a draw. The draw has weights proportional to
 * exp(theta u), u the utilization of a profile: of all weights with the wanted mean these are
 * nearest to equal (least relative entropy), so every profile keeps a chance. The mean grows with
 * theta, which is found by bisection; weights become integers once, so that the last bit of exp()
 * does not matter. Memory is O(users x sizes), besides the names of the models seen.
 */
#include "model/assign.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/fixed.h"
#include "base/fmt.h"
#include "base/sample.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/rng.h"
#include "horus/compiler.h"
#include "horus/trace.h"
#include "model/profile.h"

#define WEIGHT_ONE (UINT64_C(1) << 32)

/* Utilizations are whole per mille: at this theta, neighbours 1 per mille apart differ by e^100 in
 * weight, so that even the least and the largest utilization are reached. */
#define THETA_MAX   1e5
#define THETA_STEPS 120 /* 1e5 / 2^120 is below the resolution of a double near any theta */
#define NEAR_COUNT  5u  /* profiles nearest in utilization, of which one is drawn; our choice */

/* Added to a distance before it is inverted: 1 %, the step in which nvidia-smi reports. */
#define NEAR_BLUR_PM 10u

static bool row_fits(const struct hs_profile *p, const char *gpu, uint32_t mem_limit_mib)
{
    return p->util_pm >= 0 && strcmp(p->gpu, gpu) == 0 &&
           (mem_limit_mib == 0 || p->mem_mib <= mem_limit_mib);
}

/* The type with the most measured profiles; of equals, the first of the file. NULL if none. */
static const char *commonest_gpu(const struct hs_catalogue *catalogue)
{
    const char *best = NULL;
    uint32_t best_count = 0;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < catalogue->count; k++)
            count += row_fits(&catalogue->profiles[k], catalogue->profiles[i].gpu, 0);
        if (count > best_count) {
            best = catalogue->profiles[i].gpu;
            best_count = count;
        }
    }
    return best;
}

static bool row_before(struct hs_mix_row a, struct hs_mix_row b)
{
    return a.util_pm != b.util_pm ? a.util_pm < b.util_pm : a.profile < b.profile;
}

static void group_reserve(struct hs_mix *mix, struct hs_mix_group *group, uint64_t count)
{
    group->rows = hs_arena_alloc(&mix->arena, count * sizeof *group->rows + 1);
    group->ends = hs_arena_alloc(&mix->arena, count * sizeof *group->ends + 1);
}

/* Insertion: a catalogue has some hundred rows and is sorted once. */
static void group_insert(struct hs_mix_group *group, struct hs_mix_row row)
{
    uint32_t at = group->count++;
    for (; at > 0 && row_before(row, group->rows[at - 1]); at--)
        group->rows[at] = group->rows[at - 1];
    group->rows[at] = row;
}

static void collect(struct hs_mix *mix, const struct hs_catalogue *catalogue,
                    const struct hs_assign_options *options)
{
    group_reserve(mix, &mix->single, catalogue->count);
    group_reserve(mix, &mix->gang, catalogue->count);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        if (!row_fits(p, mix->gpu, options->mem_limit_mib))
            continue;
        struct hs_mix_row row = {.util_pm = p->util_pm, .profile = i};
        group_insert(&mix->single, row);
        if (p->is_distributed)
            group_insert(&mix->gang, row);
    }
}

/* exp(theta u), scaled so that the largest is 1. */
static double weight_at(const struct hs_mix_group *group, uint32_t i, double theta)
{
    int32_t top_pm = group->rows[theta > 0 ? group->count - 1 : 0].util_pm;
    return exp(theta * (group->rows[i].util_pm - top_pm) / 1000);
}

static double mean_at(const struct hs_mix_group *group, double theta)
{
    double weights = 0, sum = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        double weight = weight_at(group, i, theta);
        weights += weight;
        sum += weight * group->rows[i].util_pm;
    }
    return sum / weights / 1000;
}

static double find_theta(const struct hs_mix_group *group, double target)
{
    double low = -THETA_MAX, high = THETA_MAX;
    for (int i = 0; i < THETA_STEPS; i++) {
        double middle = low + (high - low) / 2;
        if (mean_at(group, middle) < target)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void set_weights(struct hs_mix_group *group, double target)
{
    double theta = find_theta(group, target), total = 0, sum = 0;
    for (uint32_t i = 0; i < group->count; i++)
        total += weight_at(group, i, theta);
    for (uint32_t i = 0; i < group->count; i++) {
        sum += weight_at(group, i, theta);
        group->ends[i] = (uint64_t)llrint(sum / total * (double)WEIGHT_ONE);
    }
    group->ends[group->count - 1] = WEIGHT_ONE;
}

static void percent_text(char *text, uint64_t pm)
{
    text[hs_fmt_ratio(text, pm, 10, 1)] = '\0';
}

static enum hs_status group_weigh(struct hs_mix_group *group, const char *jobs, double target,
                                  struct hs_diag *diag)
{
    int32_t least_pm = group->rows[0].util_pm, most_pm = group->rows[group->count - 1].util_pm;
    if (target >= least_pm / 1000.0 && target <= most_pm / 1000.0) {
        set_weights(group, target);
        return HS_OK;
    }
    char least[HS_FMT_MAX + 1], most[HS_FMT_MAX + 1], wanted[HS_FMT_MAX + 1], hint[192];
    percent_text(least, (uint64_t)least_pm);
    percent_text(most, (uint64_t)most_pm);
    percent_text(wanted, (uint64_t)llrint(target * 1000));
    (void)snprintf(hint, sizeof hint,
                   "--assign-target=%s; or --assign=columns, if the trace names its models",
                   target < least_pm / 1000.0 ? least : most);
    return hs_fail(diag, HS_E_USAGE, NULL, hint,
                   "a mean utilization of %s %% is out of reach for %s: their profiles have from "
                   "%s %% to %s %%",
                   wanted, jobs, least, most);
}

static enum hs_status fail_nothing_fits(const struct hs_mix *mix,
                                        const struct hs_assign_options *options,
                                        struct hs_diag *diag)
{
    if (options->mem_limit_mib > 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--assign=columns or --assign=off draws none",
                       "no profile measured on %s fits into %u MiB", mix->gpu,
                       options->mem_limit_mib);
    return hs_fail(diag, HS_E_USAGE, NULL, "--assign=columns or --assign=off draws none",
                   "no profile has a GPU utilization measured on %s", mix->gpu);
}

/* Jobs of several GPUs where no profile of a distributed model fits: better a model that is not
 * usually trained so than none. */
static void lend_rows(struct hs_mix *mix, struct hs_diag *diag)
{
    hs_report(diag, HS_WARNING, NULL, NULL,
              "no profile of a distributed model fits: jobs of several GPUs draw from all "
              "profiles");
    mix->gang = mix->single;
}

enum hs_status hs_mix_open(struct hs_mix *mix, const struct hs_catalogue *catalogue,
                           const struct hs_assign_options *options, struct hs_diag *diag)
{
    *mix = (struct hs_mix){.gpu = options->gpu};
    if (mix->gpu == NULL)
        mix->gpu = commonest_gpu(catalogue);
    if (mix->gpu == NULL)
        mix->gpu = "any GPU type";
    collect(mix, catalogue, options);
    if (mix->single.count == 0)
        return fail_nothing_fits(mix, options, diag);
    if (options->mode != HS_ASSIGN_AUTO && options->mode != HS_ASSIGN_MIX)
        return HS_OK;
    HS_TRY(group_weigh(&mix->single, "jobs of one GPU", options->target_util, diag));
    if (mix->gang.count > 0)
        return group_weigh(&mix->gang, "jobs of several GPUs", options->target_util, diag);
    lend_rows(mix, diag);
    return HS_OK;
}

uint32_t hs_mix_draw(const struct hs_mix *mix, uint32_t gpus, uint64_t bits)
{
    const struct hs_mix_group *group = gpus > 1 ? &mix->gang : &mix->single;
    uint64_t at = bits >> 32;
    uint32_t low = 0;
    /* The first end above `at` is among ends[low, low + left). No branch: no processor could guess
     * where a draw goes. */
    for (uint32_t left = group->count, half; left > 1; left -= half) {
        half = left / 2;
        low += half * (group->ends[low + half - 1] <= at);
    }
    return group->rows[low].profile;
}

/* First row with at least this utilization. */
static uint32_t first_at_least(const struct hs_mix_group *group, int32_t util_pm)
{
    uint32_t low = 0, high = group->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (group->rows[middle].util_pm < util_pm)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t hs_mix_draw_near(const struct hs_mix *mix, int32_t util_pm, uint64_t bits)
{
    const struct hs_mix_group *group = &mix->single;
    uint64_t ends[NEAR_COUNT], total = 0;
    uint32_t rows[NEAR_COUNT], count = 0;
    uint32_t right = first_at_least(group, util_pm), left = right; /* rows [left, right) taken */
    for (; count < NEAR_COUNT && count < group->count; count++) {
        bool is_left =
            left > 0 && (right == group->count || util_pm - group->rows[left - 1].util_pm <
                                                      group->rows[right].util_pm - util_pm);
        uint32_t row = is_left ? --left : right++;
        int32_t away_pm = group->rows[row].util_pm - util_pm;
        total += WEIGHT_ONE / ((uint32_t)(away_pm < 0 ? -away_pm : away_pm) + NEAR_BLUR_PM);
        rows[count] = group->rows[row].profile;
        ends[count] = total;
    }
    assert(count > 0);
    uint64_t at = (uint64_t)(((hs_u128)bits * total) >> 64);
    uint32_t i = 0;
    while (ends[i] <= at)
        i++;
    return rows[i];
}

void hs_mix_close(struct hs_mix *mix)
{
    hs_arena_free(&mix->arena);
    *mix = (struct hs_mix){0};
}

#define DAY_US                                                                                     \
    (86400 * HS_US_PER_S) /* how long a habit lasts: same user, same GPUs; our choice              \
                           */
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
    int64_t submit_us;
    uint32_t user; /* interned; 0 = none */
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
    struct hs_profile_defaults *defaults; /* by profile */
    struct hs_mix mix;
    struct hs_intern users, names;
    struct habit *habits;   /* open addressing, at most half full; a power of two long */
    struct naming *namings; /* by id in names */
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
    hs_profile_defaults_give(&a->defaults[profile], job);
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
static HS_APART void recall_names(struct hs_assign *a, const struct hs_trace_job *job,
                                  struct naming *out)
{
    char text[NAME_SIZE];
    uint32_t id;
    if (!join_names(job, text)) {
        *out = look_up(a, job);
        return;
    }
    if (a->names.count < NAMES_MAX)
        id = hs_intern_get(&a->names, text);
    else
        id = hs_intern_find(&a->names, text);
    if (id < a->naming_count) {
        *out = a->namings[id];
        return;
    }
    *out = look_up(a, job);
    if (id == UINT32_MAX)
        return;
    hs_grow((void **)&a->namings, &a->naming_cap, (uint64_t)id + 1, sizeof *a->namings,
            HS_INTERN_MAX);
    a->namings[id] = *out;
    a->naming_count = id + 1;
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

static void give_named(struct hs_assign *a, struct hs_trace_job *job, bool *is_given)
{
    struct naming found;
    *is_given = false;
    if (job->model == NULL)
        return;
    recall_names(a, job, &found);
    if (found.profile == HS_NO_PROFILE) {
        if (a->counts.unknown_model++ == 0)
            (void)snprintf(a->counts.unknown_example, sizeof a->counts.unknown_example, "%s",
                           job->model);
        return;
    }
    *is_given = true;
    give(a, job, found.profile,
         found.match == HS_MATCH_BATCH ? HS_PROFILE_FROM_TRACE_NEAREST : HS_PROFILE_FROM_TRACE);
    a->counts.by_columns++;
    if (found.match == HS_MATCH_BATCH)
        count_inexact(a, job, found.profile);
}

static HS_APART void give_near(struct hs_assign *a, struct hs_trace_job *job)
{
    uint32_t profile =
        hs_mix_draw_near(&a->mix, job->gpu_util_pm, draw(bits_of_job(a), DRAW_PROFILE));
    hs_profile_defaults_name(&a->defaults[profile], job);
    give(a, job, profile, HS_PROFILE_FROM_UTILIZATION);
    a->counts.by_telemetry++;
}

/* Where the search for a habit begins. 2^64 over the golden ratio spreads the keys. */
static uint32_t habit_hash(uint32_t user, uint32_t gpus)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((user + gpus * factor) * factor >> 32);
}

/* Where the habit is, or would be. */
static struct habit *habit_slot(struct habit *habits, uint32_t size, uint32_t user, uint32_t gpus)
{
    for (uint32_t at = habit_hash(user, gpus);; at++) {
        struct habit *habit = &habits[at & (size - 1)];
        if ((habit->user == user && habit->gpus == gpus) || habit->user == 0)
            return habit;
    }
}

static HS_APART enum hs_status habits_double(struct hs_assign *a)
{
    uint32_t size = a->habits_size > 0 ? 2 * a->habits_size : HABITS_FIRST;
    if (size > HABITS_MAX)
        return HS_E_LIMIT;
    struct habit *habits = hs_alloc_zeroed(size, sizeof *habits);
    for (uint32_t i = 0; i < a->habits_size; i++)
        if (a->habits[i].user != 0)
            *habit_slot(habits, size, a->habits[i].user, a->habits[i].gpus) = a->habits[i];
    hs_free(a->habits);
    a->habits = habits;
    a->habits_size = size;
    return HS_OK;
}

/* The habit of this user with jobs of this size, made if there is none; NULL without a name. */
static enum hs_status find_habit(struct hs_assign *a, const struct hs_trace_job *job,
                                 struct habit **out, bool *is_new)
{
    uint32_t user;
    *out = NULL;
    user = hs_intern_get(&a->users, job->user);
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
    hs_profile_defaults_name(&a->defaults[profile], job);
    give(a, job, profile, HS_PROFILE_FROM_DRAW);
    a->counts.by_mix++;
    return HS_OK;
}

static void give_none(struct hs_assign *a, struct hs_trace_job *job)
{
    a->counts.none++;
    if (job->gpus > 0)
        hs_profile_defaults_settle_memory(job);
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
        give_named(a, job, &is_given);
    if (is_given)
        return HS_OK;
    bool takes_telemetry = mode == HS_ASSIGN_AUTO || mode == HS_ASSIGN_TELEMETRY;
    /* jobs without telemetry, or with idle one, take a draw from the mix */
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
    return status;
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

/* A day of the recorded clock on the clock of the source, whose gaps are divided by the load and
 * rounded down: a job exactly one day later still counts. */
static int64_t scaled_day(double load)
{
    return load > 0 && load != 1 ? (int64_t)ceil((double)DAY_US / load) + 1 : DAY_US;
}

static enum hs_status open_parts(struct hs_assign *a, struct hs_diag *diag)
{
    hs_intern_init(&a->users);
    hs_intern_init(&a->names);
    a->defaults = hs_alloc_zeroed(a->catalogue->count, sizeof *a->defaults);
    for (uint32_t i = 0; i < a->catalogue->count; i++)
        a->defaults[i] = hs_profile_defaults_of(&a->catalogue->profiles[i]);
    /* id 0 is the text without names, which is never looked up */
    hs_grow((void **)&a->namings, &a->naming_cap, 1, sizeof *a->namings, HS_INTERN_MAX);
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
    hs_free(assign->defaults);
    hs_free(assign);
}
