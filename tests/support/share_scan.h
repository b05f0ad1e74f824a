/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine's searches for shared GPUs by a scan of all of them, instead of its index.
 */
#ifndef HORUS_TESTS_SUPPORT_SHARE_SCAN_H
#define HORUS_TESTS_SUPPORT_SHARE_SCAN_H

#include <stdbool.h>

/* Initially false; applies to runs that begin later. */
extern bool hs_test_scans_shared;

#endif
