/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * manifest.json of a finished run, for who reads runs again: how it is laid out is known here.
 *
 *     enum hs_status s = hs_runmanifest_open(&m, dir, diag);
 *     ... m.config, m.trace_hash, hs_runmanifest_file(&m, "jobs.csv") ...
 *     hs_runmanifest_close(&m);                              // also after a failed open
 */
#ifndef HORUS_REPORT_RUNMANIFEST_H
#define HORUS_REPORT_RUNMANIFEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "data/json.h"

#define HS_RUNMANIFEST_FILES_MAX 32

/* An output file as it is listed; the name lives as long as the manifest is open. */
struct hs_runmanifest_file {
    const char *name;
    uint64_t hash;
};

/* An input as it is listed; likewise. */
struct hs_runmanifest_input {
    const char *role, *path;
    uint64_t hash, bytes; /* of the decompressed content */
};

struct hs_runmanifest {
    struct hs_json_doc *doc;
    const struct hs_json *config; /* an object: the effective configuration */
    const char *can;              /* of the card; NULL = not stated */
    struct hs_runmanifest_file files[HS_RUNMANIFEST_FILES_MAX];
    uint32_t file_count;
    struct hs_runmanifest_input inputs[HS_RUNMANIFEST_FILES_MAX];
    uint32_t input_count;
    uint64_t trace_hash, trace_bytes;
    bool has_trace_hash;
};

/* HS_E_INPUT for a directory without a manifest, and for a manifest without a configuration. */
HS_MUST_USE enum hs_status hs_runmanifest_open(struct hs_runmanifest *m, const char *dir,
                                               struct hs_diag *diag);
/* The same of a manifest by itself, whatever it is called. */
HS_MUST_USE enum hs_status hs_runmanifest_load(struct hs_runmanifest *m, const char *path,
                                               struct hs_diag *diag);
/* NULL if it is not listed. */
const struct hs_runmanifest_file *hs_runmanifest_file(const struct hs_runmanifest *m,
                                                      const char *name);
/* A number or text of the configuration as text, to `text` if it needs room; NULL for any other
 * value and for none. */
#define HS_RUNMANIFEST_NUMBER_SIZE 40
const char *hs_runmanifest_text(const struct hs_json *value, char text[HS_RUNMANIFEST_NUMBER_SIZE]);
void hs_runmanifest_close(struct hs_runmanifest *m);

#endif
