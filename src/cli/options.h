/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A command line against the option table of its verb: default < --config FILE < --set key=value <
 * flag. Options and operands may be mixed, "--" ends the options, long names may be shortened as
 * far as they stay unique. The environment has no effect (POSIXLY_CORRECT is ignored).
 */
#ifndef HORUS_CLI_OPTIONS_H
#define HORUS_CLI_OPTIONS_H

#include "cli/cli.h"

enum hs_help_wish { HS_HELP_NONE, HS_HELP_SHORT, HS_HELP_ALL };

/* argv[0], the name of the verb, is skipped. Fills call->options, call->config and the operands.
 * *help: --help or -h was met, nothing else was done. */
HS_MUST_USE enum hs_status hs_options_parse(struct hs_call *call, int argc, char **argv,
                                            enum hs_help_wish *help);

/* "N", "REAL", "DURATION", "off|fast|full", or the unit of a text; "" for a flag. */
const char *hs_option_metavar(const struct hs_param *param, char *text, size_t size);

/* NULL if the table has no such key. */
const struct hs_option *hs_option_find(const struct hs_option *table, const char *key);
/* The next value of a repeated option, whose values are lines of *rest; NULL after the last. */
const char *hs_option_next(const char **rest, struct hs_arena *arena);

#endif
