/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fixture of the predictor's tests: a catalogue and a set of model files, and the predictions made
 * from them. Any failure fails the test with the messages.
 *
 *     told_open(&t, "model,batch,util\nA,8,40\n", told_plain_model());
 *     p = told_predictor(&t, (struct hs_predictor_options){.kind = HS_PREDICT_TABLE});
 *     assert_int_equal(told_of_profile(&t, p, "A//8/").util_pm, -1);
 *     hs_predictor_close(p);
 *     told_close(&t);
 */
#ifndef HORUS_TESTS_TOLD_H
#define HORUS_TESTS_TOLD_H

#include "model/predictor.h"
#include "support/sink.h"

struct told {
    struct hs_catalogue catalogue;
    struct hs_modelset set;
    struct sink sink;
};

/* A predictor.json as one string literal, of S = 1 + 0.5 u v^2, these predictions, and a fit by
 * which every graph has the load ln 2 on GPU type G, model F twice that. */
#define TOLD_GENERAL "{\"k\": 0.5, \"alpha\": 1, \"beta\": 2, \"error\": 0.08}"
#define TOLD_FIT                                                                                   \
    "{\"gpu\": \"G\",\n"                                                                           \
    "  \"load\": {\"launch\": 0.69314718056, \"per_gmac\": 0, \"per_moutput\": 0, \"amp\": 0},\n"  \
    "  \"busy\": {\"layer_ms\": 1, \"gmac_ms\": 0, \"moutput_ms\": 0, \"amp\": 0, \"margin\": "    \
    "1},\n"                                                                                        \
    "  \"models\": [{\"model\": \"F\", \"dataset\": \"d\", \"configs\": 4,\n"                      \
    "    \"more_work\": 0.69314718056, \"host\": 0, \"slope\": 0, \"amp\": 0, \"slope_amp\": 0}]}"
#define TOLD_HOLDOUT                                                                               \
    "[{\"protocol\": \"known model, unseen configuration\", \"rmse\": 0.06},\n"                    \
    "  {\"protocol\": \"unseen model\", \"rmse\": 0.25},\n"                                        \
    "  {\"protocol\": \"one measured configuration, no features\", \"rmse\": 0.12}]"
#define TOLD_MODEL(general, predictions)                                                           \
    "{\"kind\": \"predictor\", \"format\": 2, \"general\": " general ",\n"                         \
    " \"predictions\": [" predictions "],\n"                                                       \
    " \"shift\": {\"per_ln_batch\": 1.44269504089, \"amp\": -1},\n"                                \
    " \"holdout\": " TOLD_HOLDOUT ",\n"                                                            \
    " \"fit\": " TOLD_FIT "}"
#define TOLD_NO_ROWS "model,batch,util\n"

/* rows: text of the catalogue, or NULL for configs/profiles.csv. model_files: as --models. */
void told_open(struct told *t, const char *rows, const char *model_files);
void told_close(struct told *t);
/* Writes predictor.json of that text, without predictions; returns the path. */
const char *told_model(const char *text);
const char *told_plain_model(void);
struct hs_predictor *told_predictor(struct told *t, struct hs_predictor_options options);
struct hs_estimate predicted_of(const struct hs_predictor *p, struct hs_job_facts facts);
/* The prediction for a job of that profile with true values of 12.3 % and 7 MiB. */
struct hs_estimate told_of_profile(const struct told *t, const struct hs_predictor *p,
                                   const char *key);

#endif
