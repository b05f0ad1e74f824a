/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checks of documents that a person writes: every fault is reported where it is, the first few of
 * many.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "data/json.h"

#define FAULTS_MAX  20u /* printed */
#define NAME_MAX    255u
#define MESSAGE_MAX 1024

void hs_jsoncheck_note(struct hs_jsoncheck *c, enum hs_status status)
{
    if (c->status == HS_OK)
        c->status = status;
}

static void add_fault(struct hs_jsoncheck *c, struct hs_place place, const char *hint,
                      const char *message)
{
    hs_jsoncheck_note(c, HS_E_INPUT);
    if (c->faults++ < FAULTS_MAX)
        hs_report(c->diag, HS_ERROR, &place, hint, "%s", message);
    else if (c->faults == FAULTS_MAX + 1)
        hs_report(c->diag, HS_NOTE, NULL, NULL, "further errors are not shown");
}

void hs_jsoncheck_fault(struct hs_jsoncheck *c, const struct hs_json *at, const char *hint,
                        const char *fmt, ...)
{
    char message[MESSAGE_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    add_fault(c, hs_json_place(c->doc, at), hint, message);
}

bool hs_jsoncheck_kind(struct hs_jsoncheck *c, const struct hs_json *value, enum hs_json_kind kind,
                       const char *what)
{
    static const char *const texts[] = {
        [HS_JSON_ABSENT] = "nothing",   [HS_JSON_NULL] = "null", [HS_JSON_BOOL] = "true or false",
        [HS_JSON_NUMBER] = "a number",  [HS_JSON_TEXT] = "text", [HS_JSON_ARRAY] = "an array",
        [HS_JSON_OBJECT] = "an object",
    };
    enum hs_json_kind found = hs_json_kind(value);
    if (found == kind)
        return true;
    hs_jsoncheck_fault(c, value, NULL, "%s must be %s, not %s", what, texts[kind], texts[found]);
    return false;
}

bool hs_jsoncheck_filled(struct hs_jsoncheck *c, const struct hs_json *value,
                         enum hs_json_kind kind, const char *what)
{
    if (!hs_jsoncheck_kind(c, value, kind, what))
        return false;
    if (hs_json_count(value) > 0)
        return true;
    hs_jsoncheck_fault(c, value, NULL, "%s is empty", what);
    return false;
}

void hs_jsoncheck_keys(struct hs_jsoncheck *c, const struct hs_json *object,
                       const char *const *keys, uint32_t count, const char *what)
{
    char message[MESSAGE_MAX], nearest[HS_HINT_SIZE], known[512] = "known keys:";
    for (uint32_t i = 0; i < count; i++)
        hs_append(known, sizeof known, " %s", keys[i]);
    for (const struct hs_json *m = hs_json_first(object); m != NULL; m = hs_json_next(m)) {
        const char *key = hs_json_key(m);
        uint32_t i = 0;
        while (i < count && strcmp(keys[i], key) != 0)
            i++;
        if (i < count)
            continue;
        (void)snprintf(message, sizeof message, "unknown key '%s' in %s", key, what);
        add_fault(c, hs_json_place_key(c->doc, m),
                  hs_did_you_mean(nearest, key, keys, count, known), message);
    }
}

bool hs_jsoncheck_name(struct hs_jsoncheck *c, const struct hs_json *at, const char *name,
                       const char *what)
{
    size_t len = strlen(name);
    if (len > 0 && len <= NAME_MAX)
        return true;
    hs_jsoncheck_fault(c, at, NULL, "%s must have 1..%u bytes", what, NAME_MAX);
    return false;
}

int64_t hs_jsoncheck_int(struct hs_jsoncheck *c, const struct hs_json *object, const char *key,
                         int64_t min, int64_t max, int64_t preset)
{
    const struct hs_json *value = hs_json_get(object, key);
    int64_t number;
    if (value == NULL)
        return preset;
    if (hs_json_int(value, &number) && number >= min && number <= max)
        return number;
    hs_jsoncheck_fault(c, value, NULL, "%s must be a whole number %" PRId64 "..%" PRId64, key, min,
                       max);
    return preset;
}

bool hs_jsoncheck_number(struct hs_jsoncheck *c, const struct hs_json *object, const char *key,
                         double min, double max, double *out)
{
    const struct hs_json *value = hs_json_get(object, key);
    double number = hs_json_number(value);
    if (hs_json_kind(value) == HS_JSON_NUMBER && number >= min && number <= max) {
        *out = number;
        return true;
    }
    if (value == NULL)
        hs_jsoncheck_fault(c, object, NULL, "\"%s\" is missing", key);
    else
        hs_jsoncheck_fault(c, value, NULL, "%s must be a number %g..%g", key, min, max);
    return false;
}

const char *hs_jsoncheck_text(struct hs_jsoncheck *c, const struct hs_json *object, const char *key)
{
    const struct hs_json *value = hs_json_get(object, key);
    if (value == NULL || !hs_jsoncheck_kind(c, value, HS_JSON_TEXT, key))
        return NULL;
    const char *text = hs_json_text(value);
    return hs_jsoncheck_name(c, value, text, key) ? text : NULL;
}
