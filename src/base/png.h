/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A picture of few colours as a PNG file in memory (ISO/IEC 15948): a palette with transparency, a
 * byte a pixel.
 */
#ifndef HORUS_BASE_PNG_H
#define HORUS_BASE_PNG_H

#include <stddef.h>
#include <stdint.h>

#include "horus/compiler.h"
#include "horus/status.h"

struct hs_colour {
    uint8_t red, green, blue, alpha;
};

#define HS_PNG_SIDE_MAX 32767u

struct hs_picture {
    uint32_t width, height; /* 1 to HS_PNG_SIDE_MAX */
    const uint8_t *pixels;  /* row by row from the top, each an index into the palette */
    const struct hs_colour *palette;
    uint32_t colours; /* 1 to 256 */
};

/* *png is freed with hs_free. */
HS_MUST_USE enum hs_status hs_png_encode(const struct hs_picture *picture, unsigned char **png,
                                         size_t *len);

#endif
