/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Version of the program. HS_VERSION is the release; the build adds the commit (base/status.c).
 */
#ifndef HORUS_VERSION_H
#define HORUS_VERSION_H

#define HS_VERSION "0.1.0"

/* `git describe` of the built tree, "unknown" outside a checkout; compiler and its flags. */
const char *hs_version_commit(void);
const char *hs_version_compiler(void);
const char *hs_version_flags(void);

#endif
