/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus help files` and `horus help metrics`: the data dictionary of results/README.md, which is
 * compiled in and which tests hold against the tables that write the files. As text, and as the
 * source of the manual pages horus-files(5) and horus-metrics(7). And `horus help --form=fish`,
 * which fish completes by: a line a word.
 */
#include "cli/cli.h"

#include <stdio.h>

#include "horus/version.h"

#define DICTIONARY HS_BUILTIN "results/README.md"
#define METRICS    "## `summary.json` and `summary.csv`"
#define WIDEST     2048
#define INDENT     6u

/* A mark of Markdown that is no text: of code, of a link, or one of a pair of stars. */
static bool is_mark(const char *text, size_t i, size_t len)
{
    const bool is_pair = (i > 0 && text[i - 1] == '*') || (i + 1 < len && text[i + 1] == '*');
    return text[i] == '`' || text[i] == '[' || (text[i] == '*' && is_pair);
}

/* Removes the marks of Markdown; a link becomes its text. */
static void plain(const char *from, size_t len, char to[WIDEST])
{
    size_t used = 0;
    for (size_t i = 0; i < len && used + 1 < WIDEST; i++) {
        const bool ends_link = from[i] == ']' && i + 1 < len && from[i + 1] == '(';
        while (ends_link && i < len && from[i] != ')')
            i++;
        if (!ends_link && !is_mark(from, i, len))
            to[used++] = from[i];
    }
    to[used] = '\0';
}

/* One cell of a row of a table, without blanks around it; false after the last. */
static bool next_cell(const char **at, const char *end, char text[WIDEST])
{
    const char *from = *at + 1; /* behind the bar */
    if (from >= end)
        return false;
    const char *to = from;
    while (to < end && *to != '|')
        to++;
    *at = to;
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    plain(from, (size_t)(to - from), text);
    return true;
}

struct dictionary {
    struct hs_output *out;
    uint32_t columns;
    bool is_man, is_metrics;
    bool is_wanted; /* the section */
    bool is_head;   /* the row names the columns of a table */
    bool was_row, was_text;
};

/* Name, unit if there is one, and meaning. */
static void say_row(struct dictionary *d, const char *line, const char *end)
{
    char name[WIDEST], text[3][WIDEST] = {"", "", ""};
    uint32_t count = 0;
    end -= end > line && end[-1] == '|'; /* the last bar */
    if (!next_cell(&line, end, name) || name[0] == '-')
        return;
    while (count < 3 && next_cell(&line, end, text[count]))
        count++;
    if (d->is_head)
        return;
    const char *unit = count > 1 ? text[0] : "", *meaning = count > 1 ? text[1] : text[0];
    if (d->is_man) {
        hs_man_say(d->out, "*%t*", name);
        if (unit[0] != '\0')
            hs_man_say(d->out, " (%t)", unit);
        hs_man_say(d->out, "\n\t%t\n\n", meaning[0] != '\0' ? meaning : "see above");
        return;
    }
    hs_say(d->out, "  %s%s%s%s\n", name, unit[0] != '\0' ? " (" : "", unit,
           unit[0] != '\0' ? ")" : "");
    if (meaning[0] != '\0') {
        hs_say(d->out, "      ");
        hs_say_wrapped(d->out, meaning, INDENT, d->columns);
    }
}

static void begin_section(struct dictionary *d, const char *line, size_t len)
{
    const bool is_chapter = line[1] == '#' && line[2] == ' ';
    const bool has_metrics = len == strlen(METRICS) && memcmp(line, METRICS, len) == 0;
    char text[WIDEST];
    if (is_chapter) /* a chapter on files has their names in its heading */
        d->is_wanted = memchr(line, '`', len) != NULL && has_metrics == d->is_metrics;
    plain(line + (is_chapter ? 3 : 4), len - (is_chapter ? 3 : 4), text);
    if (d->is_wanted && d->is_man)
        hs_man_say(d->out, "# %t\n\n", text);
    else if (d->is_wanted)
        hs_say(d->out, "\n%s\n", text);
}

static void say_line(struct dictionary *d, const char *line, const char *end)
{
    const size_t len = (size_t)(end - line);
    const bool is_row = len > 0 && line[0] == '|', is_comment = len > 0 && line[0] == '<';
    d->is_head = is_row && !d->was_row;
    if (d->is_wanted && is_row)
        say_row(d, line, end);
    else if (d->is_wanted) {
        char text[WIDEST];
        plain(line, is_comment ? 0 : len, text);
        if (d->is_man)
            hs_man_say(d->out, "%t\n", text);
        else if ((len > 0 && !is_comment) || d->was_text)
            hs_say(d->out, "%s\n", text);
    }
    d->was_row = is_row;
    d->was_text = len > 0 && !is_row && !is_comment;
}

void hs_help_dictionary(struct hs_output *out, bool is_metrics, bool is_man, uint32_t columns)
{
    const struct hs_builtin *file = hs_builtin_find(DICTIONARY);
    const char *stop = file->data + file->len;
    struct dictionary d = {
        .out = out, .columns = columns, .is_man = is_man, .is_metrics = is_metrics};
    if (is_man)
        hs_man_title(out, is_metrics ? "-metrics" : "-files", is_metrics ? 7 : 5,
                     is_metrics ? "metrics of a run of horus" : "files that horus writes");
    for (const char *line = file->data, *end; line < stop; line = end + 1) {
        end = memchr(line, '\n', (size_t)(stop - line));
        end = end != NULL ? end : stop;
        if (end - line > 4 && line[0] == '#')
            begin_section(&d, line, (size_t)(end - line));
        else
            say_line(&d, line, end);
    }
}

/* ---- fish ---- */

/* As an argument in quotes. */
static void put_quoted(struct hs_output *out, const char *text)
{
    hs_output_put(out, "'", 1);
    for (const char *c = text; *c != '\0'; c++)
        hs_say(out, "%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
    hs_output_put(out, "'", 1);
}

static void fish_words(struct hs_output *out, const char *(*word_at)(size_t index))
{
    const char *word;
    hs_say(out, " -f -a '");
    for (size_t i = 0; (word = word_at(i)) != NULL; i++)
        hs_say(out, "%s%s", i > 0 ? " " : "", word);
    hs_say(out, "'");
}

static void fish_option(struct hs_output *out, const char *verb, const struct hs_option *o)
{
    hs_say(out, "complete -c horus -n '__fish_seen_subcommand_from %s' -l %s", verb,
           HS_LONG_NAME(&o->param));
    if (o->letter != 0)
        hs_say(out, " -s %c", o->letter);
    if (o->param.type != HS_PARAM_FLAG)
        hs_say(out, " -r");
    if (o->word_at != NULL)
        fish_words(out, o->word_at);
    for (const char *const *c = o->param.choices; o->param.type == HS_PARAM_CHOICE && *c; c++)
        hs_say(out, "%s%s%s", c == o->param.choices ? " -f -a '" : " ", *c, c[1] ? "" : "'");
    hs_say(out, " -d ");
    put_quoted(out, o->param.help);
    hs_say(out, "\n");
}

void hs_help_fish(struct hs_output *out, const struct hs_verb *verb, uint32_t columns)
{
    (void)columns;
    hs_say(out, "# fish completion of horus " HS_VERSION ", made by 'horus help --form=fish'.\n"
                "# To try it: horus help --form=fish | source\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "\ncomplete -c horus -n __fish_use_subcommand -f -a %s -d ", verb->name);
        put_quoted(out, verb->summary);
        hs_say(out, "\n");
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            fish_option(out, verb->name, o);
        if (verb->word_at != NULL) {
            hs_say(out, "complete -c horus -n '__fish_seen_subcommand_from %s'", verb->name);
            fish_words(out, verb->word_at);
            hs_say(out, "\n");
        }
    }
}
