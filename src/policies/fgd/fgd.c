/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fgd: a job goes to the node, and a share to the GPU of it, that gets the best score from 0 to
 * 100, as in a Kubernetes scheduler; ties go to the lowest id (README.md; Weng et al., ATC'23).
 *
 *     fgd          100 x sigmoid of the fragmented GPUs that the placement saves
 *     best_fit     least CPUs and GPUs left, in equal parts of those of the largest node
 *     dot_product  least product of what is free and what is asked for (Tetris)
 *
 * Jobs are of kinds: what they ask for. The fragments of a node are, in the mean of typical jobs,
 * the free GPU that such a job cannot use. A score of a kind on a node holds until the node changes
 * and is kept; so a placement costs O(nodes) plus, for each node changed since the last job of the
 * kind, O(GPUs of the node x typical kinds x GPUs of the node). Each kind waits in a queue of its
 * own: after one was refused, none is tried until a job ends. O(kinds) an instant.
 */
#include <math.h>

#include "policies/lib/vc_queues.h"

#define KINDS      1024u /* the jobs of any further kind share one queue, without kept scores */
#define KEPT_CELLS (1u << 23) /* of 8 bytes, so 64 MiB at most */
#define BEST_SCORE 100        /* of kube-scheduler (MaxNodeScore) */
#define SCATTERED  (HS_NO_NODE - 1)
#define UNFIT      (-1)

enum score { FGD, BEST_FIT, DOT_PRODUCT };
static const char *const score_names[] = {"fgd", "best_fit", "dot_product", NULL};

/* What a job asks for. */
struct ask {
    uint64_t cpus_milli, mem_mib, types;
    uint32_t vc, gpus, milli;
};

struct kind {
    struct ask ask;
    uint32_t like; /* the first kind that asks for the same but host memory; both count there: */
    uint64_t seen; /* submissions; as of the last time that typical kinds were found: */
    int64_t weight;
    uint64_t refused_at; /* the value of `ends` when one was refused, plus 1 */
    struct hs_job_queue jobs;
};

/* The score of a kind on a node, and the GPU of it for a share. */
struct cell {
    uint32_t version; /* of the node; 0 = not computed */
    int16_t score;    /* UNFIT: no room */
    uint16_t gpu;
};

struct node_state {
    uint32_t version; /* counts what may change scores, from 1 */
    uint32_t frag_version;
    int64_t frag;         /* fragments: thousandths of GPUs x weight of all typical kinds */
    uint64_t cpus_booked; /* thousandths, by CPU jobs, as: */
    uint64_t mem_booked_mib;
};

struct fgd {
    int32_t scan, score;
    double typical;
    struct kind *kinds; /* the last of KINDS + 1 is that of all others */
    uint32_t kind_count, kept;
    uint32_t *typical_kinds;
    uint32_t typical_count;
    int64_t weight; /* submissions of all typical kinds */
    uint64_t seen, learn_at, ends, cpu_jobs;
    bool is_awake;
    struct hs_merge_head *heads;
    uint64_t *blocked_at; /* by VC, strict order: as refused_at */
    struct cell *cells;
    struct node_state *nodes;
    uint16_t *rooms;                    /* of the GPUs of a node, and of it after a placement */
    double most_cpus_milli, most_milli; /* of any node */
};

struct fgd_job {
    struct hs_job_queue_link queue;
    uint32_t kind;
    uint32_t node; /* where it runs; HS_NO_NODE, SCATTERED */
};

static struct fgd_job *of_job(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* ---- kinds ---- */

static struct ask ask_of(const struct hs_view *v, hs_job_id job)
{
    return (struct ask){.cpus_milli = hs_view_cpus_milli(v, job),
                        .mem_mib = hs_view_mem_mib(v, job),
                        .types = hs_view_types(v, job),
                        .vc = hs_view_vc(v, job),
                        .gpus = hs_view_gpus(v, job),
                        .milli = hs_view_gpu_milli(v, job)};
}

static uint32_t kind_of(struct fgd *f, const struct ask *ask)
{
    uint32_t k = 0, like = KINDS;
    for (; k < f->kind_count; k++) {
        const struct ask *known = &f->kinds[k].ask;
        if (known->gpus != ask->gpus || known->milli != ask->milli ||
            known->cpus_milli != ask->cpus_milli || known->types != ask->types ||
            known->vc != ask->vc)
            continue;
        if (known->mem_mib == ask->mem_mib)
            return k;
        like = like < KINDS ? like : k;
    }
    if (k < KINDS)
        f->kinds[f->kind_count++] = (struct kind){.ask = *ask, .like = like < KINDS ? like : k};
    return k;
}

static void changed(struct fgd *f, uint32_t node)
{
    f->nodes[node].version++;
}

static void all_changed(struct fgd *f, uint32_t nodes)
{
    for (uint32_t n = 0; n < nodes; n++)
        changed(f, n);
}

/* The typical kinds: the most frequent ones, first come first, until they are the part `typical` of
 * all submissions. Done anew whenever the number of submissions has doubled. */
static void learn(struct fgd *f, const struct hs_view *v)
{
    const double wanted = f->typical * (double)f->seen;
    f->typical_count = 0;
    f->weight = 0;
    uint64_t last_seen = UINT64_MAX;
    uint32_t last = 0;
    while ((double)f->weight < wanted) {
        uint32_t best = KINDS;
        for (uint32_t k = 0; k < f->kind_count; k++) {
            const uint64_t seen = f->kinds[k].seen;
            const bool is_behind = seen < last_seen || (seen == last_seen && k > last);
            if (is_behind && (best == KINDS || seen > f->kinds[best].seen))
                best = k;
        }
        if (best == KINDS || f->kinds[best].seen == 0)
            break;
        last = best;
        last_seen = f->kinds[best].seen;
        f->typical_kinds[f->typical_count++] = best;
        f->kinds[best].weight = (int64_t)last_seen;
        f->weight += (int64_t)last_seen;
    }
    f->learn_at = 2 * f->seen;
    all_changed(f, v->nodes);
}

/* ---- scores ---- */

/* A node as it is, or as it would be. */
struct rest {
    const uint16_t *rooms;
    const struct hs_node *node;
    int64_t cpus_milli;
};

/* Whether a job of the kind may be on the node at all. */
static bool may_use(const struct hs_view *v, const struct ask *ask, const struct hs_node *node)
{
    return (ask->types >> node->type & 1) != 0 && (!v->vcs_are_apart || ask->vc == node->vc);
}

/* What a job of each typical kind cannot use of the free GPUs: all of them if it does not fit, else
 * those with too little room for it. A CPU job uses none. */
static int64_t fragments(const struct fgd *f, const struct hs_view *v, const struct rest *r)
{
    int64_t sum = 0, total = 0;
    for (uint32_t g = 0; g < r->node->gpus; g++)
        total += r->rooms[g];
    for (uint32_t i = 0; i < f->typical_count && total > 0; i++) {
        const struct kind *kind = &f->kinds[f->typical_kinds[i]];
        int64_t lost = 0;
        uint32_t fitting = 0;
        for (uint32_t g = 0; g < r->node->gpus; g++) {
            const bool fits = r->rooms[g] >= kind->ask.milli;
            fitting += fits;
            lost += fits ? 0 : r->rooms[g];
        }
        if (kind->ask.gpus == 0 || fitting < kind->ask.gpus ||
            r->cpus_milli < (int64_t)kind->ask.cpus_milli || !may_use(v, &kind->ask, r->node))
            lost = total;
        sum += lost * kind->weight;
    }
    return sum;
}

/* Sets what neither workers nor CPU jobs have of the node's CPUs and host memory. */
static void find_host(const struct fgd *f, const struct hs_view *v, uint32_t node,
                      int64_t *cpus_milli, int64_t *mem_mib)
{
    hs_view_node_host(v, node, cpus_milli, mem_mib);
    *cpus_milli -= (int64_t)f->nodes[node].cpus_booked;
    *mem_mib -= (int64_t)f->nodes[node].mem_booked_mib;
}

/* The score of the rest after a placement, of the node before it. */
static int16_t frag_score(struct fgd *f, const struct hs_view *v, uint32_t node,
                          const struct rest *before, const struct rest *after)
{
    struct node_state *n = &f->nodes[node];
    if (n->frag_version != n->version) {
        n->frag = fragments(f, v, before);
        n->frag_version = n->version;
    }
    const double saved = (double)(n->frag - fragments(f, v, after)) / (double)f->weight;
    return (int16_t)(BEST_SCORE / (1 + exp(-saved / HS_GPU_MILLI)));
}

/* best_fit and dot_product: parts of the largest node. */
static int16_t plain_score(const struct fgd *f, const struct rest *before, const struct ask *ask)
{
    double free_milli = 0;
    for (uint32_t g = 0; g < before->node->gpus; g++)
        free_milli += before->rooms[g];
    const bool has_cpus = before->node->cpus > 0;
    const double cpus = has_cpus ? (double)before->cpus_milli / f->most_cpus_milli : 0;
    const double gpus = free_milli / f->most_milli;
    const double asks_cpus = has_cpus ? (double)ask->cpus_milli / f->most_cpus_milli : 0;
    const double asks_gpus = (double)ask->gpus * ask->milli / f->most_milli;
    const double cost = f->score == BEST_FIT ? cpus - asks_cpus + (gpus - asks_gpus)
                                             : cpus * asks_cpus + gpus * asks_gpus;
    return (int16_t)(BEST_SCORE * (1 - cost / 2));
}

/* A share: under fgd each GPU with room gets a score; else the one with least room is meant. Of
 * GPUs with the same room the first stands for all. */
static void score_share(struct fgd *f, const struct hs_view *v, uint32_t node,
                        const struct rest *before, const struct ask *ask, struct cell *cell)
{
    uint16_t *after = f->rooms + v->max_node_gpus;
    struct rest rest = {after, before->node, before->cpus_milli - (int64_t)ask->cpus_milli};
    uint32_t last_room = 0;
    for (uint32_t g = 0; g < before->node->gpus; g++)
        after[g] = before->rooms[g];
    for (uint32_t g = 0; g < before->node->gpus; g++) {
        const uint16_t room = before->rooms[g];
        if (room < ask->milli || room == last_room)
            continue;
        last_room = room;
        int16_t score = f->score == FGD ? 0 : (int16_t)(HS_GPU_MILLI - room);
        if (f->score == FGD) {
            after[g] = (uint16_t)(room - ask->milli);
            score = frag_score(f, v, node, before, &rest);
            after[g] = room;
        }
        if (score > cell->score) {
            cell->score = score;
            cell->gpu = (uint16_t)g;
        }
    }
    if (f->score != FGD && cell->score != UNFIT)
        cell->score = plain_score(f, before, ask);
}

/* Whole GPUs, the idle ones of the lowest ids, or none. */
static void score_whole(struct fgd *f, const struct hs_view *v, uint32_t node,
                        const struct rest *before, const struct ask *ask, struct cell *cell)
{
    uint16_t *after = f->rooms + v->max_node_gpus;
    const struct rest rest = {after, before->node, before->cpus_milli - (int64_t)ask->cpus_milli};
    uint32_t left = ask->gpus;
    for (uint32_t g = 0; g < before->node->gpus; g++) {
        const bool takes = left > 0 && before->rooms[g] == HS_GPU_MILLI;
        after[g] = takes ? 0 : before->rooms[g];
        left -= takes;
    }
    if (left == 0)
        cell->score =
            f->score == FGD ? frag_score(f, v, node, before, &rest) : plain_score(f, before, ask);
}

static struct cell compute(struct fgd *f, const struct hs_view *v, hs_job_id job, uint32_t node,
                           const struct ask *ask)
{
    struct cell cell = {.version = f->nodes[node].version, .score = UNFIT};
    struct rest before = {.rooms = f->rooms, .node = hs_view_node(v, node)};
    int64_t mem_mib;
    find_host(f, v, node, &before.cpus_milli, &mem_mib);
    if (!may_use(v, ask, before.node) || before.cpus_milli < (int64_t)ask->cpus_milli ||
        mem_mib < (int64_t)ask->mem_mib || hs_view_node_workers(v, job, node) < ask->gpus)
        return cell;
    uint32_t idle = hs_view_node_free(v, node); /* fewer than by room where this plan took some */
    for (uint32_t g = 0; g < before.node->gpus; g++) {
        const uint32_t room = hs_view_gpu_room(v, before.node->first_gpu + g);
        const bool is_idle = room == HS_GPU_MILLI && idle > 0;
        idle -= is_idle;
        f->rooms[g] = (uint16_t)(is_idle || room < HS_GPU_MILLI ? room : 0);
    }
    if (ask->gpus == 1 && ask->milli < HS_GPU_MILLI)
        score_share(f, v, node, &before, ask, &cell);
    else
        score_whole(f, v, node, &before, ask, &cell);
    return cell;
}

/* ---- placement ---- */

/* The node of the best score; the lowest id among equals. */
static uint32_t best_node(struct fgd *f, const struct hs_view *v, hs_job_id job,
                          const struct ask *ask, struct cell *best)
{
    const uint32_t kind = of_job(v, job)->kind;
    struct cell *kept = kind < f->kept ? f->cells + (uint64_t)kind * v->nodes : NULL;
    uint32_t found = HS_NO_NODE;
    *best = (struct cell){.score = UNFIT};
    for (uint32_t n = 0; n < v->nodes; n++) {
        struct cell cell = {0};
        if (kept == NULL)
            cell = compute(f, v, job, n, ask);
        else if (kept[n].version == f->nodes[n].version)
            cell = kept[n];
        else
            cell = kept[n] = compute(f, v, job, n, ask);
        if (cell.score > best->score) {
            *best = cell;
            found = n;
        }
    }
    return found;
}

static bool place(struct fgd *f, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    const struct ask ask = ask_of(v, job);
    struct cell best;
    if (!hs_view_has_room(v, job))
        return false;
    if (ask.gpus > v->max_node_gpus || (ask.gpus > 1 && ask.milli < HS_GPU_MILLI)) {
        /* larger than any node, or a gang of shares, which the published system has not */
        if (!hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE}))
            return false;
        of_job(v, job)->node = SCATTERED;
        all_changed(f, v->nodes);
        return true;
    }
    const uint32_t node = best_node(f, v, job, &ask, &best);
    if (node == HS_NO_NODE)
        return false;
    hs_plan_start(p, job);
    if (ask.gpus == 0) {
        f->nodes[node].cpus_booked += ask.cpus_milli;
        f->nodes[node].mem_booked_mib += ask.mem_mib;
        f->cpu_jobs++;
    } else if (ask.milli < HS_GPU_MILLI) {
        hs_plan_on_gpu(p, hs_view_node(v, node)->first_gpu + best.gpu);
    } else {
        hs_plan_on_node(p, node, ask.gpus);
    }
    of_job(v, job)->node = node;
    changed(f, node);
    return true;
}

/* ---- the passes ---- */

/* Whether one of the kind, or under strict order a job before all others of the VC, was refused
 * since the last end of a job: room has only shrunk. */
static bool is_refused(const struct fgd *f, uint32_t kind, uint32_t vc)
{
    return f->kinds[kind].refused_at == f->ends + 1 || f->blocked_at[vc] == f->ends + 1;
}

static enum hs_status fgd_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct fgd *f = state;
    struct hs_merge_heap heap = {.at = f->heads, .order = &f->kinds[0].jobs};
    if (!f->is_awake)
        return HS_OK;
    f->is_awake = false;
    for (uint32_t k = 0; k <= KINDS; k = k + 1 == f->kind_count ? KINDS : k + 1) {
        const hs_job_id first = hs_job_queue_first(&f->kinds[k].jobs);
        if (first != HS_NO_JOB && !is_refused(f, k, hs_view_vc(v, first)))
            hs_merge_heap_add(&heap, v, (struct hs_merge_head){first, k});
    }
    while (heap.count > 0) {
        const struct hs_merge_head head = heap.at[0];
        struct kind *kind = &f->kinds[head.set];
        hs_job_id next = hs_job_queue_next(&kind->jobs, v, head.job);
        const uint32_t vc = hs_view_vc(v, head.job);
        if (is_refused(f, head.set, vc)) { /* by a job of its VC in this pass */
            next = head.set == KINDS ? next : HS_NO_JOB;
        } else if (place(f, v, p, head.job)) {
            hs_job_queue_remove(&kind->jobs, v, head.job);
        } else if (f->cpu_jobs > 0 || !hs_reject_hopeless(v, p, head.job)) {
            if (f->scan == HS_SCAN_STRICT)
                f->blocked_at[vc] = f->ends + 1;
            if (head.set < KINDS) {
                kind->refused_at = f->ends + 1;
                next = HS_NO_JOB;
            }
        }
        hs_merge_heap_replace_first(&heap, v, (struct hs_merge_head){next, head.set});
    }
    return HS_OK;
}

static void submitted(struct fgd *f, const struct hs_view *v, hs_job_id job)
{
    const struct ask ask = ask_of(v, job);
    struct fgd_job *j = of_job(v, job);
    j->kind = kind_of(f, &ask);
    j->node = HS_NO_NODE;
    f->kinds[f->kinds[j->kind].like].seen++;
    if (++f->seen >= f->learn_at && f->score == FGD)
        learn(f, v);
    hs_job_queue_add(&f->kinds[j->kind].jobs, v, job, hs_view_submit_us(v, job));
    f->is_awake = true;
}

static void ended(struct fgd *f, const struct hs_view *v, hs_job_id job)
{
    const struct fgd_job *j = of_job(v, job);
    if (hs_job_queue_has(v, job))
        hs_job_queue_remove(&f->kinds[j->kind].jobs, v, job);
    if (j->node == HS_NO_NODE) /* rejected */
        return;
    if (j->node == SCATTERED) {
        all_changed(f, v->nodes);
    } else {
        changed(f, j->node);
        if (hs_view_gpus(v, job) == 0) {
            f->nodes[j->node].cpus_booked -= hs_view_cpus_milli(v, job);
            f->nodes[j->node].mem_booked_mib -= hs_view_mem_mib(v, job);
            f->cpu_jobs--;
        }
    }
    f->ends++;
    f->is_awake = true;
}

static void fgd_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct fgd *f = state;
    if (event->kind == HS_EVENT_SUBMIT)
        submitted(f, v, event->job);
    else if (event->kind == HS_EVENT_FINISH)
        ended(f, v, event->job);
    if (event->kind != HS_EVENT_NODE)
        return;
    if (event->tag == HS_NO_NODE)
        all_changed(f, v->nodes);
    else
        changed(f, (uint32_t)event->tag);
    f->ends++;
    f->is_awake = true;
}

static enum hs_status fgd_init(void *state, const struct hs_view *v)
{
    struct fgd *f = state;
    f->kinds = hs_view_alloc(v, (KINDS + 1) * sizeof *f->kinds);
    f->kinds[KINDS].like = KINDS;
    f->typical_kinds = hs_view_alloc(v, KINDS * sizeof *f->typical_kinds);
    f->heads = hs_view_alloc(v, (KINDS + 1) * sizeof *f->heads);
    f->blocked_at = hs_view_alloc(v, (uint64_t)v->vcs * sizeof *f->blocked_at);
    f->nodes = hs_view_alloc(v, (uint64_t)v->nodes * sizeof *f->nodes);
    f->rooms = hs_view_alloc(v, 2 * (uint64_t)v->max_node_gpus * sizeof *f->rooms);
    f->kept = KEPT_CELLS / v->nodes < KINDS ? KEPT_CELLS / v->nodes : KINDS;
    f->cells = hs_view_alloc(v, (uint64_t)f->kept * v->nodes * sizeof *f->cells);
    f->most_cpus_milli = 1;
    for (uint32_t n = 0; n < v->nodes; n++)
        if (hs_view_node(v, n)->cpus * 1000.0 > f->most_cpus_milli)
            f->most_cpus_milli = hs_view_node(v, n)->cpus * 1000.0;
    f->most_milli = (double)v->max_node_gpus * HS_GPU_MILLI;
    all_changed(f, v->nodes);
    return HS_OK;
}

static void fgd_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const placements[] = {
        [FGD] =
            "the node where the expected fragments of GPUs grow least (score of 0 to 100; ties: "
            "lowest id)",
        [BEST_FIT] = "the node with least CPUs and GPUs left (score of 0 to 100; ties: lowest id)",
        [DOT_PRODUCT] = "the node of the least product of free and asked CPUs and GPUs (score of 0 "
                        "to 100; ties: lowest id)"};
    const struct fgd *f = state;
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[f->scan],
                                 .placement = placements[f->score],
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *fgd_check(const void *state, const struct hs_view *v)
{
    const struct fgd *f = state;
    const char *fault = NULL;
    for (uint32_t k = 0; fault == NULL && k <= KINDS; k++)
        fault = hs_waiting_check(&f->kinds[k].jobs, v);
    for (uint32_t n = 0; fault == NULL && n < v->nodes; n++) {
        int64_t cpus_milli, mem_mib;
        find_host(f, v, n, &cpus_milli, &mem_mib);
        if (cpus_milli < 0 || mem_mib < 0)
            fault = "jobs have more CPUs or host memory of a node than it has";
    }
    return fault;
}

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(struct fgd, scan, "scan", "strict", hs_scan_two_names,
                    "when a job does not fit: stop (strict), or skip it (fit)"),
    HS_PARAM_CHOICE(struct fgd, score, "score", "fgd", score_names,
                    "score of a node: least fragmentation of GPUs, or a packing rule that the "
                    "authors compare with",
                    .source = "Weng et al. ATC'23, 6.1"),
    HS_PARAM_REAL(struct fgd, typical, "typical", "0.95", 0.01, 1,
                  "share of the jobs submitted so far that the typical kinds, the most frequent "
                  "ones, must cover",
                  .only_with = "score=fgd", .source = "published simulator: popularity threshold"),
    {0}};

const struct hs_policy_ops hs_policy_fgd = {
    .name = "fgd",
    .summary = "first come, first served, placed where GPUs are fragmented least",
    .cite = "Weng et al. ATC'23",
    .can = HS_CAN_DIVIDE,
    .params = params,
    .state_size = sizeof(struct fgd),
    .job_state_size = sizeof(struct fgd_job),
    .init = fgd_init,
    .on_event = fgd_event,
    .decide = fgd_decide,
    .semantics = fgd_semantics,
    .check = fgd_check,
};
