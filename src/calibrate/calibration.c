/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of subjects, and what they have in common: read the data, report which files it was,
 * which steps cleaned it and what became of each row, write the head of the model file. A file is
 * named by its base name, size and hash, so that a model file does not depend on where the data
 * lay.
 */
#include "calibrate/calibration.h"

#include <inttypes.h>

extern const struct hs_calibration hs_calibration_interference, hs_calibration_utilization,
    hs_calibration_predictor, hs_calibration_speed;

const struct hs_calibration *hs_calibration_at(size_t index)
{
    static const struct hs_calibration *const subjects[] = {
        &hs_calibration_interference, &hs_calibration_utilization, &hs_calibration_predictor,
        &hs_calibration_speed};
    return index < HS_COUNT_OF(subjects) ? subjects[index] : NULL;
}

/* ---- rows ---- */

void hs_calibrate_say_counts(const struct hs_calibrate_run *run, uint32_t sets)
{
    struct hs_output *out = run->out;
    for (uint32_t i = 0; i < sets; i++) {
        const struct hs_clean_counts *counts = &run->counts[i];
        hs_say(out, "%s:", run->set[i].format);
        for (uint32_t f = 0; f < run->set[i].file_count; f++) {
            const struct hs_measure_file *file = &run->set[i].files[f];
            hs_say(out, " %s (%" PRIu64 " rows, %016" PRIx64 ")", file->name, file->rows,
                   file->hash);
        }
        hs_say(out, "\n%10" PRIu32 "  rows read\n%10" PRIu32 "  kept\n", counts->read,
               counts->kept);
        if (counts->rebased > 0)
            hs_say(out, "%10" PRIu32 "  of them re-based on runs beside an idle job\n",
                   counts->rebased);
        for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++)
            if (counts->dropped[why] > 0)
                hs_say(out, "%10" PRIu32 "  dropped: %s\n", counts->dropped[why],
                       hs_dropped_texts[why]);
    }
}

void hs_calibrate_write_dropped(struct hs_jsonw *w, const char *const *texts,
                                const uint32_t *counts, uint32_t n)
{
    hs_jsonw_put(w, "dropped=[");
    for (uint32_t why = 0; why < n; why++)
        if (counts[why] > 0)
            hs_jsonw_put(w, "=!{ why=%s rows=%u }", texts[why], counts[why]);
    hs_jsonw_put(w, "]");
}

/* ---- a run ---- */

static enum hs_status calibrate(struct hs_calibrate_run *run, const struct hs_calibration *subject,
                                void *study, struct hs_jsonw *model)
{
    struct hs_clean_counts sum = {0};
    struct hs_csvw rows;
    if (subject->needs_catalogue && run->options.profiles != NULL)
        HS_TRY(hs_catalogue_load(&run->catalogue, run->options.profiles, run->diag));
    if (subject->read != NULL)
        HS_TRY(subject->read(run));
    else
        for (; run->sets < run->options.data_count; run->sets++)
            HS_TRY(hs_measure_read(&run->set[run->sets], run->options.data[run->sets], run->diag));
    for (uint32_t i = 0; i < run->sets; i++)
        hs_clean(&run->set[i], run->options.clean | subject->always, run->options.overlap,
                 &run->counts[i]);
    HS_TRY(subject->fit(run, study));
    subject->say(run, study);
    if (model != NULL) {
        hs_jsonw_put(model, "={");
        hs_jsonw_put(model, "kind=%s format=%u data=[", subject->name, HS_MODEL_FORMAT);
        for (uint32_t i = 0; i < run->sets; i++) {
            sum.read += run->counts[i].read;
            sum.kept += run->counts[i].kept;
            for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++)
                sum.dropped[why] += run->counts[i].dropped[why];
            hs_jsonw_put(model, "=!{ format=%s files=[", run->set[i].format);
            for (uint32_t f = 0; f < run->set[i].file_count; f++) {
                const struct hs_measure_file *file = &run->set[i].files[f];
                hs_jsonw_put(model,
                             "=!{ name=%s hash=%016" PRIx64 " bytes=%" PRIu64 " rows=%" PRIu64 " }",
                             file->name, file->hash, file->bytes, file->rows);
            }
            hs_jsonw_put(model, "] }");
        }
        hs_jsonw_put(model, "] cleaning=[");
        for (uint32_t bit = 0; bit < HS_CLEAN_COUNT; bit++)
            if ((run->options.clean >> bit & 1) != 0)
                hs_jsonw_text(model, hs_clean_step_at(bit));
        hs_jsonw_put(model, "] rows={ read=%u kept=%u", sum.read, sum.kept);
        hs_calibrate_write_dropped(model, hs_dropped_texts, sum.dropped, HS_DROPPED_COUNT);
        hs_jsonw_put(model, "}");
        subject->write(run, study, model);
        hs_jsonw_put(model, "}");
    }
    if (run->options.rows == NULL)
        return HS_OK;
    HS_TRY(hs_csvw_open(&rows, run->options.rows, subject->rows, run->diag));
    subject->write_rows(study, &rows);
    return hs_csvw_close(&rows, run->diag);
}

enum hs_status hs_calibrate(const struct hs_calibration *subject,
                            const struct hs_calibrate_options *options, struct hs_output *out,
                            struct hs_jsonw *model, struct hs_diag *diag)
{
    uint64_t errors = diag->errors;
    struct hs_calibrate_run *run = hs_alloc_zeroed(1, sizeof *run);
    *run = (struct hs_calibrate_run){
        .options = *options, .has_model = model != NULL, .out = out, .diag = diag};
    run->options.clean &= subject->steps;
    void *study = hs_arena_alloc(&run->arena, subject->study_size);
    enum hs_status status = calibrate(run, subject, study, model);
    if (status != HS_OK && diag->errors == errors) /* a limit, which could not be reported */
        status = hs_fail(diag, status, NULL, NULL, "calibrate %s: %s", subject->name,
                         hs_status_text(status));
    for (uint32_t i = 0; i <= HS_CALIBRATE_DATA_MAX; i++)
        hs_measure_free(&run->set[i]);
    hs_catalogue_free(&run->catalogue);
    hs_arena_free(&run->arena);
    hs_free(run);
    return status;
}
