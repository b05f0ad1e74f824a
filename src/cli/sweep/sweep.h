/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep: an EXPERIMENT.json names axes over the keys of `horus run`; each combination is a point,
 * which is a run in a directory of its own. A point is identified by the hash of its configuration
 * and inputs, so that a finished one is never run again, whatever launched it: -j here, GNU
 * parallel, Slurm.
 *
 *     read_experiment (sweep.c)                   // axes; simulates and writes nothing
 *     HS_TRY(hs_sweep_plan(&sweep));              // the name and state of every point
 *     HS_TRY(hs_sweep_run_all(&sweep));           // those that are missing
 *     gather (sweep.c)                            // sweep.csv, manifest.json
 *
 * The directory: runs/NAME/ (a run's directory; its manifest marks a finished point),
 * failed/NAME.log (how a point failed), sweep.csv and manifest.json (collected).
 */
#pragma once

#include "cli/simulate.h"

#define HS_SWEEP_AXES_MAX 32u
#define HS_SWEEP_KEYS_MAX 64u /* over all axes */

/* Keys that change together: one key of "grid", all of "zip", all of "list". */
struct hs_sweep_axis {
    uint32_t first_key, key_count; /* in hs_sweep.keys */
    uint32_t rows;
    const char **pairs; /* [row * key_count + key]: "key=value"; NULL: not set in this row */
};

enum hs_point_state { HS_POINT_MISSING, HS_POINT_DONE, HS_POINT_FAILED };

struct hs_sweep_point {
    char name[HS_RUN_NAME_SIZE];
    enum hs_point_state state;
    int32_t exit_code;  /* of a failed one; 128 + signal if killed */
    uint64_t trace_key; /* equal for points that can share a trace in memory */
};

struct hs_sweep_workload {
    const char *trace;
    uint64_t hash;
    struct hs_sweep_workload *next;
};

struct hs_sweep {
    struct hs_call *call;
    struct hs_diag *diag; /* of the call, likewise the arena */
    struct hs_arena *arena;
    const struct hs_run_options *options;
    const char *file;               /* the experiment */
    struct hs_manifest_input input; /* the same */
    struct hs_json_doc *doc;        /* while it is read */
    const char *name;
    const char *dir;
    struct hs_run_options base; /* options common to all points */
    struct hs_config config;
    const char *keys[HS_SWEEP_KEYS_MAX]; /* swept, as in the file */
    struct hs_sweep_axis axes[HS_SWEEP_AXES_MAX];
    uint32_t key_count, axis_count, point_count;
    struct hs_sweep_point *points;       /* after hs_sweep_plan() */
    struct hs_sweep_workload *workloads; /* read for their hash */
    const char *metric_unit;             /* of --metric; after hs_sweep_plan() */
    double *values;                      /* of --metric by point, when collected; NaN = none */
    struct hs_message_log once;          /* messages of the points, each text once */
};

/* Returns the text of a swept key at a point (0-based); NULL if not set in its row. */
const char *hs_sweep_value(const struct hs_sweep *sweep, uint32_t point, uint32_t key);
/* Formats "policy=fifo load=0.8", for messages. */
void hs_sweep_point_text(const struct hs_sweep *sweep, uint32_t point, char *text, size_t size);
#define HS_SWEEP_PATH(sweep, folder, name, suffix)                                                 \
    HS_PATH("%s/%s/%s%s", (sweep)->dir, folder, name, suffix)
/* Reads failed/NAME.log: "exit 3" or "signal 9" on the first line, then the messages. Sets the exit
 * code of the point, and text to the first error, "" if there is none; false if there is no log. */
bool hs_sweep_read_failure(const struct hs_sweep *sweep, struct hs_sweep_point *point, char *text,
                           size_t size);

/* Determines name and state of every point. Two points that are the same run are refused. */
HS_MUST_USE enum hs_status hs_sweep_plan(struct hs_sweep *sweep);
uint32_t hs_sweep_count(const struct hs_sweep *sweep, enum hs_point_state state);
/* Runs the point of --index, or with --print-config prints its configuration; sets up no other. */
HS_MUST_USE enum hs_status hs_sweep_run_one(struct hs_sweep *sweep);
/* Runs every unfinished point, -j at a time. Returns HS_OK if all are finished then; else the
 * status of the first that is not. A child killed after the end of its run has finished it. */
HS_MUST_USE enum hs_status hs_sweep_run_all(struct hs_sweep *sweep);
/* Before collecting: marks points finished by other processes since the plan, and removes what
 * killed processes left beside a finished run. Waits for a process about to finish one;
 * HS_E_INTERRUPTED if a signal ends the wait. */
HS_MUST_USE enum hs_status hs_sweep_settle(struct hs_sweep *sweep);

/* Collects what virtual clusters and users got at the points run with --outputs=teams, if there are
 * any, and adds the file to the list. */
HS_MUST_USE enum hs_status hs_sweep_write_teams(struct hs_sweep *sweep, const struct hs_rundir *dir,
                                                struct hs_output_file *files, uint32_t *count);
#define HS_SWEEP_TEAMS "teams.csv"

#define HS_SWEEP_COLUMNS "point,run,state,exit" /* then axis_KEY of each, then summary.csv's */
