/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records kept out of memory: added once, read over and over from the start. Of those appended the
 * first HS_TEMP_RECORDS_BUFFER bytes stay in memory; past that a temporary file, unlinked as soon
 * as it exists, takes them, so that a crash leaves nothing behind.
 *
 *     HS_TRY(hs_temp_records_add(&s, &place, diag));
 *     *(struct thing *)place = (struct thing){...};
 *     while ((status = hs_temp_records_next(&s, &records, &count, diag)) == HS_OK) ...   // a block
 */
#ifndef HORUS_REPORT_RUN_TEMP_RECORDS_H
#define HORUS_REPORT_RUN_TEMP_RECORDS_H

#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

#define HS_TEMP_RECORDS_BUFFER (256u * 1024u)

struct hs_temp_records {
    char *buffer;
    const char *dir; /* of the temporary file; borrowed */
    uint32_t record_size, buffer_records;
    uint32_t buffered; /* records in the buffer that are not in the file */
    uint64_t count;    /* records in all */
    uint64_t next;     /* reading: first record of the next block */
    FILE *file;        /* NULL while everything fits the buffer */
};

/* dir NULL: /tmp. */
void hs_temp_records_open(struct hs_temp_records *s, uint32_t record_size, const char *dir);
/* Writes what is in the buffer to the file. */
HS_MUST_USE enum hs_status hs_temp_records_flush(struct hs_temp_records *s, struct hs_diag *diag);
/* Appends a record, to be written at once where *record points. */
HS_MUST_USE static inline enum hs_status hs_temp_records_add(struct hs_temp_records *s,
                                                             void **record, struct hs_diag *diag)
{
    if (HS_UNLIKELY(s->buffered == s->buffer_records))
        HS_TRY(hs_temp_records_flush(s, diag));
    *record = s->buffer + (size_t)s->buffered * s->record_size;
    s->buffered++;
    s->count++;
    return HS_OK;
}
/* The record of that number, 0, 1, ..., whatever came before; not to be mixed with
 * hs_temp_records_add. What was never put is zero bytes. */
HS_MUST_USE enum hs_status hs_temp_records_put_at(struct hs_temp_records *s, uint64_t number,
                                                  const void *record, struct hs_diag *diag);
/* The next block of at least one record, valid until the next call; HS_END after the last, and then
 * from the first on again. Nothing is added after the first call. */
HS_MUST_USE enum hs_status hs_temp_records_next(struct hs_temp_records *s, void **records,
                                                uint32_t *count, struct hs_diag *diag);
void hs_temp_records_close(struct hs_temp_records *s);

#endif
