/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last files of a directory: summary and manifest of a run, and what the manifests of
 * comparisons and sweeps have in common with it.
 */
#ifndef HORUS_CLI_RECORD_H
#define HORUS_CLI_RECORD_H

#include "base/intern.h"
#include "cli/simulate.h"
#include "data/csvread.h"
#include "data/csvwrite.h"

/* ---- a diag in front of another: passes messages on, and keeps what its owner needs of them
 *
 *     hs_message_log_open(&log, diag, HS_LOG_UNIQUE);   // reports to &log.diag also reach diag
 *     ... log.warnings, log.text ...
 *     hs_message_log_close(&log);
 */

#define HS_LOG_WARNINGS_MAX 64u /* kept for a manifest; later ones are only passed on */

enum hs_log_kind {
    HS_LOG_WARNINGS, /* keeps the warnings alone */
    HS_LOG_UNIQUE,   /* and passes each text on once: messages of many runs that say the same */
    HS_LOG_TEXT,     /* and keeps all text, up to 1 MiB */
};

struct hs_message_log {
    struct hs_diag diag;
    struct hs_diag *target; /* counts what it is passed; NULL: messages are kept alone */
    enum hs_log_kind kind;
    struct hs_arena arena;
    struct hs_intern seen;
    const char *warnings[HS_LOG_WARNINGS_MAX];
    uint32_t warning_count;
    char *text; /* one message a line */
    uint32_t text_len, text_cap;
};

void hs_message_log_open(struct hs_message_log *log, struct hs_diag *target, enum hs_log_kind kind);
/* A message that was formatted elsewhere. */
void hs_message_log_put(struct hs_message_log *log, enum hs_severity severity, const char *text,
                        size_t len);
void hs_message_log_close(struct hs_message_log *log);

/* ---- directories ---- */

/* Closes a file of the directory; *file is its entry in the manifest. */
HS_MUST_USE enum hs_status hs_record_close_csv(struct hs_csvw *csv, const char *name,
                                               struct hs_output_file *file, struct hs_diag *diag);
/* The header and the row of a summary.csv, in an arena, and the hash of the file. */
struct hs_summary_csv {
    struct hs_csv_row head, row;
    uint64_t hash;
};
HS_MUST_USE enum hs_status hs_record_read_summary(const char *path, struct hs_arena *arena,
                                                  struct hs_summary_csv *summary,
                                                  struct hs_diag *diag);
/* NaN where there is none. */
double hs_record_number(const struct hs_csv_row *row, uint32_t column);
/* The header of a table of runs: further columns behind those of `first`, each with a prefix. */
char *hs_record_header(struct hs_arena *arena, const char *first, const char *prefix,
                       const char *const *names, uint32_t count);
/* Adds libraries and warnings (log may be NULL) to a manifest and writes it. */
HS_MUST_USE enum hs_status hs_record_manifest(struct hs_manifest *manifest,
                                              const struct hs_message_log *log,
                                              const struct hs_rundir *dir, struct hs_diag *diag);

/* The effective configuration as one JSON object: every option that is part of one and has a value.
 * ctx is a struct hs_config. */
void hs_record_config(void *ctx, struct hs_jsonw *w);
/* The member "policy_parameters": each parameter of the policy with its value, as text that -p
 * reads back. */
void hs_record_parameters(const struct hs_setup *setup, struct hs_jsonw *w);
/* Adds the files that a run reads beside its trace, except those that are in the list. */
#define HS_INPUTS_MAX (10 + HS_MODEL_COUNT + HS_POLICY_FILES_MAX)
HS_MUST_USE enum hs_status hs_record_inputs(const struct hs_setup *setup,
                                            struct hs_manifest_input *inputs, uint32_t *count,
                                            struct hs_diag *diag);
/* Command, host, time and memory of this process, or with all its ended children. */
struct hs_manifest_volatile hs_record_machine(const char *const *command, double wall_s,
                                              bool has_children);
/* Libraries and their versions at run time; *count of them. */
const struct hs_manifest_library *hs_libraries(uint32_t *count);

#endif
