/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A picture parsed again, chunk by chunk, with checksums computed here by their definitions: CRC-32
 * bit by bit, and Adler-32 of the rows, which is at the end of the compressed data.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"

static uint32_t crc_by_bits(const unsigned char *data, size_t len)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < len; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static uint32_t u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The chunk at *at, checked; advances beyond it. */
static const unsigned char *chunk(const unsigned char **at, const char *name, uint32_t *len)
{
    const unsigned char *data = *at + 8;
    *len = u32(*at);
    assert_memory_equal(*at + 4, name, 4);
    assert_int_equal(u32(data + *len), crc_by_bits(*at + 4, *len + 4));
    *at = data + *len + 4;
    return data;
}

/* Rows with their filter byte: 00 00 01 02, 00 02 02 02. Adler-32 (RFC 1950): a = 1 + sum of the
 * bytes = 1 + 9 = 10; b = the sum of a after each byte: 1 1 2 4, 4 6 8 10 = 36. */
static void a_picture_of_six_pixels(void **state)
{
    (void)state;
    static const uint8_t pixels[] = {0, 1, 2, 2, 2, 2};
    static const struct hs_colour palette[] = {{1, 2, 3, 0}, {4, 5, 6, 128}, {7, 8, 9, 255}};
    const struct hs_picture picture = {
        .width = 3, .height = 2, .pixels = pixels, .palette = palette, .colours = 3};
    unsigned char *png;
    size_t len;
    uint32_t size;
    assert_int_equal(hs_png_encode(&picture, &png, &len), HS_OK);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    const unsigned char *at = png + 8;
    const unsigned char *data = chunk(&at, "IHDR", &size);
    assert_int_equal(size, 13);
    /* 3 x 2, 8 bits, indexed colours, no interlace */
    assert_memory_equal(data, "\0\0\0\3\0\0\0\2\x08\x03\0\0\0", 13);
    data = chunk(&at, "PLTE", &size);
    assert_int_equal(size, 9);
    assert_memory_equal(data, "\1\2\3\4\5\6\7\x08\x09", 9);
    data = chunk(&at, "tRNS", &size);
    assert_int_equal(size, 3);
    assert_memory_equal(data, "\0\x80\xff", 3);
    data = chunk(&at, "IDAT", &size);
    assert_true(size > 6);
    assert_int_equal(u32(data + size - 4), 36u << 16 | 10);
    (void)chunk(&at, "IEND", &size);
    assert_int_equal(size, 0);
    assert_ptr_equal(at, png + len);
    hs_free(png);
}

static void what_png_does_not_hold(void **state)
{
    (void)state;
    static const uint8_t pixel = 0;
    static const struct hs_colour colour = {0, 0, 0, 255};
    unsigned char *png;
    size_t len;
    struct hs_picture picture = {
        .width = 0, .height = 1, .pixels = &pixel, .palette = &colour, .colours = 1};
    assert_int_equal(hs_png_encode(&picture, &png, &len), HS_E_LIMIT);
    picture.width = 1;
    picture.colours = 257;
    assert_int_equal(hs_png_encode(&picture, &png, &len), HS_E_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_of_six_pixels),
        cmocka_unit_test(what_png_does_not_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
