/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/verbs/compare_cells.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/sink.h"

#define NONE ((double)NAN)

static const char *const metrics[] = {"mean_jct", "gpu_utilization", "ooms"};
static const char *const policies[] = {"fifo", "sjf", "pack:scan=fit", "pack"};
static const struct words names = {metrics, policies, 3, 4};
static struct sink sink;
static struct condition condition;

static enum hs_status parse(const char *text)
{
    sink_init(&sink);
    return parse_condition(text, &names, &condition, &sink.diag);
}

static void relative_conditions(void **state)
{
    (void)state;
    assert_int_equal(parse("mean_jct>+1%"), HS_OK);
    assert_true(condition.metric == 0 && condition.is_more && condition.is_relative);
    assert_true(condition.limit == 0.01 && condition.policy == UINT32_MAX);
    assert_int_equal(parse(" gpu_utilization < -12.5 % @ pack:scan=fit "), HS_OK);
    assert_true(condition.metric == 1 && !condition.is_more && condition.is_relative);
    assert_true(condition.limit == -0.125 && condition.policy == 2);
}

static void absolute_conditions(void **state)
{
    (void)state;
    assert_int_equal(parse("ooms>0"), HS_OK);
    assert_true(condition.metric == 2 && condition.is_more && !condition.is_relative);
    assert_true(condition.limit == 0);
    assert_int_equal(parse("gpu_utilization<0.5@fifo"), HS_OK);
    assert_true(condition.limit == 0.5 && condition.policy == 0 && !condition.is_more);
    assert_int_equal(parse("mean_jct<-1"), HS_OK);
    assert_true(condition.limit == -1 && !condition.is_relative);
}

/* "pack" names the last policy, although "pack:scan=fit" begins with it; "sjf" needs no
 * parameters. */
static void policies_by_name(void **state)
{
    (void)state;
    static const char *const tuned[] = {"fifo", "srtf:form=evict", "sjf:a=1", "sjf:a=2"};
    const struct words others = {metrics, tuned, 3, 4};
    assert_int_equal(parse("ooms>0@pack"), HS_OK);
    assert_int_equal(condition.policy, 3);
    assert_int_equal(parse_condition("ooms>0@srtf", &others, &condition, &sink.diag), HS_OK);
    assert_int_equal(condition.policy, 1);
    assert_int_equal(parse_condition("ooms>0@sjf", &others, &condition, &sink.diag), HS_E_USAGE);
}

static void expect_refused(const char *text, const char *said)
{
    assert_int_equal(parse(text), HS_E_USAGE);
    if (strstr(sink.text, said) == NULL)
        fail_msg("'%s': %s", text, sink.text);
}

static void what_is_no_condition(void **state)
{
    (void)state;
    expect_refused("mean_jct", "neither '>' nor '<'");
    expect_refused("", "neither '>' nor '<'");
    expect_refused("mean_jtc>+1%",
                   "unknown metric 'mean_jtc'\n      = hint: did you mean 'mean_jct'?");
    expect_refused(">+1%", "unknown metric ''\n      = hint: results/README.md");
    expect_refused("mean_jct>1%", "a percentage needs a sign, + or -");
    expect_refused("mean_jct>=3", "'=3' is no number");
    expect_refused("mean_jct>", "'' is no number");
    expect_refused("mean_jct>%", "'%' is no number");
    expect_refused("mean_jct>++1%", "'++1%' is no number");
    expect_refused("mean_jct>+1%%", "'+1%%' is no number");
    expect_refused("ooms>0@sfj", "unknown policy 'sfj'\n      = hint: did you mean 'sjf'?");
    expect_refused("ooms>0@", "unknown policy ''");
    expect_refused("mean_jct>+1%@fifo", "the others are compared with the first policy");
}

static void policies_it_applies_to(void **state)
{
    (void)state;
    assert_int_equal(parse("mean_jct>+1%"), HS_OK);
    assert_false(concerns(&condition, 0));
    assert_true(concerns(&condition, 1) && concerns(&condition, 3));
    assert_int_equal(parse("ooms>0"), HS_OK);
    assert_true(concerns(&condition, 0) && concerns(&condition, 3));
    assert_int_equal(parse("mean_jct>+1%@sjf"), HS_OK);
    assert_true(concerns(&condition, 1));
    assert_false(concerns(&condition, 3));
}

static bool holds(const char *text, double mean, double first, double ratio)
{
    assert_int_equal(parse(text), HS_OK);
    return is_met(&condition, figure_of(&condition, mean, first, ratio));
}

/* The mean of the ratios decides, not the ratio of the means: over several runs they differ. The
 * limit itself is allowed. */
static void when_it_holds(void **state)
{
    (void)state;
    assert_true(holds("mean_jct>+25%", 1, 1, 1.5));
    assert_false(holds("mean_jct>+25%", 9, 1, 1.25));
    assert_true(holds("mean_jct<-25%", 1, 1, 0.5));
    assert_false(holds("mean_jct<-25%", 0.1, 1, 0.75));
    assert_true(holds("ooms>0", 0.2, 0, NONE));
    assert_false(holds("ooms>0", 0, 0, NONE));
    assert_true(holds("gpu_utilization<0.5", 0.4, 1, 0.4));
}

/* From 0 to more is beyond every limit, from 0 to 0 is no change; an absent value cannot be
 * judged. */
static void against_nothing(void **state)
{
    (void)state;
    assert_true(holds("ooms>+1000%", 1, 0, NONE));
    assert_false(holds("ooms<-1%", 1, 0, NONE));
    assert_false(holds("ooms>+1%", 0, 0, NONE));
    assert_false(holds("mean_jct>+1%", NONE, 5, NONE));
    assert_false(holds("mean_jct<+1%", NONE, 0, NONE));
    assert_false(holds("mean_jct>0", NONE, 5, NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_conditions),    cmocka_unit_test(absolute_conditions),
        cmocka_unit_test(policies_by_name),       cmocka_unit_test(what_is_no_condition),
        cmocka_unit_test(policies_it_applies_to), cmocka_unit_test(when_it_holds),
        cmocka_unit_test(against_nothing),
    };
    return cmocka_run_group_tests_name("fail_if", tests, NULL, NULL);
}
