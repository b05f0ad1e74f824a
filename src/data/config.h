/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The effective configuration of a verb: default < --config FILE < --set key=value < flag, over one
 * option table, with the origin of each value. Keys of the file are the long options with '_'
 * ('tie_jitter'); `policy` may be text or an object {"name": "fifo", "scan": "fit"}, converted to
 * "fifo:scan=fit"; --set policy.scan=fit adds to it.
 */
#pragma once

#include "base/io.h"
#include "base/memory.h"
#include "horus/param.h"

enum hs_origin { HS_FROM_DEFAULT, HS_FROM_FILE, HS_FROM_SET, HS_FROM_FLAG };

/* A command-line option: the parameter it sets, and its names. */
struct hs_option {
    struct hs_param param; /* key with '_' becomes --long-name with '-' */
    char letter;           /* short form; 0 if none */
    const char *group;     /* heading in --help all */
    bool in_short_help;
    bool is_repeated; /* TEXT: values are joined with '\n' */
    bool is_local;    /* only for this call (--config, --force, -o): not in the config */
    /* TEXT: refuses invalid text before anything is opened; NULL: any is valid. */
    enum hs_status (*check)(const char *text, struct hs_diag *diag);
    const char *(*word_at)(size_t index); /* TEXT: the allowed words, separated by commas if the
                                             unit is LIST; NULL after the last */
};

#define HS_OPTIONS_MAX 96

/* Converts "tie_jitter" to "tie-jitter"; returns name. */
char *hs_option_long_name(const struct hs_param *param, char *name, size_t size);
#define HS_LONG_NAME(param)                                                                        \
    hs_option_long_name(param, (char[64]){0}, 64) /* to the end of the block */

struct hs_json;
struct hs_json_doc;
struct hs_jsonw;

struct hs_config {
    const struct hs_option *options; /* ends with a NULL key */
    void *base;
    struct hs_arena *arena;
    enum hs_origin origin[HS_OPTIONS_MAX];
    const char *file;        /* of --config, named in origins */
    const char *policy_sets; /* from --set policy.key=value: ":key=value,..."; NULL = none */
};

HS_MUST_USE enum hs_status hs_config_init(struct hs_config *config, const struct hs_option *options,
                                          void *base, struct hs_arena *arena);
/* Copies the values, size bytes at of->base, to base, and all texts to arena. */
void hs_config_copy(struct hs_config *config, const struct hs_config *of, void *base, size_t size,
                    struct hs_arena *arena);
/* Reports all errors of the file (at most 20). */
HS_MUST_USE enum hs_status hs_config_load(struct hs_config *config, const char *path,
                                          struct hs_diag *diag);
/* The same for an object within a document; config->file names it in origins. */
HS_MUST_USE enum hs_status hs_config_load_object(struct hs_config *config,
                                                 const struct hs_json_doc *doc,
                                                 const struct hs_json *object,
                                                 struct hs_diag *diag);
/* Returns a JSON value for `key`, which may be "policy.KEY", as a pair "key=value" for
 * hs_config_set_pair, in the arena: checked like a value in a file, but not stored. place_of: the
 * place for messages about the key. */
HS_MUST_USE enum hs_status hs_config_pair(const struct hs_config *config,
                                          const struct hs_json_doc *doc, const char *key,
                                          const struct hs_json *value,
                                          const struct hs_json *place_of, const char **pair,
                                          struct hs_diag *diag);
/* Checks for empty texts, which are absent: HS_E_USAGE if the option has a default, and so requires
 * a value. verb: for the message. */
HS_MUST_USE enum hs_status hs_config_check(const struct hs_config *config, const char *verb,
                                           struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_config_set(struct hs_config *config, const char *key,
                                         const char *value, enum hs_origin origin,
                                         struct hs_diag *diag);
/* Returns the origin of the key's value. */
enum hs_origin hs_config_origin(const struct hs_config *config, const char *key);
/* Sets "key.path=value". */
HS_MUST_USE enum hs_status hs_config_set_pair(struct hs_config *config, const char *pair,
                                              struct hs_diag *diag);
/* Returns the next of a repeated option's values, the lines of *rest; NULL after the last. */
const char *hs_option_next(const char **rest, struct hs_arena *arena);
/* Writes the effective configuration as one JSON object: every option with a value that is not
 * local. ctx is a struct hs_config. */
void hs_config_json(void *ctx, struct hs_jsonw *w);
/* The same with null for missing values and `// origin` comments: a valid --config file. */
void hs_config_print(const struct hs_config *config, struct hs_output *out);

/* Sets the parameter `key` of every policy in specs to value; an existing one is replaced, or kept
 * if is_weak. In the arena. */
const char *hs_policyspec_set(struct hs_arena *arena, const char *specs, const char *key,
                              const char *value, bool is_weak);
/* Sets every parameter of `from` (one spec, its name is ignored) in specs. */
const char *hs_policyspec_merge(struct hs_arena *arena, const char *specs, const char *from,
                                bool is_weak);
