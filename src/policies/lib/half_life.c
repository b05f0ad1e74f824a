/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/lib/half_life.h"

#define ONE_Q62  (UINT64_C(1) << 62)
#define LN_2_Q62 UINT64_C(0x2c5c85fdf473de6b)

/* 2^(-2^-k) for k = 1, 2, ..., in Q62: factors of a power of 2, one for each binary digit of the
 * fraction of its exponent. */
static const uint64_t root_q62[] = {
    UINT64_C(0x2d413cccfe779921), UINT64_C(0x35d13f32b5a75abd), UINT64_C(0x3ab031b9f7490e4c),
    UINT64_C(0x3d495f454921b30b), UINT64_C(0x3ea0ecb6dc8a80cf), UINT64_C(0x3f4f83033d21b05d),
    UINT64_C(0x3fa784571ee3e213), UINT64_C(0x3fd3b2d65447b229), UINT64_C(0x3fe9d59487236bb4),
    UINT64_C(0x3ff4e9d4703df843), UINT64_C(0x3ffa74acbdf6c9d5), UINT64_C(0x3ffd3a46ffc6e30f),
    UINT64_C(0x3ffe9d1fa8010199), UINT64_C(0x3fff4e8ede053ad5), UINT64_C(0x3fffa747318376ac),
    UINT64_C(0x3fffd3a38961e6ff), UINT64_C(0x3fffe9d1c0d8fd14), UINT64_C(0x3ffff4e8df7680c5),
    UINT64_C(0x3ffffa746f7dc0ec), UINT64_C(0x3ffffd3a37af8098), UINT64_C(0x3ffffe9d1bd3e854),
    UINT64_C(0x3fffff4e8de8fe2c), UINT64_C(0x3fffffa746f44197), UINT64_C(0x3fffffd3a37a116b),
    UINT64_C(0x3fffffe9d1bd04de), UINT64_C(0x3ffffff4e8de8179), UINT64_C(0x3ffffffa746f407f),
    UINT64_C(0x3ffffffd3a37a030), UINT64_C(0x3ffffffe9d1bd014), UINT64_C(0x3fffffff4e8de809),
    UINT64_C(0x3fffffffa746f404), UINT64_C(0x3fffffffd3a37a02),
};
#define ROOTS (sizeof root_q62 / sizeof *root_q62)

static uint64_t times_q62(uint64_t a, uint64_t b)
{
    return (uint64_t)(((hs_u128)a * b + ONE_Q62 / 2) >> 62);
}

uint64_t hs_half_power_q62(hs_u128 num, uint64_t den)
{
    const hs_u128 whole = num / den;
    const uint64_t part_q62 = (uint64_t)((num % den << 62) / den);
    uint64_t power = ONE_Q62;
    if (whole > 62)
        return 0;
    for (uint32_t k = 0; k < ROOTS; k++)
        if ((part_q62 >> (61 - k) & 1) != 0)
            power = times_q62(power, root_q62[k]);
    /* the rest of the exponent is below 2^-32: 2^-x = 1 - x ln 2 up to 2^-65 */
    const uint64_t rest = part_q62 & ((ONE_Q62 >> ROOTS) - 1);
    power -= times_q62(power, times_q62(rest, LN_2_Q62));
    return power >> (uint32_t)whole;
}

uint64_t hs_decayed_at(const struct hs_decayed *d, int64_t at_us, int64_t half_life_us)
{
    const uint64_t kept = hs_half_power_q62((hs_u128)(at_us - d->since_us), (uint64_t)half_life_us);
    return times_q62(d->mean_q32, kept) + times_q62(d->level << 32, ONE_Q62 - kept);
}

void hs_decayed_change(struct hs_decayed *d, int64_t at_us, int64_t by, int64_t half_life_us)
{
    d->mean_q32 = hs_decayed_at(d, at_us, half_life_us);
    d->since_us = at_us;
    d->level += (uint64_t)by;
}
