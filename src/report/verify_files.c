/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Are these the files of the run? The outputs against the hashes of the manifest, and the trace
 * just read against the one that was simulated. One pass over each file.
 */
#include "report/verify_check.h"

#include "base/fixed.h"
#include "base/io.h"

static enum hs_status hash_file(struct verify_run *run, const char *name, uint64_t *hash)
{
    char path[VERIFY_PATH_SIZE];
    struct hs_input *in;
    const char *data;
    size_t len;
    enum hs_status s;
    HS_TRY(verify_path(run, name, path));
    HS_TRY(hs_input_open(&in, path, run->diag));
    while ((s = hs_input_read(in, &data, &len)) == HS_OK)
        continue;
    *hash = hs_input_hash(in);
    hs_input_close(in);
    return s == HS_END ? HS_OK : s;
}

static enum hs_status check_outputs(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->manifest.file_count; i++) {
        const struct hs_runmanifest_file *file = &run->manifest.files[i];
        uint64_t hash;
        HS_TRY(hash_file(run, file->name, &hash));
        c->looked++;
        if (hash != file->hash)
            verify_fault(c, "%s is not the file that the manifest lists", file->name);
    }
    return HS_OK;
}

static enum hs_status check_trace(struct verify_run *run, struct verify_check *c)
{
    if (!run->manifest.has_trace_hash) {
        c->skipped = "the manifest has no hash of it";
        return HS_OK;
    }
    c->looked = 1;
    if (run->trace_hash != run->manifest.trace_hash ||
        run->trace_bytes != run->manifest.trace_bytes)
        verify_fault(c, "%s has changed since the run", run->made_of.trace.path);
    return HS_OK;
}

const struct verify_rule verify_file_rules[] = {
    {"the output files are as the manifest lists them", "files", "changed", check_outputs},
    {"the trace is the one that was simulated", "file", "changed", check_trace},
    {NULL, NULL, NULL, NULL},
};
