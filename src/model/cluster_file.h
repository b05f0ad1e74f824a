/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cluster while it is read: groups of like nodes, as all descriptions give them. Shared by
 * cluster.c and cluster_file.c only.
 */
#ifndef HORUS_MODEL_CLUSTER_FILE_H
#define HORUS_MODEL_CLUSTER_FILE_H

#include "data/json.h"
#include "model/cluster.h"

#define HS_NO_VC UINT32_MAX

struct hs_input;

struct hs_node_group {
    const char *name;          /* NULL: nodes are named n0, n1, ... by id */
    const struct hs_json *row; /* where it was said, for messages; NULL for a shape */
    uint32_t count, gpus, type, rack, cpus, mem_mib;
    uint32_t vc; /* index into vcs or HS_NO_VC */
};

struct hs_cluster_draft {
    struct hs_node_group *groups;
    uint32_t group_count, group_cap;
    uint32_t rack_count;
    uint64_t node_count;
    struct hs_gpu_type types[HS_GPU_TYPES_MAX];
    uint32_t type_count;
    struct hs_vc *vcs; /* name (borrowed) and gpus */
    uint32_t vc_count, vc_cap;
};

/* Memory of well-known GPUs, MiB; 0 if the name is not one of them. */
uint32_t hs_gpu_known_mem_mib(const char *name);
/* The type of that name, made if there is none: of speed 1, and 0 MiB are those of a well-known
 * one. The name is copied. HS_E_LIMIT past HS_GPU_TYPES_MAX. */
HS_MUST_USE enum hs_status hs_draft_type(struct hs_cluster_draft *draft, struct hs_arena *arena,
                                         const char *name, uint32_t mem_mib, uint32_t *type);
uint32_t hs_draft_find_type(const struct hs_cluster_draft *draft, const char *name);
HS_MUST_USE enum hs_status hs_draft_add_group(struct hs_cluster_draft *draft,
                                              const struct hs_node_group *group);
void hs_draft_add_vc(struct hs_cluster_draft *draft, const char *name, uint64_t gpus);
void hs_draft_free(struct hs_cluster_draft *draft);
/* The members of an object {"name": gpus, ...}; names belong to the document. */
void hs_draft_read_vcs(struct hs_cluster_draft *draft, struct hs_jsoncheck *check,
                       const struct hs_json *vcs);
/* A whole cluster from a file. */
HS_MUST_USE enum hs_status hs_cluster_read_json(struct hs_cluster *cluster, const char *path,
                                                struct hs_diag *diag);
/* Whether a file that begins so is a list of machines; and a whole cluster from
 * one. */
bool hs_cluster_is_list(const char *head, size_t len);
HS_MUST_USE enum hs_status hs_cluster_read_list(struct hs_cluster *cluster, struct hs_input *input,
                                                struct hs_diag *diag);
/* Nodes, racks, types and own VCs of a checked draft; copies the names of VCs. */
void hs_cluster_build(struct hs_cluster *cluster, const struct hs_cluster_draft *draft);

#endif
