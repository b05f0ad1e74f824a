/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes in and out. Readers take plain, gzip and zstd by their first bytes, "-" is standard input;
 * multi-member gzip and multi-frame zstd are read to the end, a truncated one is an error.
 * Writers buffer, hash (XXH3-64) and count what they write, and keep the first error: every failed
 * write, fsync or close ends in HS_E_IO with the system's reason.
 */
#ifndef HORUS_BASE_IO_H
#define HORUS_BASE_IO_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "horus/compiler.h"

struct hs_input;

/* For a signal handler without SA_RESTART: once set, a read that waits ends in HS_E_INTERRUPTED. */
extern volatile sig_atomic_t hs_input_stop;

/* Prefix of a generated trace, such as "gen:philly,n=100": the data of this input are the
 * characters of the path themselves, so that their hash identifies it; a trace reader makes jobs of
 * them. */
#define HS_INPUT_GENERATED "gen:"

/* path is borrowed until close; "-" is standard input, "builtin:x" a file of the program itself
 * (base/builtin.h), "gen:x" itself. */
HS_MUST_USE enum hs_status hs_input_open(struct hs_input **in, const char *path,
                                         struct hs_diag *diag);
/* The next bytes, decompressed: *data points into the input's buffer until the next call. HS_END
 * at the end of the data. */
HS_MUST_USE enum hs_status hs_input_read(struct hs_input *in, const char **data, size_t *len);
/* The same into memory of the caller, at least HS_INPUT_PIECE bytes. */
#define HS_INPUT_PIECE ((size_t)64 << 10)
HS_MUST_USE enum hs_status hs_input_read_to(struct hs_input *in, char *to, size_t *len);
/* Up to the first 64 KiB without consuming them, to recognise a format. */
HS_MUST_USE enum hs_status hs_input_peek(struct hs_input *in, const char **data, size_t *len);
const char *hs_input_path(const struct hs_input *in); /* "<stdin>" for "-" */
uint64_t hs_input_hash(const struct hs_input *in);    /* of the decompressed bytes read so far */
uint64_t hs_input_bytes(const struct hs_input *in);   /* decompressed bytes read so far */
/* Compressed or plain size read so far and of the whole file (0 = unknown), for progress. */
void hs_input_progress(const struct hs_input *in, uint64_t *done, uint64_t *total);
void hs_input_close(struct hs_input *in);

/* A whole file in memory, NUL-terminated, freed with hs_free; HS_E_LIMIT past max_bytes. */
HS_MUST_USE enum hs_status hs_read_file(const char *path, uint64_t max_bytes, char **text,
                                        size_t *len, struct hs_diag *diag);

struct hs_output {
    char *buffer, *at, *end; /* [buffer, at) is to be written */
    int fd;
    int error;        /* errno of the first failure */
    uint64_t flushed; /* bytes that have left the buffer */
    void *hash;
    char *path;
    struct hs_packing *packing; /* NULL = plain */
};

/* Creates or truncates path (mode 0644). "-" is standard output. */
HS_MUST_USE enum hs_status hs_output_open(struct hs_output *out, const char *path,
                                          struct hs_diag *diag);
/* The same; messages call it `name`. */
HS_MUST_USE enum hs_status hs_output_open_as(struct hs_output *out, const char *path,
                                             const char *name, struct hs_diag *diag);
/* Compresses what is put from now on if path ends in ".gz" or ".zst"; before the first byte. Hash
 * and count stay those of the bytes put. */
void hs_output_pack(struct hs_output *out, const char *path);
/* ".gz" or ".zst" at the end of path, of which the program can write such files; else NULL. */
const char *hs_output_packed_suffix(const char *path);
void hs_output_flush(struct hs_output *out);
/* At least `room` (<= HS_OUTPUT_ROOM) writable bytes; write, then hs_output_wrote(). */
#define HS_OUTPUT_ROOM 4096u
static inline char *hs_output_room(struct hs_output *out, size_t room)
{
    if (HS_UNLIKELY(room > (size_t)(out->end - out->at)))
        hs_output_flush(out);
    return out->at;
}
static inline void hs_output_wrote(struct hs_output *out, char *end) /* of what was written there */
{
    out->at = end;
}
void hs_output_put(struct hs_output *out, const void *data, size_t len);
static inline uint64_t hs_output_bytes(const struct hs_output *out) /* put so far */
{
    return out->flushed + (uint64_t)(out->at - out->buffer);
}
/* Formatted text for people, at most HS_OUTPUT_ROOM - 1 bytes a call. Numbers with decimals go
 * through base/fmt. */
HS_PRINTF(2, 3)
void hs_say(struct hs_output *out, const char *fmt, ...);
bool hs_output_failed(const struct hs_output *out); /* sticky */
uint64_t hs_output_hash(struct hs_output *out);     /* of everything put so far */
/* Flushes, fsyncs regular files, closes; reports the first error of the whole life. */
HS_MUST_USE enum hs_status hs_output_close(struct hs_output *out, struct hs_diag *diag);

#endif
