/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of verbs; and parsing of a command line by a verb's option table: getopt_long splits
 * the words; flags are first collected and applied last, because the --config file has lower
 * precedence.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <stdio.h>

#include "base/fmt.h"
#include "data/param_table.h"
#include "horus/policy.h"

static const struct hs_verb *const verbs[] = {
#define HS_VERB(name) &hs_verb_##name,
    HS_VERBS
#undef HS_VERB
};

#define VERB_COUNT HS_COUNT_OF(verbs)

const struct hs_verb *hs_verb_at(size_t index)
{
    return index < VERB_COUNT ? verbs[index] : NULL;
}

const struct hs_verb *hs_verb_find(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

const char *hs_verb_name_at(size_t index)
{
    return index < VERB_COUNT ? verbs[index]->name : NULL;
}

enum hs_status hs_verb_get(const char *name, const struct hs_verb **verb, struct hs_diag *diag)
{
    uint32_t index;
    HS_TRY(hs_word_find_at(hs_verb_name_at, name, "no command and no file has this name:",
                           "'horus help' lists the commands", &index, diag));
    *verb = verbs[index];
    return HS_OK;
}

enum hs_status hs_word_find(const char *const *words, uint32_t count, const char *word,
                            const char *what, const char *otherwise, uint32_t *index,
                            struct hs_diag *diag)
{
    char hint[HS_HINT_SIZE];
    for (*index = 0; *index < count; (*index)++)
        if (strcmp(words[*index], word) == 0)
            return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, hs_did_you_mean(hint, word, words, count, otherwise),
                   "%s '%s'", what, word);
}

enum hs_status hs_word_find_at(const char *(*word_at)(size_t index), const char *word,
                               const char *what, const char *otherwise, uint32_t *index,
                               struct hs_diag *diag)
{
    const char *words[HS_WORDS_MAX];
    uint32_t count = 0;
    while (count < HS_WORDS_MAX && (words[count] = word_at(count)) != NULL)
        count++;
    return hs_word_find(words, count, word, what, otherwise, index, diag);
}

bool hs_word_is_in(const char *const *words, const char *word)
{
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

const struct hs_option *hs_option_find(const struct hs_option *table, const char *key)
{
    while (table->param.key != NULL && strcmp(table->param.key, key) != 0)
        table++;
    return table->param.key != NULL ? table : NULL;
}

/* ---- the command line ---- */

#define NAME_MAX_LEN 64
#define LONG_VALUE   256 /* getopt's value of table row i is LONG_VALUE + i */
#define LONG_HELP    (LONG_VALUE + HS_OPTIONS_MAX)

struct flag {
    const struct hs_option *option;
    const char *value;
};

struct parse {
    struct hs_call *call;
    int argc;
    char **argv;
    struct option longs[HS_OPTIONS_MAX + 2];
    char names[HS_OPTIONS_MAX][NAME_MAX_LEN];
    char shorts[2 * HS_OPTIONS_MAX + 4];
    uint32_t option_count;
    struct flag *flags;
    uint32_t flag_count;
};

const char *hs_option_metavar(const struct hs_param *param, char *text, size_t size)
{
    static const char *const words[] = {[HS_PARAM_FLAG] = "",
                                        [HS_PARAM_INT] = "N",
                                        [HS_PARAM_REAL] = "X",
                                        [HS_PARAM_DURATION] = "TIME",
                                        [HS_PARAM_SIZE_MIB] = "SIZE",
                                        [HS_PARAM_TEXT] = "TEXT",
                                        [HS_PARAM_DURATIONS] = "TIME/TIME/...",
                                        [HS_PARAM_FILE] = "FILE"};
    if (param->type == HS_PARAM_CHOICE) {
        hs_param_expects(param, text, size);
        return text;
    }
    if (param->unit == NULL || (param->type != HS_PARAM_REAL && param->type != HS_PARAM_TEXT))
        return words[param->type];
    return strcmp(param->unit, "%") == 0 ? "PERCENT" : param->unit;
}

static const struct hs_option *option_of(const struct parse *p, int value)
{
    const struct hs_option *table = p->call->verb->options;
    if (value >= LONG_VALUE && value < LONG_VALUE + (int)p->option_count)
        return &table[value - LONG_VALUE];
    for (uint32_t i = 0; i < p->option_count; i++)
        if (table[i].letter != 0 && table[i].letter == value)
            return &table[i];
    return NULL;
}

static enum hs_status unknown_long(const struct parse *p, const char *word)
{
    struct hs_diag *diag = &p->call->diag;
    const char *verb = p->call->verb->name, *names[HS_OPTIONS_MAX + 1], *first = NULL,
               *other = NULL;
    char hint[4 * NAME_MAX_LEN] = "";
    const char *name = HS_TEXT("%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (uint32_t i = 0; i <= p->option_count; i++) {
        names[i] = p->longs[i].name;
        if (strncmp(names[i], name, strlen(name)) != 0)
            continue;
        if (first == NULL) {
            first = names[i];
            continue;
        }
        return hs_fail(diag, HS_E_USAGE, NULL,
                       HS_TEXT("it could be '--%s' or '--%s'", first, names[i]),
                       "%s: option '--%s' is ambiguous", verb, name);
    }
    const char *nearest = hs_nearest(name, names, p->option_count + 1);
    for (size_t i = 0; i < VERB_COUNT && other == NULL; i++)
        for (const struct hs_option *o = verbs[i]->options; o->param.key != NULL; o++)
            if (strcmp(HS_LONG_NAME(&o->param), name) == 0)
                other = verbs[i]->name;
    if (other != NULL)
        hs_append(hint, sizeof hint, "'horus %s' has it%s", other, nearest != NULL ? "; " : "");
    if (nearest != NULL)
        hs_append(hint, sizeof hint, "did you mean '--%s'?", nearest);
    if (hint[0] == '\0')
        hs_append(hint, sizeof hint, "'horus %s --help all' lists the options", verb);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "%s: unknown option '--%s'", verb, name);
}

/* Handles getopt's answer '?' or ':' for `word`. */
static enum hs_status bad_option(const struct parse *p, int answer, const char *word)
{
    struct hs_diag *diag = &p->call->diag;
    const char *verb = p->call->verb->name;
    const struct hs_option *option = option_of(p, optopt);

    if (answer == ':' && option != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, option->param.help,
                       "%s: option '--%s' needs a value: %s", verb, HS_LONG_NAME(&option->param),
                       HS_METAVAR(&option->param));
    if (optopt >= LONG_VALUE)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave the value out",
                       "%s: option '--%s' takes no value", verb,
                       optopt == LONG_HELP ? "help" : p->names[optopt - LONG_VALUE]);
    if (optopt == 0)
        return unknown_long(p, word);
    uint32_t i = 0;
    while (i < p->option_count && p->names[i][0] != optopt)
        i++;
    return hs_fail(diag, HS_E_USAGE, NULL,
                   i < p->option_count ? HS_TEXT("did you mean '--%s'?", p->names[i])
                                       : HS_TEXT("'horus %s --help all' lists the options", verb),
                   "%s: unknown option '-%c'", verb, optopt);
}

static enum hs_status split_words(struct parse *p, enum hs_help_request *help)
{
    struct hs_call *call = p->call;
    opterr = 0;
    optind = 1;
    for (;;) {
        const char *word = optind < p->argc ? p->argv[optind] : "";
        int answer = getopt_long(p->argc, p->argv, p->shorts, p->longs, NULL);
        if (answer == -1)
            break;
        if (answer == 1) {
            call->operands[call->operand_count++] = optarg;
            continue;
        }
        if (answer == LONG_HELP || answer == 'h') {
            bool is_all = optind < p->argc && strcmp(p->argv[optind], "all") == 0;
            *help = is_all ? HS_HELP_ALL : HS_HELP_SHORT;
            return HS_OK;
        }
        if (answer == '?' || answer == ':')
            return bad_option(p, answer, word);
        const struct hs_option *option = option_of(p, answer);
        bool is_flag = option->param.type == HS_PARAM_FLAG;
        p->flags[p->flag_count++] =
            (struct flag){.option = option, .value = is_flag ? "yes" : optarg};
    }
    while (optind < p->argc)
        call->operands[call->operand_count++] = p->argv[optind++];
    return HS_OK;
}

/* Applies the --config file, then every --set, then all flags (these two set only their own text).
 * The last value of an option counts; two policies are an error. */
static enum hs_status apply(struct parse *p)
{
    struct hs_config *config = &p->call->config;
    struct hs_diag *diag = &p->call->diag;
    const char *policy = NULL;
    for (uint32_t i = 0; i < p->flag_count; i++) {
        const struct flag *flag = &p->flags[i];
        if (strcmp(flag->option->param.key, "policy") != 0 || flag->option->is_repeated)
            continue;
        if (policy != NULL)
            return hs_fail(
                diag, HS_E_USAGE, NULL, "'horus compare' takes several, or leave one out",
                "%s: two policies, '%s' and '%s'", p->call->verb->name, policy, flag->value);
        policy = flag->value;
    }
    for (uint32_t i = 0; i < p->flag_count; i++)
        if (strcmp(p->flags[i].option->param.key, "config") == 0)
            HS_TRY(hs_config_load(config, p->flags[i].value, diag));
    for (uint32_t i = 0; i < p->flag_count; i++)
        if (strcmp(p->flags[i].option->param.key, "set") == 0)
            HS_TRY(hs_config_set_pair(config, p->flags[i].value, diag));
    for (uint32_t i = 0; i < p->flag_count; i++)
        HS_TRY(hs_config_set(config, p->flags[i].option->param.key, p->flags[i].value, HS_FROM_FLAG,
                             diag));
    return HS_OK;
}

enum hs_status hs_options_parse(struct hs_call *call, int argc, char **argv,
                                enum hs_help_request *help)
{
    struct parse p = {.call = call, .argc = argc, .argv = argv};
    *help = HS_HELP_NONE;
    uint64_t letters = 1; /* space for all flags: -qv is one word and two flags */
    for (int i = 0; i < argc; i++)
        letters += strlen(argv[i]) + 1;
    call->options = hs_arena_alloc(&call->arena, call->verb->options_size + 1);
    call->operands = hs_arena_alloc(&call->arena, letters * sizeof *call->operands);
    p.flags = hs_arena_alloc(&call->arena, letters * sizeof *p.flags);
    /* '-' first: operands are returned in place as option 1, whatever the environment says. ':'
     * second: a missing value is distinguished from an unknown option. */
    (void)snprintf(p.shorts, sizeof p.shorts, "-:h");
    uint32_t n = 0;
    for (const struct hs_option *o = call->verb->options; o->param.key != NULL; o++, n++) {
        bool is_flag = o->param.type == HS_PARAM_FLAG;
        p.longs[n] =
            (struct option){.name = hs_option_long_name(&o->param, p.names[n], sizeof p.names[n]),
                            .has_arg = is_flag ? no_argument : required_argument,
                            .val = LONG_VALUE + (int)n};
        if (o->letter != 0)
            hs_append(p.shorts, sizeof p.shorts, is_flag ? "%c" : "%c:", o->letter);
    }
    p.longs[n] = (struct option){.name = "help", .has_arg = no_argument, .val = LONG_HELP};
    p.option_count = n;
    HS_TRY(hs_config_init(&call->config, call->verb->options, call->options, &call->arena));
    HS_TRY(split_words(&p, help));
    if (*help != HS_HELP_NONE)
        return HS_OK;
    HS_TRY(apply(&p));
    const struct hs_verb *verb = call->verb;
    const char *usage = HS_TEXT("usage: horus %s [options]%s%s", verb->name,
                                verb->operands[0] != '\0' ? " " : "", verb->operands);
    HS_TRY(hs_config_check(&call->config, verb->name, &call->diag));
    if (call->operand_count > verb->operands_max) {
        const char *word = call->operands[verb->operands_max];
        const bool is_help = strcmp(verb->name, "help") == 0;
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       hs_policy_find(word) == NULL ? usage
                       : is_help                    ? HS_TEXT("horus policies %s", word)
                                                    : HS_TEXT("-p %s names a policy", word),
                       "%s: unexpected operand '%s'", verb->name, word);
    }
    if (call->operand_count < verb->operands_min)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, usage, "%s: %s is missing", verb->name,
                       verb->operands);
    return HS_OK;
}
