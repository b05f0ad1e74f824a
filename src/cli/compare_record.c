/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The manifest of a comparison: as that of a run, but with parameters and semantics card of each
 * policy and the list of the cells.
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "cli/compare.h"
#include "cli/record.h"
#include "report/card.h"

static void write_policy(const struct hs_compared *policy, struct hs_jsonw *w)
{
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "policy", policy->spec);
    hs_jsonw_member_text(w, "label", policy->label);
    hs_record_parameters(&policy->setup, w);
    hs_jsonw_key(w, "card");
    hs_card_write_json(&policy->setup.card, w);
    hs_jsonw_end_object(w);
}

static void write_cell(const struct hs_compare *c, const struct hs_cell *cell, struct hs_jsonw *w)
{
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "run", cell->name);
    hs_jsonw_member_text(w, "policy", c->policies[cell->policy].spec);
    hs_jsonw_key(w, "seed");
    hs_jsonw_i64(w, cell->seed);
    hs_jsonw_key(w, "assignment");
    hs_jsonw_i64(w, cell->assignment);
    hs_jsonw_key(w, "summary_xxh3_64");
    hs_jsonw_hash(w, cell->summary_hash);
    hs_jsonw_end_object(w);
}

static void write_comparison(void *ctx, struct hs_jsonw *w)
{
    const struct hs_compare *c = ctx;
    hs_jsonw_key(w, "policies");
    hs_jsonw_array(w);
    for (uint32_t p = 0; p < c->policy_count; p++)
        write_policy(&c->policies[p], w);
    hs_jsonw_end_array(w);
    hs_jsonw_key(w, "cells");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < c->cell_count; i++)
        write_cell(c, &c->cells[i], w);
    hs_jsonw_end_array(w);
}

/* Of this process and all that it started. */
static void measure(struct hs_manifest_volatile *machine)
{
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    struct rusage usage;
    for (int i = 0; i < 2; i++) {
        if (getrusage(whose[i], &usage) != 0)
            continue;
        machine->cpu_s += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                          (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
        if ((uint64_t)usage.ru_maxrss > machine->peak_rss_kib)
            machine->peak_rss_kib = (uint64_t)usage.ru_maxrss;
    }
}

enum hs_status hs_compare_record(struct hs_compare *c, const struct hs_rundir *dir, double wall_s)
{
    struct hs_manifest_input inputs[HS_INPUTS_MAX + HS_COMPARED_MAX * HS_POLICY_FILES_MAX];
    struct hs_diag *diag = &c->call->diag;
    struct hs_config config = c->call->config;
    struct utsname machine;
    struct hs_manifest manifest = {.status = "complete",
                                   .seed = (uint64_t)c->options->run.seed,
                                   .inputs = inputs,
                                   .outputs = c->files,
                                   .output_count = HS_COMPARE_FILES,
                                   .warnings = c->log.warnings,
                                   .warning_count = c->log.count,
                                   .write_config = hs_record_config,
                                   .config_ctx = &config,
                                   .write_more = write_comparison,
                                   .more_ctx = c};
    inputs[0] = (struct hs_manifest_input){.role = "trace", .path = c->options->run.trace};
    HS_TRY(hs_hash_file(inputs[0].path, &inputs[0].hash, &inputs[0].bytes, diag));
    manifest.input_count = 1;
    for (uint32_t p = 0; p < c->policy_count; p++)
        HS_TRY(hs_record_inputs(&c->policies[p].setup, inputs, &manifest.input_count, diag));
    manifest.libraries = hs_libraries(&manifest.libraries_count);
    manifest.machine =
        (struct hs_manifest_volatile){.command = c->call->command,
                                      .host = uname(&machine) == 0 ? machine.nodename : NULL,
                                      .wall_s = wall_s};
    measure(&manifest.machine);
    return hs_manifest_write(&manifest, dir, diag);
}
