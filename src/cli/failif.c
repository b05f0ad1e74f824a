/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * METRIC, '>' or '<', a signed per cent or a plain value, and perhaps '@' and a policy. A per cent
 * without its sign is refused: of a share it could be meant either way.
 */
#include "cli/failif.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"

#define NAME_SIZE 64
#define EXPECTED  "for example 'mean_jct>+1%', 'gpu_utilization<-5%@sjf' or 'ooms>0'"

struct word {
    const char *text;
    size_t len;
};

static struct word trim(const char *text, size_t len)
{
    while (len > 0 && *text == ' ') {
        text++;
        len--;
    }
    while (len > 0 && text[len - 1] == ' ')
        len--;
    return (struct word){text, len};
}

static bool is_word(struct word word, const char *text)
{
    return strlen(text) == word.len && memcmp(word.text, text, word.len) == 0;
}

/* "did you mean 'x'?", or the other hint if no word is near. */
static enum hs_status unknown(const char *text, const char *what, struct word word,
                              const char *const *words, uint32_t count, const char *otherwise,
                              struct hs_diag *diag)
{
    char name[NAME_SIZE], hint[2 * NAME_SIZE];
    (void)snprintf(name, sizeof name, "%.*s", (int)(word.len < sizeof name ? word.len : 0),
                   word.text);
    const char *nearest = hs_nearest(name, words, count);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%.100s'?", nearest);
    return hs_fail(diag, HS_E_USAGE, NULL, nearest != NULL ? hint : otherwise,
                   "--fail-if '%s': unknown %s '%.*s'", text, what, (int)word.len, word.text);
}

static enum hs_status parse_metric(const char *text, struct word word,
                                   const struct hs_failif_names *names, uint32_t *metric,
                                   struct hs_diag *diag)
{
    for (uint32_t i = 0; i < names->metric_count; i++)
        if (is_word(word, names->metrics[i])) {
            *metric = i;
            return HS_OK;
        }
    return unknown(text, "metric", word, names->metrics, names->metric_count,
                   "results/README.md lists the metrics", diag);
}

/* As it was given to -p; the name alone where only one policy has it. */
static enum hs_status parse_policy(const char *text, struct word word,
                                   const struct hs_failif_names *names, uint32_t *policy,
                                   struct hs_diag *diag)
{
    uint32_t namesakes = 0;
    for (uint32_t i = 0; i < names->policy_count; i++) {
        const char *spec = names->policies[i];
        if (is_word(word, spec)) {
            *policy = i;
            return HS_OK;
        }
        if (strcspn(spec, ":") == word.len && memcmp(spec, word.text, word.len) == 0) {
            *policy = i;
            namesakes++;
        }
    }
    if (namesakes == 1)
        return HS_OK;
    return unknown(text, "policy", word, names->policies, names->policy_count,
                   "one of those given with -p, with its parameters", diag);
}

static enum hs_status parse_limit(struct word word, struct hs_failif *condition,
                                  struct hs_diag *diag)
{
    bool is_percent = word.len > 0 && word.text[word.len - 1] == '%';
    bool is_signed = word.len > 0 && (*word.text == '+' || *word.text == '-');
    size_t plus = word.len > 0 && *word.text == '+';
    struct word number = trim(word.text + plus, word.len - plus - is_percent);
    if (!hs_parse_double(number.text, number.len, &condition->limit))
        return hs_fail(diag, HS_E_USAGE, NULL, EXPECTED, "--fail-if '%s': '%.*s' is no number",
                       condition->text, (int)word.len, word.text);
    if (is_percent && !is_signed)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "+1% is a change against the first policy; a share itself is written 0.5",
                       "--fail-if '%s': a per cent needs its sign", condition->text);
    condition->is_relative = is_percent;
    if (is_percent)
        condition->limit /= 100;
    return HS_OK;
}

enum hs_status hs_failif_parse(const char *text, const struct hs_failif_names *names,
                               struct hs_failif *condition, struct hs_diag *diag)
{
    size_t name = strcspn(text, "<>");
    *condition = (struct hs_failif){.text = text, .policy = UINT32_MAX};
    if (text[name] == '\0')
        return hs_fail(diag, HS_E_USAGE, NULL, EXPECTED, "--fail-if '%s': neither '>' nor '<'",
                       text);
    const char *limit = text + name + 1;
    size_t len = strcspn(limit, "@");
    condition->is_more = text[name] == '>';
    HS_TRY(parse_metric(text, trim(text, name), names, &condition->metric, diag));
    HS_TRY(parse_limit(trim(limit, len), condition, diag));
    if (limit[len] == '\0')
        return HS_OK;
    struct word policy = trim(limit + len + 1, strlen(limit + len + 1));
    HS_TRY(parse_policy(text, policy, names, &condition->policy, diag));
    if (condition->is_relative && condition->policy == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "name another, or leave the '@' out",
                       "--fail-if '%s': the first policy is what the others are held against",
                       text);
    return HS_OK;
}

bool hs_failif_concerns(const struct hs_failif *condition, uint32_t policy)
{
    if (condition->is_relative && policy == 0)
        return false;
    return condition->policy == UINT32_MAX || condition->policy == policy;
}

double hs_failif_figure(const struct hs_failif *condition, const struct hs_failif_figures *f)
{
    if (!condition->is_relative)
        return f->mean;
    if (f->first == 0 && f->mean >= 0)
        return f->mean > 0 ? (double)INFINITY : 0;
    return f->ratio - 1;
}

bool hs_failif_holds(const struct hs_failif *condition, double figure)
{
    return condition->is_more ? figure > condition->limit : figure < condition->limit;
}
