/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every cell in a process of its own, whatever -j says: one way, one result. The trace is read once
 * and shared with all of them. What a cell has to say goes into a file beside its directory and is
 * shown when all have ended, in the order of the cells, each text once.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/compare.h"
#include "cli/interrupt.h"
#include "cli/meter.h"
#include "cli/procpool.h"
#include "cli/run_begin.h"
#include "cli/simulate.h"
#include "traces/tape.h"

#define MESSAGES_MAX (1u << 24) /* bytes of one cell */

struct crew {
    struct hs_compare *compare;
    const struct hs_rundir *dir;
    struct hs_tape *tape; /* the trace, read once for all cells; NULL: each reads it */
    uint64_t tape_key;    /* of the cells that may have it: seeds choose samples */
    struct hs_meter clock;
    bool shows_progress;
    uint32_t shown_done;
};

void hs_compare_cell_path(const struct hs_rundir *dir, const struct hs_cell *cell, const char *file,
                          char *path, size_t size)
{
    char name[512];
    (void)snprintf(name, sizeof name, HS_RUNS_DIR "/%s%s%s", cell->name, *file != '\0' ? "/" : "",
                   file);
    hs_rundir_file(dir, name, path, size);
}

static void messages_path(const struct crew *crew, uint32_t index, char path[HS_PATH_SIZE])
{
    char name[32];
    (void)snprintf(name, sizeof name, "messages-%u", index);
    hs_rundir_file(crew->dir, name, path, HS_PATH_SIZE);
}

/* A record of the file: severity as a digit, text, NUL. */
static void write_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_output *out = ctx;
    hs_output_put(out, (const char[]){(char)('0' + (int)severity)}, 1);
    hs_output_put(out, text, len);
    hs_output_put(out, "", 1);
}

static enum hs_status simulate(const struct crew *crew, const struct hs_cell *cell,
                               struct hs_diag *diag)
{
    struct hs_compare *c = crew->compare;
    struct hs_run_options options;
    struct hs_config config;
    struct hs_setup setup;
    char path[HS_PATH_SIZE];
    const struct hs_run_call call = {.terminal = &c->call->terminal, .command = c->call->command};
    struct hs_run_result *result = hs_alloc_zeroed(1, sizeof *result);
    if (result == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    hs_compare_cell_options(c, cell, &options, &config);
    hs_compare_cell_path(crew->dir, cell, "", path, sizeof path);
    enum hs_status status = hs_setup_open(&setup, &options, &config, diag);
    if (status == HS_OK && hs_tape_key(&setup.trace) == crew->tape_key)
        setup.trace.tape = crew->tape;
    if (status == HS_OK)
        status = hs_simulate(&setup, &call, path, result, diag);
    hs_setup_close(&setup);
    hs_free(result);
    return status;
}

static enum hs_status run_cell(void *ctx, uint32_t index)
{
    struct crew *crew = ctx;
    char path[HS_PATH_SIZE];
    struct hs_output messages;
    struct hs_diag diag;
    messages_path(crew, index, path);
    HS_TRY(hs_output_open(&messages, path, &crew->compare->call->diag));
    hs_diag_init(&diag, write_message, &messages);
    diag.least = crew->compare->once.diag.least;
    enum hs_status status = simulate(crew, &crew->compare->cells[index], &diag);
    enum hs_status closed = hs_output_close(&messages, &crew->compare->call->diag);
    return status != HS_OK ? status : closed;
}

static void show_progress(void *ctx, uint32_t done, uint32_t running)
{
    struct crew *crew = ctx;
    const uint32_t count = crew->compare->cell_count;
    char rest[96];
    bool is_asked = hs_interrupt_wants_status();
    if (!is_asked && (!crew->shows_progress || (done == crew->shown_done && done > 0)))
        return;
    crew->shown_done = done;
    (void)snprintf(rest, sizeof rest, "runs %u/%u done, %u running", done, count, running);
    const struct hs_progress progress = {.label = "",
                                         .rest = rest,
                                         .share = (double)done / count,
                                         .elapsed_s = hs_meter_elapsed_s(&crew->clock)};
    hs_progress_show(&progress, &crew->compare->call->terminal);
}

/* Passes on what a cell said, and removes the file. */
static enum hs_status pass_messages(const struct crew *crew, uint32_t index)
{
    struct hs_compare *c = crew->compare;
    char path[HS_PATH_SIZE], *text;
    size_t len;
    messages_path(crew, index, path);
    if (access(path, F_OK) != 0)
        return HS_OK; /* it was never started */
    HS_TRY(hs_read_file(path, MESSAGES_MAX, &text, &len, &c->call->diag));
    for (char *at = text; at < text + len;) {
        size_t message = strlen(at);
        if (message > 1)
            hs_oncelog_pass(&c->once, (enum hs_severity)(*at - '0'), at + 1, message - 1);
        at += message + 1;
    }
    hs_free(text);
    (void)unlink(path); /* else the commit would tell: it is in a directory of ours */
    return HS_OK;
}

static enum hs_status tell_failure(struct hs_compare *c, enum hs_status status,
                                   const struct hs_procfailure *failure)
{
    const struct hs_cell *cell = &c->cells[failure->index];
    const char *hint = failure->signal_number == SIGKILL
                           ? "for want of memory? fewer at a time (-j) need less"
                           : NULL;
    if (failure->signal_number != 0)
        return hs_fail(&c->call->diag, status, NULL, hint, "the run %s was ended by signal %d",
                       cell->name, failure->signal_number);
    hs_report(&c->call->diag, HS_NOTE, NULL, NULL, "it was the run %s: nothing was kept",
              cell->name);
    return status;
}

enum hs_status hs_compare_run(struct hs_compare *c, const struct hs_rundir *dir)
{
    struct crew crew = {.compare = c, .dir = dir, .shows_progress = hs_run_shows_progress(c->call)};
    uint32_t width = (uint32_t)c->options->processes;
    const struct hs_procpool pool = {.width = width < c->cell_count ? width : c->cell_count,
                                     .count = c->cell_count,
                                     .task = run_cell,
                                     .progress = show_progress,
                                     .ctx = &crew};
    struct hs_procfailure failure;
    hs_meter_start(&crew.clock, &c->call->terminal, false, 0);
    hs_interrupt_watch();
    crew.tape_key = hs_tape_key(&c->policies[0].setup.trace);
    HS_TRY(hs_tape_record(&crew.tape, &c->policies[0].setup.trace, &c->once.diag));
    enum hs_status status = hs_procpool_run(&pool, &failure, &c->once.diag);
    hs_tape_free(crew.tape);
    hs_terminal_status(&c->call->terminal, "");
    if (status == HS_E_INTERRUPTED)
        return hs_fail(&c->call->diag, status, NULL, NULL, "stopped by %s: nothing was kept",
                       hs_interrupt_signal() == SIGINT ? "SIGINT" : "SIGTERM");
    uint32_t told = status == HS_OK ? c->cell_count : failure.index + 1;
    for (uint32_t i = 0; i < told; i++)
        HS_TRY(pass_messages(&crew, i));
    return status == HS_OK ? HS_OK : tell_failure(c, status, &failure);
}
