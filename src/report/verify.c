/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs every rule over a loaded run directory and prints one line a check, with the first faults of
 * those that fail. Memory O(jobs + segments): unlike the simulation, the verification keeps all.
 */
#include "report/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/verify_check.h"

#define GROUPED_SIZE 32

struct tally {
    uint32_t made, failed;
};

void verify_fault(struct verify_check *c, const char *fmt, ...)
{
    if (c->faults++ >= VERIFY_LINES)
        return;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(c->lines[c->faults - 1], VERIFY_LINE_SIZE, fmt, args);
    va_end(args);
}

int64_t verify_ppm(int64_t num, int64_t den)
{
    if (num < 0 || den <= 0)
        return -1;
    hs_i128 ppm = (2 * (hs_i128)num * 1000000 + den) / (2 * (hs_i128)den);
    return ppm < INT64_MAX ? (int64_t)ppm : INT64_MAX;
}

const char *verify_seconds(struct verify_text *out, int64_t us)
{
    out->text[hs_fmt_seconds(out->text, us)] = '\0';
    return out->text;
}

/* 12345 as "12,345". */
static const char *grouped(char text[GROUPED_SIZE], uint64_t value)
{
    char digits[HS_FMT_MAX];
    size_t length = hs_fmt_u64(digits, value), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

static void put_line(struct hs_output *out, const char *line)
{
    hs_output_put(out, line, strlen(line));
    hs_output_put(out, "\n", 1);
}

static void print_check(struct hs_output *out, const struct verify_rule *rule,
                        const struct verify_check *c)
{
    char line[2 * VERIFY_LINE_SIZE], looked[GROUPED_SIZE], faults[GROUPED_SIZE];
    if (c->skipped != NULL)
        (void)snprintf(line, sizeof line, "skip  %s: %s", rule->title, c->skipped);
    else
        (void)snprintf(line, sizeof line, "%s  %s: %s %s, %s %s%s",
                       c->faults == 0 ? "ok  " : "FAIL", rule->title, grouped(looked, c->looked),
                       rule->things, grouped(faults, c->faults), rule->faults, c->note);
    put_line(out, line);
    for (uint64_t i = 0; i < c->faults && i < VERIFY_LINES; i++) {
        (void)snprintf(line, sizeof line, "        %s", c->lines[i]);
        put_line(out, line);
    }
}

static enum hs_status apply(struct verify_run *run, const struct verify_rule *rules,
                            struct hs_output *out, struct tally *tally)
{
    for (const struct verify_rule *rule = rules; rule->title != NULL; rule++) {
        struct verify_check check = {0};
        HS_TRY(rule->check(run, &check));
        print_check(out, rule, &check);
        tally->made += check.skipped == NULL;
        tally->failed += check.faults > 0;
    }
    return HS_OK;
}

static enum hs_status verify_all(struct verify_run *run, struct hs_output *out)
{
    struct tally tally = {0};
    char line[64];
    HS_TRY(verify_load(run));
    HS_TRY(apply(run, verify_file_rules, out, &tally));
    HS_TRY(apply(run, verify_schedule_rules, out, &tally));
    HS_TRY(apply(run, verify_job_rules, out, &tally));
    HS_TRY(apply(run, verify_retry_rules, out, &tally));
    HS_TRY(apply(run, verify_turn_rules, out, &tally));
    HS_TRY(apply(run, verify_sum_rules, out, &tally));
    if (tally.failed > 0)
        return hs_fail(run->diag, HS_E_DIFFERS, NULL, NULL,
                       "%s: %" PRIu32 " of %" PRIu32 " checks failed", run->dir, tally.failed,
                       tally.made);
    (void)snprintf(line, sizeof line, "%" PRIu32 " checks passed", tally.made);
    put_line(out, line);
    return HS_OK;
}

enum hs_status hs_verify_run(const char *run_dir, struct hs_output *out, struct hs_diag *diag)
{
    struct verify_run run = {.dir = run_dir, .diag = diag};
    enum hs_status s = verify_all(&run, out);
    verify_free(&run);
    return s;
}
