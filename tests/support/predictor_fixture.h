/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fixture of the predictor's tests: a catalogue and a set of model files, and the predictions made
 * from them. Any failure fails the test with the messages.
 *
 *     predictor_open(&t, "model,batch,util\nA,8,40\n", predictor_plain_model());
 *     p = predictor_make(&t, (struct hs_predictor_options){.kind = HS_PREDICT_TABLE});
 *     assert_int_equal(predictor_estimate(&t, p, "A//8/").util_pm, -1);
 *     hs_predictor_close(p);
 *     predictor_close(&t);
 */
#ifndef HORUS_TESTS_PREDICTOR_FIXTURE_H
#define HORUS_TESTS_PREDICTOR_FIXTURE_H

#include "model/predictor.h"
#include "support/sink.h"

struct predictor_fixture {
    struct hs_catalogue catalogue;
    struct hs_modelset set;
    struct sink sink;
};

/* A predictor.json as one string literal, of S = 1 + 0.5 u v^2, these predictions, and a fit by
 * which every graph has the load ln 2 on GPU type G, model F twice that. */
#define PREDICTOR_GENERAL "{\"k\": 0.5, \"alpha\": 1, \"beta\": 2, \"error\": 0.08}"
#define PREDICTOR_FIT                                                                              \
    "{\"gpu\": \"G\",\n"                                                                           \
    "  \"load\": {\"launch\": 0.69314718056, \"per_gmac\": 0, \"per_moutput\": 0, \"amp\": 0},\n"  \
    "  \"busy\": {\"layer_ms\": 1, \"gmac_ms\": 0, \"moutput_ms\": 0, \"amp\": 0, \"margin\": "    \
    "1},\n"                                                                                        \
    "  \"models\": [{\"model\": \"F\", \"dataset\": \"d\", \"configs\": 4,\n"                      \
    "    \"more_work\": 0.69314718056, \"host\": 0, \"slope\": 0, \"amp\": 0, \"slope_amp\": 0}]}"
#define PREDICTOR_HOLDOUT                                                                          \
    "[{\"protocol\": \"known model, unseen configuration\", \"rmse\": 0.06},\n"                    \
    "  {\"protocol\": \"unseen model\", \"rmse\": 0.25},\n"                                        \
    "  {\"protocol\": \"one measured configuration, no features\", \"rmse\": 0.12}]"
#define PREDICTOR_MODEL(general, predictions)                                                      \
    "{\"kind\": \"predictor\", \"format\": 2, \"general\": " general ",\n"                         \
    " \"predictions\": [" predictions "],\n"                                                       \
    " \"shift\": {\"per_ln_batch\": 1.44269504089, \"amp\": -1},\n"                                \
    " \"holdout\": " PREDICTOR_HOLDOUT ",\n"                                                       \
    " \"fit\": " PREDICTOR_FIT "}"
#define PREDICTOR_NO_ROWS "model,batch,util\n"

/* rows: text of the catalogue, or NULL for configs/profiles.csv. model_files: as --models. */
void predictor_open(struct predictor_fixture *t, const char *rows, const char *model_files);
void predictor_close(struct predictor_fixture *t);
/* Writes predictor.json of that text, without predictions; returns the path. */
const char *predictor_model(const char *text);
const char *predictor_plain_model(void);
struct hs_predictor *predictor_make(struct predictor_fixture *t,
                                    struct hs_predictor_options options);
struct hs_estimate predicted_of(const struct hs_predictor *p, struct hs_job_facts facts);
/* The prediction for a job of that profile with true values of 12.3 % and 7 MiB. */
struct hs_estimate predictor_estimate(const struct predictor_fixture *t,
                                      const struct hs_predictor *p, const char *key);

#endif
