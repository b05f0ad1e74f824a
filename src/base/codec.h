/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How io.c sees a compression format: a record with a magic number and a step function that turns
 * bytes in into bytes out, across the ends of members or frames; and the way back, into one member
 * or frame. Beside it pictures of few colours as PNG files in memory (ISO/IEC 15948): a palette
 * with transparency, a byte a pixel.
 */
#ifndef HORUS_BASE_CODEC_H
#define HORUS_BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "horus/compiler.h"
#include "horus/status.h"

enum hs_codec_state {
    HS_CODEC_INSIDE,   /* in the middle of a member: the end of the input here is a truncation */
    HS_CODEC_BOUNDARY, /* all members so far are complete and their bytes handed out */
    HS_CODEC_BROKEN,   /* reason says why */
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
    const char *suffix;           /* of the names of such files: ".gz" */
    const char *(*version)(void); /* of the library */
    bool (*recognise)(const char *head, size_t len);
    void *(*open)(bool packs);
    enum hs_codec_state (*step)(void *ctx, struct hs_codec_io *io); /* not at the end of the input
                                                                       behind BOUNDARY */
    /* INSIDE: to be called again, with more room or more bytes; BOUNDARY: is_last was given
     * and the member is complete. */
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
    const uint8_t *pixels;  /* row by row from the top, each an index into the palette */
    const struct hs_colour *palette;
    uint32_t colours; /* 1 to 256 */
};

/* *png is freed with hs_free. */
HS_MUST_USE enum hs_status hs_png_encode(const struct hs_picture *picture, unsigned char **png,
                                         size_t *len);

#endif
