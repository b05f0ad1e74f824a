/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one point of a sweep had to say, kept until it is known whether it failed.
 *
 *     hs_pointlog_open(&log, target);      // reports to &log.diag; target may be NULL: kept alone
 *     ... hs_pointlog_write(&log, path, "exit", 3, diag) ...
 *     hs_pointlog_close(&log);
 */
#ifndef HORUS_CLI_POINTLOG_H
#define HORUS_CLI_POINTLOG_H

#include <stdint.h>

#include "base/diag.h"

struct hs_pointlog {
    struct hs_diag diag;
    struct hs_diag *target;
    char *text;
    uint32_t len, cap;
};

void hs_pointlog_open(struct hs_pointlog *log, struct hs_diag *target);
/* "WORD NUMBER" and what was said, complete or absent. */
HS_MUST_USE enum hs_status hs_pointlog_write(const struct hs_pointlog *log, const char *path,
                                             const char *word, int number, struct hs_diag *diag);
void hs_pointlog_close(struct hs_pointlog *log);

#endif
