/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matchings of greatest weight compared with all matchings of 100,000 random graphs (subsets of
 * vertices by dynamic programming); for larger graphs, with the gain of exchanging two pairs and
 * with a bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "policies/muri/muri_match.h"

#define MOST  10
#define LARGE 120

static struct hs_match match;
static int64_t weights[LARGE][LARGE];

/* The best matching of each set of vertices: its lowest vertex stays single or is matched with
 * another. */
static int64_t best_of_all(uint32_t n)
{
    static int64_t best[1u << MOST];
    best[0] = 0;
    for (uint32_t set = 1; set < 1u << n; set++) {
        uint32_t low = 0;
        while ((set >> low & 1) == 0)
            low++;
        const uint32_t rest = set & (set - 1);
        best[set] = best[rest];
        for (uint32_t v = low + 1; v < n; v++)
            if ((rest >> v & 1) != 0 && weights[low][v] > 0 &&
                best[rest & ~(1u << v)] + weights[low][v] > best[set])
                best[set] = best[rest & ~(1u << v)] + weights[low][v];
    }
    return best[(1u << n) - 1];
}

/* The weight of the result, which must be a matching along edges. */
static int64_t found(uint32_t n)
{
    int64_t sum = 0;
    for (uint32_t u = 0; u < n; u++) {
        const uint32_t v = hs_match_mate(&match, u);
        if (v == HS_NO_MATE)
            continue;
        assert_true(v < n && v != u && hs_match_mate(&match, v) == u && weights[u][v] > 0);
        sum += u < v ? weights[u][v] : 0;
    }
    return sum;
}

static void solve(uint32_t n)
{
    hs_match_begin(&match, n);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < u; v++)
            hs_match_edge(&match, u, v, (double)weights[u][v]);
    hs_match_solve(&match);
}

static uint64_t next(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

static void draw(uint64_t *x, uint32_t n)
{
    const int64_t ranges[] = {2, 4, 20, HS_MATCH_WEIGHT}, range = ranges[next(x) % 4];
    const uint64_t missing = next(x) % 4; /* this many quarters of the edges are missing */
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < u; v++)
            weights[u][v] = weights[v][u] =
                next(x) % 4 < missing ? 0 : (int64_t)(next(x) % (uint64_t)range);
}

static void as_all_matchings(void **state)
{
    (void)state;
    uint64_t x = 20221122;
    for (uint32_t i = 0; i < 100000; i++) {
        const uint32_t n = 1 + (uint32_t)(next(&x) % MOST);
        draw(&x, n);
        solve(n);
        const int64_t is = found(n), best = best_of_all(n);
        if (is != best)
            fail_msg("graph %u of %u vertices: %lld, the best is %lld", i, n, (long long)is,
                     (long long)best);
    }
}

/* Classes of vertices compared with a matching of the same vertices one by one. */
static void as_by_vertices(void **state)
{
    (void)state;
    static struct hs_match_classes c;
    uint64_t x = 20261127;
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t class_of[LARGE], n = 0;
        c.count = 1 + (uint32_t)(next(&x) % 6);
        draw(&x, c.count + 1);
        for (uint32_t a = 0; a < c.count; a++) {
            c.size[a] = (uint32_t)(next(&x) % (LARGE / c.count));
            for (uint32_t b = 0; b < c.count; b++)
                c.weight[a][b] = a != b ? weights[a][b] : weights[a][c.count];
            if (next(&x) % 2 == 0)
                c.weight[a][a] = weights[a][c.count];
            for (uint32_t k = 0; k < c.size[a]; k++)
                class_of[n++] = a;
        }
        for (uint32_t u = 0; u < n; u++)
            for (uint32_t v = 0; v < n; v++)
                weights[u][v] = u == v ? 0 : c.weight[class_of[u]][class_of[v]];
        assert_true(hs_match_classes_solve(&match, &c));
        int64_t sum = 0;
        for (uint32_t a = 0; a < c.count; a++) {
            uint32_t matched = 0;
            for (uint32_t b = 0; b < c.count; b++) {
                sum += a <= b ? c.pairs[a][b] * c.weight[a][b] : 0;
                matched += a <= b ? c.pairs[a][b] : 0;
                matched += b <= a ? c.pairs[b][a] : 0;
            }
            assert_true(matched <= c.size[a]);
        }
        solve(n);
        assert_int_equal(sum, found(n));
    }
}

/* Exchanging two pairs or pairing two single vertices gains nothing; and by weak duality twice the
 * weight is at most the sum over the vertices of their heaviest edges. */
static void large_graphs(void **state)
{
    (void)state;
    uint64_t x = 7;
    for (uint32_t i = 0; i < 40; i++) {
        draw(&x, LARGE);
        solve(LARGE);
        int64_t bound = 0;
        for (uint32_t u = 0; u < LARGE; u++) {
            int64_t heaviest = 0;
            for (uint32_t v = 0; v < LARGE; v++) {
                heaviest = weights[u][v] > heaviest ? weights[u][v] : heaviest;
                const uint32_t a = hs_match_mate(&match, u), b = hs_match_mate(&match, v);
                if (v == u || a == v)
                    continue;
                const int64_t now = (a != HS_NO_MATE ? weights[u][a] : 0) +
                                    (b != HS_NO_MATE ? weights[v][b] : 0),
                              then = weights[u][v] +
                                     (a != HS_NO_MATE && b != HS_NO_MATE ? weights[a][b] : 0);
                assert_true(then <= now);
            }
            bound += heaviest;
        }
        assert_true(2 * found(LARGE) <= bound);
    }
}

/* M5 of the design: greedy would take the heaviest edge first, .95 + .10. */
static void not_greedy(void **state)
{
    (void)state;
    enum { A, B, C, D };
    for (uint32_t u = 0; u < 4; u++)
        for (uint32_t v = 0; v < 4; v++)
            weights[u][v] = 0;
    weights[A][B] = weights[B][A] = 95;
    weights[A][C] = weights[C][A] = 90;
    weights[B][D] = weights[D][B] = 90;
    weights[C][D] = weights[D][C] = 10;
    solve(4);
    assert_int_equal(hs_match_mate(&match, A), C);
    assert_int_equal(hs_match_mate(&match, B), D);
    assert_int_equal(found(4), 180);
}

static int open_all(void **state)
{
    (void)state;
    hs_match_open(&match, calloc(1, hs_match_bytes(LARGE)), LARGE);
    return match.weight == NULL;
}

static int close_all(void **state)
{
    (void)state;
    free(match.weight);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_all_matchings),
        cmocka_unit_test(as_by_vertices),
        cmocka_unit_test(large_graphs),
        cmocka_unit_test(not_greedy),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
