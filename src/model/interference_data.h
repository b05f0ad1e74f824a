/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables and forms of interference in memory, by GPU type of the cluster. Filled by
 * interference_read.c, evaluated by interference.c.
 */
#pragma once

#include "base/memory.h"
#include "model/interference.h"

#define HS_CAPACITY_MIN 0.1
#define HS_CAPACITY_MAX 8.0

/* Lower limit of fitted speeds (S at most 20): the largest slowdown in any public table is 11
 * (Gavel's simulation file on the V100; 5.8 in its cleaner measurements, configs/models/README.md),
 * and a sum of linear effects may reach 0. Residuals are limited, too. */
#define HS_SPEED_FLOOR 0.05

/* The flag and S of a pair share a word. */
#define HS_PAIR_MEASURED (UINT32_C(1) << 31)

/* Ordered pairs of the jobs profiled on one GPU type, S^gamma in Q20. */
struct pair_table {
    uint32_t jobs;
    uint32_t profiles; /* of the catalogue */
    uint16_t *rows;    /* by profile; row + 1, 0 = not in the table */
    uint32_t *cells;   /* [own row x jobs + other row] */
    double error;      /* hold-out RMSE of the speed; NaN = unknown */
    bool is_unstated;  /* the sharing mode of the measurements is not stated */
};

/* Capacities are stated for 2, 3, ... concurrent tenants; the last holds for all more. */
#define HS_CAPACITIES_MAX 8u

/* What was fitted to one GPU type under one sharing mode. */
struct pair_form {
    const char *gpu;
    enum hs_sharing_mode mode;
    bool is_unstated; /* the mode; taken as the driver's default */
    bool has_form;    /* else it has only a capacity */
    struct hs_pairform form;
    uint64_t capacity_q32[HS_CAPACITIES_MAX];
    uint32_t capacities; /* 0 = not stated */
    double error;        /* hold-out RMSE of the speed; NaN = unknown */
};

/* One GPU type of the cluster. */
struct pair_source {
    struct hs_interference_type type;
    const struct pair_table *table; /* NULL = none */
    const struct pair_form *form;   /* its own, or the one used for it; NULL = none */
    const struct pair_form *capacity;
    double error;    /* RMSE of the form on this type; NaN = unknown */
    double noise_sd; /* of its residuals; 0 = none */
};

struct hs_interference {
    struct hs_interference_options options;
    bool is_flat; /* constant slowdown beside any co-runner: no model file needed */
    bool has_gamma;
    const struct pair_noise *noise; /* NULL = none */
    uint64_t const_q20;             /* (1 + X)^gamma */
    uint64_t capacity_q32;          /* of all types; 0 = as in the file */
    struct pair_form *forms;        /* as in the file */
    uint32_t form_count;
    struct pair_source *types;
    uint32_t type_count;
    struct hs_arena arena;
};

/* Returns S of a form in Q20 after adding a residual with this standard deviation of the speed (0 =
 * none) and raising to gamma. */
uint64_t hs_pair_alter_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                           struct hs_tenant other, double sd, uint64_t slowdown_q20);
/* Rounded up, so that short decimals give the times of a hand calculation. */
uint64_t hs_capacity_q32(double capacity);
/* Reads forms and tables into a model whose types are set. The catalogue is used only during the
 * call. */
HS_MUST_USE enum hs_status hs_interference_read(struct hs_interference *m, const char *path,
                                                const struct hs_catalogue *catalogue,
                                                struct hs_diag *diag);
