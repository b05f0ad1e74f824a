/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of subjects and what all of them do alike: read the data, and tell which files it was,
 * which steps cleaned it, and what became of each row. A file is told by its base name, size and
 * hash, so that a model file does not depend on where the data lay.
 */
#include "calibrate/calibration.h"

#include <inttypes.h>

#include "model/modelfile.h"

#define SUBJECTS(X) X(interference) X(utilization) X(predictor) X(speed)

#define DECLARE(name) extern const struct hs_calibration hs_calibration_##name;
SUBJECTS(DECLARE)
#undef DECLARE

const struct hs_calibration *hs_calibration_at(size_t index)
{
    static const struct hs_calibration *const subjects[] = {
#define ENTRY(name) &hs_calibration_##name,
        SUBJECTS(ENTRY)
#undef ENTRY
            NULL};
    return index < sizeof subjects / sizeof subjects[0] ? subjects[index] : NULL;
}

enum hs_status hs_calibrate_read(const struct hs_calibrate_options *options,
                                 struct hs_measurements *set, struct hs_diag *diag)
{
    for (uint32_t i = 0; i < options->data_count; i++)
        set[i] = (struct hs_measurements){0};
    for (uint32_t i = 0; i < options->data_count; i++) {
        enum hs_status status = hs_measure_read(&set[i], options->data[i], diag);
        if (status == HS_OK)
            continue;
        for (uint32_t read = 0; read <= i; read++)
            hs_measure_free(&set[read]);
        return status;
    }
    return HS_OK;
}

enum hs_status hs_calibrate_told(enum hs_status status, const char *subject, uint64_t errors_before,
                                 struct hs_diag *diag)
{
    if (status == HS_OK || diag->errors > errors_before)
        return status;
    return hs_fail(diag, status, NULL, NULL, "calibrate %s: %s", subject, hs_status_text(status));
}

static void write_file(struct hs_jsonw *w, const struct hs_measure_file *file)
{
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "name", file->name);
    hs_jsonw_key(w, "hash");
    hs_jsonw_hash(w, file->hash);
    hs_jsonw_member_u64(w, "bytes", file->bytes);
    hs_jsonw_member_u64(w, "rows", file->rows);
    hs_jsonw_end_object(w);
}

static void write_data(struct hs_jsonw *w, const struct hs_measurements *set, uint32_t sets)
{
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < sets; i++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "format", set[i].format);
        hs_jsonw_key(w, "files");
        hs_jsonw_array(w);
        for (uint32_t f = 0; f < set[i].file_count; f++)
            write_file(w, &set[i].files[f]);
        hs_jsonw_end_array(w);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void write_steps(struct hs_jsonw *w, uint32_t steps)
{
    static const char *const names[HS_CLEAN_COUNT] = {
#define STEP_NAME(name, word, text) [HS_CLEAN_BIT_##name] = word,
        HS_CLEAN_LIST(STEP_NAME)
#undef STEP_NAME
    };
    hs_jsonw_array(w);
    for (uint32_t bit = 0; bit < HS_CLEAN_COUNT; bit++)
        if ((steps >> bit & 1) != 0)
            hs_jsonw_text(w, names[bit]);
    hs_jsonw_end_array(w);
}

static struct hs_clean_counts add_counts(const struct hs_clean_counts *counts, uint32_t sets)
{
    struct hs_clean_counts sum = {0};
    for (uint32_t i = 0; i < sets; i++) {
        sum.read += counts[i].read;
        sum.kept += counts[i].kept;
        sum.rebased += counts[i].rebased;
        for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++)
            sum.dropped[why] += counts[i].dropped[why];
    }
    return sum;
}

static void write_rows(struct hs_jsonw *w, const struct hs_clean_counts *sum)
{
    hs_jsonw_object(w);
    hs_jsonw_member_u64(w, "read", sum->read);
    hs_jsonw_member_u64(w, "kept", sum->kept);
    hs_jsonw_key(w, "dropped");
    hs_jsonw_array(w);
    for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++) {
        if (sum->dropped[why] == 0)
            continue;
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "why", hs_dropped_texts[why]);
        hs_jsonw_member_u64(w, "rows", sum->dropped[why]);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

void hs_calibrate_write_head(struct hs_jsonw *w, const char *kind,
                             const struct hs_calibrate_options *options,
                             const struct hs_measurements *set,
                             const struct hs_clean_counts *counts)
{
    struct hs_clean_counts sum = add_counts(counts, options->data_count);
    hs_jsonw_member_text(w, "kind", kind);
    hs_jsonw_member_u64(w, "format", HS_MODEL_FORMAT);
    hs_jsonw_key(w, "data");
    write_data(w, set, options->data_count);
    hs_jsonw_key(w, "cleaning");
    write_steps(w, options->clean);
    hs_jsonw_key(w, "rows");
    write_rows(w, &sum);
}

void hs_calibrate_say_counts(struct hs_output *out, const struct hs_measurements *set,
                             const struct hs_clean_counts *counts, uint32_t sets)
{
    for (uint32_t i = 0; i < sets; i++) {
        hs_say(out, "%s:", set[i].format);
        for (uint32_t f = 0; f < set[i].file_count; f++)
            hs_say(out, " %s (%" PRIu64 " rows, %016" PRIx64 ")", set[i].files[f].name,
                   set[i].files[f].rows, set[i].files[f].hash);
        hs_say(out, "\n%10" PRIu32 "  rows read\n%10" PRIu32 "  kept\n", counts[i].read,
               counts[i].kept);
        if (counts[i].rebased > 0)
            hs_say(out, "%10" PRIu32 "  of them re-based on runs beside an idle job\n",
                   counts[i].rebased);
        for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++)
            if (counts[i].dropped[why] > 0)
                hs_say(out, "%10" PRIu32 "  dropped: %s\n", counts[i].dropped[why],
                       hs_dropped_texts[why]);
    }
}
