/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of interference as tables for people.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fmt.h"
#include "calibrate/figures.h"
#include "calibrate/interference_study.h"

#define TEXT_MAX 64

const char *const hs_general_lines[HS_GENERAL_LINES] = {
    [HS_GENERAL_OWN] = "unseen model, own",
    [HS_GENERAL_OTHER] = "unseen model, co-runner",
    [HS_GENERAL_MODELS] = "unseen pair of models",
    [HS_GENERAL_JOBS] = "unseen pair of jobs",
    [HS_GENERAL_ALL] = "in sample",
};
const char *const hs_table_lines[HS_TABLE_LINES] = {
    [HS_TABLE_JOBS] = "unseen pair of jobs",
    [HS_TABLE_MODELS] = "unseen pair of models",
    [HS_TABLE_JOBS_APPLIED] = "unseen pair of jobs, S cut to 1",
    [HS_TABLE_MODELS_APPLIED] = "unseen pair of models, S cut to 1",
    [HS_TABLE_ALL] = "in sample",
};
const char *const hs_cold_lines[HS_COLD_STEPS] = {
    "new job after 0 tries", "new job after 1 try",   "new job after 2 tries",
    "new job after 3 tries", "new job after 5 tries", "new job after 8 tries",
};

static void say_decisions_head(struct hs_output *out)
{
    hs_say(out, "\n  %-42s%7s   share of right decisions  balanced\n", "S of both at most",
           "pairs");
    hs_say(out, "  %-42s%7s", "", "");
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t t = 0; t < HS_PAIR_THRESHOLDS; t++)
            hs_say_number(out, hs_pair_thresholds[t], 1, 8);
    hs_say(out, "\n");
}

static void say_decisions(struct hs_output *out, const char *name, const struct hs_pairscore *s)
{
    hs_say(out, "  %-42s%7" PRIu32, name, s->pairs);
    for (uint32_t t = 0; t < HS_PAIR_THRESHOLDS; t++)
        hs_say_number(out, s->accuracy[t], 3, 8);
    for (uint32_t t = 0; t < HS_PAIR_THRESHOLDS; t++)
        hs_say_number(out, s->balanced[t], 3, 8);
    hs_say(out, "\n");
}

static void say_size(struct hs_output *out, const struct hs_pairset *set)
{
    hs_say(out, "%" PRIu32 " speeds, %" PRIu32 " pairs, %" PRIu32 " jobs of %" PRIu32 " models",
           set->row_count, set->runs, set->job_count, set->model_count);
}

static void say_coefficient(struct hs_output *out, const char *name, double value)
{
    hs_say(out, "   %s ", name);
    hs_say_number(out, value, 4, 0);
}

/* Only the last threshold is tuned. */
static void say_tuned(const struct hs_interference_study *s, struct hs_output *out)
{
    hs_say(out, "\n  S above %.1f is seldom predicted: cut at ", HS_TUNED_THRESHOLD);
    hs_say_number(out, s->tuned_cut, 2, 0);
    hs_say(out, " instead, found without the unseen rows\n");
    for (int line = 0; line < HS_GENERAL_LINES; line++) {
        const struct hs_pairscore *score = &s->tuned[line];
        hs_say(out, "  %-42s%7" PRIu32 "%16s", hs_general_lines[line], score->pairs, "");
        hs_say_number(out, score->accuracy[HS_PAIR_THRESHOLDS - 1], 3, 8);
        hs_say(out, "%16s", "");
        hs_say_number(out, score->balanced[HS_PAIR_THRESHOLDS - 1], 3, 8);
        hs_say(out, "\n");
    }
}

static void say_general(const struct hs_interference_study *s, struct hs_output *out)
{
    char name[TEXT_MAX];
    const double *theta = s->general.theta;
    hs_say(out, "\n%s, general form S = 1 + k u^alpha v^beta\n  ", s->general.set->gpu);
    say_size(out, s->general.set);
    hs_say(out, "\n");
    say_coefficient(out, "k", exp(theta[HS_GENERAL_LN_K]));
    say_coefficient(out, "alpha", theta[HS_GENERAL_ALPHA]);
    say_coefficient(out, "beta", theta[HS_GENERAL_BETA]);
    hs_say(out, "\n");
    hs_say_score_head(out, "speed beside another");
    for (int line = 0; line < HS_GENERAL_LINES; line++)
        hs_say_score(out, hs_general_lines[line], &s->scores[line].speed);
    for (int line = 0; line < HS_GENERAL_MODELS; line++) {
        (void)snprintf(name, sizeof name, "%s, exponents 1, 1.75", hs_general_lines[line]);
        hs_say_score(out, name, &s->fixed[line].speed);
    }
    say_decisions_head(out);
    for (int line = 0; line < HS_GENERAL_LINES; line++)
        say_decisions(out, hs_general_lines[line], &s->scores[line]);
    say_tuned(s, out);
}

static void say_cold(const struct hs_table_study *t, struct hs_output *out)
{
    for (uint32_t step = 0; step < HS_COLD_STEPS; step++)
        hs_say_score(out, hs_cold_lines[step], &t->cold[step]);
}

static const char *say_of_pairs(const struct hs_interference_study *s,
                                const struct hs_table_study *t)
{
    if (hs_interference_keeps_pairs(s, t))
        return "written to the model file, and used before the fit";
    return s->options->is_keeping_pairs ? "not written: Lucid's licence does not allow it"
                                        : "not written: not asked for";
}

static void say_table(const struct hs_interference_study *s, const struct hs_table_study *t,
                      struct hs_output *out)
{
    char lambda[HS_FMT_MAX];
    hs_say(out, "\n%s, %s table: %s\n  ", t->set.gpu, hs_interference_form(t),
           t->is_two_way ? "general form + curves of both jobs + effect of both models"
                         : "1 / (1 + a b) + effect of both models");
    say_size(out, &t->set);
    size_t len = hs_fmt_double(lambda, hs_score_round(t->ridge));
    hs_say(out, ", lambda %.*s", (int)len, lambda);
    hs_say(out, "\n  measured pairs %s\n", say_of_pairs(s, t));
    hs_say_score_head(out, "speed beside another");
    for (int line = 0; line < HS_TABLE_LINES; line++)
        hs_say_score(out, hs_table_lines[line], &t->scores[line].speed);
    if (!t->is_two_way)
        say_cold(t, out);
    say_decisions_head(out);
    for (int line = 0; line < HS_TABLE_LINES; line++)
        if (line != HS_TABLE_JOBS_APPLIED && line != HS_TABLE_MODELS_APPLIED)
            say_decisions(out, hs_table_lines[line], &t->scores[line]);
}

void hs_interference_say(const struct hs_interference_study *study, struct hs_output *out)
{
    if (study->chosen != UINT32_MAX)
        say_general(study, out);
    else
        hs_say(out, "\nno general form: the data tells no utilization of jobs alone\n");
    for (uint32_t i = 0; i < study->count; i++)
        say_table(study, &study->tables[i], out);
}
