/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tables of verbs, options, policies and formats say, in all its forms: help texts,
 * manual pages, Markdown, JSON, completion for two shells. Nothing is said in one form alone.
 */
#ifndef HORUS_CLI_HELP_H
#define HORUS_CLI_HELP_H

#include "cli/cli.h"
#include "horus/policy.h"

/* ---- text ---- */

/* A dozen lines and three examples; everything with default, range and unit. */
void hs_help_verb(struct hs_output *out, const struct hs_verb *verb, uint32_t columns);
void hs_help_verb_all(struct hs_output *out, const struct hs_verb *verb, uint32_t columns);
void hs_help_program(struct hs_output *out, uint32_t columns);
/* The trace formats and what each needs. */
void hs_help_formats(struct hs_output *out, uint32_t columns);

/* What they share with the manual. */
struct hs_exit_code {
    const char *code, *meaning;
};
const struct hs_exit_code *hs_exit_code_at(size_t index); /* NULL past the end */
const char *hs_program_example_at(size_t index);          /* likewise; without "horus " */
#define HS_PROGRAM_SUMMARY "A trace-driven simulator of GPU-cluster schedulers for deep learning."

bool hs_verb_has_option(const struct hs_verb *verb, const char *key);
/* The default as help shows it; NULL where there is none to show. */
const char *hs_option_preset(const struct hs_param *param);
/* The range or the values, where the metavar does not tell them; "" if so. */
const char *hs_option_range(const struct hs_param *param, char *text, size_t size);

/* ---- manual pages, as sources of scdoc(1) ---- */

void hs_man_program(struct hs_output *out);                          /* horus(1) */
void hs_man_verb(struct hs_output *out, const struct hs_verb *verb); /* horus-VERB(1) */
void hs_man_formats(struct hs_output *out);                          /* horus-formats(5) */
void hs_man_policies(struct hs_output *out, struct hs_arena *arena); /* horus-policies(7) */
/* Text of users and tables, of which no character is taken for markup. */
void hs_man_put(struct hs_output *out, const char *text);

/* ---- tables ---- */

void hs_markdown_program(struct hs_output *out);
void hs_markdown_verb(struct hs_output *out, const struct hs_verb *verb);
/* `verb` NULL: all of them. */
void hs_tables_json(struct hs_output *out, const struct hs_verb *verb);
/* One row of a table, of a verb or of a policy; members are left open for more. */
struct hs_jsonw;
void hs_param_json(struct hs_jsonw *w, const struct hs_param *param);

/* ---- completion ---- */

void hs_complete_bash(struct hs_output *out);
void hs_complete_zsh(struct hs_output *out);

#endif
