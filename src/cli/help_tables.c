/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of verbs and options as Markdown, for READMEs, and as JSON, for programs.
 */
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/metavar.h"
#include "cli/options.h"
#include "data/json.h"
#include "data/param.h"

/* In a cell: a bar would end it. */
static void put_cell(struct hs_output *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        hs_output_put(out, *c == '|' ? "\\|" : c, *c == '|' ? 2 : 1);
}

void hs_markdown_program(struct hs_output *out)
{
    const struct hs_verb *verb;
    hs_say(out, "| command | does |\n| --- | --- |\n");
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++) {
        hs_say(out, "| `horus %s%s", verb->name, *verb->operands != '\0' ? " " : "");
        put_cell(out, verb->operands);
        hs_say(out, "` | ");
        put_cell(out, verb->summary);
        hs_say(out, " |\n");
    }
}

void hs_markdown_verb(struct hs_output *out, const struct hs_verb *verb)
{
    char name[64], choices[256], range[256];
    hs_say(out, "| option | default | range | meaning | source |\n"
                "| --- | --- | --- | --- | --- |\n");
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        const struct hs_param *p = &o->param;
        const char *metavar = hs_option_metavar(p, choices, sizeof choices);
        const char *preset = hs_option_preset(p);
        hs_say(out, "| `");
        if (o->letter != 0)
            hs_say(out, "-%c, ", o->letter);
        hs_say(out, "--%s%s", hs_option_long_name(p, name, sizeof name),
               *metavar != '\0' ? "=" : "");
        put_cell(out, metavar);
        hs_say(out, "` | %s%s%s | %s | ", preset != NULL ? "`" : "", preset != NULL ? preset : "",
               preset != NULL ? "`" : "", hs_option_range(p, range, sizeof range));
        put_cell(out, p->help);
        hs_say(out, " | ");
        put_cell(out, p->source != NULL ? p->source : "");
        hs_say(out, " |\n");
    }
}

void hs_param_json(struct hs_jsonw *w, const struct hs_param *p)
{
    static const char *const types[] = {"flag",   "integer", "real",      "duration", "size_mib",
                                        "choice", "text",    "durations", "file"};
    char expects[256];
    (void)hs_param_expects(p, expects, sizeof expects);
    hs_jsonw_member_text(w, "key", p->key);
    hs_jsonw_member_text(w, "type", types[p->type]);
    hs_jsonw_member_text(w, "values", expects);
    hs_jsonw_member_text(w, "unit", p->unit);
    hs_jsonw_member_text(w, "default", p->preset);
    if (p->max > p->min) {
        hs_jsonw_key(w, "min");
        hs_jsonw_double(w, p->min);
        hs_jsonw_key(w, "max");
        hs_jsonw_double(w, p->max);
    }
    hs_jsonw_member_text(w, "help", p->help);
    hs_jsonw_member_text(w, "source", p->source);
}

static void words_json(struct hs_jsonw *w, const char *(*word_at)(size_t))
{
    const char *word;
    if (word_at == NULL)
        return;
    hs_jsonw_key(w, "words");
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (size_t i = 0; (word = word_at(i)) != NULL; i++)
        hs_jsonw_text(w, word);
    hs_jsonw_end_array(w);
}

static void member_bool(struct hs_jsonw *w, const char *key, bool value)
{
    hs_jsonw_key(w, key);
    hs_jsonw_bool(w, value);
}

static void option_json(struct hs_jsonw *w, const struct hs_option *o)
{
    char name[64], choices[256], letter[2] = {o->letter, '\0'};
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "long", hs_option_long_name(&o->param, name, sizeof name));
    hs_jsonw_member_text(w, "letter", o->letter != 0 ? letter : NULL);
    hs_jsonw_member_text(w, "metavar", hs_option_metavar(&o->param, choices, sizeof choices));
    hs_param_json(w, &o->param);
    words_json(w, o->word_at);
    hs_jsonw_member_text(w, "group", o->group);
    member_bool(w, "may_be_repeated", o->is_repeated);
    member_bool(w, "is_key_of_config", !o->is_local);
    hs_jsonw_end_object(w);
}

static void verb_json(struct hs_jsonw *w, const struct hs_verb *verb)
{
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "name", verb->name);
    hs_jsonw_member_text(w, "operands", verb->operands);
    hs_jsonw_member_text(w, "summary", verb->summary);
    words_json(w, verb->word_at);
    member_bool(w, "takes_config", hs_verb_has_option(verb, "config"));
    hs_jsonw_key(w, "options");
    hs_jsonw_array(w);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
        option_json(w, o);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

void hs_tables_json(struct hs_output *out, const struct hs_verb *verb)
{
    struct hs_jsonw w;
    hs_jsonw_begin(&w, out);
    if (verb != NULL) {
        verb_json(&w, verb);
    } else {
        hs_jsonw_array(&w);
        for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
            verb_json(&w, verb);
        hs_jsonw_end_array(&w);
    }
    hs_jsonw_finish(&w);
}
