/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Macros for the rows of option tables: OWNER is the structure that the table fills, heading that
 * of the option's group (NULL = none). Arguments specific to a type precede the help, as in
 * horus/param.h: a range, the words, or the unit of a text.
 *
 *     #define OWNER struct plot_options
 *     static const struct hs_option options_table[] = {
 *         TEXT("output", output, "File", "a.svg", "FILE", "where it goes", LETTER('o'), SHORT),
 *         HS_OPTIONS_END,
 *     };
 */
#pragma once

#include "data/config.h"

#define OPTION(kind, key_, field, heading, preset_, ...)                                           \
    {                                                                                              \
        .param.key = key_, .param.type = HS_PARAM_##kind, .param.offset = offsetof(OWNER, field),  \
        .param.preset = preset_, .group = heading, .param.help = __VA_ARGS__                       \
    }
#define HS_OPTIONS_END                                                                             \
    {                                                                                              \
        .param.key = NULL                                                                          \
    }
#define FLAG(key, field, heading, ...) OPTION(FLAG, key, field, heading, "no", __VA_ARGS__)
#define INT(key, field, heading, preset, least, most, ...)                                         \
    OPTION(INT, key, field, heading, preset, __VA_ARGS__, .param.min = least, .param.max = most)
#define REAL(key, field, heading, preset, least, most, ...)                                        \
    OPTION(REAL, key, field, heading, preset, __VA_ARGS__, .param.min = least, .param.max = most)
#define DURATION(key, field, heading, preset, least, most, ...)                                    \
    OPTION(DURATION, key, field, heading, preset, __VA_ARGS__, .param.min = least,                 \
           .param.max = most)
#define CHOICE(key, field, heading, preset, words, ...)                                            \
    OPTION(CHOICE, key, field, heading, preset, __VA_ARGS__, .param.choices = words)
#define TEXT(key, field, heading, preset, unit_, ...)                                              \
    OPTION(TEXT, key, field, heading, preset, __VA_ARGS__, .param.unit = unit_)
#define REPLACE(heading) FLAG("force", force, heading, "replace FILE", LETTER('f'), SHORT, LOCAL)

#define SHORT     .in_short_help = true
#define LOCAL     .is_local = true
#define REPEATED  .is_repeated = true
#define LETTER(c) .letter = c
#define UNIT(u)   .param.unit = u
#define SOURCE(s) .param.source = s
