/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hardware: nodes in racks, their GPUs, CPUs and memory; virtual clusters. Read-only after
 * loading. GPU ids are global: node n owns [first_gpu, first_gpu + gpus). Rack r owns a range of
 * consecutive node ids.
 *
 *     HS_TRY(hs_cluster_load(&cluster, "133x8:V100", diag));           // shape
 *     HS_TRY(hs_cluster_load(&cluster, "configs/clusters/a.json", diag));
 */
#pragma once

#include "base/intern.h"
#include "data/json.h"
#include "horus/view.h"

#define HS_NODES_MAX     1000000u
#define HS_NODE_GPUS_MAX 1024u
#define HS_NODE_CPUS_MAX 65536
#define HS_MEM_MIB_MAX   (1 << 30) /* 1 PiB */
#define HS_GPU_SPEED_MAX 1000
#define HS_UNTYPED       "GPU" /* type of nodes that state none */

extern const char *const hs_sharing_modes[]; /* words for enum hs_sharing_mode; ends with NULL */

struct hs_vc {
    const char *name;
    uint64_t quota_gpus; /* UINT64_MAX = none */
    uint64_t gpus;       /* of its nodes under partition; else of the cluster */
    uint64_t most_gpus;  /* what it may ever hold: its quota, and what it may borrow */
    /* under quotas, of a VC or a cohort (MODEL.md 16) */
    uint32_t cohort;                 /* that it is in: index into cohorts + 1; 0 = none */
    uint64_t borrow_gpus, lend_gpus; /* at most; UINT64_MAX = any */
};

/* The quota of a VC or a cohort, in thousandths of GPUs. */
struct hs_quota {
    uint32_t parent;       /* index of its cohort in quotas; HS_NO_QUOTA = none */
    int64_t subtree_milli; /* its own GPUs and what those in it lend */
    int64_t kept_milli;    /* of it, what it does not lend */
    int64_t borrow_milli;  /* borrowing limit; INT64_MAX = none */
};

enum hs_vc_mode { HS_VC_IGNORE, HS_VC_PARTITION, HS_VC_QUOTA };

struct hs_cluster {
    struct hs_arena arena;
    struct hs_node *nodes;
    struct hs_gpu_type *types;
    uint32_t *rack_first; /* racks + 1 entries */
    struct hs_vc *vcs;    /* at least one; entry 0 is "" under IGNORE */
    uint32_t node_count, gpu_count, type_count, rack_count, vc_count;
    uint32_t max_node_gpus;
    enum hs_vc_mode vc_mode;
    /* Under quotas, if a VC is in a cohort, else NULL: of VCs by index, then of cohorts. */
    struct hs_quota *quotas;
    uint32_t quota_count;
    uint64_t input_hash; /* of the description, for the manifest */
    /* VCs of the description, for hs_cluster_set_vcs without a file. */
    struct hs_vc *own_vcs; /* gpus: as described, quota or nodes */
    uint32_t own_vc_count;
    struct hs_vc *own_cohorts;
    uint32_t own_cohort_count;
    uint32_t *own_node_vc;     /* owner of each node; NULL if not stated */
    struct hs_intern vc_names; /* of vcs: index + 1, as "" is id 0 */
};

/* spec: a shipped cluster by its name ("venus"), a file (*.json, or an existing path), JSON or a
 * list of machines as of openb and Philly, or a shape "20x8:V100,8x4:P100" (nodes x GPUs [: type])
 * of known types, by any name (data/names.h). VCs in a JSON are loaded, with mode IGNORE. */
HS_MUST_USE enum hs_status hs_cluster_load(struct hs_cluster *cluster, const char *spec,
                                           struct hs_diag *diag);
/* Loads a shape with any types. */
HS_MUST_USE enum hs_status hs_cluster_load_shape(struct hs_cluster *cluster, const char *shape,
                                                 struct hs_diag *diag);
/* Enables VCs. file: NULL (those of the JSON), a JSON {"vcs": {"name": gpus, ...}}, perhaps with
 * cohorts, or Helios'
 * cluster_gpu_number.csv, from which the row of `date` ("" = the last) is used. Partition assigns
 * whole nodes in id order, VC by VC in the order of the file (or as stated by the nodes of the
 * cluster's JSON); an impossible assignment is an error with the numbers. */
HS_MUST_USE enum hs_status hs_cluster_set_vcs(struct hs_cluster *cluster, enum hs_vc_mode mode,
                                              const char *file, const char *date,
                                              struct hs_diag *diag);
/* Returns the index of a VC by name; UINT32_MAX if unknown. 0 under IGNORE. */
uint32_t hs_cluster_vc(const struct hs_cluster *cluster, const char *name);
/* Takes `factor` times the nodes, before VCs are set: of node i round(f (i + 1)) - round(f i)
 * copies, so that each kind keeps its share; at least one node in all. HS_E_USAGE if there would be
 * too many. */
HS_MUST_USE enum hs_status hs_cluster_overcommit(struct hs_cluster *cluster, double factor,
                                                 struct hs_diag *diag);
void hs_cluster_free(struct hs_cluster *cluster);

/* VCs and cohorts during reading; names are borrowed. */
struct hs_vc_list {
    struct hs_vc *vcs;
    uint32_t count, cap;
    struct hs_vc *cohorts;
    uint32_t cohort_count, cohort_cap;
};
void hs_vc_list_add(struct hs_vc_list *list, const char *name); /* without GPUs */
/* Reads "vcs", if it is there, and "cohorts" of a document; names belong to the document. A value
 * is a number of GPUs or an object with "gpus", "cohort", "borrowing_limit" and "lending_limit". */
void hs_vc_list_read(struct hs_vc_list *list, struct hs_jsoncheck *check,
                     const struct hs_json *root);
void hs_vc_list_free(struct hs_vc_list *list);

/* ---- quotas: `held` are thousandths of GPUs by index of quotas ---- */

/* A VC holds so much more, or, negative, less; so do its cohorts. O(depth). */
void hs_quota_change(const struct hs_cluster *c, uint64_t *held, uint32_t vc, int64_t milli);
/* What it may still take, cohorts counted; UINT64_MAX: any number. O(depth). */
uint64_t hs_quota_left(const struct hs_cluster *c, const uint64_t *held, uint32_t vc);
/* The same, if `top`, itself or a cohort around it, were in no cohort; HS_NO_QUOTA: with all of
 * them. Below 0 where it holds too much. */
int64_t hs_quota_room(const struct hs_cluster *c, const uint64_t *held, uint32_t vc, uint32_t top);
