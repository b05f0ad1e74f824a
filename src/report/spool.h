/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records kept out of memory: added once, read over and over from the start. Of those appended the
 * first HS_SPOOL_BUFFER bytes stay in memory; past that a temporary file, unlinked as soon as it
 * exists, takes them, so that a crash leaves nothing behind.
 *
 *     HS_TRY(hs_spool_add(&s, &place, diag));
 *     *(struct thing *)place = (struct thing){...};
 *     hs_spool_rewind(&s);
 *     while ((status = hs_spool_next(&s, &records, &count, diag)) == HS_OK) ...   // a block
 *
 * A reader that needs some of them no more keeps the others, block by block: they are what is read
 * from then on.
 */
#ifndef HORUS_REPORT_SPOOL_H
#define HORUS_REPORT_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define HS_SPOOL_BUFFER (256u * 1024u)

struct hs_spool {
    char *buffer;
    const char *dir; /* of the temporary file; borrowed */
    uint32_t record_size, buffer_records;
    uint32_t buffered; /* records in the buffer that are not in the file */
    uint64_t count;    /* records in all */
    uint64_t next;     /* reading: first record of the next block */
    uint64_t kept;     /* records of the blocks read that are kept */
    bool is_kept;      /* as said after each block */
    int fd;            /* -1 while everything fits the buffer */
};

/* dir NULL: /tmp. */
HS_MUST_USE enum hs_status hs_spool_open(struct hs_spool *s, uint32_t record_size, const char *dir);
/* Writes what is in the buffer to the file. */
HS_MUST_USE enum hs_status hs_spool_flush(struct hs_spool *s, struct hs_diag *diag);
/* Appends a record, to be written at once where *record points. */
HS_MUST_USE static inline enum hs_status hs_spool_add(struct hs_spool *s, void **record,
                                                      struct hs_diag *diag)
{
    if (HS_UNLIKELY(s->buffered == s->buffer_records))
        HS_TRY(hs_spool_flush(s, diag));
    *record = s->buffer + (size_t)s->buffered * s->record_size;
    s->buffered++;
    s->count++;
    return HS_OK;
}
/* The record of that number, 0, 1, ..., whatever came before; not to be mixed with hs_spool_add.
 * What was never put is zero bytes. */
HS_MUST_USE enum hs_status hs_spool_put_at(struct hs_spool *s, uint64_t number, const void *record,
                                           struct hs_diag *diag);
/* Nothing is added after this. */
HS_MUST_USE enum hs_status hs_spool_rewind(struct hs_spool *s, struct hs_diag *diag);
/* The next block of at least one record, valid until the next call; HS_END after the last. */
HS_MUST_USE enum hs_status hs_spool_next(struct hs_spool *s, void **records, uint32_t *count,
                                         struct hs_diag *diag);
/* Of that block only its first `count` records, as they are there now, are read again: after each
 * block up to HS_END, or after none. */
HS_MUST_USE enum hs_status hs_spool_keep(struct hs_spool *s, uint32_t count, struct hs_diag *diag);
void hs_spool_close(struct hs_spool *s);

#endif
