/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records stored in temporary files. The file never grows while it is read: a premature end is an
 * I/O error.
 */
#include "report/run/observers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static enum hs_status temp_records_failed(const struct hs_temp_records *s, struct hs_diag *diag,
                                          const char *what, int error)
{
    return hs_fail(diag, HS_E_IO, NULL, "job statistics need up to 64 bytes a job there",
                   "cannot %s a temporary file in '%s': %s", what, s->dir,
                   error != 0 ? strerror(error) : "it ends too early");
}

/* The file, if there is none yet. */
static enum hs_status need_file(struct hs_temp_records *s, struct hs_diag *diag)
{
    if (s->file != NULL)
        return HS_OK;
    const bool has_name = hs_image_holds(s);
    const size_t size = strlen(s->dir) + 64;
    s->path = hs_alloc_zeroed(size, 1);
    if (has_name) {
        /* In an image the same records have the same address in every process, so that a file of a
         * killed one is replaced by that with its name. */
        (void)snprintf(s->path, size, "%s/.horus-jobs-%" PRIxPTR, s->dir, (uintptr_t)s);
        s->file = fopen(s->path, "w+");
    } else {
        (void)snprintf(s->path, size, "%s/.horus-jobs-XXXXXX", s->dir);
        const int fd = mkstemp(s->path);
        s->file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    }
    if (s->file == NULL)
        return temp_records_failed(s, diag, "create", errno);
    setvbuf(s->file, NULL, _IONBF, 0); /* blocks are large */
    return has_name || unlink(s->path) == 0 ? HS_OK : temp_records_failed(s, diag, "unlink", errno);
}

static enum hs_status temp_records_leave(void *ctx, struct hs_diag *diag)
{
    struct hs_temp_records *s = ctx;
    struct stat info;
    if (s->file == NULL)
        return HS_OK;
    while (fsync(fileno(s->file)) != 0)
        if (errno != EINTR)
            return temp_records_failed(s, diag, "write", errno);
    if (fstat(fileno(s->file), &info) != 0)
        return temp_records_failed(s, diag, "read", errno);
    s->part.bytes = (uint64_t)info.st_size;
    return HS_OK;
}

static enum hs_status temp_records_enter(void *ctx, struct hs_diag *diag)
{
    struct hs_temp_records *s = ctx;
    if (s->file == NULL)
        return HS_OK;
    s->file = fopen(s->path, "r+");
    if (s->file == NULL)
        return temp_records_failed(s, diag, "open", errno);
    setvbuf(s->file, NULL, _IONBF, 0);
    return HS_OK;
}

/* Moves bytes between the buffer and the file at record `first`. */
static enum hs_status transfer(struct hs_temp_records *s, uint64_t first, uint32_t records,
                               bool is_write, struct hs_diag *diag)
{
    errno = 0;
    if (fseeko(s->file, (off_t)(first * s->record_size), SEEK_SET) == 0 &&
        (is_write ? fwrite(s->buffer, s->record_size, records, s->file)
                  : fread(s->buffer, s->record_size, records, s->file)) == records)
        return HS_OK;
    return temp_records_failed(s, diag, is_write ? "write" : "read", errno);
}

enum hs_status hs_temp_records_flush(struct hs_temp_records *s, struct hs_diag *diag)
{
    HS_TRY(need_file(s, diag));
    HS_TRY(transfer(s, s->count - s->buffered, s->buffered, true, diag));
    s->buffered = 0;
    return HS_OK;
}

void hs_temp_records_open(struct hs_temp_records *s, uint32_t record_size, const char *dir)
{
    *s = (struct hs_temp_records){.dir = dir != NULL ? dir : "/tmp",
                                  .record_size = record_size,
                                  .buffer_records = HS_TEMP_RECORDS_BUFFER / record_size};
    s->buffer = hs_alloc_zeroed(s->buffer_records, record_size);
    hs_image_add(&s->part, s, &s->path, temp_records_leave, temp_records_enter);
}

enum hs_status hs_temp_records_put_at(struct hs_temp_records *s, uint64_t number,
                                      const void *record, struct hs_diag *diag)
{
    HS_TRY(need_file(s, diag));
    memcpy(s->buffer, record, s->record_size);
    HS_TRY(transfer(s, number, 1, true, diag));
    s->count = number < s->count ? s->count : number + 1;
    return HS_OK;
}

enum hs_status hs_temp_records_next(struct hs_temp_records *s, void **records, uint32_t *count,
                                    struct hs_diag *diag)
{
    const uint64_t left = s->count - s->next;
    if (s->next == 0 && s->file != NULL && s->buffered > 0)
        HS_TRY(hs_temp_records_flush(s, diag));
    if (left == 0) {
        s->count = s->is_kept ? s->kept : s->count;
        s->next = s->kept = 0;
        s->is_kept = false;
        return HS_END;
    }
    uint32_t block = left < s->buffer_records ? (uint32_t)left : s->buffer_records;
    if (s->file != NULL)
        HS_TRY(transfer(s, s->next, block, false, diag));
    s->next += block;
    *records = s->buffer;
    *count = block;
    return HS_OK;
}

enum hs_status hs_temp_records_keep(struct hs_temp_records *s, uint32_t count, struct hs_diag *diag)
{
    const uint64_t first = s->kept;
    s->is_kept = true;
    s->kept += count;
    if (s->file == NULL || s->kept == s->next) /* none was dropped yet */
        return HS_OK;
    return transfer(s, first, count, true, diag);
}

void hs_temp_records_close(struct hs_temp_records *s)
{
    if (s->file != NULL)
        fclose(s->file);
    if (s->file != NULL && hs_image_holds(s))
        (void)unlink(s->path);
    hs_image_remove(&s->part);
    hs_free(s->path);
    hs_free(s->buffer);
    *s = (struct hs_temp_records){0};
}
