/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predictors of small catalogues.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/predictor_fixture.h"

static void must(struct predictor_fixture *t, enum hs_status status)
{
    if (status != HS_OK)
        fail_msg("%s", t->sink.text);
}

void predictor_open(struct predictor_fixture *t, const char *rows, const char *model_files)
{
    sink_init(&t->sink);
    const char *path = "configs/profiles.csv";
    if (rows != NULL)
        path = scratch_write("profiles.csv", rows, strlen(rows));
    must(t, hs_catalogue_load(&t->catalogue, path, &t->sink.diag));
    must(t, hs_modelset_init(&t->set, model_files, &t->sink.diag));
}

void predictor_close(struct predictor_fixture *t)
{
    hs_modelset_free(&t->set);
    hs_catalogue_free(&t->catalogue);
}

const char *predictor_model(const char *text)
{
    return scratch_write("predictor.json", text, strlen(text));
}

const char *predictor_plain_model(void)
{
    return predictor_model(PREDICTOR_MODEL(PREDICTOR_GENERAL, ""));
}

struct hs_predictor *predictor_make(struct predictor_fixture *t,
                                    struct hs_predictor_options options)
{
    struct hs_predictor *p;
    must(t, hs_predictor_open(&p, &t->set, &t->catalogue, &options, &t->sink.diag));
    return p;
}

struct hs_estimate predicted_of(const struct hs_predictor *p, struct hs_job_facts facts)
{
    struct hs_estimate out;
    hs_predictor_estimate(p, &facts, &out);
    return out;
}

struct hs_estimate predictor_estimate(const struct predictor_fixture *t,
                                      const struct hs_predictor *p, const char *key)
{
    uint32_t profile = hs_catalogue_find(&t->catalogue, key);
    assert_int_not_equal(profile, HS_NO_PROFILE);
    return predicted_of(p, (struct hs_job_facts){.profile = profile, .util_pm = 123, .mem_mib = 7});
}
