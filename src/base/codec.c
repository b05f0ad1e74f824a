/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gzip (RFC 1952) through zlib and Zstandard (RFC 8878); the only file that includes zlib.h and
 * zstd.h. Members and frames may follow each other (pigz, bgzip, cat a.gz b.gz); anything else
 * behind a member is an error, because data that are not read must not be lost in silence.
 */
#include "base/codec.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"

/* ---- gzip ---- */

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
    if (inflateInit2(&gzip->stream, WINDOW_GZIP) != Z_OK)
        hs_fatal(HS_E_MEMORY); /* its only failure */
    return gzip;
}

static unsigned clamp(size_t len)
{
    return len < UINT_MAX ? (unsigned)len : UINT_MAX;
}

/* One call of inflate or deflate; io moves past what the library took and gave. */
static int gzip_run(z_stream *stream, struct hs_codec_io *io, int (*run)(z_streamp, int), int flush)
{
    unsigned in_given = clamp(io->in_len), out_given = clamp(io->out_room);
    stream->next_in = (z_const Bytef *)(uintptr_t)io->in; /* zlib's old API is not const */
    stream->avail_in = in_given;
    stream->next_out = (Bytef *)io->out;
    stream->avail_out = out_given;
    int result = run(stream, flush);
    io->in += in_given - stream->avail_in;
    io->in_len -= in_given - stream->avail_in;
    io->out += out_given - stream->avail_out;
    io->out_room -= out_given - stream->avail_out;
    return result;
}

static enum hs_codec_state gzip_step(void *ctx, struct hs_codec_io *io)
{
    struct gzip *gzip = ctx;
    if (gzip->is_boundary) {
        if (io->in_len == 0)
            return HS_CODEC_BOUNDARY;
        inflateReset(&gzip->stream);
        gzip->is_boundary = false;
    }
    switch (gzip_run(&gzip->stream, io, inflate, Z_NO_FLUSH)) {
    case Z_OK:
    case Z_BUF_ERROR: /* no progress without more input: not an error */
        return HS_CODEC_INSIDE;
    case Z_STREAM_END:
        gzip->is_boundary = true;
        return HS_CODEC_BOUNDARY;
    case Z_MEM_ERROR:
        hs_fatal(HS_E_MEMORY);
    default:
        io->reason = gzip->stream.msg != NULL ? gzip->stream.msg : "invalid data";
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
    if (deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP, MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        hs_fatal(HS_E_MEMORY);
    return stream;
}

static enum hs_codec_state gzip_pack(void *ctx, struct hs_codec_io *io, bool is_last)
{
    int flush = is_last && io->in_len <= UINT_MAX ? Z_FINISH : Z_NO_FLUSH;
    return gzip_run(ctx, io, deflate, flush) == Z_STREAM_END ? HS_CODEC_BOUNDARY : HS_CODEC_INSIDE;
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
    if (compress2(*packed, &room, data, (uLong)len, Z_BEST_COMPRESSION) != Z_OK)
        hs_fatal(HS_E_MEMORY); /* the only failure with enough room */
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

/* ---- zstd ---- */

struct zstd {
    ZSTD_DCtx *stream;
    bool is_boundary;
};

static bool zstd_recognise(const char *head, size_t len)
{
    if (len < 4)
        return false;
    bool is_skippable =
        ((unsigned char)head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0;
    return memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0 || is_skippable;
}

static void *zstd_open(void)
{
    struct zstd *zstd = hs_alloc_zeroed(1, sizeof *zstd);
    zstd->stream = hs_must(ZSTD_createDCtx());
    return zstd;
}

static enum hs_codec_state zstd_step(void *ctx, struct hs_codec_io *io)
{
    struct zstd *zstd = ctx;
    if (zstd->is_boundary && io->in_len == 0)
        return HS_CODEC_BOUNDARY;
    ZSTD_inBuffer in = {io->in, io->in_len, 0};
    ZSTD_outBuffer out = {io->out, io->out_room, 0};
    size_t result = ZSTD_decompressStream(zstd->stream, &out, &in);
    io->in += in.pos;
    io->in_len -= in.pos;
    io->out += out.pos;
    io->out_room -= out.pos;
    if (ZSTD_isError(result)) {
        io->reason = ZSTD_getErrorName(result);
        return HS_CODEC_BROKEN;
    }
    zstd->is_boundary = result == 0;
    return zstd->is_boundary ? HS_CODEC_BOUNDARY : HS_CODEC_INSIDE;
}

static void zstd_close(void *ctx)
{
    struct zstd *zstd = ctx;
    ZSTD_freeDCtx(zstd->stream);
    hs_free(zstd);
}

/* At the library's default level, with a checksum as the zstd program writes it. */
static void *zstd_pack_open(void)
{
    ZSTD_CCtx *stream = hs_must(ZSTD_createCCtx());
    (void)ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1);
    return stream;
}

static enum hs_codec_state zstd_pack(void *ctx, struct hs_codec_io *io, bool is_last)
{
    ZSTD_inBuffer in = {io->in, io->in_len, 0};
    ZSTD_outBuffer out = {io->out, io->out_room, 0};
    size_t result = ZSTD_compressStream2(ctx, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
    io->in += in.pos;
    io->in_len -= in.pos;
    io->out += out.pos;
    io->out_room -= out.pos;
    if (ZSTD_isError(result))
        hs_fatal(HS_E_MEMORY); /* its only failure */
    return is_last && result == 0 ? HS_CODEC_BOUNDARY : HS_CODEC_INSIDE;
}

static void zstd_pack_close(void *ctx)
{
    ZSTD_freeCCtx(ctx);
}

const char *hs_zstd_library_version(void)
{
    return ZSTD_versionString();
}

const struct hs_codec hs_codec_zstd = {.name = "zstd",
                                       .suffix = ".zst",
                                       .recognise = zstd_recognise,
                                       .open = zstd_open,
                                       .step = zstd_step,
                                       .close = zstd_close,
                                       .pack_open = zstd_pack_open,
                                       .pack = zstd_pack,
                                       .pack_close = zstd_pack_close};
