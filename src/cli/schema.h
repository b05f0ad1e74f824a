/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON Schema (draft 2020-12) of what horus reads, from the tables of options and policies: types,
 * ranges, choices, defaults. It refuses what horus refuses of one value; what holds between values
 * (each rises above the one before it) a schema cannot say.
 */
#ifndef HORUS_CLI_SCHEMA_H
#define HORUS_CLI_SCHEMA_H

#include "cli/cli.h"
#include "data/json.h"
#include "horus/policy.h"

/* A regular expression that grows; assert()ed to fit. */
#define HS_REGEX_SIZE 16384
struct hs_regex {
    size_t len;
    char text[HS_REGEX_SIZE];
};
void hs_regex_begin(struct hs_regex *r); /* "^(" */
void hs_regex_put(struct hs_regex *r, const char *pattern);
void hs_regex_put_word(struct hs_regex *r, const char *word, size_t len); /* stands for itself */
/* ")$"; or_empty: the empty text, too */
void hs_regex_end(struct hs_regex *r, bool or_empty);
/* What the texts of a parameter look like; as a parameter of a policy it has no comma. */
void hs_regex_put_param(struct hs_regex *r, const struct hs_param *param);

/* Members of an open object: type, range, pattern, choices and default of a value. is_of_policy: it
 * stands in the object of a policy. */
void hs_schema_param(struct hs_jsonw *w, const struct hs_param *param, bool is_of_policy);
/* description and value of the key of an option. */
void hs_schema_option(struct hs_jsonw *w, const struct hs_option *option);

/* Members "policy" and "policy_NAME" of an open "$defs". */
void hs_schema_policies(struct hs_jsonw *w);

/* Members of an open object: what -c reads. */
void hs_schema_cluster(struct hs_jsonw *w);

/* The same of what --workload and gen:FILE read. */
void hs_schema_workload(struct hs_jsonw *w);

/* Member "$schema" of open "properties": by it editors find the schema; it is read over. */
void hs_schema_key(struct hs_jsonw *w);

#endif
