/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One check of `horus verify`: how many things were looked at, how many were wrong, and the first
 * of these in words. A rule is a title and the function that fills a check.
 *
 *     static void check_gangs(struct verify_run *run, struct verify_check *c)
 *     {
 *         c->looked++;
 *         if (seg->gpus != job->gpus)
 *             verify_fault(c, "segments.csv:%" PRId64 ": ...", seg->line, ...);
 *     }
 */
#ifndef HORUS_REPORT_VERIFY_CHECK_H
#define HORUS_REPORT_VERIFY_CHECK_H

#include <stdint.h>

#include "base/fmt.h"
#include "horus/compiler.h"
#include "report/verify_data.h"

#define VERIFY_LINES     3
#define VERIFY_LINE_SIZE 320

struct verify_check {
    uint64_t looked, faults;
    char note[VERIFY_LINE_SIZE]; /* printed behind the counts; "" = none */
    char lines[VERIFY_LINES][VERIFY_LINE_SIZE];
    const char *skipped; /* why it was not made; NULL = it was */
};

/* "ok    <title>: 12,345 <things>, 0 <faults>" */
struct verify_rule {
    const char *title, *things, *faults;
    enum hs_status (*check)(struct verify_run *run, struct verify_check *c);
};

/* Lists end with a NULL title. Schedule rules sort run->segments by (start, end, line). */
extern const struct verify_rule verify_file_rules[];     /* verify_files.c */
extern const struct verify_rule verify_schedule_rules[]; /* verify_schedule.c */
extern const struct verify_rule verify_job_rules[];      /* verify_jobs.c */
extern const struct verify_rule verify_retry_rules[];    /* verify_retries.c */
extern const struct verify_rule verify_turn_rules[];     /* verify_turns.c */
extern const struct verify_rule verify_sum_rules[];      /* verify_sums.c */

/* One walk over the begins and ends of all segments of some length, by time; what ends makes room
 * before anything begins. Segments sorted. O(segments log segments). */
typedef void verify_change(void *ctx, uint32_t segment, int64_t now_us);
HS_MUST_USE enum hs_status verify_sweep(const struct verify_run *run, void *ctx,
                                        verify_change *begins, verify_change *ends);

/* Adds up the time that GPUs are held and shared, and that jobs sit beside others; a GPU whose
 * shares are more than the GPU is a fault. Segments sorted. */
HS_MUST_USE enum hs_status verify_add_up_shared(struct verify_run *run, struct verify_check *c);
/* The rule on cores and host memory (verify_hosts.c). Segments sorted. */
HS_MUST_USE enum hs_status verify_check_hosts(struct verify_run *run, struct verify_check *c);
uint32_t verify_node_of(const struct verify_cluster *cluster, uint32_t gpu);
/* Thousandths of each of its GPUs that the job of a segment holds. */
uint32_t verify_milli(const struct verify_run *run, const struct verify_segment *seg);

/* Work rebuilt from mean_rate, in 1e-9 us: each digit that was not printed is worth at most half of
 * the length. */
bool verify_is_within(hs_i128 rebuilt, hs_i128 stated, int64_t length_us);

/* Were all changes of the job's rate while it was placed changes of its placement? Then it ran at
 * full speed if mean_rate is printed as 1. */
bool verify_is_steady(const struct verify_run *run, const struct verify_job *j);

/* Counts a fault and keeps the text of the first three. */
HS_PRINTF(2, 3)
void verify_fault(struct verify_check *c, const char *fmt, ...);

/* num / den in millionths, rounded half up; -1 where there is no num (-1) or den (0). */
int64_t verify_ppm(int64_t num, int64_t den);

/* Seconds as text for a message; returns text. */
struct verify_text {
    char text[HS_FMT_MAX + 1];
};
const char *verify_seconds(struct verify_text *out, int64_t us);

#endif
