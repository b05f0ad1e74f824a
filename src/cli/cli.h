/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A verb of the command line is a const record, last in its file in verbs/, and one line in
 * HS_VERBS. Option parsing, help and --print-config are derived from its table.
 */
#pragma once

#include "cli/process.h"
#include "data/config.h"
#include "data/json.h"

struct hs_verb;

/* A call of the program, as passed to a verb. */
struct hs_call {
    const struct hs_verb *verb;
    void *options; /* the struct described by the verb's table, filled */
    struct hs_config config;
    char **operands;
    uint32_t operand_count;
    const char *const *command; /* argv of the program, NULL-terminated */
    struct hs_arena arena;
    struct hs_output out; /* standard output */
    struct hs_diag diag;
    struct hs_terminal terminal;
    struct hs_status_line reading; /* of hs_show_reading */
    const char *reading_what;
};

#define HS_EXAMPLES 3

struct hs_verb {
    const char *name, *operands, *summary;
    /* Possible operands, if it has any; NULL after the last. */
    const char *(*word_at)(size_t index);
    const char *details; /* a paragraph for --help all; NULL if the summary suffices */
    const char *examples[HS_EXAMPLES];
    const struct hs_option *options; /* ends with a NULL key */
    size_t options_size;
    uint32_t operands_min, operands_max;
    enum hs_status (*run)(struct hs_call *call);
};

/* The verbs in the order of the help: HS_VERB(name) is hs_verb_NAME. */
#define HS_VERBS                                                                                   \
    HS_VERB(run)                                                                                   \
    HS_VERB(compare)                                                                               \
    HS_VERB(sweep)                                                                                 \
    HS_VERB(backtest)                                                                              \
    HS_VERB(trace)                                                                                 \
    HS_VERB(generate)                                                                              \
    HS_VERB(policies)                                                                              \
    HS_VERB(clusters)                                                                              \
    HS_VERB(calibrate)                                                                             \
    HS_VERB(predict)                                                                               \
    HS_VERB(report)                                                                                \
    HS_VERB(plot)                                                                                  \
    HS_VERB(explain)                                                                               \
    HS_VERB(verify)                                                                                \
    HS_VERB(rerun)                                                                                 \
    HS_VERB(schema)                                                                                \
    HS_VERB(version)                                                                               \
    HS_VERB(help)
#define HS_VERB(name) extern const struct hs_verb hs_verb_##name;
HS_VERBS
#undef HS_VERB

/* Verbs 0, 1, ...; NULL after the last. */
const struct hs_verb *hs_verb_at(size_t index);
const char *hs_verb_name_at(size_t index);
/* Returns NULL if there is none. */
const struct hs_verb *hs_verb_find(const char *name);
/* HS_E_USAGE with the nearest verb if there is none. */
HS_MUST_USE enum hs_status hs_verb_get(const char *name, const struct hs_verb **verb,
                                       struct hs_diag *diag);

/* Goes to the folder in which a finished run was made if a relative path of its inputs holds there
 * and not here. Returns the path of the run from there, and makes *path (may be NULL) hold there,
 * too. */
const char *hs_enter_folder_of(struct hs_call *call, const char *run, const char **path);

/* From now on messages of this call include what is read of finished runs, and how far, on a
 * terminal. */
void hs_show_reading(struct hs_call *call);

/* ---- words of a list ---- */

/* Finds the index of a word in a list; if missing, reports HS_E_USAGE with `what` and the word, and
 * as a hint the nearest word or `otherwise`. */
HS_MUST_USE enum hs_status hs_word_find(const char *const *words, uint32_t count, const char *word,
                                        const char *what, const char *otherwise, uint32_t *index,
                                        struct hs_diag *diag);
/* The same in a list given by a function, of at most HS_WORDS_MAX words. */
#define HS_WORDS_MAX 64
HS_MUST_USE enum hs_status hs_word_find_at(const char *(*word_at)(size_t index), const char *word,
                                           const char *what, const char *otherwise, uint32_t *index,
                                           struct hs_diag *diag);
/* Tells whether a NULL-terminated list contains the word. */
bool hs_word_is_in(const char *const *words, const char *word);

/* ---- options: default < --config FILE < --set key=value < flag. Options and operands may be
 * mixed, "--" ends the options, long names may be abbreviated if unique. The environment has no
 * effect (POSIXLY_CORRECT is ignored) ---- */

enum hs_help_request { HS_HELP_NONE, HS_HELP_SHORT, HS_HELP_ALL };

/* Skips argv[0], the name of the verb. Fills call->options, call->config and the operands. *help:
 * --help or -h was found; nothing else was done. */
HS_MUST_USE enum hs_status hs_options_parse(struct hs_call *call, int argc, char **argv,
                                            enum hs_help_request *help);
/* Returns "N", "REAL", "DURATION", "off|fast|full", or the unit of a text; "" for a flag. */
const char *hs_option_metavar(const struct hs_param *param, char *text, size_t size);
#define HS_METAVAR(param)                                                                          \
    hs_option_metavar(param, (char[256]){0}, 256) /* to the end of the block */
/* Returns NULL if the table has no such key. */
const struct hs_option *hs_option_find(const struct hs_option *table, const char *key);

/* Prints compiler, flags and libraries for `horus version --verbose`. */
void hs_version_say(struct hs_output *out, bool is_verbose);

/* `horus predict --list`: prints the models of a catalogue and the data of each (models.c). */
HS_MUST_USE enum hs_status hs_predict_list(struct hs_output *out, const char *profiles,
                                           bool as_json, struct hs_diag *diag);

/* ---- the tables of verbs, options, policies and formats in all forms (help.c) ---- */

/* Prints help: of all verbs if verb is NULL; of one verb a dozen lines and three examples, or
 * (is_all) all options with default, range and unit. */
void hs_help_say(struct hs_output *out, const struct hs_verb *verb, bool is_all, uint32_t columns);

/* Prints the dictionary of the files that runs write, or of their metrics (help_dictionary.c). */
/* Writes the completion of fish; verb and columns have no effect. */
void hs_help_fish(struct hs_output *out, const struct hs_verb *verb, uint32_t columns);
void hs_help_dictionary(struct hs_output *out, bool is_metrics, bool is_man, uint32_t columns);

/* Parts of a manual page, as scdoc(1) source. name: "" for horus itself, "-run" for a command. */
void hs_man_title(struct hs_output *out, const char *name, int section, const char *summary);
/* Prints text with %s unchanged, %t with escaped markup, %. the same with a final full stop unless
 * it has one. */
void hs_man_say(struct hs_output *out, const char *format, ...);

/* Writes a row of an option or parameter table as JSON; the object remains open for more
 * members. */
void hs_param_json(struct hs_jsonw *w, const struct hs_param *param);

/* ---- the vocabulary of values: words in capitals such as "FILE" or "TIME", with the texts each
 * allows, its completion and its meaning ---- */

/* Regular expressions; if the table says so, a sign may precede a number and a per cent sign follow
 * it. */
#define HS_PATTERN_NUMBER "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"
#define HS_PATTERN_TIME   HS_PATTERN_NUMBER "(s|ms|us|m|min|h|d)?"
#define HS_PATTERN_SIZE   HS_PATTERN_NUMBER "(MiB|MB|GiB|GB|TiB|TB)?"

struct hs_metavar {
    const char *name;
    /* Shell completion: "@file", "@dir", "@policy" (with parameters), "@command", "@setting"
     * (key=value), "@word" or "@list" (the option's own words), "@none". */
    const char *offers;
    const char *pattern; /* regular expression for allowed texts, valid in ECMAScript and POSIX
                            extended; NULL: any */
    const char *number;  /* JSON type of allowed bare numbers, all >= 0; NULL: none, or, if any text
                            is allowed, any number */
    const char *meaning; /* for the manual; NULL if the option's help suffices */
};

/* An alternative of "TIME|auto|exact" or of the operand "[COMMAND|formats]". */
struct hs_metavar_part {
    const char *text;
    size_t len;
    bool is_literal;                /* a literal such as "auto" */
    const struct hs_metavar *known; /* NULL for a literal or a name not in the vocabulary */
};

/* Gets alternative `index` of a verb's operand at `position` (from 0), or with position 0 of an
 * option's unit; false after the last. */
bool hs_metavar_part(const char *text, uint32_t position, uint32_t index,
                     struct hs_metavar_part *part);
