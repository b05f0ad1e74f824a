/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles for jobs: by model, by utilization, or by a draw. The draw has weights proportional to
 * exp(theta u), u the utilization of a profile: of all weights with the wanted mean these are
 * nearest to equal (least relative entropy), so every profile is possible. The mean grows with
 * theta, which is found by bisection; weights are converted to integers once, so that the last bit
 * of exp() does not matter. Memory is O(users x sizes), plus the names of the models seen.
 *
 * Attempts: a job fails with the probability that jobs of its class were unsuccessful. Then one
 * attempt fails, and each retry fails with probability q, up to HS_RETRIES_MAX retries: the mean
 * number of retries of all jobs of the class is unsuccessful x (1 + q + q^2), which gives q. A job
 * fails for one reason, drawn by the trials of the reasons (a reason recurs 2.3 times per job: Jeon
 * et al.), and the time of each attempt is lognormal through median and 95 % of the reason,
 * truncated there: of the last twentieth nothing is published, and the tail of the lognormal would
 * be most of the work (mean 11.8 h to a failure, truncated at 60 days, instead of 3.4 h). Reasons
 * are the same for all classes. O(1) per job.
 */
#include "model/assign.h"

#include <math.h>
#include <stdio.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/rng.h"

#define CHANCE_ONE (UINT64_C(1) << 32)
#define FULL_PM    1000

/* ---- values from a profile ---- */

#define STEP_US_MAX (INT64_C(1) << 53) /* the limit of a trace */

/* Memory kept between mini-batches if no profile states it: the larger of 0.3 GB (10^9 bytes; our
 * choice) and three times the checkpoint: weights, gradients, optimizer. */
#define PERSISTENT_MIB         287u
#define PERSISTENT_CHECKPOINTS 3u

/* Keeps what the record states; limits the persistent memory to the peak, 0 if that is unknown. */
static void settle_memory(struct hs_trace_job *job)
{
    uint64_t kept_mib = (uint64_t)PERSISTENT_CHECKPOINTS * job->checkpoint_mib;
    if (kept_mib < PERSISTENT_MIB)
        kept_mib = PERSISTENT_MIB;
    if (job->gpu_mem_persistent_mib > 0 || job->gpu_mem_mib == 0)
        kept_mib = job->gpu_mem_persistent_mib;
    if (job->gpu_mem_mib > 0 && kept_mib > job->gpu_mem_mib)
        kept_mib = job->gpu_mem_mib;
    if (job->gpu_mem_later_mib > 0 && kept_mib > job->gpu_mem_later_mib)
        kept_mib = job->gpu_mem_later_mib;
    job->gpu_mem_persistent_mib = (uint32_t)kept_mib;
}

/* Scales a profile's value, which is for a whole GPU, to the job's share of a GPU. */
static uint32_t of_share(const struct hs_trace_job *job, uint32_t amount)
{
    return job->gpu_milli > 0 ? (uint32_t)((uint64_t)amount * job->gpu_milli / 1000) : amount;
}

static void set_util(struct hs_trace_job *job, int32_t util_pm, int32_t peak_pm,
                     enum hs_figure_from from)
{
    job->gpu_util_pm = (int32_t)of_share(job, (uint32_t)util_pm);
    job->gpu_util_peak_pm = (int32_t)of_share(job, (uint32_t)peak_pm);
    job->util_from = from;
}

static void set_memory(struct hs_trace_job *job, uint32_t whole_mib, enum hs_figure_from from)
{
    const uint32_t mib = of_share(job, whole_mib);
    job->gpu_mem_mib = mib > job->gpu_mem_persistent_mib ? mib : job->gpu_mem_persistent_mib;
    job->mem_from = from;
}

static const char *name_of(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static void set_names(const struct hs_profile *p, struct hs_trace_job *job)
{
    job->model = p->model;
    job->dataset = name_of(p->dataset);
    job->batch = name_of(p->batch);
    job->precision = name_of(p->precision);
}

/* ---- the mix ---- */

/* Utilizations are whole per mille: at this theta, neighbours 1 per mille apart differ by e^100 in
 * weight, so that even the minimum and maximum utilization are reached. */
#define THETA_MAX   1e5
#define THETA_STEPS 120 /* 1e5 / 2^120 is below the resolution of a double near any theta */
#define NEAR_COUNT  5u  /* profiles nearest in utilization of which one is drawn; our choice */

/* Added to a distance before it is inverted: 1 %, the step in which nvidia-smi reports. */
#define NEAR_BLUR_PM 10u

struct mix_row {
    int32_t util_pm;
    uint32_t profile; /* index in the catalogue */
};

struct mix_group {
    struct mix_row *rows; /* ascending by (util_pm, profile) */
    uint64_t *ends;       /* cumulative weights; the last is 2^32 */
    uint32_t count;
};

/* The kind of work that a trace states instead of a model: those of Acme (Hu et al., NSDI'24),
 * which are large models, so that profiles of Transformers are used. */
enum work { WORK_ANY, WORK_TRAINING, WORK_INFERENCE, WORK_COUNT };
#define WORK_FAMILY "Transformer"

static const struct {
    const char *name;
    enum work work;
} works[] = {{"pretrain", WORK_TRAINING},
             {"pretraining", WORK_TRAINING},
             {"sft", WORK_TRAINING},
             {"mllm", WORK_TRAINING},
             {"rlhf", WORK_TRAINING},
             {"evaluation", WORK_INFERENCE},
             {"inference", WORK_INFERENCE},
             {"debug", WORK_ANY},
             {"other", WORK_ANY}};

/* Returns false if the text is no kind of work. */
static bool find_work(const char *model, enum work *work)
{
    size_t i = 0;
    while (model != NULL && i < HS_COUNT_OF(works) && !hs_model_same_name(model, works[i].name))
        i++;
    *work = model != NULL && i < HS_COUNT_OF(works) ? works[i].work : WORK_ANY;
    return model != NULL && i < HS_COUNT_OF(works);
}

struct mix {
    struct hs_arena arena;
    struct mix_group works[WORK_COUNT]; /* all rows equal, of any GPU type; empty for WORK_ANY */
    struct mix_group single;            /* for jobs with one GPU: every profile that fits */
    struct mix_group gang;              /* for larger jobs: distributed models */
    const char *gpu;                    /* the type; a text of the catalogue or the options */
};

static bool row_fits(const struct hs_profile *p, const char *gpu, uint32_t mem_limit_mib)
{
    return p->util_pm >= 0 && strcmp(p->gpu, gpu) == 0 &&
           (mem_limit_mib == 0 || p->mem_mib <= mem_limit_mib);
}

/* Returns the type with the most measured profiles; ties: the first in the file. */
static const char *commonest_gpu(const struct hs_catalogue *catalogue)
{
    const char *best = "any GPU type"; /* without profiles */
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

static double weight_at(const struct mix_group *group, uint32_t i, double theta)
{
    int32_t top_pm = group->rows[theta > 0 ? group->count - 1 : 0].util_pm;
    return exp(theta * (group->rows[i].util_pm - top_pm) / 1000);
}

static double mean_at(const struct mix_group *group, double theta)
{
    double weights = 0, sum = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        double weight = weight_at(group, i, theta);
        weights += weight;
        sum += weight * group->rows[i].util_pm;
    }
    return sum / weights / 1000;
}

static void percent_text(char *text, uint64_t pm)
{
    text[hs_fmt_ratio(text, pm, 10, 1)] = '\0';
}

static enum hs_status group_weigh(struct mix_group *group, const char *jobs, double target,
                                  struct hs_diag *diag)
{
    int32_t least_pm = group->rows[0].util_pm, most_pm = group->rows[group->count - 1].util_pm;
    if (target >= least_pm / 1000.0 && target <= most_pm / 1000.0) {
        double low = -THETA_MAX, theta = THETA_MAX, total = 0, sum = 0;
        for (int i = 0; i < THETA_STEPS; i++) {
            double middle = low + (theta - low) / 2;
            if (mean_at(group, middle) < target)
                low = middle;
            else
                theta = middle;
        }
        for (uint32_t i = 0; i < group->count; i++)
            total += weight_at(group, i, theta);
        for (uint32_t i = 0; i < group->count; i++) {
            sum += weight_at(group, i, theta);
            group->ends[i] = (uint64_t)llrint(sum / total * (double)CHANCE_ONE);
        }
        group->ends[group->count - 1] = CHANCE_ONE;
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
                   "a mean utilization of %s %% is not possible for %s: their profiles have from "
                   "%s %% to %s %%",
                   wanted, jobs, least, most);
}

/* Collects the profiles of a group, by utilization, then in catalogue order: of the GPU type of the
 * mix for all jobs or gangs, of any for a kind of work. Insertion suits some hundred rows. */
static void fill_group(struct mix *mix, struct mix_group *group,
                       const struct hs_catalogue *catalogue, uint32_t mem_limit_mib, bool is_gang,
                       enum work work)
{
    group->rows = hs_arena_alloc(&mix->arena, catalogue->count * sizeof *group->rows + 1);
    group->ends = hs_arena_alloc(&mix->arena, catalogue->count * sizeof *group->ends + 1);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        const bool is_in = work == WORK_ANY ? !is_gang || p->is_distributed
                                            : strcmp(p->family, WORK_FAMILY) == 0 &&
                                                  p->is_inference == (work == WORK_INFERENCE);
        if (!is_in || !row_fits(p, work == WORK_ANY ? mix->gpu : p->gpu, mem_limit_mib))
            continue;
        uint32_t at = group->count++;
        for (; at > 0 && p->util_pm < group->rows[at - 1].util_pm; at--)
            group->rows[at] = group->rows[at - 1];
        group->rows[at] = (struct mix_row){p->util_pm, i};
    }
}

/* Computes the weights if the mode draws. HS_E_USAGE if no profile or no mean is possible. */
static enum hs_status mix_open(struct mix *mix, const struct hs_catalogue *catalogue,
                               const struct hs_assign_options *options, struct hs_diag *diag)
{
    static const char hint[] = "--assign=columns or --assign=off draws none";
    const uint32_t limit_mib = options->mem_limit_mib;
    *mix = (struct mix){.gpu = options->gpu != NULL ? options->gpu : commonest_gpu(catalogue)};
    fill_group(mix, &mix->single, catalogue, limit_mib, false, WORK_ANY);
    fill_group(mix, &mix->gang, catalogue, limit_mib, true, WORK_ANY);
    if (mix->single.count == 0 && limit_mib > 0)
        return hs_fail(diag, HS_E_USAGE, NULL, hint, "no profile measured on %s fits into %u MiB",
                       mix->gpu, limit_mib);
    if (mix->single.count == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, hint,
                       "no profile has a GPU utilization measured on %s", mix->gpu);
    if (options->mode != HS_ASSIGN_AUTO && options->mode != HS_ASSIGN_MIX)
        return HS_OK;
    for (uint32_t w = WORK_TRAINING; w < WORK_COUNT; w++) {
        struct mix_group *group = &mix->works[w];
        fill_group(mix, group, catalogue, limit_mib, false, (enum work)w);
        for (uint32_t i = 0; i < group->count; i++)
            group->ends[i] = CHANCE_ONE * (i + 1) / group->count;
    }
    HS_TRY(group_weigh(&mix->single, "jobs of one GPU", options->target_util, diag));
    if (mix->gang.count > 0)
        return group_weigh(&mix->gang, "jobs of several GPUs", options->target_util, diag);
    /* an unusual model is better than none */
    hs_report(diag, HS_WARNING, NULL, NULL,
              "no profile of a distributed model fits: jobs of several GPUs draw from all "
              "profiles");
    mix->gang = mix->single;
    return HS_OK;
}

/* Jobs of a kind without profiles draw like all others. */
static uint32_t mix_draw(const struct mix *mix, uint32_t gpus, enum work work, uint64_t bits)
{
    const struct mix_group *group = gpus > 1 ? &mix->gang : &mix->single;
    if (mix->works[work].count > 0)
        group = &mix->works[work];
    uint64_t at = bits >> 32;
    uint32_t low = 0;
    /* The first end above `at` is among ends[low, low + left). No branch could be predicted. */
    for (uint32_t left = group->count, half; left > 1; left -= half) {
        half = left / 2;
        low += half * (group->ends[low + half - 1] <= at);
    }
    return group->rows[low].profile;
}

static uint32_t mix_draw_near(const struct mix *mix, int32_t util_pm, uint64_t bits)
{
    const struct mix_group *group = &mix->single;
    uint64_t ends[NEAR_COUNT], total = 0;
    uint32_t rows[NEAR_COUNT], count = 0, right = 0;
    while (right < group->count && group->rows[right].util_pm < util_pm)
        right++;
    uint32_t left = right; /* rows [left, right) are chosen */
    for (; count < NEAR_COUNT && count < group->count; count++) {
        bool is_left =
            left > 0 && (right == group->count || util_pm - group->rows[left - 1].util_pm <
                                                      group->rows[right].util_pm - util_pm);
        uint32_t row = is_left ? --left : right++;
        int32_t away_pm = group->rows[row].util_pm - util_pm;
        total += CHANCE_ONE / ((uint32_t)(away_pm < 0 ? -away_pm : away_pm) + NEAR_BLUR_PM);
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

/* ---- the filter ---- */

#define DAY_US         (86400 * HS_US_PER_S) /* duration of a habit: user and GPUs; our choice */
#define NAMES_MAX      4096u /* distinct (model, dataset, batch, precision) stored */
#define NAME_SIZE      256
#define NAME_SEPARATOR '\x1f'

/* Purposes of a job's bits. */
enum draw { DRAW_PROFILE, DRAW_STAYS, DRAW_UTIL, DRAW_MEMORY };

/* The last drawn job of one user, size and kind of work. */
struct habit {
    int64_t submit_us;
    uint32_t gpus, profile;
    enum work work;
    uint32_t next; /* next of the user + 1; 0 = none */
};

/* The result of a look-up of names. */
struct naming {
    uint32_t profile;
    enum hs_match match;
};

struct hs_assign {
    struct hs_job_source source;
    const struct hs_catalogue *catalogue;
    struct hs_assign_options options;
    struct mix mix;
    struct hs_intern users, names;
    struct habit *habits;
    uint32_t *first_habit;  /* by user: index + 1, 0 = none */
    struct naming *namings; /* by id in names */
    uint32_t habit_count, habit_cap, user_cap, naming_cap, naming_count;
    uint64_t stream, index; /* stream: hs_splitmix64 of the seed */
    uint64_t stays_below;   /* probability in units of 1 / CHANCE_ONE */
    int64_t day_us;         /* in the source's time */
    int64_t *attempts_us;   /* of the record returned, as work */
    uint32_t attempt_cap;
    struct hs_assign_counts counts;
    struct hs_diag *diag;
};

static uint64_t draw(const struct hs_assign *a, enum draw purpose)
{
    const uint64_t bits_of_job = hs_splitmix64(hs_splitmix64(a->stream + a->index));
    return hs_splitmix64(bits_of_job + purpose);
}

/* Fills what the record does not state. The step time is as measured, on the GPU type of the row:
 * it is not scaled to the reference type of the trace, because most rows were measured on types
 * that no trace was recorded on. */
static void give(const struct hs_assign *a, struct hs_trace_job *job, uint32_t profile,
                 enum hs_profile_from from)
{
    const struct hs_profile *p = &a->catalogue->profiles[profile];
    const double step_us = p->step_ms * 1000; /* NaN: unknown */
    const bool is_named = from == HS_PROFILE_FROM_TRACE || from == HS_PROFILE_FROM_TRACE_NEAREST;
    const enum hs_figure_from figure = is_named ? HS_FIGURE_FROM_PROFILE : HS_FIGURE_FROM_ASSUMED;
    job->profile = profile;
    job->profile_from = from;
    if (job->gpu_util_pm < 0 && p->util_pm >= 0)
        set_util(job, p->util_pm, p->util_peak_pm, figure);
    if (job->gpu_mem_mib == 0 && p->mem_mib > 0)
        set_memory(job, p->mem_mib, figure);
    if (job->step_us == 0 && step_us > 0 && step_us <= (double)STEP_US_MAX)
        job->step_us = llround(step_us);
    if (job->checkpoint_mib == 0)
        job->checkpoint_mib = p->checkpoint_mib;
    if (job->gpu_mem_persistent_mib == 0)
        job->gpu_mem_persistent_mib = p->mem_persistent_mib;
    settle_memory(job);
}

/* Few sets of names recur, and all but exact ones cost a search of the catalogue: the first
 * NAMES_MAX results are stored. */
static struct naming find_named(struct hs_assign *a, const struct hs_trace_job *job)
{
    char text[NAME_SIZE];
    uint32_t id = UINT32_MAX;
    struct naming found;
    const char *parts[] = {job->model, job->dataset, job->batch, job->precision};
    size_t used = 0;
    for (size_t i = 0; i < HS_COUNT_OF(parts) && used < NAME_SIZE; i++) {
        size_t len = parts[i] != NULL ? strlen(parts[i]) : 0;
        if (len > 0 && used + len + 1 < NAME_SIZE)
            memcpy(text + used, parts[i], len);
        used += len + 1;
        if (used < NAME_SIZE)
            text[used - 1] = NAME_SEPARATOR;
    }
    if (used < NAME_SIZE) {
        text[used] = '\0';
        id = a->names.count < NAMES_MAX ? hs_intern_get(&a->names, text)
                                        : hs_intern_find(&a->names, text);
    }
    if (id < a->naming_count)
        return a->namings[id];
    found.profile = hs_catalogue_match(a->catalogue, job->model, job->dataset, job->batch,
                                       job->precision, &found.match);
    if (id != UINT32_MAX) {
        hs_grow(a->namings, a->naming_cap, (uint64_t)id + 1, HS_INTERN_MAX);
        a->namings[id] = found;
        a->naming_count = id + 1;
    }
    return found;
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

/* Returns false if the job names no model, or an unknown one. */
static bool give_named(struct hs_assign *a, struct hs_trace_job *job)
{
    struct hs_assign_counts *c = &a->counts;
    if (job->model == NULL)
        return false;
    const struct naming found = find_named(a, job);
    if (found.profile == HS_NO_PROFILE) {
        if (c->unknown_model++ == 0)
            (void)snprintf(c->unknown_example, sizeof c->unknown_example, "%s", job->model);
        return false;
    }
    const bool is_exact = found.match != HS_MATCH_BATCH;
    give(a, job, found.profile, is_exact ? HS_PROFILE_FROM_TRACE : HS_PROFILE_FROM_TRACE_NEAREST);
    c->by_columns++;
    if (is_exact || c->inexact++ > 0)
        return true;
    (void)snprintf(c->inexact_example, sizeof c->inexact_example, "%s/%s/%s/%s", job->model,
                   text_of(job->dataset), text_of(job->batch), text_of(job->precision));
    (void)snprintf(c->inexact_instead, sizeof c->inexact_instead, "%s",
                   a->catalogue->profiles[found.profile].key);
    return true;
}

/* Returns the habit of a user with jobs of this size, created if necessary, and moves it to the
 * front: O(sizes of the user), and most jobs are as large as their user's last. */
static struct habit *habit_of(struct hs_assign *a, uint32_t user, uint32_t gpus, enum work work,
                              bool *is_new)
{
    hs_grow(a->first_habit, a->user_cap, (uint64_t)user + 1, HS_INTERN_MAX);
    hs_grow(a->habits, a->habit_cap, (uint64_t)a->habit_count + 1, UINT32_MAX);
    uint32_t *at = &a->first_habit[user];
    while (*at != 0 && (a->habits[*at - 1].gpus != gpus || a->habits[*at - 1].work != work))
        at = &a->habits[*at - 1].next;
    *is_new = *at == 0;
    const uint32_t number = *is_new ? ++a->habit_count : *at;
    struct habit *habit = &a->habits[number - 1];
    if (*is_new)
        *habit = (struct habit){.gpus = gpus, .work = work};
    else
        *at = habit->next;
    habit->next = a->first_habit[user];
    a->first_habit[user] = number;
    return habit;
}

static void give_drawn(struct hs_assign *a, struct hs_trace_job *job, enum work work)
{
    const uint32_t user = hs_intern_get(&a->users, job->user); /* 0 = no name: no habit */
    bool is_new = false;
    struct habit *habit = user != 0 ? habit_of(a, user, job->gpus, work, &is_new) : NULL;
    uint32_t profile;
    if (habit != NULL && !is_new && job->submit_us - habit->submit_us <= a->day_us &&
        draw(a, DRAW_STAYS) >> 32 < a->stays_below)
        profile = habit->profile;
    else
        profile = mix_draw(&a->mix, job->gpus, work, draw(a, DRAW_PROFILE));
    if (habit != NULL) {
        habit->profile = profile;
        habit->submit_us = job->submit_us;
    }
    /* The draw replaces an idle or unwanted utilization of the trace. */
    job->gpu_util_pm = job->gpu_util_peak_pm = -1;
    if (a->options.mode == HS_ASSIGN_MIX) {
        job->gpu_mem_mib = job->gpu_mem_persistent_mib = job->gpu_mem_later_mib = 0;
        job->mem_from = HS_FIGURE_FROM_NOWHERE;
        job->checkpoint_mib = 0;
        job->later_us = job->step_us = 0;
    }
    set_names(&a->catalogue->profiles[profile], job);
    give(a, job, profile, HS_PROFILE_FROM_DRAW);
    a->counts.by_mix++;
}

static void assign_profile(struct hs_assign *a, struct hs_trace_job *job)
{
    const enum hs_assign_mode mode = a->options.mode;
    enum work work;
    if (mode != HS_ASSIGN_OFF) {
        const bool is_work = find_work(job->model, &work);
        if (!is_work && mode != HS_ASSIGN_MIX && give_named(a, job))
            return;
        /* jobs with no or idle telemetry draw from the mix */
        if ((mode == HS_ASSIGN_AUTO || mode == HS_ASSIGN_TELEMETRY) && job->gpu_util_pm > 0) {
            uint32_t profile = mix_draw_near(&a->mix, job->gpu_util_pm, draw(a, DRAW_PROFILE));
            set_names(&a->catalogue->profiles[profile], job);
            give(a, job, profile, HS_PROFILE_FROM_UTILIZATION);
            a->counts.by_telemetry++;
            return;
        }
        if (mode == HS_ASSIGN_AUTO || mode == HS_ASSIGN_MIX) {
            give_drawn(a, job, work);
            return;
        }
    }
    a->counts.none++;
    settle_memory(job);
}

/* ---- unknown values ---- */

/* Returns the utilization or memory of a row; -1 = unknown. */
static int64_t figure_of(const struct hs_profile *p, enum draw purpose)
{
    if (purpose == DRAW_UTIL)
        return p->util_pm;
    return p->mem_mib > 0 ? (int64_t)p->mem_mib : -1;
}

/* Returns the rounded mean of the family; -1 = none. Only rows measured on the GPU type of the
 * job's row count: a faster GPU is utilized less, so another type's mean would be too low. O(rows):
 * rarely needed. */
static int64_t family_mean(const struct hs_catalogue *catalogue, uint32_t profile,
                           enum draw purpose)
{
    const struct hs_profile *rows = catalogue->profiles;
    int64_t sum = 0, count = 0;
    for (uint32_t i = 0; profile != HS_NO_PROFILE && i < catalogue->count; i++) {
        if (figure_of(&rows[i], purpose) < 0 || strcmp(rows[i].family, rows[profile].family) != 0 ||
            strcmp(rows[i].gpu, rows[profile].gpu) != 0)
            continue;
        sum += figure_of(&rows[i], purpose);
        count++;
    }
    return count > 0 ? (sum + count / 2) / count : -1;
}

/* Draws uniformly among the rows with a known value; HS_NO_PROFILE = none. */
static uint32_t draw_known(const struct hs_assign *a, enum draw purpose)
{
    const struct hs_catalogue *c = a->catalogue;
    uint64_t known = 0;
    for (uint32_t i = 0; i < c->count; i++)
        known += figure_of(&c->profiles[i], purpose) >= 0;
    uint64_t at = (draw(a, purpose) >> 32) * known >> 32;
    for (uint32_t i = 0; i < c->count; i++)
        if (figure_of(&c->profiles[i], purpose) >= 0 && at-- == 0)
            return i;
    return HS_NO_PROFILE;
}

/* *value is for a whole GPU, whose maximum is `full`. */
static enum hs_status find_unknown(const struct hs_assign *a, const struct hs_trace_job *job,
                                   enum draw purpose, int64_t full, int64_t *value,
                                   enum hs_figure_from *from)
{
    const bool is_util = purpose == DRAW_UTIL;
    const enum hs_unknown how = is_util ? a->options.unknown_util : a->options.unknown_mem;
    *value = family_mean(a->catalogue, job->profile, purpose);
    *from = HS_FIGURE_FROM_FAMILY;
    if (*value >= 0)
        return HS_OK;
    if (how == HS_UNKNOWN_ERROR)
        return hs_fail(a->diag, HS_E_INPUT, NULL,
                       is_util ? "a column gpu_util, a model of the catalogue, or "
                                 "--unknown-util=full"
                               : "a column gpu_mem_mib, a model of the catalogue, or "
                                 "--unknown-memory=full",
                       "job '%s': its GPU %s is not known, and GPUs are shared", job->id,
                       is_util ? "utilization" : "memory");
    const uint32_t row = how == HS_UNKNOWN_DRAW ? draw_known(a, purpose) : HS_NO_PROFILE;
    *value = row != HS_NO_PROFILE ? figure_of(&a->catalogue->profiles[row], purpose) : full;
    *from = row != HS_NO_PROFILE ? HS_FIGURE_FROM_DRAW : HS_FIGURE_FROM_FULL;
    return HS_OK;
}

/* Sets unknown utilization and memory. The memory of a share of a GPU is known: the same share. */
static enum hs_status settle_unknown(const struct hs_assign *a, struct hs_trace_job *job)
{
    int64_t value;
    enum hs_figure_from from;
    const bool is_part = job->gpu_milli > 0 && job->gpu_milli < HS_GPU_MILLI;
    if (job->gpu_util_pm < 0 && a->options.unknown_util != HS_UNKNOWN_KEPT) {
        HS_TRY(find_unknown(a, job, DRAW_UTIL, FULL_PM, &value, &from));
        set_util(job, (int32_t)value, (int32_t)value, from);
    }
    if (job->gpu_mem_mib == 0 && job->gpu_mem_later_mib == 0 && !is_part &&
        a->options.unknown_mem != HS_UNKNOWN_KEPT) {
        HS_TRY(find_unknown(a, job, DRAW_MEMORY, a->options.mem_most_mib, &value, &from));
        set_memory(job, (uint32_t)value, from);
        settle_memory(job);
    }
    return HS_OK;
}

static enum hs_status assign_job(struct hs_assign *a, struct hs_trace_job *job)
{
    struct hs_assign_counts *c = &a->counts;
    const bool has_memory = job->gpu_mem_mib > 0 || job->gpu_mem_later_mib > 0;
    hs_fractions_count(&c->utils, job->gpu_util_pm);
    job->util_from = job->gpu_util_pm >= 0 ? HS_FIGURE_FROM_TRACE : HS_FIGURE_FROM_NOWHERE;
    job->mem_from = has_memory ? HS_FIGURE_FROM_TRACE : HS_FIGURE_FROM_NOWHERE;
    job->gpu_util_peak_pm = job->gpu_util_pm;
    assign_profile(a, job);
    HS_TRY(settle_unknown(a, job));
    c->util_from[job->util_from]++;
    c->mem_from[job->mem_from]++;
    return HS_OK;
}

static int64_t work_us(int64_t run_us, uint64_t speed_q32)
{
    return (int64_t)(((hs_u128)(uint64_t)run_us * speed_q32 + HS_Q32_ONE / 2) >> 32);
}

/* Converts the run times of a job that ran on a stated GPU type to the reference type. */
static HS_APART void make_work(struct hs_assign *a, struct hs_trace_job *job)
{
    const bool is_bound = job->gpu_type != NULL && strcmp(job->gpu_type, job->gpu_type_ran) == 0;
    uint64_t q32;
    a->counts.ran++;
    if (!hs_speed_by_name(a->options.speed, a->catalogue, job->profile, job->gpu_type_ran, &q32) &&
        !is_bound && a->counts.ran_unknown++ == 0)
        (void)snprintf(a->counts.ran_example, sizeof a->counts.ran_example, "%s",
                       job->gpu_type_ran);
    job->later_us = work_us(job->later_us, q32);
    if (job->attempts == 0) { /* rounded down: its time there is exactly as recorded */
        const hs_u128 work_ns = (hs_u128)(uint64_t)job->duration_us * HS_NS_PER_US * q32 >> 32;
        job->duration_us = (int64_t)(work_ns / HS_NS_PER_US);
        job->duration_rest_ns = (uint32_t)(work_ns % HS_NS_PER_US);
        return;
    }
    job->duration_us = 0;
    hs_grow(a->attempts_us, a->attempt_cap, job->attempts, UINT32_MAX);
    for (uint32_t i = 0; i < job->attempts; i++) {
        a->attempts_us[i] = work_us(job->attempts_us[i], q32);
        job->duration_us += a->attempts_us[i];
    }
    job->attempts_us = a->attempts_us;
}

static HS_APART void draw_deadline(struct hs_assign *a, struct hs_trace_job *job)
{
    static const int64_t tenths[] = {12, 20, 100};
    const uint64_t draw = hs_mix64(hs_seed_of(a->options.seed, "deadlines"), a->index);
    int64_t after_us = job->duration_us / 10 * tenths[draw % 3];
    if (a->options.deadlines == HS_DEADLINES_ELASTICFLOW)
        after_us = job->duration_us / 2 +
                   (int64_t)((hs_u128)(uint64_t)job->duration_us * (uint32_t)draw >> 32);
    job->deadline_us = job->submit_us + after_us;
    a->counts.deadlines_drawn++;
}

/* In millionths, as it is written: the first loss is 1, that to which it falls uniform from 0 to
 * .5, b0 / b1 log-uniform from .1 to 1 [ours]; the threshold is uniform from 1 to 5 % (Peng et al.,
 * EuroSys'18 6.1). The training takes 10 to 32 epochs. */
static HS_APART void draw_loss(struct hs_assign *a, struct hs_trace_job *job)
{
    const uint64_t seed = hs_mix64(hs_seed_of(a->options.seed, "losses"), a->index);
    double u[3];
    for (uint32_t i = 0; i < 3; i++)
        u[i] = (double)(hs_mix64(seed, i) >> 32) * 0x1p-32;
    const double last = .5 * u[0], b1 = 1 / (1 - last);
    const double parts[] = {b1 * pow(.1, u[1]), b1, last, .01 + .04 * u[2]};
    double rounded[4];
    for (uint32_t i = 0; i < 4; i++)
        rounded[i] = round(parts[i] * HS_LOSS_PARTS) / HS_LOSS_PARTS;
    job->loss = (struct hs_loss_curve){rounded[0], rounded[1], rounded[2], rounded[3]};
    a->counts.losses_drawn++;
}

static enum hs_status assign_next(void *ctx, struct hs_trace_job **out)
{
    struct hs_assign *a = ctx;
    HS_TRY(a->source.next(a->source.ctx, out));
    (*out)->duration_rest_ns = 0;
    const int32_t priority = (*out)->priority;
    struct hs_assign_counts *c = &a->counts;
    c->with_priority += priority != 0;
    c->with_range += (*out)->gpus_min < (*out)->gpus_max;
    c->least_priority =
        a->index == 0 || priority < c->least_priority ? priority : c->least_priority;
    c->most_priority = a->index == 0 || priority > c->most_priority ? priority : c->most_priority;
    c->classes[(*out)->job_class]++;
    if ((*out)->gpus > 0)
        HS_TRY(assign_job(a, *out));
    else
        a->counts.none++;
    if (a->options.speed != NULL && (*out)->gpu_type_ran != NULL && (*out)->gpus > 0)
        make_work(a, *out);
    if (a->options.deadlines != HS_DEADLINES_TRACE && (*out)->deadline_us < 0)
        draw_deadline(a, *out);
    c->with_deadline += (*out)->deadline_us >= 0;
    c->with_loss += (*out)->loss.b0 > 0;
    if (a->options.losses == HS_LOSSES_DRAW && (*out)->loss.b0 == 0)
        draw_loss(a, *out);
    a->index++;
    return HS_OK;
}

enum hs_status hs_assign_open(struct hs_assign **assign, struct hs_job_source source,
                              const struct hs_catalogue *catalogue,
                              const struct hs_assign_options *options, struct hs_diag *diag)
{
    *assign = NULL;
    if (!(options->target_util >= 0 && options->target_util <= 1))
        return hs_fail(diag, HS_E_USAGE, NULL, "for example --assign-target=52",
                       "the mean utilization of the mix must be between 0 and 1");
    if (!(options->sticky >= 0 && options->sticky <= 1))
        return hs_fail(diag, HS_E_USAGE, NULL, "for example --assign-sticky=0.8",
                       "the chance to keep a profile must be between 0 and 1");
    struct hs_assign *a = hs_alloc_zeroed(1, sizeof *a);
    *a = (struct hs_assign){
        .source = source, .catalogue = catalogue, .options = *options, .diag = diag};
    a->stream = hs_splitmix64(hs_seed_of(options->seed, "assign"));
    a->stays_below = (uint64_t)llrint(options->sticky * (double)CHANCE_ONE);
    /* A day of the recorded time in the source's time, whose gaps are divided by the load and
     * rounded down: a job exactly one day later still counts. */
    a->day_us = DAY_US;
    if (options->load > 0 && options->load != 1)
        a->day_us = (int64_t)ceil((double)DAY_US / options->load) + 1;
    hs_intern_init(&a->users);
    hs_intern_init(&a->names);
    /* id 0 is the empty text, never looked up */
    hs_grow(a->namings, a->naming_cap, 1, HS_INTERN_MAX);
    a->naming_count = 1;
    enum hs_status status = HS_OK;
    if (options->mode != HS_ASSIGN_OFF && options->mode != HS_ASSIGN_COLUMNS)
        status = mix_open(&a->mix, catalogue, options, diag);
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
    hs_arena_free(&assign->mix.arena);
    hs_intern_free(&assign->users);
    hs_intern_free(&assign->names);
    hs_free(assign->habits);
    hs_free(assign->first_habit);
    hs_free(assign->namings);
    hs_free(assign->attempts_us);
    hs_free(assign);
}

/* ---- attempts ---- */

/* By GPUs of the job: rates read from figure 9b with table 6, means from figure 9a. */
static const struct retry_class {
    uint32_t gpus_from;
    double unsuccessful; /* share of the jobs */
    double mean_retries; /* over all jobs */
} retry_classes[HS_RETRY_CLASSES] = {
    {.gpus_from = 1, .unsuccessful = 0.13, .mean_retries = 0.33},
    {.gpus_from = 2, .unsuccessful = 0.37, .mean_retries = 0.98},
    {.gpus_from = 5, .unsuccessful = 0.42, .mean_retries = 1.09},
    {.gpus_from = 9, .unsuccessful = 0.47, .mean_retries = 1.11},
};

/* Reasons for failures, and minutes until then: the six of table 7 with most trials. */
static const struct failure_reason {
    const char *name;
    uint32_t trials;
    double median_min, p95_min;
} failure_reasons[HS_FAILURE_REASONS] = {
    {"CPU out of memory", 12076, 13.5, 34},      {"incorrect inputs", 9690, 1.9, 2096},
    {"semantic error", 2943, 2.7, 1437},         {"core dump", 2912, 0.85, 432},
    {"model checkpoint error", 1995, 182, 8196}, {"MPI runtime failure", 478, 1389, 18091},
};

/* Purposes of a job's bits; RETRY_TIME + n: time of its n-th attempt. */
enum retry_draw {
    RETRY_FAILS,
    RETRY_REASON,
    RETRY_AGAIN,
    RETRY_TIME = RETRY_AGAIN + HS_RETRIES_MAX
};

void hs_retry_open(struct hs_retry *retry, struct hs_job_source source, uint64_t seed)
{
    *retry = (struct hs_retry){.source = source, .seed = hs_seed_of(seed, "failures")};
    for (int i = 0; i < HS_RETRY_CLASSES; i++) {
        const struct retry_class *c = &retry_classes[i];
        retry->fails_below[i] = (uint64_t)llrint(c->unsuccessful * (double)CHANCE_ONE);
        /* probability that a retry fails, from the class's mean number of retries */
        double failures = c->mean_retries / c->unsuccessful; /* per failing job */
        double again = (sqrt(4 * failures - 3) - 1) / 2;
        retry->again_below[i] = (uint64_t)llrint(again * (double)CHANCE_ONE);
    }
    for (int i = 0; i < HS_FAILURE_REASONS; i++) {
        const struct failure_reason *reason = &failure_reasons[i];
        retry->spread[i] = log(reason->p95_min / reason->median_min) / hs_normal_quantile(0.95);
        retry->trials += reason->trials;
    }
}

static enum hs_status retry_next(void *ctx, struct hs_trace_job **out)
{
    struct hs_retry *retry = ctx;
    HS_TRY(retry->source.next(retry->source.ctx, out));
    struct hs_trace_job *job = *out;
    const uint64_t key = hs_mix64(retry->seed, retry->index++);
    int class = HS_RETRY_CLASSES - 1, reason = 0;
    while (class > 0 && job->gpus < retry_classes[class].gpus_from)
        class --;
    if (job->gpus == 0 || hs_mix64(key, RETRY_FAILS) >> 32 >= retry->fails_below[class])
        return HS_OK;
    uint64_t at = (hs_mix64(key, RETRY_REASON) >> 32) * retry->trials >> 32;
    while (at >= failure_reasons[reason].trials)
        at -= failure_reasons[reason++].trials;
    const struct failure_reason *r = &failure_reasons[reason];
    uint32_t failures = 1;
    while (failures < HS_RETRIES_MAX &&
           hs_mix64(key, RETRY_AGAIN + (uint64_t)failures) >> 32 < retry->again_below[class])
        failures++;
    retry->attempts_us[failures] = job->duration_us;
    for (uint32_t i = 0; i < failures; i++) {
        /* in whole seconds, as in the log; rounding also removes libm's last bit */
        double z = hs_normal_of(key, RETRY_TIME + (uint64_t)i);
        double min = r->median_min * exp(retry->spread[reason] * z);
        retry->attempts_us[i] = (int64_t)llrint(60 * fmin(min, r->p95_min)) * HS_US_PER_S;
        retry->counts.added_us += retry->attempts_us[i];
        job->duration_us += retry->attempts_us[i];
    }
    retry->counts.jobs++;
    retry->counts.failures += failures;
    job->attempts_us = retry->attempts_us;
    job->attempts = failures + 1;
    return HS_OK;
}

struct hs_job_source hs_retry_source(struct hs_retry *retry)
{
    return (struct hs_job_source){.next = retry_next, .ctx = retry};
}
