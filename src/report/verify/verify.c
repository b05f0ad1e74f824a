/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Applies every rule to a loaded run directory and prints one line a rule, with the first faults of
 * those that fail. The rules of this file compare the files with the hashes of the manifest.
 */
#include "report/verify/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/verify/verify_data.h"

/* ---- faults ---- */

void verify_fault(struct verify_check *c, const char *file, int64_t line, const char *id,
                  const char *fmt, ...)
{
    va_list args;
    int used = 0;
    if (c->faults++ >= VERIFY_LINES)
        return;
    char *text = c->lines[c->faults - 1];
    if (file != NULL)
        used = snprintf(text, VERIFY_LINE_SIZE, "%s:%" PRId64 "%s%s", file, line,
                        id != NULL ? ": job " : "", id != NULL ? id : "");
    va_start(args, fmt);
    if (used >= 0 && used < VERIFY_LINE_SIZE)
        (void)vsnprintf(text + used, VERIFY_LINE_SIZE - (size_t)used, fmt, args);
    va_end(args);
}

const char *verify_id(const struct verify_run *run, const struct verify_segment *seg)
{
    return seg->job != VERIFY_NONE ? run->jobs[seg->job].id : "?";
}

int64_t verify_ppm(int64_t num, int64_t den)
{
    if (num < 0 || den <= 0)
        return -1;
    hs_i128 ppm = (2 * (hs_i128)num * 1000000 + den) / (2 * (hs_i128)den);
    return ppm < INT64_MAX ? (int64_t)ppm : INT64_MAX;
}

const char *verify_seconds(char text[HS_FMT_MAX + 1], int64_t us)
{
    text[hs_fmt_seconds(text, us)] = '\0';
    return text;
}

/* ---- the files ---- */

static enum hs_status check_outputs(struct verify_check *c)
{
    struct verify_run *run = c->run;
    for (uint32_t i = 0; i < run->manifest.file_count; i++) {
        const struct hs_output_file *file = &run->manifest.files[i];
        char path[HS_PATH_SIZE];
        struct hs_input *in;
        const char *data;
        size_t len;
        HS_TRY(verify_path(run, file->name, path));
        HS_TRY(hs_input_open(&in, path, run->diag));
        enum hs_status s;
        while ((s = hs_input_read(in, &data, &len)) == HS_OK)
            continue;
        uint64_t hash = hs_input_hash(in);
        hs_input_close(in);
        if (s != HS_END)
            return s;
        c->looked++;
        if (hash != file->hash)
            VERIFY_FAULT(c, "%s is not the file that the manifest lists", file->name);
    }
    return HS_OK;
}

static enum hs_status check_trace(struct verify_check *c)
{
    struct verify_run *run = c->run;
    const struct hs_manifest_input *trace = hs_runmanifest_trace(&run->manifest);
    if (trace == NULL) {
        c->skipped = "the manifest has no hash of it";
        return HS_OK;
    }
    c->looked = 1;
    if (run->trace_hash != trace->hash || run->trace_bytes != trace->bytes)
        VERIFY_FAULT(c, "%s has changed since the run", run->setup.trace.path);
    return HS_OK;
}

static const struct verify_rule file_rules[] = {
    {"the output files are as the manifest lists them", "files", "changed", .run = check_outputs},
    {"the trace is the one that was simulated", "file", "changed", .run = check_trace},
    {.title = NULL},
};

/* ---- application ---- */

static void print_check(struct hs_output *out, const struct verify_rule *rule,
                        const struct verify_check *c)
{
    char looked[HS_FMT_MAX], faults[HS_FMT_MAX];
    if (c->skipped != NULL)
        hs_say(out, "skip  %s: %s\n", rule->title, c->skipped);
    else
        hs_say(out, "%s  %s: %s %s, %s %s%s\n", c->faults == 0 ? "ok  " : "FAIL", rule->title,
               hs_fmt_grouped(looked, c->looked), rule->things, hs_fmt_grouped(faults, c->faults),
               rule->faults, c->note);
    for (uint64_t i = 0; i < c->faults && i < VERIFY_LINES; i++)
        hs_say(out, "        %s\n", c->lines[i]);
}

enum hs_status verify_apply(struct verify_run *run, const struct verify_rule *rule,
                            struct verify_check *c)
{
    c->run = run;
    if (rule->run != NULL)
        HS_TRY(rule->run(c));
    if (c->skipped != NULL)
        return HS_OK;
    for (uint32_t i = 0; rule->segment != NULL && i < run->segment_count; i++)
        if (run->segments[i].job != VERIFY_NONE)
            rule->segment(c, &run->segments[i]);
    for (uint32_t i = 0; rule->job != NULL && i < run->job_count; i++)
        if (run->jobs[i].row.line != 0)
            rule->job(c, &run->jobs[i]);
    if (c->looked == 0)
        c->skipped = rule->skipped;
    return HS_OK;
}

static enum hs_status verify_all(struct verify_run *run, struct hs_output *out)
{
    const struct verify_rule *const lists[] = {file_rules, verify_schedule_rules, verify_job_rules,
                                               verify_sum_rules};
    uint32_t made = 0, failed = 0;
    HS_TRY(verify_load(run));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct verify_rule *rule = lists[i]; rule->title != NULL; rule++) {
            struct verify_check check = {0};
            HS_TRY(verify_apply(run, rule, &check));
            print_check(out, rule, &check);
            made += check.skipped == NULL;
            failed += check.faults > 0;
        }
    if (failed > 0)
        return hs_fail(run->diag, HS_E_DIFFERS, NULL, NULL,
                       "%s: %" PRIu32 " of %" PRIu32 " checks failed", run->dir, failed, made);
    hs_say(out, "%" PRIu32 " checks passed\n", made);
    return HS_OK;
}

enum hs_status hs_verify_run(const char *run_dir, struct hs_output *out, struct hs_diag *diag)
{
    struct verify_run run = {.dir = run_dir, .diag = diag};
    enum hs_status s = verify_all(&run, out);
    verify_free(&run);
    return s;
}
