/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * By digits of eight bits, the lowest first.
 */
#include "workload/keysort.h"

#include <string.h>

#define DIGITS 8
#define VALUES 256 /* of a digit */

uint64_t hs_key_of(double number)
{
    uint64_t bits, sign = UINT64_C(1) << 63;
    memcpy(&bits, &number, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static uint32_t digit_of(uint64_t key, int digit)
{
    return (uint32_t)(key >> (8 * digit)) & (VALUES - 1);
}

void hs_keysort(struct hs_keyed *items, struct hs_keyed *spare, uint32_t count)
{
    uint32_t places[DIGITS][VALUES] = {{0}};
    struct hs_keyed *from = items, *to = spare;
    for (uint32_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            places[d][digit_of(items[i].key, d)]++;
    for (int d = 0; d < DIGITS && count > 0; d++) {
        uint32_t before = 0;
        if (places[d][digit_of(from[0].key, d)] == count)
            continue; /* all alike */
        for (int v = 0; v < VALUES; v++) {
            uint32_t of_value = places[d][v];
            places[d][v] = before;
            before += of_value;
        }
        for (uint32_t i = 0; i < count; i++)
            to[places[d][digit_of(from[i].key, d)]++] = from[i];
        struct hs_keyed *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}
