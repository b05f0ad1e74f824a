/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How io.c sees a compression format: a record with a magic number and a step function that turns
 * bytes in into bytes out, across the ends of members or frames; and the way back, into one member
 * or frame. Beside it compression of a piece of memory, for PNG files.
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
    const char *suffix; /* of the names of such files: ".gz" */
    bool (*recognise)(const char *head, size_t len);
    void *(*open)(void);
    enum hs_codec_state (*step)(void *ctx, struct hs_codec_io *io);
    void (*close)(void *ctx);
    void *(*pack_open)(void);
    /* INSIDE: to be called again, with more room or more bytes; BOUNDARY: is_last was given
     * and the member is complete. */
    enum hs_codec_state (*pack)(void *ctx, struct hs_codec_io *io, bool is_last);
    void (*pack_close)(void *ctx);
};

#define HS_CODEC_HEAD 4 /* bytes that every recognise() needs */

extern const struct hs_codec hs_codec_gzip;
extern const struct hs_codec hs_codec_zstd;

const char *hs_gzip_library_version(void);
const char *hs_zstd_library_version(void);

/* The zlib format (RFC 1950), as small as it gets; *packed is freed with hs_free. HS_E_LIMIT past
 * what the library takes in one piece. */
HS_MUST_USE enum hs_status hs_deflate(const void *data, size_t len, unsigned char **packed,
                                      size_t *packed_len);
/* CRC-32 of ISO 3309, of more bytes behind those that gave crc; 0 for the first. */
uint32_t hs_crc32(uint32_t crc, const void *data, size_t len);

#endif
