/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus verify` on a run directory written by hand into the scratch folder, valid or with one
 * error. The run is micro-scenario M3 of the design: 1x2, SRTF without cost, jobs 0:2,0,100
 * 1:1,10,60 2:2,20,20,
 *     0 0-10 and 90-180, 1 10-20 and 40-90, 2 20-40.
 * Of it: JCT 180, 80, 20, in all 280 s; run 10 + 10 + 20 + 50 + 90 = 180 s of 180; GPU-seconds held
 * 20 + 10 + 40 + 50 + 180 = 300 of 360. Slowdowns 1.8, 80/60, 1: rounded to 1e-6, the mean is
 * 4.133333 / 3; every job runs for as long as its work takes, and makes progress when it starts.
 *
 *     static struct verified r;
 *     verified_with(&r, TRACE, "2,20,2,20", "2,20,2,21");
 *     assert_int_equal(r.status, HS_E_DIFFERS);
 */
#ifndef HORUS_TESTS_VERIFIED_H
#define HORUS_TESTS_VERIFIED_H

#include "horus/status.h"
#include "support/sink.h"

enum { TRACE, MANIFEST, JOBS, SEGMENTS, SUMMARY, FILES };
extern const char *const verified_names[FILES], *const verified_sound[FILES];

struct verified {
    enum hs_status status;
    char text[8192]; /* the output */
    struct sink sink;
};

/* Writes `text` to a file of the run with the first `find` replaced; find NULL = as it is. */
void verified_replace(const char *name, const char *text, const char *find,
                      const char *replacement);
/* Verifies the present files. */
void verified_again(struct verified *r);
/* Writes the valid run with one text replaced, and verifies it; file FILES = without a
 * replacement. */
void verified_with(struct verified *r, int file, const char *find, const char *replacement);

#endif
