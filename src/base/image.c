/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file is a head, the memory, and the XXH3-64 of both; numbers are those of the machine.
 */
#include "base/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"

#define MAGIC   "HORUSIMG"
#define VERSION 1u

struct file_head {
    char magic[sizeof MAGIC - 1];
    uint64_t version, bytes; /* of the memory */
    struct hs_image_head of;
};

/* Hashes of head and memory, behind them. */
struct file_tail {
    uint64_t head, memory;
};

/* Then each file in pieces, of which the last has no bytes. */
struct piece {
    uint64_t bytes, hash;
};
#define PIECE_MAX ((size_t)256 << 10)

/* ---- parts ---- */

void hs_image_add(struct hs_image_part *part, void *owner, char **path,
                  enum hs_status (*leave)(void *owner, struct hs_diag *diag),
                  enum hs_status (*enter)(void *owner, struct hs_diag *diag))
{
    if (!hs_image_holds(part))
        return;
    *part = (struct hs_image_part){*hs_image_parts(), owner, path, 0, leave, enter};
    *hs_image_parts() = part;
}

void hs_image_remove(struct hs_image_part *part)
{
    if (!hs_image_holds(part))
        return;
    struct hs_image_part **at = hs_image_parts();
    while (*at != NULL && *at != part)
        at = &(*at)->next;
    if (*at != NULL)
        *at = part->next;
}

enum hs_status hs_image_enter(struct hs_diag *diag)
{
    for (struct hs_image_part *part = *hs_image_parts(); part != NULL; part = part->next)
        HS_TRY(part->enter(part->owner, diag));
    return HS_OK;
}

/* Tells whether the image file contains a copy of the part's file. */
static bool is_carried(const struct hs_image_part *part, const struct hs_image_head *head)
{
    return head->has_files && part->path != NULL && *part->path != NULL;
}

/* ---- writing ---- */

static enum hs_status put_file(struct hs_output *out, const struct hs_image_part *part,
                               struct hs_diag *diag)
{
    char *buffer = hs_alloc_zeroed(PIECE_MAX, 1);
    uint64_t left = part->bytes;
    ssize_t got = -1;
    int fd;
    do {
        fd = open(*part->path, O_RDONLY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    while (left > 0 && fd >= 0) {
        got = read(fd, buffer, left < PIECE_MAX ? (size_t)left : PIECE_MAX);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        const struct piece piece = {(uint64_t)got, hs_hash_of(buffer, (size_t)got)};
        hs_output_put(out, &piece, sizeof piece);
        hs_output_put(out, buffer, (size_t)got);
        left -= (uint64_t)got;
    }
    hs_output_put(out, &(struct piece){0}, sizeof(struct piece));
    if (fd >= 0)
        (void)close(fd);
    hs_free(buffer);
    return left == 0 ? HS_OK
                     : hs_fail(diag, HS_E_IO, HS_AT({.file = *part->path}), NULL, "cannot read: %s",
                               got < 0 ? strerror(errno) : "it ends too early");
}

enum hs_status hs_image_write(const char *path, const struct hs_image_head *of,
                              struct hs_diag *diag)
{
    struct file_head head = {.version = VERSION, .of = *of};
    for (struct hs_image_part *part = *hs_image_parts(); part != NULL; part = part->next)
        HS_TRY(part->leave(part->owner, diag));
    hs_image_pause(true);
    struct hs_wholefile *file = hs_alloc_zeroed(1, sizeof *file);
    enum hs_status status = hs_wholefile_open(file, path, diag);
    if (status == HS_OK) {
        hs_output_pack(&file->out, path);
        const void *memory = hs_image_bytes(&head.bytes);
        memcpy(head.magic, MAGIC, sizeof head.magic);
        const struct file_tail tail = {hs_hash_of(&head, sizeof head),
                                       hs_hash_of(memory, head.bytes)};
        hs_output_put(&file->out, &head, sizeof head);
        hs_output_put(&file->out, memory, head.bytes);
        hs_output_put(&file->out, &tail, sizeof tail);
        for (const struct hs_image_part *part = *hs_image_parts(); part != NULL && status == HS_OK;
             part = part->next)
            if (is_carried(part, of))
                status = put_file(&file->out, part, diag);
        status = hs_wholefile_close(file, status, diag);
    }
    hs_free(file);
    hs_image_pause(false);
    return status;
}

/* ---- reading ---- */

struct image_input {
    struct hs_input *input;
    const char *data;
    size_t len; /* bytes of data not taken yet */
};

/* HS_END if there are fewer bytes. */
static enum hs_status take(struct image_input *from, void *to, uint64_t bytes)
{
    for (unsigned char *at = to; bytes > 0;) {
        if (from->len == 0)
            HS_TRY(hs_input_read(from->input, &from->data, &from->len));
        const size_t part = from->len < bytes ? from->len : (size_t)bytes;
        memcpy(at, from->data, part);
        at += part;
        bytes -= part;
        from->data += part;
        from->len -= part;
    }
    return HS_OK;
}

static enum hs_status refuse(const struct image_input *from, const char *why, const char *hint,
                             struct hs_diag *diag)
{
    return hs_fail(diag, HS_E_INPUT, HS_AT({.file = hs_input_path(from->input)}), hint, "%s", why);
}

static const char damaged[] = "a damaged checkpoint";

static enum hs_status read_head(struct image_input *from, const struct hs_image_head *want,
                                struct file_head *head, struct hs_diag *diag)
{
    const enum hs_status status = take(from, head, sizeof *head);
    if (status != HS_OK && status != HS_END)
        return status;
    if (status == HS_END || memcmp(head->magic, MAGIC, sizeof head->magic) != 0)
        return refuse(from, "no checkpoint of horus", NULL, diag);
    if (head->version != VERSION || head->of.program != want->program)
        return refuse(from, "a checkpoint of another build of horus",
                      "the program that wrote it can read it", diag);
    head->of.name[HS_IMAGE_NAME_MAX] = '\0';
    if (want->name[0] != '\0' && strcmp(head->of.name, want->name) != 0)
        return hs_fail(diag, HS_E_INPUT, HS_AT({.file = hs_input_path(from->input)}),
                       "inputs and options must be the same",
                       "a checkpoint of another run: of %s, not of %s", head->of.name, want->name);
    if (head->of.has_files != want->has_files)
        return refuse(from,
                      head->of.has_files ? "a snapshot, not a checkpoint"
                                         : "a checkpoint, not a snapshot",
                      head->of.has_files ? "--from continues it" : "--resume continues it", diag);
    return HS_OK;
}

bool hs_image_is_file(const char *path, struct hs_diag *diag)
{
    struct image_input from = {0};
    char magic[sizeof MAGIC - 1];
    if (access(path, F_OK) != 0 || hs_input_open(&from.input, path, diag) != HS_OK)
        return false;
    const bool is_image =
        take(&from, magic, sizeof magic) == HS_OK && memcmp(magic, MAGIC, sizeof magic) == 0;
    hs_input_close(from.input);
    return is_image;
}

static enum hs_status read_memory(struct image_input *from, const struct file_head *head,
                                  struct hs_diag *diag)
{
    struct file_tail tail;
    void *const memory = hs_image_map(head->bytes);
    if (memory == NULL)
        return refuse(from, damaged, NULL, diag);
    enum hs_status status = take(from, memory, head->bytes);
    if (status == HS_OK)
        status = take(from, &tail, sizeof tail);
    if (status != HS_OK && status != HS_END)
        return status;
    if (status == HS_END || tail.head != hs_hash_of(head, sizeof *head) ||
        tail.memory != hs_hash_of(memory, head->bytes))
        return refuse(from, damaged, NULL, diag);
    hs_image_adopt(head->bytes);
    return HS_OK;
}

/* Copies pieces; *buffer holds one. */
static enum hs_status read_pieces(struct image_input *from, struct hs_output *out, char *buffer,
                                  struct hs_diag *diag)
{
    struct piece piece = {0};
    for (;;) {
        enum hs_status status = take(from, &piece, sizeof piece);
        if (status == HS_OK && piece.bytes == 0)
            return HS_OK;
        if (status == HS_OK && piece.bytes <= PIECE_MAX)
            status = take(from, buffer, piece.bytes);
        if (status != HS_OK && status != HS_END)
            return status;
        if (status == HS_END || piece.bytes > PIECE_MAX ||
            piece.hash != hs_hash_of(buffer, piece.bytes))
            return refuse(from, damaged, NULL, diag);
        hs_output_put(out, buffer, piece.bytes);
    }
}

/* The file gets its name in the directory. */
static enum hs_status read_file(struct image_input *from, struct hs_image_part *part,
                                const char *into, struct hs_diag *diag)
{
    struct hs_output out;
    const char *slash = strrchr(*part->path, '/'), *name = slash != NULL ? slash + 1 : *part->path;
    const size_t size = strlen(into) + strlen(name) + 2;
    char *path = hs_alloc_zeroed(size, 1), *buffer = hs_alloc_zeroed(PIECE_MAX, 1);
    (void)snprintf(path, size, "%s/%s", into, name);
    hs_free(*part->path);
    *part->path = path;
    enum hs_status status = hs_output_open(&out, path, diag);
    if (status == HS_OK) {
        status = read_pieces(from, &out, buffer, diag);
        const enum hs_status closed = hs_output_close(&out, diag);
        status = status != HS_OK ? status : closed;
    }
    hs_free(buffer);
    return status;
}

static enum hs_status read_image(struct image_input *from, const struct hs_image_head *want,
                                 const char *into, struct hs_image_head *of, struct hs_diag *diag)
{
    struct file_head head;
    HS_TRY(read_head(from, want, &head, diag));
    HS_TRY(read_memory(from, &head, diag));
    *of = head.of;
    for (struct hs_image_part *part = *hs_image_parts(); part != NULL; part = part->next)
        if (is_carried(part, of))
            HS_TRY(read_file(from, part, into, diag));
    return HS_OK;
}

enum hs_status hs_image_read(const char *path, const struct hs_image_head *want, const char *into,
                             struct hs_image_head *head, struct hs_diag *diag)
{
    struct image_input from = {0};
    HS_TRY(hs_input_open(&from.input, path, diag));
    const enum hs_status status = read_image(&from, want, into, head, diag);
    hs_input_close(from.input);
    return status;
}
