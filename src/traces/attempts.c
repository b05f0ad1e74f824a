/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of attempts. O(attempts of a row).
 */
#include "traces/attempts.h"

#include <string.h>

#include "base/memory.h"

enum hs_status hs_attempts_add(struct hs_attempt_list *list, int64_t run_us)
{
    HS_TRY(hs_grow((void **)&list->run_us, &list->cap, (uint64_t)list->count + 1,
                   sizeof *list->run_us, HS_ATTEMPTS_MAX));
    list->run_us[list->count++] = run_us;
    return HS_OK;
}

/* Each is held against what is left of the duration, so that no sum can overflow. */
enum hs_status hs_attempts_parse(struct hs_attempt_list *list, const char *text, size_t len,
                                 int64_t unit_us, int64_t duration_us, enum hs_cell_result *result)
{
    int64_t left_us = duration_us, run_us = 0;
    list->count = 0;
    for (const char *at = text, *end = text + len; at <= end;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        size_t size = (size_t)((slash != NULL ? slash : end) - at);
        *result = hs_cell_span(at, size, unit_us, &run_us);
        if (*result != HS_CELL_OK || run_us < 0 || list->count == HS_ATTEMPTS_MAX) {
            *result = HS_CELL_NOT_ATTEMPTS;
            return HS_OK;
        }
        if (run_us > left_us) {
            *result = HS_CELL_NOT_THE_SUM;
            return HS_OK;
        }
        left_us -= run_us;
        HS_TRY(hs_attempts_add(list, run_us));
        at += size + 1;
    }
    *result = left_us == 0 ? HS_CELL_OK : HS_CELL_NOT_THE_SUM;
    return HS_OK;
}

void hs_attempts_give(const struct hs_attempt_list *list, struct hs_trace_job *job)
{
    job->attempts = list->count > 1 ? list->count : 0;
    job->attempts_us = list->count > 1 ? list->run_us : NULL;
}

void hs_attempts_free(struct hs_attempt_list *list)
{
    hs_free(list->run_us);
    *list = (struct hs_attempt_list){0};
}
