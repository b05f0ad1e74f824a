/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each phase grows alternating trees from all single vertices along edges without slack: an edge
 * between two trees is an augmenting path, one within a tree closes a blossom, which becomes a
 * node. Where no edge is left, the duals change until one is, an inner blossom's dual is 0 and it
 * is opened, or that of a single vertex is 0, which is optimal.
 */
#include "policies/muri/muri_match.h"

#include <math.h>
#include <string.h>

enum { FREE = -1, OUTER, INNER };

/* ---- memory ---- */

static uint32_t nodes_of(uint32_t most)
{
    return most + most / 2 + 2; /* a blossom has at least three nodes; number 0 is none */
}

struct part {
    void **at;
    size_t bytes;
};

static size_t lay_out(struct hs_match *m, unsigned char *memory)
{
    const size_t n = m->stride, v = (size_t)m->most + 1;
    const struct part parts[] = {{(void **)&m->weight, v * v * sizeof *m->weight},
                                 {(void **)&m->dual, n * sizeof *m->dual},
                                 {(void **)&m->least, n * sizeof *m->least},
                                 {(void **)&m->edges, n * n * sizeof *m->edges},
                                 {(void **)&m->seen, n * sizeof *m->seen},
                                 {(void **)&m->holder, n * v * sizeof *m->holder},
                                 {(void **)&m->members, n * v * sizeof *m->members},
                                 {(void **)&m->size, n * sizeof *m->size},
                                 {(void **)&m->mate, n * sizeof *m->mate},
                                 {(void **)&m->top, n * sizeof *m->top},
                                 {(void **)&m->parent, n * sizeof *m->parent},
                                 {(void **)&m->slack, n * sizeof *m->slack},
                                 {(void **)&m->queue, n * sizeof *m->queue},
                                 {(void **)&m->label, n * sizeof *m->label}};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (memory != NULL)
            *parts[i].at = memory + bytes;
        bytes += (parts[i].bytes + 7) / 8 * 8;
    }
    return bytes;
}

size_t hs_match_bytes(uint32_t most)
{
    struct hs_match m = {.most = most, .stride = nodes_of(most)};
    return lay_out(&m, NULL);
}

void hs_match_open(struct hs_match *m, void *memory, uint32_t most)
{
    *m = (struct hs_match){.most = most, .stride = nodes_of(most)};
    (void)lay_out(m, memory);
}

static double *weight_of(const struct hs_match *m, uint32_t u, uint32_t v)
{
    return &m->weight[(size_t)u * (m->most + 1) + v];
}

static struct hs_match_edge *edge_of(const struct hs_match *m, uint32_t x, uint32_t y)
{
    return &m->edges[(size_t)x * m->stride + y];
}

static uint16_t *holder_of(const struct hs_match *m, uint32_t x, uint32_t v)
{
    return &m->holder[(size_t)x * (m->most + 1) + v];
}

static uint16_t *members_of(const struct hs_match *m, uint32_t b)
{
    return &m->members[(size_t)b * (m->most + 1)];
}

void hs_match_begin(struct hs_match *m, uint32_t n)
{
    m->n = n;
    for (uint32_t u = 1; u <= n; u++)
        memset(weight_of(m, u, 1), 0, n * sizeof *m->weight);
}

void hs_match_edge(struct hs_match *m, uint32_t a, uint32_t b, double weight)
{
    hs_match_arc(m, a, b, weight);
    hs_match_arc(m, b, a, weight);
}

void hs_match_arc(struct hs_match *m, uint32_t a, uint32_t b, double weight)
{
    *weight_of(m, a + 1, b + 1) = weight;
}

/* ---- slacks ---- */

static double slack_of(const struct hs_match *m, const struct hs_match_edge *e)
{
    return m->dual[e->u] + m->dual[e->v] - 2 * *weight_of(m, e->u, e->v);
}

/* Keeps the vertex from which the edge to an outermost node has the least slack. */
static void note_slack(struct hs_match *m, uint32_t u, uint32_t x, double slack)
{
    if (m->slack[x] != 0 && slack >= m->least[x])
        return;
    m->slack[x] = (uint16_t)u;
    m->least[x] = slack;
}

static void find_slack(struct hs_match *m, uint32_t x)
{
    m->slack[x] = 0;
    for (uint32_t u = 1; u <= m->n; u++)
        if (edge_of(m, u, x)->u != 0 && m->top[u] != x && m->label[m->top[u]] == OUTER)
            note_slack(m, u, x, slack_of(m, edge_of(m, u, x)));
}

/* ---- nodes and what is within them ---- */

static void queue_all(struct hs_match *m, uint32_t x)
{
    if (x <= m->n) {
        m->queue[m->tail++] = (uint16_t)x;
        return;
    }
    for (uint32_t i = 0; i < m->size[x]; i++)
        queue_all(m, members_of(m, x)[i]);
}

static void set_top(struct hs_match *m, uint32_t x, uint32_t top)
{
    m->top[x] = (uint16_t)top;
    for (uint32_t i = 0; x > m->n && i < m->size[x]; i++)
        set_top(m, members_of(m, x)[i], top);
}

static void reverse(uint16_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint16_t kept = at[i];
        at[i] = at[count - 1 - i];
        at[count - 1 - i] = kept;
    }
}

/* The place of a member on the way round the cycle that has an even number of edges to it. */
static uint32_t even_place(struct hs_match *m, uint32_t b, uint32_t member)
{
    uint16_t *members = members_of(m, b);
    uint32_t at = 0;
    while (members[at] != member)
        at++;
    if (at % 2 == 0)
        return at;
    reverse(members + 1, m->size[b] - 1u);
    return m->size[b] - at;
}

/* Matches a node along its edge to another, and within it what that leaves. */
static void set_mate(struct hs_match *m, uint32_t x, uint32_t y)
{
    const struct hs_match_edge e = *edge_of(m, x, y);
    m->mate[x] = e.v;
    if (x <= m->n)
        return;
    uint16_t *members = members_of(m, x);
    const uint32_t base = *holder_of(m, x, e.u), at = even_place(m, x, base);
    for (uint32_t i = 0; i < at; i++)
        set_mate(m, members[i], members[i ^ 1u]);
    set_mate(m, base, y);
    reverse(members, at); /* the base comes first from now on */
    reverse(members + at, m->size[x] - at);
    reverse(members, m->size[x]);
}

static void augment(struct hs_match *m, uint32_t u, uint32_t v)
{
    for (;;) {
        const uint32_t next = m->top[m->mate[u]];
        set_mate(m, u, v);
        if (next == 0)
            return;
        u = m->top[m->parent[next]];
        set_mate(m, next, u);
        v = next;
    }
}

/* The outermost node where the ways from both to their roots meet; 0: they are of two trees. */
static uint32_t meeting(struct hs_match *m, uint32_t u, uint32_t v)
{
    m->seen_at++;
    while (u != 0 || v != 0) {
        if (u != 0) {
            if (m->seen[u] == m->seen_at)
                return u;
            m->seen[u] = m->seen_at;
            u = m->top[m->mate[u]];
            if (u != 0)
                u = m->top[m->parent[u]];
        }
        const uint32_t kept = u;
        u = v;
        v = kept;
    }
    return 0;
}

/* Adds the way from a node to the base, the base not included. */
static void add_way(struct hs_match *m, uint32_t b, uint32_t from, uint32_t base)
{
    for (uint32_t x = from; x != base;) {
        const uint16_t y = m->top[m->mate[x]];
        members_of(m, b)[m->size[b]++] = (uint16_t)x;
        members_of(m, b)[m->size[b]++] = y;
        queue_all(m, y);
        x = m->top[m->parent[y]];
    }
}

/* The tightest edge of any member is that of the blossom. */
static void inherit(struct hs_match *m, uint32_t b)
{
    for (uint32_t x = 1; x <= m->nodes; x++)
        *edge_of(m, b, x) = *edge_of(m, x, b) = (struct hs_match_edge){0, 0};
    memset(holder_of(m, b, 0), 0, (m->n + 1) * sizeof *m->holder);
    for (uint32_t i = 0; i < m->size[b]; i++) {
        const uint32_t member = members_of(m, b)[i];
        for (uint32_t x = 1; x <= m->nodes; x++) {
            const struct hs_match_edge *e = edge_of(m, member, x);
            if (e->u != 0 &&
                (edge_of(m, b, x)->u == 0 || slack_of(m, e) < slack_of(m, edge_of(m, b, x)))) {
                *edge_of(m, b, x) = *e;
                *edge_of(m, x, b) = *edge_of(m, x, member);
            }
        }
        for (uint32_t v = 1; v <= m->n; v++)
            if (*holder_of(m, member, v) != 0)
                *holder_of(m, b, v) = (uint16_t)member;
    }
}

static void close_blossom(struct hs_match *m, uint32_t u, uint32_t base, uint32_t v)
{
    uint32_t b = m->n + 1;
    while (b <= m->nodes && m->top[b] != 0)
        b++;
    m->nodes = b > m->nodes ? b : m->nodes;
    m->dual[b] = 0;
    m->label[b] = OUTER;
    m->mate[b] = m->mate[base];
    m->size[b] = 1;
    members_of(m, b)[0] = (uint16_t)base;
    add_way(m, b, u, base);
    reverse(members_of(m, b) + 1, m->size[b] - 1u);
    add_way(m, b, v, base);
    set_top(m, b, b);
    inherit(m, b);
    find_slack(m, b);
}

/* An inner blossom of dual 0: its members on the even way become inner and outer, others free. */
static void open_blossom(struct hs_match *m, uint32_t b)
{
    const uint16_t *members = members_of(m, b);
    for (uint32_t i = 0; i < m->size[b]; i++)
        set_top(m, members[i], members[i]);
    const uint32_t entry = *holder_of(m, b, edge_of(m, b, m->parent[b])->u),
                   at = even_place(m, b, entry);
    for (uint32_t i = 0; i < at; i += 2) {
        const uint32_t inner = members[i], outer = members[i + 1];
        m->parent[inner] = edge_of(m, outer, inner)->u;
        m->label[inner] = INNER;
        m->label[outer] = OUTER;
        m->slack[inner] = 0;
        find_slack(m, outer);
        queue_all(m, outer);
    }
    m->label[entry] = INNER;
    m->parent[entry] = m->parent[b];
    for (uint32_t i = at + 1; i < m->size[b]; i++) {
        m->label[members[i]] = FREE;
        find_slack(m, members[i]);
    }
    m->top[b] = 0;
}

/* ---- phases ---- */

/* An edge without slack; true if it augmented the matching. */
static bool take_edge(struct hs_match *m, struct hs_match_edge e)
{
    const uint32_t u = m->top[e.u], v = m->top[e.v];
    if (m->label[v] == FREE) {
        const uint32_t next = m->top[m->mate[v]];
        m->parent[v] = e.u;
        m->label[v] = INNER;
        m->slack[v] = m->slack[next] = 0;
        m->label[next] = OUTER;
        queue_all(m, next);
    } else if (m->label[v] == OUTER) {
        const uint32_t base = meeting(m, u, v);
        if (base == 0) {
            augment(m, u, v);
            augment(m, v, u);
            return true;
        }
        close_blossom(m, u, base, v);
    }
    return false;
}

/* Goes along all edges without slack from the vertices that wait. */
static bool grow(struct hs_match *m)
{
    while (m->head < m->tail) {
        const uint32_t u = m->queue[m->head++];
        if (m->label[m->top[u]] == INNER)
            continue;
        const double *weight = weight_of(m, u, 0), dual = m->dual[u];
        for (uint32_t v = 1; v <= m->n; v++) {
            const uint32_t x = m->top[v];
            if (weight[v] <= 0 || m->top[u] == x)
                continue;
            const double slack = dual + m->dual[v] - 2 * weight[v];
            if (slack > 0)
                note_slack(m, u, x, x == v ? slack : slack_of(m, edge_of(m, u, x)));
            else if (take_edge(m, *edge_of(m, u, v)))
                return true;
        }
    }
    return false;
}

/* By how much the duals can change until an edge loses its slack or an inner blossom its dual. */
static double step_of(const struct hs_match *m)
{
    double step = HUGE_VAL;
    for (uint32_t b = m->n + 1; b <= m->nodes; b++)
        if (m->top[b] == b && m->label[b] == INNER && m->dual[b] / 2 < step)
            step = m->dual[b] / 2;
    for (uint32_t x = 1; x <= m->nodes; x++) {
        if (m->top[x] != x || m->slack[x] == 0 || m->label[x] == INNER)
            continue;
        const double most = m->label[x] == FREE ? m->least[x] : m->least[x] / 2;
        step = most < step ? most : step;
    }
    return step;
}

/* Returns false where a single vertex has no dual left: the matching is optimal. */
static bool change_duals(struct hs_match *m, double step)
{
    bool is_last = false;
    for (uint32_t u = 1; u <= m->n; u++)
        if (m->label[m->top[u]] == OUTER && m->dual[u] * (1 - m->tolerance) <= step) {
            step = m->dual[u];
            is_last = true;
        }
    for (uint32_t u = 1; u <= m->n; u++)
        m->dual[u] += m->label[m->top[u]] == OUTER   ? -step
                      : m->label[m->top[u]] == INNER ? step
                                                     : 0;
    for (uint32_t b = m->n + 1; b <= m->nodes; b++)
        if (m->top[b] == b)
            m->dual[b] += m->label[b] == OUTER ? 2 * step : m->label[b] == INNER ? -2 * step : 0;
    for (uint32_t x = 1; x <= m->nodes; x++)
        if (m->slack[x] != 0)
            m->least[x] = slack_of(m, edge_of(m, m->slack[x], x));
    return !is_last;
}

static bool begin_phase(struct hs_match *m)
{
    m->head = m->tail = 0;
    for (uint32_t x = 1; x <= m->nodes; x++) {
        m->label[x] = FREE;
        m->slack[x] = 0;
    }
    for (uint32_t x = 1; x <= m->nodes; x++) {
        if (m->top[x] != x || m->mate[x] != 0)
            continue;
        m->parent[x] = 0;
        m->label[x] = OUTER;
        queue_all(m, x);
    }
    return m->tail > 0;
}

/* One more edge in the matching, or false. */
static bool find_path(struct hs_match *m)
{
    if (!begin_phase(m))
        return false;
    for (;;) {
        if (grow(m))
            return true;
        if (!change_duals(m, step_of(m)))
            return false;
        m->head = m->tail = 0;
        for (uint32_t x = 1; x <= m->nodes; x++) {
            const uint32_t u = m->slack[x];
            if (m->top[x] == x && u != 0 && m->top[u] != x && m->least[x] <= 0 &&
                take_edge(m, *edge_of(m, u, x)))
                return true;
        }
        for (uint32_t b = m->n + 1; b <= m->nodes; b++)
            if (m->top[b] == b && m->label[b] == INNER && m->dual[b] <= 0)
                open_blossom(m, b);
    }
}

void hs_match_solve(struct hs_match *m)
{
    double most = 0;
    m->nodes = m->n;
    memset(m->mate, 0, m->stride * sizeof *m->mate);
    memset(m->top, 0, m->stride * sizeof *m->top);
    memset(m->seen, 0, m->stride * sizeof *m->seen);
    m->seen_at = 0;
    m->label[0] = FREE;
    for (uint32_t u = 1; u <= m->n; u++) {
        m->top[u] = (uint16_t)u;
        memset(holder_of(m, u, 0), 0, (m->n + 1) * sizeof *m->holder);
        *holder_of(m, u, u) = (uint16_t)u;
        for (uint32_t v = 1; v <= m->n; v++) {
            const double weight = *weight_of(m, u, v);
            *edge_of(m, u, v) = weight > 0 ? (struct hs_match_edge){(uint16_t)u, (uint16_t)v}
                                           : (struct hs_match_edge){0, 0};
            most = weight > most ? weight : most;
        }
    }
    for (uint32_t u = 1; u <= m->n; u++)
        m->dual[u] = most;
    while (find_path(m))
        ;
}

uint32_t hs_match_mate(const struct hs_match *m, uint32_t vertex)
{
    return m->mate[vertex + 1] == 0 ? HS_NO_MATE : m->mate[vertex + 1] - 1u;
}

/* ---- classes ----
 *
 * A matching of half the vertices of each class, doubled, is nearly one of all of them: it is kept
 * but for SLACK pairs of each kind and SLACK single vertices of each class, which are matched anew
 * with what is left over. The duals of these prove that the whole is optimal where all that was
 * kept are twins of pairs and single vertices among them; else more are matched anew.
 */

#define SLACK 2u
#define START 32u /* vertices that are matched without a smaller matching */

static uint32_t without(uint32_t number, uint32_t slack)
{
    return number > slack ? number - slack : 0;
}

/* Keeps what twice the last matching has beyond the slack; returns the vertices of the rest. */
static uint32_t keep(struct hs_match_classes *c, uint32_t shift, uint32_t slack)
{
    for (uint32_t a = 0; a < c->count; a++) {
        c->single[a] = c->size[a] >> (shift + 1);
        c->rest[a] = c->size[a] >> shift;
    }
    for (uint32_t a = 0; a < c->count; a++)
        for (uint32_t b = a; b < c->count; b++) {
            const uint32_t kept = c->kept[a][b] = without(2 * c->pairs[a][b], slack);
            c->single[a] -= c->pairs[a][b];
            c->single[b] -= c->pairs[a][b];
            c->rest[a] -= kept;
            c->rest[b] -= kept;
        }
    for (uint32_t a = 0; a < c->count; a++) {
        c->single[a] = without(2 * c->single[a], slack);
        c->rest[a] -= c->single[a];
        c->last[a] = (a > 0 ? c->last[a - 1] : 0) + c->rest[a];
    }
    return c->last[c->count - 1];
}

/* Matches the rest: the vertices of a class have the numbers from the last of the class before. */
static void match_rest(struct hs_match *m, const struct hs_match_classes *c)
{
    hs_match_begin(m, c->last[c->count - 1]);
    for (uint32_t a = 0; a < c->count; a++)
        for (uint32_t b = 0; b <= a; b++)
            for (uint32_t i = c->last[a] - c->rest[a]; i < c->last[a]; i++)
                for (uint32_t k = c->last[b] - c->rest[b]; k < c->last[b] && k < i; k++)
                    hs_match_edge(m, i, k, (double)c->weight[a][b]);
    hs_match_solve(m);
}

/* Whether any number of twins of a vertex could stand in all blossoms that hold it: each of these
 * that has a dual holds its mate (0: it is single), and its duals suffice for an edge to a twin. */
static bool may_have_twins(const struct hs_match *m, uint32_t u, uint32_t mate, double weight)
{
    double duals = 2 * m->dual[u];
    for (uint32_t x = m->top[u]; x > m->n; x = *holder_of(m, x, u)) {
        if (m->dual[x] > 0 && (mate == 0 || *holder_of(m, x, mate) == 0))
            return false;
        duals += m->dual[x];
    }
    return duals >= 2 * weight;
}

/* Whether the rest has a pair of two classes, or of a == HS_NO_MATE a single vertex of b, of which
 * those that are kept may be twins. */
static bool has_original(const struct hs_match *m, const struct hs_match_classes *c, uint32_t a,
                         uint32_t b)
{
    for (uint32_t u = c->last[b] - c->rest[b] + 1; u <= c->last[b]; u++) {
        const uint32_t mate = m->mate[u];
        const bool is_wanted =
            a == HS_NO_MATE ? mate == 0 : mate > c->last[a] - c->rest[a] && mate <= c->last[a];
        if (is_wanted && may_have_twins(m, u, mate, (double)c->weight[b][b]) &&
            (mate == 0 || may_have_twins(m, mate, u, (double)c->weight[a][a])))
            return true;
    }
    return false;
}

/* All that is kept are twins of pairs and single vertices of the rest: they have the same duals,
 * stand in the same blossoms, and so the duals prove them as they prove these. */
static bool is_proven(const struct hs_match *m, const struct hs_match_classes *c)
{
    for (uint32_t b = 0; b < c->count; b++) {
        if (c->single[b] > 0 && !has_original(m, c, HS_NO_MATE, b))
            return false;
        for (uint32_t a = 0; a <= b; a++)
            if (c->kept[a][b] > 0 && !has_original(m, c, a, b))
                return false;
    }
    return true;
}

/* The pairs of this step: those that were kept, and those of the rest. */
static void take_pairs(const struct hs_match *m, struct hs_match_classes *c)
{
    memcpy(c->pairs, c->kept, sizeof c->pairs);
    for (uint32_t a = 0, i = 0; a < c->count; a++)
        for (; i < c->last[a]; i++) {
            const uint32_t mate = hs_match_mate(m, i);
            uint32_t b = 0;
            if (mate == HS_NO_MATE || mate > i)
                continue;
            while (c->last[b] <= mate)
                b++;
            c->pairs[b][a]++;
        }
}

bool hs_match_classes_solve(struct hs_match *m, struct hs_match_classes *c)
{
    uint32_t shift = 0;
    bool is_optimal = true;
    memset(c->pairs, 0, sizeof c->pairs);
    if (c->count == 0)
        return true;
    for (uint32_t sum = UINT32_MAX; sum > START; shift += sum > START) {
        sum = 0;
        for (uint32_t i = 0; i < c->count; i++)
            sum += c->size[i] >> shift;
    }
    uint32_t slack = UINT32_MAX; /* the first step keeps nothing */
    for (shift++; shift-- > 0; slack = SLACK) {
        while (keep(c, shift, slack) > m->most)
            slack /= 2;
        match_rest(m, c);
        is_optimal = is_proven(m, c);
        while (!is_optimal && shift == 0 && keep(c, shift, 2 * slack) <= m->most && slack > 0) {
            slack *= 2;
            match_rest(m, c);
            is_optimal = is_proven(m, c);
        }
        (void)keep(c, shift, slack);
        take_pairs(m, c);
    }
    return is_optimal;
}
