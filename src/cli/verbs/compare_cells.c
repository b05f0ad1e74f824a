/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus compare TRACE -p A -p B ...`: one workload under several policies, with any number of
 * seeds: policies x seeds x assignment seeds. Each combination is a cell, which is a run with the
 * options of `horus run`. Cells are ordered by policy, then seed, then assignment; the cells of two
 * policies with the same seed and assignment are a pair.
 *
 * The plan sets up every policy once, to report errors before the first simulation. Every cell runs
 * in a separate process, for any -j; the trace is read once and shared. The messages of a cell are
 * written to a file beside its directory and shown when all have ended, in the order of the cells,
 * each text once. Then the summaries of the cells are collected in order: runs.csv, from which
 * compare.csv and order.csv can be recomputed, and the manifest, with parameters and card of each
 * policy; the table of the result; and the conditions of --fail-if, which are parsed before
 * anything is simulated and evaluated when everything is written.
 */
#include "cli/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/rng.h"
#include "data/param_table.h"
#include "report/run/run_table.h"

#define SPEC_MAX           1000u  /* bytes */
#define CELLS_MAX          10000u /* runs of one comparison */
#define WORD_SIZE          1024
#define CONDITION_EXPECTED "for example 'mean_jct>+1%', 'gpu_utilization<-5%@sjf' or 'ooms>0'"
#define MESSAGES_MAX       (1u << 24) /* bytes of one cell */
#define COMPARED_MAX       64u        /* policies */
#define LABEL_SIZE         96u

struct compared {
    const char *spec;       /* as given */
    char label[LABEL_SIZE]; /* the same, safe in a file name */
    struct hs_run_options options;
    struct hs_config config; /* over options and the table of `horus run` */
    struct hs_setup setup;   /* of its first cell */
    const char *rejected;    /* likewise: lines about rejected jobs */
};

struct compared_cell {
    uint32_t policy;
    int64_t seed, assignment;    /* assignment: seed of the draws of profiles */
    int64_t assign_seed;         /* as an option: 0 = follows the seed */
    char name[LABEL_SIZE + 48u]; /* LABEL-sSEED-aASSIGNMENT */
    uint64_t summary_hash;       /* of its summary.csv */
};

/* A condition of --fail-if under which a comparison fails, for scripts and CI:
 *
 *     mean_jct>+1%            a policy's mean JCT is more than 1 % above that of the first policy
 *     gpu_utilization<-5%@sjf that of sjf is more than 5 % below it
 *     ooms>0                  an absolute value, of any policy, in the unit of the metric */
struct condition {
    const char *text;
    uint32_t metric, policy; /* indices; policy UINT32_MAX = all it applies to */
    bool is_more;            /* fails above the limit, not below */
    bool is_relative;        /* to the first policy: limit 0.01 is +1 % */
    double limit;
};

/* Two policies, adjacent in the order of their means, and the number of pairs of cells in which the
 * first is below the second. */
#define ORDER_METRIC "mean_jct"
struct neighbours {
    uint32_t first, second, cells, agree;
    struct hs_replicated ratio; /* of the first to the second, over the pairs */
};

enum { FILES = 3 }; /* compare.csv, runs.csv, order.csv */

struct comparison {
    struct hs_call *call;
    const struct hs_run_options *options;
    struct compared *policies;
    struct compared_cell *cells; /* [policy * pair_count + pair] */
    struct hs_summary *metrics;  /* names and units */
    const char *metric_names[HS_METRICS_MAX];
    double *values;               /* [cell * metrics->count + metric]; NaN = none */
    struct hs_replicated *means;  /* [policy * metrics->count + metric] */
    struct hs_replicated *ratios; /* to the first policy */
    struct neighbours orders[COMPARED_MAX];
    struct hs_output_file files[FILES];
    struct hs_message_log log; /* each text once; its warnings for the manifest */
    const char **columns;      /* of the table, from --metrics, NULL-terminated; or NULL */
    struct condition *conditions;
    uint32_t condition_count, order_count, told; /* told: number of metrics in the summaries */
    uint32_t policy_count, pair_count, cell_count, policies_open;
};

/* ---- --fail-if ---- */

/* The names that a condition may use; policies[0] is the reference. */
struct words {
    const char *const *metrics, *const *policies;
    uint32_t metric_count, policy_count;
};

/* Removes surrounding blanks. */
static const char *trim(const char *text, size_t len, char word[WORD_SIZE])
{
    for (; len > 0 && *text == ' '; len--)
        text++;
    while (len > 0 && text[len - 1] == ' ')
        len--;
    (void)snprintf(word, WORD_SIZE, "%.*s", (int)len, text);
    return word;
}

/* Finds a policy as given to -p, or by its name if that is unique. */
static enum hs_status find_policy(const char *word, const struct words *names, const char *what,
                                  uint32_t *policy, struct hs_diag *diag)
{
    const size_t len = strlen(word);
    uint32_t namesakes = 0;
    for (uint32_t i = 0; i < names->policy_count; i++) {
        const char *spec = names->policies[i];
        if (strcspn(spec, ":") != len || strncmp(spec, word, len) != 0)
            continue;
        *policy = i;
        namesakes++;
    }
    if (namesakes == 1)
        return HS_OK;
    return hs_word_find(names->policies, names->policy_count, word, what,
                        "one of those given with -p, with its parameters", policy, diag);
}

/* Parses METRIC, '>' or '<', a signed per cent or a plain value, and optionally '@' and a policy.
 * An unsigned per cent is refused: for a share it would be ambiguous. */
static enum hs_status parse_condition(const char *text, const struct words *names,
                                      struct condition *condition, struct hs_diag *diag)
{
    char word[WORD_SIZE], room[WORD_SIZE];
    size_t name = strcspn(text, "<>");
    *condition = (struct condition){.text = text, .policy = UINT32_MAX};
    if (text[name] == '\0')
        return hs_fail(diag, HS_E_USAGE, NULL, CONDITION_EXPECTED,
                       "--fail-if '%s': neither '>' nor '<'", text);
    const char *limit = text + name + 1;
    size_t len = strcspn(limit, "@");
    condition->is_more = text[name] == '>';
    HS_TRY(hs_word_find(names->metrics, names->metric_count, trim(text, name, word),
                        HS_TEXT("--fail-if '%s': unknown metric", text),
                        "results/README.md lists the metrics", &condition->metric, diag));
    size_t word_len = strlen(trim(limit, len, word)), plus = *word == '+';
    bool is_percent = word_len > 0 && word[word_len - 1] == '%';
    const char *number = trim(word + plus, word_len - plus - is_percent, room);
    if (!hs_parse_double(number, strlen(number), &condition->limit))
        return hs_fail(diag, HS_E_USAGE, NULL, CONDITION_EXPECTED,
                       "--fail-if '%s': '%s' is no number", text, word);
    if (is_percent && *word != '+' && *word != '-')
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "+1% is a change against the first policy; a share itself is written 0.5",
                       "--fail-if '%s': a percentage needs a sign, + or -", text);
    condition->is_relative = is_percent;
    condition->limit /= is_percent ? 100 : 1;
    if (limit[len] == '\0')
        return HS_OK;
    trim(limit + len + 1, strlen(limit + len + 1), word);
    HS_TRY(find_policy(word, names, HS_TEXT("--fail-if '%s': unknown policy", text),
                       &condition->policy, diag));
    if (condition->is_relative && condition->policy == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "name another, or leave the '@' out",
                       "--fail-if '%s': the others are compared with the first policy", text);
    return HS_OK;
}

/* Tells whether it applies to that policy. */
static bool concerns(const struct condition *condition, uint32_t policy)
{
    if (condition->is_relative && policy == 0)
        return false;
    return condition->policy == UINT32_MAX || condition->policy == policy;
}

/* Returns the value compared with the limit: the mean, or its relative change, 0.01 = +1 %, from
 * the first policy's mean and the ratio (NaN = none): infinite from 0 to more, 0 from 0 to 0. */
static double figure_of(const struct condition *condition, double mean, double first, double ratio)
{
    if (!condition->is_relative)
        return mean;
    if (first == 0 && mean >= 0)
        return mean > 0 ? (double)INFINITY : 0;
    return ratio - 1;
}

static bool is_met(const struct condition *condition, double figure)
{
    return condition->is_more ? figure > condition->limit : figure < condition->limit;
}

static enum hs_status read_conditions(struct comparison *c)
{
    const char *policies[COMPARED_MAX], *text = c->options->fail_if, *one;
    const struct words names = {c->metric_names, policies, c->metrics->count, c->policy_count};
    struct hs_arena *arena = &c->call->arena;
    if (text == NULL)
        return HS_OK;
    for (uint32_t p = 0; p < c->policy_count; p++)
        policies[p] = c->policies[p].spec;
    c->conditions = hs_arena_alloc(arena, (strlen(text) + 1) * sizeof *c->conditions);
    while ((one = hs_option_next(&text, arena)) != NULL) {
        HS_TRY(parse_condition(one, &names, &c->conditions[c->condition_count], &c->call->diag));
        c->condition_count++;
    }
    return HS_OK;
}

/* Reports HS_E_DIFFERS, with the figures, if the condition holds. */
static enum hs_status judge(const struct comparison *c, const struct condition *condition,
                            uint32_t policy)
{
    struct hs_diag *diag = &c->call->diag;
    const struct hs_metric *metric = &c->metrics->metrics[condition->metric];
    const char *spec = c->policies[policy].spec, *first_spec = c->policies[0].spec;
    size_t at = (size_t)policy * c->metrics->count + condition->metric;
    double mean = c->means[at].value, first = c->means[condition->metric].value;
    double figure = figure_of(condition, mean, first, c->ratios[at].value);
    char unit[32] = ""; /* " s", " GPU s", "" for a plain number */
    if (strcmp(metric->unit, "1") != 0)
        (void)snprintf(unit, sizeof unit, " %s", metric->unit);
    if (isnan(figure))
        hs_report(diag, HS_WARNING, NULL, NULL, "--fail-if '%s': not judged: there is no %s of %s",
                  condition->text, metric->name, spec);
    if (!is_met(condition, figure))
        return HS_OK;
    if (condition->is_relative && isinf(figure))
        return hs_fail(diag, HS_E_DIFFERS, NULL, NULL,
                       "--fail-if '%s': %s of %s is %.8g%s, that of %s 0", condition->text,
                       metric->name, spec, mean, unit, first_spec);
    if (condition->is_relative)
        return hs_fail(diag, HS_E_DIFFERS, NULL, NULL,
                       "--fail-if '%s': %s of %s is %.8g%s, %+.4g %% against the %.8g%s of %s",
                       condition->text, metric->name, spec, mean, unit, 100 * figure, first, unit,
                       first_spec);
    return hs_fail(diag, HS_E_DIFFERS, NULL, NULL, "--fail-if '%s': %s of %s is %.8g%s",
                   condition->text, metric->name, spec, figure, unit);
}

/* ---- the plan ---- */

static enum hs_status read_columns(struct comparison *c)
{
    const char *text = c->options->metrics;
    uint32_t index;
    if (text == NULL)
        return HS_OK;
    c->columns = hs_arena_alloc(&c->call->arena, (strlen(text) + 2) * sizeof *c->columns);
    for (uint32_t count = 0;; count++) {
        size_t len = strcspn(text, ",");
        const char *name = hs_arena_text(&c->call->arena, text, len);
        if (hs_word_is_in(c->columns, name))
            return hs_fail(&c->call->diag, HS_E_USAGE, NULL, "leave one out",
                           "metrics: '%s' is given twice", name);
        HS_TRY(hs_word_find(c->metric_names, c->metrics->count, name, "metrics: unknown metric",
                            "results/README.md lists the metrics", &index, &c->call->diag));
        c->columns[count] = name;
        if (text[len] == '\0')
            return HS_OK;
        text += len + 1;
    }
}

static enum hs_status list_policies(struct comparison *c)
{
    struct hs_diag *diag = &c->call->diag;
    const char *rest = c->options->policy, *spec;
    if (rest == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "one -p each, e.g. -p fifo -p sjf; 'horus policies' lists them",
                       "compare: no policy is given");
    while ((spec = hs_option_next(&rest, &c->call->arena)) != NULL) {
        struct compared *policy = &c->policies[c->policy_count];
        size_t len = strlen(spec);
        if (len == 0 || len > SPEC_MAX)
            return hs_fail(diag, HS_E_USAGE, NULL, "-p NAME[:KEY=VALUE,...]",
                           "compare: a policy has 1 to %u bytes, not %zu", SPEC_MAX, len);
        if (c->policy_count == COMPARED_MAX)
            return hs_fail(diag, HS_E_USAGE, NULL, NULL, "compare: more than %u policies",
                           COMPARED_MAX);
        for (uint32_t i = 0; i < c->policy_count; i++)
            if (strcmp(c->policies[i].spec, spec) == 0)
                return hs_fail(diag, HS_E_USAGE, NULL, "leave one out",
                               "compare: policy '%s' is given twice", spec);
        policy->spec = spec;
        /* Converts "pack:scan=fit,x=1" to "pack-scan=fit-x=1": safe in a path, and readable. */
        static const char safe[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._=+";
        char base[LABEL_SIZE - 12]; /* leaves space for a number */
        (void)snprintf(base, sizeof base, "%s", policy->spec);
        for (size_t at = 0; base[at += strspn(base + at, safe)] != '\0';)
            base[at++] = '-';
        (void)snprintf(policy->label, sizeof policy->label, "%s", base);
        for (uint32_t i = 0, number = 2; i < c->policy_count; i++)
            if (strcmp(c->policies[i].label, policy->label) == 0) {
                (void)snprintf(policy->label, sizeof policy->label, "%s-%" PRIu32, base, number++);
                i = UINT32_MAX; /* restarts from the first */
            }
        c->policy_count++;
    }
    return HS_OK;
}

static enum hs_status list_cells(struct comparison *c)
{
    struct hs_call *call = c->call;
    const struct hs_run_options *o = c->options;
    const int64_t *seeds = &o->seed, *assigned = &o->assign_seed;
    uint32_t seed_count = 1, assigned_count = 1;
    HS_TRY(hs_run_refuse_both(
        call, o->seeds != NULL && hs_config_origin(&call->config, "seed") == HS_FROM_FLAG,
        "--seeds", "--seed"));
    HS_TRY(hs_run_refuse_both(call, o->assignments != NULL && o->assign_seed != 0, "--assignments",
                              "--assign-seed"));
    if (o->seeds != NULL)
        HS_TRY(
            hs_seeds_parse(o->seeds, "--seeds", 0, &call->arena, &seeds, &seed_count, &call->diag));
    if (o->seeds != NULL && seed_count == 1 && seeds[0] > 1)
        hs_report(&call->diag, HS_NOTE, NULL, NULL, "--seeds %s is one seed; 1..%s are %s",
                  o->seeds, o->seeds, o->seeds);
    if (o->assignments != NULL)
        HS_TRY(hs_seeds_parse(o->assignments, "--assignments", 1, &call->arena, &assigned,
                              &assigned_count, &call->diag));
    uint64_t pairs = (uint64_t)seed_count * assigned_count, count = pairs * c->policy_count;
    if (count > CELLS_MAX)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "compare in parts",
                       "compare: %" PRIu64 " runs are more than %u", count, CELLS_MAX);
    if (count < 2)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "a second -p, or --seeds 1..5",
                       "compare: there is only one run");
    c->pair_count = (uint32_t)pairs;
    c->cell_count = (uint32_t)count;
    c->cells = hs_arena_alloc(&call->arena, count * sizeof *c->cells);
    for (uint32_t i = 0; i < c->cell_count; i++) {
        struct compared_cell *cell = &c->cells[i];
        cell->policy = i / c->pair_count;
        cell->seed = seeds[i % c->pair_count / assigned_count];
        cell->assign_seed = assigned[i % assigned_count];
        cell->assignment = cell->assign_seed != 0 ? cell->assign_seed : cell->seed;
        (void)snprintf(cell->name, sizeof cell->name, "%s-s%" PRId64 "-a%" PRId64,
                       c->policies[cell->policy].label, cell->seed, cell->assignment);
    }
    return HS_OK;
}

/* Tells whether two policies are equal, like "horus" and "horus:look_ahead=5": allowed in
 * scripts. */
static bool are_alike(const struct hs_setup *a, const struct hs_setup *b)
{
    char mine[256], other[256];
    const struct hs_param *param = a->policy->params;
    if (a->policy != b->policy)
        return false;
    for (; param->key != NULL; param++) {
        (void)hs_param_print(param, a->policy_state, mine, sizeof mine);
        (void)hs_param_print(param, b->policy_state, other, sizeof other);
        if (strcmp(mine, other) != 0)
            return false;
    }
    return true;
}

static enum hs_status plan(struct comparison *c, struct hs_call *call)
{
    struct hs_arena *arena = &call->arena;
    c->call = call;
    c->options = call->options;
    c->policies = hs_arena_alloc(arena, COMPARED_MAX * sizeof *c->policies);
    c->metrics = hs_arena_alloc(arena, sizeof *c->metrics);
    hs_message_log_open(&c->log, &call->diag, HS_LOG_UNIQUE);
    if (c->options->trace != NULL && strcmp(c->options->trace, "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "put the trace into a file",
                       "compare reads the trace several times: it cannot be standard input");
    HS_TRY(list_policies(c));
    HS_TRY(list_cells(c));
    if (c->options->trace == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "horus compare TRACE -p fifo -p sjf",
                       "compare: TRACE is missing");
    c->log.diag.least = c->options->verbose ? HS_NOTE : HS_WARNING;
    bool needs_profiles = false; /* of any policy: then all get the same jobs */
    for (uint32_t p = 0; p < c->policy_count; p++) {
        const struct hs_policy_ops *ops;
        void *state;
        HS_TRY(hs_setup_policy(c->policies[p].spec, &ops, &state, arena, &c->log.diag));
        needs_profiles = needs_profiles || hs_setup_needs_profiles(ops, state);
    }
    while (c->policies_open < c->policy_count) { /* each with the seeds of its first cell */
        struct compared *policy = &c->policies[c->policies_open++];
        policy->options = *c->options;
        policy->options.policy = policy->spec;
        policy->options.output = NULL;
        policy->options.force = false;
        if (needs_profiles && policy->options.assign == HS_ASSIGN_AUTO)
            policy->options.assign = HS_ASSIGN_ALWAYS;
        policy->config = hs_run_config(&call->config, &policy->options);
        policy->options.seed = c->cells[0].seed;
        policy->options.assign_seed = c->cells[0].assign_seed;
        HS_TRY(hs_setup_open(&policy->setup, &policy->options, &policy->config, &c->log.diag));
        HS_TRY(hs_simulate_check(&policy->setup, &c->log.diag));
        for (const struct compared *p = c->policies; p < policy; p++)
            if (are_alike(&p->setup, &policy->setup))
                hs_report(&call->diag, HS_NOTE, NULL, NULL,
                          "policies '%s' and '%s' have the same parameters", p->spec, policy->spec);
    }
    HS_TRY(hs_simulate_metrics(&c->policies[0].setup, c->metrics, c->metric_names, &call->diag));
    HS_TRY(read_columns(c));
    HS_TRY(read_conditions(c));
    uint64_t metrics = c->metrics->count;
    c->values = hs_arena_alloc(arena, c->cell_count * metrics * sizeof *c->values);
    c->means = hs_arena_alloc(arena, c->policy_count * metrics * sizeof *c->means);
    c->ratios = hs_arena_alloc(arena, c->policy_count * metrics * sizeof *c->ratios);
    return HS_OK;
}

/* Builds results/compare-WORKLOAD-HASH, unless --output names another. */
static enum hs_status find_dir(const struct comparison *c, char path[HS_PATH_SIZE])
{
    struct hs_diag *diag = &c->call->diag;
    uint64_t hash = 0, part;
    if (c->options->output != NULL) {
        (void)snprintf(path, HS_PATH_SIZE, "%s", c->options->output);
        return HS_OK;
    }
    for (uint32_t p = 0; p < c->policy_count; p++) {
        HS_TRY(hs_setup_hash(&c->policies[p].setup, &part, diag));
        hash = hs_mix64(hash, part);
    }
    for (uint32_t i = 0; i < c->pair_count; i++) {
        hash = hs_mix64(hash, (uint64_t)c->cells[i].seed);
        hash = hs_mix64(hash, (uint64_t)c->cells[i].assignment);
    }
    HS_TRY(hs_workload_hash(c->options, &part, diag));
    hash = hs_mix64(hash, part);
    (void)snprintf(path, HS_PATH_SIZE, "results/compare-%s-%012" PRIx64,
                   c->policies[0].setup.workload, hash >> 16);
    return HS_OK;
}

/* The path of a cell's run directory, of a file in it, or of the cell's messages. */
#define CELL_PATH(dir, before, cell, behind)                                                       \
    HS_PATH("%s/%s%s%s", (dir)->beside.tmp, before, (cell)->name, behind)
#define OF_RUNS  HS_RUNS_DIR "/"
#define MESSAGES "messages-"

/* ---- runs ---- */

struct run_workers {
    struct comparison *compare;
    const struct hs_rundir *dir;
    struct hs_shared_trace trace; /* its key differs from the cells' keys: seeds choose samples */
    struct hs_status_line status_line;
};

/* Writes a record of the file: severity as a digit, text, NUL. */
static void write_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_output *out = ctx;
    hs_output_put(out, (const char[]){(char)('0' + (int)severity)}, 1);
    hs_output_put(out, text, len);
    hs_output_put(out, "", 1);
}

static enum hs_status run_cell(void *ctx, uint32_t index)
{
    struct run_workers *workers = ctx;
    struct comparison *c = workers->compare;
    const struct compared_cell *cell = &c->cells[index];
    const struct hs_run_call call = {.by = c->call, .traces = &workers->trace, .trace_count = 1};
    struct hs_output messages;
    struct hs_diag diag;
    const char *path = CELL_PATH(workers->dir, MESSAGES, cell, "");
    HS_TRY(hs_output_open(&messages, path, &c->call->diag));
    hs_diag_init(&diag, write_message, &messages);
    diag.least = c->log.diag.least;
    struct hs_run_options options = c->policies[cell->policy].options;
    struct hs_config config = c->policies[cell->policy].config;
    options.seed = cell->seed;
    options.assign_seed = cell->assign_seed;
    config.base = &options;
    enum hs_status status = hs_simulate_options(&options, &config, &call,
                                                CELL_PATH(workers->dir, OF_RUNS, cell, ""), &diag);
    enum hs_status closed = hs_output_close(&messages, &c->call->diag);
    return status != HS_OK ? status : closed;
}

static void show_progress(void *ctx, uint32_t done, uint32_t running)
{
    struct run_workers *workers = ctx;
    const uint32_t count = workers->compare->cell_count;
    hs_status_line_show_count(&workers->status_line, done, count,
                              HS_TEXT("runs %u/%u done, %u running", done, count, running));
}

/* Passes on the messages of a cell, and removes the file. */
static enum hs_status pass_messages(const struct run_workers *workers, uint32_t index)
{
    struct comparison *c = workers->compare;
    const char *path = CELL_PATH(workers->dir, MESSAGES, &c->cells[index], "");
    char *text;
    size_t len;
    if (access(path, F_OK) != 0)
        return HS_OK; /* it was never started */
    HS_TRY(hs_read_file(path, MESSAGES_MAX, &text, &len, &c->call->diag));
    for (char *at = text; at < text + len;) {
        size_t message = strlen(at);
        if (message > 1)
            hs_message_log_put(&c->log, (enum hs_severity)(*at - '0'), at + 1, message - 1);
        at += message + 1;
    }
    hs_free(text);
    (void)unlink(path); /* the rest would become part of the directory */
    return HS_OK;
}

static enum hs_status run_cells(struct comparison *c, const struct hs_rundir *dir)
{
    struct run_workers workers = {.compare = c, .dir = dir};
    const uint32_t width = (uint32_t)c->options->processes;
    const struct hs_process_pool pool = {.width = width < c->cell_count ? width : c->cell_count,
                                         .count = c->cell_count,
                                         .task = run_cell,
                                         .progress = show_progress,
                                         .ctx = &workers};
    const struct hs_trace_options *trace = &c->policies[0].setup.trace;
    struct hs_process_failure failure;
    struct hs_diag *diag = &c->call->diag;
    hs_status_line_start(&workers.status_line, &c->call->terminal, hs_run_shows_progress(c->call),
                         0);
    hs_interrupt_watch();
    workers.trace.key = hs_trace_cache_key(trace);
    HS_TRY(hs_trace_cache_record(&workers.trace.cache, trace, &c->log.diag));
    enum hs_status status = hs_process_pool_run(&pool, &failure, &c->log.diag);
    hs_trace_cache_free(workers.trace.cache);
    hs_terminal_status(&c->call->terminal, "");
    if (status == HS_E_INTERRUPTED)
        return hs_fail(diag, status, NULL, NULL, "stopped by %s: nothing was kept",
                       hs_interrupt_name());
    for (uint32_t i = 0; i < (status == HS_OK ? c->cell_count : failure.index + 1); i++)
        HS_TRY(pass_messages(&workers, i));
    if (status == HS_OK)
        return HS_OK;
    const char *name = c->cells[failure.index].name;
    if (failure.signal_number != 0)
        return hs_fail(diag, status, NULL, hs_process_kill_hint(failure.signal_number),
                       "the run %s was ended by signal %d", name, failure.signal_number);
    hs_report(diag, HS_NOTE, NULL, NULL, "it was the run %s: nothing was kept", name);
    return status;
}

/* ---- runs.csv ---- */

/* Policy (as given) and seed precede a row and are not among the columns of a summary. */
static bool stands_in_front(const char *column)
{
    return strcmp(column, "policy") == 0 || strcmp(column, "seed") == 0;
}

/* The columns of each summary are the first ones of the widest. */
static enum hs_status write_runs(struct comparison *c, const struct hs_rundir *dir)
{
    struct hs_diag *diag = &c->call->diag;
    struct hs_arena arena = {0};
    struct hs_summary_csv summary;
    struct hs_csv_row widest = {0};
    const struct hs_csv_row *head = &widest;
    struct hs_csvw csv;
    uint32_t count = 0, column_of[HS_METRICS_MAX];
    for (uint32_t k = 0; k < c->cell_count; k++)
        HS_TRY(hs_record_join(CELL_PATH(dir, OF_RUNS, &c->cells[k], "/summary.csv"),
                              &c->call->arena, &widest, diag));
    const char **names = hs_arena_alloc(&c->call->arena, head->count * sizeof *names + 1);
    for (uint32_t i = 0; i < head->count; i++)
        if (!stands_in_front(head->fields[i]))
            names[count++] = head->fields[i];
    for (uint32_t m = 0; m < c->metrics->count; m++)
        if ((column_of[m] = hs_csv_column(head, c->metrics->metrics[m].name)) < head->count)
            c->told = m + 1;
    HS_TRY(hs_open_listed(&csv, dir, "runs.csv",
                          hs_record_header(&c->call->arena, HS_RUNS_COLUMNS, "", names, count),
                          diag));
    enum hs_status status = HS_OK;
    for (uint32_t k = 0; k < c->cell_count; k++) {
        struct compared_cell *cell = &c->cells[k];
        double *values = c->values + (size_t)k * c->metrics->count;
        status = hs_record_read_summary(CELL_PATH(dir, OF_RUNS, cell, "/summary.csv"), &arena,
                                        &summary, diag);
        if (status != HS_OK)
            break;
        cell->summary_hash = summary.hash;
        if (k % c->pair_count == 0)
            c->policies[cell->policy].rejected =
                hs_rejected_lines(&c->call->arena, CELL_PATH(dir, OF_RUNS, cell, "/summary.json"),
                                  c->policies[cell->policy].spec);
        for (uint32_t m = 0; m < c->metrics->count; m++)
            values[m] = hs_record_number(&summary.row, column_of[m]);
        hs_csvw_text(&csv, c->policies[cell->policy].spec);
        hs_csvw_i64(&csv, cell->seed);
        hs_csvw_i64(&csv, cell->assignment);
        for (uint32_t i = 0; i < head->count; i++)
            if (!stands_in_front(head->fields[i]))
                hs_csvw_text(&csv, i < summary.row.count ? summary.row.fields[i] : NULL);
        hs_csvw_end(&csv);
        hs_arena_reset(&arena);
    }
    hs_arena_free(&arena);
    enum hs_status closed = hs_close_listed(&csv, "runs.csv", &c->files[1], diag);
    return status != HS_OK ? status : closed;
}

/* ---- compare.csv, order.csv ---- */

static size_t at(const struct comparison *c, uint32_t policy, uint32_t metric)
{
    return (size_t)policy * c->metrics->count + metric;
}

/* One row per policy and metric. */
static enum hs_status write_compare(struct comparison *c, const struct hs_rundir *dir)
{
    const size_t count = c->metrics->count;
    struct hs_csvw csv;
    HS_TRY(hs_open_listed(&csv, dir, "compare.csv", HS_COMPARE_COLUMNS, &c->call->diag));
    for (uint32_t p = 0; p < c->policy_count; p++)
        for (uint32_t m = 0; m < count; m++) {
            const double *values = c->values + (size_t)p * c->pair_count * count + m;
            struct hs_replicated *mean = &c->means[at(c, p, m)], *ratio = &c->ratios[at(c, p, m)];
            *mean = hs_replicated_mean(values, count, c->pair_count);
            *ratio = hs_replicated_ratio(values, c->values + m, count, c->pair_count);
            if (m >= c->told)
                continue;
            hs_csvw_row(&csv, "%s %s %s %g %g %g %g %g %g %u", c->policies[p].spec,
                        c->metrics->metrics[m].name, c->metrics->metrics[m].unit, mean->value,
                        mean->low, mean->high, ratio->value, ratio->low, ratio->high, mean->runs);
        }
    return hs_close_listed(&csv, "compare.csv", &c->files[0], &c->call->diag);
}

/* Orders policies with a mean, ascending; ties as given. */
static enum hs_status write_order(struct comparison *c, const struct hs_rundir *dir)
{
    const size_t count = c->metrics->count;
    uint32_t policies[COMPARED_MAX], m = 0, ordered = 0;
    struct hs_csvw csv;
    while (m < count && strcmp(c->metric_names[m], ORDER_METRIC) != 0)
        m++;
    for (uint32_t p = 0; p < c->policy_count && m < count; p++) {
        double mean = c->means[at(c, p, m)].value;
        if (isnan(mean))
            continue;
        uint32_t to = ordered++;
        for (; to > 0 && c->means[at(c, policies[to - 1], m)].value > mean; to--)
            policies[to] = policies[to - 1];
        policies[to] = p;
    }
    HS_TRY(hs_open_listed(&csv, dir, "order.csv", HS_ORDER_COLUMNS, &c->call->diag));
    for (uint32_t i = 0; i + 1 < ordered; i++) {
        struct neighbours *o = &c->orders[c->order_count++];
        *o = (struct neighbours){.first = policies[i], .second = policies[i + 1]};
        const double *first = c->values + at(c, o->first * c->pair_count, m),
                     *second = c->values + at(c, o->second * c->pair_count, m);
        for (size_t k = 0; k < (size_t)c->pair_count * count; k += count) {
            o->cells += !isnan(first[k]) && !isnan(second[k]);
            o->agree += first[k] < second[k];
        }
        o->ratio = hs_replicated_ratio(first, second, count, c->pair_count);
        hs_csvw_row(&csv, "%s %s %s %u %u %g %g %g", c->policies[o->first].spec,
                    c->policies[o->second].spec, ORDER_METRIC, o->cells, o->agree, o->ratio.value,
                    o->ratio.low, o->ratio.high);
    }
    return hs_close_listed(&csv, "order.csv", &c->files[2], &c->call->diag);
}

/* ---- manifest.json ---- */

static void write_comparison(void *ctx, struct hs_jsonw *w)
{
    const struct comparison *c = ctx;
    hs_jsonw_put(w, "policies=[");
    for (uint32_t p = 0; p < c->policy_count; p++) {
        const struct compared *policy = &c->policies[p];
        hs_jsonw_put(w, "={ policy=%s label=%s", policy->spec, policy->label);
        hs_record_parameters(&policy->setup, w);
        hs_jsonw_key(w, "assumptions");
        hs_card_write_json(&policy->setup.card, w);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "] cells=[");
    for (uint32_t i = 0; i < c->cell_count; i++) {
        const struct compared_cell *cell = &c->cells[i];
        hs_jsonw_put(w,
                     "=!{ run=%s policy=%s seed=%" PRIu64 " assignment=%" PRIu64
                     " summary_xxh3_64=%016" PRIx64 " }",
                     cell->name, c->policies[cell->policy].spec, (uint64_t)cell->seed,
                     (uint64_t)cell->assignment, cell->summary_hash);
    }
    hs_jsonw_put(w, "]");
}

static enum hs_status write_manifest(struct comparison *c, const struct hs_rundir *dir,
                                     double wall_s)
{
    struct hs_manifest_input inputs[HS_INPUTS_MAX + COMPARED_MAX * HS_POLICY_FILES_MAX];
    struct hs_diag *diag = &c->call->diag;
    struct hs_manifest manifest = {.status = "complete",
                                   .seed = (uint64_t)c->options->seed,
                                   .inputs = inputs,
                                   .input_count = 1,
                                   .outputs = c->files,
                                   .output_count = FILES,
                                   .write_config = hs_config_json,
                                   .config_ctx = &c->call->config,
                                   .write_more = write_comparison,
                                   .more_ctx = c,
                                   .machine = hs_record_machine(c->call->command, wall_s, true)};
    inputs[0] = (struct hs_manifest_input){.role = "trace", .path = c->options->trace};
    HS_TRY(hs_hash_file(inputs[0].path, &inputs[0].hash, &inputs[0].bytes, diag));
    for (uint32_t p = 0; p < c->policy_count; p++)
        HS_TRY(hs_record_inputs(&c->policies[p].setup, inputs, &manifest.input_count, diag));
    return hs_record_manifest(&manifest, &c->log, dir, diag);
}

static enum hs_status make_cells(struct comparison *c, const char *path)
{
    struct hs_diag *diag = &c->call->diag;
    struct hs_rundir dir = {0};
    struct hs_status_line stopwatch;
    hs_status_line_start(&stopwatch, &c->call->terminal, false, 0);
    HS_TRY(hs_rundir_open(&dir, path, c->options->force, diag));
    enum hs_status status = run_cells(c, &dir);
    if (status == HS_OK)
        status = write_runs(c, &dir);
    if (status == HS_OK && c->policies[0].setup.outputs == HS_OUT_SUMMARY)
        status = hs_rundir_drop_runs(&dir, diag);
    if (status == HS_OK)
        status = write_compare(c, &dir);
    if (status == HS_OK)
        status = write_order(c, &dir);
    if (status == HS_OK)
        status = write_manifest(c, &dir, hs_status_line_elapsed_s(&stopwatch));
    return hs_rundir_close(&dir, status, diag);
}

/* ---- the table ---- */

/* Also the finding and the Pareto points. */
static void say_table(const struct comparison *c, struct hs_output *out)
{
    const struct hs_terminal *terminal = &c->call->terminal;
    const size_t count = c->metrics->count;
    struct hs_table_row rows[COMPARED_MAX];
    struct hs_summary *means = hs_alloc_zeroed(c->policy_count, sizeof *means);
    for (uint32_t p = 0; p < c->policy_count; p++) {
        memcpy(means[p].metrics, c->metrics->metrics, sizeof means[p].metrics);
        means[p].count = c->metrics->count;
        for (uint32_t m = 0; m < count; m++)
            means[p].metrics[m].value = c->means[p * count + m].value;
        rows[p] = (struct hs_table_row){.label = c->policies[p].spec,
                                        .can = c->policies[p].setup.card.can,
                                        .summary = &means[p],
                                        .ratios = p > 0 ? c->ratios + p * count : NULL,
                                        .means = c->means};
    }
    const struct hs_run_table table = {
        .rows = rows,
        .row_count = c->policy_count,
        .next = c->order_count > 0 ? c->policies[c->orders[0].second].spec : NULL,
        .to_next = c->orders[0].ratio,
        .metrics = c->columns != NULL ? c->columns : hs_compare_columns,
        .shows_all = c->columns != NULL,
        .columns = terminal->columns,
        .use_utf8 = terminal->use_utf8,
        .use_color = terminal->use_color};
    char text[HS_FINDING_SIZE];
    hs_table_print(out, &table);
    hs_say(out, "\n");
    if (c->policy_count > 1 && hs_table_finding(&table, text)[0] != '\0') {
        hs_say(out, "finding     %s\npareto     ", text);
        for (uint32_t p = 0; p < c->policy_count; p++)
            if (hs_table_is_pareto(&table, NULL, p))
                hs_say(out, " %s", rows[p].label);
        hs_say(out, ": of %s\n", hs_table_aims(&table, text));
    }
    hs_free(means);
}

static void say_result(const struct comparison *c, const char *dir)
{
    struct hs_output *out = &c->call->out;
    const struct hs_cluster *cluster = &c->policies[0].setup.cluster;
    hs_say(out,
           "%s on %s: %" PRIu32 " GPUs, %" PRIu32 " nodes; %" PRIu32 " polic%s, %" PRIu32
           " run%s each\n\n",
           c->options->trace, c->options->cluster, cluster->gpu_count, cluster->node_count,
           c->policy_count, c->policy_count > 1 ? "ies" : "y", c->pair_count,
           c->pair_count > 1 ? "s" : "");
    say_table(c, out);
    if (c->pair_count == 1)
        hs_say(out, "ratios      to %s; *: best\n", c->policies[0].spec);
    else if (c->policy_count == 1)
        hs_say(out, "intervals   95 %% of the mean over %" PRIu32 " runs\n", c->pair_count);
    else
        hs_say(out,
               "ratios      to %s over %" PRIu32
               " pairs of runs; intervals 95 %%, +- that of a mean; *: best\n",
               c->policies[0].spec, c->pair_count);
    const bool is_alike =
        hs_compare_say_alike(c->values, c->policy_count, c->pair_count, c->metrics->count, out);
    for (uint32_t i = 0; i < c->order_count && c->pair_count > 1 && !is_alike; i++)
        hs_say(out, "%-11s %s before %s by mean JCT in %" PRIu32 " of %" PRIu32 " pairs of runs\n",
               i == 0 ? "order" : "", c->policies[c->orders[i].first].spec,
               c->policies[c->orders[i].second].spec, c->orders[i].agree, c->orders[i].cells);
    const struct hs_setup *setups[COMPARED_MAX];
    for (uint32_t p = 0; p < c->policy_count; p++)
        setups[p] = &c->policies[p].setup;
    hs_compare_say_terms(setups, c->policy_count, out);
    for (uint32_t p = 0; p < c->policy_count; p++)
        hs_say(out, "%-11s %s: %s; may: %s\n", p == 0 ? "knows" : "", c->policies[p].spec,
               c->policies[p].setup.card.knows, c->policies[p].setup.card.can);
    for (uint32_t p = 0; p < c->policy_count; p++)
        hs_say(out, "%s", c->policies[p].rejected);
    hs_say(out, "files       %s/\n", dir);
}

/* ---- the verb ---- */

static enum hs_status dry_run(struct comparison *c, const char *dir)
{
    struct hs_output *out = &c->call->out;
    struct hs_run_result *result = hs_arena_alloc(&c->call->arena, sizeof *result);
    HS_TRY(hs_simulate_dry(&c->policies[0].setup, result, &c->log.diag));
    hs_say(out, "trace       %s (%s): %" PRIu64 " jobs of %" PRIu64 " rows\n", c->options->trace,
           result->format, result->intake.trace.accepted, result->intake.trace.rows);
    for (uint32_t i = 0; i < c->cell_count; i++)
        hs_say(out, "%-11s %s\n", i == 0 ? "runs" : "", c->cells[i].name);
    hs_say(out, "directory   %s/ (not written)\n", dir);
    return HS_OK;
}

static enum hs_status compare_policies(struct comparison *c)
{
    char dir[HS_PATH_SIZE];
    enum hs_status status = HS_OK;
    HS_TRY(find_dir(c, dir));
    hs_run_note_cluster(c->call);
    if (c->options->dry_run)
        return dry_run(c, dir);
    HS_TRY(make_cells(c, dir));
    say_result(c, dir);
    uint32_t of_jobs = 0, of_rejected = 0;
    for (uint32_t m = 0; m < c->metrics->count; m++) {
        of_jobs = strcmp(c->metric_names[m], "n_jobs") == 0 ? m : of_jobs;
        of_rejected = strcmp(c->metric_names[m], "n_rejected") == 0 ? m : of_rejected;
    }
    for (uint32_t p = 0; p < c->policy_count; p++)
        HS_TRY(hs_check_rejected(c->options->trace, c->policies[p].spec,
                                 c->means[at(c, p, of_rejected)].value,
                                 c->means[at(c, p, of_jobs)].value, &c->call->diag));
    for (uint32_t i = 0; i < c->condition_count; i++)
        for (uint32_t p = 0; p < c->policy_count; p++)
            if (concerns(&c->conditions[i], p) && judge(c, &c->conditions[i], p) != HS_OK)
                status = HS_E_DIFFERS;
    return status;
}

enum hs_status hs_compare_policies(struct hs_call *call)
{
    struct comparison *compare = hs_arena_alloc(&call->arena, sizeof *compare);
    enum hs_status status = plan(compare, call);
    if (status == HS_OK)
        status = compare_policies(compare);
    for (uint32_t p = 0; p < compare->policies_open; p++)
        hs_setup_close(&compare->policies[p].setup);
    hs_message_log_close(&compare->log);
    return status;
}
