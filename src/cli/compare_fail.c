/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --fail-if: read before anything is simulated, judged when everything is written.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare.h"

enum hs_status hs_compare_read_conditions(struct hs_compare *c)
{
    const char *metrics[HS_METRICS_MAX], *policies[HS_COMPARED_MAX], *text = c->options->fail_if;
    const struct hs_failif_names names = {metrics, policies, c->metrics->count, c->policy_count};
    struct hs_arena *arena = &c->call->arena;
    if (text == NULL)
        return HS_OK;
    for (uint32_t m = 0; m < c->metrics->count; m++)
        metrics[m] = c->metrics->metrics[m].name;
    for (uint32_t p = 0; p < c->policy_count; p++)
        policies[p] = c->policies[p].spec;
    c->conditions = hs_arena_alloc(arena, (strlen(text) + 1) * sizeof *c->conditions);
    for (size_t len;; text += len + 1) {
        len = strcspn(text, "\n");
        const char *one = hs_arena_text(arena, text, len);
        if (c->conditions == NULL || one == NULL)
            return hs_fail(&c->call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
        HS_TRY(hs_failif_parse(one, &names, &c->conditions[c->condition_count], &c->call->diag));
        c->condition_count++;
        if (text[len] == '\0')
            return HS_OK;
    }
}

/* " s", " GPU s", "" for a plain number. */
static void unit_text(const struct hs_metric *metric, char *text, size_t size)
{
    bool is_plain = strcmp(metric->unit, "1") == 0;
    (void)snprintf(text, size, "%s%s", is_plain ? "" : " ", is_plain ? "" : metric->unit);
}

static void tell(const struct hs_compare *c, const struct hs_failif *condition, uint32_t policy,
                 double figure)
{
    const struct hs_metric *metric = &c->metrics->metrics[condition->metric];
    size_t at = (size_t)policy * c->metrics->count + condition->metric;
    char unit[32];
    unit_text(metric, unit, sizeof unit);
    if (condition->is_relative && isinf(figure))
        hs_report(&c->call->diag, HS_ERROR, NULL, NULL,
                  "--fail-if '%s': %s of %s is %.8g%s, that of %s 0", condition->text, metric->name,
                  c->policies[policy].spec, c->means[at].value, unit, c->policies[0].spec);
    else if (condition->is_relative)
        hs_report(&c->call->diag, HS_ERROR, NULL, NULL,
                  "--fail-if '%s': %s of %s is %.8g%s, %+.4g %% against the %.8g%s of %s",
                  condition->text, metric->name, c->policies[policy].spec, c->means[at].value, unit,
                  100 * figure, c->means[condition->metric].value, unit, c->policies[0].spec);
    else
        hs_report(&c->call->diag, HS_ERROR, NULL, NULL, "--fail-if '%s': %s of %s is %.8g%s",
                  condition->text, metric->name, c->policies[policy].spec, figure, unit);
}

static enum hs_status judge(const struct hs_compare *c, const struct hs_failif *condition,
                            uint32_t policy)
{
    size_t at = (size_t)policy * c->metrics->count + condition->metric;
    const struct hs_failif_figures figures = {.mean = c->means[at].value,
                                              .first = c->means[condition->metric].value,
                                              .ratio = c->ratios[at].value};
    double figure = hs_failif_figure(condition, &figures);
    if (isnan(figure))
        hs_report(&c->call->diag, HS_WARNING, NULL, NULL,
                  "--fail-if '%s': not judged: there is no %s of %s", condition->text,
                  c->metrics->metrics[condition->metric].name, c->policies[policy].spec);
    if (!hs_failif_holds(condition, figure))
        return HS_OK;
    tell(c, condition, policy, figure);
    return HS_E_DIFFERS;
}

enum hs_status hs_compare_judge(const struct hs_compare *c)
{
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; i < c->condition_count; i++)
        for (uint32_t p = 0; p < c->policy_count; p++)
            if (hs_failif_concerns(&c->conditions[i], p) && judge(c, &c->conditions[i], p) != HS_OK)
                status = HS_E_DIFFERS;
    return status;
}
