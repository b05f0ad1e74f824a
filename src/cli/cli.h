/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A verb of the command line is one file cmd_NAME.c with one const record, last in the file, and
 * one line in verbs.def. Option parsing, help and --print-config come from its table.
 */
#ifndef HORUS_CLI_CLI_H
#define HORUS_CLI_CLI_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/memory.h"
#include "cli/terminal.h"
#include "data/config.h"

struct hs_verb;

/* One call of the program: what a verb gets. */
struct hs_call {
    const struct hs_verb *verb;
    void *options; /* the struct that the verb's table describes, filled in */
    struct hs_config config;
    char **operands;
    uint32_t operand_count;
    const char *const *command; /* argv of the program, NULL-terminated */
    struct hs_arena arena;
    struct hs_output out; /* standard output */
    struct hs_diag diag;
    struct hs_terminal terminal;
};

#define HS_EXAMPLES 3

struct hs_verb {
    const char *name, *operands, *summary;
    const char *(*word_at)(size_t index); /* what its operands may be, where they are words of its
                                             own; NULL past the end */
    const char *details; /* a paragraph for --help all; NULL if the summary says it */
    const char *examples[HS_EXAMPLES];
    const struct hs_option *options; /* ends with a NULL key */
    size_t options_size;
    uint32_t operands_min, operands_max;
    enum hs_status (*run)(struct hs_call *call);
};

#define HS_VERB(name) extern const struct hs_verb hs_verb_##name;
#include "cli/verbs.def"
#undef HS_VERB

/* index 0, 1, ... until NULL. */
const struct hs_verb *hs_verb_at(size_t index);
const struct hs_verb *hs_verb_find(const char *name);
/* HS_E_USAGE with the nearest verb. */
HS_MUST_USE enum hs_status hs_verb_unknown(const char *name, struct hs_diag *diag);

/* Compiler, flags and libraries, as `horus version --verbose` shows them. */
void hs_version_say(struct hs_output *out, bool is_verbose);

#endif
