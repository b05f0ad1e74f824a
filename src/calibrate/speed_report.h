/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a calibration of speed found, and how it is told: to people, as the model file, as rows.
 *
 *     HS_TRY(hs_speed_say(&result, out));
 *     HS_TRY(hs_speed_write(&result, w));           // members of an object that is open
 *     HS_TRY(hs_speed_write_rows(&result.table, path, diag));
 */
#ifndef HORUS_CALIBRATE_SPEED_REPORT_H
#define HORUS_CALIBRATE_SPEED_REPORT_H

#include "calibrate/speed_table.h"
#include "data/json.h"

#define HS_SPEED_NOTES 160u

struct hs_speed_result {
    struct hs_speeds table;
    struct hs_gangs gangs;
    char notes[HS_SPEED_NOTES][256]; /* what the reader of the figures must know */
    uint32_t note_count;
};

HS_MUST_USE enum hs_status hs_speed_say(const struct hs_speed_result *result,
                                        struct hs_output *out);
HS_MUST_USE enum hs_status hs_speed_write(const struct hs_speed_result *result, struct hs_jsonw *w);
/* Speeds relative to the reference, observed and predicted, under every protocol. */
HS_MUST_USE enum hs_status hs_speed_write_rows(const struct hs_speeds *table, const char *path,
                                               struct hs_diag *diag);

#endif
