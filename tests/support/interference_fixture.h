/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interference models made from text: the fixture of the tests of the sharing model. Four profiles
 * A..D and the GPU types of interference_types; interference_tables lists the known values.
 *
 *     interference_open(state); // group set-up: a scratch folder, a catalogue
 *     m = interference_of_text(interference_tables, &options); // fails the test on any message
 */
#ifndef HORUS_TESTS_INTERFERENCE_FIXTURE_H
#define HORUS_TESTS_INTERFERENCE_FIXTURE_H

#include "model/interference.h"
#include "support/sink.h"

enum { INTERFERENCE_A, INTERFERENCE_B, INTERFERENCE_C, INTERFERENCE_D };

/* Two names of one type among them. */
enum {
    INTERFERENCE_RTX3090,
    INTERFERENCE_V100,
    INTERFERENCE_P100,
    INTERFERENCE_V100_AGAIN,
    INTERFERENCE_TYPES
};
extern const struct hs_interference_type interference_types[INTERFERENCE_TYPES];

/* The general form is the closed queue, 1 + u v, with a hold-out RMSE of 0.08 on the RTX3090. On a
 * V100: rank-1 over A, B, C, RMSE 0.058, the pairs A beside B and B beside A measured. On an
 * RTX3090: two-way over A, B, C. D is in no table. */
extern const char interference_tables[];

extern struct sink interference_sink;
extern struct hs_catalogue interference_catalogue;

int interference_open(void **state);
int interference_close(void **state);

HS_MUST_USE enum hs_status interference_try(struct hs_interference **m, const char *text,
                                            const struct hs_interference_options *options);
struct hs_interference *interference_of_text(const char *text,
                                             const struct hs_interference_options *options);
/* A model with only the general form k, alpha, beta. */
struct hs_interference *interference_of_form(const double *form,
                                             const struct hs_interference_options *options);

#endif
