/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The option rows of `horus sweep` alone. Rows of a table, apart only because the table is long;
 * included by run_options.c alone.
 */
#ifndef HORUS_CLI_SWEEP_ROWS_H
#define HORUS_CLI_SWEEP_ROWS_H

#define OF_SWEEP(field) offsetof(struct hs_sweep_options, field)
#define POINTS          "Its points"
#define SWEEP_FLAG(name, field, ...)                                                               \
    {                                                                                              \
        .param = {.key = name,                                                                     \
                  .type = HS_PARAM_FLAG,                                                           \
                  .offset = OF_SWEEP(field),                                                       \
                  .preset = "no",                                                                  \
                  __VA_ARGS__},                                                                    \
        .group = POINTS, .in_short_help = true, .is_local = true                                   \
    }

#define SWEEP_ROWS                                                                                 \
    SWEEP_FLAG("list", lists, .help = "print one command a line, each of which runs one point"),   \
        SWEEP_FLAG("make", makes, .help = "print a makefile that runs the points and gathers"),    \
        SWEEP_FLAG("pending", pending,                                                             \
                   .help = "print the points that are not finished: 3,7,9-12"),                    \
        SWEEP_FLAG("status", status, .help = "print how many are finished, and what failed"),      \
        SWEEP_FLAG("gather", gathers,                                                              \
                   .help = "write sweep.csv from the points that are finished"),                   \
    {                                                                                              \
        .param = {.key = "index",                                                                  \
                  .type = HS_PARAM_INT,                                                            \
                  .offset = OF_SWEEP(index),                                                       \
                  .preset = "0",                                                                   \
                  .max = HS_SWEEP_POINTS_MAX,                                                      \
                  .help = "run this point alone, from 1; a finished one is left as it is"},        \
        .group = POINTS, .in_short_help = true, .is_local = true                                   \
    }

#define SWEEP_RESULT_ROWS                                                                          \
    OUTPUT_ROW("DIR", "directory of the sweep; absent: results/NAME", "Results"),                  \
        OUTPUTS_ROW("summary", "of each point: summary, all, or of "                               \
                               "jobs,segments,series,nodes,decisions,swf"),                        \
    {                                                                                              \
        .param = {.key = "metric",                                                                 \
                  .type = HS_PARAM_TEXT,                                                           \
                  .offset = OF_SWEEP(metric),                                                      \
                  .preset = "mean_jct",                                                            \
                  .unit = "NAME",                                                                  \
                  .help = "of the table at the end; sweep.csv has all"},                           \
        .group = "Results", .is_local = true                                                       \
    }

#endif
