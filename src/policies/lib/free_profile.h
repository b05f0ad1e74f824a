/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A profile of what will be free over time: a step function from now on, whose last step has no
 * end. Backfilling takes reservations from it (Mu'alem & Feitelson, TPDS 2001, section 2).
 *
 *     hs_free_profile_reset(&f, now_us, free);
 *     at_us = hs_free_profile_first(&f, now_us, length_us, wanted);
 *     hs_free_profile_add(&f, at_us, at_us + length_us, -wanted);
 *
 * The steps lie in parts of at most HS_PROFILE_STEPS, in order (an unrolled linked list; Shao,
 * Reppy & Appel, LFP 1994), each with its least and most, so that a search passes over whole parts
 * and an addition shifts them. Any unit; times in us.
 */
#pragma once

#include "horus/policy.h"

#define HS_PROFILE_STEPS 64u

struct hs_profile_part {
    int64_t from_us;     /* of its first step */
    int64_t shift;       /* to be added to each of its steps */
    int64_t least, most; /* of its steps, shift included */
    uint32_t count;      /* of its steps */
    uint32_t place;      /* its steps begin at place x HS_PROFILE_STEPS */
};

struct hs_profile_step {
    int64_t from_us, free;
};

struct hs_free_profile {
    struct hs_profile_part *parts;
    struct hs_profile_step *steps;
    uint32_t count, most; /* of parts */
};

/* Memory for any profile of up to HS_PROFILE_STEPS / 2 x parts steps. Only from init(). */
void hs_free_profile_init(struct hs_free_profile *f, const struct hs_view *v, uint32_t parts);
/* One step from now on. O(1). */
void hs_free_profile_reset(struct hs_free_profile *f, int64_t now_us, int64_t free);
/* Adds to [from_us, to_us), from now on at the earliest; to_us INT64_MAX: without end. Returns
 * false, and changes nothing, if there is no memory for two more parts. O(parts). */
bool hs_free_profile_add(struct hs_free_profile *f, int64_t from_us, int64_t to_us, int64_t free);
/* The first time at or after from_us from which at least `wanted` stays free for length_us, where
 * 0 asks for nothing; INT64_MAX: there is none. O(parts + parts with steps on either side). */
int64_t hs_free_profile_first(const struct hs_free_profile *f, int64_t from_us, int64_t length_us,
                              int64_t wanted);
/* The first time at which less than `wanted` is free; INT64_MAX: there is none. O(parts). */
int64_t hs_free_profile_below(const struct hs_free_profile *f, int64_t wanted);
/* What is free in the last step. */
int64_t hs_free_profile_last(const struct hs_free_profile *f);
