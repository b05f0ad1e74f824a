/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A diag in front of another that remembers what it has passed on. Without memory to remember, a
 * message is rather shown twice than not at all.
 */
#include "cli/oncelog.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

static bool is_new(struct hs_oncelog *log, const char *text, size_t len)
{
    struct hs_arena arena = {0};
    const char *key = hs_arena_text(&arena, text, len);
    uint32_t id, known = log->seen.count;
    bool is_known = key != NULL && hs_intern_get(&log->seen, key, &id) == HS_OK && id < known;
    hs_arena_free(&arena);
    return !is_known;
}

static void oncelog_emit(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_oncelog *log = ctx;
    if (severity < log->target->least || !is_new(log, text, len))
        return;
    log->target->errors += severity == HS_ERROR;
    log->target->warnings += severity == HS_WARNING;
    log->target->emit(log->target->ctx, severity, text, len);
}

enum hs_status hs_oncelog_open(struct hs_oncelog *log, struct hs_diag *target)
{
    memset(log, 0, sizeof *log);
    log->target = target;
    hs_diag_init(&log->diag, oncelog_emit, log);
    if (hs_intern_init(&log->seen) != HS_OK)
        return hs_fail(target, HS_E_MEMORY, NULL, NULL, "out of memory");
    return HS_OK;
}

void hs_oncelog_pass(struct hs_oncelog *log, enum hs_severity severity, const char *text,
                     size_t len)
{
    oncelog_emit(log, severity, text, len);
}

void hs_oncelog_close(struct hs_oncelog *log)
{
    hs_intern_free(&log->seen);
}
