/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus help [COMMAND|formats] [--form=FORM]`: help texts, manual pages and tables, generated only
 * from the tables of verbs and options. `horus version [--verbose]`: version, build and libraries.
 */
#include "cli/simulate.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/option_rows.h"
#include "data/param_table.h"
#include "horus/version.h"
#include "traces/format.h"

#define SUMMARY         "A trace-driven simulator of GPU-cluster schedulers for deep learning."
#define SYNOPSIS_INDENT 26

/* ---- the vocabulary ---- */

#define BOUND HS_PATTERN_TIME "|[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2})?"

static const struct hs_metavar metavars[] = {
    {"TIME", "@none", HS_PATTERN_TIME, "number",
     "90s, 15min, 2h or 7d; also us and ms. A bare number is seconds."},
    {"TIME/TIME/...", "@none", NULL, NULL,
     "One to eight times, separated by slashes: 7s/30s/1min."},
    {"RATES", "@none", "[a-z_]+=[^,]+(,[a-z_]+=[^,]+)+", NULL,
     "Mean times, mtbf=30d,repair=4h, optionally with shape=0.7 and rack_mtbf=300d."},
    {"SIZE", "@none", HS_PATTERN_SIZE, "number",
     "500MiB or 16GiB. A bare number is MiB; GB is the same as GiB."},
    {"N", "@none", "[0-9]+", "integer", "An integer."},
    {"X", "@none", NULL, NULL, "A number: 0.25, 1e-3, or 25% for 0.25."},
    {"PERCENT", "@none", NULL, NULL, "A number of per cent: 25 or 25%."},
    {"FILE", "@file", NULL, NULL, NULL},
    {"FILES", "@file", NULL, NULL, NULL},
    {"PATH", "@file", NULL, NULL, NULL},
    {"TRACE", "@file", NULL, NULL,
     "A trace: a file, plain, .gz or .zst, or - for standard input; its format is recognised by "
     "content. Or gen:NAME,n=JOBS for synthetic jobs, drawn by --seed (horus generate)."},
    {"EXPERIMENT.json", "@file", NULL, NULL,
     "The experiment; 'horus schema sweep' prints its JSON Schema."},
    {"SPEC", "@file", NULL, NULL,
     "A cluster: the name of a built-in one such as venus or philly-8gpu ('horus clusters' lists "
     "them), a JSON file, or a shape, NODESxGPUS:TYPE separated by commas: 20x8:V100,8x4:P100."},
    {"DIR", "@dir", NULL, NULL, NULL},
    {"RUN", "@dir", NULL, NULL, "The directory of a finished run."},
    {"NAME[:KEY=VALUE,...]", "@policy", NULL, NULL,
     "A policy and its parameters: srtf or srtf:form=replace,preempt_cost=table. Your own policy: "
     "./FILE.so or exec:COMMAND."},
    {"POLICY", "@policy", NULL, NULL, "The name of a policy."},
    {"COMMAND", "@command", NULL, NULL, "A command of horus."},
    {"KEY=VALUE", "@setting", NULL, NULL, NULL},
    {"LIST", "@list", NULL, NULL, "Words separated by commas."},
    {"NAME", "@word", NULL, NULL, NULL},
    {"WORKLOAD", "@none", "[^./\\x00-\\x1f\\x7f][^/\\x00-\\x1f\\x7f]*", "number",
     "A name without a slash or a leading dot."},
    {"SUBJECT", "@word", NULL, NULL, NULL},
    {"ACTION", "@word", NULL, NULL, NULL},
    {"KIND", "@word", NULL, NULL, NULL},
    {"OUTCOMES", "@none", NULL, NULL,
     "Outcomes separated by commas: completed, cancelled, failed, unknown."},
    {"SEEDS", "@none", "[0-9]+(\\.\\.[0-9]+)?(,[0-9]+(\\.\\.[0-9]+)?)*", "integer",
     "Integers: 1..5, or 1,3,7, or both."},
    {"MODEL", "@none", "measured\\+fit|fit|none|const:" HS_PATTERN_NUMBER, NULL, NULL},
    {"PREDICTOR", "@none", "table|oracle|noisy:" HS_PATTERN_NUMBER, NULL, NULL},
    {"CAPACITY", "@none", "auto|none|" HS_PATTERN_NUMBER, "number", "auto, none, or a number."},
    {"MODEL[:BATCH[:PRECISION[:DATASET]]]", "@none", NULL, NULL,
     "A job: ResNet18:64:amp; a part left out is the first in the catalogue."},
    {"ID", "@none", NULL, NULL, "The id of a job in the trace."},
    {"TEXT", "@none", NULL, NULL, NULL},
    {"TYPE", "@none", NULL, NULL, "A GPU type such as V100."},
    {"MAP", "@file", NULL, NULL,
     "Names of columns: submit_time=timestamp,gpus=num_gpus; or a JSON file of them."},
    {"VALUES", "@none", NULL, NULL,
     "Values of a column and their meanings: state:Succeeded=completed,state:Error=failed."},
    {"CONDITION", "@none", NULL, NULL, NULL},
    {"FROM..TO", "@none", "(" BOUND ")?\\.\\.(" BOUND ")?", NULL,
     "Two times or dates: 10d..20d, 2017-10-01..2017-12-01, 2020-04-01 12:00:00.., ..12h. A bound "
     "left out is the begin or the end."},
    {"YYYY-MM-DD", "@none", "[0-9]{4}-[0-9]{2}-[0-9]{2}", NULL, "A date."},
};

#define METAVAR_COUNT HS_COUNT_OF(metavars)

static const struct hs_metavar *find(const char *name, size_t len)
{
    for (size_t i = 0; i < METAVAR_COUNT; i++)
        if (strlen(metavars[i].name) == len && memcmp(metavars[i].name, name, len) == 0)
            return &metavars[i];
    return NULL;
}

static bool take(const char *text, size_t len, struct hs_metavar_part *part)
{
    bool is_literal = *text >= 'a' && *text <= 'z';
    *part = (struct hs_metavar_part){.text = text,
                                     .len = len,
                                     .is_literal = is_literal,
                                     .known = is_literal ? NULL : find(text, len)};
    return true;
}

/* Gets alternative *index of the word; false if it has fewer, after subtracting these from
 * *index. */
static bool part_of_word(const char *word, size_t len, uint32_t *index,
                         struct hs_metavar_part *part)
{
    if (find(word, len) != NULL)
        return (*index)-- == 0 && take(word, len, part);
    if (*word == '[') { /* "[COMMAND|formats]" without brackets, "RUN..." without dots */
        word++;
        len--;
        while (len > 0 && word[len - 1] == ']')
            len--;
    }
    while (len > 0 && word[len - 1] == '.')
        len--;
    for (size_t at = 0, end; at < len; at = end + 1) {
        const char *bar = memchr(word + at, '|', len - at);
        end = bar != NULL ? (size_t)(bar - word) : len;
        if ((*index)-- == 0)
            return take(word + at, end - at, part);
    }
    return false;
}

bool hs_metavar_part(const char *text, uint32_t position, uint32_t index,
                     struct hs_metavar_part *part)
{
    uint32_t at = 0;
    for (size_t len; *text != '\0'; text += len + (text[len] == ' ')) {
        len = strcspn(text, " ");
        if (len == 1 && *text == '|') { /* "TRACE | RUN RUN": positions start again */
            at = 0;
            continue;
        }
        if (at++ == position && part_of_word(text, len, &index, part))
            return true;
    }
    return false;
}

/* ---- contents of the forms ---- */

static const struct {
    const char *code, *meaning;
} exit_codes[] = {
    {"0", "ok"},
    {"1", "comparison or verification failed"},
    {"2", "usage"},
    {"3", "bad input"},
    {"4", "I/O"},
    {"5", "memory or limit, such as --max-events"},
    {"6", "internal invariant"},
    {"130/143", "after SIGINT/SIGTERM"},
};
#define EXIT_CODE_COUNT HS_COUNT_OF(exit_codes)

static const char *const program_examples[HS_EXAMPLES] = {
    "traces/sample.csv", "run cluster_log.csv -c 133x8:V100 -p sjf:scan=fit", "policies srtf"};

/* The texts for one option. */
struct shown {
    char name[64], words[256], range[256]; /* range: "" if the metavar states it */
    const char *metavar, *preset;          /* preset: NULL if none is shown */
};

static void show(const struct hs_option *option, struct shown *s)
{
    const struct hs_param *p = &option->param;
    (void)hs_option_long_name(p, s->name, sizeof s->name);
    s->metavar = hs_option_metavar(p, s->words, sizeof s->words);
    s->preset = p->type == HS_PARAM_FLAG ? NULL : p->preset;
    if (s->preset != NULL && *s->preset == '\0')
        s->preset = "none";
    s->range[0] = '\0';
    if (p->max > p->min)
        hs_param_expects(p, s->range, sizeof s->range);
}

/* Tells whether it is the first of its group. */
static bool begins_group(const struct hs_verb *verb, const struct hs_option *o)
{
    return o->group != NULL &&
           (o == verb->options || o[-1].group == NULL || strcmp(o[-1].group, o->group) != 0);
}

/* ---- text ---- */

static void say_examples(struct hs_output *out, const char *const *examples)
{
    hs_say(out, "\nExamples:\n");
    for (size_t i = 0; i < HS_EXAMPLES && examples[i] != NULL; i++)
        hs_say(out, "  horus %s\n", examples[i]);
}

static void say_option(struct hs_output *out, const struct hs_option *option, bool is_brief,
                       uint32_t columns)
{
    const struct hs_param *p = &option->param;
    char text[1024];
    struct shown s;
    show(option, &s);
    if (is_brief && p->type == HS_PARAM_CHOICE)
        s.metavar = "WHAT";
    const char *line =
        HS_TEXT("%s--%s%s%s", option->letter != 0 ? HS_TEXT("  -%c, ", option->letter) : "      ",
                s.name, *s.metavar != '\0' ? "=" : "", s.metavar);
    if (strlen(line) + 2 > SYNOPSIS_INDENT)
        hs_say(out, "%s\n%*s", line, SYNOPSIS_INDENT, "");
    else
        hs_say(out, "%-*s", SYNOPSIS_INDENT, line);

    (void)snprintf(text, sizeof text, "%s", p->help);
    if (s.preset != NULL)
        hs_append(text, sizeof text, " [%s]", s.preset);
    if (!is_brief && s.range[0] != '\0')
        hs_append(text, sizeof text, "; %s", s.range);
    if (!is_brief && p->source != NULL)
        hs_append(text, sizeof text, "; source: %s", p->source);
    hs_say_wrapped(out, text, SYNOPSIS_INDENT, columns);
}

static void say_verb_short(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    hs_say(out, "usage: horus %s%s%s%s\n%s\n\n", verb->name,
           verb->options->param.key != NULL ? " [options]" : "", *verb->operands != '\0' ? " " : "",
           verb->operands, verb->summary);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
        if (o->in_short_help)
            say_option(out, o, true, columns);
    hs_say(out, "  -h, --help [all]        print this text; with all: every option with range and "
                "default\n");
    say_examples(out, verb->examples);
}

static void say_verb(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    const char *blank = *verb->operands != '\0' ? " " : "", *of = verb->operands;
    hs_say(out, "usage: horus %s [options]%s%s\n%s\n", verb->name, blank, of, verb->summary);
    if (verb->details != NULL) {
        hs_say(out, "\n");
        hs_say_wrapped(out, verb->details, 0, columns);
    }
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        if (begins_group(verb, o))
            hs_say(out, "\n%s:\n", o->group);
        say_option(out, o, false, columns);
    }
    say_examples(out, verb->examples);
    if (hs_option_find(verb->options, "config") != NULL)
        hs_say(out, "\nTIME is 90s, 15min, 2h or 7d (a bare number: seconds); SIZE is 500MiB or "
                    "16GiB (a bare number:\nMiB). In a --config file and for --set, the key of "
                    "--max-jobs=9 is max_jobs, its value 9.\n");
}

static void say_program(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    char codes[512] = "Exit codes:"; /* "0 ok, 1 comparison or verification failed, ..." */
    hs_say(out, "usage: horus COMMAND [options]        horus TRACE [options] is horus run "
                "TRACE\n" SUMMARY "\n\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        hs_say(out, "  %-10s %-26s %s\n", verb->name, verb->operands, verb->summary);
    say_examples(out, program_examples);
    hs_say(out, "\n'horus COMMAND --help' has its options; 'horus help formats|files|metrics' "
                "describes files.\n");
    for (size_t i = 0; i < EXIT_CODE_COUNT; i++)
        hs_append(codes, sizeof codes, " %s %s%s", exit_codes[i].code, exit_codes[i].meaning,
                  i + 1 < EXIT_CODE_COUNT ? "," : ".");
    hs_say_wrapped(out, codes, 0, columns);
}

void hs_help_say(struct hs_output *out, const struct hs_verb *verb, bool is_all, uint32_t columns)
{
    (verb == NULL ? say_program : is_all ? say_verb : say_verb_short)(out, verb, columns);
}

static const char *const about_formats[] = {
    "The format of a trace is recognised by its content; --format overrides this. Files compressed "
    "by gzip or Zstandard need no unpacking; - is standard input.",
    "The fields of a csv are separated by commas, semicolons, bars or tabs. Times are dates, "
    "2020-04-01 12:30:00, or numbers in seconds, or in the unit at the end of the column's name "
    "(duration_min; --time-unit sets it for all).",
    "configs/mappings/kubernetes-*.jq (installed below share/doc/horus) convert the pods of "
    "Kubernetes to a csv and its nodes to a cluster. The accounting of Slurm is read as this "
    "command prints it:",
    hs_trace_sacct};

static void help_formats(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    (void)verb;
    const struct hs_trace_format *format;
    for (size_t i = 0; i < sizeof about_formats / sizeof *about_formats; i++, hs_say(out, "\n"))
        hs_say_wrapped(out, about_formats[i], 0, columns);
    for (size_t i = 0; (format = hs_trace_format_at(i)) != NULL; i++) {
        hs_say(out, "  %-12s %s\n%14s ", format->name, format->summary, "");
        hs_say_wrapped(out, format->columns, 15, columns);
    }
}

/* ---- manual pages ---- */

/* Markup only at the start of a line; escaped at the start of every text, which is harmless. */
#define MARKUP_FIRST "#-|[].'+~&!"

/* Writes text with a backslash before every character of `special`, and at its start before those
 * of `first`; if a quote is special, it is written as a shell reads it inside quotes. */
static void put_escaped(struct hs_output *out, const char *text, const char *special,
                        const char *first)
{
    for (const char *c = text; *c != '\0'; c++) {
        const bool is_special = strchr(special, *c) != NULL;
        if (*c == '\'' && is_special)
            hs_say(out, "'\\'");
        else if (is_special || (c == text && strchr(first, *c) != NULL))
            hs_say(out, "\\");
        hs_output_put(out, c, 1);
    }
}

void hs_man_say(struct hs_output *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            hs_output_put(out, format, 1);
            continue;
        }
        const char *text = va_arg(args, const char *);
        format++;
        if (*format == 's')
            hs_say(out, "%s", text);
        else
            put_escaped(out, text, "\\*_", MARKUP_FIRST);
        if (*format == '.' && (*text == '\0' || text[strlen(text) - 1] != '.'))
            hs_say(out, ".");
    }
    va_end(args);
}

void hs_man_title(struct hs_output *out, const char *name, int section, const char *summary)
{
    const int len = (int)strlen(summary), stop = len > 0 && summary[len - 1] == '.';
    hs_say(out, "horus%s(%d) \"\" \"horus " HS_VERSION "\"\n\n# NAME\n\nhorus%s - ", name, section,
           name);
    hs_man_say(out, "%t\n\n", HS_TEXT("%.*s", len - stop, summary));
}

static void man_end(struct hs_output *out, const char *const *examples)
{
    hs_say(out, "# EXIT STATUS\n\n");
    for (size_t i = 0; i < EXIT_CODE_COUNT; i++)
        hs_man_say(out, "*%s*\n\t%.\n\n", exit_codes[i].code, exit_codes[i].meaning);
    hs_say(out, "# EXAMPLES\n\n");
    for (size_t i = 0; i < HS_EXAMPLES && examples[i] != NULL; i++)
        hs_man_say(out, "\thorus %t\n\n", examples[i]);
    hs_say(out, "# SEE ALSO\n\n");
}

static void man_verb(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    struct shown s;
    (void)columns;
    const char *name = HS_TEXT("-%s", verb->name);
    hs_man_title(out, name, 1, verb->summary);
    hs_man_say(out, "# SYNOPSIS\n\n*horus %s*%s%t\n\n# DESCRIPTION\n\n%.", verb->name,
               verb->options->param.key != NULL ? " [_options_] " : " ", verb->operands,
               verb->summary);
    if (verb->details != NULL)
        hs_man_say(out, "\n\n%t", verb->details);
    hs_say(out, "\n\n");
    hs_say(out, "# OPTIONS\n\n");
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        show(o, &s);
        if (begins_group(verb, o))
            hs_say(out, "## %s\n\n", o->group);
        if (o->letter != 0)
            hs_say(out, "*-%c*, ", o->letter);
        hs_say(out, "*--%s*", s.name);
        if (*s.metavar != '\0')
            hs_man_say(out, "=_%t_", s.metavar);
        hs_man_say(out, "\n\t%.", o->param.help);
        if (s.preset != NULL)
            hs_man_say(out, " Default: *%t*.", s.preset);
        if (s.range[0] != '\0')
            hs_man_say(out, " Range: %.", s.range);
        if (o->param.source != NULL)
            hs_man_say(out, " Source: %.", o->param.source);
        hs_say(out, "\n\n");
    }
    hs_say(out, "*-h*, *--help* [*all*]\n\tA dozen lines; with *all* every option, its range and "
                "default.\n\n");
    if (hs_option_find(verb->options, "config") != NULL)
        hs_say(out, "# CONFIGURATION\n\n*--config* reads a JSON file, which may have // and block "
                    "comments. Its keys are the long options with underscores: *--max-jobs*=9 is "
                    "\"max\\_jobs\": 9. A policy is a text or an object, {\"name\": \"fifo\", "
                    "\"scan\": \"fit\"}. *--set* _KEY=VALUE_ comes before the file, a flag before "
                    "both. *--print-config* prints the effective configuration with the origin of "
                    "each value; what it prints is itself a file for *--config*.\n\n");
    man_end(out, verb->examples);
    hs_say(out, "*horus*(1), *horus-policies*(7), *horus-formats*(5), *horus-files*(5), "
                "*horus-metrics*(7)\n");
}

static void man_program(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    (void)columns;
    hs_man_title(out, "", 1, SUMMARY);
    hs_say(out, "# SYNOPSIS\n\n*horus* _COMMAND_ [_options_]\n\n*horus* _TRACE_ [_options_]\n\n"
                "# DESCRIPTION\n\nReplays traces of jobs on a described cluster under a policy, "
                "and compares policies. The result goes to standard output, everything else to "
                "standard error. *horus* _TRACE_ is *horus run* _TRACE_.\n\n# COMMANDS\n\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        hs_man_say(out, "*%s*%s%t\n\t%. See *horus-%s*(1).\n\n", verb->name,
                   *verb->operands != '\0' ? " " : "", verb->operands, verb->summary, verb->name);
    hs_say(out, "# VALUES\n\n");
    for (size_t i = 0; i < METAVAR_COUNT; i++)
        if (metavars[i].meaning != NULL)
            hs_man_say(out, "_%t_\n\t%.\n\n", metavars[i].name, metavars[i].meaning);
    hs_say(out,
           "# FILES\n\n"
           "_results/NAME-POLICY-HASH/_\n"
           "\tWhere a run lands unless *--output* names another place. A directory is built under "
           "another name, synced and renamed: without its manifest.json a run is not finished.\n\n"
           "# ENVIRONMENT\n\n"
           "No result depends on the environment. What is shown on a terminal does:\n\n"
           "*COLUMNS*\n\tWidth of tables and help, instead of that of the terminal.\n\n"
           "*NO\\_COLOR*, *TERM*=dumb\n\tNo colour; with a dumb terminal no progress, either.\n\n"
           "*LC\\_ALL*, *LC\\_CTYPE*, *LANG*\n\tBlock characters only in a UTF-8 locale.\n\n"
           "# SIGNALS\n\n"
           "*SIGUSR1*\n\tOne line about how far a run is, on standard error.\n\n"
           "*SIGINT*, *SIGTERM*\n\tThe run ends, what it has begun to write is taken away.\n\n");
    man_end(out, program_examples);
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        hs_say(out, "*horus-%s*(1), ", verb->name);
    hs_say(out, "*horus-policies*(7), *horus-formats*(5), *horus-files*(5), *horus-metrics*(7)\n");
}

static void man_formats(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    (void)verb, (void)columns;
    const struct hs_trace_format *format;
    hs_man_title(out, "-formats", 5, "trace formats of horus");
    hs_say(out, "# DESCRIPTION\n\n");
    for (size_t i = 0; i < sizeof about_formats / sizeof *about_formats; i++)
        hs_man_say(out, "%t\n\n", about_formats[i]);
    for (size_t i = 0; (format = hs_trace_format_at(i)) != NULL; i++)
        hs_man_say(out, "# %s\n\n%.\n\n%.\n\n", format->name, format->summary, format->columns);
    hs_say(out, "# SEE ALSO\n\n*horus*(1), *horus-run*(1), *horus-trace*(1)\n");
}

/* ---- tables: Markdown for READMEs, JSON for programs ---- */

static void markdown_program(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    (void)columns;
    hs_say(out, "| command | does |\n| --- | --- |\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "| `horus %s%s", verb->name, *verb->operands != '\0' ? " " : "");
        put_escaped(out, verb->operands, "|", "");
        hs_say(out, "` | ");
        put_escaped(out, verb->summary, "|", "");
        hs_say(out, " |\n");
    }
}

static void markdown_verb(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    struct shown s;
    (void)columns;
    hs_say(out, "| option | default | range | meaning | source |\n"
                "| --- | --- | --- | --- | --- |\n");
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        show(o, &s);
        const char *tick = s.preset != NULL ? "`" : "";
        hs_say(out, "| `");
        if (o->letter != 0)
            hs_say(out, "-%c, ", o->letter);
        hs_say(out, "--%s%s", s.name, *s.metavar != '\0' ? "=" : "");
        put_escaped(out, s.metavar, "|", "");
        hs_say(out, "` | %s%s%s | %s | ", tick, s.preset != NULL ? s.preset : "", tick, s.range);
        put_escaped(out, o->param.help, "|", "");
        hs_say(out, " | ");
        put_escaped(out, o->param.source != NULL ? o->param.source : "", "|", "");
        hs_say(out, " |\n");
    }
}

void hs_param_json(struct hs_jsonw *w, const struct hs_param *p)
{
    static const char *const types[] = {"flag",   "integer", "real",      "duration", "size_mib",
                                        "choice", "text",    "durations", "file"};
    char expects[256];
    hs_param_expects(p, expects, sizeof expects);
    hs_jsonw_put(w, "key=%s type=%s values=%s unit=%s default=%s", p->key, types[p->type], expects,
                 p->unit, p->preset);
    if (p->max > p->min)
        hs_jsonw_put(w, "min=%g max=%g", p->min, p->max);
    hs_jsonw_put(w, "help=%s source=%s", p->help, p->source);
}

static void words_json(struct hs_jsonw *w, const char *(*word_at)(size_t))
{
    const char *word;
    if (word_at == NULL)
        return;
    hs_jsonw_put(w, "words=![");
    for (size_t i = 0; (word = word_at(i)) != NULL; i++)
        hs_jsonw_text(w, word);
    hs_jsonw_put(w, "]");
}

static void verb_json(struct hs_jsonw *w, const struct hs_verb *verb)
{
    hs_jsonw_put(w, "={ name=%s operands=%s summary=%s", verb->name, verb->operands, verb->summary);
    words_json(w, verb->word_at);
    hs_jsonw_put(w, "takes_config=%d options=[", hs_option_find(verb->options, "config") != NULL);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        const char letter[] = {o->letter, '\0'};
        struct shown s;
        show(o, &s);
        hs_jsonw_put(w, "={ long=%s letter=%s metavar=%s", s.name, o->letter != 0 ? letter : NULL,
                     s.metavar);
        hs_param_json(w, &o->param);
        words_json(w, o->word_at);
        hs_jsonw_put(w, "group=%s may_be_repeated=%d", o->group, o->is_repeated);
        hs_jsonw_put(w, "is_key_of_config=%d }", !o->is_local);
    }
    hs_jsonw_put(w, "] }");
}

static void tables_json(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    struct hs_jsonw w;
    (void)columns;
    hs_jsonw_begin(&w, out);
    if (verb != NULL) {
        verb_json(&w, verb);
    } else {
        hs_jsonw_put(&w, "=[");
        for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
            verb_json(&w, verb);
        hs_jsonw_put(&w, "]");
    }
    hs_jsonw_finish(&w);
}

/* ---- completion scripts for two shells: the tables as case statements of words that complete a
 * value, then functions that read them. A word with '@' is a kind of words: @file, @dir,
 * @policy, @command, @setting, @list (several, separated by commas), @none (anything). No word
 * of a table contains a blank or a quote ---- */

#define OPERANDS_MAX 8u /* most operands completed for a verb */

/* Writes the functions of a shell: a file of configs/ after its first comment. */
static void say_functions(struct hs_output *out, const char *name)
{
    const struct hs_builtin *file = hs_builtin_find(name);
    const char *begin = strstr(file->data, "\n\n") + 2;
    hs_output_put(out, begin, file->len - (size_t)(begin - file->data));
}

/* Writes a word, preceded by a blank except for the first. */
static void say_word(struct hs_output *out, bool *is_first, const char *word, size_t len)
{
    hs_say(out, "%s%.*s", *is_first ? "" : " ", (int)len, word);
    *is_first = false;
}

static void say_words(struct hs_output *out, bool *is_first, const char *(*word_at)(size_t))
{
    const char *word;
    for (size_t i = 0; word_at != NULL && (word = word_at(i)) != NULL; i++)
        say_word(out, is_first, word, strlen(word));
}

/* Writes the alternatives at a position of `text`, a unit or the operands of a verb. */
static void say_parts(struct hs_output *out, const char *text, uint32_t position,
                      const char *(*word_at)(size_t))
{
    struct hs_metavar_part part;
    bool is_first = true, has_files = false;
    for (uint32_t i = 0; hs_metavar_part(text, position, i, &part); i++) {
        const char *offers = part.known != NULL ? part.known->offers : "@none";
        has_files |= strcmp(offers, "@file") == 0;
        if (strcmp(offers, "@dir") == 0 && has_files) /* completion of files includes directories */
            continue;
        if (part.is_literal)
            say_word(out, &is_first, part.text, part.len);
        else if (strcmp(offers, "@word") != 0 && (strcmp(offers, "@list") != 0 || word_at != NULL))
            say_word(out, &is_first, offers, strlen(offers));
        else if (word_at == NULL)
            say_word(out, &is_first, "@none", 5);
    }
    say_words(out, &is_first, word_at);
}

static void complete_option(struct hs_output *out, const struct hs_option *option)
{
    if (option->param.type == HS_PARAM_FLAG)
        return;
    if (option->param.type == HS_PARAM_CHOICE) {
        bool is_first = true;
        for (const char *const *c = option->param.choices; *c != NULL; c++)
            say_word(out, &is_first, *c, strlen(*c));
        return;
    }
    say_parts(out, HS_METAVAR(&option->param), 0, option->word_at);
}

static void complete_policies(struct hs_output *out)
{
    static const char *const flags[] = {"yes", "no", NULL}, *const files[] = {"@file", NULL};
    const struct hs_policy_ops *policy;
    bool is_first = true;
    hs_say(out, "_horus_policies='");
    say_words(out, &is_first, hs_policy_name_at);
    hs_say(out, "'\n\n# POLICY: its parameters\n_horus_params()\n{\n    case $1 in\n");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        hs_say(out, "    '%s') echo '", policy->name);
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++)
            hs_say(out, "%s%s", p != policy->params ? " " : "", p->key);
        hs_say(out, "' ;;\n");
    }
    hs_say(out, "    esac\n}\n\n# POLICY PARAMETER: its values, where they are words\n"
                "_horus_choices()\n{\n    case \"$1 $2\" in\n");
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++) {
            const char *const *words = p->type == HS_PARAM_FLAG     ? flags
                                       : p->type == HS_PARAM_FILE   ? files
                                       : p->type == HS_PARAM_CHOICE ? p->choices
                                                                    : NULL;
            if (words == NULL)
                continue;
            hs_say(out, "    '%s %s') echo '", policy->name, p->key);
            for (size_t w = 0; words[w] != NULL; w++)
                hs_say(out, "%s%s", w > 0 ? " " : "", words[w]);
            hs_say(out, "' ;;\n");
        }
    hs_say(out, "    esac\n}\n\n");
}

static void complete_keys(struct hs_output *out)
{
    const struct hs_verb *verb;
    hs_say(out, "# COMMAND: the keys of its configuration\n_horus_keys()\n{\n    case $1 in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        bool is_first = true;
        if (hs_option_find(verb->options, "set") == NULL)
            continue;
        hs_say(out, "    %s) echo '", verb->name);
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            if (!o->is_local)
                say_word(out, &is_first, o->param.key, strlen(o->param.key));
        hs_say(out, "' ;;\n");
    }
    hs_say(out, "    esac\n}\n\n");
}
/* ---- bash 4.3 and later. ':' and '=' separate words for readline but not for horus: words are
 * taken from the line itself, and the part that readline considers an earlier word is removed
 * from each candidate ---- */

static void complete_bash(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    bool is_first = true;
    (void)columns;
    hs_say(out, "# bash completion of horus " HS_VERSION ", made by 'horus help --form=bash'.\n"
                "# To try it: source <(horus help --form=bash)\n\n_horus_commands='");
    say_words(out, &is_first, hs_verb_name_at);
    hs_say(out, "'\n\n# COMMAND: its options, '=' behind those with a value\n"
                "_horus_options()\n{\n    case $1 in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "    %s) echo '", verb->name);
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            hs_say(out, "--%s%s ", HS_LONG_NAME(&o->param),
                   o->param.type != HS_PARAM_FLAG ? "=" : "");
        hs_say(out, "--help' ;;\n");
    }
    hs_say(out, "    *) echo '--help --version' ;;\n    esac\n}\n\n"
                "# COMMAND OPTION: what its value may be; nothing for a flag\n"
                "_horus_value()\n{\n    case \"$1 $2\" in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
            if (o->param.type == HS_PARAM_FLAG)
                continue;
            hs_say(out, "    ");
            if (o->letter != 0)
                hs_say(out, "'%s -%c' | ", verb->name, o->letter);
            hs_say(out, "'%s --%s') echo '", verb->name, HS_LONG_NAME(&o->param));
            complete_option(out, o);
            hs_say(out, "' ;;\n");
        }
    hs_say(out, "    esac\n}\n\n# COMMAND NUMBER: what its operand of that number, from 0, may be\n"
                "_horus_operand()\n{\n    case \"$1 $2\" in\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        for (uint32_t at = 0; at < verb->operands_max && at < OPERANDS_MAX; at++) {
            hs_say(out, "    '%s %u') echo '", verb->name, at);
            say_parts(out, verb->operands, at, verb->word_at);
            hs_say(out, "' ;;\n");
        }
    hs_say(out, "    esac\n}\n\n");
    complete_keys(out);
    complete_policies(out);
    say_functions(out, "completion.bash");
}

/* ---- zsh: a function per verb that calls _arguments with its options, and one for all values
 * ---- */

/* '(-c --cluster)'{-c+,--cluster=}'[help]:SPEC: _horus_value @file' */
static void zsh_option(struct hs_output *out, const struct hs_option *o)
{
    const bool is_flag = o->param.type == HS_PARAM_FLAG;
    const char *name = HS_LONG_NAME(&o->param);
    hs_say(out, " \\\n        ");
    if (o->is_repeated)
        hs_say(out, o->letter != 0 ? "'*'" : "'*");
    else if (o->letter != 0)
        hs_say(out, "'(-%c --%s)'", o->letter, name);
    else
        hs_say(out, "'");
    if (o->letter != 0)
        hs_say(out, "{-%c%s,--%s%s}'", o->letter, is_flag ? "" : "+", name, is_flag ? "" : "=");
    else
        hs_say(out, "--%s%s", name, is_flag ? "" : "=");
    hs_say(out, "[");
    put_escaped(out, o->param.help, "'[]\\", "");
    hs_say(out, "]");
    if (!is_flag) {
        hs_say(out, ":");
        put_escaped(out, HS_METAVAR(&o->param), "':\\", "");
        hs_say(out, ": _horus_value ");
        complete_option(out, o);
    }
    hs_say(out, "'");
}

static void complete_zsh(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    bool is_first = true;
    (void)columns;
    hs_say(out, "#compdef horus\n"
                "# zsh completion of horus " HS_VERSION ", made by 'horus help --form=zsh'.\n"
                "# To try it: source <(horus help --form=zsh)\n\n_horus_commands='");
    say_words(out, &is_first, hs_verb_name_at);
    hs_say(out, "'\ntypeset -ga _horus_described\n_horus_described=(\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "    '%s:", verb->name);
        put_escaped(out, verb->summary, "':\\", "");
        hs_say(out, "'\n");
    }
    hs_say(out, ")\n\n");
    complete_keys(out);
    complete_policies(out);
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "_horus_command_%s()\n{\n    _arguments -s -S", verb->name);
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            zsh_option(out, o);
        hs_say(out, " \\\n        '(- *)'{-h,--help}'[help]: :(all)'");
        for (uint32_t at = 0; at < verb->operands_max && at < OPERANDS_MAX; at++) {
            hs_say(out, " \\\n        '%u:operand: _horus_value ", at + 1);
            say_parts(out, verb->operands, at, verb->word_at);
            hs_say(out, "'");
        }
        hs_say(out, "\n}\n\n");
    }
    say_functions(out, "completion.zsh");
}

/* ---- the verb ---- */

static void help_files(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    hs_help_dictionary(out, verb != NULL, false, columns);
}

static void man_files(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    hs_help_dictionary(out, verb != NULL, true, columns);
}

/* Writes a form of the tables, of the given verb if it concerns one. */
typedef void help_writer(struct hs_output *out, const struct hs_verb *verb, uint32_t columns);

static const char *const forms[] = {"text", "markdown", "json", "man", "bash", "zsh", "fish", NULL};

/* By form; NULL: there is none. */
static const struct {
    help_writer *program, *verb, *formats, *files; /* files: with a verb the metrics */
} writers[] = {{say_program, say_verb, help_formats, help_files},
               {markdown_program, markdown_verb, NULL, NULL},
               {tables_json, tables_json, NULL, NULL},
               {man_program, man_verb, man_formats, man_files},
               {complete_bash, NULL, NULL, NULL},
               {complete_zsh, NULL, NULL, NULL},
               {hs_help_fish, NULL, NULL, NULL}};

struct help_options {
    int32_t form;
    bool verbose; /* of version */
};

static enum hs_status help(struct hs_call *call)
{
    const int32_t form = ((const struct help_options *)call->options)->form;
    const char *topic = call->operand_count > 0 ? call->operands[0] : NULL;
    const struct hs_verb *verb = NULL;
    help_writer *write = writers[form].program;
    if (topic != NULL && strcmp(topic, "formats") == 0) {
        write = writers[form].formats;
    } else if (topic != NULL && (strcmp(topic, "files") == 0 || strcmp(topic, "metrics") == 0)) {
        write = writers[form].files;
        verb = topic[0] == 'm' ? call->verb : NULL;
    } else if (topic != NULL) {
        HS_TRY(hs_verb_get(topic, &verb, &call->diag));
        write = writers[form].verb;
    }
    if (write == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave one out",
                       "help: '%s' has no form '%s'", topic, forms[form]);
    write(&call->out, verb, call->terminal.columns);
    return HS_OK;
}

#define OWNER struct help_options
static const struct hs_option help_table[] = {
    CHOICE("form", form, "Output", "text", forms,
           "form of the output: text, Markdown table, JSON, source of a manual page for scdoc(1), "
           "or completion script of a shell",
           SHORT, LOCAL),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_help = {
    .name = "help",
    .operands = "[COMMAND|formats|files|metrics]",
    .summary = "Print all options of a command, or formats, files, metrics.",
    .details = "The forms bash, zsh and fish are completion scripts: source <(horus help "
               "--form=bash). Manual pages are made by horus help --form=man | scdoc >horus.1, and "
               "likewise for each command. 'make install' installs both.",
    .examples = {"help run", "help run --form=markdown", "help --form=zsh"},
    .options = help_table,
    .options_size = sizeof(struct help_options),
    .operands_max = 1,
    .run = help,
};

/* ---- version ---- */

void hs_version_say(struct hs_output *out, bool is_verbose)
{
    hs_say(out, "horus %s (%s)\n", HS_VERSION, hs_version_commit());
    if (!is_verbose)
        return;
    hs_say(out, "compiler    %s\nflags       %s\n", hs_version_compiler(), hs_version_flags());
    uint32_t count = 0;
    const struct hs_manifest_library *libraries = hs_libraries(&count);
    for (uint32_t i = 0; i < count; i++)
        hs_say(out, "%-11s %s\n", libraries[i].name, libraries[i].version);
    const struct hs_builtin *file;
    const char *label = "models";
    for (size_t i = 0; (file = hs_builtin_at(i)) != NULL; i++) {
        if (strstr(file->name, ".csv") == NULL && strncmp(file->name, "models/", 7) != 0 &&
            strncmp(file->name, "workloads/", 10) != 0 && strncmp(file->name, "clusters/", 9) != 0)
            continue;
        hs_say(out, "%-11s " HS_BUILTIN "%s\n", label, file->name);
        label = "";
    }
    hs_say(out, "licence     GPL-3.0-or-later\n");
}

static enum hs_status version(struct hs_call *call)
{
    hs_version_say(&call->out, ((const struct help_options *)call->options)->verbose);
    return HS_OK;
}

static const struct hs_option version_table[] = {
    FLAG("verbose", verbose, "Output", "also print compiler, flags, libraries and built-in files",
         LETTER('v'), SHORT, LOCAL),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_version = {
    .name = "version",
    .operands = "",
    .summary = "Print the version; --verbose: compiler and libraries, too.",
    .examples = {"version --verbose"},
    .options = version_table,
    .options_size = sizeof(struct help_options),
    .run = version,
};
