/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of verbs, options, policies and formats in all forms: help texts, manual pages,
 * Markdown, JSON, completion for two shells. Every form has the same content.
 */
#ifndef HORUS_CLI_HELP_H
#define HORUS_CLI_HELP_H

#include "cli/cli.h"
#include "data/json.h"
#include "horus/policy.h"

/* ---- text ---- */

/* Of all verbs where verb is NULL; of one a dozen lines and three examples, or is_all: everything
 * with default, range and unit. */
void hs_help_say(struct hs_output *out, const struct hs_verb *verb, bool is_all, uint32_t columns);

/* ---- manual pages, as sources of scdoc(1) ---- */

/* Parts of a page. name: "" for horus itself, "-run" for a command. */
void hs_man_title(struct hs_output *out, const char *name, int section, const char *summary);
/* Text with %s as it is, %t with its markup escaped, %. the same with a final stop, unless it has
 * one.
 */
void hs_man_say(struct hs_output *out, const char *format, ...);

/* ---- tables ---- */

/* One row of a table, of a verb or of a policy; members are left open for more. */
void hs_param_json(struct hs_jsonw *w, const struct hs_param *param);

/* ---- completion scripts ---- */

void hs_complete_bash(struct hs_output *out, const struct hs_verb *verb, uint32_t columns);
void hs_complete_zsh(struct hs_output *out, const struct hs_verb *verb, uint32_t columns);

/* ---- the vocabulary of values: words in capitals such as "FILE" or "TIME", what each means, which
 * texts it stands for and what a shell offers for it ---- */

/* Regular expressions; a sign may stand before a number, and per cent behind one, where the table
 * says so. */
#define HS_PATTERN_NUMBER "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"
#define HS_PATTERN_TIME   HS_PATTERN_NUMBER "(s|ms|us|m|min|h|d)?"
#define HS_PATTERN_SIZE   HS_PATTERN_NUMBER "(MiB|MB|GiB|GB|TiB|TB)?"

enum hs_metavar_kind {
    HS_METAVAR_FREE, /* nothing to offer */
    HS_METAVAR_FILE,
    HS_METAVAR_DIR,
    HS_METAVAR_POLICY,  /* a policy with its parameters */
    HS_METAVAR_COMMAND, /* a verb */
    HS_METAVAR_SETTING, /* key=value of a configuration */
    HS_METAVAR_WORD,    /* a word of the option's own list */
};

struct hs_metavar {
    const char *name;
    enum hs_metavar_kind kind;
    const char *pattern; /* of the texts it stands for, as a regular expression that ECMAScript and
                            POSIX extended have in common; NULL: any */
    const char *number;  /* JSON type of the bare numbers that are such a value, none of them below
                            0; NULL: none is, or, where any text is one, any number */
    const char *meaning; /* for the manual; NULL where the option's own help says it all */
};

/* index 0, 1, ... until NULL. */
const struct hs_metavar *hs_metavar_at(size_t index);

/* One of the alternatives of "TIME|auto|exact" or of the operand "[COMMAND|formats]". */
struct hs_metavar_part {
    const char *text;
    size_t len;
    bool is_literal;                /* "auto": stands for itself */
    const struct hs_metavar *known; /* NULL for a literal, and for a name not in the vocabulary */
};

/* Alternative `index` of the operand at `position` (from 0) of a verb, or with position 0 of the
 * unit of an option; false when there are no more. */
bool hs_metavar_part(const char *text, uint32_t position, uint32_t index,
                     struct hs_metavar_part *part);

#endif
