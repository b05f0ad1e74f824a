/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rule on reservations (MODEL.md 14), from the file that the run's directory keeps: while a
 * window is open no job of another owner starts on its nodes, and no gang spans them and others;
 * where the policy can preempt and knows no reservations, all jobs of its nodes stop as it begins.
 * Numbers of nodes or GPUs are resolved here again. O(segments x nodes x windows of a node).
 */
#include <inttypes.h>

#include "base/fixed.h"
#include "report/verify/verify.h"

struct window_row {
    const char *start, *end, *nodes, *gpus, *user, *vc;
};
#define AT(field) offsetof(struct window_row, field)
static const struct hs_rowcell window_cells[] = {
    {"start", HS_ROWCELL_TEXT, AT(start)},
    {"end", HS_ROWCELL_TEXT, AT(end)},
    {"nodes", HS_ROWCELL_TEXT_IF_ANY, AT(nodes)},
    {"gpus", HS_ROWCELL_TEXT_IF_ANY, AT(gpus)},
    {"user", HS_ROWCELL_TEXT_IF_ANY, AT(user)},
    {"vc", HS_ROWCELL_TEXT_IF_ANY, AT(vc)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static const struct verify_window *window_of(const struct verify_run *run, uint32_t node,
                                             int64_t from_us, int64_t to_us)
{
    const struct verify_window *w = NULL;
    for (uint32_t i = run->nodes[node].last_window; i != 0 && w == NULL; i = run->windows[i].next)
        w = run->windows[i].start_us < to_us && from_us < run->windows[i].end_us ? &run->windows[i]
                                                                                 : NULL;
    return w;
}

/* One entry a node, in a list by node. */
static void add_window(struct verify_run *run, struct verify_window window, uint32_t node)
{
    run->window_count += run->window_count == 0; /* 0 ends a list */
    hs_grow(run->windows, run->window_cap, (uint64_t)run->window_count + 1, UINT32_MAX);
    window.next = run->nodes[node].last_window;
    run->nodes[node].last_window = run->window_count;
    run->windows[run->window_count++] = window;
}

static enum hs_status add_window_row(void *ctx, const struct hs_rowfile *f)
{
    struct verify_run *run = ctx;
    struct window_row row;
    struct verify_window window = {.line = f->row.line};
    int64_t left = 0;
    HS_TRY(hs_rowfile_read(f, &row));
    HS_TRY(verify_moment(run, f, row.start, "start", &window.start_us));
    HS_TRY(verify_moment(run, f, row.end, "end", &window.end_us));
    window.user = hs_intern_get(&run->users, row.user);
    window.vc = hs_intern_get(&run->vcs, row.vc);
    const bool is_nodes = row.nodes[0] != '\0';
    const char *number = is_nodes ? row.nodes : row.gpus;
    if (hs_parse_int64(number, strlen(number), &left)) {
        run->has_numbered_windows = true;
        for (uint32_t n = run->node_count; n-- > 0;) {
            const int64_t gpus = run->nodes[n + 1].first_gpu - run->nodes[n].first_gpu;
            const int64_t size = is_nodes ? 1 : gpus;
            if (gpus == 0 || left < size ||
                window_of(run, n, window.start_us, window.end_us) != NULL)
                continue;
            left -= size;
            add_window(run, window, n);
        }
        return HS_OK;
    }
    for (const char *at = row.nodes + strspn(row.nodes, " "); *at != '\0'; at += strspn(at, " ")) {
        const size_t len = strcspn(at, " ");
        const uint32_t id = hs_intern_find(&run->node_names, hs_arena_text(&run->arena, at, len));
        if (id == 0 || id == UINT32_MAX)
            return hs_rowfile_bad(f, "nodes", "a list of nodes of nodes.csv");
        add_window(run, window, id - 1);
        at += len;
    }
    return HS_OK;
}

static enum hs_status has_windows(struct verify_check *c)
{
    if (!c->run->has_nodes)
        c->skipped = "the run was made without nodes.csv, which names the nodes";
    else if (c->run->has_numbered_windows && c->run->setup.vc == VERIFY_PARTITION)
        c->skipped = "which nodes of a virtual cluster a number means is not in the run's files";
    return HS_OK;
}

bool verify_window_begins(const struct verify_run *run, uint32_t node, int64_t us)
{
    const struct verify_window *w = window_of(run, node, us, us + 1);
    return w != NULL && w->start_us == us && run->setup.is_preempting &&
           (!run->setup.is_reserving || run->setup.is_forked);
}

/* Of one node of the segment; *line: that of the window of the nodes before, 0 = none, -1 = none
 * before. */
static void check_node(struct verify_check *c, const struct hs_placed *seg, uint32_t node,
                       int64_t *line)
{
    const struct verify_run *run = c->run;
    const struct verify_job *j = &run->jobs[seg->job];
    const struct verify_window *w = window_of(run, node, seg->start_us, seg->start_us + 1);
    const int64_t line_before = *line;
    *line = w != NULL ? w->line : 0;
    if (w != NULL && ((w->user != 0 && w->user != j->user) || (w->vc != 0 && w->vc != j->vc)))
        VERIFY_FAULT_SEGMENT(
            c, seg,
            " starts at %s on node %s, which line %" PRId64 " of reservations.csv keeps for others",
            HS_SECONDS(seg->start_us), hs_intern_text(&run->node_names, node + 1), w->line);
    else if (line_before >= 0 && line_before != *line)
        VERIFY_FAULT_SEGMENT(c, seg, " starts at %s on reserved nodes and on others",
                             HS_SECONDS(seg->start_us));
    if (!run->setup.is_preempting || run->setup.is_reserving || run->setup.is_forked)
        return;
    for (uint32_t i = run->nodes[node].last_window; i != 0; i = run->windows[i].next)
        if (seg->start_us < run->windows[i].start_us && run->windows[i].start_us < seg->end_us)
            VERIFY_FAULT_SEGMENT(c, seg, " is on node %s when line %" PRId64 " begins",
                                 hs_intern_text(&run->node_names, node + 1), run->windows[i].line);
}

static void check_window(struct verify_check *c, const struct hs_placed *seg)
{
    int64_t line = -1;
    c->looked++;
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(c->run, seg, true, &p);)
        check_node(c, seg, p.id, &line);
}

enum hs_status verify_windows_load(struct verify_run *run)
{
    char path[HS_PATH_SIZE];
    if (hs_runmanifest_kept(&run->manifest, HS_KEPT_RESERVATIONS, path) == NULL)
        return HS_OK;
    return hs_rowfile_each(&run->manifest, "reservations.csv", window_cells, add_window_row, run);
}

const struct verify_rule verify_window_rules[] = {
    {"no job starts on nodes reserved for others", "segments", "do", .run = has_windows,
     .segment = check_window},
    {.title = NULL},
};
