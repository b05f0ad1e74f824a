/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the truth about sharing holds in memory: tables and forms as they were read, by GPU type of
 * the cluster. For interference.c, which answers, and interference_read.c, which fills it.
 */
#pragma once

#include "base/memory.h"
#include "model/interference.h"

#define HS_CAPACITY_MIN 0.1
#define HS_CAPACITY_MAX 8.0

/* Fitted speeds are clipped here, S to 20: the largest slowdown in any public table is 11 (Gavel's
 * simulation file on the V100; 5.8 in its cleaner measurements, configs/models/README.md), and a
 * sum of linear effects may reach 0. No residual leads beyond. */
#define HS_SPEED_FLOOR 0.05

/* The flag and S of a pair share a word. */
#define HS_PAIR_MEASURED (UINT32_C(1) << 31)

/* Ordered pairs of the jobs profiled on one GPU type, S^gamma in Q20. */
struct pair_table {
    uint32_t jobs;
    uint32_t profiles; /* of the catalogue */
    uint16_t *rows;    /* by profile; row + 1, 0 = not in the table */
    uint32_t *cells;   /* [own row x jobs + other row] */
    double error;      /* hold-out RMSE of the speed; NaN = not told */
    bool is_unstated;  /* the mode of sharing in which the pairs were measured */
};

/* Capacities are told for 2, 3, ... concurrent tenants, the last for all more. */
#define HS_CAPACITIES_MAX 8u

/* What was fitted to one GPU type under one sharing mode. */
struct pair_form {
    const char *gpu;
    enum hs_sharing_mode mode;
    bool is_unstated; /* the mode; it counts as the driver's default */
    bool has_form;    /* else it tells a capacity alone */
    struct hs_pairform form;
    uint64_t capacity_q32[HS_CAPACITIES_MAX];
    uint32_t capacities; /* 0 = not told */
    double error;        /* hold-out RMSE of the speed; NaN = not told */
};

/* One GPU type of the cluster. */
struct pair_source {
    struct hs_interference_type type;
    const struct pair_table *table; /* NULL = none */
    const struct pair_form *form;   /* its own, or the one that stands for it; NULL = none */
    const struct pair_form *capacity;
    double error;    /* RMSE of the form on this type; NaN = not told */
    double noise_sd; /* of its residuals; 0 = none */
};

struct hs_interference {
    struct hs_interference_options options;
    bool is_flat; /* a constant slowdown beside any co-runner: no model file is needed */
    bool has_gamma;
    const struct pair_noise *noise; /* NULL = none */
    uint64_t const_q20;             /* (1 + X)^gamma */
    uint64_t capacity_q32;          /* of all types; 0 = as the file tells */
    struct pair_form *forms;        /* as in the file */
    uint32_t form_count;
    struct pair_source *types;
    uint32_t type_count;
    struct hs_arena arena;
};

/* S of a form in Q20, with a residual of that standard deviation of the speed (0 = none), then
 * raised to gamma. */
uint64_t hs_pair_alter_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                           struct hs_tenant other, double sd, uint64_t slowdown_q20);
/* Rounded up: a share of it that is a short decimal ends when a hand calculation says. */
uint64_t hs_capacity_q32(double capacity);
/* Forms and tables of a file, into a model whose types are set. The catalogue is read during the
 * call only. */
HS_MUST_USE enum hs_status hs_interference_read(struct hs_interference *m, const char *path,
                                                const struct hs_catalogue *catalogue,
                                                struct hs_diag *diag);
