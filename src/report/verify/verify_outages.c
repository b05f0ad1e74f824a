/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules on machines that fail, are drained, join or leave (MODEL.md 13), and on reservations
 * (14). Events are read from the file that the run's directory keeps, or drawn again by law and
 * seed, with code of its own; nodes.csv has the names and racks. Then: no job holds a GPU of a node
 * out of service, gpus_out of series.csv is what events and segments leave, outages.csv and the
 * figures of summary.json are sums of the rows. O((segments + events) log).
 *
 * While a window is open no job of another owner starts on its nodes, and no gang spans them and
 * others; where the policy can preempt and knows no reservations, all jobs of its nodes stop as it
 * begins. Numbers of nodes or GPUs are resolved here again. O(segments x nodes x windows of a
 * node).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "data/param_table.h"
#include "report/stats/exact.h"
#include "report/verify/verify.h"

/* ---- events ---- */

enum change { DOWN, UP, CORDON, DRAIN, ADD, REMOVE, SLOW, CHANGES };
static const char *const change_names[CHANGES] = {"down", "up",     "cordon", "drain",
                                                  "add",  "remove", "slow"};

static int compare_events(const void *a, const void *b)
{
    const struct verify_event *x = a, *y = b;
    return 4 * HS_ORDER(x->node, y->node) + 2 * HS_ORDER(x->at_us, y->at_us) +
           HS_ORDER(x->number, y->number);
}

static void add_event(struct verify_run *run, uint32_t node, int64_t at_us, int change)
{
    hs_grow(run->events, run->event_cap, (uint64_t)run->event_count + 2, UINT32_MAX / 2);
    run->events[run->event_count] = (struct verify_event){
        .at_us = at_us > 0 ? at_us : 0, .node = node, .number = run->event_count, .change = change};
    run->event_count++;
}

/* Parses a time: after the first submission, or by the clock of the trace. */
static enum hs_status read_moment(const struct verify_run *run, const struct hs_rowfile *f,
                                  const char *text, const char *column, int64_t *us)
{
    bool is_date;
    if (!hs_parse_moment_us(text, strlen(text), us, &is_date))
        return hs_rowfile_bad(f, column, "a time");
    *us -= is_date ? run->epoch_us : 0;
    return HS_OK;
}

struct event_row {
    const char *time, *node, *event;
};
static const struct hs_rowcell event_cells[] = {
    {"time", HS_ROWCELL_TEXT, offsetof(struct event_row, time)},
    {"node", HS_ROWCELL_TEXT, offsetof(struct event_row, node)},
    {"event", HS_ROWCELL_TEXT, offsetof(struct event_row, event)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

/* A row is for a node, all nodes of a rack, or a share of all, spread over them. */
static enum hs_status add_event_row(void *ctx, const struct hs_rowfile *f)
{
    struct verify_run *run = ctx;
    struct event_row row;
    int64_t at_us, rack = -1;
    double share = 0;
    int change = 0;
    HS_TRY(hs_rowfile_read(f, &row));
    HS_TRY(read_moment(run, f, row.time, "time", &at_us));
    while (change < CHANGES && strcmp(row.event, change_names[change]) != 0)
        change++;
    if (change == CHANGES)
        return hs_rowfile_bad(f, "event", "an event of a machine");
    const uint32_t name = hs_intern_find(&run->node_names, row.node);
    const size_t len = strlen(row.node);
    if (name != 0 && name != UINT32_MAX) {
        add_event(run, name - 1, at_us, change);
        return HS_OK;
    }
    if (strncmp(row.node, "rack:", 5) == 0 && hs_parse_int64(row.node + 5, len - 5, &rack)) {
        for (uint32_t n = 0; n < run->node_count; n++)
            if (run->nodes[n].rack == rack)
                add_event(run, n, at_us, change);
        return HS_OK;
    }
    if (strcmp(row.node, "all") == 0)
        share = 100;
    else if (len < 2 || !hs_parse_double(row.node, len - 1, &share))
        return hs_rowfile_bad(f, "node", "a node of nodes.csv, rack:0, 10% or all");
    const uint64_t count = (uint64_t)(share * run->node_count / 100 + 0.5);
    for (uint64_t i = 0; i < count; i++)
        add_event(run, (uint32_t)(i * run->node_count / count), at_us, change);
    return HS_OK;
}

#define LAW(name, kind, field, value)                                                              \
    {                                                                                              \
        .key = name, .type = HS_PARAM_##kind, .offset = offsetof(struct verify_law, field),        \
        .preset = value                                                                            \
    }
static const struct hs_param law_params[] = {LAW("mtbf", DURATION, mtbf_us, "0s"),
                                             LAW("rack_mtbf", DURATION, rack_mtbf_us, "0s"),
                                             LAW("repair", DURATION, repair_us, "0s"),
                                             LAW("shape", REAL, shape, "1"),
                                             {.key = NULL}};

/* Adds the failures of a node, or of a rack with its nodes [first, end). Time k of it is that of
 * the hash of seed, unit and k: up by the Weibull, down by the exponential distribution. */
static void draw_unit(struct verify_run *run, uint32_t unit, uint32_t first, uint32_t end)
{
    const struct verify_law *law = &run->setup.law;
    const uint64_t seed = hs_mix64(hs_seed_of((uint64_t)run->setup.trace.seed, "faults"), unit);
    const double scale_us = (double)(unit < run->node_count ? law->mtbf_us : law->rack_mtbf_us) /
                            tgamma(1 + 1 / law->shape);
    int64_t at_us = 0;
    for (uint64_t k = 0; scale_us > 0; k++) {
        const double e = -log(hs_uniform_of(hs_mix64(seed, k)));
        const double us =
            k % 2 == 1 ? e * (double)law->repair_us : scale_us * pow(e, 1 / law->shape);
        if (us > (double)(run->end_us - at_us))
            return;
        at_us += llrint(us > 1 ? us : 1);
        for (uint32_t n = first; n < end; n++)
            add_event(run, n, at_us, k % 2 == 0 ? DOWN : UP);
    }
}

static enum hs_status draw_events(struct verify_run *run)
{
    struct verify_setup *m = &run->setup;
    const char *how = hs_json_text(hs_json_get(run->manifest.config, "checkpoint_interval"));
    if (m->checkpoint_cost_us > 0 && how != NULL &&
        (strcmp(how, "auto") == 0 || strcmp(how, "young-daly") == 0))
        m->checkpoint_us = VERIFY_YOUNG_DALY;
    HS_TRY(hs_param_defaults(law_params, &m->law, &run->arena));
    HS_TRY(hs_param_set_list(law_params, &m->law, &run->arena, "faults", m->faults, run->diag));
    for (uint32_t n = 0; n < run->node_count; n++)
        draw_unit(run, n, n, n + 1);
    for (uint32_t n = 0; n < run->node_count;) {
        uint32_t end = n;
        while (end < run->node_count && run->nodes[end].rack == run->nodes[n].rack)
            end++;
        draw_unit(run, run->node_count + run->nodes[n].rack, n, end);
        n = end;
    }
    return HS_OK;
}

/* Sets what each event leaves. By draw a node is down while it or its rack is: so often in a row as
 * `out` says; else `out` has the reasons. */
static void follow_events(struct verify_run *run)
{
    static const uint32_t reasons[CHANGES] = {[DOWN] = 1, [CORDON] = 2, [DRAIN] = 2, [REMOVE] = 4};
    const bool is_drawn = run->setup.faults != NULL;
    uint32_t out = 0;
    if (run->event_count > 0)
        qsort(run->events, run->event_count, sizeof *run->events, compare_events);
    for (uint32_t i = 0; i < run->event_count; i++) {
        struct verify_event *e = &run->events[i];
        struct verify_node *node = &run->nodes[e->node];
        if (node->events++ == 0) {
            node->first_event = i;
            out = 0;
        }
        if (is_drawn)
            out += e->change == DOWN ? 1 : UINT32_MAX;
        else
            out = e->change == UP || e->change == ADD ? 0 : out | reasons[e->change];
        e->stops = e->change == REMOVE || (e->change == DOWN && (out == 1 || !is_drawn));
        e->drains = e->change == DRAIN && run->setup.is_preempting;
        e->is_out = out != 0;
    }
}

static const struct verify_event *events_of(const struct verify_run *run, uint32_t node)
{
    return run->events + run->nodes[node].first_event;
}

/* Tells whether the node is out of service after its first `count` events. */
static bool is_out(const struct verify_run *run, uint32_t node, uint32_t count)
{
    const struct verify_event *of = events_of(run, node);
    return count > 0 ? of[count - 1].is_out : run->nodes[node].events > 0 && of->change == ADD;
}

/* Number of events of the node before or at that time. */
static uint32_t events_until(const struct verify_run *run, uint32_t node, int64_t us)
{
    const struct verify_event *of = events_of(run, node);
    uint32_t low = 0, high = run->nodes[node].events;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (of[middle].at_us <= us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool verify_has_outage_at_end(const struct verify_run *run)
{
    bool has_one = !run->has_nodes && (run->setup.events != NULL || run->setup.faults != NULL);
    for (uint32_t n = 0; n < run->node_count; n++)
        has_one |= is_out(run, n, events_until(run, n, run->end_us));
    return has_one;
}

/* ---- reservations ---- */

struct window_row {
    const char *start, *end, *nodes, *gpus, *user, *vc;
};
static const struct hs_rowcell window_cells[] = {
    {"start", HS_ROWCELL_TEXT, offsetof(struct window_row, start)},
    {"end", HS_ROWCELL_TEXT, offsetof(struct window_row, end)},
    {"nodes", HS_ROWCELL_TEXT_IF_ANY, offsetof(struct window_row, nodes)},
    {"gpus", HS_ROWCELL_TEXT_IF_ANY, offsetof(struct window_row, gpus)},
    {"user", HS_ROWCELL_TEXT_IF_ANY, offsetof(struct window_row, user)},
    {"vc", HS_ROWCELL_TEXT_IF_ANY, offsetof(struct window_row, vc)},
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
    HS_TRY(read_moment(run, f, row.start, "start", &window.start_us));
    HS_TRY(read_moment(run, f, row.end, "end", &window.end_us));
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

enum hs_status verify_machines_load(struct verify_run *run)
{
    char path[HS_PATH_SIZE];
    if (run->setup.faults != NULL)
        HS_TRY(draw_events(run));
    else if (hs_runmanifest_kept(&run->manifest, HS_KEPT_EVENTS, path) != NULL)
        HS_TRY(hs_rowfile_each(&run->manifest, "events.csv", event_cells, add_event_row, run));
    follow_events(run);
    if (hs_runmanifest_kept(&run->manifest, HS_KEPT_RESERVATIONS, path) == NULL)
        return HS_OK;
    return hs_rowfile_each(&run->manifest, "reservations.csv", window_cells, add_window_row, run);
}

/* ---- no job holds GPUs of a node out of service ---- */

static enum hs_status has_nodes(struct verify_check *c)
{
    if (!c->run->has_nodes)
        c->skipped = "the run was made without nodes.csv, which names the nodes";
    return HS_OK;
}

/* Whether a window begins on the node then for which its jobs stop. */
static bool window_begins(const struct verify_run *run, uint32_t node, int64_t us)
{
    const struct verify_window *w = window_of(run, node, us, us + 1);
    return w != NULL && w->start_us == us && run->setup.is_preempting &&
           (!run->setup.is_reserving || run->setup.is_forked);
}

/* Events come before the starts of their instant, and after finishes. */
static void check_service(struct verify_check *c, const struct hs_placed *seg)
{
    const struct verify_run *run = c->run;
    const bool is_fault = seg->ended_by == HS_SEGMENT_FAULT,
               is_drain = seg->ended_by == HS_SEGMENT_DRAIN;
    bool has_cause = !is_fault && !is_drain;
    c->looked++;
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, true, &p);) {
        const struct verify_event *of = events_of(run, p.id);
        const char *name = hs_intern_text(&run->node_names, p.id + 1);
        uint32_t i = events_until(run, p.id, seg->start_us);
        has_cause |= is_drain && window_begins(run, p.id, seg->end_us);
        if (is_out(run, p.id, i))
            VERIFY_FAULT_SEGMENT(c, seg, " starts at %s on node %s, which is out of service",
                                 HS_SECONDS(seg->start_us), name);
        for (; i < run->nodes[p.id].events && of[i].at_us <= seg->end_us; i++) {
            const bool stops = of[i].stops || (of[i].drains && !run->setup.is_forked);
            has_cause |= of[i].at_us == seg->end_us && (is_drain ? of[i].drains : of[i].stops);
            if (stops && of[i].at_us < seg->end_us)
                VERIFY_FAULT_SEGMENT(c, seg, " holds GPUs of node %s after its '%s' at %s", name,
                                     change_names[of[i].change], HS_SECONDS(of[i].at_us));
        }
    }
    if (!has_cause)
        VERIFY_FAULT_SEGMENT(c, seg, " ends at %s by %s, and no node of it did",
                             HS_SECONDS(seg->end_us), hs_segment_end_text(seg->ended_by));
}

/* ---- none starts on nodes reserved for others ---- */

static enum hs_status has_windows(struct verify_check *c)
{
    HS_TRY(has_nodes(c));
    if (c->skipped == NULL && c->run->has_numbered_windows && c->run->setup.vc == VERIFY_PARTITION)
        c->skipped = "which nodes of a virtual cluster a number means is not in the run's files";
    return HS_OK;
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

/* ---- capacity over time ---- */

/* A change; then, in order of time, what it leaves: GPUs of nodes out of service that no job holds,
 * and their sum over the time before. */
struct step {
    int64_t at_us;
    uint32_t subject; /* a segment; for a node an event */
    enum { TAKE, GIVE, NODE } kind;
    int64_t out;
    hs_i128 out_us;
};

struct capacity {
    struct verify_check *check;
    struct step *steps;
    uint64_t count, at;
    bool is_exact; /* a row is the value at its time, else the mean until the next */
    int64_t row_us, row_value, row_line; /* the row of series.csv before; row_us -1: none */
};

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return 4 * HS_ORDER(x->at_us, y->at_us) + 2 * HS_ORDER(x->kind, y->kind) +
           HS_ORDER(x->subject, y->subject);
}

/* Returns the change of the number of GPUs out of service and free. */
static int64_t take_gpus(struct verify_run *run, const struct hs_placed *seg, bool takes)
{
    int64_t change = 0;
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, false, &p);) {
        struct verify_node *node = &run->nodes[verify_node_of(run, p.id)];
        run->gpus[p.id].tenants += takes ? 1 : UINT32_MAX;
        if (run->gpus[p.id].tenants != takes)
            continue;
        node->held += takes ? 1 : UINT32_MAX;
        change += !node->is_out ? 0 : takes ? -1 : 1;
    }
    return change;
}

static int64_t set_out(struct verify_node *node, bool is_out_now)
{
    const int64_t unheld = node[1].first_gpu - node->first_gpu - (int64_t)node->held;
    const bool was_out = node->is_out;
    node->is_out = is_out_now;
    return is_out_now == was_out ? 0 : is_out_now ? unheld : -unheld;
}

static void make_steps(struct capacity *cap, struct verify_run *run)
{
    const struct hs_schedule *s = &run->schedule;
    int64_t out = 0;
    cap->steps = hs_spill_alloc(&run->spill, 2 * (uint64_t)s->segment_count + run->event_count + 1,
                                sizeof *cap->steps);
    cap->steps[0].at_us = INT64_MIN; /* stays the first */
    cap->count = 1;
    for (uint32_t i = 0; i < s->segment_count; i++, hs_spill_step(&run->spill))
        if (s->segments[i].start_us < s->segments[i].end_us) {
            cap->steps[cap->count++] = (struct step){s->segments[i].start_us, i, TAKE, 0, 0};
            cap->steps[cap->count++] = (struct step){s->segments[i].end_us, i, GIVE, 0, 0};
        }
    for (uint32_t i = 0; i < run->event_count; i++)
        cap->steps[cap->count++] = (struct step){run->events[i].at_us, i, NODE, 0, 0};
    cap->steps =
        hs_spill_sort(&run->spill, cap->steps, cap->count, sizeof *cap->steps, compare_steps);
    cap->steps[0].at_us = 0;
    for (uint32_t n = 0; n < run->node_count; n++)
        out += set_out(&run->nodes[n], is_out(run, n, 0));
    cap->steps[0].out = out;
    for (uint64_t i = 1; i < cap->count; i++, hs_spill_step(&run->spill)) {
        struct step *step = &cap->steps[i];
        const struct verify_event *e = step->kind == NODE ? &run->events[step->subject] : NULL;
        step->out_us = step[-1].out_us + (hs_i128)out * (step->at_us - step[-1].at_us);
        out += e != NULL ? set_out(&run->nodes[e->node], e->is_out)
                         : take_gpus(run, &s->segments[step->subject], step->kind == TAKE);
        step->out = out;
    }
}

/* GPU time out of service until then; called in order of time. */
static hs_i128 out_until(struct capacity *cap, int64_t us)
{
    for (; cap->at + 1 < cap->count && cap->steps[cap->at + 1].at_us <= us; cap->at++)
        hs_spill_step(&cap->check->run->spill);
    const struct step *step = &cap->steps[cap->at];
    return step->out_us + (hs_i128)step->out * (us - step->at_us);
}

/* Checks the row before, which was until that time; its value is printed to six decimals. */
static void check_row(struct capacity *cap, int64_t until_us)
{
    if (cap->row_us < 0 || (until_us == cap->row_us && !cap->is_exact))
        return;
    const int64_t length_us = cap->is_exact ? 1 : until_us - cap->row_us;
    const hs_i128 before = out_until(cap, cap->row_us);
    const hs_i128 due = cap->is_exact ? cap->steps[cap->at].out : out_until(cap, until_us) - before;
    const hs_i128 off = due * HS_US_PER_S - (hs_i128)cap->row_value * length_us;
    cap->check->looked++;
    if ((off < 0 ? -off : off) > length_us)
        verify_fault(cap->check, "series.csv", cap->row_line, NULL,
                     ": gpus_out is %.6f, by events and segments %.6f",
                     (double)cap->row_value / HS_US_PER_S, (double)due / (double)length_us);
}

struct out_row {
    int64_t time_us, value;
    const char *metric;
};
static const struct hs_rowcell series_cells[] = {
    {"time", HS_ROWCELL_TIME, offsetof(struct out_row, time_us)},
    {"metric", HS_ROWCELL_TEXT, offsetof(struct out_row, metric)},
    {"value", HS_ROWCELL_NUMBER, offsetof(struct out_row, value)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status add_series_row(void *ctx, const struct hs_rowfile *f)
{
    struct capacity *cap = ctx;
    struct out_row row;
    if (strcmp(hs_rowfile_text(f, 1), "gpus_out") != 0)
        return HS_OK;
    HS_TRY(hs_rowfile_read(f, &row));
    check_row(cap, row.time_us);
    cap->row_us = row.time_us;
    cap->row_value = row.value;
    cap->row_line = f->row.line;
    return HS_OK;
}

static enum hs_status check_capacity(struct verify_check *c)
{
    struct verify_run *run = c->run;
    const char *sample = hs_json_text(hs_json_get(run->manifest.config, "sample"));
    struct capacity cap = {
        .check = c, .row_us = -1, .is_exact = sample != NULL && strcmp(sample, "exact") == 0};
    HS_TRY(has_nodes(c));
    if (c->skipped != NULL)
        return HS_OK;
    make_steps(&cap, run);
    enum hs_status s = HS_OK;
    if (hs_runmanifest_file(&run->manifest, "series.csv") != NULL)
        s = hs_rowfile_each(&run->manifest, "series.csv", series_cells, add_series_row, &cap);
    check_row(&cap, run->end_us);
    cap.at = 0;
    run->out_us = out_until(&cap, run->end_us);
    hs_spill_release(&run->spill, cap.steps);
    return s;
}

/* ---- outages.csv and the figures of the run ---- */

#define CLASSES   17   /* gangs of up to 1, 2, 4, ... GPUs */
#define TOLERANCE 3e-9 /* of mean_rate, printed with nine decimals */

enum figure { GPUS, JOBS, HIT, FAULTS, DRAINS, RUN, TO_FAULT, LOST, ETTR, FIGURES };
struct figures {
    double of[FIGURES]; /* NaN: empty */
};
#define FIGURE(name, i)                                                                            \
    {                                                                                              \
        name, HS_ROWCELL_DOUBLE, sizeof(double) * (i)                                              \
    }
static const struct hs_rowcell outage_cells[] = {FIGURE("gpus", GPUS),
                                                 FIGURE("jobs", JOBS),
                                                 FIGURE("jobs_hit", HIT),
                                                 FIGURE("faults", FAULTS),
                                                 FIGURE("drains", DRAINS),
                                                 FIGURE("run_time", RUN),
                                                 FIGURE("mean_time_to_fault", TO_FAULT),
                                                 FIGURE("lost_gpu_seconds", LOST),
                                                 FIGURE("ettr", ETTR),
                                                 {NULL, HS_ROWCELL_TEXT, 0}};

struct outages {
    struct verify_check *check;
    struct gang_sums {
        uint64_t jobs, hit, faults, drains;
        hs_i128 run_us, milli_us;
        double done, lost; /* GPU s */
        bool is_lost_known;
    } of[CLASSES + 1]; /* the last: all */
    uint64_t at;       /* the class of the next row */
};

static void compare_figure(struct verify_check *c, const char *file, const char *name,
                           double stated, double due)
{
    c->looked++;
    if (fabs(stated - due) > TOLERANCE * fabs(due) || isnan(stated) != isnan(due))
        VERIFY_FAULT(c, "%s: %s is %.12g, by the rows %.12g", file, name, stated, due);
}

static void add_sums(struct gang_sums *s, const struct verify_job *j)
{
    const double gpus = (double)j->row.gpus * j->row.gpu_milli / VERIFY_GPU_MILLI;
    const double lost_s = (double)j->row.lost_ns / 1e9;
    const bool is_given_up = !j->row.is_done && !j->row.is_rejected && j->row.finish_us >= 0;
    s->jobs++;
    s->hit += j->sum.faults + j->sum.drains > 0;
    s->faults += j->sum.faults;
    s->drains += j->sum.drains;
    s->run_us += j->row.run_us;
    s->milli_us += j->row.milli_us;
    s->done += gpus * ((double)j->sum.done / 1e15 - lost_s);
    s->lost += j->sum.faults > 0 ? gpus * lost_s : 0;
    /* a job's lost work is not divided by cause */
    s->is_lost_known &= j->sum.faults == 0 || (j->sum.other_losses == 0 && !is_given_up);
}

static void find_due(const struct gang_sums *s, struct figures *due)
{
    const double run_s = (double)s->run_us / HS_US_PER_S, nan = (double)NAN;
    *due =
        (struct figures){{0, (double)s->jobs, (double)s->hit, (double)s->faults, (double)s->drains,
                          run_s, s->faults > 0 ? run_s / (double)s->faults : nan, s->lost,
                          s->milli_us > 0 ? s->done * 1e9 / (double)s->milli_us : nan}};
}

static enum hs_status check_outages_row(void *ctx, const struct hs_rowfile *f)
{
    struct outages *o = ctx;
    struct figures stated, due;
    HS_TRY(hs_rowfile_read(f, &stated));
    while (o->at < CLASSES && o->of[o->at].jobs == 0)
        o->at++;
    if (o->at == CLASSES) {
        VERIFY_FAULT(o->check, "outages.csv:%" PRId64 ": no job is of that size", f->row.line);
        return HS_OK;
    }
    find_due(&o->of[o->at], &due);
    due.of[GPUS] = (double)(UINT64_C(1) << o->at);
    if (!o->of[o->at++].is_lost_known)
        due.of[LOST] = stated.of[LOST];
    for (int i = 0; i < FIGURES; i++)
        compare_figure(o->check, "outages.csv", outage_cells[i].column, stated.of[i], due.of[i]);
    return HS_OK;
}

static enum hs_status check_outages(struct verify_check *c)
{
    static const char *const names[FIGURES] = {[HIT] = "jobs_hit",
                                               [FAULTS] = "faults",
                                               [DRAINS] = "drains",
                                               [LOST] = "fault_lost_gpu_seconds",
                                               [ETTR] = "ettr"};
    struct verify_run *run = c->run;
    struct outages o = {.check = c};
    struct gang_sums *all = &o.of[CLASSES];
    struct hs_json_doc *doc;
    struct figures due;
    for (int i = 0; i <= CLASSES; i++)
        o.of[i].is_lost_known = true;
    for (uint32_t i = 0; i < run->job_count; i++, hs_spill_step(&run->spill)) {
        const struct verify_job *j = &run->jobs[i];
        uint32_t class = 0;
        while (class + 1 < CLASSES && (UINT64_C(1) << class) < j->row.gpus)
            class ++;
        if (j->row.line == 0 || j->row.gpus == 0)
            continue;
        add_sums(&o.of[class], j);
        add_sums(all, j);
    }
    HS_TRY(hs_rowfile_each(&run->manifest, "outages.csv", outage_cells, check_outages_row, &o));
    for (; o.at < CLASSES; o.at++)
        if (o.of[o.at].jobs > 0)
            VERIFY_FAULT(c, "outages.csv: no row for gangs of up to %u GPUs", 1u << o.at);
    HS_TRY(hs_json_load(&doc, HS_PATH("%s/summary.json", run->dir), run->diag));
    const struct hs_json *metrics = hs_json_get(hs_json_root(doc), "metrics");
    find_due(all, &due);
    for (int i = 0; i < FIGURES; i++)
        if (names[i] != NULL && (i != LOST || all->is_lost_known))
            compare_figure(c, "summary.json", names[i],
                           hs_json_number(hs_json_get(metrics, names[i])), due.of[i]);
    const double there = (double)run->gpu_count * (double)run->end_us;
    if (run->has_nodes && there > 0)
        compare_figure(c, "summary.json", "availability",
                       hs_json_number(hs_json_get(metrics, "availability")),
                       1 - (double)run->out_us / there);
    hs_json_close(doc);
    return HS_OK;
}

const struct verify_rule verify_outage_rules[] = {
    {"no job holds GPUs of a node out of service", "segments", "do", .run = has_nodes,
     .segment = check_service},
    {"capacity over time follows from events and segments", "rows", "differences",
     .run = check_capacity},
    {"what machines cost jobs follows from the rows", "figures", "differences",
     .run = check_outages},
    {.title = NULL},
};
const struct verify_rule verify_window_rules[] = {
    {"no job starts on nodes reserved for others", "segments", "do", .run = has_windows,
     .segment = check_window},
    {.title = NULL},
};
