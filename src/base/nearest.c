/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Did you mean": edit distance with transpositions of neighbours (optimal string alignment),
 * upper and lower case taken as equal. O(len x len) per word, on names of at most 64 bytes.
 */
#include "base/diag.h"

#include <stdbool.h>
#include <string.h>

#define NAME_MAX_LEN 64

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows i-2, i-1, i of the distance table. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][NAME_MAX_LEN + 1];
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        const size_t *before = rows[(i + 1) % 3];
        const size_t *above = rows[(i + 2) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

const char *hs_nearest(const char *word, const char *const *words, size_t count)
{
    size_t len = strlen(word);
    if (len > NAME_MAX_LEN)
        return NULL;
    const char *nearest = NULL;
    size_t best = 2 + len / 3; /* one more than allowed */
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(words[i]);
        if (other > NAME_MAX_LEN)
            continue;
        size_t distance = edit_distance(word, len, words[i], other);
        if (distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
