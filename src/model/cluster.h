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
    uint64_t input_hash; /* of the description, for the manifest */
    uint64_t vcs_hash;   /* of the file given to hs_cluster_set_vcs; 0 = none */
    /* VCs of the description, for hs_cluster_set_vcs without a file. */
    struct hs_vc *own_vcs; /* gpus: as described, quota or nodes */
    uint32_t own_vc_count;
    uint32_t *own_node_vc;     /* owner of each node; NULL if not stated */
    struct hs_intern vc_names; /* of vcs: index + 1, as "" is id 0 */
};

/* Returns the name of a shipped cluster, until the next call; NULL after the last. */
const char *hs_cluster_shipped(uint32_t index);
/* spec: a shipped cluster by its name ("venus"), a file (*.json, or an existing path), JSON or a
 * list of machines as of openb and Philly, or a shape "20x8:V100,8x4:P100" (nodes x GPUs [: type])
 * of known types, by any name (data/names.h). VCs in a JSON are loaded, with mode IGNORE. */
HS_MUST_USE enum hs_status hs_cluster_load(struct hs_cluster *cluster, const char *spec,
                                           struct hs_diag *diag);
/* Loads a shape with any types. */
HS_MUST_USE enum hs_status hs_cluster_load_shape(struct hs_cluster *cluster, const char *shape,
                                                 struct hs_diag *diag);
/* Enables VCs. file: NULL (those of the JSON), a JSON {"vcs": {"name": gpus, ...}} or Helios'
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

/* VCs during reading; names are borrowed. */
struct hs_vc_list {
    struct hs_vc *vcs;
    uint32_t count, cap;
};
void hs_vc_list_add(struct hs_vc_list *list, const char *name, uint64_t gpus);
/* Reads the members of an object {"name": gpus, ...}; names belong to the document. */
void hs_vc_list_read(struct hs_vc_list *list, struct hs_jsoncheck *check,
                     const struct hs_json *vcs);
