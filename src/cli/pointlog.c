/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages are few and short; past LOG_MAX, or without memory, later ones are lost to the file.
 */
#include "cli/pointlog.h"

#include <string.h>

#include "base/memory.h"
#include "base/wholefile.h"

#define LOG_MAX (1u << 20) /* bytes */

static void keep(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_pointlog *log = ctx;
    if (log->target != NULL) {
        if (severity >= log->target->least)
            log->target->emit(log->target->ctx, severity, text, len);
        log->target->errors += severity == HS_ERROR;
        log->target->warnings += severity == HS_WARNING;
    }
    if (hs_grow((void **)&log->text, &log->cap, (uint64_t)log->len + len + 1, 1, LOG_MAX) != HS_OK)
        return;
    memcpy(log->text + log->len, text, len);
    log->text[log->len + len] = '\n';
    log->len += (uint32_t)len + 1;
}

void hs_pointlog_open(struct hs_pointlog *log, struct hs_diag *target)
{
    *log = (struct hs_pointlog){.target = target};
    hs_diag_init(&log->diag, keep, log);
}

enum hs_status hs_pointlog_write(const struct hs_pointlog *log, const char *path, const char *word,
                                 int number, struct hs_diag *diag)
{
    struct hs_wholefile file;
    HS_TRY(hs_wholefile_open(&file, path, diag));
    hs_say(&file.out, "%s %d\n", word, number);
    hs_output_put(&file.out, log->text, log->len);
    return hs_wholefile_close(&file, HS_OK, diag);
}

void hs_pointlog_close(struct hs_pointlog *log)
{
    hs_free(log->text);
}
