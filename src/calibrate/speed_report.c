/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables, model file and rows of a calibration of speed. Errors are of times, because times are
 * what a simulation is about: predicted / measured - 1.
 */
#include "calibrate/speed_report.h"

#include <inttypes.h>
#include <math.h>

#include "calibrate/figures.h"
#include "data/csvwrite.h"

/* ---- for people ---- */

static void say_speeds(struct hs_output *out, const struct hs_speeds *table, const double *speed)
{
    for (uint32_t t = 0; t < table->type_count; t++)
        hs_say_number(out, speed[t] > 0 ? speed[t] : NAN, 3, 9);
    hs_say(out, "\n");
}

static void say_table(struct hs_output *out, const struct hs_speeds *table)
{
    hs_say(out, "\n%-32s%-15s", "speed of a job", "family");
    for (uint32_t t = 0; t < table->type_count; t++)
        hs_say(out, "%9s", table->types[t]);
    hs_say(out, "\n");
    for (uint32_t j = 0; j < table->job_count; j++) {
        hs_say(out, "  %-30s%-15s", table->jobs[j].profile, table->jobs[j].family);
        say_speeds(out, table, table->jobs[j].speed);
    }
    for (uint32_t f = 0; f < table->family_count; f++) {
        hs_say(out, "  mean of %5" PRIu32 "%-17s%-15s", table->families[f].jobs, " jobs",
               table->families[f].name);
        say_speeds(out, table, table->families[f].speed);
    }
}

static enum hs_status say_errors(struct hs_output *out, const struct hs_speeds *table)
{
    hs_say(out, "\nerror of the time if a speed is not measured, %% (mean and 95 %% of n jobs)\n");
    for (uint32_t r = 0; r < table->type_count; r++)
        for (uint32_t t = r + 1; t < table->type_count; t++) {
            hs_say(out, "  time on %s from time on %s\n", table->types[t], table->types[r]);
            for (int scheme = 0; scheme < HS_SPEEDS_SCHEMES; scheme++) {
                struct hs_score score;
                HS_TRY(hs_speeds_error(table, (enum hs_speeds_scheme)scheme, t, r, &score));
                hs_say(out, "    %-40s%5" PRIu32, hs_speeds_schemes[scheme].name, score.n);
                hs_say_number(out, 100 * score.mae, 1, 8);
                hs_say_number(out, 100 * score.p95, 1, 8);
                hs_say(out, "\n");
            }
        }
    return HS_OK;
}

static void say_curves(struct hs_output *out, const char *title, const struct hs_gang_curve *curves,
                       uint32_t count)
{
    if (count > 0)
        hs_say(out, "\n%s\n", title);
    for (uint32_t i = 0; i < count; i++) {
        hs_say(out, "  %-10s%-16s%3" PRIu32 " jobs", curves[i].gpu, curves[i].family,
               curves[i].jobs);
        for (uint32_t k = 0; k < curves[i].count; k++) {
            hs_say(out, "%6" PRIu32 " GPUs", curves[i].gpus[k]);
            hs_say_number(out, curves[i].value[k], 3, 6);
        }
        hs_say(out, "\n");
    }
}

enum hs_status hs_speed_say(const struct hs_speed_result *s, struct hs_output *out)
{
    say_table(out, &s->table);
    HS_TRY(say_errors(out, &s->table));
    say_curves(out, "scaling efficiency of gangs on as few nodes as possible", s->gangs.scaling,
               s->gangs.scaling_count);
    say_curves(out, "throughput of spread gangs relative to those", s->gangs.spread,
               s->gangs.spread_count);
    if (s->note_count > 0)
        hs_say(out, "\n");
    for (uint32_t i = 0; i < s->note_count; i++)
        hs_say(out, "note: %s\n", s->notes[i]);
    return HS_OK;
}

/* ---- the model file ---- */

static void write_speeds(struct hs_jsonw *w, const struct hs_speeds *table, const double *speed)
{
    hs_jsonw_key(w, "speed");
    hs_jsonw_object(w);
    for (uint32_t t = 0; t < table->type_count; t++)
        if (speed[t] > 0)
            hs_score_write_number(w, table->types[t], speed[t]);
    hs_jsonw_end_object(w);
}

static void write_table(struct hs_jsonw *w, const struct hs_speeds *table)
{
    hs_jsonw_key(w, "types");
    hs_jsonw_array(w);
    for (uint32_t t = 0; t < table->type_count; t++)
        hs_jsonw_text(w, table->types[t]);
    hs_jsonw_end_array(w);
    hs_jsonw_member_text(w, "reference", table->types[0]);
    hs_jsonw_key(w, "jobs");
    hs_jsonw_array(w);
    for (uint32_t j = 0; j < table->job_count; j++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "profile", table->jobs[j].profile);
        hs_jsonw_member_text(w, "family", table->jobs[j].family);
        write_speeds(w, table, table->jobs[j].speed);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
    hs_jsonw_key(w, "families");
    hs_jsonw_array(w);
    for (uint32_t f = 0; f < table->family_count; f++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "family", table->families[f].name);
        hs_jsonw_member_u64(w, "jobs", table->families[f].jobs);
        write_speeds(w, table, table->families[f].speed);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void write_curves(struct hs_jsonw *w, const char *key, const char *value_key,
                         const struct hs_gang_curve *curves, uint32_t count)
{
    hs_jsonw_key(w, key);
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < count; i++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "family", curves[i].family);
        hs_jsonw_member_text(w, "gpu", curves[i].gpu);
        hs_jsonw_member_u64(w, "jobs", curves[i].jobs);
        hs_jsonw_key(w, "gpus");
        hs_jsonw_array(w);
        for (uint32_t k = 0; k < curves[i].count; k++)
            hs_jsonw_u64(w, curves[i].gpus[k]);
        hs_jsonw_end_array(w);
        hs_jsonw_key(w, value_key);
        hs_jsonw_array(w);
        for (uint32_t k = 0; k < curves[i].count; k++)
            hs_jsonw_double(w, hs_score_round(curves[i].value[k]));
        hs_jsonw_end_array(w);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static enum hs_status write_error(struct hs_jsonw *w, const struct hs_speeds *table,
                                  enum hs_speeds_scheme scheme, uint32_t type, uint32_t reference)
{
    struct hs_score score;
    HS_TRY(hs_speeds_error(table, scheme, type, reference, &score));
    if (score.n == 0)
        return HS_OK;
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "protocol", hs_speeds_schemes[scheme].protocol);
    hs_jsonw_member_text(w, "fallback", hs_speeds_schemes[scheme].fallback);
    hs_jsonw_member_text(w, "gpu", table->types[type]);
    hs_jsonw_member_text(w, "reference", table->types[reference]);
    hs_jsonw_member_u64(w, "n", score.n);
    hs_score_write_number(w, "mape", score.mae);
    hs_score_write_number(w, "p95", score.p95);
    hs_jsonw_end_object(w);
    return HS_OK;
}

static enum hs_status write_errors(struct hs_jsonw *w, const struct hs_speeds *table)
{
    hs_jsonw_key(w, "holdout");
    hs_jsonw_array(w);
    for (int scheme = 0; scheme < HS_SPEEDS_SCHEMES; scheme++)
        for (uint32_t r = 0; r < table->type_count; r++)
            for (uint32_t t = 0; t < table->type_count; t++)
                if (t != r)
                    HS_TRY(write_error(w, table, (enum hs_speeds_scheme)scheme, t, r));
    hs_jsonw_end_array(w);
    return HS_OK;
}

enum hs_status hs_speed_write(const struct hs_speed_result *s, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "notes");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < s->note_count; i++)
        hs_jsonw_text(w, s->notes[i]);
    hs_jsonw_end_array(w);
    write_table(w, &s->table);
    write_curves(w, "scaling", "efficiency", s->gangs.scaling, s->gangs.scaling_count);
    write_curves(w, "spread", "factor", s->gangs.spread, s->gangs.spread_count);
    return write_errors(w, &s->table);
}

/* ---- rows for plots ---- */

static void write_row(struct hs_csvw *w, const struct hs_speeds *table,
                      enum hs_speeds_scheme scheme, uint32_t job, uint32_t type)
{
    double observed = hs_speeds_observed(table, job, type, 0);
    double predicted = hs_speeds_predicted(table, scheme, job, type, 0);
    if (isnan(observed) || isnan(predicted))
        return;
    hs_csvw_text(w, hs_speeds_schemes[scheme].protocol);
    hs_csvw_text(w, hs_speeds_schemes[scheme].fallback);
    hs_csvw_text(w, table->types[type]);
    hs_csvw_text(w, table->jobs[job].profile);
    hs_csvw_text(w, table->jobs[job].family);
    hs_csvw_double(w, hs_score_round(observed));
    hs_csvw_double(w, hs_score_round(predicted));
    hs_csvw_end(w);
}

enum hs_status hs_speed_write_rows(const struct hs_speeds *table, const char *path,
                                   struct hs_diag *diag)
{
    struct hs_csvw w;
    HS_TRY(hs_csvw_open(&w, path, "protocol,fallback,gpu,job,family,observed,predicted", diag));
    for (int scheme = 0; scheme < HS_SPEEDS_SCHEMES; scheme++)
        for (uint32_t t = 1; t < table->type_count; t++)
            for (uint32_t j = 0; j < table->job_count; j++)
                write_row(&w, table, (enum hs_speeds_scheme)scheme, j, t);
    return hs_csvw_close(&w, diag);
}
