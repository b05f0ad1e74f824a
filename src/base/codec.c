/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gzip (RFC 1952) and PNG through zlib, Zstandard (RFC 8878); the only file that includes zlib.h
 * and zstd.h. Members and frames may be concatenated (pigz, bgzip, cat a.gz b.gz); anything else
 * after a member is an error, because unread data must not be lost silently.
 */
#include "base/io.h"

#include <limits.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

/* ---- gzip ---- */

#define WINDOW_GZIP (15 + 16) /* largest window; + 16: a gzip header, not zlib's */
#define MEM_LEVEL   8         /* zlib's default */

static bool gzip_recognise(const char *head, size_t len)
{
    return len >= 2 && (unsigned char)head[0] == 0x1f && (unsigned char)head[1] == 0x8b;
}

/* Compresses at zlib's default level; the header has neither name nor time, so that equal input
 * gives equal output. */
static void *gzip_open(bool packs)
{
    z_stream *stream = hs_alloc_zeroed(1, sizeof *stream);
    int result = packs ? deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP,
                                      MEM_LEVEL, Z_DEFAULT_STRATEGY)
                       : inflateInit2(stream, WINDOW_GZIP);
    if (result != Z_OK)
        hs_fatal(HS_E_MEMORY); /* its only failure */
    return stream;
}

static unsigned clamp(size_t len)
{
    return len < UINT_MAX ? (unsigned)len : UINT_MAX;
}

/* Calls inflate or deflate; advances io by what was consumed and produced. */
static int gzip_run(z_stream *stream, struct hs_codec_io *io, int (*run)(z_streamp, int), int flush)
{
    unsigned in_given = clamp(io->in_len), out_given = clamp(io->out_room);
    stream->next_in = (z_const Bytef *)(uintptr_t)io->in; /* zlib's old API lacks const */
    stream->avail_in = in_given;
    stream->next_out = (Bytef *)io->out;
    stream->avail_out = out_given;
    int result = run(stream, flush);
    io->in = (const char *)stream->next_in;
    io->in_len -= in_given - stream->avail_in;
    io->out = (char *)stream->next_out;
    io->out_room -= out_given - stream->avail_out;
    return result;
}

static enum hs_codec_state gzip_step(void *ctx, struct hs_codec_io *io)
{
    z_stream *stream = ctx;
    switch (gzip_run(stream, io, inflate, Z_NO_FLUSH)) {
    case Z_OK:
    case Z_BUF_ERROR: /* no progress without more input: not an error */
        return HS_CODEC_INSIDE;
    case Z_STREAM_END:
        inflateReset(stream);
        return HS_CODEC_BOUNDARY;
    case Z_MEM_ERROR:
        hs_fatal(HS_E_MEMORY);
    default:
        io->reason = stream->msg != NULL ? stream->msg : "invalid data";
        return HS_CODEC_BROKEN;
    }
}

static enum hs_codec_state gzip_pack(void *ctx, struct hs_codec_io *io, bool is_last)
{
    int flush = is_last && io->in_len <= UINT_MAX ? Z_FINISH : Z_NO_FLUSH;
    return gzip_run(ctx, io, deflate, flush) == Z_STREAM_END ? HS_CODEC_BOUNDARY : HS_CODEC_INSIDE;
}

static void gzip_close(void *ctx, bool packs)
{
    (void)(packs ? deflateEnd : inflateEnd)(ctx);
    hs_free(ctx);
}

const struct hs_codec hs_codec_gzip = {.name = "gzip",
                                       .suffix = ".gz",
                                       .version = zlibVersion,
                                       .recognise = gzip_recognise,
                                       .open = gzip_open,
                                       .step = gzip_step,
                                       .close = gzip_close,
                                       .pack = gzip_pack};

/* ---- zstd ---- */

static bool zstd_recognise(const char *head, size_t len)
{
    if (len < 4)
        return false;
    bool is_skippable =
        ((unsigned char)head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0;
    return memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0 || is_skippable;
}

/* Advances io by what was consumed and produced. */
static void zstd_move(struct hs_codec_io *io, const ZSTD_inBuffer *in, const ZSTD_outBuffer *out)
{
    io->in = in->pos > 0 ? io->in + in->pos : io->in; /* NULL if there is no input */
    io->in_len -= in->pos;
    io->out += out->pos;
    io->out_room -= out->pos;
}

/* Compresses at the library's default level, with a checksum like the zstd program. */
static void *zstd_open(bool packs)
{
    void *stream = packs ? (void *)ZSTD_createCCtx() : (void *)ZSTD_createDCtx();
    if (packs)
        (void)ZSTD_CCtx_setParameter(hs_must(stream), ZSTD_c_checksumFlag, 1);
    return hs_must(stream);
}

static enum hs_codec_state zstd_step(void *ctx, struct hs_codec_io *io)
{
    ZSTD_inBuffer in = {io->in, io->in_len, 0};
    ZSTD_outBuffer out = {io->out, io->out_room, 0};
    size_t result = ZSTD_decompressStream(ctx, &out, &in);
    zstd_move(io, &in, &out);
    if (!ZSTD_isError(result))
        return result == 0 ? HS_CODEC_BOUNDARY : HS_CODEC_INSIDE;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        hs_fatal(HS_E_MEMORY);
    io->reason = ZSTD_getErrorName(result);
    return HS_CODEC_BROKEN;
}

static enum hs_codec_state zstd_pack(void *ctx, struct hs_codec_io *io, bool is_last)
{
    ZSTD_inBuffer in = {io->in, io->in_len, 0};
    ZSTD_outBuffer out = {io->out, io->out_room, 0};
    size_t result = ZSTD_compressStream2(ctx, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
    zstd_move(io, &in, &out);
    if (ZSTD_isError(result))
        hs_fatal(HS_E_MEMORY); /* its only failure */
    return is_last && result == 0 ? HS_CODEC_BOUNDARY : HS_CODEC_INSIDE;
}

static void zstd_close(void *ctx, bool packs)
{
    (void)(packs ? ZSTD_freeCCtx(ctx) : ZSTD_freeDCtx(ctx));
}

const struct hs_codec hs_codec_zstd = {.name = "zstd",
                                       .suffix = ".zst",
                                       .version = ZSTD_versionString,
                                       .recognise = zstd_recognise,
                                       .open = zstd_open,
                                       .step = zstd_step,
                                       .close = zstd_close,
                                       .pack = zstd_pack};

/* ---- PNG ---- */

static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

#define CHUNK_AROUND  12u /* length, name and CRC */
#define HEADER_SIZE   13u
#define DEPTH         8
#define INDEXED       3
#define COLOURS_MAX   256u
#define AROUND_PIXELS (sizeof signature + 5 * CHUNK_AROUND + HEADER_SIZE + 4 * COLOURS_MAX)

static unsigned char *put_u32(unsigned char *at, size_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
    return at + 4;
}

/* Completes a chunk whose data are already at + 8; returns its end. */
static unsigned char *seal_chunk(unsigned char *at, const char *name, size_t len)
{
    put_u32(at, len);
    memcpy(at + 4, name, 4);
    return put_u32(at + 8 + len, crc32(0, at + 4, (unsigned)len + 4));
}

/* Four chunks: header, palette, its transparency, pixels. Rows are not filtered: differences of
 * palette indices are not smaller. */
enum hs_status hs_png_encode(const struct hs_picture *p, unsigned char **png, size_t *len)
{
    if (p->width - 1 >= HS_PNG_SIDE_MAX || p->height - 1 >= HS_PNG_SIDE_MAX ||
        p->colours - 1 >= COLOURS_MAX)
        return HS_E_LIMIT;
    const size_t stride = (size_t)p->width + 1; /* a row begins with a filter byte: 0, none */
    unsigned char *rows = hs_alloc_zeroed(p->height, stride);
    for (uint32_t y = 0; y < p->height; y++)
        memcpy(rows + y * stride + 1, p->pixels + (size_t)y * p->width, p->width);
    uLongf packed = compressBound((uLong)(p->height * stride));
    *png = hs_alloc_zeroed(AROUND_PIXELS + packed, 1);
    unsigned char *at = *png + sizeof signature, *data = at + 8;
    memcpy(*png, signature, sizeof signature);
    put_u32(put_u32(data, p->width), p->height);
    data[8] = DEPTH;
    data[9] = INDEXED;
    at = seal_chunk(at, "IHDR", HEADER_SIZE);
    for (uint32_t i = 0; i < p->colours; i++)
        memcpy(at + 8 + 3 * i, &p->palette[i], 3); /* red, green, blue */
    at = seal_chunk(at, "PLTE", 3 * (size_t)p->colours);
    for (uint32_t i = 0; i < p->colours; i++)
        at[8 + i] = p->palette[i].alpha;
    at = seal_chunk(at, "tRNS", p->colours);
    if (compress2(at + 8, &packed, rows, (uLong)(p->height * stride), Z_BEST_COMPRESSION) != Z_OK)
        hs_fatal(HS_E_MEMORY); /* the only failure if there is enough room */
    at = seal_chunk(seal_chunk(at, "IDAT", packed), "IEND", 0);
    hs_free(rows);
    *len = (size_t)(at - *png);
    return HS_OK;
}
