/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/reservations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "data/csv.h"

enum column { START, END, NODES, GPUS, USER, VC, NAME, COLUMN_COUNT };
static const char *const columns[] = {"start", "end", "nodes", "gpus", "user", "vc", "name"};

static const struct hs_csv_head head = {
    "table of reservations",
    columns,
    COLUMN_COUNT,
    END + 1,
    "note",
    "the columns are start, end, nodes or gpus, user, vc, name, and note for notes"};

struct reservations_reader {
    struct hs_csv_table table;
    struct hs_reservations *to;
    const struct hs_cluster *cluster;
    struct hs_intern names; /* of nodes: id = node + 1 */
    uint32_t *taken_by;     /* per node: index + 1 of the reservation at that time; 0 = none */
    uint32_t *found;        /* memory: nodes of the row */
    struct hs_diag *diag;
};

static enum hs_status read_owner(const struct reservations_reader *r, struct hs_reservation *of)
{
    const struct hs_cluster *c = r->cluster;
    struct hs_arena *arena = &r->to->arena;
    of->name =
        hs_arena_text(arena, hs_csv_cell(&r->table, NAME), strlen(hs_csv_cell(&r->table, NAME)));
    of->user =
        hs_arena_text(arena, hs_csv_cell(&r->table, USER), strlen(hs_csv_cell(&r->table, USER)));
    of->vc = hs_arena_text(arena, hs_csv_cell(&r->table, VC), strlen(hs_csv_cell(&r->table, VC)));
    of->vc_index = UINT32_MAX;
    if (of->user[0] == '\0' && of->vc[0] == '\0')
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, USER),
                           "a user, a virtual cluster, or both", "the reservation has no owner");
    if (of->vc[0] == '\0' && c->vc_mode == HS_VC_PARTITION)
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, VC),
                           "with --vc=partition a reservation is of nodes of one virtual cluster",
                           "the reservation names no virtual cluster");
    if (of->vc[0] == '\0')
        return HS_OK;
    if (c->vc_mode == HS_VC_IGNORE)
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, VC),
                           "say --vc=partition or --vc=quota",
                           "the run has no virtual clusters, so none is '%.64s'", of->vc);
    of->vc_index = hs_cluster_vc(c, of->vc);
    if (of->vc_index == UINT32_MAX)
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, VC), NULL,
                           "there is no virtual cluster '%.64s'", of->vc);
    return HS_OK;
}

static bool is_of_vc(const struct reservations_reader *r, const struct hs_reservation *of,
                     uint32_t node)
{
    return r->cluster->vc_mode != HS_VC_PARTITION || r->cluster->nodes[node].vc == of->vc_index;
}

/* Names of nodes between blanks. */
static enum hs_status read_names(const struct reservations_reader *r, struct hs_reservation *of)
{
    for (const char *at =
             hs_csv_cell(&r->table, NODES) + strspn(hs_csv_cell(&r->table, NODES), " ");
         *at != '\0';) {
        char name[256];
        const size_t len = strcspn(at, " ");
        (void)snprintf(name, sizeof name, "%.*s", (int)(len < 255 ? len : 255), at);
        const uint32_t id = hs_intern_find(&r->names, name);
        if (id == UINT32_MAX || id == 0)
            return hs_csv_fail(r->table.csv, r->table.at[NODES],
                               "names of nodes with blanks between, or a number of nodes",
                               "there is no node '%.64s'", name);
        if (r->taken_by[id - 1] > r->to->count)
            return hs_csv_fail(r->table.csv, r->table.at[NODES], NULL,
                               "node '%.64s' is named twice", name);
        if (r->taken_by[id - 1] > 0) {
            const struct hs_reservation *other = &r->to->of[r->taken_by[id - 1] - 1];
            return hs_csv_fail(r->table.csv, r->table.at[NODES], NULL,
                               "node '%.64s' is reserved at that time by line %" PRId64 "%s%.64s",
                               name, other->line, other->name[0] != '\0' ? ", " : "", other->name);
        }
        if (!is_of_vc(r, of, id - 1))
            return hs_csv_fail(r->table.csv, r->table.at[NODES], NULL,
                               "node '%.64s' belongs to another virtual cluster than '%.64s'", name,
                               of->vc);
        r->taken_by[id - 1] = r->to->count + 1;
        r->found[of->count++] = id - 1;
        at += len + strspn(at + len, " ");
    }
    return HS_OK;
}

/* Takes so many nodes, or GPUs, from the last node on. */
static enum hs_status take_number(const struct reservations_reader *r, struct hs_reservation *of,
                                  enum column c)
{
    const char *text = hs_csv_cell(&r->table, c);
    const bool is_nodes = c == NODES;
    int64_t wanted, left, open_gpus = 0, open_nodes = 0;
    if (!hs_parse_int64(text, strlen(text), &wanted) || wanted < 1)
        return hs_csv_fail(r->table.csv, r->table.at[c], "at least 1",
                           "not a number of %s: '%.64s'", columns[c], text);
    left = wanted;
    for (uint32_t n = r->cluster->node_count; n-- > 0;) {
        const uint32_t gpus = r->cluster->nodes[n].gpus;
        if (r->taken_by[n] > 0 || !is_of_vc(r, of, n) || gpus == 0)
            continue;
        open_gpus += gpus;
        open_nodes++;
        if (left < (is_nodes ? 1 : (int64_t)gpus))
            continue;
        left -= is_nodes ? 1 : gpus;
        r->found[of->count++] = n;
    }
    if (left == 0)
        return HS_OK;
    if (wanted > (is_nodes ? open_nodes : open_gpus))
        return hs_csv_fail(r->table.csv, r->table.at[c], NULL,
                           "%" PRId64 " %s are more than the %" PRId64
                           " that are not reserved at that time",
                           wanted, columns[c], is_nodes ? open_nodes : open_gpus);
    return hs_csv_fail(r->table.csv, r->table.at[c], "a reservation is of whole nodes",
                       "%" PRId64 " GPUs are no whole number of nodes: %" PRId64 " are left over",
                       wanted, left);
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return HS_ORDER(x, y);
}

static enum hs_status read_nodes(const struct reservations_reader *r, struct hs_reservation *of)
{
    const char *nodes = hs_csv_cell(&r->table, NODES);
    if ((nodes[0] == '\0') == (hs_csv_cell(&r->table, GPUS)[0] == '\0'))
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, NODES),
                           "nodes: names or a number; gpus: a number that is whole nodes",
                           "give either nodes or gpus");
    memset(r->taken_by, 0, r->cluster->node_count * sizeof *r->taken_by);
    for (uint32_t i = 0; i < r->to->count; i++) {
        const struct hs_reservation *other = &r->to->of[i];
        const bool overlaps = other->start_us < of->end_us && of->start_us < other->end_us;
        for (uint32_t n = 0; overlaps && n < other->count; n++)
            r->taken_by[other->nodes[n]] = i + 1;
    }
    if (nodes[0] == '\0')
        HS_TRY(take_number(r, of, GPUS));
    else if (nodes[strspn(nodes, "0123456789")] == '\0')
        HS_TRY(take_number(r, of, NODES));
    else
        HS_TRY(read_names(r, of));
    qsort(r->found, of->count, sizeof *r->found, compare_ids);
    of->nodes = hs_arena_alloc(&r->to->arena, of->count * sizeof *of->nodes);
    memcpy(of->nodes, r->found, of->count * sizeof *of->nodes);
    return HS_OK;
}

static enum hs_status read_row(struct reservations_reader *r)
{
    struct hs_reservations *to = r->to;
    struct hs_reservation of = {.line = r->table.row.line};
    HS_TRY(hs_csv_moment(&r->table, START, to->count == 0, &to->is_dated, &of.start_us));
    HS_TRY(hs_csv_moment(&r->table, END, false, &to->is_dated, &of.end_us));
    if (of.end_us <= of.start_us)
        return hs_csv_fail(r->table.csv, hs_csv_field(&r->table, END), NULL,
                           "the end is not after the start");
    HS_TRY(read_owner(r, &of));
    HS_TRY(read_nodes(r, &of));
    if (to->count == HS_RESERVATIONS_MAX)
        return hs_fail(r->diag, HS_E_LIMIT, HS_AT(hs_csv_place(r->table.csv, r->table.width)), NULL,
                       "more than %u rows", HS_RESERVATIONS_MAX);
    *hs_push(to->of, to->count, to->cap, HS_RESERVATIONS_MAX) = of;
    return HS_OK;
}

static int compare_starts(const void *a, const void *b)
{
    const struct hs_reservation *x = a, *y = b;
    return 2 * HS_ORDER(x->start_us, y->start_us) + HS_ORDER(x->line, y->line);
}

enum hs_status hs_reservations_load(struct hs_reservations *reservations, const char *path,
                                    const struct hs_cluster *cluster, struct hs_diag *diag)
{
    struct reservations_reader r = {.to = reservations, .cluster = cluster, .diag = diag};
    *reservations = (struct hs_reservations){0};
    r.taken_by = hs_alloc_zeroed(cluster->node_count, sizeof *r.taken_by);
    r.found = hs_alloc_zeroed(cluster->node_count, sizeof *r.found);
    hs_intern_init(&r.names);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        (void)hs_intern_get(&r.names, cluster->nodes[n].name);
    enum hs_status status = hs_csv_table_open(&r.table, path, &head, diag);
    while (status == HS_OK && (status = hs_csv_table_next(&r.table)) == HS_OK)
        status = read_row(&r);
    status = hs_csv_table_close(&r.table, status);
    hs_intern_free(&r.names);
    hs_free(r.taken_by);
    hs_free(r.found);
    if (status != HS_OK)
        hs_reservations_free(reservations);
    else if (reservations->count > 0)
        qsort(reservations->of, reservations->count, sizeof *reservations->of, compare_starts);
    return status;
}

void hs_reservations_free(struct hs_reservations *r)
{
    hs_arena_free(&r->arena);
    hs_free(r->of);
    *r = (struct hs_reservations){0};
}
