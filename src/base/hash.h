/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * XXH3-64: the hash of inputs and outputs in a manifest, and of names in tables. Not for security.
 *
 *     struct hs_hash *h = hs_hash_open();
 *     hs_hash_update(h, data, len);
 *     uint64_t so_far = hs_hash_digest(h);    // may go on with more updates
 *     hs_hash_close(h);
 */
#ifndef HORUS_BASE_HASH_H
#define HORUS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hs_hash;

struct hs_hash *hs_hash_open(void);
void hs_hash_update(struct hs_hash *hash, const void *data, size_t len);
uint64_t hs_hash_digest(const struct hs_hash *hash);
void hs_hash_close(struct hs_hash *hash); /* NULL is fine */

uint64_t hs_hash_of(const void *data, size_t len);

const char *hs_hash_library_version(void);

#endif
