/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes out: a buffer that is hashed and written when full. The first errno is kept, what follows
 * it is dropped (the file is lost anyway), and close reports it: writers of rows need no checks.
 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/hash.h"
#include "base/memory.h"

#define BUFFER_SIZE (256u << 10)

static void write_all(struct hs_output *out, const char *data, size_t len)
{
    while (len > 0 && out->error == 0) {
        ssize_t written = write(out->fd, data, len);
        if (written >= 0) {
            data += written;
            len -= (size_t)written;
        } else if (errno != EINTR) {
            out->error = errno;
        }
    }
}

struct hs_packing {
    const struct hs_codec *codec;
    void *ctx;
    char packed[BUFFER_SIZE];
};

static const struct hs_codec *const codecs[] = {&hs_codec_gzip, &hs_codec_zstd};

static const struct hs_codec *codec_of(const char *path)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        size_t cut = strlen(codecs[i]->suffix);
        if (len > cut && strcmp(path + len - cut, codecs[i]->suffix) == 0)
            return codecs[i];
    }
    return NULL;
}

const char *hs_output_packed_suffix(const char *path)
{
    const struct hs_codec *codec = codec_of(path);
    return codec != NULL ? path + strlen(path) - strlen(codec->suffix) : NULL;
}

enum hs_status hs_output_pack(struct hs_output *out, const char *path, struct hs_diag *diag)
{
    const struct hs_codec *codec = codec_of(path);
    if (codec == NULL)
        return HS_OK;
    struct hs_packing *packing = hs_alloc_zeroed(1, sizeof *packing);
    void *ctx = packing != NULL ? codec->pack_open() : NULL;
    if (ctx == NULL) {
        hs_free(packing);
        return hs_fail(diag, HS_E_MEMORY, &(struct hs_place){.file = out->path}, NULL,
                       "cannot write: out of memory");
    }
    packing->codec = codec;
    packing->ctx = ctx;
    out->packing = packing;
    return HS_OK;
}

static void write_packed(struct hs_output *out, const char *data, size_t len, bool is_last)
{
    struct hs_packing *packing = out->packing;
    enum hs_codec_state state = HS_CODEC_INSIDE;
    struct hs_codec_io io = {.in = data, .in_len = len};
    do {
        io.out = packing->packed;
        io.out_room = sizeof packing->packed;
        state = packing->codec->pack(packing->ctx, &io, is_last);
        write_all(out, packing->packed, sizeof packing->packed - io.out_room);
        if (state == HS_CODEC_NO_MEMORY && out->error == 0)
            out->error = ENOMEM;
    } while (out->error == 0 &&
             (io.in_len > 0 || io.out_room == 0 || (is_last && state != HS_CODEC_BOUNDARY)));
}

static void output_free(struct hs_output *out)
{
    if (out->packing != NULL)
        out->packing->codec->pack_close(out->packing->ctx);
    hs_free(out->packing);
    out->packing = NULL;
    hs_hash_close(out->hash);
    hs_free(out->buffer);
    hs_free(out->path);
    out->hash = NULL;
    out->buffer = NULL;
    out->path = NULL;
    out->fd = -1;
}

enum hs_status hs_output_open_as(struct hs_output *out, const char *path, const char *name,
                                 struct hs_diag *diag)
{
    *out = (struct hs_output){.fd = -1};
    bool is_stdout = strcmp(path, "-") == 0;
    struct hs_place place = {.file = name};
    out->buffer = hs_alloc_zeroed(BUFFER_SIZE, 1);
    out->path = hs_alloc_zeroed(strlen(name) + 1, 1);
    out->hash = hs_hash_open();
    if (out->buffer == NULL || out->path == NULL || out->hash == NULL) {
        output_free(out);
        return hs_fail(diag, HS_E_MEMORY, &place, NULL, "cannot write: out of memory");
    }
    memcpy(out->path, name, strlen(name));
    out->at = out->buffer;
    out->end = out->buffer + BUFFER_SIZE;
    out->fd = STDOUT_FILENO;
    if (!is_stdout)
        out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out->fd < 0) {
        int error = errno;
        output_free(out);
        return hs_fail(diag, HS_E_IO, &place, NULL, "cannot create: %s", strerror(error));
    }
    return HS_OK;
}

enum hs_status hs_output_open(struct hs_output *out, const char *path, struct hs_diag *diag)
{
    return hs_output_open_as(out, path, strcmp(path, "-") == 0 ? "<stdout>" : path, diag);
}

void hs_output_flush(struct hs_output *out)
{
    size_t len = (size_t)(out->at - out->buffer);
    hs_hash_update(out->hash, out->buffer, len);
    if (out->packing == NULL)
        write_all(out, out->buffer, len);
    else if (len > 0)
        write_packed(out, out->buffer, len, false);
    out->flushed += len;
    out->at = out->buffer;
}

void hs_output_put(struct hs_output *out, const void *data, size_t len)
{
    const char *from = data;
    while (len > 0) {
        if (out->at == out->end)
            hs_output_flush(out);
        size_t part = (size_t)(out->end - out->at) < len ? (size_t)(out->end - out->at) : len;
        memcpy(out->at, from, part);
        out->at += part;
        from += part;
        len -= part;
    }
}

void hs_say(struct hs_output *out, const char *fmt, ...)
{
    char text[HS_OUTPUT_ROOM];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (len > 0)
        hs_output_put(out, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1);
}

bool hs_output_failed(const struct hs_output *out)
{
    return out->error != 0;
}

uint64_t hs_output_hash(struct hs_output *out)
{
    hs_output_flush(out);
    return hs_hash_digest(out->hash);
}

/* Standard output is left open: it is not ours. EINTR of close() is no error: on Linux the file is
 * closed then, and its data are on the disk since fsync(). */
static void file_close(struct hs_output *out)
{
    struct stat info;
    if (out->fd == STDOUT_FILENO)
        return;
    if (out->error == 0 && fstat(out->fd, &info) == 0 && S_ISREG(info.st_mode)) {
        while (fsync(out->fd) != 0) {
            if (errno != EINTR) {
                out->error = errno;
                break;
            }
        }
    }
    if (close(out->fd) != 0 && errno != EINTR && out->error == 0)
        out->error = errno;
}

enum hs_status hs_output_close(struct hs_output *out, struct hs_diag *diag)
{
    if (out->buffer == NULL)
        return HS_OK;
    enum hs_status status = HS_OK;
    hs_output_flush(out);
    if (out->packing != NULL)
        write_packed(out, NULL, 0, true);
    file_close(out);
    if (out->error != 0)
        status = hs_fail(diag, HS_E_IO, &(struct hs_place){.file = out->path}, NULL,
                         "cannot write: %s", strerror(out->error));
    output_free(out);
    return status;
}
