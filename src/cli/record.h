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

/* Libraries and their versions at run time; *count of them. */
const struct hs_manifest_library *hs_libraries(uint32_t *count);

/* Hash and size of the decompressed content of a file. */
HS_MUST_USE enum hs_status hs_hash_file(const char *path, uint64_t *hash, uint64_t *bytes,
                                        struct hs_diag *diag);

#endif
