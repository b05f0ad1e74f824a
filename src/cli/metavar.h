/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words in capitals that stand for a value in help texts ("FILE", "TIME|auto"): what each
 * means, which texts it stands for and what a shell can offer for it. Help pages, completion and
 * the JSON Schema read the units of the option tables through this one vocabulary.
 */
#ifndef HORUS_CLI_METAVAR_H
#define HORUS_CLI_METAVAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    HS_METAVAR_WORD,    /* what the option's own list of words has */
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

/* Alternative `index` of what may stand at operand `position` (from 0) of a verb's operands, or
 * with position 0 of an option's unit; false when there are no more. */
bool hs_metavar_part(const char *text, uint32_t position, uint32_t index,
                     struct hs_metavar_part *part);

#endif
