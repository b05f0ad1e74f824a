/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The option rows that `horus compare` has beside those of a run. Rows of a table, apart only
 * because the table is long; included by run_options.c alone.
 */
#ifndef HORUS_CLI_COMPARE_ROWS_H
#define HORUS_CLI_COMPARE_ROWS_H

#define OF_COMPARE(field) offsetof(struct hs_compare_options, field)
#define COMPARED          "What is compared"

#define COMPARED_ROWS                                                                              \
    {.param = {.key = "policy",                                                                    \
               .type = HS_PARAM_TEXT,                                                              \
               .offset = AT(policy),                                                               \
               .unit = "NAME[:KEY=VALUE,...]",                                                     \
               .help = "a scheduling policy; give one -p each, the first is the reference; a "     \
                       "list in a --config file"},                                                 \
     .letter = 'p',                                                                                \
     .check = hs_check_policy,                                                                     \
     .group = COMPARED,                                                                            \
     .in_short_help = true,                                                                        \
     .is_repeated = true},                                                                         \
        {.param = {.key = "seeds",                                                                 \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = OF_COMPARE(seeds),                                                    \
                   .unit = "SEEDS",                                                                \
                   .help = "each policy under each of these seeds, e.g. 1..5 or 1,3,7; absent: "   \
                           "the one of --seed"},                                                   \
         .check = hs_check_seeds,                                                                  \
         .group = COMPARED,                                                                        \
         .in_short_help = true},                                                                   \
    {                                                                                              \
        .param = {.key = "assignments",                                                            \
                  .type = HS_PARAM_TEXT,                                                           \
                  .offset = OF_COMPARE(assignments),                                               \
                  .unit = "SEEDS",                                                                 \
                  .help = "and each of these seeds for the draws of profiles; absent: "            \
                          "--assign-seed, or the run's seed"},                                     \
        .check = hs_check_assignments, .group = COMPARED, .in_short_help = true                    \
    }

#define COMPARISON_ROWS                                                                            \
    OUTPUT_ROW("DIR", "directory of the comparison; absent: results/compare-TRACE-HASH",           \
               "Results"),                                                                         \
        OUTPUTS_ROW("summary",                                                                     \
                    "summary, all, or of jobs,segments,series,nodes,decisions,swf: beyond "        \
                    "summary the directory of every run is kept"),                                 \
        {.param = {.key = "metrics",                                                               \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = OF_COMPARE(metrics),                                                  \
                   .unit = "LIST",                                                                 \
                   .help = "columns of the table, e.g. mean_jct,p99_wait; compare.csv has all"},   \
         .group = "Results"},                                                                      \
    {                                                                                              \
        .param = {.key = "fail_if",                                                                \
                  .type = HS_PARAM_TEXT,                                                           \
                  .offset = OF_COMPARE(fail_if),                                                   \
                  .unit = "CONDITION",                                                             \
                  .help = "exit code 1 if it holds: 'mean_jct>+1%' of a policy against the "       \
                          "first, or 'ooms>0'; '@POLICY' behind it: of that one; may be "          \
                          "repeated"},                                                             \
        .group = "Results", .in_short_help = true, .is_repeated = true                             \
    }

#endif
