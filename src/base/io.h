/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading and writing bytes. Readers recognise plain, gzip and zstd by their first bytes, "-" is
 * standard input; multi-member gzip and multi-frame zstd are read to the end, truncation is an
 * error. Writers buffer, hash (XXH3-64) and count what they write, and store the first error: every
 * failed write, fsync or close results in HS_E_IO with the system's reason.
 *
 * Files of configs/ are compiled into the program, so that it needs no other files: a path that
 * begins with "builtin:" names one ("builtin:models/speed.json") and is opened like any other.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "base/beside.h"
#include "base/image.h"

/* XXH3-64: hash of inputs and outputs in a manifest, and of names in tables. Not for security. */
uint64_t hs_hash_of(const void *data, size_t len);
const char *hs_hash_library_version(void);

#define HS_BUILTIN "builtin:"

struct hs_builtin {
    const char *path, *name; /* "builtin:models/speed.json", "models/speed.json" */
    const char *data;
    size_t len;
};

const struct hs_builtin *hs_builtin_at(size_t index); /* by name, ascending; NULL after the last */
/* path: with or without the prefix; returns NULL if there is none. */
const struct hs_builtin *hs_builtin_find(const char *path);
/* Sets the name of the shipped cluster or workload number `index`, from 0: "venus" of the file
 * "clusters/venus.json"; folder: "clusters/". False after the last. */
#define HS_SHIPPED_NAME_MAX 64
bool hs_builtin_shipped(const char *folder, size_t index, char name[HS_SHIPPED_NAME_MAX]);
/* Returns the path of a cluster given by name: "venus" is "builtin:clusters/venus.json"; other
 * specs are returned unchanged. */
const char *hs_builtin_cluster(const char *spec);

struct hs_input;

/* For a signal handler without SA_RESTART: once set, a waiting read returns HS_E_INTERRUPTED. */
extern volatile sig_atomic_t hs_input_stop;

/* Prefix of a generated trace, such as "gen:philly,n=100": the data of this input are the path
 * itself, so that their hash identifies it; a trace reader generates jobs from them. */
#define HS_INPUT_GENERATED "gen:"

/* path is borrowed until close; "-" is standard input, "builtin:x" a built-in file (HS_BUILTIN),
 * "gen:x" itself. */
HS_MUST_USE enum hs_status hs_input_open(struct hs_input **in, const char *path,
                                         struct hs_diag *diag);
/* Returns the next bytes, decompressed: *data points into the input's buffer until the next call.
 * HS_END at the end of the data. */
HS_MUST_USE enum hs_status hs_input_read(struct hs_input *in, const char **data, size_t *len);
/* Returns up to the first 64 KiB without consuming them, to recognise a format. */
HS_MUST_USE enum hs_status hs_input_peek(struct hs_input *in, const char **data, size_t *len);
const char *hs_input_path(const struct hs_input *in); /* "<stdin>" for "-" */
uint64_t hs_input_hash(const struct hs_input *in);    /* of the decompressed bytes read so far */
uint64_t hs_input_bytes(const struct hs_input *in);   /* decompressed bytes read so far */
/* Compressed or plain size read so far and of the whole file (0 = unknown), for progress. */
void hs_input_progress(const struct hs_input *in, uint64_t *done, uint64_t *total);
void hs_input_close(struct hs_input *in);

/* Returns HS_E_INPUT for a pipe, a device or a socket, which could block; HS_OK if there is no
 * file: opening it reports that. Used before files of a run's directory are opened. */
HS_MUST_USE enum hs_status hs_regular_check(const char *path, struct hs_diag *diag);
/* Reads a whole file to memory, NUL-terminated, for hs_free; HS_E_LIMIT above max_bytes. */
HS_MUST_USE enum hs_status hs_read_file(const char *path, uint64_t max_bytes, char **text,
                                        size_t *len, struct hs_diag *diag);

/* A contiguous part of an input in memory: what is being parsed and the line around it, so that a
 * message can quote it, never the whole file. */
#define HS_WINDOW_MARGIN 64u

struct hs_window {
    struct hs_input *input;
    char *bytes;
    uint32_t end; /* bytes[0, end) are valid; HS_WINDOW_MARGIN more bytes are readable */
    uint32_t cap, max;
    bool is_done, is_broken;
};

/* Moves bytes[keep, end) to the front and appends the next bytes of the input. Offsets into the
 * window decrease by `keep`, even after a failure. HS_END: there are no more. Failures are
 * reported; a failed input fails again with HS_E_IO, so that callers do not count an endless number
 * of bad rows. */
HS_MUST_USE enum hs_status hs_window_more(struct hs_window *window, uint32_t keep);
void hs_window_free(struct hs_window *window);

struct hs_output {
    char *buffer, *at, *end; /* [buffer, at) is not written yet */
    int fd;
    int error;        /* errno of the first failure; sticky */
    uint64_t flushed; /* bytes flushed from the buffer */
    void *hash;
    uint64_t left_hash; /* when the image was written */
    struct hs_image_part part;
    char *path;
    struct hs_packing *packing; /* NULL = plain */
};

/* Creates or truncates path (mode 0644). "-" is standard output. */
HS_MUST_USE enum hs_status hs_output_open(struct hs_output *out, const char *path,
                                          struct hs_diag *diag);
/* Compresses output from now on if path ends in ".gz" or ".zst"; must precede the first byte. Hash
 * and count are those of the uncompressed bytes. */
void hs_output_pack(struct hs_output *out, const char *path);
/* Returns ".gz" or ".zst" if path ends so and the program can write it; else NULL. */
const char *hs_output_packed_suffix(const char *path);
void hs_output_flush(struct hs_output *out);
/* Returns `room` (<= HS_OUTPUT_ROOM) writable bytes; then hs_output_wrote() must be called. */
#define HS_OUTPUT_ROOM 4096u
static inline char *hs_output_room(struct hs_output *out, size_t room)
{
    if (HS_UNLIKELY(room > (size_t)(out->end - out->at)))
        hs_output_flush(out);
    return out->at;
}
static inline void hs_output_wrote(struct hs_output *out, char *end) /* end of what was written */
{
    out->at = end;
}
void hs_output_put(struct hs_output *out, const void *data, size_t len);
static inline uint64_t hs_output_bytes(const struct hs_output *out) /* put so far */
{
    return out->flushed + (uint64_t)(out->at - out->buffer);
}
/* Formatted text for users, at most HS_OUTPUT_ROOM - 1 bytes per call. Numbers with decimals use
 * base/fmt. */
HS_PRINTF(2, 3)
void hs_say(struct hs_output *out, const char *fmt, ...);
/* Writes UTF-8 text, then blanks up to `width` columns of a terminal. As wide characters (UAX #11)
 * count those from U+3000 to U+DFFF (CJK, Kana, Hangul) and from U+10000 on (emoji). */
void hs_say_padded(struct hs_output *out, const char *text, int width);
uint64_t hs_output_hash(struct hs_output *out); /* of all output so far */
/* Flushes, fsyncs regular files, closes; reports the first error since opening. */
HS_MUST_USE enum hs_status hs_output_close(struct hs_output *out, struct hs_diag *diag);

/* An output file that is complete or absent: written beside its place (base/beside.h) and renamed
 * when all bytes are on the disk. "-" (standard output), a device and a pipe are written directly,
 * as nothing can be undone there.
 *
 *     HS_TRY(hs_wholefile_check(path, "-o", force, &input, 1, diag));   // first of all
 *     HS_TRY(hs_wholefile_open(&file, path, diag));
 *     enum hs_status status = write_rows(&file.out);
 *     return hs_wholefile_close(&file, status, diag); */
#define HS_WHOLEFILE_PATH_MAX HS_BESIDE_PATH_MAX

/* HS_E_USAGE if writing path would destroy one of the inputs, under any name; "-" is what it was
 * redirected to. Devices and pipes can be both. Inputs may be NULL, or missing: opening them
 * reports that. HS_E_IO if path is a file that exists, and not `force`. option: how path was given,
 * such as "-o". */
HS_MUST_USE enum hs_status hs_wholefile_check(const char *path, const char *option, bool force,
                                              const char *const *inputs, uint32_t count,
                                              struct hs_diag *diag);

struct hs_wholefile {
    struct hs_output out;
    struct hs_beside beside; /* not open: written directly */
};

HS_MUST_USE enum hs_status hs_wholefile_open(struct hs_wholefile *file, const char *path,
                                             struct hs_diag *diag);
/* Renames the file to its place if status is HS_OK and all was written, else removes it. Returns
 * status, or the error of writing. */
HS_MUST_USE enum hs_status hs_wholefile_close(struct hs_wholefile *file, enum hs_status status,
                                              struct hs_diag *diag);

/* The same for a file that the caller opens and closes: it writes to file->beside.tmp, or to path
 * if beside is not open. */
HS_MUST_USE enum hs_status hs_wholefile_begin(struct hs_wholefile *file, const char *path,
                                              struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_wholefile_end(struct hs_wholefile *file, enum hs_status status,
                                            struct hs_diag *diag);

/* ---- codecs ----
 *
 * A compression format: a record with a magic number and a step function that converts input to
 * output, across the ends of members or frames; and the inverse, to one member or frame. Also
 * pictures of few colours as PNG files in memory (ISO/IEC 15948): a palette with transparency, one
 * byte per pixel. */

enum hs_codec_state {
    HS_CODEC_INSIDE,   /* within a member: an end of input here is a truncation */
    HS_CODEC_BOUNDARY, /* all members so far are complete and returned */
    HS_CODEC_BROKEN,   /* reason states why */
};

/* Both are advanced by what was consumed and produced. */
struct hs_codec_io {
    const char *in;
    size_t in_len;
    char *out;
    size_t out_room;
    const char *reason; /* of HS_CODEC_BROKEN; static text */
};

struct hs_codec {
    const char *name;
    const char *suffix;           /* of file names: ".gz" */
    const char *(*version)(void); /* of the library */
    bool (*recognise)(const char *head, size_t len);
    void *(*open)(bool packs);
    /* Not called at the end of the input after BOUNDARY. */
    enum hs_codec_state (*step)(void *ctx, struct hs_codec_io *io);
    /* INSIDE: call again with more room or more bytes; BOUNDARY: is_last was given and the member
     * is complete. */
    enum hs_codec_state (*pack)(void *ctx, struct hs_codec_io *io, bool is_last);
    void (*close)(void *ctx, bool packs);
};

#define HS_CODEC_HEAD 4 /* bytes that every recognise() needs */

extern const struct hs_codec hs_codec_gzip;
extern const struct hs_codec hs_codec_zstd;

struct hs_colour {
    uint8_t red, green, blue, alpha;
};

#define HS_PNG_SIDE_MAX 32767u

struct hs_picture {
    uint32_t width, height; /* 1 to HS_PNG_SIDE_MAX */
    const uint8_t *pixels;  /* rows from the top, each pixel an index into the palette */
    const struct hs_colour *palette;
    uint32_t colours; /* 1 to 256 */
};

/* *png is freed with hs_free. */
HS_MUST_USE enum hs_status hs_png_encode(const struct hs_picture *picture, unsigned char **png,
                                         size_t *len);
