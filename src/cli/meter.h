/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The progress line of a run on standard error: at 5 Hz on a terminal, on SIGUSR1 anywhere. The bar
 * is as long as the window allows, and absent where it would be short.
 *
 *     62% [###########-------] day 41.3 | 1.9 M ev/s | run 512 wait 1,204 | util 87% | ETA 0:08
 */
#ifndef HORUS_CLI_METER_H
#define HORUS_CLI_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/terminal.h"
#include "horus/observe.h"

#define HS_METER_SIZE 512 /* bytes of a line */

struct hs_meter {
    struct hs_terminal *terminal;
    bool is_on;
    const char *label; /* "" or which of several runs, e.g. "tie 3/10 " */
    uint64_t gpus;     /* of the cluster */
    int64_t started_ns, shown_ns;
};

/* What stands in the line; share 0..1, negative when unknown. */
struct hs_meter_reading {
    const struct hs_instant *instant;
    double share, elapsed_s;
    uint64_t events;
};

void hs_meter_start(struct hs_meter *meter, struct hs_terminal *terminal, bool is_on,
                    uint64_t gpus);
/* True if it is time for the next line. */
bool hs_meter_is_due(struct hs_meter *meter);
void hs_meter_show(struct hs_meter *meter, const struct hs_meter_reading *reading);
void hs_meter_stop(struct hs_meter *meter);

double hs_meter_elapsed_s(const struct hs_meter *meter);
/* The text of the line, for the terminal and for tests. */
void hs_meter_text(const struct hs_meter *meter, const struct hs_meter_reading *reading, char *text,
                   size_t size);

/* Any such line: "LABEL62% [###--] REST | ETA 0:08". elapsed_s 0: no ETA. */
struct hs_progress {
    const char *label, *rest;
    double share, elapsed_s;
};
void hs_progress_text(const struct hs_progress *progress, const struct hs_terminal *terminal,
                      char *text, size_t size);
void hs_progress_show(const struct hs_progress *progress, struct hs_terminal *terminal);

#endif
