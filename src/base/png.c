/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Four chunks: header, palette, its transparency, pixels. Rows are not filtered: neighbours in a
 * palette are no numbers that differences would make smaller.
 */
#include "base/png.h"

#include <string.h>

#include "base/codec.h"
#include "base/memory.h"

static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

#define CHUNK_AROUND 12u /* length, name and CRC */
#define HEADER_SIZE  13u
#define DEPTH        8
#define INDEXED      3
#define COLOURS_MAX  256u

struct file {
    unsigned char *bytes;
    size_t len;
};

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void put_chunk(struct file *f, const char name[4], const unsigned char *data, size_t len)
{
    unsigned char *at = f->bytes + f->len;
    put_u32(at, (uint32_t)len);
    memcpy(at + 4, name, 4);
    memcpy(at + 8, data, len);
    put_u32(at + 8 + len, hs_crc32(0, at + 4, len + 4));
    f->len += len + CHUNK_AROUND;
}

enum hs_status hs_png_encode(const struct hs_picture *p, unsigned char **png, size_t *len)
{
    unsigned char header[HEADER_SIZE] = {0}, rgb[3 * COLOURS_MAX], alpha[COLOURS_MAX];
    unsigned char *packed;
    size_t packed_len;
    if (p->width - 1 >= HS_PNG_SIDE_MAX || p->height - 1 >= HS_PNG_SIDE_MAX ||
        p->colours - 1 >= COLOURS_MAX)
        return HS_E_LIMIT;
    const size_t stride = (size_t)p->width + 1; /* a row begins with a filter byte: 0, none */
    unsigned char *rows = hs_alloc_zeroed(p->height, stride);
    for (uint32_t y = 0; y < p->height; y++)
        memcpy(rows + y * stride + 1, p->pixels + (size_t)y * p->width, p->width);
    enum hs_status status = hs_deflate(rows, p->height * stride, &packed, &packed_len);
    hs_free(rows);
    HS_TRY(status);
    struct file file = {.bytes = hs_alloc_zeroed(sizeof signature + 5 * CHUNK_AROUND + HEADER_SIZE +
                                                     4 * COLOURS_MAX + packed_len,
                                                 1)};
    put_u32(header, p->width);
    put_u32(header + 4, p->height);
    header[8] = DEPTH;
    header[9] = INDEXED;
    for (uint32_t i = 0; i < p->colours; i++) {
        rgb[3 * i] = p->palette[i].red;
        rgb[3 * i + 1] = p->palette[i].green;
        rgb[3 * i + 2] = p->palette[i].blue;
        alpha[i] = p->palette[i].alpha;
    }
    memcpy(file.bytes, signature, sizeof signature);
    file.len = sizeof signature;
    put_chunk(&file, "IHDR", header, sizeof header);
    put_chunk(&file, "PLTE", rgb, 3u * p->colours);
    put_chunk(&file, "tRNS", alpha, p->colours);
    put_chunk(&file, "IDAT", packed, packed_len);
    put_chunk(&file, "IEND", header, 0);
    hs_free(packed);
    *png = file.bytes;
    *len = file.len;
    return HS_OK;
}
