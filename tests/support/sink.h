/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fixture of the unit tests: a sink that keeps reports as text, a scratch folder, files in it.
 *
 *     struct sink sink;
 *     sink_init(&sink);
 *     assert_int_equal(load(path, &sink.diag), HS_E_INPUT);
 *     assert_string_equal(sink.text, "a.csv:4: error: ...\n");
 */
#ifndef HORUS_TESTS_SINK_H
#define HORUS_TESTS_SINK_H

#include <stddef.h>

#include "base/diag.h"

/* Reports in order, each ended by a '\n'; text beyond the buffer is dropped. */
struct sink {
    struct hs_diag diag;
    size_t len;
    char text[65536];
};

void sink_init(struct sink *sink);
void sink_clear(struct sink *sink); /* text and counts */

/* cmocka group set-up and tear-down: a new folder under $TMPDIR or /tmp, removed with all in it. */
int scratch_open(void **state);
int scratch_close(void **state);
int scratch_enter(void **state); /* scratch_open, with the folder as working directory */
/* Path of a file in it; static storage, valid for the next four calls. */
const char *scratch_path(const char *name);
/* Writes len bytes there; returns the path. */
const char *scratch_write(const char *name, const void *data, size_t len);
/* The same for a text; its path is copied into `path`, of `size` bytes. */
void scratch_keep(char *path, size_t size, const char *name, const char *text);

#endif
