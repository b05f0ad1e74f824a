/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Refused jobs of Salus that are alike: a gang of the same size, the same memory, the same ask. If
 * one of them is not admitted, none is before room is made: so a scan tries the first of each kind
 * and not all jobs.
 *
 * A table of HS_SALUS_KINDS, hashed; a job that finds no place in it is of no kind.
 */
#ifndef HORUS_POLICIES_KIT_SALUS_KINDS_H
#define HORUS_POLICIES_KIT_SALUS_KINDS_H

#include "policies/kit_salus_lane.h"

#define HS_SALUS_KINDS 2048u

struct hs_salus_kind {
    struct hs_order jobs; /* of none there may be a kind, until it is cleared */
    uint64_t hash;
    uint32_t vc, group; /* as it was told */
    uint32_t next;      /* of the VC: number + 1; 0 = none */
    bool is_used;
};

struct hs_salus_kinds {
    struct hs_salus_kind *at; /* HS_SALUS_KINDS */
    uint32_t *first;          /* per VC: number + 1 */
};

HS_MUST_USE enum hs_status hs_salus_kinds_init(struct hs_salus_kinds *k, const struct hs_view *v);
/* Sets .kind of a job that is in no set; false: it is of none. group: the same for all who are
 * alike. */
bool hs_salus_kinds_add(struct hs_salus_kinds *k, const struct hs_view *v, hs_job_id job,
                        uint32_t group);
/* Of a job that is of one. */
void hs_salus_kinds_remove(struct hs_salus_kinds *k, const struct hs_view *v, hs_job_id job);
/* Frees the places of kinds of which nobody waits. O(kinds of the VC). */
void hs_salus_kinds_clear(struct hs_salus_kinds *k, uint32_t vc);
/* NULL, or the rule broken. */
const char *hs_salus_kinds_check(const struct hs_salus_kinds *k, const struct hs_view *v);

#endif
