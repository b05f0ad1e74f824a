/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus compare TRACE -p A -p B ...`: one workload under several policies, with any number of
 * seeds: the plan, in which every policy is set up once, so that what can be refused is refused
 * before the first simulation; the table of the result; and the conditions of --fail-if, read
 * before anything is simulated and judged when everything is written. `horus compare RUN RUN`: two
 * finished runs of one workload, job by job.
 */
#include "cli/verbs/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/fmt.h"
#include "cli/run_options.h"
#include "cli/process.h"
#include "data/param_table.h"
#include "report/compare/paired.h"
#include "report/run/run_table.h"

#define SPEC_MAX           1000u  /* bytes */
#define CELLS_MAX          10000u /* runs of one comparison */
#define WORD_SIZE          1024
#define CONDITION_EXPECTED "for example 'mean_jct>+1%', 'gpu_utilization<-5%@sjf' or 'ooms>0'"

/* ---- --fail-if ---- */

/* Without the blanks around it. */
static const char *trim(const char *text, size_t len, char word[WORD_SIZE])
{
    for (; len > 0 && *text == ' '; len--)
        text++;
    while (len > 0 && text[len - 1] == ' ')
        len--;
    (void)snprintf(word, WORD_SIZE, "%.*s", (int)len, text);
    return word;
}

/* As it was given to -p, or the name alone where only one policy has that name. */
static enum hs_status find_policy(const char *word, const struct hs_fail_if_names *names,
                                  const char *what, uint32_t *policy, struct hs_diag *diag)
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

static enum hs_status parse_limit(const char *word, struct hs_fail_if *condition,
                                  struct hs_diag *diag)
{
    char room[WORD_SIZE];
    size_t len = strlen(word);
    bool is_signed = *word == '+' || *word == '-', is_percent = len > 0 && word[len - 1] == '%';
    size_t plus = *word == '+';
    const char *number = trim(word + plus, len - plus - is_percent, room);
    if (!hs_parse_double(number, strlen(number), &condition->limit))
        return hs_fail(diag, HS_E_USAGE, NULL, CONDITION_EXPECTED,
                       "--fail-if '%s': '%s' is no number", condition->text, word);
    if (is_percent && !is_signed)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "+1% is a change against the first policy; a share itself is written 0.5",
                       "--fail-if '%s': a per cent needs its sign", condition->text);
    condition->is_relative = is_percent;
    if (is_percent)
        condition->limit /= 100;
    return HS_OK;
}

/* METRIC, '>' or '<', a signed per cent or a plain value, and perhaps '@' and a policy. A per cent
 * without its sign is refused: of a share it could mean either. */
enum hs_status hs_fail_if_parse(const char *text, const struct hs_fail_if_names *names,
                                struct hs_fail_if *condition, struct hs_diag *diag)
{
    char word[WORD_SIZE], what[WORD_SIZE + 64];
    size_t name = strcspn(text, "<>");
    *condition = (struct hs_fail_if){.text = text, .policy = UINT32_MAX};
    if (text[name] == '\0')
        return hs_fail(diag, HS_E_USAGE, NULL, CONDITION_EXPECTED,
                       "--fail-if '%s': neither '>' nor '<'", text);
    const char *limit = text + name + 1;
    size_t len = strcspn(limit, "@");
    condition->is_more = text[name] == '>';
    (void)snprintf(what, sizeof what, "--fail-if '%s': unknown metric", text);
    HS_TRY(hs_word_find(names->metrics, names->metric_count, trim(text, name, word), what,
                        "results/README.md lists the metrics", &condition->metric, diag));
    HS_TRY(parse_limit(trim(limit, len, word), condition, diag));
    if (limit[len] == '\0')
        return HS_OK;
    (void)snprintf(what, sizeof what, "--fail-if '%s': unknown policy", text);
    trim(limit + len + 1, strlen(limit + len + 1), word);
    HS_TRY(find_policy(word, names, what, &condition->policy, diag));
    if (condition->is_relative && condition->policy == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "name another, or leave the '@' out",
                       "--fail-if '%s': the first policy is what the others are held against",
                       text);
    return HS_OK;
}

bool hs_fail_if_concerns(const struct hs_fail_if *condition, uint32_t policy)
{
    if (condition->is_relative && policy == 0)
        return false;
    return condition->policy == UINT32_MAX || condition->policy == policy;
}

double hs_fail_if_figure(const struct hs_fail_if *condition, double mean, double first,
                         double ratio)
{
    if (!condition->is_relative)
        return mean;
    if (first == 0 && mean >= 0)
        return mean > 0 ? (double)INFINITY : 0;
    return ratio - 1;
}

bool hs_fail_if_holds(const struct hs_fail_if *condition, double figure)
{
    return condition->is_more ? figure > condition->limit : figure < condition->limit;
}

static enum hs_status read_conditions(struct hs_compare *c)
{
    const char *policies[HS_COMPARED_MAX], *text = c->options->fail_if, *one;
    const struct hs_fail_if_names names = {c->metric_names, policies, c->metrics->count,
                                           c->policy_count};
    struct hs_arena *arena = &c->call->arena;
    if (text == NULL)
        return HS_OK;
    for (uint32_t p = 0; p < c->policy_count; p++)
        policies[p] = c->policies[p].spec;
    c->conditions = hs_arena_alloc(arena, (strlen(text) + 1) * sizeof *c->conditions);
    while ((one = hs_option_next(&text, arena)) != NULL) {
        HS_TRY(hs_fail_if_parse(one, &names, &c->conditions[c->condition_count], &c->call->diag));
        c->condition_count++;
    }
    return HS_OK;
}

/* HS_E_DIFFERS, with the figures, where the condition holds. */
static enum hs_status judge(const struct hs_compare *c, const struct hs_fail_if *condition,
                            uint32_t policy)
{
    struct hs_diag *diag = &c->call->diag;
    const struct hs_metric *metric = &c->metrics->metrics[condition->metric];
    const char *spec = c->policies[policy].spec, *first_spec = c->policies[0].spec;
    size_t at = (size_t)policy * c->metrics->count + condition->metric;
    double mean = c->means[at].value, first = c->means[condition->metric].value;
    double figure = hs_fail_if_figure(condition, mean, first, c->ratios[at].value);
    char unit[32] = ""; /* " s", " GPU s", "" for a plain number */
    if (strcmp(metric->unit, "1") != 0)
        (void)snprintf(unit, sizeof unit, " %s", metric->unit);
    if (isnan(figure))
        hs_report(diag, HS_WARNING, NULL, NULL, "--fail-if '%s': not judged: there is no %s of %s",
                  condition->text, metric->name, spec);
    if (!hs_fail_if_holds(condition, figure))
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

static enum hs_status read_columns(struct hs_compare *c)
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

/* "pack:scan=fit,x=1" -> "pack-scan=fit-x=1": safe in a path, and readable. */
static void make_label(const struct hs_compare *c, struct hs_compared *policy)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._=+";
    char base[HS_LABEL_SIZE - 12]; /* with room for a number behind it */
    size_t len = 0;
    for (const char *p = policy->spec; *p != '\0' && len + 1 < sizeof base; p++)
        base[len++] = strchr(safe, *p) != NULL ? *p : '-';
    base[len] = '\0';
    (void)snprintf(policy->label, sizeof policy->label, "%s", base);
    for (uint32_t i = 0, number = 2; i < c->policy_count; i++)
        if (strcmp(c->policies[i].label, policy->label) == 0) {
            (void)snprintf(policy->label, sizeof policy->label, "%s-%" PRIu32, base, number++);
            i = UINT32_MAX; /* from the first again */
        }
}

static enum hs_status list_policies(struct hs_compare *c)
{
    struct hs_diag *diag = &c->call->diag;
    const char *rest = c->options->policy, *spec;
    if (rest == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "one -p each, e.g. -p fifo -p sjf; 'horus policies' lists them",
                       "compare: which policies?");
    while ((spec = hs_option_next(&rest, &c->call->arena)) != NULL) {
        struct hs_compared *policy = &c->policies[c->policy_count];
        size_t len = strlen(spec);
        if (len == 0 || len > SPEC_MAX)
            return hs_fail(diag, HS_E_USAGE, NULL, "-p NAME[:KEY=VALUE,...]",
                           "compare: a policy has 1 to %u bytes, not %zu", SPEC_MAX, len);
        if (c->policy_count == HS_COMPARED_MAX)
            return hs_fail(diag, HS_E_USAGE, NULL, NULL, "compare: more than %u policies",
                           HS_COMPARED_MAX);
        for (uint32_t i = 0; i < c->policy_count; i++)
            if (strcmp(c->policies[i].spec, spec) == 0)
                return hs_fail(diag, HS_E_USAGE, NULL, "leave one out",
                               "compare: policy '%s' is given twice", spec);
        policy->spec = spec;
        make_label(c, policy);
        c->policy_count++;
    }
    return HS_OK;
}

static enum hs_status list_cells(struct hs_compare *c)
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
    if (o->assignments != NULL)
        HS_TRY(hs_seeds_parse(o->assignments, "--assignments", 1, &call->arena, &assigned,
                              &assigned_count, &call->diag));
    uint64_t pairs = (uint64_t)seed_count * assigned_count, count = pairs * c->policy_count;
    if (count > CELLS_MAX)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "compare in parts",
                       "compare: %" PRIu64 " runs are more than %u", count, CELLS_MAX);
    if (count < 2)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "a second -p, or --seeds 1..5",
                       "compare: there is one run only");
    c->pair_count = (uint32_t)pairs;
    c->cell_count = (uint32_t)count;
    c->cells = hs_arena_alloc(&call->arena, count * sizeof *c->cells);
    for (uint32_t i = 0; i < c->cell_count; i++) {
        struct hs_compare_cell *cell = &c->cells[i];
        cell->policy = i / c->pair_count;
        cell->seed = seeds[i % c->pair_count / assigned_count];
        cell->assign_seed = assigned[i % assigned_count];
        cell->assignment = cell->assign_seed != 0 ? cell->assign_seed : cell->seed;
        (void)snprintf(cell->name, sizeof cell->name, "%s-s%" PRId64 "-a%" PRId64,
                       c->policies[cell->policy].label, cell->seed, cell->assignment);
    }
    return HS_OK;
}

/* "horus" and "horus:look_ahead=5" may name the same thing: allowed, for scripts that vary it. */
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

/* Policy number `policies_open`, with the seeds of its first cell. */
static enum hs_status open_policy(struct hs_compare *c)
{
    struct hs_compared *policy = &c->policies[c->policies_open];
    policy->options = *c->options;
    policy->options.policy = policy->spec;
    policy->options.output = NULL;
    policy->options.force = false;
    policy->config = hs_run_config(&c->call->config, &policy->options);
    policy->options.seed = c->cells[0].seed;
    policy->options.assign_seed = c->cells[0].assign_seed;
    c->policies_open++;
    HS_TRY(hs_setup_open(&policy->setup, &policy->options, &policy->config, &c->log.diag));
    HS_TRY(hs_simulate_check(&policy->setup, &c->log.diag));
    for (const struct hs_compared *p = c->policies; p < policy; p++)
        if (are_alike(&p->setup, &policy->setup))
            hs_report(&c->call->diag, HS_NOTE, NULL, NULL,
                      "policies '%s' and '%s' have the same parameters", p->spec, policy->spec);
    return HS_OK;
}

static enum hs_status plan(struct hs_compare *c, struct hs_call *call)
{
    struct hs_arena *arena = &call->arena;
    c->call = call;
    c->options = call->options;
    c->policies = hs_arena_alloc(arena, HS_COMPARED_MAX * sizeof *c->policies);
    c->metrics = hs_arena_alloc(arena, sizeof *c->metrics);
    hs_message_log_open(&c->log, &call->diag, HS_LOG_UNIQUE);
    if (c->options->trace != NULL && strcmp(c->options->trace, "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "put the trace into a file",
                       "compare reads the trace several times: standard input cannot be");
    HS_TRY(list_policies(c));
    HS_TRY(list_cells(c));
    if (c->options->trace == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "horus compare TRACE -p fifo -p sjf",
                       "compare: TRACE is missing");
    c->log.diag.least = c->options->verbose ? HS_NOTE : HS_WARNING;
    while (c->policies_open < c->policy_count)
        HS_TRY(open_policy(c));
    HS_TRY(hs_simulate_metrics(&c->policies[0].setup, c->metrics, c->metric_names, &call->diag));
    HS_TRY(read_columns(c));
    HS_TRY(read_conditions(c));
    uint64_t metrics = c->metrics->count;
    c->values = hs_arena_alloc(arena, c->cell_count * metrics * sizeof *c->values);
    c->means = hs_arena_alloc(arena, c->policy_count * metrics * sizeof *c->means);
    c->ratios = hs_arena_alloc(arena, c->policy_count * metrics * sizeof *c->ratios);
    return HS_OK;
}

/* results/compare-WORKLOAD-HASH. */
static enum hs_status default_dir(const struct hs_compare *c, char *path, size_t size)
{
    struct hs_diag *diag = &c->call->diag;
    uint64_t hash = 0, part;
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
    (void)snprintf(path, size, "results/compare-%s-%012" PRIx64, c->policies[0].setup.workload,
                   hash >> 16);
    return HS_OK;
}

/* ---- the table ---- */

/* In order of importance: a narrow terminal loses the last ones. */
static const char *const main_metrics[] = {
    "mean_jct", "mean_wait", "mean_queueing_delay", "makespan",         "ooms",
    "p99_jct",  "p99_wait",  "mean_run_slowdown",   "p99_run_slowdown", "gpu_utilization_loaded",
    NULL};

static void say_table(const struct hs_compare *c, struct hs_output *out)
{
    const struct hs_terminal *terminal = &c->call->terminal;
    const size_t count = c->metrics->count;
    struct hs_table_row rows[HS_COMPARED_MAX];
    struct hs_summary *means = hs_alloc_zeroed(c->policy_count, sizeof *means);
    for (uint32_t p = 0; p < c->policy_count; p++) {
        memcpy(means[p].metrics, c->metrics->metrics, sizeof means[p].metrics);
        means[p].count = c->metrics->count;
        for (uint32_t m = 0; m < count; m++)
            means[p].metrics[m].value = c->means[p * count + m].value;
        rows[p] = (struct hs_table_row){.label = c->policies[p].spec,
                                        .summary = &means[p],
                                        .ratios = p > 0 ? c->ratios + p * count : NULL,
                                        .means = c->means};
    }
    hs_table_print(out,
                   &(struct hs_run_table){.rows = rows,
                                          .row_count = c->policy_count,
                                          .metrics = c->columns != NULL ? c->columns : main_metrics,
                                          .shows_all = c->columns != NULL,
                                          .columns = terminal->columns,
                                          .use_utf8 = terminal->use_utf8,
                                          .use_color = terminal->use_color});
    hs_free(means);
}

static void say_result(const struct hs_compare *c, const char *dir)
{
    struct hs_output *out = &c->call->out;
    const struct hs_cluster *cluster = &c->policies[0].setup.cluster;
    struct hs_compare_neighbours orders[HS_COMPARED_MAX];
    uint32_t count = hs_compare_order(c, orders);
    hs_say(out,
           "%s on %s: %" PRIu32 " GPUs, %" PRIu32 " nodes; %" PRIu32 " polic%s, %" PRIu32
           " run%s each\n\n",
           c->options->trace, c->options->cluster, cluster->gpu_count, cluster->node_count,
           c->policy_count, c->policy_count > 1 ? "ies" : "y", c->pair_count,
           c->pair_count > 1 ? "s" : "");
    say_table(c, out);
    if (c->pair_count == 1)
        hs_say(out, "\nratios      to %s; *: best\n", c->policies[0].spec);
    else if (c->policy_count == 1)
        hs_say(out, "\nintervals   95 %% of the mean over %" PRIu32 " runs\n", c->pair_count);
    else
        hs_say(out,
               "\nratios      to %s over %" PRIu32
               " pairs of runs; intervals 95 %%, +- that of a mean; *: best\n",
               c->policies[0].spec, c->pair_count);
    for (uint32_t i = 0; i < count && c->pair_count > 1; i++)
        hs_say(out, "%-11s %s before %s by mean JCT in %" PRIu32 " of %" PRIu32 " pairs of runs\n",
               i == 0 ? "order" : "", c->policies[orders[i].first].spec,
               c->policies[orders[i].second].spec, orders[i].agree, orders[i].cells);
    for (uint32_t p = 0; p < c->policy_count; p++)
        hs_say(out, "%-11s %s: %s; may: %s\n", p == 0 ? "knows" : "", c->policies[p].spec,
               c->policies[p].setup.card.knows, c->policies[p].setup.card.can);
    hs_say(out, "files       %s/\n", dir);
}

/* ---- two finished runs ---- */

struct comparing {
    struct hs_call *call;
    const struct hs_run_options *options;
    struct hs_message_log log;
    struct hs_status_line stopwatch;
    struct hs_paired paired;
};

static bool has_file(const char *dir, const char *name)
{
    char path[HS_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

static bool is_run(const char *path)
{
    return has_file(path, "manifest.json");
}

static enum hs_status check_run(struct hs_call *call, const char *path)
{
    static const char expected[] = "two operands are two finished runs; policies are named with -p";
    const struct hs_place place = {.file = path};
    if (access(path, F_OK) != 0)
        return hs_fail(&call->diag, HS_E_IO, &place, expected, "cannot open: %s", strerror(errno));
    if (!is_run(path))
        return hs_fail(&call->diag, HS_E_USAGE, NULL, expected, "compare: '%s' is no run directory",
                       path);
    if (has_file(path, "compare.csv"))
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       "name two of the runs in its runs/ (--outputs=jobs keeps them)",
                       "compare: '%s' is a comparison, not a run", path);
    if (has_file(path, "paired.csv"))
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "name the two runs themselves",
                       "compare: '%s' is a comparison of two runs, not a run", path);
    return HS_OK;
}

/* With --force the run would be removed before it is read. */
static enum hs_status check_output(struct hs_call *call, const char *dir)
{
    const char *output = ((const struct hs_run_options *)call->options)->output;
    struct stat ours, theirs;
    if (output == NULL || stat(output, &ours) != 0 || stat(dir, &theirs) != 0 ||
        ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
        return HS_OK;
    return hs_fail(&call->diag, HS_E_USAGE, NULL, "give another name",
                   "-o %s is one of the runs that are compared", output);
}

/* Options of a run have no effect on finished ones. */
static enum hs_status check_runs(struct hs_call *call)
{
    const struct hs_config *config = &call->config;
    HS_TRY(check_run(call, call->operands[0]));
    if (call->operand_count == 1)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "horus compare RUN RUN",
                       "compare: '%s' is a run directory: a second one is missing",
                       call->operands[0]);
    HS_TRY(check_run(call, call->operands[1]));
    for (size_t i = 0; config->options[i].param.key != NULL; i++) {
        const struct hs_option *o = &config->options[i];
        if (!o->is_local && config->origin[i] != HS_FROM_DEFAULT &&
            strcmp(o->param.key, "seed") != 0)
            return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave it out",
                           "compare: %s has no meaning for two finished runs", o->param.key);
    }
    HS_TRY(check_output(call, call->operands[0]));
    return check_output(call, call->operands[1]);
}

static void write_config(void *ctx, struct hs_jsonw *w)
{
    const struct hs_paired *p = ctx;
    hs_jsonw_put(w, "={ run_a=%s run_b=%s bootstrap=%u blocks=%u }", p->runs[HS_PAIRED_A].dir,
                 p->runs[HS_PAIRED_B].dir, p->resamples, p->blocks);
}

static enum hs_status write_manifest(struct comparing *c, const struct hs_rundir *dir,
                                     const struct hs_output_file files[HS_PAIRED_FILES])
{
    static const char *const roles[HS_PAIRED_RUNS] = {"run_a", "run_b"};
    char paths[HS_PAIRED_RUNS][HS_PATH_SIZE];
    struct hs_manifest_input inputs[HS_PAIRED_RUNS];
    struct hs_manifest manifest = {.status = "complete",
                                   .seed = c->paired.seed,
                                   .inputs = inputs,
                                   .input_count = HS_PAIRED_RUNS,
                                   .outputs = files,
                                   .output_count = HS_PAIRED_FILES,
                                   .write_config = write_config,
                                   .config_ctx = &c->paired};
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        const struct hs_paired_run *run = &c->paired.runs[r];
        (void)snprintf(paths[r], sizeof paths[r], "%s/jobs.csv", run->dir);
        inputs[r] = (struct hs_manifest_input){.role = roles[r],
                                               .path = paths[r],
                                               .hash = run->manifest.rows_hash,
                                               .bytes = run->manifest.rows_bytes,
                                               .rows = run->count};
    }
    manifest.machine =
        hs_record_machine(c->call->command, hs_status_line_elapsed_s(&c->stopwatch), false);
    return hs_record_manifest(&manifest, &c->log, dir, &c->log.diag);
}

static enum hs_status write_dir(struct comparing *c)
{
    struct hs_rundir dir;
    struct hs_output_file files[HS_PAIRED_FILES];
    hs_interrupt_watch();
    HS_TRY(hs_rundir_open(&dir, c->options->output, c->options->force, &c->log.diag));
    enum hs_status status = hs_paired_write(&c->paired, &dir, files);
    if (status == HS_OK)
        status = write_manifest(c, &dir, files);
    if (status == HS_OK && hs_interrupt_signal() != 0)
        status = hs_fail(&c->log.diag, HS_E_INTERRUPTED, NULL, NULL,
                         "stopped by %s: nothing was kept", hs_interrupt_name());
    if (status == HS_OK)
        status = hs_rundir_commit(&dir, &c->log.diag);
    if (status != HS_OK)
        hs_rundir_discard(&dir);
    return status;
}

static enum hs_status compare_pair(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    const char *output = options->output;
    HS_TRY(check_runs(call));
    struct comparing *c = hs_arena_alloc(&call->arena, sizeof *c);
    c->call = call;
    c->options = options;
    hs_message_log_open(&c->log, &call->diag, HS_LOG_WARNINGS);
    hs_status_line_start(&c->stopwatch, &call->terminal, false, 0);
    enum hs_status status =
        hs_paired_load(&c->paired, (const char *const *)call->operands, &c->log.diag);
    if (status == HS_OK)
        status =
            hs_paired_compare(&c->paired, (uint32_t)options->bootstrap, (uint64_t)options->seed);
    if (status == HS_OK && output != NULL)
        status = write_dir(c);
    if (status == HS_OK)
        hs_paired_print(&c->paired, &call->out, call->terminal.columns);
    if (status == HS_OK && output != NULL)
        hs_say(&call->out, "\nfiles       %s/\n", output);
    hs_paired_free(&c->paired);
    hs_message_log_close(&c->log);
    return status;
}

/* ---- the verb ---- */

static enum hs_status dry_run(struct hs_compare *c, const char *dir)
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

static enum hs_status compare_policies(struct hs_compare *c)
{
    char dir[HS_PATH_SIZE];
    enum hs_status status = HS_OK;
    if (c->options->output != NULL)
        (void)snprintf(dir, sizeof dir, "%s", c->options->output);
    else
        HS_TRY(default_dir(c, dir, sizeof dir));
    hs_run_note_cluster(c->call);
    if (c->options->dry_run)
        return dry_run(c, dir);
    HS_TRY(hs_cells_make(c, dir));
    say_result(c, dir);
    for (uint32_t i = 0; i < c->condition_count; i++)
        for (uint32_t p = 0; p < c->policy_count; p++)
            if (hs_fail_if_concerns(&c->conditions[i], p) &&
                judge(c, &c->conditions[i], p) != HS_OK)
                status = HS_E_DIFFERS;
    return status;
}

static enum hs_status compare(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    HS_TRY(hs_run_begin(call));
    if (options->print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    if (call->operand_count == 2 || (call->operand_count == 1 && is_run(call->operands[0])))
        return compare_pair(call);
    struct hs_compare *compare = hs_arena_alloc(&call->arena, sizeof *compare);
    enum hs_status status = plan(compare, call);
    if (status == HS_OK)
        status = compare_policies(compare);
    for (uint32_t p = 0; p < compare->policies_open; p++)
        hs_setup_close(&compare->policies[p].setup);
    hs_message_log_close(&compare->log);
    return status;
}

const struct hs_verb hs_verb_compare = {
    .name = "compare",
    .operands = "TRACE | RUN RUN",
    .summary = "A trace under several policies, or two runs job by job.",
    .details =
        "TRACE: every policy, seed and assignment seed is one run with the options of 'horus run'. "
        "The table has means over the runs and, below, the ratio to the first policy with "
        "its 95 % interval (of the first policy: +- that of its mean); * marks the best. The "
        "directory has compare.csv (a row a policy and metric), "
        "runs.csv (a row a run), order.csv and manifest.json. RUN RUN: two directories that "
        "'horus run' has finished, of one workload.",
    .examples = {"compare traces/sample.csv -c 8x8:V100 -p fifo -p sjf -p srtf",
                 "compare jobs.csv -c 16x8:V100 -p fifo -p srtf --seeds 1..5 --assignments 1..3 "
                 "-j 4",
                 "compare results/a results/b"},
    .options = hs_compare_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_max = 2,
    .run = compare,
};
