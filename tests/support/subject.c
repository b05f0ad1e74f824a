/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct sink subject_sink;

static const struct hs_calibration *find(const char *name)
{
    const struct hs_calibration *subject;
    for (size_t i = 0; (subject = hs_calibration_at(i)) != NULL; i++)
        if (strcmp(subject->name, name) == 0)
            return subject;
    fail_msg("there is no subject '%s'", name);
    return NULL;
}

enum hs_status subject_try(const char *name, const struct hs_calibrate_options *options)
{
    struct hs_output table, model;
    struct hs_jsonw json;
    sink_init(&subject_sink);
    struct hs_diag *diag = &subject_sink.diag;
    assert_int_equal(hs_output_open(&table, scratch_path("table.txt"), diag), HS_OK);
    assert_int_equal(hs_output_open(&model, scratch_path("model.json"), diag), HS_OK);
    hs_jsonw_begin(&json, &model);
    enum hs_status status = hs_calibrate(find(name), options, &table, &json, diag);
    if (status == HS_OK)
        hs_jsonw_finish(&json);
    assert_int_equal(hs_output_close(&model, diag), HS_OK);
    assert_int_equal(hs_output_close(&table, diag), HS_OK);
    return status;
}

struct hs_json_doc *subject_run(const char *name, const struct hs_calibrate_options *options)
{
    struct hs_json_doc *doc = NULL;
    if (subject_try(name, options) != HS_OK || subject_sink.len > 0 ||
        hs_json_load(&doc, scratch_path("model.json"), &subject_sink.diag) != HS_OK)
        fail_msg("%s", subject_sink.text);
    return doc;
}

double subject_score(const struct hs_json *owner, const char *protocol, const char *key)
{
    const struct hs_json *score = hs_json_first(hs_json_get(owner, "holdout"));
    for (; score != NULL; score = hs_json_next(score)) {
        const char *text = hs_json_text(hs_json_get(score, "protocol"));
        const struct hs_json *value = hs_json_get(score, key);
        if (text != NULL && strcmp(text, protocol) == 0 && hs_json_kind(value) == HS_JSON_NUMBER)
            return hs_json_number(value);
    }
    fail_msg("no %s of protocol '%s'", key, protocol);
    return 0;
}
