/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The scripted policy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/script.h"

#include "base/fixed.h"

static script_fn *script;
hs_job_id script_handle[16];
static int submitted, calls;
char script_told[256];
uint32_t script_knows;
struct hs_test_options script_options;

static void note(char c)
{
    size_t len = strlen(script_told);
    if (len + 1 < sizeof script_told)
        script_told[len] = c;
}

static void on_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    (void)state;
    (void)v;
    if (event->kind == HS_EVENT_SUBMIT)
        script_handle[submitted++] = event->job;
    if (event->kind == HS_EVENT_TIMER)
        note((char)event->tag);
    else
        note("UFSOPBM"[event->kind]);
}

static enum hs_status decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    (void)state;
    script(v, p, calls++);
    return HS_OK;
}

static struct hs_policy_ops scripted = {
    .name = "scripted", .state_size = 1, .on_event = on_event, .decide = decide};

enum hs_status script_play(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                           uint32_t can, script_fn *what, struct hs_test_result *r)
{
    struct hs_test_options options = script_options;
    options.policy = &scripted;
    if (options.interference == NULL && options.excess >= 0)
        options.excess = 1;
    scripted.can = can;
    scripted.knows = script_knows;
    script = what;
    submitted = calls = 0;
    memset(script_told, 0, sizeof script_told);
    return hs_test_run_with(jobs, count, cluster, NULL, &options, r);
}

void assert_script_refused(enum hs_status status, struct hs_test_result *r, const char *rule)
{
    assert_int_equal(status, HS_E_POLICY);
    if (strstr(r->message, rule) == NULL)
        fail_msg("expected '%s' in: %s", rule, r->message);
    hs_test_free(r);
}
