/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interference models made from text: the fixture of the tests of the sharing model. Four profiles
 * A..D and the GPU types of truth_types; truth_tables lists the known values.
 *
 *     truth_open(state);                             // group set-up: a scratch folder, a catalogue
 *     m = truth_of_text(truth_tables, &options);     // fails the test if there is any message
 */
#ifndef HORUS_TESTS_TRUTH_H
#define HORUS_TESTS_TRUTH_H

#include "model/interference.h"
#include "support/sink.h"

enum { TRUTH_A, TRUTH_B, TRUTH_C, TRUTH_D };

/* Two names of one type among them. */
enum { TRUTH_RTX3090, TRUTH_V100, TRUTH_P100, TRUTH_V100_AGAIN, TRUTH_TYPES };
extern const struct hs_interference_type truth_types[TRUTH_TYPES];

/* The general form is the closed queue, 1 + u v, with a hold-out RMSE of 0.08 on the RTX3090. On a
 * V100: rank-1 over A, B, C, RMSE 0.058, the pairs A beside B and B beside A measured. On an
 * RTX3090: two-way over A, B, C. D is in no table. */
extern const char truth_tables[];

extern struct sink truth_sink;
extern struct hs_catalogue truth_catalogue;

int truth_open(void **state);
int truth_close(void **state);

HS_MUST_USE enum hs_status truth_try(struct hs_interference **m, const char *text,
                                     const struct hs_interference_options *options);
struct hs_interference *truth_of_text(const char *text,
                                      const struct hs_interference_options *options);
/* A model with only the general form k, alpha, beta. */
struct hs_interference *truth_of_form(const double *form,
                                      const struct hs_interference_options *options);

#endif
