/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages to the user: `file:line:col: error: what`, the source line with a caret, a hint. Library
 * code reports here and returns a status; only the sink determines where the text is written.
 *
 *     return hs_fail(diag, HS_E_INPUT, &place, "times are seconds, e.g. 12.5",
 *                    "submit_time is not a number: '%s'", text);
 *
 * The text of one report is one call of emit, lines separated by '\n', without a final one:
 *
 *     traces/a.csv:4:6: error: submit_time is not a number: 'x7'
 *       4 | 3,17,x7,100
 *         |      ^~
 *       = hint: times are seconds, e.g. 12.5
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "horus/status.h"

enum hs_severity { HS_NOTE, HS_WARNING, HS_ERROR };

/* A place, of which any part may be absent (file NULL, line 0, column 0, text NULL). Column is
 * 1-based, in bytes; span is the number of bytes to underline (at least 1 is drawn). */
struct hs_place {
    const char *file;
    int64_t line;
    int32_t column;
    int32_t span;
    const char *text; /* the source line, text_len bytes, no line end */
    size_t text_len;
};

/* The address of a place: HS_AT({.file = path}), HS_AT(hs_csv_place(csv, 0)). */
#define HS_AT(...) ((const struct hs_place[]){__VA_ARGS__})

struct hs_diag {
    void (*emit)(void *ctx, enum hs_severity severity, const char *text, size_t len);
    void *ctx;
    uint64_t errors, warnings;
    enum hs_severity least;       /* less severe reports are counted, not emitted */
    const struct hs_place *where; /* used for reports without a place; NULL: none */
    /* Shows what is read or done, and how much of it, 0 to 1, negative if unknown; NULL: nothing
     * does. */
    void (*advance)(void *ctx, const char *what, double share);
    void *advance_ctx;
};

static inline void hs_advance(const struct hs_diag *diag, const char *what, double share)
{
    if (diag->advance != NULL)
        diag->advance(diag->advance_ctx, what, share);
}

/* The sink that writes to a FILE * is in src/cli; tests collect into memory. */
void hs_diag_init(struct hs_diag *diag,
                  void (*emit)(void *ctx, enum hs_severity, const char *text, size_t len),
                  void *ctx);

/* place and hint may be NULL. Control characters in user data are printed as \xNN. */
HS_PRINTF(5, 6)
HS_COLD void hs_report(struct hs_diag *diag, enum hs_severity severity,
                       const struct hs_place *place, const char *hint, const char *fmt, ...);

/* Warns about some of many: "3 of 8 " and the message; does nothing if some is 0. */
HS_PRINTF(5, 6)
HS_COLD void hs_warn_some(struct hs_diag *diag, const char *hint, uint64_t some, uint64_t many,
                          const char *fmt, ...);

/* hs_report(HS_ERROR, ...), then returns status, so that a failure is one line. */
HS_PRINTF(5, 6)
HS_COLD enum hs_status hs_fail(struct hs_diag *diag, enum hs_status status,
                               const struct hs_place *place, const char *hint, const char *fmt,
                               ...);

/* Returns the word nearest to `word` by edit distance, at most 1 + len/3; NULL if none. For "did
 * you mean '%s'?". Ties: the first. */
const char *hs_nearest(const char *word, const char *const *words, size_t count);
/* Formats "did you mean 'x'?" by hs_nearest(), or `otherwise` if no word is near. */
#define HS_HINT_SIZE 128
const char *hs_did_you_mean(char text[HS_HINT_SIZE], const char *word, const char *const *words,
                            size_t count, const char *otherwise);

/* Returns the position of the first control character in text[0, len) (C0, DEL, or C1 as UTF-8),
 * such as the start of a terminal's escape sequence; len if there is none. */
size_t hs_control_find(const char *text, size_t len);

/* Returns the bytes of the UTF-8 character at text, of which len bytes are readable; 0 if invalid
 * (RFC 3629: no overlong forms, no surrogates). */
size_t hs_utf8_len(const char *text, size_t len);
