/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages to the user: `file:line:col: error: what`, the source line with a caret, a hint.
 * Library code reports here and returns a status; only the sink decides where the text goes.
 *
 *     return hs_fail(diag, HS_E_INPUT, &place, "times are seconds, e.g. 12.5",
 *                    "submit_time is not a number: '%s'", text);
 *
 * The text of one report is one call of emit, lines separated by '\n', none at the end:
 *
 *     traces/a.csv:4:6: error: submit_time is not a number: 'x7'
 *         4 | 3,17,x7,100
 *           |      ^~
 *           = hint: times are seconds, e.g. 12.5
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "horus/status.h"

enum hs_severity { HS_NOTE, HS_WARNING, HS_ERROR };

/* Where: any part may be absent (file NULL, line 0, column 0, text NULL). Column is 1-based, in
 * bytes; span is how many bytes to underline (at least 1 is drawn). */
struct hs_place {
    const char *file;
    int64_t line;
    int32_t column;
    int32_t span;
    const char *text; /* the source line, text_len bytes, no line end */
    size_t text_len;
};

struct hs_diag {
    void (*emit)(void *ctx, enum hs_severity severity, const char *text, size_t len);
    void *ctx;
    uint64_t errors, warnings;
    enum hs_severity least;       /* reports below this are counted, not emitted */
    const struct hs_place *where; /* of reports that name no place; NULL: none */
};

/* Sink that writes to a FILE * is in src/cli; tests collect into memory. */
void hs_diag_init(struct hs_diag *diag,
                  void (*emit)(void *ctx, enum hs_severity, const char *text, size_t len),
                  void *ctx);

/* place and hint may be NULL. Control characters of user data are printed as \xNN. */
HS_PRINTF(5, 6)
HS_COLD void hs_report(struct hs_diag *diag, enum hs_severity severity,
                       const struct hs_place *place, const char *hint, const char *fmt, ...);

/* A warning about some of many, "3 of 8 " and the message; none where there are 0. */
HS_PRINTF(5, 6)
HS_COLD void hs_warn_some(struct hs_diag *diag, const char *hint, uint64_t some, uint64_t many,
                          const char *fmt, ...);

/* hs_report(HS_ERROR, ...) that returns status, so that a failure is one line. */
HS_PRINTF(5, 6)
HS_COLD enum hs_status hs_fail(struct hs_diag *diag, enum hs_status status,
                               const struct hs_place *place, const char *hint, const char *fmt,
                               ...);

/* The nearest of count words to `word` by edit distance, at most 1 + len/3 away; NULL if none.
 * For "did you mean '%s'?". Ties go to the first. */
const char *hs_nearest(const char *word, const char *const *words, size_t count);
/* "did you mean 'x'?" in text, by hs_nearest(); `otherwise` where no word is near. */
#define HS_HINT_SIZE 128
const char *hs_did_you_mean(char text[HS_HINT_SIZE], const char *word, const char *const *words,
                            size_t count, const char *otherwise);

/* Of text[0, len): where the first control character is (C0, DEL, or C1 as UTF-8), such as the one
 * that begins a terminal's escape sequence; len if there is none. */
size_t hs_control_find(const char *text, size_t len);

/* Bytes of the UTF-8 character at text, of which len bytes may be read; 0 if there is none (RFC
 * 3629: no overlong forms, no surrogates). */
size_t hs_utf8_len(const char *text, size_t len);
