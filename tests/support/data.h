/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Third-party data, which is not in the tree: found in $HORUS_DATA, else in ../shared/data.
 *
 *     const char *path = data_need("traces", "60_job.csv");      // or skips, with a message
 */
#ifndef HORUS_TESTS_DATA_H
#define HORUS_TESTS_DATA_H

/* Its path; static storage, valid for four calls. */
const char *data_path(const char *folder, const char *name);
/* The same; NULL, with a message, if it does not exist. */
const char *data_find(const char *folder, const char *name);
/* The same; without it the test is skipped, with a message. */
const char *data_need(const char *folder, const char *name);

#endif
