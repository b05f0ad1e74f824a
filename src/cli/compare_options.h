/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of `horus compare`: those of a run, of which -p may be repeated, and its own.
 */
#ifndef HORUS_CLI_COMPARE_OPTIONS_H
#define HORUS_CLI_COMPARE_OPTIONS_H

#include "cli/run_options.h"

/* run stands first: a row that both tables share has the same offset in both. */
struct hs_compare_options {
    struct hs_run_options run;       /* policy: one a line */
    const char *seeds, *assignments; /* lists; NULL: as --seed and --assign-seed say */
    const char *metrics, *fail_if;   /* fail_if: one a line */
    int64_t processes, bootstrap;    /* bootstrap: resamples, of two finished runs */
};

extern const struct hs_option hs_compare_option_table[];

#endif
