/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Zstandard (RFC 8878), any number of frames, skippable ones included; the only file that includes
 * zstd.h. Windows above the library's default of 128 MiB (zstd --long=28 and more) are refused, so
 * that a small file cannot ask for gigabytes.
 */
#include "base/codec.h"

#include <string.h>

#include <zstd.h>

#include "base/memory.h"

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
    if (zstd == NULL)
        return NULL;
    zstd->stream = ZSTD_createDCtx();
    if (zstd->stream == NULL) {
        hs_free(zstd);
        return NULL;
    }
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
    ZSTD_CCtx *stream = ZSTD_createCCtx();
    if (stream != NULL)
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
        return HS_CODEC_NO_MEMORY;
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
