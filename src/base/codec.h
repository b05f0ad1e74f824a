/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How io_input.c and io_output.c see a compression format: a record with a magic number and a step
 * function that turns bytes in into bytes out, across the ends of members or frames; and the way
 * back, into one member or frame.
 */
#ifndef HORUS_BASE_CODEC_H
#define HORUS_BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>

enum hs_codec_state {
    HS_CODEC_INSIDE,   /* in the middle of a member: the end of the input here is a truncation */
    HS_CODEC_BOUNDARY, /* all members so far are complete and their bytes handed out */
    HS_CODEC_BROKEN,   /* reason says why */
    HS_CODEC_NO_MEMORY,
};

/* Both move forward by what was consumed and produced. */
struct hs_codec_io {
    const char *in;
    size_t in_len;
    char *out;
    size_t out_room;
    const char *reason; /* of HS_CODEC_BROKEN; static text */
};

struct hs_codec {
    const char *name;
    const char *suffix; /* of the names of such files: ".gz" */
    bool (*recognise)(const char *head, size_t len);
    void *(*open)(void); /* NULL when out of memory */
    enum hs_codec_state (*step)(void *ctx, struct hs_codec_io *io);
    void (*close)(void *ctx);
    void *(*pack_open)(void); /* NULL when out of memory */
    /* INSIDE: it wants to be called again, with more room or more bytes; BOUNDARY: is_last was said
     * and the member is complete. */
    enum hs_codec_state (*pack)(void *ctx, struct hs_codec_io *io, bool is_last);
    void (*pack_close)(void *ctx);
};

#define HS_CODEC_HEAD 4 /* bytes that every recognise() needs */

extern const struct hs_codec hs_codec_gzip;
extern const struct hs_codec hs_codec_zstd;

const char *hs_gzip_library_version(void);
const char *hs_zstd_library_version(void);

#endif
