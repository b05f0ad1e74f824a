/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compression of a piece of memory: what a PNG file is made of. In codec_gzip.c, beside all other
 * use of zlib.
 */
#ifndef HORUS_BASE_DEFLATE_H
#define HORUS_BASE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "horus/compiler.h"
#include "horus/status.h"

/* The zlib format (RFC 1950), as small as it gets; *packed is freed with hs_free. HS_E_LIMIT past
 * what the library takes in one piece. */
HS_MUST_USE enum hs_status hs_deflate(const void *data, size_t len, unsigned char **packed,
                                      size_t *packed_len);
/* CRC-32 of ISO 3309, of more bytes behind those that gave crc; 0 for the first. */
uint32_t hs_crc32(uint32_t crc, const void *data, size_t len);

#endif
