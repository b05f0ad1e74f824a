/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matchings of greatest weight in general graphs, exact: Edmonds' blossoms with dual variables
 * (Galil, ACM Computing Surveys 18, 1986). A vertex may stay single.
 *
 *     hs_match_open(&m, memory, 100);             // memory: hs_match_bytes(100), zeroed
 *     hs_match_begin(&m, 4);
 *     hs_match_edge(&m, 0, 1, weight);
 *     hs_match_solve(&m);
 *     hs_match_mate(&m, 0)                        // 1, or HS_NO_MATE
 *
 * O(n^3) time, O(n^2) memory. Among matchings of equal weight the same one is found each time.
 * Numbers are doubles: whole weights up to HS_MATCH_WEIGHT, and half of them, are exact in these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HS_NO_MATE      UINT32_MAX
#define HS_MATCH_WEIGHT (INT64_C(1) << 40) /* the largest */

/* An edge between vertices or blossoms, by its ends within them. */
struct hs_match_edge {
    uint16_t u, v; /* 0: none */
};

/* Vertices are numbered from 1 on, blossoms behind them. */
struct hs_match {
    uint32_t most, n, nodes; /* vertices at most; now; and blossoms, as far as numbered */
    uint32_t stride;
    double *weight;              /* [vertex][vertex]; 0: no edge */
    struct hs_match_edge *edges; /* [node][node]: the tightest between them */
    uint16_t *holder;            /* [node][vertex]: the node right inside that has the vertex */
    uint16_t *members;           /* [blossom][]: its cycle, from the base on */
    uint16_t *size;              /* of that cycle */
    double *dual, *least;        /* least: slack of the edge of `slack` */
    uint16_t *mate;              /* vertex at the other end; 0: none */
    uint16_t *top, *parent, *slack, *queue;
    int8_t *label; /* of outermost nodes: -1 free, 0 outer, 1 inner */
    uint32_t *seen, seen_at, head, tail;
    double tolerance; /* of the duals, relative: what is nearly 0 ends the search; 0 after open */
};

size_t hs_match_bytes(uint32_t most); /* most <= 8192 vertices */
void hs_match_open(struct hs_match *m, void *memory, uint32_t most);
void hs_match_begin(struct hs_match *m, uint32_t n);
/* Of two different vertices; 0 <= weight <= HS_MATCH_WEIGHT, 0 is no edge. */
void hs_match_edge(struct hs_match *m, uint32_t a, uint32_t b, double weight);
/* Of a published program that sums weights in two orders: that of the edge as seen from a. */
void hs_match_arc(struct hs_match *m, uint32_t a, uint32_t b, double weight);
void hs_match_solve(struct hs_match *m);
uint32_t hs_match_mate(const struct hs_match *m, uint32_t vertex);

/* Vertices of a class have the same edges, so only the numbers of pairs count. */
#define HS_MATCH_CLASSES 64u
struct hs_match_classes {
    uint32_t count;
    uint32_t size[HS_MATCH_CLASSES];                    /* vertices of each */
    int64_t weight[HS_MATCH_CLASSES][HS_MATCH_CLASSES]; /* symmetric; [a][a]: within a class */
    uint32_t pairs[HS_MATCH_CLASSES][HS_MATCH_CLASSES]; /* the result: [a][b], a <= b */
    /* Of the step that is being solved: pairs and single vertices that are kept, and the rest. */
    uint32_t kept[HS_MATCH_CLASSES][HS_MATCH_CLASSES], single[HS_MATCH_CLASSES];
    uint32_t rest[HS_MATCH_CLASSES], last[HS_MATCH_CLASSES]; /* last: behind those of the class */
};
/* Returns whether the matching is proven to have the greatest weight. That fails only where the
 * vertices needed for it are more than hs_match_open() has room for. O(log(vertices)) matchings of
 * a few vertices for each class and each kind of pair. */
bool hs_match_classes_solve(struct hs_match *m, struct hs_match_classes *c);
