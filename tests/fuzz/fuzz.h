/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Malformed bytes for everything that reads bytes. A target passes them to one reader, in this
 * process and without a disk, and ends the program if the reader breaks a guarantee; the status for
 * bad bytes is not checked. tests/fuzz/fuzz.c passes libFuzzer's bytes to the target in
 * $FUZZ_TARGET (make fuzz); test_corpus.c passes those of corpus/ to all of them, unchanged and
 * with seeded mutations.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "horus/status.h"

struct fuzz_target {
    const char *name;   /* "trace", or "trace-swf": bytes read as that format */
    const char *corpus; /* folder below corpus/ */
    void (*eat)(const struct fuzz_target *target, const uint8_t *bytes, size_t len);
    const char *words; /* of the command line, "%" is the path of the bytes */
};

#define FUZZ_TARGETS_MAX 64
const struct fuzz_target *fuzz_target_at(size_t index); /* NULL past the end */

/* A file in memory with these bytes; its path is valid until the next call with this slot. */
#define FUZZ_FILES 2
const char *fuzz_file(uint32_t slot, const void *bytes, size_t len);
/* `horus WORDS` with blanks between the words, "%" for the path, all output discarded. */
enum hs_status fuzz_command(const char *words, const char *path);
const char *fuzz_last_message(void); /* error message */
/* A folder for a run directory, on a tmpfs where there is one, removed at the end. */
const char *fuzz_folder(void);
/* Ends the program: a guarantee is broken. */
void fuzz_broken(const char *what, const char *detail);
/* The same, for hs_on_fatal: a small input that exhausts memory, or exceeds a documented limit. */
void fuzz_exhausted(enum hs_status status);

/* Whole runs (fuzz_run.c). */
void fuzz_verified(const struct fuzz_target *target, const uint8_t *bytes, size_t len);
void fuzz_run(const struct fuzz_target *target, const uint8_t *bytes, size_t len);
