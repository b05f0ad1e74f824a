/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time of a GPU in measured sets of jobs: how much of it they used together, and how far the
 * speeds of a form, cut by a capacity, are off.
 */
#pragma once

#include "calibrate/pairs.h"

/* Of a GPU type in a sharing mode, for 2, 3, ... tenants. */
#define HS_CAPACITIES 8u
struct hs_capacities {
    double c[HS_CAPACITIES]; /* mean of sum(u x speed) of sets that want HS_SATURATED at least */
    uint32_t sets[HS_CAPACITIES]; /* 0: that of the next number of tenants that was measured */
    uint32_t count;               /* 0 = nothing measured */
};
/* Sum of utilizations alone from which a GPU counts as wanted by more than it has time for: below,
 * Lucid's jobs beside themselves use as much of it as they want, less than 1.05. */
#define HS_SATURATED 1.25

/* From all data of that type and mode. Pairs of jobs with themselves alone where two others may
 * have run for different times. */
void hs_capacities_find(const struct hs_measurements *set, uint32_t sets, const char *gpu,
                        const char *mode, struct hs_capacities *capacities);

/* Speeds of sets as the engine would have them. */
struct hs_sharing_check {
    const char *gpu, *mode;
    const char *what;                   /* which sets */
    const char *form_gpu, *form_mode;   /* of the coefficients */
    double capacity;                    /* NAN = a GPU's time */
    uint32_t sets;                      /* checked */
    double sum_observed, sum_predicted; /* mean over sets of the sum of speeds */
    struct hs_score speed;
};

/* What to check: sets of that many tenants of a GPU type and mode. */
struct hs_sharing_ask {
    const char *gpu, *mode, *what;
    uint32_t tenants;
    bool is_itself;      /* pairs of a job with itself alone */
    const double *theta; /* ln k, alpha, beta */
    const char *form_gpu, *form_mode;
    double capacity; /* NAN = 1 */
};

/* Utilizations that a campaign lacks are those of the same job in another. False: there is none. */
bool hs_sharing_check(const struct hs_measurements *set, uint32_t sets,
                      const struct hs_sharing_ask *ask, struct hs_sharing_check *check);
void hs_sharing_check_write(struct hs_jsonw *w, const struct hs_sharing_check *check);
