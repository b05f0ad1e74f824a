/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading and writing bytes. Plain files are read directly into the caller's memory, or into a
 * buffer; compressed ones through a second buffer and a codec. All bytes returned are hashed by
 * XXH3-64, at about 10 GB/s; the only file that includes xxhash.h. A failure of an input is
 * reported once and returned from then on. An output hashes and writes its buffer when it is full;
 * the first errno is stored, further output is dropped (the file is lost anyway), and close reports
 * it, so that writers of rows need no checks. A whole file is written beside its place
 * (base/beside.h), synced and renamed: a reader of PATH never sees a partial file. scripts/embed.sh
 * generates the table of built-in files.
 */
#include "base/io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/memory.h"

/* ---- hashes ---- */

uint64_t hs_hash_of(const void *data, size_t len)
{
    return XXH3_64bits(data, len);
}

#define TEXT_OF(x)  #x
#define TEXT_OF_(x) TEXT_OF(x)

const char *hs_hash_library_version(void)
{
    return TEXT_OF_(XXH_VERSION_MAJOR) "." TEXT_OF_(XXH_VERSION_MINOR) "." TEXT_OF_(
        XXH_VERSION_RELEASE);
}

static XXH3_state_t *hash_open(void)
{
    XXH3_state_t *state = hs_must(XXH3_createState());
    XXH3_64bits_reset(state);
    return state;
}

/* ---- built-in files ---- */

#include "builtin_files.def"

const struct hs_builtin *hs_builtin_at(size_t index)
{
    return builtin_files[index].name != NULL ? &builtin_files[index] : NULL;
}

const struct hs_builtin *hs_builtin_find(const char *path)
{
    size_t prefix = strlen(HS_BUILTIN);
    if (strncmp(path, HS_BUILTIN, prefix) == 0)
        path += prefix;
    for (size_t i = 0; builtin_files[i].name != NULL; i++)
        if (strcmp(builtin_files[i].name, path) == 0)
            return &builtin_files[i];
    return NULL;
}

bool hs_builtin_shipped(const char *folder, size_t index, char name[HS_SHIPPED_NAME_MAX])
{
    const struct hs_builtin *file;
    const size_t begin = strlen(folder);
    for (size_t i = 0; (file = hs_builtin_at(i)) != NULL; i++) {
        if (strncmp(file->name, folder, begin) != 0 || index-- > 0)
            continue;
        (void)snprintf(name, HS_SHIPPED_NAME_MAX, "%.*s",
                       (int)(strlen(file->name) - begin - strlen(".json")), file->name + begin);
        return true;
    }
    return false;
}

const char *hs_builtin_cluster(const char *spec)
{
    char name[64];
    if (strlen(spec) >= sizeof name - sizeof "clusters/.json")
        return spec;
    (void)snprintf(name, sizeof name, "clusters/%s.json", spec);
    const struct hs_builtin *file = hs_builtin_find(name);
    return file != NULL ? file->path : spec;
}

/* ---- input ---- */

#ifndef INPUT_PIECE /* smaller where files are small: tests/fuzz */
#define INPUT_PIECE ((size_t)64 << 10)
#endif

volatile sig_atomic_t hs_input_stop;

static const struct hs_codec *const codecs[] = {&hs_codec_gzip, &hs_codec_zstd};

struct hs_input {
    const char *path, *at_path; /* for messages; as given */
    struct hs_diag *diag;
    XXH3_state_t *hash;
    const struct hs_codec *codec; /* NULL = plain */
    void *codec_ctx;
    enum hs_codec_state codec_state;
    enum hs_status status; /* HS_OK until the end or the first failure */
    const char *memory;    /* data instead of a file, `total` bytes; NULL = none */
    int fd;
    bool at_eof;               /* of the file */
    uint64_t bytes, left_hash; /* returned so far; their hash when the image was written */
    uint64_t done, total;      /* of the file */
    size_t ready;              /* bytes in buffer not returned yet */
    size_t raw_begin, raw_len; /* compressed bytes in raw not passed to the codec yet */
    char *buffer, *raw;
    struct hs_image_part part;
};

static enum hs_status input_fail(struct hs_input *in, enum hs_status status, const char *hint,
                                 const char *what, const char *why)
{
    in->status = status;
    in->ready = 0; /* bytes of a block with a failed check are not data */
    return hs_fail(in->diag, status, HS_AT({.file = in->path}), hint, "%s: %s", what, why);
}

/* One read(2); *len is 0 only at the end of the file. */
static enum hs_status file_read(struct hs_input *in, char *to, size_t room, size_t *len)
{
    *len = 0;
    if (in->at_eof)
        return HS_OK;
    if (in->memory != NULL) {
        size_t left = (size_t)(in->total - in->done);
        *len = left < room ? left : room;
        memcpy(to, in->memory + in->done, *len);
        in->done += *len;
        in->at_eof = *len == 0;
        return HS_OK;
    }
    ssize_t got;
    do {
        got = read(in->fd, to, room);
    } while (got < 0 && errno == EINTR && !hs_input_stop);
    if (got < 0 && errno == EINTR)
        return input_fail(in, HS_E_INTERRUPTED, NULL, "stopped while waiting for data",
                          hs_status_text(HS_E_INTERRUPTED));
    if (got < 0)
        return input_fail(in, HS_E_IO, NULL, "cannot read", strerror(errno));
    in->at_eof = got == 0;
    in->done += (uint64_t)got;
    *len = (size_t)got;
    return HS_OK;
}

/* Reads the next bytes that are not in the buffer, decompressed, at least one; in->status is HS_END
 * after the last. */
static enum hs_status input_next(struct hs_input *in, char *to, size_t room, size_t *len)
{
    static const char advice[] = "check the file, or fetch it again";
    *len = 0;
    if (in->codec == NULL)
        HS_TRY(file_read(in, to, room, len));
    while (in->codec != NULL && *len == 0) {
        if (in->raw_len == 0) {
            in->raw_begin = 0;
            HS_TRY(file_read(in, in->raw, INPUT_PIECE, &in->raw_len));
            if (in->raw_len == 0 && in->codec_state == HS_CODEC_BOUNDARY)
                break;
        }
        size_t given = in->raw_len;
        struct hs_codec_io io = {
            .in = in->raw + in->raw_begin, .in_len = given, .out = to, .out_room = room};
        in->codec_state = in->codec->step(in->codec_ctx, &io);
        in->raw_begin = (size_t)(io.in - in->raw);
        in->raw_len = io.in_len;
        *len = (size_t)(io.out - to);
        if (in->codec_state == HS_CODEC_BROKEN)
            return input_fail(
                in, HS_E_INPUT, advice,
                in->codec == &hs_codec_gzip ? "corrupt gzip data" : "corrupt zstd data", io.reason);
        if (*len == 0 && in->raw_len == given && in->at_eof)
            return input_fail(in, HS_E_INPUT, advice, in->codec->name,
                              "the compressed data are truncated");
    }
    if (*len == 0)
        in->status = HS_END;
    return HS_OK;
}

/* Fills the buffer with at least `least` bytes, or all there are. */
static enum hs_status input_fill(struct hs_input *in, size_t least)
{
    while (in->ready < least && in->status == HS_OK) {
        size_t got;
        HS_TRY(input_next(in, in->buffer + in->ready, INPUT_PIECE - in->ready, &got));
        in->ready += got;
    }
    return HS_OK;
}

static enum hs_status file_open(struct hs_input *in, const char *path)
{
    if (strncmp(path, HS_BUILTIN, strlen(HS_BUILTIN)) == 0) {
        const struct hs_builtin *builtin = hs_builtin_find(path);
        if (builtin == NULL)
            return input_fail(in, HS_E_IO, "'horus version --verbose' lists them", "cannot open",
                              "no such file is built in");
        in->memory = builtin->data;
        in->total = builtin->len;
        return HS_OK;
    }
    if (strncmp(path, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0) {
        in->memory = path;
        in->total = strlen(path);
        return HS_OK;
    }
    if (strcmp(path, "-") == 0) {
        in->path = "<stdin>";
        in->fd = STDIN_FILENO;
    } else {
        do {
            in->fd = open(path, O_RDONLY | O_CLOEXEC);
        } while (in->fd < 0 && errno == EINTR && !hs_input_stop); /* a pipe waits for its writer */
        if (in->fd < 0 && errno == EINTR)
            return input_fail(in, HS_E_INTERRUPTED, NULL, "stopped while waiting for data",
                              hs_status_text(HS_E_INTERRUPTED));
        if (in->fd < 0)
            return input_fail(in, HS_E_IO, NULL, "cannot open", strerror(errno));
    }
    struct stat info;
    if (fstat(in->fd, &info) == 0 && S_ISREG(info.st_mode))
        in->total = (uint64_t)info.st_size;
    return HS_OK;
}

/* Describes data in formats that cannot be read, by their first bytes, and how to convert them;
 * NULL for others. */
static const char *foreign_format(const char *head, size_t len, const char **hint)
{
    static const struct {
        const char *magic, *what, *hint;
        size_t len;
    } formats[] = {
        {"\xfd"
         "7zX",
         "compressed by xz", "xz -dc FILE | horus ... -, or unpack it first", 4},
        {"BZh", "compressed by bzip2", "bzip2 -dc FILE | horus ... -, or unpack it first", 3},
        {"PK\3\4", "a zip archive",
         "unzip -p FILE | horus ... -, or unpack it first; a table of Excel (.xlsx): save it as "
         "CSV",
         4},
        {"\xd0\xcf\x11\xe0", "an Excel file", "save it as CSV", 4},
        {"SQLite format 3", "an SQLite database",
         "sqlite3 -header -csv FILE 'SELECT ...' >jobs.csv", 15},
        {"7z\xbc\xaf", "a 7z archive", "unpack it first", 4},
        {"\xff\xfe", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > OTHER", 2},
        {"\xfe\xff", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > OTHER", 2},
        {"PAR1", "a Parquet file", "export it as CSV", 4},
    };
    for (size_t i = 0; i < HS_COUNT_OF(formats); i++) {
        *hint = formats[i].hint;
        if (len >= formats[i].len && memcmp(head, formats[i].magic, formats[i].len) == 0)
            return formats[i].what;
    }
    const bool is_wide =
        len >= 4 && head[0] != '\0' && head[1] == '\0' && head[2] != '\0' && head[3] == '\0';
    *hint = "iconv -f UTF-16LE -t UTF-8 FILE > OTHER";
    return is_wide ? "text in UTF-16" : NULL;
}

/* The head is read into the buffer as if the file were plain; otherwise it becomes raw input. */
static enum hs_status input_start(struct hs_input *in, const char *path)
{
    HS_TRY(file_open(in, path));
    in->buffer = hs_must(hs_resize(NULL, INPUT_PIECE));
    in->hash = hash_open();
    HS_TRY(input_fill(in, HS_CODEC_HEAD));
    const char *hint, *foreign = foreign_format(in->buffer, in->ready, &hint);
    if (foreign != NULL)
        return input_fail(in, HS_E_INPUT, hint, "cannot be read", foreign);
    for (size_t i = 0; i < HS_COUNT_OF(codecs) && in->codec == NULL; i++) {
        if (!codecs[i]->recognise(in->buffer, in->ready))
            continue;
        in->raw = hs_must(hs_resize(NULL, INPUT_PIECE));
        in->codec_ctx = codecs[i]->open(false);
        in->codec = codecs[i];
        in->status = HS_OK; /* that was the end of the compressed bytes */
        memcpy(in->raw, in->buffer, in->ready);
        in->raw_len = in->ready;
        in->ready = 0;
    }
    return HS_OK;
}

static enum hs_status input_leave(void *ctx, struct hs_diag *diag)
{
    struct hs_input *in = ctx;
    (void)diag;
    in->left_hash = XXH3_64bits_digest(in->hash);
    return HS_OK;
}

/* Reads the file again up to the place where the image left it. */
static enum hs_status input_enter(void *ctx, struct hs_diag *diag)
{
    struct hs_input *const in = ctx;
    const struct hs_input left = *in;
    *in = (struct hs_input){
        .path = left.at_path, .at_path = left.at_path, .diag = diag, .fd = -1, .part = left.part};
    hs_free(left.raw); /* the buffer stays: a reader may still be at its bytes */
    HS_TRY(input_start(in, in->at_path));
    while (in->bytes < left.bytes) {
        enum hs_status status = HS_OK;
        if (in->ready == 0)
            status = input_next(in, in->buffer, INPUT_PIECE, &in->ready);
        if (status != HS_OK || in->ready == 0)
            break;
        const uint64_t want = left.bytes - in->bytes;
        const size_t part = in->ready < want ? in->ready : (size_t)want;
        XXH3_64bits_update(in->hash, in->buffer, part);
        in->bytes += part;
        in->ready -= part;
        memmove(in->buffer, in->buffer + part, in->ready);
    }
    if (in->bytes == left.bytes && XXH3_64bits_digest(in->hash) == left.left_hash)
        return HS_OK;
    return input_fail(in, HS_E_INPUT, "start again without --resume", "cannot continue",
                      "its contents are not those that the run had read");
}

enum hs_status hs_input_open(struct hs_input **in, const char *path, struct hs_diag *diag)
{
    *in = NULL;
    struct hs_input *opened = hs_alloc_zeroed(1, sizeof *opened);
    opened->path = opened->at_path = path;
    opened->diag = diag;
    opened->fd = -1;
    enum hs_status status = input_start(opened, path);
    if (status != HS_OK) {
        hs_input_close(opened);
        return status;
    }
    hs_image_add(&opened->part, opened, NULL, input_leave, input_enter);
    *in = opened;
    return HS_OK;
}

/* Reads into memory of at least INPUT_PIECE bytes, which may be the buffer. */
static enum hs_status input_read_to(struct hs_input *in, char *to, size_t *len)
{
    *len = in->ready;
    if (in->ready == 0 && in->status == HS_OK)
        HS_TRY(input_next(in, to, INPUT_PIECE, len));
    else if (to != in->buffer)
        memcpy(to, in->buffer, in->ready); /* bytes peeked at */
    if (*len == 0)
        return in->status;
    XXH3_64bits_update(in->hash, to, *len);
    in->bytes += *len;
    in->ready = 0;
    return HS_OK;
}

enum hs_status hs_input_read(struct hs_input *in, const char **data, size_t *len)
{
    *data = in->buffer;
    return input_read_to(in, in->buffer, len);
}

enum hs_status hs_input_peek(struct hs_input *in, const char **data, size_t *len)
{
    assert(in->bytes == 0);
    HS_TRY(input_fill(in, INPUT_PIECE));
    *data = in->buffer;
    *len = in->ready;
    return HS_OK;
}

const char *hs_input_path(const struct hs_input *in)
{
    return in->path;
}

uint64_t hs_input_hash(const struct hs_input *in)
{
    return XXH3_64bits_digest(in->hash);
}

uint64_t hs_input_bytes(const struct hs_input *in)
{
    return in->bytes;
}

void hs_input_progress(const struct hs_input *in, uint64_t *done, uint64_t *total)
{
    *done = in->done;
    *total = in->total;
}

void hs_input_close(struct hs_input *in)
{
    if (in == NULL)
        return;
    if (in->fd > STDIN_FILENO)
        (void)close(in->fd); /* nothing was written, so nothing can be lost */
    if (in->codec_ctx != NULL)
        in->codec->close(in->codec_ctx, false);
    XXH3_freeState(in->hash);
    hs_image_remove(&in->part);
    hs_free(in->buffer);
    hs_free(in->raw);
    hs_free(in);
}

enum hs_status hs_regular_check(const char *path, struct hs_diag *diag)
{
    struct stat info;
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
        return HS_OK;
    return hs_fail(diag, HS_E_INPUT, HS_AT({.file = path}), NULL,
                   "a pipe or a device, where a file is expected");
}

enum hs_status hs_read_file(const char *path, uint64_t max_bytes, char **text, size_t *len,
                            struct hs_diag *diag)
{
    struct hs_input *in;
    uint32_t cap = 0;
    const char *data;
    size_t got;
    enum hs_status status;
    uint64_t most = max_bytes < UINT32_MAX ? max_bytes : UINT32_MAX - 1;
    *text = NULL;
    *len = 0;
    HS_TRY(hs_input_open(&in, path, diag));
    while ((status = hs_input_read(in, &data, &got)) == HS_OK) {
        if (*len + got > most) {
            status = hs_fail(in->diag, HS_E_LIMIT, HS_AT({.file = in->path}), NULL,
                             "the file is larger than %" PRIu64 " bytes", most);
            break;
        }
        hs_grow(*text, cap, (uint64_t)*len + got + 1, most + 1);
        memcpy(*text + *len, data, got);
        *len += got;
    }
    hs_input_close(in);
    if (status != HS_END) {
        hs_free(*text);
        *text = NULL;
        *len = 0;
        return status;
    }
    hs_grow(*text, cap, (uint64_t)*len + 1, most + 1); /* also for an empty file */
    (*text)[*len] = '\0';
    return HS_OK;
}

/* ---- windows ---- */

enum hs_status hs_window_more(struct hs_window *window, uint32_t keep)
{
    size_t len = 0;
    if (keep > 0)
        memmove(window->bytes, window->bytes + keep, window->end - keep);
    window->end -= keep;
    if (window->is_done || window->is_broken)
        return window->is_done ? HS_END : HS_E_IO;
    const uint64_t need = window->end + INPUT_PIECE; /* room for another piece */
    if (need > window->cap) {
        uint64_t cap = 2 * need < window->max ? 2 * need : window->max;
        window->bytes = hs_must(hs_resize(window->bytes, cap + HS_WINDOW_MARGIN));
        window->cap = (uint32_t)cap;
    }
    enum hs_status status = input_read_to(window->input, window->bytes + window->end, &len);
    window->end += (uint32_t)len;
    window->is_done = status == HS_END;
    window->is_broken = status != HS_OK && status != HS_END;
    return status;
}

void hs_window_free(struct hs_window *window)
{
    hs_free(window->bytes);
    window->bytes = NULL;
}

/* ---- output ---- */

#define BUFFER_SIZE (4 * INPUT_PIECE)

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

static const struct hs_codec *codec_of(const char *path)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < HS_COUNT_OF(codecs); i++) {
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

void hs_output_pack(struct hs_output *out, const char *path)
{
    const struct hs_codec *codec = codec_of(path);
    if (codec == NULL)
        return;
    struct hs_packing *packing = hs_alloc_zeroed(1, sizeof *packing);
    packing->codec = codec;
    packing->ctx = codec->open(true);
    out->packing = packing;
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
    } while (out->error == 0 &&
             (io.in_len > 0 || io.out_room == 0 || (is_last && state != HS_CODEC_BOUNDARY)));
}

/* A reader of standard output that has seen enough, such as head, gets no message. */
static enum hs_status output_fail(const struct hs_output *out, const char *what,
                                  struct hs_diag *diag)
{
    if (out->error == EPIPE && out->fd == STDOUT_FILENO) {
        diag->errors++;
        return HS_E_IO;
    }
    return hs_fail(diag, HS_E_IO, HS_AT({.file = out->path}), NULL, "cannot %s: %s", what,
                   strerror(out->error));
}

static void output_sync(struct hs_output *out)
{
    while (out->error == 0 && fsync(out->fd) != 0)
        if (errno != EINTR)
            out->error = errno;
}

static enum hs_status output_leave(void *ctx, struct hs_diag *diag)
{
    struct hs_output *out = ctx;
    out->left_hash = hs_output_hash(out);
    out->part.bytes = out->flushed;
    output_sync(out);
    return out->error == 0 ? HS_OK : output_fail(out, "write", diag);
}

/* Hashes the next *left bytes, or those there are; false: errno tells why not. */
static bool output_reread(struct hs_output *out, uint64_t *left)
{
    const size_t room = (size_t)(out->end - out->buffer);
    ssize_t got = 1;
    while (*left > 0 && got != 0) {
        got = read(out->fd, out->buffer, *left < room ? *left : room);
        if (got < 0 && errno != EINTR)
            return false;
        const uint64_t bytes = got > 0 ? (uint64_t)got : 0;
        XXH3_64bits_update(out->hash, out->buffer, bytes);
        *left -= bytes;
    }
    return true;
}

/* Opens the file again, checks it, and cuts off what was written after the image. */
static enum hs_status output_enter(void *ctx, struct hs_diag *diag)
{
    struct hs_output *out = ctx;
    uint64_t left = out->flushed;
    out->hash = hash_open();
    do {
        out->fd = open(out->path, O_RDWR | O_CLOEXEC);
    } while (out->fd < 0 && errno == EINTR);
    if (out->fd < 0 || !output_reread(out, &left) || ftruncate(out->fd, (off_t)out->flushed) != 0) {
        out->error = errno;
        return output_fail(out, "open again", diag);
    }
    if (left == 0 && XXH3_64bits_digest(out->hash) == out->left_hash)
        return HS_OK;
    return hs_fail(diag, HS_E_INPUT, HS_AT({.file = out->path}), "start again without --resume",
                   "not as the checkpoint left it");
}

/* Messages use `name`. */
static void output_begin(struct hs_output *out, int fd, const char *name)
{
    *out = (struct hs_output){.fd = fd};
    out->buffer = hs_must(hs_resize(NULL, BUFFER_SIZE));
    out->path = hs_alloc_zeroed(strlen(name) + 1, 1);
    out->hash = hash_open();
    memcpy(out->path, name, strlen(name));
    out->at = out->buffer;
    out->end = out->buffer + BUFFER_SIZE;
    hs_image_add(&out->part, out, &out->path, output_leave, output_enter);
}

enum hs_status hs_output_open(struct hs_output *out, const char *path, struct hs_diag *diag)
{
    const bool is_standard = strcmp(path, "-") == 0;
    int fd = STDOUT_FILENO;
    while (!is_standard && (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) < 0 &&
           errno == EINTR)
        ;
    *out = (struct hs_output){.fd = -1};
    if (fd < 0)
        return hs_fail(diag, HS_E_IO, HS_AT({.file = path}), NULL, "cannot create: %s",
                       strerror(errno));
    output_begin(out, fd, is_standard ? "<stdout>" : path);
    return HS_OK;
}

void hs_output_flush(struct hs_output *out)
{
    size_t len = (size_t)(out->at - out->buffer);
    XXH3_64bits_update(out->hash, out->buffer, len);
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

void hs_say_padded(struct hs_output *out, const char *text, int width)
{
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned char c = (unsigned char)*at;
        const bool is_wide = (c >= 0xe3 && c <= 0xed) || c == 0xf0;
        width -= (c & 0xc0) == 0x80 ? 0 : is_wide ? 2 : 1;
    }
    hs_say(out, "%s%*s", text, width > 0 ? width : 0, "");
}

uint64_t hs_output_hash(struct hs_output *out)
{
    hs_output_flush(out);
    return XXH3_64bits_digest(out->hash);
}

/* Standard output is not closed. EINTR of close() is no error: on Linux the file is closed then,
 * and its data are on the disk after fsync(). */
enum hs_status hs_output_close(struct hs_output *out, struct hs_diag *diag)
{
    if (out->buffer == NULL)
        return HS_OK;
    enum hs_status status = HS_OK;
    hs_output_flush(out);
    if (out->packing != NULL)
        write_packed(out, NULL, 0, true);
    struct stat info;
    const bool is_ours = out->fd != STDOUT_FILENO;
    const bool is_file = is_ours && fstat(out->fd, &info) == 0 && S_ISREG(info.st_mode);
    if (is_file)
        output_sync(out);
    if (is_ours && close(out->fd) != 0 && errno != EINTR && out->error == 0)
        out->error = errno;
    if (out->error != 0)
        status = output_fail(out, "write", diag);
    if (out->packing != NULL)
        out->packing->codec->close(out->packing->ctx, true);
    hs_free(out->packing);
    XXH3_freeState(out->hash);
    hs_image_remove(&out->part);
    hs_free(out->buffer);
    hs_free(out->path);
    *out = (struct hs_output){.fd = -1, .error = out->error};
    return status;
}

/* ---- whole files ---- */

/* Tells whether the file exists and has contents that can be lost. */
static bool find_file(const char *path, int standard, struct stat *info)
{
    int failed = strcmp(path, "-") == 0 ? fstat(standard, info) : stat(path, info);
    return failed == 0 && S_ISREG(info->st_mode);
}

enum hs_status hs_wholefile_check(const char *path, const char *option, bool force,
                                  const char *const *inputs, uint32_t count, struct hs_diag *diag)
{
    struct stat out, in;
    const bool has_output = find_file(path, STDOUT_FILENO, &out);
    for (uint32_t i = 0; i < count && has_output; i++)
        if (inputs[i] != NULL && find_file(inputs[i], STDIN_FILENO, &in) &&
            out.st_dev == in.st_dev && out.st_ino == in.st_ino)
            return hs_fail(diag, HS_E_USAGE, NULL, "write to another file",
                           "%s %s would destroy the input %s", option, path, inputs[i]);
    if (!force && has_output && strcmp(path, "-") != 0)
        return hs_fail(diag, HS_E_IO, &(struct hs_place){.file = path},
                       "give --force to replace it, or another name", "this file exists");
    return HS_OK;
}

/* *fd: -1 if path is to be written directly. */
static enum hs_status wholefile_make(struct hs_wholefile *file, const char *path, int *fd,
                                     struct hs_diag *diag)
{
    struct stat info;
    char target[HS_BESIDE_PATH_MAX];
    memset(file, 0, sizeof *file);
    *fd = -1;
    /* A device or a pipe is written directly; a renamed file would replace it. */
    if (strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return HS_OK;
    HS_TRY(hs_beside_follow(path, target, diag));
    HS_TRY(hs_beside_lock(&file->beside, target, NULL, diag));
    const enum hs_status status = hs_beside_make(&file->beside, fd, diag);
    if (status != HS_OK)
        hs_beside_close(&file->beside);
    return status;
}

enum hs_status hs_wholefile_begin(struct hs_wholefile *file, const char *path, struct hs_diag *diag)
{
    int fd;
    HS_TRY(wholefile_make(file, path, &fd, diag));
    if (fd >= 0)
        (void)close(fd); /* empty */
    return HS_OK;
}

enum hs_status hs_wholefile_end(struct hs_wholefile *file, enum hs_status status,
                                struct hs_diag *diag)
{
    if (status == HS_OK && file->beside.is_open)
        status = hs_beside_rename(&file->beside, diag);
    hs_beside_close(&file->beside);
    return status;
}

enum hs_status hs_wholefile_open(struct hs_wholefile *file, const char *path, struct hs_diag *diag)
{
    int fd;
    HS_TRY(wholefile_make(file, path, &fd, diag));
    if (fd < 0)
        return hs_output_open(&file->out, path, diag);
    output_begin(&file->out, fd, path);
    return HS_OK;
}

enum hs_status hs_wholefile_close(struct hs_wholefile *file, enum hs_status status,
                                  struct hs_diag *diag)
{
    enum hs_status closed = hs_output_close(&file->out, diag);
    return hs_wholefile_end(file, status == HS_OK ? closed : status, diag);
}
