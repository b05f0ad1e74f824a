/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Metavariables: each is parsed, and all in the tables are known, so that help, completion and
 * schema describe every value.
 */
#include "cli/help.c"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cli/cli.h"

/* The parts at the position, separated by blanks; a literal in quotes. */
static void expect(const char *text, uint32_t position, const char *parts)
{
    char got[256] = "";
    size_t len = 0;
    struct hs_metavar_part part;
    for (uint32_t i = 0; hs_metavar_part(text, position, i, &part); i++)
        len += (size_t)snprintf(got + len, sizeof got - len, part.is_literal ? "'%.*s' " : "%.*s ",
                                (int)part.len, part.text);
    assert_string_equal(got, parts);
}

static void test_parts(void **state)
{
    (void)state;
    expect("FILE", 0, "FILE ");
    expect("FILE", 1, "");
    expect("TIME|auto|exact", 0, "TIME 'auto' 'exact' ");
    expect("[COMMAND|formats]", 0, "COMMAND 'formats' ");
    expect("info|validate|assign FILE", 0, "'info' 'validate' 'assign' ");
    expect("info|validate|assign FILE", 1, "FILE ");
    expect("TRACE | RUN RUN", 0, "TRACE RUN ");
    expect("TRACE | RUN RUN", 1, "RUN ");
    expect("RUN...", 0, "RUN ");
    expect("NAME[:KEY=VALUE,...]", 0, "NAME[:KEY=VALUE,...] ");
    expect("TIME/TIME/...", 0, "TIME/TIME/... ");
    expect("", 0, "");
}

static void assert_known(const struct hs_verb *verb, const char *text, uint32_t position)
{
    struct hs_metavar_part part;
    for (uint32_t i = 0; hs_metavar_part(text, position, i, &part); i++)
        if (!part.is_literal && part.known == NULL)
            fail_msg("horus %s: '%.*s' of '%s' is no row of the vocabulary", verb->name,
                     (int)part.len, part.text, text);
}

static void test_every_unit_is_known(void **state)
{
    char choices[256];
    const struct hs_verb *verb;
    (void)state;
    for (size_t v = 0; (verb = hs_verb_at(v)) != NULL; v++) {
        for (uint32_t at = 0; at < verb->operands_max && at < 4; at++)
            assert_known(verb, verb->operands, at);
        for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
            if (o->param.type == HS_PARAM_TEXT || o->param.type == HS_PARAM_FILE)
                assert_known(verb, hs_option_metavar(&o->param, choices, sizeof choices), 0);
    }
}

/* Each word has one row: no duplicates. */
static void test_rows_are_unlike(void **state)
{
    (void)state;
    for (size_t i = 0; i < METAVAR_COUNT; i++)
        for (size_t j = i + 1; j < METAVAR_COUNT; j++)
            assert_string_not_equal(metavars[i].name, metavars[j].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_every_unit_is_known),
        cmocka_unit_test(test_rows_are_unlike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
