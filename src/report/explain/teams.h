/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who got what: the jobs of a finished run by user, virtual cluster, gang size or recorded outcome,
 * from its jobs.csv. Statistics are over jobs that did all their work. Memory: 32 bytes per job.
 *
 *     HS_TRY(hs_teams_read(&teams, &manifest, HS_TEAMS_USER));
 *     ... teams.of[0].name ...
 *     hs_teams_free(&teams);                         // also after a failure
 */
#pragma once

#include "report/run/manifest.h"

extern const char *const hs_teams_words[]; /* of enum hs_teams_by; ends with NULL */

enum hs_teams_by { HS_TEAMS_VC, HS_TEAMS_USER, HS_TEAMS_GPUS, HS_TEAMS_STATE, HS_TEAMS_KINDS };

struct hs_team {
    const char *name;
    uint64_t jobs, done; /* done: did all their work */
    uint64_t deadlines, misses;
    int64_t gpu_us;          /* GPU time held */
    int64_t wait_us, jct_us; /* sums, of those done */
    int64_t quantile_us[3];  /* of the wait: 50, 95, 99 %; -1 = none done */
    hs_u128 need, sojourn;   /* GPU time needed, and between submission and end, of those done */
};

struct hs_team_wait {
    uint32_t team;
    int64_t wait_us;
};

struct hs_teams {
    enum hs_teams_by by;
    struct hs_intern names;
    struct hs_team *of; /* those that held most GPU time first, then by name */
    uint32_t count, cap;
    struct hs_team_wait *waits;
    uint32_t wait_count, wait_cap;
    int64_t gpu_us; /* of all */
    bool has_deadlines;
    double jain; /* as fairness_jain, over these; NaN with fewer than two */
};

/* HS_E_INPUT without jobs.csv. */
HS_MUST_USE enum hs_status hs_teams_read(struct hs_teams *teams, struct hs_runmanifest *run,
                                         enum hs_teams_by by);
#define HS_TEAMS_HEADER                                                                            \
    "name,jobs,done,gpu_seconds,share,mean_wait,p50_wait,p95_wait,p99_wait,mean_jct,deadlines,"    \
    "deadline_misses"
void hs_teams_free(struct hs_teams *teams);
/* The files of `horus run --outputs=teams`; entries of the manifest. */
#define HS_TEAMS_FILES 2
HS_MUST_USE enum hs_status hs_teams_write(const struct hs_rundir *dir,
                                          struct hs_output_file files[HS_TEAMS_FILES],
                                          struct hs_diag *diag);
/* `horus explain RUN --by`. */
enum hs_teams_form { HS_TEAMS_TEXT, HS_TEAMS_JSON, HS_TEAMS_CSV };
HS_MUST_USE enum hs_status hs_teams_explain(const char *dir, enum hs_teams_by by,
                                            enum hs_teams_form form, struct hs_output *out,
                                            struct hs_diag *diag);
