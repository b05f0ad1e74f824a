/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine's searches for shared GPUs by a look at every one of them, in place of its index.
 */
#ifndef HORUS_TESTS_SUPPORT_SHARE_SCAN_H
#define HORUS_TESTS_SUPPORT_SHARE_SCAN_H

#include <stdbool.h>

/* Off at first; runs that begin later obey it. */
extern bool hs_test_scans_shared;

#endif
