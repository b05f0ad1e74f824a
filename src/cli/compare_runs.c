/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Wires the comparison of two runs to options, standard output and a directory of its own, which is
 * complete or absent.
 */
#include "cli/compare_runs.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "cli/interrupt.h"
#include "cli/meter.h"
#include "cli/record.h"
#include "cli/runlog.h"
#include "report/manifest.h"
#include "report/paired.h"

struct comparing {
    struct hs_call *call;
    const struct hs_compare_runs_options *options;
    struct hs_runlog log;
    struct hs_meter clock;
    struct hs_paired paired;
};

/* With --force the run would be gone before it is read. */
static enum hs_status check_output(const struct comparing *c, const char *dir)
{
    struct stat ours, theirs;
    if (c->options->output == NULL || stat(c->options->output, &ours) != 0 ||
        stat(dir, &theirs) != 0 || ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
        return HS_OK;
    return hs_fail(&c->call->diag, HS_E_USAGE, NULL, "give another name",
                   "-o %s is one of the runs that are compared", c->options->output);
}

static void write_config(void *ctx, struct hs_jsonw *w)
{
    const struct hs_paired *p = ctx;
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "run_a", p->runs[HS_PAIRED_A].dir);
    hs_jsonw_member_text(w, "run_b", p->runs[HS_PAIRED_B].dir);
    hs_jsonw_member_u64(w, "bootstrap", p->resamples);
    hs_jsonw_member_u64(w, "blocks", p->blocks);
    hs_jsonw_end_object(w);
}

static void measure(const struct comparing *c, struct hs_manifest_volatile *machine)
{
    struct rusage usage;
    machine->wall_s = hs_meter_elapsed_s(&c->clock);
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    machine->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    machine->peak_rss_kib = (uint64_t)usage.ru_maxrss;
}

static enum hs_status write_manifest(struct comparing *c, const struct hs_rundir *dir,
                                     const struct hs_output_file files[HS_PAIRED_FILES])
{
    static const char *const roles[HS_PAIRED_RUNS] = {"run_a", "run_b"};
    char paths[HS_PAIRED_RUNS][HS_PATH_SIZE];
    struct hs_manifest_input inputs[HS_PAIRED_RUNS];
    struct utsname host;
    struct hs_manifest manifest = {.status = "complete",
                                   .seed = c->paired.seed,
                                   .inputs = inputs,
                                   .input_count = HS_PAIRED_RUNS,
                                   .outputs = files,
                                   .output_count = HS_PAIRED_FILES,
                                   .warnings = c->log.warnings,
                                   .warning_count = c->log.count,
                                   .write_config = write_config,
                                   .config_ctx = &c->paired};
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        const struct hs_paired_run *run = &c->paired.runs[r];
        (void)snprintf(paths[r], sizeof paths[r], "%s/jobs.csv", run->dir);
        inputs[r] = (struct hs_manifest_input){.role = roles[r],
                                               .path = paths[r],
                                               .hash = run->hash,
                                               .bytes = run->bytes,
                                               .rows = run->count};
    }
    manifest.libraries = hs_libraries(&manifest.libraries_count);
    manifest.machine.command = c->call->command;
    manifest.machine.host = uname(&host) == 0 ? host.nodename : NULL;
    measure(c, &manifest.machine);
    return hs_manifest_write(&manifest, dir, &c->log.diag);
}

static enum hs_status check_signal(struct comparing *c)
{
    int number = hs_interrupt_signal();
    if (number == 0)
        return HS_OK;
    return hs_fail(&c->log.diag, HS_E_INTERRUPTED, NULL, NULL, "stopped by %s: nothing was kept",
                   number == SIGINT ? "SIGINT" : "SIGTERM");
}

static enum hs_status write_dir(struct comparing *c)
{
    struct hs_rundir dir;
    struct hs_output_file files[HS_PAIRED_FILES];
    hs_interrupt_watch();
    HS_TRY(hs_rundir_open(&dir, c->options->output, c->options->force, &c->log.diag));
    enum hs_status status = hs_paired_write(&c->paired, &dir, files);
    if (status == HS_OK)
        status = write_manifest(c, &dir, files);
    if (status == HS_OK)
        status = check_signal(c);
    if (status == HS_OK)
        status = hs_rundir_commit(&dir, &c->log.diag);
    if (status != HS_OK)
        hs_rundir_discard(&dir);
    return status;
}

static enum hs_status compare(struct comparing *c, const char *dir_a, const char *dir_b)
{
    struct hs_output *out = &c->call->out;
    HS_TRY(check_output(c, dir_a));
    HS_TRY(check_output(c, dir_b));
    HS_TRY(hs_paired_load(&c->paired, dir_a, dir_b, &c->log.diag));
    HS_TRY(
        hs_paired_compare(&c->paired, (uint32_t)c->options->bootstrap, (uint64_t)c->options->seed));
    if (c->options->output != NULL)
        HS_TRY(write_dir(c));
    hs_paired_print(&c->paired, out, c->call->terminal.columns);
    if (c->options->output != NULL)
        hs_say(out, "\nfiles       %s/\n", c->options->output);
    return HS_OK;
}

enum hs_status hs_compare_runs(struct hs_call *call, const struct hs_compare_runs_options *options,
                               const char *dir_a, const char *dir_b)
{
    struct comparing *c = hs_arena_alloc(&call->arena, sizeof *c);
    if (c == NULL)
        return hs_fail(&call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    c->call = call;
    c->options = options;
    hs_runlog_open(&c->log, &call->diag);
    hs_meter_start(&c->clock, &call->terminal, false, 0);
    enum hs_status status = compare(c, dir_a, dir_b);
    hs_paired_free(&c->paired);
    hs_runlog_close(&c->log);
    return status;
}
