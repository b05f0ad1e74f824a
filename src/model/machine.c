/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events of machines from a file, or failures by draw. Units that fail are the nodes, then the
 * racks; a heap has the next change of each. Draw k of a unit is a hash of seed, unit and k.
 */
#include "model/machine.h"

#include <math.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/heap.h"
#include "base/rng.h"
#include "data/csv.h"
#include "data/param_table.h"

#define EVENTS_MAX 100000000u

static const char *const names[] = {"down", "up", "cordon", "drain", "add", "remove", "slow"};
#define CHANGES HS_COUNT_OF(names)

const char *hs_machine_change_text(enum hs_machine_change change)
{
    return names[change];
}

/* ---- reading ---- */

enum { TIME, NODE, EVENT, VALUE, COLUMNS };
static const char *const columns[] = {"time", "node", "event", "value"};
static const struct hs_csv_head head = {"file of machine events",
                                        columns,
                                        COLUMNS,
                                        EVENT + 1,
                                        "note",
                                        "the columns are time, node, event and, for slow, value"};

/* An event with its place, to report one that cannot happen. */
struct row {
    struct hs_machine_event of;
    uint64_t number; /* in the order of the file */
    int64_t line;
};

struct reader {
    struct hs_csv_table table;
    const struct hs_cluster *cluster;
    struct hs_intern node_names; /* id - 1: the node */
    struct row *rows;
    uint32_t count, cap;
    bool is_dated;
};

static enum hs_status fault(const struct reader *r, uint32_t column, const char *hint,
                            const char *text)
{
    return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, column), hint, "%s", text);
}

static enum hs_status read_change(const struct reader *r, struct hs_machine_event *event)
{
    const char *text = hs_csv_cell(&r->table, EVENT), *part = hs_csv_cell(&r->table, VALUE);
    size_t i = 0;
    double value = 0;
    while (i < CHANGES && strcmp(text, names[i]) != 0)
        i++;
    if (i == CHANGES)
        return fault(r, EVENT, "down, up, drain, cordon, add, remove or slow",
                     "this is no event of a machine");
    event->change = (enum hs_machine_change)i;
    if (event->change != HS_MACHINE_SLOW)
        return part[0] == '\0' ? HS_OK : fault(r, VALUE, NULL, "only slow has a value");
    if (!hs_parse_double(part, strlen(part), &value) || !(value > 0 && value <= 1))
        return fault(r, hs_csv_has(&r->table, VALUE) ? VALUE : EVENT, "slow,0.5: half the speed",
                     "slow needs a value above 0, at most 1");
    event->speed_q32 = (uint64_t)(value * (double)HS_Q32_ONE + 0.5);
    return HS_OK;
}

/* The nodes that a text means: from `first`, `count` of them, spread over `among`. */
struct selection {
    uint64_t first, count, among;
};

/* count 0: none. */
static struct selection select_nodes(const struct reader *r, const char *text)
{
    const struct hs_cluster *c = r->cluster;
    const size_t len = strlen(text);
    const uint32_t known = hs_intern_find(&r->node_names, text);
    int64_t rack;
    double share;
    if (known != 0 && known != UINT32_MAX)
        return (struct selection){known - 1, 1, 1};
    if (strcmp(text, "all") == 0)
        return (struct selection){0, c->node_count, c->node_count};
    if (strncmp(text, "rack:", 5) == 0 && hs_parse_int64(text + 5, len - 5, &rack) && rack >= 0 &&
        rack < c->rack_count) {
        const uint32_t count = c->rack_first[rack + 1] - c->rack_first[rack];
        return (struct selection){c->rack_first[rack], count, count};
    }
    if (len > 1 && text[len - 1] == '%' && hs_parse_double(text, len - 1, &share) && share > 0 &&
        share <= 100)
        return (struct selection){0, (uint64_t)(share * c->node_count / 100 + 0.5), c->node_count};
    return (struct selection){0};
}

static enum hs_status read_row(struct reader *r)
{
    struct hs_machine_event event = {0};
    HS_TRY(hs_csv_moment(&r->table, TIME, r->count == 0, &r->is_dated, &event.at_us));
    HS_TRY(read_change(r, &event));
    const struct selection nodes = select_nodes(r, hs_csv_cell(&r->table, NODE));
    if (nodes.count == 0)
        return fault(r, NODE, "a node's name as in nodes.csv, rack:0, 10% or all",
                     "the cluster has no such node");
    for (uint64_t i = 0; i < nodes.count; i++) {
        struct row one = {.of = event, .number = r->count, .line = r->table.row.line};
        one.of.node = (uint32_t)(nodes.first + i * nodes.among / nodes.count);
        *hs_push(r->rows, r->count, r->cap, EVENTS_MAX) = one;
    }
    return HS_OK;
}

/* ---- what can happen ---- */

static int compare(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    return 2 * HS_ORDER(a->of.at_us, b->of.at_us) + HS_ORDER(a->number, b->number);
}

struct machine_history {
    bool is_down, is_cordoned, is_drained, is_slow, is_absent, is_known;
};

/* Returns why the event cannot happen, or NULL; updates the state. */
static const char *happen(struct machine_history *n, enum hs_machine_change change)
{
    if (!n->is_known)
        n->is_absent = change == HS_MACHINE_ADD;
    n->is_known = true;
    if (n->is_absent != (change == HS_MACHINE_ADD))
        return n->is_absent ? "the node is not in the cluster at that time"
                            : "the node is in the cluster already";
    switch (change) {
    case HS_MACHINE_DOWN:
        if (n->is_down)
            return "the node is down already";
        n->is_down = true;
        break;
    case HS_MACHINE_CORDON:
    case HS_MACHINE_DRAIN:
        if (n->is_drained || (n->is_cordoned && change == HS_MACHINE_CORDON))
            return "the node is cordoned or drained already";
        n->is_cordoned = true;
        n->is_drained = change == HS_MACHINE_DRAIN;
        break;
    case HS_MACHINE_UP:
        if (!n->is_down && !n->is_cordoned && !n->is_slow)
            return "the node is up already";
        n->is_down = n->is_cordoned = n->is_drained = n->is_slow = false;
        break;
    case HS_MACHINE_ADD:
        n->is_absent = false;
        break;
    case HS_MACHINE_REMOVE:
        *n = (struct machine_history){.is_absent = true, .is_known = true};
        break;
    case HS_MACHINE_SLOW:
        n->is_slow = true;
        break;
    }
    return NULL;
}

static enum hs_status check_history(const struct reader *r, const char *path, struct hs_diag *diag)
{
    struct machine_history *nodes = hs_alloc_zeroed(r->cluster->node_count, sizeof *nodes);
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; i < r->count && status == HS_OK; i++) {
        const struct row *row = &r->rows[i];
        const char *broken = happen(&nodes[row->of.node], row->of.change);
        if (broken != NULL)
            status = hs_fail(diag, HS_E_INPUT, HS_AT({.file = path, .line = row->line}),
                             "events of a node follow each other: down, up, drain, up, ...",
                             "node '%s': %s", r->cluster->nodes[row->of.node].name, broken);
    }
    hs_free(nodes);
    return status;
}

enum hs_status hs_machines_load(struct hs_machines *machines, const char *path,
                                const struct hs_cluster *cluster, struct hs_arena *arena,
                                struct hs_diag *diag)
{
    struct reader r = {.cluster = cluster};
    *machines = (struct hs_machines){0};
    if (path == NULL)
        return HS_OK;
    hs_intern_init(&r.node_names);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        (void)hs_intern_get(&r.node_names, cluster->nodes[n].name);
    enum hs_status status = hs_csv_table_open(&r.table, path, &head, diag);
    while (status == HS_OK && (status = hs_csv_table_next(&r.table)) == HS_OK)
        status = read_row(&r);
    status = hs_csv_table_close(&r.table, status);
    if (status == HS_OK) {
        if (r.count > 0)
            qsort(r.rows, r.count, sizeof *r.rows, compare); /* a total order */
        status = check_history(&r, path, diag);
    }
    if (status == HS_OK) {
        machines->events =
            hs_arena_alloc(arena, ((uint64_t)r.count + 1) * sizeof *machines->events);
        for (uint32_t i = 0; i < r.count; i++)
            machines->events[i] = r.rows[i].of;
        machines->count = r.count;
        machines->is_dated = r.is_dated;
    }
    hs_intern_free(&r.node_names);
    hs_free(r.rows);
    return status;
}

/* ---- the feed ---- */

/* Times beyond this are never: the sum with any time of a run must not overflow. */
#define LATEST_US (INT64_MAX / 4)

struct fault_unit {
    uint64_t draws;
    bool is_down;
};

struct hs_machine_feed {
    const struct hs_machines *machines;
    const struct hs_cluster *cluster;
    uint32_t next; /* index of the event of the file */
    struct hs_heap changes;
    struct fault_unit *units;
    uint8_t *down;                /* by node: number of units that have it down */
    uint32_t rack_next, rack_end; /* nodes of a rack that still change with it */
    struct hs_machine_event drawn;
};

/* ---- failures by draw ---- */

#define LAW       struct hs_fault_law
#define LONGEST_S 3.2e9 /* 100 years */
static const struct hs_param params[] = {
    HS_PARAM_DURATION(LAW, mtbf_us, "mtbf", "0s", 0, LONGEST_S,
                      "mean time between failures of a node; 0: none"),
    HS_PARAM_DURATION(LAW, rack_mtbf_us, "rack_mtbf", "0s", 0, LONGEST_S,
                      "the same of a rack as a whole"),
    HS_PARAM_DURATION(LAW, repair_us, "repair", "0s", 0, LONGEST_S, "mean time to repair"),
    HS_PARAM_REAL(LAW, shape, "shape", "1", 0.1, 10,
                  "of the Weibull distribution of times between failures; 1: exponential"),
    {0}};

enum hs_status hs_machines_parse_law(struct hs_machines *machines, const char *text,
                                     struct hs_arena *arena, struct hs_diag *diag)
{
    struct hs_fault_law *law = &machines->law;
    HS_TRY(hs_param_defaults(params, law, arena));
    HS_TRY(hs_param_set_list(params, law, arena, "faults", text, diag));
    if (law->repair_us > 0 && (law->mtbf_us > 0 || law->rack_mtbf_us > 0))
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, "--faults=mtbf=30d,repair=4h",
                   "faults need mtbf or rack_mtbf, and repair");
}

/* Draws when the unit fails or is repaired. */
static void schedule(struct hs_machine_feed *f, uint32_t unit, int64_t now_us)
{
    const struct hs_fault_law *law = &f->machines->law;
    struct fault_unit *u = &f->units[unit];
    const uint64_t seed = hs_mix64(hs_seed_of(law->seed, "faults"), unit);
    const double e = -log(hs_uniform_of(hs_mix64(seed, u->draws++)));
    const bool is_node = unit < f->cluster->node_count;
    const double mtbf_us = (double)(is_node ? law->mtbf_us : law->rack_mtbf_us);
    double us = e * (double)law->repair_us;
    if (!u->is_down) /* the mean of the Weibull distribution is scale x gamma(1 + 1 / shape) */
        us = mtbf_us / tgamma(1 + 1 / law->shape) * pow(e, 1 / law->shape);
    const int64_t wait_us = us < (double)LATEST_US ? llrint(us > 1 ? us : 1) : LATEST_US;
    if (wait_us < LATEST_US - now_us)
        hs_heap_set(&f->changes, unit, now_us + wait_us, unit);
}

/* Changes a node with one of its units; true if it went down or came up by that. */
static bool change_node(struct hs_machine_feed *f, uint32_t node, bool is_down)
{
    const uint8_t before = f->down[node];
    f->down[node] = (uint8_t)(before + (is_down ? 1 : -1));
    f->drawn.node = node;
    f->drawn.change = is_down ? HS_MACHINE_DOWN : HS_MACHINE_UP;
    return (before == 0) != (f->down[node] == 0);
}

/* Draws until some node changes. */
static void draw_next(struct hs_machine_feed *f)
{
    const uint32_t nodes = f->cluster->node_count;
    for (;;) {
        const bool is_down = f->drawn.change == HS_MACHINE_DOWN;
        while (f->rack_next < f->rack_end)
            if (change_node(f, f->rack_next++, is_down))
                return;
        f->drawn.at_us = hs_heap_next_us(&f->changes);
        if (f->drawn.at_us == INT64_MAX)
            return;
        const uint32_t unit = hs_heap_next_id(&f->changes);
        hs_heap_remove(&f->changes, unit);
        f->units[unit].is_down = !f->units[unit].is_down;
        schedule(f, unit, f->drawn.at_us);
        if (unit < nodes && change_node(f, unit, f->units[unit].is_down))
            return;
        if (unit < nodes)
            continue;
        f->rack_next = f->cluster->rack_first[unit - nodes];
        f->rack_end = f->cluster->rack_first[unit - nodes + 1];
        f->drawn.change = f->units[unit].is_down ? HS_MACHINE_DOWN : HS_MACHINE_UP;
    }
}

/* ---- events in order ---- */

void hs_machine_feed_open(struct hs_machine_feed **feed, const struct hs_machines *machines,
                          const struct hs_cluster *cluster, struct hs_arena *arena)
{
    const struct hs_fault_law *law = &machines->law;
    struct hs_machine_feed *f = hs_arena_alloc(arena, sizeof *f);
    *feed = f;
    f->machines = machines;
    f->cluster = cluster;
    if (machines->events != NULL || law->mtbf_us + law->rack_mtbf_us == 0)
        return;
    const uint32_t units = cluster->node_count + cluster->rack_count;
    f->units = hs_arena_alloc(arena, (uint64_t)units * sizeof *f->units);
    f->down = hs_arena_alloc(arena, (uint64_t)cluster->node_count + 1);
    for (uint32_t unit = 0; unit < units; unit++)
        if ((unit < cluster->node_count ? law->mtbf_us : law->rack_mtbf_us) > 0)
            schedule(f, unit, 0);
    draw_next(f);
}

const struct hs_machine_event *hs_machine_feed_next(const struct hs_machine_feed *f)
{
    const struct hs_machines *machines = f->machines;
    if (f->units != NULL)
        return f->drawn.at_us < INT64_MAX ? &f->drawn : NULL;
    return f->next < machines->count ? &machines->events[f->next] : NULL;
}

void hs_machine_feed_advance(struct hs_machine_feed *f)
{
    f->next++;
    if (f->units != NULL)
        draw_next(f);
}

void hs_machine_feed_close(struct hs_machine_feed *f)
{
    if (f != NULL)
        hs_heap_free(&f->changes);
}
