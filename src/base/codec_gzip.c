/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gzip (RFC 1952) through zlib, and compression for pictures; the only file that includes zlib.h.
 * Members may follow each other (pigz, bgzip, cat a.gz b.gz); anything else behind a member is an
 * error, because data that are not read must not be lost in silence.
 */
#include "base/codec.h"

#include <limits.h>
#include <stdint.h>

#include <zlib.h>

#include "base/deflate.h"
#include "base/memory.h"

#define WINDOW_GZIP (15 + 16) /* largest window; + 16: a gzip header, not zlib's */
#define MEM_LEVEL   8         /* zlib's default */

struct gzip {
    z_stream stream;
    bool is_boundary;
};

static bool gzip_recognise(const char *head, size_t len)
{
    return len >= 2 && (unsigned char)head[0] == 0x1f && (unsigned char)head[1] == 0x8b;
}

static void *gzip_open(void)
{
    struct gzip *gzip = hs_alloc_zeroed(1, sizeof *gzip);
    if (gzip != NULL && inflateInit2(&gzip->stream, WINDOW_GZIP) != Z_OK) {
        hs_free(gzip);
        return NULL;
    }
    return gzip;
}

static unsigned clamp(size_t len)
{
    return len < UINT_MAX ? (unsigned)len : UINT_MAX;
}

static enum hs_codec_state gzip_step(void *ctx, struct hs_codec_io *io)
{
    struct gzip *gzip = ctx;
    z_stream *stream = &gzip->stream;
    if (gzip->is_boundary) {
        if (io->in_len == 0)
            return HS_CODEC_BOUNDARY;
        inflateReset(stream);
        gzip->is_boundary = false;
    }
    unsigned in_given = clamp(io->in_len), out_given = clamp(io->out_room);
    stream->next_in = (z_const Bytef *)(uintptr_t)io->in; /* zlib's old API is not const */
    stream->avail_in = in_given;
    stream->next_out = (Bytef *)io->out;
    stream->avail_out = out_given;
    int result = inflate(stream, Z_NO_FLUSH);
    io->in += in_given - stream->avail_in;
    io->in_len -= in_given - stream->avail_in;
    io->out += out_given - stream->avail_out;
    io->out_room -= out_given - stream->avail_out;
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: /* no progress without more input: not an error */
        return HS_CODEC_INSIDE;
    case Z_STREAM_END:
        gzip->is_boundary = true;
        return HS_CODEC_BOUNDARY;
    case Z_MEM_ERROR:
        return HS_CODEC_NO_MEMORY;
    default:
        io->reason = stream->msg != NULL ? stream->msg : "invalid data";
        return HS_CODEC_BROKEN;
    }
}

static void gzip_close(void *ctx)
{
    struct gzip *gzip = ctx;
    inflateEnd(&gzip->stream);
    hs_free(gzip);
}

/* Of zlib's default level; the header holds neither name nor time, so that equal bytes pack to
 * equal bytes. */
static void *gzip_pack_open(void)
{
    z_stream *stream = hs_alloc_zeroed(1, sizeof *stream);
    if (stream != NULL && deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP,
                                       MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        hs_free(stream);
        return NULL;
    }
    return stream;
}

static enum hs_codec_state gzip_pack(void *ctx, struct hs_codec_io *io, bool is_last)
{
    z_stream *stream = ctx;
    unsigned in_given = clamp(io->in_len), out_given = clamp(io->out_room);
    stream->next_in = (z_const Bytef *)(uintptr_t)io->in;
    stream->avail_in = in_given;
    stream->next_out = (Bytef *)io->out;
    stream->avail_out = out_given;
    int result = deflate(stream, is_last && in_given == io->in_len ? Z_FINISH : Z_NO_FLUSH);
    io->in += in_given - stream->avail_in;
    io->in_len -= in_given - stream->avail_in;
    io->out += out_given - stream->avail_out;
    io->out_room -= out_given - stream->avail_out;
    return result == Z_STREAM_END ? HS_CODEC_BOUNDARY : HS_CODEC_INSIDE;
}

static void gzip_pack_close(void *ctx)
{
    deflateEnd(ctx);
    hs_free(ctx);
}

enum hs_status hs_deflate(const void *data, size_t len, unsigned char **packed, size_t *packed_len)
{
    if (len > UINT_MAX)
        return HS_E_LIMIT;
    uLongf room = compressBound((uLong)len);
    *packed = hs_alloc_zeroed(room, 1);
    if (*packed == NULL)
        return HS_E_MEMORY;
    if (compress2(*packed, &room, data, (uLong)len, Z_BEST_COMPRESSION) != Z_OK) {
        hs_free(*packed);
        *packed = NULL;
        return HS_E_MEMORY; /* the only failure with enough room */
    }
    *packed_len = room;
    return HS_OK;
}

uint32_t hs_crc32(uint32_t crc, const void *data, size_t len)
{
    const Bytef *at = data;
    for (unsigned piece; len > 0; at += piece, len -= piece) {
        piece = clamp(len);
        crc = (uint32_t)crc32(crc, at, piece);
    }
    return crc;
}

const char *hs_gzip_library_version(void)
{
    return zlibVersion();
}

const struct hs_codec hs_codec_gzip = {.name = "gzip",
                                       .suffix = ".gz",
                                       .recognise = gzip_recognise,
                                       .open = gzip_open,
                                       .step = gzip_step,
                                       .close = gzip_close,
                                       .pack_open = gzip_pack_open,
                                       .pack = gzip_pack,
                                       .pack_close = gzip_pack_close};
