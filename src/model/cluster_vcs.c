/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Virtual clusters: reads their sizes from the cluster's JSON, another one, or a CSV of days; then
 * assigns nodes or quotas, which may be lent within cohorts. O(nodes).
 */
#include "model/cluster.h"

#include <inttypes.h>
#include <stdio.h>

#include "data/csv.h"

uint32_t hs_cluster_vc(const struct hs_cluster *cluster, const char *name)
{
    if (cluster->vc_mode == HS_VC_IGNORE)
        return 0;
    uint32_t id = hs_intern_find(&cluster->vc_names, name);
    return id == 0 || id == UINT32_MAX ? UINT32_MAX : id - 1;
}

/* ---- quotas ----
 * Quotas that are lent within cohorts, by the rules and the words of Kueue (Kubernetes' job
 * queueing: ClusterQueue, Cohort; its pkg/cache/scheduler/resource_node.go):
 *
 *     subtree  the own GPUs of a cohort and what those in it lend: their subtree less what they
 *              keep; of a VC its quota
 *     kept     what is above the lending limit; 0 where there is none
 *     held     of a VC by its jobs; of a cohort what those in it hold beyond what they keep
 *     room     of the topmost: subtree - held; else what is left of kept, and the room of the
 *              cohort, of which at most the borrowing limit goes beyond what it lends itself */

static int64_t milli_of(uint64_t gpus)
{
    return gpus == UINT64_MAX ? INT64_MAX : (int64_t)(gpus * HS_GPU_MILLI);
}

static int64_t above(int64_t a, int64_t b)
{
    return a > b ? a - b : 0;
}

static uint32_t depth_of(const struct hs_quota *quotas, uint32_t at)
{
    uint32_t depth = 0;
    while ((at = quotas[at].parent) != HS_NO_QUOTA)
        depth++;
    return depth;
}

static void build_quotas(struct hs_cluster *c, const struct hs_vc *cohorts, uint32_t count)
{
    uint32_t deepest = 0, all = c->vc_count + count;
    struct hs_quota *quotas = hs_arena_alloc(&c->arena, all * sizeof *quotas);
    for (uint32_t i = 0; i < all; i++) {
        const struct hs_vc *own = i < c->vc_count ? &c->vcs[i] : &cohorts[i - c->vc_count];
        quotas[i] = (struct hs_quota){
            .parent = own->cohort > 0 ? c->vc_count + own->cohort - 1 : HS_NO_QUOTA,
            .subtree_milli = milli_of(i < c->vc_count ? own->quota_gpus : own->gpus),
            .borrow_milli = milli_of(own->borrow_gpus)};
    }
    for (uint32_t i = 0; i < all; i++)
        deepest = depth_of(quotas, i) > deepest ? depth_of(quotas, i) : deepest;
    if (deepest == 0) /* no VC is in a cohort */
        return;
    for (uint32_t depth = deepest + 1; depth-- > 0;)
        for (uint32_t i = 0; i < all; i++) {
            const struct hs_vc *own = i < c->vc_count ? &c->vcs[i] : &cohorts[i - c->vc_count];
            struct hs_quota *q = &quotas[i];
            if (depth_of(quotas, i) != depth)
                continue;
            if (own->lend_gpus != UINT64_MAX)
                q->kept_milli = above(q->subtree_milli, milli_of(own->lend_gpus));
            if (q->parent != HS_NO_QUOTA)
                quotas[q->parent].subtree_milli += q->subtree_milli - q->kept_milli;
        }
    c->quotas = quotas;
    c->quota_count = all;
    const uint64_t *none = hs_arena_alloc(&c->arena, all * sizeof *none);
    for (uint32_t vc = 0; vc < c->vc_count; vc++)
        c->vcs[vc].most_gpus = (uint64_t)hs_quota_room(c, none, vc, HS_NO_QUOTA) / HS_GPU_MILLI;
}

void hs_quota_change(const struct hs_cluster *c, uint64_t *held, uint32_t vc, int64_t milli)
{
    held[vc] += (uint64_t)milli;
    for (uint32_t i = vc; c->quotas != NULL && milli != 0 && c->quotas[i].parent != HS_NO_QUOTA;
         i = c->quotas[i].parent) {
        const struct hs_quota *q = &c->quotas[i];
        const int64_t now = (int64_t)held[i];
        milli = above(now, q->kept_milli) - above(now - milli, q->kept_milli);
        held[q->parent] += (uint64_t)milli;
    }
}

int64_t hs_quota_room(const struct hs_cluster *c, const uint64_t *held, uint32_t vc, uint32_t top)
{
    const struct hs_quota *q = &c->quotas[vc];
    const int64_t now = (int64_t)held[vc];
    if (vc == top || q->parent == HS_NO_QUOTA)
        return q->subtree_milli - now;
    int64_t room = hs_quota_room(c, held, q->parent, top);
    if (q->borrow_milli < INT64_MAX) {
        const int64_t most =
            q->subtree_milli - q->kept_milli - above(now, q->kept_milli) + q->borrow_milli;
        room = room < most ? room : most;
    }
    return above(q->kept_milli, now) + room;
}

uint64_t hs_quota_left(const struct hs_cluster *c, const uint64_t *held, uint32_t vc)
{
    const uint64_t quota_gpus = c->vcs[vc].quota_gpus;
    if (c->vc_mode != HS_VC_QUOTA || quota_gpus > UINT64_MAX / HS_GPU_MILLI)
        return UINT64_MAX;
    const int64_t room = c->quotas != NULL
                             ? hs_quota_room(c, held, vc, HS_NO_QUOTA)
                             : (int64_t)(quota_gpus * HS_GPU_MILLI) - (int64_t)held[vc];
    return room > 0 ? (uint64_t)room : 0;
}

/* ---- a document ---- */

struct tree_reader {
    struct hs_jsoncheck *check;
    const struct hs_json *cohorts; /* NULL: a cohort is what is named as one */
    struct hs_vc_list *list;
    struct hs_intern names; /* of cohorts: index + 1, as "" is id 0 */
};

static struct hs_vc *add_cohort(struct tree_reader *r, const char *name)
{
    struct hs_vc_list *list = r->list;
    (void)hs_intern_get(&r->names, name);
    struct hs_vc *cohort =
        hs_push(list->cohorts, list->cohort_count, list->cohort_cap, HS_NODES_MAX);
    *cohort = (struct hs_vc){.name = name, .borrow_gpus = UINT64_MAX, .lend_gpus = UINT64_MAX};
    return cohort;
}

static uint32_t read_cohort_of(struct tree_reader *r, const struct hs_json *of)
{
    const char *name = hs_jsoncheck_text(r->check, of, "cohort");
    if (name == NULL)
        return 0;
    const uint32_t id = hs_intern_find(&r->names, name);
    if (id != UINT32_MAX)
        return id;
    if (r->cohorts != NULL) {
        hs_jsoncheck_fault(r->check, hs_json_get(of, "cohort"), "add it to \"cohorts\"",
                           "there is no cohort '%s'", name);
        return 0;
    }
    (void)add_cohort(r, name);
    return r->list->cohort_count;
}

static uint64_t read_limit(struct tree_reader *r, const struct hs_json *of, const char *key,
                           const struct hs_vc *vc)
{
    const int64_t gpus = hs_jsoncheck_int(r->check, of, key, 0, UINT32_MAX, -1);
    const struct hs_json *at = hs_json_get(of, key);
    if (at != NULL && vc->cohort == 0)
        hs_jsoncheck_fault(r->check, at, "add \"cohort\": its name",
                           "\"%s\" of '%s', which is in no cohort", key, vc->name);
    return gpus < 0 ? UINT64_MAX : (uint64_t)gpus;
}

/* Reads a number of GPUs, or an object; is_vc: that has to say how many. */
static void read_entry(struct tree_reader *r, const struct hs_json *of, struct hs_vc *vc,
                       const struct hs_json *all, bool is_vc)
{
    const bool is_object = hs_json_kind(of) == HS_JSON_OBJECT;
    vc->gpus = (uint64_t)hs_jsoncheck_int(r->check, is_object ? of : all,
                                          is_object ? "gpus" : vc->name, 0, UINT32_MAX, 0);
    if (!is_object)
        return;
    (void)hs_jsoncheck_object(r->check, of, is_vc ? "a virtual cluster" : "a cohort",
                              "gpus cohort borrowing_limit lending_limit");
    if (is_vc && hs_json_get(of, "gpus") == NULL)
        hs_jsoncheck_fault(r->check, of, NULL, "\"gpus\" of '%s' is missing", vc->name);
    vc->cohort = read_cohort_of(r, of);
    vc->borrow_gpus = read_limit(r, of, "borrowing_limit", vc);
    vc->lend_gpus = read_limit(r, of, "lending_limit", vc);
    if (is_vc && vc->lend_gpus != UINT64_MAX && vc->lend_gpus > vc->gpus)
        hs_jsoncheck_fault(r->check, hs_json_get(of, "lending_limit"), NULL,
                           "'%s' has %" PRIu64 " GPUs and lends at most that, not %" PRIu64,
                           vc->name, vc->gpus, vc->lend_gpus);
}

static void read_cohorts(struct tree_reader *r)
{
    if (!hs_jsoncheck_filled(r->check, r->cohorts, HS_JSON_OBJECT, "cohorts"))
        return;
    for (const struct hs_json *at = hs_json_first(r->cohorts); at != NULL; at = hs_json_next(at))
        if (hs_jsoncheck_name(r->check, at, hs_json_key(at), "the name of a cohort"))
            (void)add_cohort(r, hs_json_key(at));
    for (uint32_t i = 0; i < r->list->cohort_count; i++) {
        struct hs_vc *cohort = &r->list->cohorts[i];
        read_entry(r, hs_json_get(r->cohorts, cohort->name), cohort, r->cohorts, false);
    }
    const struct hs_vc *cohorts = r->list->cohorts;
    for (uint32_t i = 0; i < r->list->cohort_count; i++) {
        uint32_t at = cohorts[i].cohort, steps = 0;
        while (at != 0 && at != i + 1 && steps++ < r->list->cohort_count)
            at = cohorts[at - 1].cohort;
        if (at != i + 1)
            continue;
        hs_jsoncheck_fault(r->check, hs_json_get(r->cohorts, cohorts[i].name), NULL,
                           "cohort '%s' is in itself", cohorts[i].name);
        return; /* reported once, at the first in it */
    }
}

void hs_vc_list_read(struct hs_vc_list *list, struct hs_jsoncheck *check,
                     const struct hs_json *root)
{
    const struct hs_json *vcs = hs_json_get(root, "vcs");
    struct tree_reader r = {.check = check, .cohorts = hs_json_get(root, "cohorts"), .list = list};
    hs_intern_init(&r.names);
    if (r.cohorts != NULL)
        read_cohorts(&r);
    const bool has_vcs = vcs != NULL && hs_jsoncheck_filled(check, vcs, HS_JSON_OBJECT, "vcs");
    for (const struct hs_json *at = has_vcs ? hs_json_first(vcs) : NULL; at != NULL;
         at = hs_json_next(at))
        if (hs_jsoncheck_name(check, at, hs_json_key(at), "the name of a virtual cluster")) {
            hs_vc_list_add(list, hs_json_key(at));
            read_entry(&r, at, &list->vcs[list->count - 1], vcs, true);
        }
    hs_intern_free(&r.names);
}

void hs_vc_list_add(struct hs_vc_list *list, const char *name)
{
    *hs_push(list->vcs, list->count, list->cap, HS_NODES_MAX) = (struct hs_vc){
        .name = name, .quota_gpus = UINT64_MAX, .borrow_gpus = UINT64_MAX, .lend_gpus = UINT64_MAX};
}

void hs_vc_list_free(struct hs_vc_list *list)
{
    hs_free(list->vcs);
    hs_free(list->cohorts);
}

/* ---- files ---- */

#define DATE_MAX 64u
#define NO_VC    UINT32_MAX

/* The list, and the source of each entry. */
struct source {
    struct hs_vc_list list;
    struct hs_json_doc *doc; /* owns the names; NULL: a CSV, or the cluster's own */
    const struct hs_json *vcs;
    const char *file; /* NULL: the cluster's own */
    /* of a CSV */
    struct hs_csv *csv;
    struct hs_csv_row row;
    struct hs_intern names;
    uint32_t date_column, total_column, columns;
    int64_t line; /* of the row taken */
    struct hs_diag *diag;
};

static struct hs_place place_of(const struct source *s, uint32_t vc)
{
    if (s->doc == NULL)
        return (struct hs_place){.file = s->file, .line = s->line};
    if (vc == NO_VC)
        return hs_json_place(s->doc, s->vcs);
    return hs_json_place(s->doc, hs_json_get(s->vcs, s->list.vcs[vc].name));
}

/* A CSV has different sizes for each day: a row may belong to a larger or smaller cluster. */
static const char *sizes_hint(const struct source *s)
{
    if (s->file == NULL || s->doc != NULL)
        return NULL;
    return "the sizes change from day to day: --vc-date takes another row; --vc=quota assigns no "
           "nodes";
}

/* Each VC gets the next whole nodes in id order until it has its GPUs. */
static enum hs_status deal_nodes(struct hs_cluster *c, const struct source *s)
{
    uint32_t node = 0;
    for (uint32_t v = 0; v < s->list.count; v++) {
        uint64_t wanted = s->list.vcs[v].gpus, dealt = 0;
        while (dealt < wanted && node < c->node_count) {
            dealt += c->nodes[node].gpus;
            c->nodes[node++].vc = v;
        }
        if (dealt == wanted)
            continue;
        struct hs_place place = place_of(s, v);
        if (dealt < wanted)
            return hs_fail(s->diag, HS_E_INPUT, &place, sizes_hint(s),
                           "virtual cluster '%s' needs %" PRIu64 " GPUs, but only %" PRIu64
                           " are left of the cluster's %u",
                           s->list.vcs[v].name, wanted, dealt, c->gpu_count);
        return hs_fail(s->diag, HS_E_INPUT, &place,
                       "a partition assigns whole nodes in the order of their numbers",
                       "virtual cluster '%s' needs %" PRIu64 " GPUs, but node '%s' ends its share "
                       "at %" PRIu64,
                       s->list.vcs[v].name, wanted, c->nodes[node - 1].name, dealt);
    }
    if (node == c->node_count)
        return HS_OK;
    const char *hint = sizes_hint(s);
    if (hint == NULL)
        hint = "every node must belong to a virtual cluster";
    return hs_fail(s->diag, HS_E_INPUT, HS_AT(place_of(s, NO_VC)), hint,
                   "the virtual clusters have %u GPUs in all, the cluster %u: %u nodes are left",
                   c->nodes[node].first_gpu, c->gpu_count, c->node_count - node);
}

static enum hs_status apply(struct hs_cluster *c, enum hs_vc_mode mode, const struct source *s)
{
    uint32_t count = s->list.count;
    struct hs_vc *vcs = hs_arena_alloc(&c->arena, count * sizeof *vcs);
    for (uint32_t v = 0; v < count; v++) {
        const char *name = s->list.vcs[v].name;
        vcs[v] = s->list.vcs[v];
        vcs[v].name = hs_arena_text(&c->arena, name, strlen(name));
        if (mode == HS_VC_PARTITION)
            continue;
        vcs[v].quota_gpus = vcs[v].most_gpus = vcs[v].gpus;
        vcs[v].gpus = c->gpu_count;
    }
    c->vcs = vcs;
    c->vc_count = count;
    c->vc_mode = mode;
    hs_intern_free(&c->vc_names);
    hs_intern_init(&c->vc_names);
    for (uint32_t v = 0; v < count; v++)
        (void)hs_intern_get(&c->vc_names, vcs[v].name);
    if (mode == HS_VC_QUOTA) {
        build_quotas(c, s->list.cohorts, s->list.cohort_count);
        return HS_OK;
    }
    if (s->file != NULL || c->own_node_vc == NULL)
        return deal_nodes(c, s);
    for (uint32_t n = 0; n < c->node_count; n++)
        c->nodes[n].vc = c->own_node_vc[n];
    return HS_OK;
}

static enum hs_status read_json(struct source *s)
{
    HS_TRY(hs_json_load(&s->doc, s->file, s->diag));
    struct hs_jsoncheck check = {.doc = s->doc, .diag = s->diag};
    const struct hs_json *root = hs_json_root(s->doc);
    s->vcs = hs_json_get(root, "vcs");
    if (hs_jsoncheck_object(&check, root, "a list of virtual clusters", "name vcs cohorts")) {
        if (s->vcs == NULL)
            hs_jsoncheck_fault(&check, root, "{\"vcs\": {\"name\": gpus, ...}}",
                               "\"vcs\" is missing");
        hs_vc_list_read(&s->list, &check, root);
    }
    return check.status;
}

/* ---- CSV: date,<name>,<name>,...,total ---- */

static bool is_vc_column(const struct source *s, uint32_t column)
{
    return column != s->date_column && column != s->total_column;
}

static enum hs_status table_read_header(struct source *s)
{
    enum hs_status status = hs_csv_next(s->csv, &s->row);
    if (status == HS_END)
        return hs_fail(s->diag, HS_E_INPUT, HS_AT({.file = s->file}), NULL, "the file is empty");
    HS_TRY(status);
    s->columns = s->row.count;
    s->date_column = hs_csv_column(&s->row, "date");
    s->total_column = hs_csv_column(&s->row, "total");
    if (s->date_column == UINT32_MAX)
        return hs_csv_fail(s->csv, 0, "the header is date,<virtual cluster>,...,total",
                           "there is no column 'date'");
    for (uint32_t i = 0; i < s->columns; i++) {
        const char *name = s->row.fields[i];
        if (!is_vc_column(s, i))
            continue;
        if (name[0] == '\0')
            return hs_csv_fail(s->csv, i, NULL, "a column without name");
        if (hs_intern_find(&s->names, name) != UINT32_MAX)
            return hs_csv_fail(s->csv, i, NULL, "a second column '%s'", name);
        name = hs_intern_text(&s->names, hs_intern_get(&s->names, name));
        hs_vc_list_add(&s->list, name);
    }
    return HS_OK;
}

static enum hs_status table_read_gpus(const struct source *s, uint32_t column, uint64_t *gpus)
{
    int64_t value;
    if (!hs_parse_int64(s->row.fields[column], s->row.lengths[column], &value) || value < 0 ||
        value > UINT32_MAX)
        return hs_csv_fail(s->csv, column, "GPUs of a virtual cluster on that day",
                           "'%s' is not a number of GPUs", s->row.fields[column]);
    *gpus = (uint64_t)value;
    return HS_OK;
}

/* All rows are checked. */
static enum hs_status table_read_row(struct source *s, bool is_taken)
{
    uint64_t gpus, sum = 0;
    if (s->row.count != s->columns)
        return hs_csv_fail(s->csv, s->row.count < s->columns ? s->row.count : s->columns, NULL,
                           "%u fields, the header has %u", s->row.count, s->columns);
    for (uint32_t i = 0, v = 0; i < s->columns; i++) {
        if (!is_vc_column(s, i))
            continue;
        HS_TRY(table_read_gpus(s, i, &gpus));
        sum += gpus;
        if (is_taken)
            s->list.vcs[v].gpus = gpus;
        v++;
    }
    if (s->total_column == UINT32_MAX)
        return HS_OK;
    HS_TRY(table_read_gpus(s, s->total_column, &gpus));
    if (gpus != sum)
        return hs_csv_fail(s->csv, s->total_column, NULL,
                           "the total is %" PRIu64 ", but the virtual clusters have %" PRIu64, gpus,
                           sum);
    return HS_OK;
}

static enum hs_status table_read(struct source *s, const char *date)
{
    char first_date[DATE_MAX] = "", last_date[DATE_MAX] = "";
    HS_TRY(table_read_header(s));
    enum hs_status status;
    while ((status = hs_csv_next(s->csv, &s->row)) == HS_OK) {
        const char *day = s->date_column < s->row.count ? s->row.fields[s->date_column] : "";
        bool is_taken = date[0] == '\0' || strcmp(day, date) == 0;
        if (is_taken && date[0] != '\0' && s->line > 0)
            return hs_csv_fail(s->csv, s->date_column, NULL, "a second row of %s", date);
        HS_TRY(table_read_row(s, is_taken));
        if (is_taken)
            s->line = s->row.line;
        (void)snprintf(last_date, sizeof last_date, "%s", day);
        if (first_date[0] == '\0')
            (void)snprintf(first_date, sizeof first_date, "%s", day);
    }
    if (status != HS_END)
        return status;
    struct hs_place place = {.file = s->file};
    if (first_date[0] == '\0')
        return hs_fail(s->diag, HS_E_INPUT, &place, NULL, "there is no row");
    if (s->line == 0)
        return hs_fail(s->diag, HS_E_INPUT, &place, NULL,
                       "there is no row of %s; the rows are %s to %s", date, first_date, last_date);
    return HS_OK;
}

static enum hs_status read_vc_file(struct source *s, const char *date)
{
    struct hs_input *input;
    const char *data = "";
    size_t len = 0, begin = 0;
    HS_TRY(hs_input_open(&input, s->file, s->diag));
    enum hs_status status = hs_input_peek(input, &data, &len);
    while (begin < len && data[begin] != '\0' && strchr(" \t\r\n", data[begin]) != NULL)
        begin++;
    const bool is_json = begin < len && (data[begin] == '{' || data[begin] == '/');
    if (status == HS_END || (status == HS_OK && !is_json)) {
        hs_csv_open(&s->csv, input, ',', s->diag);
        status = table_read(s, date);
        hs_csv_close(s->csv);
    } else if (status == HS_OK && date[0] != '\0') {
        status = hs_fail(s->diag, HS_E_USAGE, NULL, NULL,
                         "a date selects a row of a CSV; %s is JSON", s->file);
    } else if (status == HS_OK) {
        status = read_json(s);
    }
    hs_input_close(input);
    return status;
}

enum hs_status hs_cluster_set_vcs(struct hs_cluster *cluster, enum hs_vc_mode mode,
                                  const char *file, const char *date, struct hs_diag *diag)
{
    struct source s = {.file = file, .diag = diag};
    const bool has_date = date != NULL && date[0] != '\0';
    if (mode == HS_VC_IGNORE)
        return HS_OK;
    if (file == NULL && has_date)
        return hs_fail(diag, HS_E_USAGE, NULL, "give the CSV of virtual clusters too",
                       "a date selects a row of a CSV, but no CSV is given");
    if (file == NULL && cluster->own_vc_count == 0)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "add \"vcs\": {\"name\": gpus} to the cluster's JSON, or give a file of VCs",
                       "the cluster has no virtual clusters");
    if (file == NULL) {
        s.list = (struct hs_vc_list){.vcs = cluster->own_vcs,
                                     .count = cluster->own_vc_count,
                                     .cohorts = cluster->own_cohorts,
                                     .cohort_count = cluster->own_cohort_count};
        return apply(cluster, mode, &s);
    }
    hs_intern_init(&s.names);
    enum hs_status status = read_vc_file(&s, has_date ? date : "");
    if (status == HS_OK)
        status = apply(cluster, mode, &s);
    hs_json_close(s.doc);
    hs_intern_free(&s.names);
    hs_vc_list_free(&s.list);
    return status;
}
