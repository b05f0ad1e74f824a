/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words for the rows of option tables, for files that define one: OWNER is the structure that the
 * table fills.
 *
 *     #define OWNER struct plot_options
 *     static const struct hs_option options_table[] = {
 *         ROW(output, TEXT, "File", "a.svg", "where it goes", UNIT("FILE"), LETTER('o'), SHORT),
 *         HS_OPTIONS_END,
 *     };
 */
#ifndef HORUS_CLI_OPTION_ROWS_H
#define HORUS_CLI_OPTION_ROWS_H

#include <stddef.h>

#include "data/config.h"

/* heading: of its group, NULL = none. */
#define ROW_AT(key, kind, field, heading, preset, ...)                                             \
    HS_OPTION(kind, #key, offsetof(OWNER, field), preset, __VA_ARGS__, .group = heading)
/* Where the key is the name of the field. */
#define ROW(name, kind, heading, preset, ...) ROW_AT(name, kind, name, heading, preset, __VA_ARGS__)
#define SHORT                                 .in_short_help = true
#define LOCAL                                 .is_local = true
#define REPEATED                              .is_repeated = true
#define LETTER(c)                             .letter = c
#define UNIT(u)                               .param.unit = u
#define WORDS(w)                              .param.choices = w
#define SOURCE(s)                             .param.source = s

#endif
