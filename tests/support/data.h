/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Third-party data, which is not in the tree: found in $HORUS_DATA, else in ../shared/data.
 *
 *     const char *path = data_need("traces", "60_job.csv");      // or the test says so and skips
 */
#ifndef HORUS_TESTS_DATA_H
#define HORUS_TESTS_DATA_H

/* Where it would be; static storage, good for four calls. */
const char *data_path(const char *folder, const char *name);
/* The same, or NULL, told on the terminal, if it is not there. */
const char *data_find(const char *folder, const char *name);
/* The same, or the test is skipped, told on the terminal. */
const char *data_need(const char *folder, const char *name);

#endif
