/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which libraries the program runs on. Each is asked through the one file that includes its header.
 */
#include "cli/record.h"

#include "base/codec.h"
#include "base/hash.h"
#include "base/rng.h"
#include "data/csvread.h"
#include "data/json.h"

const struct hs_manifest_library *hs_libraries(uint32_t *count)
{
    static struct hs_manifest_library libraries[6];
    libraries[0] = (struct hs_manifest_library){"gsl", hs_rng_library_version()};
    libraries[1] = (struct hs_manifest_library){"libcsv", hs_csv_library_version()};
    libraries[2] = (struct hs_manifest_library){"cjson", hs_json_library_version()};
    libraries[3] = (struct hs_manifest_library){"zlib", hs_gzip_library_version()};
    libraries[4] = (struct hs_manifest_library){"zstd", hs_zstd_library_version()};
    libraries[5] = (struct hs_manifest_library){"xxhash", hs_hash_library_version()};
    *count = sizeof libraries / sizeof *libraries;
    return libraries;
}
