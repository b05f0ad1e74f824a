/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A parameter table: the single source of parsing, ranges, help, `horus policies NAME` and
 * --print-config. Policies and command-line options are described by the same record, a row each:
 *
 *     struct state { int32_t scan; int64_t round_us; };
 *     static const char *const scans[] = {"strict", "fit", NULL};
 *     static const struct hs_param params[] = {
 *         HS_PARAM_CHOICE(struct state, scan, "scan", "strict", scans,
 *                         "what to do behind a job that does not fit"),
 *         HS_PARAM_DURATION(struct state, round_us, "round", "0s", 0, 86400,
 *                           "decide only at multiples of this", .source = "the authors' code"),
 *         {0}};
 */
#ifndef HORUS_PARAM_H
#define HORUS_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hs_param_type {
    HS_PARAM_FLAG,      /* bool: yes/no, on/off, true/false, 1/0 */
    HS_PARAM_INT,       /* int64_t */
    HS_PARAM_REAL,      /* double */
    HS_PARAM_DURATION,  /* int64_t, microseconds; text 90s, 2h, 1.5d, bare number = seconds */
    HS_PARAM_SIZE_MIB,  /* int64_t, MiB; text 16GiB, 512MiB, bare number = MiB */
    HS_PARAM_CHOICE,    /* int32_t, index into choices */
    HS_PARAM_TEXT,      /* const char *, of the owner of the table's base (data/param_table.h) */
    HS_PARAM_DURATIONS, /* struct hs_durations; text 7/30/60 */
    HS_PARAM_FILE,      /* as TEXT: path of a file that the run reads, an input of it */
};

#define HS_DURATIONS_MAX 8
struct hs_durations {
    uint32_t count;
    int64_t us[HS_DURATIONS_MAX];
};

/* One row; a table ends with a row whose key is NULL. */
struct hs_param {
    const char *key;
    enum hs_param_type type;
    size_t offset;      /* of the value in the struct that the table describes */
    const char *preset; /* default, as text; NULL for a TEXT that is absent by default */
    double min, max;    /* inclusive; of INT, REAL, SIZE_MIB, DURATION(S) in s, when max > min */
    double floor;       /* of a DURATION where 0 switches off: any other is at least this, in s */
    bool is_rising;     /* DURATIONS: each is above the one before it */
    const char *const *choices; /* CHOICE: NULL-terminated */
    const char *only_with;      /* "key=a|b", "key=a|b or other=c": has an effect only where that
                                   parameter, or the other, is one of these; given without, it is
                                   warned of. NULL: always */
    const char *unit;           /* printed in help; NULL if none */
    const char *help;           /* one line, no final stop */
    const char *source;         /* where the default comes from; NULL if our choice */
};

/* A row: the struct that the table describes, its field, the key, the default as text (NULL:
 * absent), the range or the choices where the type has one (0, 0: any number), the unit where the
 * value is text, the help, then any other fields of struct hs_param by name. */
#define HS_PARAM_ROW(type_, owner, field, key_, preset_, ...)                                      \
    {                                                                                              \
        .key = key_, .type = type_, .offset = offsetof(owner, field), .preset = preset_,           \
        __VA_ARGS__                                                                                \
    }
#define HS_PARAM_FLAG(owner, field, key, preset, ...)                                              \
    HS_PARAM_ROW(HS_PARAM_FLAG, owner, field, key, preset, .help = __VA_ARGS__)
#define HS_PARAM_INT(owner, field, key, preset, least, most, ...)                                  \
    HS_PARAM_RANGE(HS_PARAM_INT, owner, field, key, preset, least, most, __VA_ARGS__)
#define HS_PARAM_REAL(owner, field, key, preset, least, most, ...)                                 \
    HS_PARAM_RANGE(HS_PARAM_REAL, owner, field, key, preset, least, most, __VA_ARGS__)
#define HS_PARAM_DURATION(owner, field, key, preset, least, most, ...)                             \
    HS_PARAM_RANGE(HS_PARAM_DURATION, owner, field, key, preset, least, most, __VA_ARGS__)
#define HS_PARAM_DURATIONS(owner, field, key, preset, least, most, ...)                            \
    HS_PARAM_RANGE(HS_PARAM_DURATIONS, owner, field, key, preset, least, most, __VA_ARGS__)
#define HS_PARAM_SIZE_MIB(owner, field, key, preset, least, most, ...)                             \
    HS_PARAM_RANGE(HS_PARAM_SIZE_MIB, owner, field, key, preset, least, most, __VA_ARGS__)
#define HS_PARAM_RANGE(type, owner, field, key, preset, least, most, ...)                          \
    HS_PARAM_ROW(type, owner, field, key, preset, .min = least, .max = most, .help = __VA_ARGS__)
#define HS_PARAM_CHOICE(owner, field, key, preset, words, ...)                                     \
    HS_PARAM_ROW(HS_PARAM_CHOICE, owner, field, key, preset, .choices = words, .help = __VA_ARGS__)
#define HS_PARAM_TEXT(owner, field, key, preset, unit_, ...)                                       \
    HS_PARAM_ROW(HS_PARAM_TEXT, owner, field, key, preset, .unit = unit_, .help = __VA_ARGS__)
#define HS_PARAM_FILE(owner, field, key, preset, unit_, ...)                                       \
    HS_PARAM_ROW(HS_PARAM_FILE, owner, field, key, preset, .unit = unit_, .help = __VA_ARGS__)

/* The end of a table, which is {0}, with a constant for the struct: what a policy is among several
 * of one family, in a field of int32_t. */
#define HS_PARAM_END(owner, field, value)                                                          \
    {                                                                                              \
        .offset = offsetof(owner, field), .min = value                                             \
    }

#endif
