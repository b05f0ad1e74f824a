/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commit, compiler and flags of the build. The build passes HS_COMMIT and HS_COMPILER_FLAGS to this
 * file alone, so that a new commit recompiles one file.
 */
#include "horus/version.h"

#ifndef HS_COMMIT
#define HS_COMMIT "unknown"
#endif
#ifndef HS_COMPILER_FLAGS
#define HS_COMPILER_FLAGS "unknown"
#endif

const char *hs_version_commit(void)
{
    return HS_COMMIT;
}

const char *hs_version_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

const char *hs_version_flags(void)
{
    return HS_COMPILER_FLAGS;
}
