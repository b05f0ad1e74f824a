/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last files of a run directory: summary and manifest.
 */
#ifndef HORUS_CLI_RECORD_H
#define HORUS_CLI_RECORD_H

#include "cli/runlog.h"
#include "cli/simulate.h"

HS_MUST_USE enum hs_status hs_record_write(const struct hs_setup *setup,
                                           const struct hs_run_call *call,
                                           const struct hs_run_result *result,
                                           struct hs_runlog *log, const struct hs_rundir *dir);

/* The effective configuration as one JSON object: every option that is part of one and has a value.
 * ctx is a struct hs_config. */
void hs_record_config(void *ctx, struct hs_jsonw *w);
/* The member "policy_parameters": each of the policy with the value that it runs with, as text that
 * -p reads back. */
void hs_record_parameters(const struct hs_setup *setup, struct hs_jsonw *w);
/* Adds the files that a run reads beside its trace, but for those that are in the list. */
#define HS_INPUTS_MAX (10 + HS_MODEL_COUNT + HS_POLICY_FILES_MAX)
HS_MUST_USE enum hs_status hs_record_inputs(const struct hs_setup *setup,
                                            struct hs_manifest_input *inputs, uint32_t *count,
                                            struct hs_diag *diag);

/* Libraries and their versions at run time; *count of them. */
const struct hs_manifest_library *hs_libraries(uint32_t *count);

/* Hash and size of the decompressed content of a file. */
HS_MUST_USE enum hs_status hs_hash_file(const char *path, uint64_t *hash, uint64_t *bytes,
                                        struct hs_diag *diag);

#endif
